// Lists of neighbours as knn() and radius() fill them in plain memory.
#pragma once

#include <farpoint/types/knn.hpp>
#include <farpoint/types/radius.hpp>

#include "answers.hpp"
#include "fps_problem.hpp"
#include "host_array.hpp"

namespace farpoint_tests {

template <class Scalar>
struct knn_answer {
  farpoint::result outcome;
  std::vector<index_t> indices;
  std::vector<Scalar> distances;
  std::vector<index_t> counts;  ///< or offsets
  unsigned long long non_finite_points = 0;
  unsigned long long non_finite_queries = 0;
  unsigned long long total = 0;
  unsigned long long rows_left_out = 0;
};

template <class Scalar>
void add_report(knn_answer<Scalar>& answer, farpoint::knn_report const& report) {
  answer.non_finite_points = report.non_finite_points;
  answer.non_finite_queries = report.non_finite_queries;
}
template <class Scalar>
void add_report(knn_answer<Scalar>& answer, farpoint::radius_report const& report) {
  answer.non_finite_points = report.non_finite_points;
  answer.non_finite_queries = report.non_finite_queries;
  answer.total = report.total;
  answer.rows_left_out = report.rows_left_out;
}

/// Memory for an answer, with guards.
/// @tparam Array  host_array or device_array
template <class Scalar, class Index, template <class> class Array>
struct list_arrays {
  Array<Index> indices;
  Array<Scalar> distances;
  Array<Index> counts;

  /// @param elements  of the lists
  /// @param count     of the counts or offsets
  list_arrays(index_t elements, index_t count)
      : indices{static_cast<std::size_t>(elements)},
        distances{static_cast<std::size_t>(elements)},
        counts{static_cast<std::size_t>(count)} {}

  farpoint::span<Scalar> distance_span() const { return {distances.data(), distances.size()}; }

  /// Without the report.
  knn_answer<Scalar> answer(farpoint::result outcome) const {
    bool const kept = outcome ? indices.intact() && distances.intact() && counts.intact()
                              : indices.untouched() && distances.untouched() && counts.untouched();
    if (!kept) outcome = {farpoint::status::bad_argument, -1, "test: memory was written that must not be"};
    return {outcome, widen(indices.download()), distances.download(), widen(counts.download())};
  }
};

/// Runs `call(lists, report)` on memory for an answer, and collects it.
template <class Report, class Problem, class Call>
auto collect_lists(Problem const& problem, index_t elements, index_t counts, Call const& call) {
  return with_index_type(problem, [&](auto index) {
    list_arrays<typename Problem::scalar, decltype(index), host_array> const lists{elements, counts};
    Report report;
    auto answer = lists.answer(call(lists, &report));
    add_report(answer, report);
    return answer;
  });
}

}  // namespace farpoint_tests
