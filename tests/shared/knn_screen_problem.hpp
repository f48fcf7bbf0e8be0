// Problems for knn() in screen space in plain memory, and their answers, so that one test body serves every backend.
#pragma once

#include <farpoint/geometry/camera.hpp>
#include <farpoint/reference/knn_screen.hpp>

#include "knn_problem.hpp"

namespace farpoint_tests {

using farpoint::organized_camera;
using farpoint::pinhole_camera;
using farpoint::screen_rows;
using farpoint::screen_space;
using farpoint::spherical_camera;

/// A cloud, a camera, and what is asked.
template <class Coord, class Camera>
struct screen_problem {
  using points_type = fps_problem<Coord>;
  using scalar = typename points_type::scalar;
  using camera = Camera;

  points_type points;
  screen_space<Camera> method;
  index_t k;
  bool wide = false;  ///< 64-bit indices

  screen_problem(xyz_cloud const& cloud, Camera const& seen_by, index_t k_, record_format format = {})
      : points{cloud, 0, format}, method{seen_by}, k{k_} {}

  index_t rows() const { return farpoint::detail::screen_row_count(points.points, method); }
  index_t most_visible() const { return farpoint::detail::most_visible(points.points, method); }
};

template <class Coord = float>
using pinhole_problem = screen_problem<Coord, pinhole_camera<farpoint::scalar_of<Coord>>>;

/// Parts of an answer. What is not written keeps the poison, whatever the backend.
template <class Scalar>
struct screen_answer {
  farpoint::result outcome;
  std::vector<index_t> indices;
  std::vector<Scalar> distances;
  std::vector<index_t> counts;
  std::vector<index_t> pixels;
  std::vector<index_t> visible;
  std::vector<index_t> visible_count;
  farpoint::knn_screen_report report;
};

inline constexpr unsigned char screen_poison = 0xa5;

template <class Scalar>
bool same_report(screen_answer<Scalar> const& a, screen_answer<Scalar> const& b) {
  return a.report.non_finite_points == b.report.non_finite_points && a.report.unseen_points == b.report.unseen_points &&
         a.report.hidden_points == b.report.hidden_points && a.report.visible_points == b.report.visible_points;
}

/// Equal to the last bit.
template <class Scalar>
bool same_answer(screen_answer<Scalar> const& a, screen_answer<Scalar> const& b) {
  return a.outcome.code == b.outcome.code && a.indices == b.indices && same_bits(a.distances, b.distances) &&
         a.counts == b.counts && a.pixels == b.pixels && a.visible == b.visible && a.visible_count == b.visible_count &&
         same_report(a, b);
}

/// Where two answers part, for messages.
template <class Scalar>
std::string difference(screen_answer<Scalar> const& a, screen_answer<Scalar> const& b) {
  if (a.outcome.code != b.outcome.code) return std::string{"outcome: "} + a.outcome.reason + " / " + b.outcome.reason;
  auto const first = [](char const* name, auto const& x, auto const& y) -> std::string {
    if (x.size() != y.size()) return std::string{name} + " differ in size; ";
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::memcmp(&x[i], &y[i], sizeof x[i]) == 0) continue;
      return std::string{name} + "[" + std::to_string(i) + "]: " + std::to_string(x[i]) + " / " + std::to_string(y[i]) +
             "; ";
    }
    return {};
  };
  return first("indices", a.indices, b.indices) + first("distances", a.distances, b.distances) +
         first("counts", a.counts, b.counts) + first("pixels", a.pixels, b.pixels) +
         first("visible", a.visible, b.visible) + first("visible_count", a.visible_count, b.visible_count) +
         (same_report(a, b) ? "" : "reports differ");
}

/// Host memory between two guards, poisoned as a device_array is.
template <class T>
class poisoned {
 public:
  explicit poisoned(std::size_t size) : size_{size}, memory_(size + 2 * guard) {
    std::memset(memory_.data(), screen_poison, memory_.size() * sizeof(T));
  }
  T* data() { return memory_.data() + guard; }
  std::size_t size() const { return size_; }
  std::vector<T> values() const { return {memory_.begin() + guard, memory_.end() - guard}; }
  bool intact() const { return is_poison(0, guard) && is_poison(guard + size_, guard); }
  bool untouched() const { return is_poison(0, memory_.size()); }

