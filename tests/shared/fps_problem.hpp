// A problem for fps() in plain memory, and its answer, so that one test body serves every backend.
#pragma once

#include <farpoint/reference/fps.hpp>

#include <cstring>

#include "answers.hpp"
#include "clouds.hpp"
#include "records.hpp"

namespace farpoint_tests {

/// Clouds in memory, and what is asked of them.
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
  std::vector<index_t> offsets;  ///< not empty: ragged
  index_t largest = -1;          ///< bound for a ragged batch

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

  /// The problem's clouds when `base` is where `memory` was copied to, and `offset_array` the offsets.
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
struct fps_answer {
  farpoint::result outcome;
  std::vector<index_t> indices;
  std::vector<Scalar> distances;
  std::vector<index_t> counts;
  farpoint::fps_report report;
};

/// Equal to the last bit.
template <class Scalar>
bool same_answer(fps_answer<Scalar> const& a, fps_answer<Scalar> const& b) {
  return a.outcome.code == b.outcome.code && a.indices == b.indices && a.counts == b.counts &&
         same_bits(a.distances, b.distances) && a.report.non_finite == b.report.non_finite;
}

/// Where two answers part, for messages.
template <class Scalar>
std::string difference(fps_answer<Scalar> const& a, fps_answer<Scalar> const& b) {
  if (a.outcome.code != b.outcome.code) return difference_in_outcome(a.outcome, b.outcome);
  std::string const all = difference_in("counts", a.counts, b.counts) + difference_in("indices", a.indices, b.indices) +
                          difference_in("distances", a.distances, b.distances);
  if (!all.empty()) return all;
  return a.report.non_finite == b.report.non_finite ? "equal" : "report differs";
}

/// Memory between two guards that show a write out of bounds.
template <class T>
class guarded {
 public:
  explicit guarded(std::size_t size) : size_{size}, memory_(size + 2 * guard, poison()) {}
  T* data() { return memory_.data() + guard; }
  std::size_t size() const { return size_; }
  bool intact() const {
    auto const is_poison = [](T value) { return value == poison(); };
    return std::all_of(memory_.begin(), memory_.begin() + guard, is_poison) &&
           std::all_of(memory_.end() - guard, memory_.end(), is_poison);
  }
  bool untouched() const {
    return std::all_of(memory_.begin(), memory_.end(), [](T value) { return value == poison(); });
  }
  std::vector<T> values() const { return {memory_.begin() + guard, memory_.end() - guard}; }

 private:
  static constexpr std::ptrdiff_t guard = 64;
  static constexpr T poison() { return static_cast<T>(-77777); }
  std::size_t size_;
  std::vector<T> memory_;
};

template <class Integer>
std::vector<index_t> widen(std::vector<Integer> const& values) {
  return {values.begin(), values.end()};
}

/// Runs `call(params, output)` on host memory with guards, and collects the answer.
template <class Problem, class Index, class Call>
auto collect_with(Problem const& problem, Call const& call) {
  using scalar = typename Problem::scalar;
  auto const elements = static_cast<std::size_t>(problem.cloud_count() * std::max<index_t>(problem.samples, 0));
  guarded<Index> indices{elements};
  guarded<scalar> distances{elements};
  guarded<Index> counts{static_cast<std::size_t>(problem.cloud_count())};
  fps_answer<scalar> answer;
  farpoint::fps_output<scalar> const output{indices, {distances.data(), distances.size()}, counts, &answer.report};
  answer.outcome = call(problem.params_with(problem.firsts, problem.chosen), output);
  bool const kept = answer.outcome ? indices.intact() && distances.intact() && counts.intact()
                                   : indices.untouched() && distances.untouched() && counts.untouched();
  if (!kept) answer.outcome = {farpoint::status::bad_argument, -1, "test: memory was written that must not be"};
  answer.indices = widen(indices.values());
  answer.distances = distances.values();
  answer.counts = widen(counts.values());
  return answer;
}

template <class Problem, class Call>
auto collect(Problem const& problem, Call const& call) {
  return with_index_type(problem, [&](auto index) { return collect_with<Problem, decltype(index)>(problem, call); });
}

/// What the serial loop says.
template <class Problem>
auto reference_answer(Problem const& problem) {
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    return farpoint::reference::fps(problem.clouds_at(problem.memory.data(), problem.offsets.data()), params, output);
  });
}

}  // namespace farpoint_tests
