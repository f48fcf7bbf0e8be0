// A consumer of for_each_neighborhood() that writes its lists as knn() does, and what is known about its calls.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/types/neighborhood.hpp>

#include "../support/check_answer.hpp"
#include "knn_problem.hpp"

namespace farpoint_tests {

/// Writes lists to a knn_output, and counts calls.
template <class Queries, int K>
struct row_consumer {
  using scalar = typename Queries::scalar;

  farpoint::batch<Queries> queries;
  farpoint::knn_output<scalar> output;
  unsigned* calls;  ///< `[queries]`
  unsigned* wrong;  ///< number of calls with another query than the batch's, or with a list that contradicts itself
  std::uint64_t* total;  ///< sum of the indices of all neighbors

  FARPOINT_HD void operator()(farpoint::neighborhood_query<scalar> const& query,
                              farpoint::neighborhood<scalar, K> const& list) const {
    count_call(query.row);
    auto const at = queries.points()[query.row];
    bool const is_here = queries.begin_of(query.cloud) + query.index == query.row;
    if (!is_here || at[0] != query.at[0] || at[1] != query.at[1] || at[2] != query.at[2]) {
      farpoint::atomic_add(wrong, 1u);
    }
    std::uint64_t sum = 0;
    int count = 0;
    list.for_each([&](std::uint32_t index, scalar distance2) {
      sum += index;
      if (list[count].index() != index || list[count].distance2() != distance2) farpoint::atomic_add(wrong, 1u);
      ++count;
    });
    if (count != list.size() || list.empty() != (count == 0)) farpoint::atomic_add(wrong, 1u);
    farpoint::atomic_add(total, sum);
    for (int j = 0; j < K; ++j) write(query.row, j, j < count, list[j]);
    output.counts.set(query.row, count);
  }
  FARPOINT_HD void leave_empty(index_t row) const {
    count_call(row);
    for (int j = 0; j < K; ++j) write(row, j, false, {0, farpoint::no_index});
    output.counts.set(row, 0);
  }

 private:
  FARPOINT_HD void count_call(index_t row) const { farpoint::atomic_add(calls + row, 1u); }
  FARPOINT_HD void write(index_t row, int j, bool is_there, farpoint::neighbor_key<scalar> const& found) const {
    output.indices.set(row * K + j, is_there ? index_t{found.index()} : -1);
    output.distances[static_cast<std::size_t>(row * K + j)] =
        is_there ? found.distance2() : farpoint::detail::no_distance<scalar>;
  }
};

/// Lists of a call, and counts of the calls of its consumer.
template <class Scalar>
struct consumer_answer : knn_answer<Scalar> {
  std::vector<unsigned> calls;
  unsigned wrong = 0;
  std::uint64_t sum = 0;
};

template <class Scalar>
bool same_answer(consumer_answer<Scalar> const& a, consumer_answer<Scalar> const& b) {
  return same_answer(static_cast<knn_answer<Scalar> const&>(a), static_cast<knn_answer<Scalar> const&>(b)) &&
         a.calls == b.calls && a.wrong == b.wrong && a.sum == b.sum;
}
template <class Scalar>
std::string difference(consumer_answer<Scalar> const& a, consumer_answer<Scalar> const& b) {
  return difference(static_cast<knn_answer<Scalar> const&>(a), static_cast<knn_answer<Scalar> const&>(b)) +
         difference_in("calls", a.calls, b.calls) + ", wrong " + std::to_string(a.wrong) + " / " +
         std::to_string(b.wrong) + ", sums " + std::to_string(a.sum) + " / " + std::to_string(b.sum);
}

/// Number of calls of each query: one for those in a cloud, or for all if offsets are wrong.
template <class Queries>
std::vector<unsigned> expected_calls(farpoint::batch<Queries> const& queries, bool has_bad_offsets) {
  std::vector<unsigned> calls(static_cast<std::size_t>(queries.points().size()), has_bad_offsets ? 1 : 0);
  if (has_bad_offsets) return calls;
  for (index_t b = 0; b < queries.size(); ++b) {
    for (index_t i = 0; i < queries[b].size(); ++i) calls[static_cast<std::size_t>(queries.begin_of(b) + i)] = 1;
  }
  return calls;
}

/// Answer of brute force.
template <class Problem>
auto reference_consumer(Problem const& problem) {
  consumer_answer<typename Problem::scalar> answer{reference_knn(problem), {}, 0, 0};
  if (!answer.outcome) return answer;
  auto const& queries = problem.self ? problem.points : problem.queries;
  answer.calls = expected_calls(clouds_in_place(queries), answer.bad_offsets > 0);
  for (std::size_t row = 0; row < answer.calls.size(); ++row) {
    if (answer.calls[row] == 0) continue;
    auto const first = row * static_cast<std::size_t>(problem.k);
    for (std::size_t j = 0; j < static_cast<std::size_t>(answer.counts[row]); ++j) {
      answer.sum += static_cast<std::uint64_t>(answer.indices[first + j]);
    }
  }
  return answer;
}

/// Numbers of neighbors that are compiled for the tests of a type of points.
template <class Problem>
struct tested_neighborhoods {
  using list = std::integer_sequence<int, 8, 20>;
};
template <>
struct tested_neighborhoods<knn_problem<float>> {
  using list = std::integer_sequence<int, 1, 3, 8, 17, 32>;
};

/// Calls `run(K)` for the K of this type of problem that equals problem.k, as an integral_constant.
template <class Problem, class Run, int First, int... Others>
auto with_neighborhood(Problem const& problem, Run const& run, std::integer_sequence<int, First, Others...>) {
  if constexpr (sizeof...(Others) > 0) {
    if (problem.k != First) return with_neighborhood(problem, run, std::integer_sequence<int, Others...>{});
  }
  REQUIRE(problem.k == First);
  return run(std::integral_constant<int, First>{});
}
template <class Problem, class Run>
auto with_neighborhood(Problem const& problem, Run const& run) {
  return with_neighborhood(problem, run, typename tested_neighborhoods<Problem>::list{});
}

}  // namespace farpoint_tests
