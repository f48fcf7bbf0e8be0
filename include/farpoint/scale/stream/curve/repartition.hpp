/// @file
/// Owners of points and queries along the curve, and the numbers that go from rank to rank.
#pragma once

#include <farpoint/scale/stream/curve/send_to_owners.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays with which a rank finds owners.
template <class Exec, class Scalar>
struct curve_repartition_memory {
  curve_memory<Scalar> curve;
  curve_by_owner<Exec> points;
  curve_by_owner<Exec> queries;
  std::uint32_t* begins;  ///< `[2, ranks + 2]`: first item of each owner, for points and queries
  std::uint32_t* matrix;  ///< `[ranks, 2, ranks + 2]`: `begins` of all ranks

  /// @param point_count  number of the rank's points
  /// @param query_count  number of queries that move on their own; 0 if queries are points
  curve_repartition_memory(workspace_cutter& cutter, int ranks, index_t point_count, index_t query_count) noexcept
      : curve{cutter, ranks, point_count},
        points{cutter, point_count},
        queries{cutter, query_count},
        begins{cutter.take<std::uint32_t>(2 * index_t{ranks + 2})},
        matrix{cutter.take<std::uint32_t>(2 * index_t{ranks} * (ranks + 2))} {}
};

/// Numbers of items that go from rank to rank: kind 0 are points, kind 1 are queries that move on their own.
struct curve_counts {
  int ranks;
  int kinds;
  std::uint32_t begins[std::size_t{curve_max_ranks} * 2 * (curve_max_ranks + 2)];  ///< `[ranks, kinds, ranks + 2]`

  std::size_t row_bytes() const noexcept { return static_cast<std::size_t>(kinds * (ranks + 2)) * sizeof *begins; }

  std::size_t count(int kind, int from, int to) const noexcept {
    std::uint32_t const* const begin = begins + index_t{from * kinds + kind} * (ranks + 2) + to;
    return begin[1] - begin[0];
  }
  /// Number of items that a rank will own.
  index_t owned(int kind, int to) const noexcept {
    std::size_t sum = 0;
    for (int from = 0; from < ranks; ++from) sum += count(kind, from, to);
    return static_cast<index_t>(sum);
  }
  /// @param sources  `[ranks]`: order of the ranks in the receive buffer
  curve_route route(int kind, int me, int const* sources) const noexcept {
    return {me, ranks, sources, [this, kind](int from, int to) { return count(kind, from, to); }};
  }
};

/// Finds the owners of a rank's items.
template <class Exec, class Communicator, class Scalar>
class curve_repartition {
 public:
  using backend = shard_backend<Exec>;
  using memory_type = curve_repartition_memory<Exec, Scalar>;

  curve_repartition(Exec exec, Communicator& communicator, memory_type const& memory) noexcept
      : exec_{exec},
        communicator_{communicator},
        memory_{memory},
        split_{exec, communicator, memory.curve},
        mover_{exec, communicator} {}

  /// The borders between owners, once they have been found.
  curve_borders borders() const noexcept { return split_.borders(); }
  curve_mover<Exec, Communicator> const& mover() const noexcept { return mover_; }

  /// Sorts the points by owner, and gathers the numbers of all ranks: one wait of the host.
  /// @param queries      queries of the rank; they are sorted, too, if they move on their own
  /// @param are_points   the queries of all ranks are their points
  /// @param excluded     see curve_query_owner_step
  template <class Points, class Queries>
  result choose(Points const& points, Queries const& queries, bool are_points, index_t excluded,
                curve_counts& counts) noexcept {
    result done = split_.run(points, queries, !are_points);
    if (done) done = sort_points(points.size());
    if (done && !are_points) done = sort_queries(queries, excluded);
    if (!done) return done;
    counts.ranks = communicator_.ranks();
    counts.kinds = are_points ? 1 : 2;
    std::size_t const size = counts.row_bytes();
    done = communicator_.all_gather(memory_.begins, memory_.matrix, size);
    if (!done) return done;
    return backend::read(exec_, communicator_, counts.begins, memory_.matrix,
                         static_cast<std::size_t>(counts.ranks) * size);
  }

 private:
  result sort_points(index_t count) const noexcept {
    auto const& points = memory_.points;
    curve_point_owner_step const step{memory_.curve.keys, borders(), points.owners[0], points.items[0]};
    result const done = for_each_index(exec_, count, step, 4);
    return done ? mover_.sort(points, count, memory_.begins) : done;
  }
  template <class Queries>
  result sort_queries(Queries const& asked, index_t excluded) const noexcept {
    auto const& queries = memory_.queries;
    curve_query_owner_step<Queries> const step{asked,     memory_.curve.frame, memory_.curve.keys, excluded,
                                               borders(), queries.owners[0],   queries.items[0]};
    result const done = for_each_index(exec_, asked.size(), step, 3 * curve_axis_bits);
    return done ? mover_.sort(queries, asked.size(), memory_.begins + communicator_.ranks() + 2) : done;
  }

  Exec exec_;
  Communicator& communicator_;
  memory_type memory_;
  curve_split<Exec, Communicator, Scalar> split_;
  curve_mover<Exec, Communicator> mover_;
};

/// Send buffers of points with their indices.
template <class Scalar>
struct curve_send_buffers {
  vec<Scalar>* points;  ///< `[count]`
  index_t* indices;     ///< `[count]`

  curve_send_buffers(workspace_cutter& cutter, index_t count) noexcept
      : points{cutter.take<vec<Scalar>>(count)}, indices{cutter.take<index_t>(count)} {}
};

/// Copies features of points in the order of the points' owners. Runs for all values of some points.
template <class Value>
struct curve_take_step {
  Value const* from;  ///< `[points, channels]`
  std::uint32_t const* order;
  index_t channels;
  Value* to;

  template <class Number>
  FARPOINT_HD void operator()(Number e) const noexcept {
    auto const width = static_cast<Number>(channels);
    Number const item = e / width;
    to[e] = from[index_t{order[item]} * channels + static_cast<index_t>(e - item * width)];
  }
};

/// Writes features that owners have sent back to the rows of their points. Runs for all values of some points.
template <class Value>
struct curve_give_step {
  Value const* from;
  std::uint32_t const* order;
  index_t channels;
  Value* to;  ///< `[points, channels]`

  template <class Number>
  FARPOINT_HD void operator()(Number e) const noexcept {
    auto const width = static_cast<Number>(channels);
    Number const item = e / width;
    to[index_t{order[item]} * channels + static_cast<index_t>(e - item * width)] = from[e];
  }
};

/// See repartition_call.hpp.
template <class Exec, class Communicator, class Points>
class repartition_call;

}  // namespace detail
FARPOINT_END_NAMESPACE
