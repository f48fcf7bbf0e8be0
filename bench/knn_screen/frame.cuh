/// @file
/// A whole frame of splats, and its stages: projection, search, normals, picture. Needs nvcc.
#pragma once

#include "support/cuda_handles.hpp"

#include <farpoint/knn_screen.cuh>
#include <farpoint/knn_screen.hpp>
#include <farpoint/splat/draw_splats.cuh>
#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/normals_from_neighbors.cuh>
#include <farpoint/splat/normals_from_neighbors.hpp>
#include <farpoint/splat/project.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace farpoint_bench {

/// Memory of a frame, and what its stages enqueue. Bytes are drawn, at the size of the camera's image.
class splat_frame {
 public:
  using camera = farpoint::pinhole_camera<float>;
  using cloud = farpoint::batch<farpoint::point_view<float>>;

  splat_frame(cloud const& points, camera const& seen_by, farpoint::index_t k)
      : points_{points},
        method_{seen_by, k},
        k_{k},
        pixels_{static_cast<std::size_t>(seen_by.width) * static_cast<std::size_t>(seen_by.height)},
        rows_{std::min(pixels_, static_cast<std::size_t>(points.points().size()))},
        words_{pixels_},
        indices_{rows_ * static_cast<std::size_t>(k)},
        visible_{rows_},
        count_{1},
        normals_{3 * rows_},
        tangents_{3 * rows_},
        extents_{2 * rows_},
        bytes_{3 * pixels_},
        search_memory_{farpoint::knn_workspace_bytes(exec(nullptr), points, method_)},
        draw_memory_{farpoint::draw_splats_workspace_bytes(exec(nullptr), splats(), seen_by, params_)} {}

  void launch_project(cudaStream_t stream) const {
    farpoint::zbuffer_ref const zbuffer{span_of(words_), method_.camera.width, method_.camera.height};
    check(farpoint::project(exec(stream), points_, method_.camera, zbuffer), "farpoint::project");
  }
  void launch_search(cudaStream_t stream) const {
    farpoint::knn_screen_output<float> output{span_of(indices_)};
    output.visible = span_of(visible_);
    output.visible_count = span_of(count_);
    check(farpoint::knn(exec(stream), points_, method_, output, span_of(search_memory_)), "farpoint::knn");
  }
  void launch_normals(cudaStream_t stream) const {
    farpoint::neighbor_rows const rows{span_of(indices_), k_, span_of(visible_), span_of(count_)};
    check(farpoint::normals_from_neighbors(exec(stream), points_, rows, {},
                                           {span_of(normals_), {}, span_of(tangents_), span_of(extents_)}),
          "farpoint::normals_from_neighbors");
  }
  void launch_splats(cudaStream_t stream) const {
    check(
        farpoint::draw_splats(exec(stream), points_, splats(), method_.camera, params_, image(), span_of(draw_memory_)),
        "farpoint::draw_splats");
  }
  /// The part of it before the tiles are drawn.
  void launch_splat_lists(cudaStream_t stream) const {
    namespace detail = farpoint::detail;
    detail::splat_bin_args<farpoint::point_view<float>> args{
        {points_, splats(), method_.camera, {params_, image(), {}, nullptr}, {}, {}}, {}};
    check(detail::prepare_splats(args.scene, span_of(draw_memory_), args.memory), "farpoint::draw_splats");
    detail::kernel_launcher launcher{stream};
    detail::launch_splat_lists<farpoint::draw_splats_selector>(launcher, args);
    check(detail::cuda_failure(launcher.error(), "draw_splats"), "farpoint::draw_splats");
  }
  void launch(cudaStream_t stream) const {
    launch_search(stream);
    launch_normals(stream);
    launch_splats(stream);
  }

  /// Makes a frame; throws unless it is the host's.
  /// @param xyz    `[points, 3]`, the cloud in host memory
  /// @param found  what the host's search finds
  void verify(cudaStream_t stream, std::vector<float> const& xyz,
              farpoint::screen_neighbors<float> const& found) const {
    launch(stream);
    farpoint::host_exec const host{};
    cloud const points{farpoint::point_view<float>{xyz.data(), static_cast<farpoint::index_t>(xyz.size() / 3)}};
    std::size_t const seen = found.visible.size();
    std::vector<float> normals(3 * seen), tangents(3 * seen), extents(2 * seen);
    check(farpoint::normals_from_neighbors(host, points, {found.indices, k_, found.visible}, {},
                                           {normals, {}, tangents, extents}),
          "farpoint::normals_from_neighbors on the host");
    farpoint::splat_view<float> const splats{extents, normals, tangents, found.visible};
    std::vector<std::uint8_t> bytes(3 * pixels_);
    farpoint::splat_image image;
    image.bytes = bytes;
    farpoint::host_scratch const workspace{
        farpoint::draw_splats_workspace_bytes(host, splats, method_.camera, params_)};
    check(farpoint::draw_splats(host, points, splats, method_.camera, params_, image, workspace),
          "farpoint::draw_splats on the host");
    if (bytes_.download() != bytes) throw std::runtime_error{"MISMATCH with host_exec"};
  }

 private:
  static farpoint::cuda_exec exec(cudaStream_t stream) { return farpoint::cuda_exec{stream}; }
  template <class T>
  static farpoint::span<T> span_of(device_buffer<T> const& buffer) {
    return {buffer.data(), buffer.size()};
  }
  farpoint::splat_image image() const {
    farpoint::splat_image image;
    image.bytes = span_of(bytes_);
    return image;
  }
  farpoint::splat_view<float> splats() const {
    return {span_of(extents_), span_of(normals_), span_of(tangents_), span_of(visible_), span_of(count_)};
  }

  cloud points_;
  farpoint::screen_space<camera> method_;
  farpoint::index_t k_;
  farpoint::draw_splats_params params_;
  std::size_t pixels_, rows_;
  device_buffer<std::uint64_t> words_;
  device_buffer<std::int32_t> indices_, visible_, count_;
  device_buffer<float> normals_, tangents_, extents_;
  device_buffer<std::uint8_t> bytes_;
  device_buffer<unsigned char> search_memory_, draw_memory_;
};

}  // namespace farpoint_bench
