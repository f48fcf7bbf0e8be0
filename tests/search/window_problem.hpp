// point_window_slide() on the arrays of a call_memory, so that one body runs on both backends, and a model of a window
// in vectors as its oracle.
#pragma once

#include <farpoint/search/point_window.hpp>

#include <algorithm>
#include <cmath>
#include <deque>

#include "../support/call_memory.hpp"
#include "../support/clouds.hpp"
#include "../support/garbage_offsets.hpp"

namespace farpoint_tests {

using farpoint::index_t;

/// One slide: a scan, a box and what the box is relative to.
template <class Coord>
struct slide_step {
  using scalar = farpoint::scalar_of<Coord>;

  std::vector<Coord> scan;  ///< records of four numbers: three coordinates and one other
  std::vector<index_t> offsets;
  farpoint::bounding_box<scalar> box;
  std::vector<scalar> origin;

  index_t size() const { return static_cast<index_t>(scan.size() / 4); }
};

/// Several slides of one window in one run, then the nearest points of some queries by the last BVH.
template <class Coord>
struct window_problem {
  using scalar = farpoint::scalar_of<Coord>;
  using view = farpoint::point_view<Coord>;
  static constexpr index_t k = 3;

  std::size_t capacity = 0;
  std::vector<slide_step<Coord>> steps;
  std::vector<scalar> queries;  ///< `[queries, 3]`

  template <class Exec, class Memory>
  farpoint::result run(Exec exec, Memory& memory) const {
    // The window's parts are outputs, which are compared, but for the BVH.
    farpoint::point_window<scalar> window;
    window.points = memory.template output<scalar>(3 * capacity);
    window.offsets = memory.template output<index_t>(2);
    window.index = memory.scratch(point_bvh_bytes(exec, window.clouds()));
    farpoint::result outcome = point_window_clear(exec, window);
    farpoint::index_t const count = static_cast<index_t>(queries.size() / 3);
    index_of<Exec> index;
    for (auto const& step : steps) {
      view const all{memory.input(step.scan).data(), step.size(), 4 * sizeof(Coord)};
      auto const offsets = memory.input(step.offsets);
      auto const scan = offsets.empty() ? farpoint::batch<view>{all} : farpoint::batch<view>::ragged(all, offsets);
      farpoint::slide_params<scalar> params;
      params.box = step.box;
      params.origin = memory.input(step.origin);
      farpoint::slide_output output;
      output.sources = memory.template output<std::int64_t>(capacity);
      output.report = memory.template output<farpoint::slide_report>(1).data();
      auto const workspace = memory.scratch(point_window_slide_workspace_bytes(exec, window, scan));
      if (outcome) outcome = point_window_slide(exec, window, scan, params, output, workspace, index);
    }
    auto const asked = memory.input(queries);
    farpoint::knn_output<scalar> nearest{memory.template output<std::int32_t>(k * queries.size() / 3)};
    nearest.distances = memory.template output<scalar>(k * queries.size() / 3);
    if (!outcome) return outcome;
    farpoint::batch const cloud{farpoint::point_view<scalar>{asked.data(), count}};
    return knn(exec, index, cloud, farpoint::knn_params{k}, nearest);
  }

  std::vector<std::vector<unsigned char>> expected() const {
    call_memory<host_space> memory;
    auto const points = memory.output<scalar>(3 * capacity);
    auto const offsets = memory.output<index_t>(2);
    std::deque<point> window;
    for (auto const& step : steps) {
      auto const sources = memory.output<std::int64_t>(capacity);
      slide(step, window, *memory.output<farpoint::slide_report>(1).data());
      for (std::size_t i = 0; i < window.size(); ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) points[3 * i + axis] = window[i].at[axis];
        sources[i] = window[i].source;
        window[i].source = static_cast<std::int64_t>(i);
      }
    }
    offsets[0] = 0;
    offsets[1] = static_cast<index_t>(window.size());
    auto const indices = memory.output<std::int32_t>(k * queries.size() / 3);
    auto const distances = memory.output<scalar>(k * queries.size() / 3);
    for (std::size_t q = 0; q < queries.size() / 3; ++q) {
      std::vector<std::pair<scalar, std::int32_t>> all;
      for (std::size_t i = 0; i < window.size(); ++i) {
        scalar sum = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          scalar const d = window[i].at[axis] - queries[3 * q + axis];
          sum = std::fma(d, d, sum);
        }
        all.push_back({sum, static_cast<std::int32_t>(i)});
      }
      std::sort(all.begin(), all.end());
      for (std::size_t j = 0; j < std::size_t{k}; ++j) {
        indices[k * q + j] = j < all.size() ? all[j].second : -1;
        distances[k * q + j] = j < all.size() ? all[j].first : std::numeric_limits<scalar>::infinity();
      }
    }
    return memory.outputs();
  }

 private:
  struct point {
    std::array<scalar, 3> at;
    std::int64_t source;
  };
  template <class Exec>
  struct index_type {
    using type = farpoint::point_bvh<scalar>;
  };
