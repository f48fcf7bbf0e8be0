/// @file
/// Builds a quadtree over the pixels of an image on a CUDA stream.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check.hpp>
#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/screen/rounds/quadtree_build.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that build_quadtree() needs on a GPU; 256-byte aligned memory. O(1), exact: 8 for each
/// square of 32 x 32 pixels of the padded image, and 64; 0 for an image that build_quadtree() refuses.
template <class = void>  // another symbol than the compiled library's function has, which calls it
std::size_t quadtree_workspace_bytes(cuda_exec, int width, int height) noexcept {
  quadtree_layout const layout{width, height, 0};
  if (!layout.is_valid()) return 0;
  return 64 + std::size_t{detail::quadtree_blocks(layout)} * sizeof(std::uint64_t);
}

/// Builds the quadtree of what a z-buffer shows, enqueued on a stream: the tree, to the bit, that the host overload
/// builds of the same points. Their number stays on the device.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph.
///
/// @param exec       the stream
/// @param zbuffer    1 to quadtree_max_side pixels wide and high; the points of its pixels become the tree's points
/// @param memory     at least quadtree_bytes(width, height, width * height) bytes, aligned to quadtree_alignment,
///                   device memory; the tree lives in it
/// @param workspace  at least quadtree_workspace_bytes() bytes, 256-byte aligned, device memory
/// @param tree       set on success; what it refers to is ready once the stream has passed the call
/// @return ok | bad_argument | workspace_too_small (the memory, too) | cuda_failure. Never clears or returns a pending
///         error of other work.
/// Complexity: O(padded square); a memset and two launches, one up to 32 x 32 pixels. Thread-safe for different memory.
template <class = void>  // another symbol than the compiled library's function has, which calls it
result build_quadtree(cuda_exec exec, zbuffer_ref zbuffer, bytes memory, bytes workspace, quadtree_ref& tree) noexcept {
  detail::profile_range const range{"farpoint::build_quadtree"};
  quadtree_layout const layout{zbuffer.width(), zbuffer.height(), zbuffer.size()};
  if (!layout.is_valid()) return detail::reject("zbuffer: its width or height is not 1 to 8192");
  span<std::uint64_t const> const words{zbuffer.data(), static_cast<std::size_t>(zbuffer.size())};
  if (result const checked = detail::check_pointers(exec, workspace, memory, words); !checked) return checked;
  if (result const checked = detail::check_quadtree_memory(memory, layout.size()); !checked) return checked;
  std::size_t const needed = quadtree_workspace_bytes(exec, zbuffer.width(), zbuffer.height());
  if (result const checked = detail::check_workspace(workspace, needed, FARPOINT_WORKSPACE_OF("quadtree")); !checked)
    return checked;

  auto* const tiles = reinterpret_cast<std::uint64_t*>(workspace.data() + 64);
  auto* const ticket = reinterpret_cast<std::uint32_t*>(workspace.data());
  detail::kernel_launcher launcher{exec.stream};
  launcher.clear(workspace.data(), needed);
  detail::quadtree_args<zbuffer_ref> const args{zbuffer, layout, layout.cut(memory.data()), nullptr, tiles, ticket};
  detail::launch_quadtree(launcher, args, 8);
  if (result const launched = detail::cuda_failure(launcher.error(), "quadtree: a kernel could not be launched");
      !launched) {
    return launched;
  }
  tree = quadtree_ref{layout, memory.data()};
  return {};
}

FARPOINT_END_NAMESPACE
