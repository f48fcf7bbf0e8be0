// A problem for fps() in plain memory, and its answer, so that one test body serves every backend.
#pragma once

#include <farpoint/reference/fps.hpp>

#include <cstring>

#include "../support/clouds.hpp"
#include "../support/host_array.hpp"
#include "../support/list_arrays.hpp"
#include "../support/records.hpp"

namespace farpoint_tests {

/// Clouds in memory and the parameters of a call.
template <class Coord, int Dim = 3>
struct fps_problem {
  using coord = Coord;
  using view = farpoint::point_view<Coord, Dim>;
  using scalar = typename view::scalar;
  static constexpr auto dim = static_cast<std::size_t>(Dim);

  std::vector<unsigned char> memory;
  basic_record_format<Dim> format;
  index_t points = 0;
  index_t clouds = 1;
  std::vector<index_t> offsets;  ///< empty: a regular batch
  index_t largest = -1;          ///< upper bound on the points of a cloud of a ragged batch; -1: none

  index_t samples = 0;
  index_t first = 0;
  std::vector<index_t> firsts;
  std::vector<index_t> chosen;
  double stop_below = 0;
  bool wide = false;  ///< 64-bit indices

  fps_problem() = default;
  fps_problem(std::vector<std::array<double, dim>> const& cloud, index_t samples_,
              basic_record_format<Dim> format_ = {})
      : format{format_}, samples{samples_} {
    if (format.stride == 0) {
      format.stride = Dim * index_t{sizeof(Coord)};
      for (std::size_t axis = 0; axis < dim; ++axis) format.offsets[axis] = static_cast<int>(axis * sizeof(Coord));
    }
    points = static_cast<index_t>(cloud.size());
    memory.assign(format.shift + cloud.size() * static_cast<std::size_t>(format.stride) + 64, 0xee);
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      std::size_t const place = format.reversed ? cloud.size() - 1 - i : i;
      for (std::size_t axis = 0; axis < dim; ++axis) {
        Coord const value = to_coord<Coord>(cloud[i][axis]);
        std::memcpy(&memory[format.shift + place * static_cast<std::size_t>(format.stride) +
                            static_cast<std::size_t>(format.offsets[axis])],
                    &value, sizeof value);
      }
    }
  }

  /// Returns the clouds in a copy of the problem: `memory` at `base`, the offsets at `offset_array`.
  farpoint::batch<view> clouds_at(unsigned char const* base, index_t const* offset_array) const {
    base += format.shift;
    index_t const stride = format.reversed ? -format.stride : format.stride;
    if (format.reversed && points > 0) base += (points - 1) * format.stride;
    view const all{base, points, stride, format.offsets};
    if (offsets.empty()) return farpoint::batch<view>::regular(all, clouds);
    return farpoint::batch<view>::ragged(all, {offset_array, offsets.size()}, largest);
  }
  index_t cloud_count() const { return offsets.empty() ? clouds : static_cast<index_t>(offsets.size()) - 1; }

  farpoint::fps_params params_with(farpoint::index_view firsts_view, farpoint::index_view chosen_view) const {
    farpoint::fps_params params;
    params.samples = samples;
    params.first = first;
    params.firsts = firsts_view;
    params.chosen = chosen_view;
    params.stop_below = stop_below;
    return params;
  }
};

template <class Scalar>
struct fps_answer : list_answer<Scalar> {
  farpoint::fps_report report;
};

/// Returns true if all answers are equal bit by bit.
template <class Scalar>
bool same_answer(fps_answer<Scalar> const& a, fps_answer<Scalar> const& b) {
  return same_lists(a, b) && std::memcmp(&a.report, &b.report, sizeof a.report) == 0;
}

/// Describes the first difference between two answers.
template <class Scalar>
std::string difference(fps_answer<Scalar> const& a, fps_answer<Scalar> const& b) {
  std::string const lists = difference_in_lists(a, b);
  if (!lists.empty()) return lists;
  return std::memcmp(&a.report, &b.report, sizeof a.report) == 0 ? "equal" : "report differs";
}

/// Memory for the answer of a problem.
/// @tparam Array  host_array or device_array
template <class Problem, class Index, template <class> class Array>
struct fps_arrays : list_arrays<typename Problem::scalar, Index, Array> {
  using scalar = typename Problem::scalar;

  explicit fps_arrays(Problem const& problem)
      : list_arrays<scalar, Index, Array>{problem.cloud_count() * std::max<index_t>(problem.samples, 0),
                                          problem.cloud_count()} {}

  farpoint::fps_output<scalar> output(farpoint::fps_report* report) const {
    return {this->index_span(), this->distance_span(), this->count_span(), report};
  }
};

/// Runs `call(params, output)` on host memory with guards, and collects the answer.
template <class Problem, class Index, class Call>
auto collect_with(Problem const& problem, Call const& call) {
  fps_arrays<Problem, Index, host_array> const lists{problem};
  farpoint::fps_report report;
  farpoint::result const outcome = call(problem.params_with(problem.firsts, problem.chosen), lists.output(&report));
  return fps_answer<typename Problem::scalar>{lists.answer(outcome), report};
}

template <class Problem, class Call>
auto collect(Problem const& problem, Call const& call) {
  return with_index_type(problem, [&](auto index) { return collect_with<Problem, decltype(index)>(problem, call); });
}

/// Returns the answer of the serial loop.
template <class Problem>
auto reference_answer(Problem const& problem) {
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    return farpoint::reference::fps(problem.clouds_at(problem.memory.data(), problem.offsets.data()), params, output);
  });
}

}  // namespace farpoint_tests
