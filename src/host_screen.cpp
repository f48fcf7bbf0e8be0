// knn() in screen space on host memory.
#include <farpoint/knn_screen.hpp>

#include "host_call.hpp"

FARPOINT_BEGIN_NAMESPACE

namespace library {

#if defined(FARPOINT_WITH_CUDA)
/// Reserves device memory for the output. Rows behind the number of visible points stay unchanged.
template <class Scalar, class Coord, class Camera>
knn_screen_output<Scalar> place(frame& on_device, knn_screen_output<Scalar> const& output,
                                clouds_of<Coord> const& points, screen_space<Camera> const& method) noexcept {
  static thread_local index_t unwanted = 0;
  index_t const size = points.points().size();
  index_t const rows = detail::screen_row_count(size, method);
  index_span const count =
      output.visible_count.empty() ? index_span{span<index_t>{&unwanted, 1}} : output.visible_count;
  knn_screen_output<Scalar> placed;
  placed.visible_count = on_device.output(count, 1);
  written_rows const visible{on_device.count_rows(placed.visible_count), 0, 0};
  bool const has_row_each = method.rows == screen_rows::input;
  written_rows const written = has_row_each ? written_rows{} : visible;
  bool const keep = has_row_each && leaves_rows(points);
  placed.indices = on_device.output(output.indices, rows, method.k, keep, written);
  placed.distances = on_device.output(output.distances, rows, method.k, keep, written);
  placed.counts = on_device.output(output.counts, rows, 1, keep, written);
  placed.pixels = on_device.output(output.pixels, rows, 1, keep, written);
  placed.visible = on_device.output(output.visible, detail::max_visible(size, method), 1, false, visible);
  placed.report = on_device.output(output.report);
  return placed;
}

#endif

template <>
struct anywhere<function::knn_screen> {
  template <class Coord, class Camera>
  static result call(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& points,
                     screen_space<Camera> const& method, knn_screen_output<scalar_of<Coord>> const& output) noexcept {
    result const checked = detail::check_knn_screen(points, method, output);
    return call_anywhere(FARPOINT_SENTENCES("knn"), checked, options, info, [&](auto exec, auto& memory) {
      auto const cloud = place(memory, points);
      auto const found = place(memory, output, points, method);
      bytes const workspace = memory.scratch([&] { return knn_workspace_bytes(exec, cloud, method); });
      return [=] { return farpoint::knn(exec, cloud, method, found, workspace); };
    });
  }
};

FARPOINT_FOR_EACH_COORD(FARPOINT_HOST_CALLS_OF_CAMERAS, FARPOINT_EXPORT_HOST)

}  // namespace library
FARPOINT_END_NAMESPACE
