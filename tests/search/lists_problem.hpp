// Lists of neighbors as knn() and radius() fill them in plain memory.
#pragma once

#include <farpoint/types/knn.hpp>
#include <farpoint/types/radius.hpp>

#include "../fps/fps_problem.hpp"

namespace farpoint_tests {

template <class Scalar>
struct knn_answer : list_answer<Scalar> {
  unsigned long long non_finite_points = 0;
  unsigned long long non_finite_queries = 0;
  unsigned long long total = 0;
  unsigned long long rows_left_out = 0;
  unsigned long long bad_offsets = 0;
};

template <class Scalar>
void add_report(knn_answer<Scalar>& answer, farpoint::knn_report const& report) {
  answer.non_finite_points = report.non_finite_points;
  answer.non_finite_queries = report.non_finite_queries;
  answer.bad_offsets = report.bad_offsets;
}
template <class Scalar>
void add_report(knn_answer<Scalar>& answer, farpoint::radius_report const& report) {
  answer.non_finite_points = report.non_finite_points;
  answer.non_finite_queries = report.non_finite_queries;
  answer.bad_offsets = report.bad_offsets;
  answer.total = report.total;
  answer.rows_left_out = report.rows_left_out;
}

/// Runs `call(arrays, report)` on host memory with guards, and collects the answer.
template <class Report, class Problem, class Call>
auto collect_arrays(Problem const& problem, index_t elements, index_t counts, Call const& call) {
  return with_index_type(problem, [&](auto index) {
    list_arrays<typename Problem::scalar, decltype(index), host_array> const arrays{elements, counts};
    Report report;
    knn_answer<typename Problem::scalar> answer{arrays.answer(call(arrays, &report))};
    add_report(answer, report);
    return answer;
  });
}

/// Runs collect_arrays() for a call whose lists all have one length, as `call(output)`.
template <template <class> class Output, class Report, class Problem, class Call>
auto collect_lists(Problem const& problem, Call const& call) {
  using output = Output<typename Problem::scalar>;
  return collect_arrays<Report>(
      problem, problem.list_size(), problem.query_count(), [&](auto const& arrays, auto* report) {
        return call(output{arrays.index_span(), arrays.distance_span(), arrays.count_span(), report});
      });
}

}  // namespace farpoint_tests