#if defined(__CUDACC__)
  template <class None>
  struct index_on_stream {
    using type = farpoint::device_point_bvh<scalar>;
  };
  template <class Exec>
  using index_of = typename std::conditional_t<std::is_same_v<Exec, farpoint::host_exec>, index_type<Exec>,
                                               index_on_stream<Exec>>::type;
#else
  template <class Exec>
  using index_of = typename index_type<Exec>::type;
#endif

  static bool is_inside(slide_step<Coord> const& step, std::array<scalar, 3> const& p) {
    bool inside = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const origin = step.origin.empty() ? 0 : double(step.origin[axis]);
      if (!std::isfinite(origin)) return true;
      double const position = double(p[axis]) - origin;
      auto const a = static_cast<int>(axis);
      inside = inside && position >= double(step.box.low[a]) && position < double(step.box.high[a]);
    }
    return inside;
  }

  void slide(slide_step<Coord> const& step, std::deque<point>& window, farpoint::slide_report& report) const {
    report = {};
    std::deque<point> next;
    for (point const& p : window) {
      bool const stays = is_inside(step, p.at);
      ++(stays ? report.kept : report.erased);
      if (stays) next.push_back(p);
    }
    auto const& offsets = step.offsets;
    for (std::size_t b = 0; b < offsets.size(); ++b) {
      bool const descends = b > 0 && offsets[b] < offsets[b - 1];
      report.bad_offsets += descends || offsets[b] < 0 || offsets[b] > step.size() ? 1u : 0u;
    }
    index_t const begin = report.bad_offsets > 0 || offsets.empty() ? 0 : offsets[0];
    index_t const end = report.bad_offsets > 0 ? 0 : offsets.empty() ? step.size() : offsets[1];
    for (index_t i = begin; i < end; ++i) {
      auto const at = static_cast<std::size_t>(4 * i);
      std::array<scalar, 3> const p{static_cast<scalar>(step.scan[at]), static_cast<scalar>(step.scan[at + 1]),
                                    static_cast<scalar>(step.scan[at + 2])};
      if (!(std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]))) {
        ++report.non_finite;
      } else if (!is_inside(step, p)) {
        ++report.outside;
      } else {
        ++report.appended;
        next.push_back({p, static_cast<std::int64_t>(capacity) + i - begin});
      }
    }
    for (; next.size() > capacity; ++report.dropped) next.pop_front();
    window = next;
  }
};

/// Scans of one shape along a path, with boxes that follow it, in windows with and without room for all.
template <class Coord>
window_problem<Coord> random_window(std::uint64_t seed, shape which, std::size_t points) {
  using scalar = farpoint::scalar_of<Coord>;
  random_source random{seed};
  window_problem<Coord> problem;
  problem.capacity = random.below(3) == 0 ? points : 3 * points + 5;
  for (std::uint64_t step = 0; step < 5; ++step) {
    slide_step<Coord> next;
    auto const shift = 0.3 * static_cast<double>(step);
    for (auto const& p : make_cloud(which, points, 10 * seed + step)) {
      for (double const x : {p[0] + shift, p[1], p[2], std::nan("")}) next.scan.push_back(static_cast<Coord>(x));
    }
    auto const half = static_cast<scalar>(0.5 + 0.5 * double(random.uniform()));
    constexpr scalar infinity = std::numeric_limits<scalar>::infinity();
    next.box = {{{-half, -infinity, -half}}, {{half, infinity, scalar(1.5)}}};
    next.origin = {static_cast<scalar>(shift + 0.5), 0, scalar(0.25)};
    if (step == 1) next.origin.clear();
    if (step == 3 && random.below(2) == 0) next.origin[1] = std::numeric_limits<scalar>::quiet_NaN();
    auto const count = static_cast<index_t>(points);
    if (random.below(3) == 0) next.offsets = {random.below(count + 1) / 2, count};
    if (step == 2 && random.below(2) == 0) next.offsets = garbage_offsets(random, count, 1);
    problem.steps.push_back(next);
  }
  for (int q = 0; q < 3 * 40; ++q) problem.queries.push_back(static_cast<scalar>(2 * random.uniform()));
  return problem;
}

/// Calls `check(problem)` for windows of all shapes and sizes.
template <class Check>
void for_windows(Check const& check) {
  std::uint64_t seed = 0;
  for (shape const which : {shape::cube, shape::lattice, shape::non_finite, shape::all_equal}) {
    for (std::size_t const points : {0u, 1u, 33u, 700u, 5000u}) {
      check(random_window<float>(++seed, which, points));
      check(random_window<double>(++seed, which, points));
    }
  }
}

}  // namespace farpoint_tests
