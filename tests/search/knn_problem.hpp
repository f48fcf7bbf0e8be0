// Problems for knn() and radius() in plain memory, and their answers, so that one test body serves every backend.
#pragma once

#include <farpoint/reference/radius.hpp>

#include "lists_problem.hpp"

namespace farpoint_tests {

using farpoint::knn_params;

/// Clouds of points and of queries, with their memory layout and batching, and the parameters of a search.
template <class Coord, class QueryCoord = Coord>
struct knn_problem {
  using points_type = fps_problem<Coord>;
  using queries_type = fps_problem<QueryCoord>;
  using scalar = typename points_type::scalar;

  points_type points;
  queries_type queries;  ///< ignored if `self`
  bool self = true;
  farpoint::neighborhood_params limits;
  index_t k = 1;
  bool wide = false;  ///< 64-bit indices

  knn_problem(xyz_cloud const& cloud, index_t k_, record_format format = {})
      : points{cloud, 0, format}, queries{xyz_cloud{}, 0}, k{k_} {}

  /// Sets queries that are not the points.
  knn_problem& ask(xyz_cloud const& cloud, record_format format = {}) {
    queries = queries_type{cloud, 0, format};
    self = false;
    return *this;
  }
  knn_params nearest() const { return limits.with_k(k); }
  index_t query_count() const { return std::max<index_t>(self ? points.points : queries.points, 0); }
  /// Returns the number of elements of all lists. Clamps k, as calls refuse larger ones.
  index_t list_size() const { return query_count() * std::clamp<index_t>(k, 0, 2000); }
};

/// Returns true if all answers are equal bit by bit.
template <class Scalar>
bool same_answer(knn_answer<Scalar> const& a, knn_answer<Scalar> const& b) {
  return same_lists(a, b) && a.non_finite_points == b.non_finite_points &&
         a.non_finite_queries == b.non_finite_queries && a.total == b.total && a.rows_left_out == b.rows_left_out &&
         a.bad_offsets == b.bad_offsets;
}

/// Describes the differences between two answers.
template <class Scalar>
std::string difference(knn_answer<Scalar> const& a, knn_answer<Scalar> const& b) {
  auto const report = [](knn_answer<Scalar> const& answer) {
    return std::to_string(answer.non_finite_points) + " " + std::to_string(answer.non_finite_queries) + " " +
           std::to_string(answer.total) + " " + std::to_string(answer.rows_left_out) + " " +
           std::to_string(answer.bad_offsets);
  };
  return difference_in_lists(a, b) + "reports: " + report(a) + " / " + report(b);
}

template <class Clouds>
auto clouds_in_place(Clouds const& clouds) {
  return clouds.clouds_at(clouds.memory.data(), clouds.offsets.data());
}

/// Runs `call(output)` on host memory with guards, and collects the answer.
template <class Problem, class Call>
auto collect_knn(Problem const& problem, Call const& call) {
  return collect_lists<farpoint::knn_output, farpoint::knn_report>(problem, call);
}

/// Returns the answer of brute force.
template <class Problem>
auto reference_knn(Problem const& problem) {
  return collect_knn(problem, [&](auto const& output) {
    auto const points = clouds_in_place(problem.points);
    if (problem.self) return farpoint::reference::knn(points, problem.nearest(), output);
    return farpoint::reference::knn(points, clouds_in_place(problem.queries), problem.nearest(), output);
  });
}

/// Returns the answer for `k` neighbors, cut from an answer for `most`. This saves brute force, which always sorts all
/// points.
template <class Scalar>
knn_answer<Scalar> first_neighbors(knn_answer<Scalar> const& all, index_t most, index_t k) {
  auto first = all;
  auto const kept = [most, k](auto& values) {
    std::size_t to = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (static_cast<index_t>(i) % most < k) values[to++] = values[i];
    }
    values.resize(to);
  };
  kept(first.indices);
  kept(first.distances);
  for (index_t& count : first.counts) count = std::min(count, k);
  return first;
}

}  // namespace farpoint_tests
