/// @file
/// The steps of knn_shard(), each a loop over independent indices, for kernels and host threads alike.
#pragma once

#include <farpoint/scale/host/knn_task.hpp>
#include <farpoint/scale/shard_backend.hpp>
#include <farpoint/scale/stream/extent_step.hpp>
#include <farpoint/scale/voxel_map_calls.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The first arrays of a call of `q` queries.
template <class Exec>
struct knn_choice_memory {
  voxel_map_scan<Exec> scan;  ///< of `places`
  std::int32_t* places;       ///< `[q + 1]`: of a query among those that go to a rank

  knn_choice_memory(workspace_cutter& cutter, index_t q) noexcept
      : scan{cutter, q}, places{cutter.take<std::int32_t>(q + 1)} {}
};

/// The arrays of a call: `q` queries, of which `m` can be exchanged.
template <class Exec, class Scalar, class Index = index_t>
struct knn_stream_memory : knn_choice_memory<Exec>, knn_exchange_memory<Scalar, Index> {
  knn_shard_box<Scalar>* boxes;   ///< `[ranks + 1]`: of all, and this rank's
  std::uint64_t* begins;          ///< `[ranks + 1]`: where queries for a rank begin
  std::uint64_t* matrix;          ///< `[ranks, ranks + 1]`: of all ranks
  stream_extent<Scalar>* extent;  ///< `[1]`
  std::uint64_t* non_finite;      ///< `[1]`: points
  knn_report* report;             ///< `[1]`: of the rank's queries

  knn_stream_memory(workspace_cutter& cutter, int ranks, index_t q, index_t m, index_t k) noexcept
      : knn_choice_memory<Exec>{cutter, q}, knn_exchange_memory<Scalar, Index>{cutter, m, k} {
    boxes = cutter.take<knn_shard_box<Scalar>>(ranks + 1);
    begins = cutter.take<std::uint64_t>(ranks + 1);
    matrix = cutter.take<std::uint64_t>(index_t{ranks} * (ranks + 1));
    extent = cutter.take<stream_extent<Scalar>>(1);
    non_finite = cutter.take<std::uint64_t>(1);
    report = cutter.take<knn_report>(1);
  }
};

/// What is known of a rank's points where nothing but their box is.
struct knn_any_place {
  template <class Scalar>
  FARPOINT_HD bool may_own(int, vec<Scalar> const&, Scalar) const noexcept {
    return true;
  }
};

/// What all steps take.
/// @tparam Index  of a neighbour in its row
/// @tparam Reach  may_own(rank, query, squared distance): false where a rank has no points so near
template <class Exec, class Points, class Queries, class Index = index_t, class Reach = knn_any_place>
struct knn_stream_args {
  using scalar = typename Points::scalar;
  using index = Index;
  using points_type = Points;

  shard<Points> part;
  Queries queries;
  index_t k;
  scalar radius2;
  index_t capacity;  ///< queries that can be sent
  int ranks;
  Index* indices;     ///< `[queries, k]`
  scalar* distances;  ///< `[queries, k]`
  knn_stream_memory<Exec, scalar, Index> memory;
  Reach reach{};

  FARPOINT_HD vec<scalar> query(std::uint64_t i) const noexcept {
    auto const q = queries[static_cast<index_t>(i)];
    return {{q[0], q[1], q[2]}};
  }
};

/// What this rank tells the others. Runs once.
template <class Args>
struct knn_describe_step {
  Args args;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    auto const& memory = args.memory;
    auto& own = memory.boxes[args.ranks];
    own.box = memory.extent->box();
    own.report = {};
    own.report.non_finite_points = *memory.non_finite;
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

/// Marks the queries that a rank may have neighbours of. Runs for the queries.
template <class Args>
struct knn_choose_step {
  Args args;
  int to;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    using scalar = typename Args::scalar;
    vec<scalar> const query = args.query(i);
    index_t const last = static_cast<index_t>(i) * args.k + args.k - 1;
    // Infinite where a neighbour is missing.
    scalar const farthest = args.distances[last];
    bool const goes = is_finite(query) &&
                      may_have_neighbours(args.memory.boxes[to].box, query, args.radius2, farthest) &&
                      args.reach.may_own(to, query, smaller(args.radius2, farthest));
    args.memory.places[i] = goes ? 1 : 0;
  }
};

/// Lists them, as many as there is room for. Runs for the queries, and one more.
template <class Args>
struct knn_send_step {
  Args args;
  int to;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    auto const& memory = args.memory;
    std::uint64_t const place = memory.begins[to] + static_cast<std::uint64_t>(memory.places[i]);
    if (i == static_cast<std::uint64_t>(args.queries.size())) {
      memory.begins[to + 1] = place;
      return;
    }
    if (memory.places[i + 1] == memory.places[i] || place >= static_cast<std::uint64_t>(args.capacity)) return;
    memory.sent[place] = args.query(i);
    memory.sent_row[place] = static_cast<std::uint32_t>(i);
  }
};

/// The same where none goes to a rank. Runs once.
template <class Args>
struct knn_send_none_step {
  Args args;
  int to;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept { args.memory.begins[to + 1] = args.memory.begins[to]; }
};

/// Merges the answers of a rank. Runs for them; no two are for one row.
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
