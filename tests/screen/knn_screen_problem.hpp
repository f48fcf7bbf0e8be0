// Problems for knn() in screen space in plain memory, and their answers, so that one test body serves every backend.
#pragma once

#include <farpoint/reference/knn_screen.hpp>

#include "../search/knn_problem.hpp"
#include "cameras.hpp"

namespace farpoint_tests {

using farpoint::organized_camera;
using farpoint::pinhole_camera;
using farpoint::screen_rows;
using farpoint::screen_space;
using farpoint::spherical_camera;

/// A cloud, a camera and the parameters of a search.
template <class Coord, class Camera>
struct screen_problem {
  using points_type = fps_problem<Coord>;
  using scalar = typename points_type::scalar;
  using camera = Camera;

  points_type points;
  screen_space<Camera> method;
  bool wide = false;  ///< 64-bit indices

  screen_problem(xyz_cloud const& cloud, Camera const& seen_by, index_t k_, record_format format = {})
      : points{cloud, 0, format}, method{seen_by, k_} {}

  index_t rows() const { return farpoint::detail::screen_row_count(points.points, method); }
  index_t max_visible() const { return farpoint::detail::max_visible(points.points, method); }
};

template <class Coord = float>
using pinhole_problem = screen_problem<Coord, pinhole_camera<farpoint::scalar_of<Coord>>>;

/// All outputs. Elements that are not written keep the poison, on each backend.
template <class Scalar>
struct screen_answer : list_answer<Scalar> {
  std::vector<index_t> pixels;
  std::vector<index_t> visible;
  std::vector<index_t> visible_count;
  farpoint::knn_screen_report report;
};

template <class Scalar>
bool same_report(screen_answer<Scalar> const& a, screen_answer<Scalar> const& b) {
  return a.report.non_finite_points == b.report.non_finite_points && a.report.unseen_points == b.report.unseen_points &&
         a.report.hidden_points == b.report.hidden_points && a.report.visible_points == b.report.visible_points &&
         a.report.bad_offsets == b.report.bad_offsets;
}

/// Returns true if all answers are equal bit by bit.
template <class Scalar>
bool same_answer(screen_answer<Scalar> const& a, screen_answer<Scalar> const& b) {
  return same_lists(a, b) && a.pixels == b.pixels && a.visible == b.visible && a.visible_count == b.visible_count &&
         same_report(a, b);
}

/// Describes the differences between two answers.
template <class Scalar>
std::string difference(screen_answer<Scalar> const& a, screen_answer<Scalar> const& b) {
  return difference_in_lists(a, b) + difference_in("pixels", a.pixels, b.pixels) +
         difference_in("visible", a.visible, b.visible) +
         difference_in("visible_count", a.visible_count, b.visible_count) + (same_report(a, b) ? "" : "reports differ");
}

/// Memory for all parts of an output.
/// @tparam Array  host_array or device_array
template <class Scalar, class Index, template <class> class Array>
struct screen_arrays : list_arrays<Scalar, Index, Array> {
  using lists = list_arrays<Scalar, Index, Array>;

  Array<Index> pixels;
  Array<Index> visible;
  Array<Index> visible_count;

  template <class Problem>
  explicit screen_arrays(Problem const& problem)
      : lists{problem.rows() * std::clamp<index_t>(problem.method.k, 0, 2000), problem.rows()},
        pixels{static_cast<std::size_t>(problem.rows())},
        visible{static_cast<std::size_t>(problem.max_visible())},
        visible_count{1} {}

  farpoint::knn_screen_output<Scalar> output(farpoint::knn_screen_report* report) const {
    farpoint::knn_screen_output<Scalar> to{this->index_span(), this->distance_span()};
    to.counts = this->count_span();
    to.pixels = lists::span_of(pixels);
    to.visible = lists::span_of(visible);
    to.visible_count = lists::span_of(visible_count);
    to.report = report;
    return to;
  }

  template <class Function>
  void for_each(Function const& function) {
    function(this->indices), function(this->distances), function(this->counts);
    function(pixels), function(visible), function(visible_count);
  }

  screen_answer<Scalar> answer(farpoint::result outcome, farpoint::knn_screen_report const& report) const {
    bool const kept = outcome ? pixels.intact() && visible.intact() && visible_count.intact()
                              : pixels.untouched() && visible.untouched() && visible_count.untouched();
    if (!kept) outcome = memory_was_written;
    return {lists::answer(outcome), widen(pixels.download()), widen(visible.download()),
            widen(visible_count.download()), outcome ? report : farpoint::knn_screen_report{}};
  }
};

/// Runs `call(output)` on host memory with guards, and collects the answer.
template <class Problem, class Call>
auto collect_screen(Problem const& problem, Call const& call) {
  return with_index_type(problem, [&](auto index) {
    screen_arrays<typename Problem::scalar, decltype(index), host_array> const arrays{problem};
    farpoint::knn_screen_report report;
    farpoint::result const outcome = call(arrays.output(&report));
    return arrays.answer(outcome, report);
  });
}

/// Returns the answer of a z-buffer and brute force.
template <class Problem>
auto reference_screen(Problem const& problem) {
  return collect_screen(problem, [&](auto const& output) {
    return farpoint::reference::knn(clouds_in_place(problem.points), problem.method, output);
  });
}

template <class Scalar>
organized_camera<Scalar> camera_of_rows(int width, int height,
                                        farpoint::organized_depth depth = farpoint::organized_depth::range) {
  organized_camera<Scalar> camera;
  camera.width = width;
  camera.height = height;
  camera.depth_kind = depth;
  return camera;
}

}  // namespace farpoint_tests
