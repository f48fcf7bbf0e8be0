/// @file
/// Additional steps of radius_shard(): loops over independent indices, for kernels and host threads.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/scale/stream/extent_step.hpp>
#include <farpoint/scale/stream/knn_steps.hpp>
#include <farpoint/scale/stream/radius_request.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays of the first half in addition to query_choice.
struct radius_stream_memory {
  std::uint64_t* total;    ///< `[1]`: number of neighbors of this rank's queries
  radius_report* reports;  ///< `[ranks + 1]`: of all ranks, then this rank's own

  radius_stream_memory(workspace_cutter& cutter, int ranks) noexcept
      : total{cutter.take<std::uint64_t>(1)}, reports{cutter.take<radius_report>(ranks + 1)} {}
};

/// Arrays of the second half, which are counts of `m` queries if max_neighbors is 0.
template <class Scalar>
struct radius_exchange_memory : knn_exchange_memory<Scalar> {
  index_t* found_counts = nullptr;   ///< `[m]`: counts for received queries
  index_t* answer_counts = nullptr;  ///< `[m]`: counts for sent queries

  radius_exchange_memory() = default;
  radius_exchange_memory(workspace_cutter& cutter, index_t m, index_t max) noexcept
      : knn_exchange_memory<Scalar>{cutter, m, max},
        found_counts{cutter.take<index_t>(max == 0 ? m : 0)},
        answer_counts{cutter.take<index_t>(max == 0 ? m : 0)} {}
};

/// Arguments of all steps in addition to knn_stream_args.
struct radius_stream_extra {
  radius_order order;
  index_t* counts;  ///< `[queries]`
  radius_stream_memory memory;
  index_t* found_counts = nullptr;   ///< see radius_exchange_memory
  index_t* answer_counts = nullptr;  ///< see radius_exchange_memory
};

/// True if points of a rank may belong into a query's row that is full.
/// @param last      index of the last neighbor in the row
/// @param to_first  index of the rank's first point
template <class Scalar>
FARPOINT_HD bool may_displace(radius_order order, Scalar last_distance, index_t last, Scalar box_distance,
                              index_t to_first) noexcept {
  // A point at the same distance with a lower index does, hence <=.
  return order == radius_order::nearest ? box_distance <= last_distance : to_first < last;
}

/// Decides which ranks a query of radius_shard() goes to: those within the radius, unless its row is full and no point
/// of the rank can displace one.
struct radius_rule {
  radius_order order;
  index_t const* counts;  ///< `[queries]`

  template <class Args>
  FARPOINT_HD typename Args::scalar limit2(Args const& args, index_t) const noexcept {
    return args.radius2;
  }
  template <class Args>
  FARPOINT_HD bool goes(Args const& args, index_t i, int to,
                        sent_query<typename Args::scalar> const& query) const noexcept {
    auto const& rank = args.choice.boxes[to];
    if (!may_have_neighbors(rank.box, query.at, query.limit2) || !args.reach.may_own(to, query.at, query.limit2)) {
      return false;
    }
    if (args.k == 0 || counts[i] < args.k) return true;
    index_t const last = i * args.k + args.k - 1;
    return may_displace(order, args.distances[last], args.indices[last], rank.box.distance2(query.at),
                        rank.first_index);
  }
};

/// Order of a list by index.
struct lowest_first {
  template <class Scalar>
  FARPOINT_HD bool operator()(Scalar, index_t index, Scalar, index_t other_index) const noexcept {
    return index < other_index;
  }
};

/// Merges the answers of a rank. Runs for the answers. Their rows are distinct, so threads do not collide.
template <class Args>
struct radius_merge_step {
  Args args;
  radius_stream_extra extra;
  index_t begin;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    index_t const answer = begin + static_cast<index_t>(i);
    index_t const row = index_t{args.memory.sent_row[answer]};
    if (args.k == 0) {
      extra.counts[row] += extra.answer_counts[answer];
      return;
    }
    index_t const* const others = args.memory.answers + answer * args.k;
    if (others[0] < 0) return;
    if (extra.order == radius_order::nearest) {
      merge(row, answer, nearest_first{});
    } else {
      merge(row, answer, lowest_first{});
    }
    index_t count = extra.counts[row];
    for (index_t j = 0; count < args.k && j < args.k && others[j] >= 0; ++j) ++count;
    extra.counts[row] = count;
  }

 private:
  template <class Order>
  FARPOINT_HD void merge(index_t row, index_t answer, Order const& comes_first) const noexcept {
    merge_neighbors(args.indices + row * args.k, args.distances + row * args.k, args.memory.answers + answer * args.k,
                    args.memory.answer_distances + answer * args.k, args.k, comes_first);
  }
};

/// Adds up the counts of all queries. Runs for extent_strides, or for the queries if they are fewer.
template <class Args>
struct radius_total_step {
  Args args;
  radius_stream_extra extra;

  FARPOINT_HD void operator()(std::uint64_t stride) const noexcept {
    std::uint64_t sum = 0;
    for (auto i = static_cast<index_t>(stride); i < args.queries.size(); i += extent_strides) {
      sum += static_cast<std::uint64_t>(extra.counts[i]);
    }
    if (sum > 0) atomic_add(extra.memory.total, sum);
  }
};

/// Completes this rank's report, which counts non-finite queries already. Runs once.
template <class Args>
struct radius_describe_step {
  Args args;
  radius_stream_extra extra;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    radius_report& own = extra.memory.reports[args.ranks];
    own.non_finite_points = args.choice.boxes[args.ranks].report.non_finite_points;
    own.total = *extra.memory.total;
  }
};

/// Adds up the reports of all ranks. Runs once.
template <class Args>
struct radius_add_reports_step {
  Args args;
  radius_stream_extra extra;
  radius_report* total;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    radius_report sum{};
    for (int r = 0; r < args.ranks; ++r) {
      radius_report const& one = extra.memory.reports[r];
      sum.non_finite_points += one.non_finite_points;
      sum.non_finite_queries += one.non_finite_queries;
      sum.total += one.total;
    }
    *total = sum;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
