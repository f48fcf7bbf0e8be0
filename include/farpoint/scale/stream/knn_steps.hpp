/// @file
/// The steps of knn_shard(), each a loop over independent indices, for kernels and host threads alike.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/scale/knn_shard_task.hpp>
#include <farpoint/scale/shard_backend.hpp>
#include <farpoint/scale/voxel_map_calls.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Loops that look for the box around all points have at most so many indices.
inline constexpr index_t knn_stream_strides = 1 << 18;

/// What is found of the rank's points: words that only get smaller, and counters.
template <class Scalar>
struct knn_stream_extent {
  lane_word<Scalar> low[3];
  lane_word<Scalar> high[3];  ///< complements
};

/// The first arrays of a call of `q` queries.
template <class Exec>
struct knn_choice_memory {
  voxel_map_scan<Exec> scan;  ///< of `places`
  std::int32_t* places;       ///< `[q + 1]`: of a query among those that go to a rank

  knn_choice_memory(workspace_cutter& cutter, index_t q) noexcept
      : scan{cutter, q}, places{cutter.take<std::int32_t>(q + 1)} {}
};

/// The arrays of a call: `q` queries, of which `m` can be exchanged.
template <class Exec, class Scalar>
struct knn_stream_memory : knn_choice_memory<Exec>, knn_exchange_memory<Scalar> {
  knn_shard_box<Scalar>* boxes;       ///< `[ranks + 1]`: of all, and this rank's
  std::uint64_t* begins;              ///< `[ranks + 1]`: where queries for a rank begin
  std::uint64_t* matrix;              ///< `[ranks, ranks + 1]`: of all ranks
  knn_stream_extent<Scalar>* extent;  ///< `[1]`
  std::uint64_t* non_finite;          ///< `[1]`: points
  knn_report* report;                 ///< `[1]`: of the rank's queries

  knn_stream_memory(workspace_cutter& cutter, int ranks, index_t q, index_t m, index_t k) noexcept
      : knn_choice_memory<Exec>{cutter, q}, knn_exchange_memory<Scalar>{cutter, m, k} {
    boxes = cutter.take<knn_shard_box<Scalar>>(ranks + 1);
    begins = cutter.take<std::uint64_t>(ranks + 1);
    matrix = cutter.take<std::uint64_t>(index_t{ranks} * (ranks + 1));
    extent = cutter.take<knn_stream_extent<Scalar>>(1);
    non_finite = cutter.take<std::uint64_t>(1);
    report = cutter.take<knn_report>(1);
  }
};

/// What all steps take.
template <class Exec, class Points, class Queries>
struct knn_stream_args {
  using scalar = typename Points::scalar;

  shard<Points> part;
  Queries queries;
  index_t k;
  scalar radius2;
  index_t capacity;  ///< queries that can be sent
  int ranks;
  index_t* indices;   ///< `[queries, k]`
  scalar* distances;  ///< `[queries, k]`
  knn_stream_memory<Exec, scalar> memory;

  FARPOINT_HD vec<scalar> query(std::uint64_t i) const noexcept {
    auto const q = queries[static_cast<index_t>(i)];
    return {{q[0], q[1], q[2]}};
  }
};

/// Finds the box around the rank's points. Runs for knn_stream_strides, or for the points if they are fewer.
template <class Exec, class Points, class Queries>
struct knn_extent_step {
  knn_stream_args<Exec, Points, Queries> args;

  FARPOINT_HD void operator()(std::uint64_t stride) const noexcept {
    using scalar = typename Points::scalar;
    auto box = bounding_box<scalar>::empty();
    std::uint64_t bad = 0;
    for (auto i = static_cast<index_t>(stride); i < args.part.points.size(); i += knn_stream_strides) {
      auto const point = args.part.points[i];
      bool const finite = is_finite(point);
      bad += finite ? 0 : 1;
      if (finite) box.grow(point);
    }
    if (bad > 0) atomic_add(args.memory.non_finite, bad);
    if (!(box.low[0] <= box.high[0])) return;
    for (int axis = 0; axis < 3; ++axis) {
      lower(&args.memory.extent->low[axis], ordered_word(box.low[axis]));
      lower(&args.memory.extent->high[axis], static_cast<lane_word<scalar>>(~ordered_word(box.high[axis])));
    }
  }

 private:
  /// Most strides have nothing to add, and need not queue for the word.
  template <class Word>
  FARPOINT_HD static void lower(Word* least, Word word) noexcept {
    if (word < atomic_load(least)) atomic_min(least, word);
  }
};

/// What this rank tells the others. Runs once.
template <class Exec, class Points, class Queries>
struct knn_describe_step {
  knn_stream_args<Exec, Points, Queries> args;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    using scalar = typename Points::scalar;
    auto const& memory = args.memory;
    auto& own = memory.boxes[args.ranks];
    own.box = bounding_box<scalar>::empty();
    auto const untouched = static_cast<lane_word<scalar>>(~lane_word<scalar>{0});
    for (int axis = 0; axis < 3 && memory.extent->low[0] != untouched; ++axis) {
      own.box.low[axis] = ordered_value<scalar>(memory.extent->low[axis]);
      own.box.high[axis] = ordered_value<scalar>(static_cast<lane_word<scalar>>(~memory.extent->high[axis]));
    }
    own.report = {};
    own.report.non_finite_points = *memory.non_finite;
    own.report.non_finite_queries = memory.report->non_finite_queries;
    memory.begins[0] = 0;
  }
};

/// Adds up the reports of all ranks. Runs once.
template <class Exec, class Points, class Queries>
struct knn_add_reports_step {
  knn_stream_args<Exec, Points, Queries> args;
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
template <class Exec, class Points, class Queries>
struct knn_choose_step {
  knn_stream_args<Exec, Points, Queries> args;
  int to;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    using scalar = typename Points::scalar;
    vec<scalar> const query = args.query(i);
    index_t const last = static_cast<index_t>(i) * args.k + args.k - 1;
    // Infinite where a neighbour is missing.
    scalar const farthest = args.distances[last];
    bool const goes = is_finite(query) && may_have_neighbours(args.memory.boxes[to].box, query, args.radius2, farthest);
    args.memory.places[i] = goes ? 1 : 0;
  }
};

/// Lists them, as many as there is room for. Runs for the queries, and one more.
template <class Exec, class Points, class Queries>
struct knn_send_step {
  knn_stream_args<Exec, Points, Queries> args;
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

/// Merges the answers of a rank. Runs for them; no two are for one row.
template <class Exec, class Points, class Queries>
struct knn_merge_step {
  knn_stream_args<Exec, Points, Queries> args;
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