 private:
  static constexpr std::ptrdiff_t guard = 64;
  bool is_poison(std::size_t first, std::size_t count) const {
    auto const* const bytes = reinterpret_cast<unsigned char const*>(memory_.data() + first);
    return std::all_of(bytes, bytes + count * sizeof(T), [](unsigned char byte) { return byte == screen_poison; });
  }
  std::size_t size_;
  std::vector<T> memory_;
};

/// All parts of an output, in arrays of a backend: Array<T> has data(), size(), values(), intact(), untouched().
template <class Scalar, class Index, template <class> class Array>
struct screen_arrays {
  Array<Index> indices;
  Array<Scalar> distances;
  Array<Index> counts;
  Array<Index> pixels;
  Array<Index> visible;
  Array<Index> visible_count;

  template <class Problem>
  explicit screen_arrays(Problem const& problem)
      : indices{elements(problem)},
        distances{elements(problem)},
        counts{static_cast<std::size_t>(problem.rows())},
        pixels{static_cast<std::size_t>(problem.rows())},
        visible{static_cast<std::size_t>(problem.most_visible())},
        visible_count{1} {}

  farpoint::knn_screen_output<Scalar> output(farpoint::knn_screen_report* report) {
    farpoint::knn_screen_output<Scalar> to{span_of(indices), {distances.data(), distances.size()}};
    to.counts = span_of(counts);
    to.pixels = span_of(pixels);
    to.visible = span_of(visible);
    to.visible_count = span_of(visible_count);
    to.report = report;
    return to;
  }

  template <class Function>
  void for_each(Function const& function) {
    function(indices), function(distances), function(counts), function(pixels), function(visible);
    function(visible_count);
  }

  screen_answer<Scalar> answer(farpoint::result outcome, farpoint::knn_screen_report const& report) const {
    auto const all = [&](auto const& check) {
      return check(indices) && check(distances) && check(counts) && check(pixels) && check(visible) &&
             check(visible_count);
    };
    bool const kept = outcome ? all([](auto const& array) { return array.intact(); })
                              : all([](auto const& array) { return array.untouched(); });
    if (!kept) outcome = {farpoint::status::bad_argument, -1, "test: memory was written that must not be"};
    return {outcome,
            widen(indices.values()),
            distances.values(),
            widen(counts.values()),
            widen(pixels.values()),
            widen(visible.values()),
            widen(visible_count.values()),
            outcome ? report : farpoint::knn_screen_report{}};
  }

 private:
  template <class Problem>
  static std::size_t elements(Problem const& problem) {
    return static_cast<std::size_t>(problem.rows() * std::clamp<index_t>(problem.k, 0, 2000));
  }
  static farpoint::span<Index> span_of(Array<Index>& array) { return {array.data(), array.size()}; }
};

/// Runs `call(output)` on host memory with guards, and collects the answer.
template <class Problem, class Call>
auto collect_screen(Problem const& problem, Call const& call) {
  return with_index_type(problem, [&](auto index) {
    screen_arrays<typename Problem::scalar, decltype(index), poisoned> arrays{problem};
    farpoint::knn_screen_report report;
    farpoint::result const outcome = call(arrays.output(&report));
    return arrays.answer(outcome, report);
  });
}

/// What a z-buffer and brute force say.
template <class Problem>
auto reference_screen(Problem const& problem) {
  auto answer = collect_screen(problem, [&](auto const& output) {
    return farpoint::reference::knn(clouds_in_place(problem.points), problem.method, problem.k, output);
  });
  return answer;
}

/// Looks along z at the cube [0, 1)^3 from 1 m in front of it; the cube's front fills most of the image.
template <class Scalar>
pinhole_camera<Scalar> camera_at_cube(int width, int height) {
  pinhole_camera<Scalar> camera;
  camera.width = width;
  camera.height = height;
  auto const size = static_cast<Scalar>(width < height ? width : height);
  camera.focal = {{size, size}};
  camera.centre = {{static_cast<Scalar>(width) / 2, static_cast<Scalar>(height) / 2}};
  camera.translation = {{Scalar(-0.5), Scalar(-0.5), 1}};
  return camera;
}

/// Sees all around from the origin.
template <class Scalar>
spherical_camera<Scalar> camera_all_around(int width, int height) {
  spherical_camera<Scalar> camera;
  camera.width = width;
  camera.height = height;
  camera.top = Scalar(1.6);
  camera.bottom = Scalar(-1.6);
  return camera;
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
