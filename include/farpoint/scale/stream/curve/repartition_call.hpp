/// @file
/// repartition() for all executions: checks, and the first half.
#pragma once

#include <farpoint/detail/search/check.hpp>
#include <farpoint/scale/stream/planned_repartition.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Capacity of a call in two halves, which has outputs of the exact size.
inline constexpr index_t in_two_halves = -1;

template <class Points>
result check_repartition(shard<Points> const& part) noexcept {
  if (result const checked = check_bvh_points(batch<Points>{part.points}); !checked) return checked;
  index_t const first = part.first_index;
  if (first < 0 || first > index_t{1} << 62) return reject("repartition: first_index is negative, or above 2^62");
  return {};
}

/// Bytes of workspace of the first half; 0 if an argument is refused.
template <class Exec, class Points>
std::size_t repartition_plan_bytes(Exec, int ranks, shard<Points> const& part) noexcept {
  if (ranks < 1 || ranks > curve_max_ranks || !check_repartition(part)) return 0;
  workspace_cutter cutter;
  curve_repartition_memory<Exec, typename Points::scalar>{cutter, ranks, part.points.size(), 0};
  return workspace_aligned(cutter.used());
}

/// Bytes of workspace of both halves; 0 if an argument is refused.
template <class Exec, class Points>
std::size_t repartition_bytes(Exec exec, int ranks, shard<Points> const& part) noexcept {
  std::size_t const first = repartition_plan_bytes(exec, ranks, part);
  if (first == 0) return 0;
  workspace_cutter cutter;
  curve_send_buffers<typename Points::scalar>{cutter, part.points.size()};
  return first + cutter.used();
}

/// Number of points that a rank can receive.
template <class Scalar>
index_t capacity_of(repartition_output<Scalar> const& output) noexcept {
  return smaller(static_cast<index_t>(output.points.size() / 3), static_cast<index_t>(output.indices.size()));
}

/// Call of one rank: the agreement of all ranks on the arguments, and the first half.
template <class Exec, class Communicator, class Points>
class repartition_call {
 public:
  using planned = planned_repartition<Exec, Communicator, Points>;
  using output_type = typename planned::output_type;

  /// @param fit  result of checking the communicator: a refused one exchanges nothing
  /// @param own  result of checking the rank's arguments so far
  repartition_call(Exec exec, Communicator& communicator, shard<Points> const& part, result const& fit,
                   result const& own, bytes workspace) noexcept
      : exec_{exec},
        communicator_{communicator},
        part_{part},
        fit_{fit},
        own_{own ? check_repartition(part) : own},
        workspace_{workspace} {}

  planned plan() noexcept {
    require(repartition_plan_bytes(exec_, communicator_.ranks(), part_), FARPOINT_WORKSPACE_OF("repartition_plan"));
    return plan_for(in_two_halves);
  }

  result run(output_type const& output) noexcept {
    int const ranks = communicator_.ranks();
    require(repartition_bytes(exec_, ranks, part_), FARPOINT_WORKSPACE_OF("repartition"));
    planned moved = plan_for(capacity_of(output));
    if (!moved.outcome()) return moved.outcome();
    return moved.run(output, workspace_.subspan(repartition_plan_bytes(exec_, ranks, part_)));
  }

 private:
  using scalar = typename Points::scalar;

  void require(std::size_t needed, char const* reason) noexcept {
    if (fit_ && own_) own_ = check_workspace(workspace_, needed, reason);
  }

  planned plan_for(index_t capacity) noexcept {
    planned moved{exec_, communicator_, part_};
    moved.outcome_ = fit_ ? or_abort(communicator_, agree(capacity)) : fit_;
    if (moved.outcome_) moved.outcome_ = or_abort(communicator_, find_owners(moved));
    return moved;
  }

  result agree(index_t capacity) noexcept {
    digest parameters;
    parameters.add(sizeof(scalar) + 300);
    parameters.add(capacity == in_two_halves);
    shard_header const mine{parameters.word(), own_ ? 0u : 1u, part_.first_index, part_.points.size(), capacity};
    result const agreed = all_.agree(exec_, communicator_, own_, mine, workspace_);
    if (!agreed) return agreed;
    for (int r = 0; r < communicator_.ranks(); ++r) points_ += all_.headers[r].points;
    if (capacity == in_two_halves) return agreed;
    index_t const most = divide_up(points_, index_t{communicator_.ranks()});
    for (int r = 0; r < communicator_.ranks(); ++r) {
      if (all_.headers[r].received_capacity < most) {
        return too_small("repartition: the outputs of a rank hold fewer points than the cloud's points / ranks");
      }
    }
    return agreed;
  }

  result find_owners(planned& moved) noexcept {
    int const ranks = communicator_.ranks();
    int const me = communicator_.rank();
    workspace_cutter cutter{workspace_.data()};
    curve_repartition_memory<Exec, scalar> const memory{cutter, ranks, part_.points.size(), 0};
    curve_counts counts;
    curve_repartition<Exec, Communicator, scalar> owners{exec_, communicator_, memory};
    result const done = owners.choose(part_.points, part_.points, true, 0, counts);
    if (!done) return done;
    curve_borders const borders = owners.borders();
    moved.owners_ = {memory.curve.frame, borders.keys, borders.count};
    moved.order_ = memory.points.order(ranks);
    moved.route_ = counts.route(0, me, all_.sources);
    moved.non_finite_ = points_;
    for (int r = 0; r < ranks; ++r) {
      moved.non_finite_ -= counts.owned(0, r);
      if (r < me) moved.first_owned_ += counts.owned(0, r);
    }
    return done;
  }

  Exec exec_;
  Communicator& communicator_;
  shard<Points> const& part_;
  result fit_;
  result own_;
  bytes workspace_;
  index_t points_ = 0;  ///< of all ranks, once they have agreed
  shard_headers<curve_max_ranks> all_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
