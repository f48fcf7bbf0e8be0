/// @file
/// Steps of knn_shard(): loops over independent indices, for kernels and host threads.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/scale/host/knn_task.hpp>
#include <farpoint/scale/shard_backend.hpp>
#include <farpoint/spatial/point_bvh_arrays.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays of a call that can exchange up to `m` queries.
template <class Scalar, class Index = index_t>
struct knn_stream_memory : knn_exchange_memory<Scalar, Index> {
  knn_shard_box<Scalar>* boxes;  ///< `[ranks + 1]`: of all ranks, then this rank's own
  std::uint64_t* begins;         ///< `[ranks + 1]`: first query for each rank
  std::uint64_t* matrix;         ///< `[ranks, ranks + 1]`: `begins` of all ranks
  knn_report* report;            ///< `[1]`: report of this rank's queries

  knn_stream_memory(workspace_cutter& cutter, int ranks, index_t m, index_t k) noexcept
      : knn_exchange_memory<Scalar, Index>{cutter, m, k},
        boxes{cutter.take<knn_shard_box<Scalar>>(ranks + 1)},
        begins{cutter.take<std::uint64_t>(ranks + 1)},
        matrix{cutter.take<std::uint64_t>(index_t{ranks} * (ranks + 1))},
        report{cutter.take<knn_report>(1)} {}
};

/// Reach of ranks whose points are known only by their bounding box.
struct knn_any_place {
  template <class Scalar>
  FARPOINT_HD bool may_own(int, vec<Scalar> const&, Scalar) const noexcept {
    return true;
  }
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
  index_t capacity;  ///< number of queries that can be sent
  int ranks;
  Index* indices;     ///< `[queries, k]`
  scalar* distances;  ///< `[queries, k]`
  knn_stream_memory<scalar, Index> memory;
  Reach reach{};

  FARPOINT_HD vec<scalar> query(std::uint64_t i) const noexcept {
    auto const q = queries[static_cast<index_t>(i)];
    return {{q[0], q[1], q[2]}};
  }
};

/// Writes this rank's entry of `boxes`. Runs once.
template <class Args>
struct knn_describe_step {
  Args args;
  point_bvh_arrays<typename Args::scalar> index;  ///< BVH of the rank's points

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    auto const& memory = args.memory;
    auto const points = index[0];
    auto& own = memory.boxes[args.ranks];
    own.box = points.bounds();
    own.report = {};
    own.report.non_finite_points = static_cast<unsigned long long>(args.part.points.size() - points.size());
    own.report.non_finite_queries = memory.report->non_finite_queries;
    memory.begins[0] = 0;
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
      sum.non_finite_points += args.memory.boxes[r].report.non_finite_points;
      sum.non_finite_queries += args.memory.boxes[r].report.non_finite_queries;
    }
    *total = sum;
  }
};

/// Begins the list of queries for a rank. Runs once.
template <class Args>
struct knn_begin_step {
  Args args;
  int to;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept { args.memory.begins[to + 1] = args.memory.begins[to]; }
};

/// Lists a query if there is room. The order of the list depends on threads, but each query carries its row.
template <class Args>
FARPOINT_HD void send_query(Args const& args, int to, std::uint64_t i,
                            sent_query<typename Args::scalar> const& query) noexcept {
  auto const& memory = args.memory;
  std::uint64_t const place = atomic_increment(memory.begins + to + 1);
  if (place >= static_cast<std::uint64_t>(args.capacity)) return;
  memory.sent[place] = query;
  memory.sent_row[place] = static_cast<std::uint32_t>(i);
}

/// Lists the queries that a rank may have neighbors of. Runs for the queries.
template <class Args>
struct knn_choose_step {
  Args args;
  int to;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    using scalar = typename Args::scalar;
    vec<scalar> const query = args.query(i);
    index_t const last = static_cast<index_t>(i) * args.k + args.k - 1;
    // Infinite if the row is not full.
    scalar const limit2 = smaller(args.radius2, args.distances[last]);
    bool const goes = is_finite(query) && may_have_neighbours(args.memory.boxes[to].box, query, limit2) &&
                      args.reach.may_own(to, query, limit2);
    if (goes) send_query(args, to, i, {query, limit2});
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
    merge_neighbours(args.indices + row, args.distances + row, args.memory.answers + answer * args.k,
                     args.memory.answer_distances + answer * args.k, args.k);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
