/// @file
/// Steps of knn_shard() and radius_shard(): loops over independent indices, for kernels and host threads.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/scale/indexed_shard.hpp>
#include <farpoint/scale/stream/merge_neighbors.hpp>
#include <farpoint/scale/stream/sent_query.hpp>
#include <farpoint/spatial/point_bvh_arrays.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays with which a rank chooses the queries that go to other ranks.
template <class Scalar>
struct query_choice {
  knn_shard_box<Scalar>* boxes;  ///< `[ranks + 1]`: of all ranks, then this rank's own
  std::uint64_t* counts;         ///< `[ranks + 1]`: queries for each rank, and the number of queries for any rank
  std::uint64_t* matrix;         ///< `[ranks, ranks + 1]`: `counts` of all ranks
  std::uint64_t* places;         ///< `[ranks]`: position of the next query for each rank
  std::uint32_t* chosen;         ///< `[queries]`: rows of the queries for any rank, in any order
  knn_report* report;            ///< `[1]`: report of this rank's queries

  query_choice(workspace_cutter& cutter, int ranks, index_t queries) noexcept
      : boxes{cutter.take<knn_shard_box<Scalar>>(ranks + 1)},
        counts{cutter.take<std::uint64_t>(ranks + 1)},
        matrix{cutter.take<std::uint64_t>(index_t{ranks} * (ranks + 1))},
        places{cutter.take<std::uint64_t>(ranks)},
        chosen{cutter.take<std::uint32_t>(queries)},
        report{cutter.take<knn_report>(1)} {}
};

/// Arguments of all steps.
/// @tparam Index  type of a neighbor's index in a row
/// @tparam Reach  has `may_own(rank, query, distance2)`: false if the rank has no point within the squared distance
template <class Points, class Queries, class Index = index_t, class Reach = knn_any_place>
struct knn_stream_args {
  using scalar = typename Points::scalar;
  using index = Index;

  shard<Points> part;
  Queries queries;
  index_t k;
  scalar radius2;
  int ranks;
  int rank;
  Index* indices;     ///< `[queries, k]`
  scalar* distances;  ///< `[queries, k]`
  query_choice<scalar> choice;
  Reach reach{};
  knn_exchange_memory<scalar, Index> memory{};  ///< from the second half of the call on
  index_t const* names = nullptr;               ///< `[part.points]`, see indexed_shard; null if there are none

  FARPOINT_HD vec<scalar> query(index_t i) const noexcept {
    auto const q = queries[i];
    return {{q[0], q[1], q[2]}};
  }
};

/// Arguments of a call for a shard or an indexed_shard.
template <class Part, class Queries>
using shard_args = knn_stream_args<points_of<Part>, Queries, index_t, decltype(reach_of(std::declval<Part const&>()))>;

/// Writes this rank's entry of `boxes`, and clears the counts. Runs once.
template <class Args>
struct knn_describe_step {
  Args args;
  point_bvh_arrays<typename Args::scalar> index;  ///< BVH of the rank's points

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    auto const& choice = args.choice;
    auto const points = index[0];
    auto& own = choice.boxes[args.ranks];
    own.box = points.bounds();
    own.first_index = args.names == nullptr || args.part.points.size() == 0 ? args.part.first_index : args.names[0];
    own.report = {};
    own.report.non_finite_points = static_cast<unsigned long long>(args.part.points.size() - points.size());
    own.report.non_finite_queries = choice.report->non_finite_queries;
    for (int to = 0; to <= args.ranks; ++to) choice.counts[to] = 0;
  }
};

/// Adds up the reports of all ranks. Runs once.
template <class Args>
struct knn_add_reports_step {
  Args args;
  knn_report* total;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    knn_report sum{};
    for (int r = 0; r < args.ranks; ++r) {
      sum.non_finite_points += args.choice.boxes[r].report.non_finite_points;
      sum.non_finite_queries += args.choice.boxes[r].report.non_finite_queries;
    }
    *total = sum;
  }
};

/// Decides which ranks a query of knn_shard() goes to: those that may have points of its row.
struct knn_rule {
  /// Largest squared distance of a point of row i; infinite if the row is not full.
  template <class Args>
  FARPOINT_HD typename Args::scalar limit2(Args const& args, index_t i) const noexcept {
    return smaller(args.radius2, args.distances[i * args.k + args.k - 1]);
  }
  template <class Args>
  FARPOINT_HD bool goes(Args const& args, index_t, int to,
                        sent_query<typename Args::scalar> const& query) const noexcept {
    return may_have_neighbors(args.choice.boxes[to].box, query.at, query.limit2) &&
           args.reach.may_own(to, query.at, query.limit2);
  }
};

/// Counts the queries for each rank, and lists those for any rank. Runs for the queries.
/// @tparam Rule  see knn_rule
template <class Args, class Rule>
struct query_count_step {
  Args args;
  Rule rule;

  FARPOINT_HD void operator()(std::uint64_t row) const noexcept {
    auto const i = static_cast<index_t>(row);
    auto const at = args.query(i);
    if (!is_finite(at)) return;
    sent_query<typename Args::scalar> const query{at, rule.limit2(args, i)};
    bool goes_anywhere = false;
    for (int to = 0; to < args.ranks; ++to) {
      if (to == args.rank || !rule.goes(args, i, to, query)) continue;
      atomic_increment_any(args.choice.counts + to);
      goes_anywhere = true;
    }
    if (goes_anywhere)
      args.choice.chosen[atomic_increment(args.choice.counts + args.ranks)] = static_cast<std::uint32_t>(i);
  }
};

/// Lays out the list of queries for each rank. Runs once.
template <class Args>
struct query_places_step {
  Args args;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    std::uint64_t begin = 0;
    for (int to = 0; to < args.ranks; ++to) {
      args.choice.places[to] = begin;
      begin += in_query_groups(args.choice.counts[to]);
    }
  }
};

/// Lists the queries for each rank. Runs for the chosen queries. The order of a list depends on threads, but each query
/// carries its row.
template <class Args, class Rule>
struct query_list_step {
  Args args;
  Rule rule;

  FARPOINT_HD void operator()(std::uint64_t c) const noexcept {
    std::uint32_t const row = args.choice.chosen[c];
    index_t const i = row;
    sent_query<typename Args::scalar> const query{args.query(i), rule.limit2(args, i)};
    for (int to = 0; to < args.ranks; ++to) {
      if (to == args.rank || !rule.goes(args, i, to, query)) continue;
      std::uint64_t const place = atomic_increment_any(args.choice.places + to);
      args.memory.sent[place] = query;
      args.memory.sent_row[place] = row;
    }
  }
};

/// Merges the answers of a rank. Runs for the answers. Their rows are distinct, so threads do not collide.
template <class Args>
struct knn_merge_step {
  Args args;
  index_t begin;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    index_t const answer = begin + static_cast<index_t>(i);
    index_t const row = index_t{args.memory.sent_row[answer]} * args.k;
    merge_neighbors(args.indices + row, args.distances + row, args.memory.answers + answer * args.k,
                    args.memory.answer_distances + answer * args.k, args.k);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
