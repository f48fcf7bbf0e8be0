/// @file
/// Build a quadtree over the pixels of an image: host backend.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/detail/screen/rounds/quadtree_build.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

inline result check_quadtree(host_exec exec, quadtree_layout const& layout, span<quadtree_point const> points,
                             bytes memory) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  if (!layout.is_valid()) return reject("width, height or points: not 1 to 8192, or more points than pixels");
  if (result const checked = check_quadtree_memory(memory, layout.size()); !checked) return checked;
  for (quadtree_point const& point : points) {
    if (point.x >= layout.width() || point.y >= layout.height()) return reject("points: a pixel is not in the image");
    if (point.depth != point.depth) return reject("points: a depth is not a number");
  }
  return {};
}

}  // namespace detail

/// Builds the quadtree of an image. Points are packed without a sort: a tile's start, and the rank of a pixel in its
/// tile's mask, say where one goes. The tree does not depend on the order of the points.
///
/// @param exec           runs on the calling thread alone, whatever the number of threads; blocks until done
/// @param width, height  of the image, px, 1 to quadtree_max_side
/// @param points         `[n]`, at most one for each pixel (a z-buffer's output), in any order, host memory; none is
///                       allowed
/// @param memory         at least quadtree_bytes(width, height, n) bytes, aligned to quadtree_alignment, host memory
///                       that does not overlap the points; the tree lives in it
/// @param tree           set on success
/// @return ok | bad_argument: a side out of bounds, more points than pixels, a pixel outside the image or with two
///         points, a depth that is NaN, memory that is not aligned | workspace_too_small. On failure nothing is
///         written, except if two points share a pixel: the memory then holds no tree
/// Complexity: O(n + (padded side)^2 / 12), three passes over the points. Allocates nothing. Thread-safe for different
/// memory. Source: the tree of the FastKNN thesis, except for the tiles' masks and the depths.
inline result build_quadtree(host_exec exec, int width, int height, span<quadtree_point const> points, bytes memory,
                             quadtree_ref& tree) noexcept {
  quadtree_layout const layout{width, height, static_cast<index_t>(points.size())};
  if (result const checked = detail::check_quadtree(exec, layout, points, memory); !checked) return checked;
  quadtree_arrays const arrays = layout.cut(memory.data());
  if (!detail::fill_tiles(layout, arrays, points)) return detail::reject("points: a pixel has two of them");
  detail::fill_levels(layout, arrays);
  detail::pack_points(layout, arrays, points);
  tree = quadtree_ref{layout, memory.data()};
  return {};
}

FARPOINT_END_NAMESPACE
