// Problems for knn() and radius() in plain memory, and their answers, so that one test body serves every backend.
#pragma once

#include <farpoint/reference/radius.hpp>

#include "fps_problem.hpp"

namespace farpoint_tests {

using farpoint::exact;

/// Clouds of points and of queries, and what is asked. `clouds` holds how a cloud lies in memory and how it is batched.
template <class Coord, class QueryCoord = Coord>
struct knn_problem {
  using points_type = fps_problem<Coord>;
  using queries_type = fps_problem<QueryCoord>;
  using scalar = typename points_type::scalar;

  points_type points;
  queries_type queries;  ///< not looked at when `self`
  bool self = true;
  exact method;
  index_t k = 1;
  bool wide = false;  ///< 64-bit indices

  knn_problem(xyz_cloud const& cloud, index_t k_, record_format format = {})
      : points{cloud, 0, format}, queries{xyz_cloud{}, 0}, k{k_} {}

  /// Asks from other places.
  knn_problem& ask(xyz_cloud const& cloud, record_format format = {}) {
    queries = queries_type{cloud, 0, format};
    self = false;
    return *this;
  }
  index_t query_count() const { return std::max<index_t>(self ? points.points : queries.points, 0); }
};

template <class Scalar>
struct knn_answer {
  farpoint::result outcome;
  std::vector<index_t> indices;
  std::vector<Scalar> distances;
  std::vector<index_t> counts;
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

/// Equal to the last bit.
template <class Scalar>
bool same_answer(knn_answer<Scalar> const& a, knn_answer<Scalar> const& b) {
  return a.outcome.code == b.outcome.code && a.indices == b.indices && same_bits(a.distances, b.distances) &&
         a.counts == b.counts && a.non_finite_points == b.non_finite_points &&
         a.non_finite_queries == b.non_finite_queries && a.total == b.total && a.rows_left_out == b.rows_left_out;
}

/// Where two answers part, for messages.
template <class Scalar>
std::string difference(knn_answer<Scalar> const& a, knn_answer<Scalar> const& b) {
  if (a.outcome.code != b.outcome.code) return difference_in_outcome(a.outcome, b.outcome);
  return difference_in("indices", a.indices, b.indices) + difference_in("distances", a.distances, b.distances) +
         difference_in("counts", a.counts, b.counts) + "reports: " + std::to_string(a.non_finite_points) + " " +
         std::to_string(a.non_finite_queries) + " " + std::to_string(a.total) + " " + std::to_string(a.rows_left_out) +
         " / " + std::to_string(b.non_finite_points) + " " + std::to_string(b.non_finite_queries) + " " +
         std::to_string(b.total) + " " + std::to_string(b.rows_left_out);
}

/// Host arrays with guards for an answer of `elements` elements and `counts` counts.
template <class Scalar, class Index>
struct guarded_lists {
  guarded<Index> indices;
  guarded<Scalar> distances;
  guarded<Index> counts;

  guarded_lists(index_t elements, index_t count)
      : indices{static_cast<std::size_t>(elements)},
        distances{static_cast<std::size_t>(elements)},
        counts{static_cast<std::size_t>(count)} {}

  farpoint::span<Scalar> distance_span() { return {distances.data(), distances.size()}; }

  knn_answer<Scalar> answer(farpoint::result outcome) const {
    bool const kept = outcome ? indices.intact() && distances.intact() && counts.intact()
                              : indices.untouched() && distances.untouched() && counts.untouched();
    if (!kept) outcome = {farpoint::status::bad_argument, -1, "test: memory was written that must not be"};
    return {outcome, widen(indices.values()), distances.values(), widen(counts.values())};
  }
};

template <class Clouds>
auto clouds_in_place(Clouds const& clouds) {
  return clouds.clouds_at(clouds.memory.data(), clouds.offsets.data());
}

/// Runs `call(lists, report)`, and collects the answer.
template <class Scalar, class Index, class Report, class Call>
auto collect_lists(index_t elements, index_t counts, Call const& call) {
  guarded_lists<Scalar, Index> lists{elements, counts};
  Report report;
  auto answer = lists.answer(call(lists, &report));
  add_report(answer, report);
  return answer;
}

/// Elements of a problem's lists; some, where it has a k that is refused.
template <class Problem>
index_t elements_of(Problem const& problem) {
  return problem.query_count() * std::clamp<index_t>(problem.k, 0, 2000);
}

/// Runs `call(output)` on host memory with guards, and collects the answer.
template <class Problem, class Call>
auto collect_knn(Problem const& problem, Call const& call) {
  using scalar = typename Problem::scalar;
  return with_index_type(problem, [&](auto index) {
    return collect_lists<scalar, decltype(index), farpoint::knn_report>(
        elements_of(problem), problem.query_count(), [&](auto& lists, auto* report) {
          return call(farpoint::knn_output<scalar>{lists.indices, lists.distance_span(), lists.counts, report});
        });
  });
}

/// What brute force says.
template <class Problem>
auto reference_knn(Problem const& problem) {
  return collect_knn(problem, [&](auto const& output) {
    auto const points = clouds_in_place(problem.points);
    if (problem.self) return farpoint::reference::knn(points, problem.method, problem.k, output);
    return farpoint::reference::knn(points, clouds_in_place(problem.queries), problem.method, problem.k, output);
  });
}

}  // namespace farpoint_tests
