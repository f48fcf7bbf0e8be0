/// @file
/// knn_shard() along a curve for all executions: checks, workspace size and the call.
#pragma once

#include <farpoint/scale/stream/curve/knn_task.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

static_assert(curve_max_ranks == knn_stream_max_ranks, "farpoint: one limit for all steps of knn_shard()");

template <class Scalar>
std::uint64_t digest_of(along_curve const& method) noexcept {
  digest all;
  all.add(digest_of<Scalar>(method.neighbors));
  all.add(1);
  return all.word();
}

/// Bytes of workspace.
/// @param max_narrow  largest number of points of a cloud with 32-bit indices
template <class Scalar, class Exec>
std::size_t knn_curve_size(Exec exec, knn_curve_sizes const& sizes, index_t max_narrow) noexcept {
  if (sizes.cloud() <= max_narrow) {
    return knn_curve_plan<Exec, Scalar, std::int32_t>{nullptr, sizes}.size(exec, sizes);
  }
  return knn_curve_plan<Exec, Scalar, index_t>{nullptr, sizes}.size(exec, sizes);
}

/// Arguments of a call along a curve.
template <class Points, class Queries>
struct knn_curve_arguments {
  shard<Points> const& part;
  Queries const& queries;
  along_curve const& method;
  knn_shard_output<typename Points::scalar> const& output;
  /// Largest number of points of a cloud with 32-bit indices. Does not affect the result.
  index_t max_narrow = max_narrow_points;

  result check() const noexcept {
    if (result const checked = check_knn_shard(part, queries, method.neighbors, output); !checked) return checked;
    if (method.owned_points < 0 || method.owned_points > shard_max_points || method.owned_queries < 0 ||
        method.owned_queries > shard_max_points) {
      return reject("knn_shard: along_curve::owned_points or owned_queries is negative, or above 2^30");
    }
    return {};
  }
  /// Sizes for arguments that have been checked.
  knn_curve_sizes sizes(int ranks) const noexcept {
    index_t const n = part.points.size();
    bool const is_empty = n == 0 && queries.size() == 0;
    return {ranks,
            n,
            queries.size(),
            method.neighbors.k,
            method.owned_points,
            method.owned_queries,
            output.exchanged_capacity,
            is_empty || is_same_view(part.points, queries),
            method.neighbors.exclude_self};
  }
  /// Calls `visit(arrays...)` with all arrays but the workspace.
  template <class Visit>
  result visit_arrays(Visit const& visit) const noexcept {
    return visit(batch<Points>{part.points}, batch<Queries>{queries}, output.indices, output.distances, output.report);
  }
};

/// Bytes of workspace of a call; 0 if an argument is refused.
template <class Exec, class Points, class Queries>
std::size_t knn_curve_bytes(Exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                            along_curve const& method,
                            knn_shard_output<typename Points::scalar> const& output) noexcept {
  if (!rank_checks<Exec>::accepts(exec) || ranks < 1 || ranks > curve_max_ranks) return 0;
  knn_curve_arguments<Points, Queries> const asked{part, queries, method, output};
  if (!asked.check()) return 0;
  return knn_curve_size<typename Points::scalar>(exec, asked.sizes(ranks), asked.max_narrow);
}

/// Checks that every rank has room for the points that it will own, and for queries that are not points if some rank
/// has such queries. All ranks get the same decision.
/// @param points  receives the number of points of the whole cloud
inline result check_owners(knn_curve_header const* headers, int ranks, index_t& points) noexcept {
  bool is_self = true;
  points = 0;
  for (int r = 0; r < ranks; ++r) {
    points += headers[r].points;
    is_self = is_self && headers[r].is_self != 0;
  }
  for (int r = 0; r < ranks; ++r) {
    if (divide_up(points, index_t{ranks}) > headers[r].owned_points) {
      return too_small("knn_shard: a rank's owned_points are fewer than the cloud's points / ranks");
    }
    if (!is_self && headers[r].takes_queries == 0) {
      return too_small(
          "knn_shard: a rank has no owned_queries, and another one asks about points that are not its own");
    }
  }
  return {};
}

/// Makes the call.
/// @param own  result of the checks so far
template <class Exec, class Communicator, class Points, class Queries>
result knn_along_curve_on(Exec exec, Communicator& communicator, knn_curve_arguments<Points, Queries> const& asked,
                          result own, bytes workspace) noexcept {
  using scalar = typename Points::scalar;
  int const ranks = communicator.ranks();
  if (own) own = asked.check();
  knn_curve_sizes const sizes = own ? asked.sizes(ranks) : knn_curve_sizes{};
  if (own)
    own = check_workspace(workspace, knn_curve_size<scalar>(exec, sizes, asked.max_narrow),
                          FARPOINT_WORKSPACE_OF("knn_shard"));
  bool const is_empty = sizes.points == 0 && sizes.queries == 0;
  knn_curve_header const mine{{digest_of<scalar>(asked.method), own ? 0u : 1u, asked.part.first_index,
                               asked.part.points.size(), asked.output.exchanged_capacity},
                              sizes.is_self ? 1u : 0u,
                              sizes.takes_queries() || is_empty ? 1u : 0u,
                              asked.method.owned_points,
                              asked.method.owned_queries};
  shard_headers<curve_max_ranks, knn_curve_header> all;
  result const agreed = all.agree(exec, communicator, own, mine, workspace);
  if (!agreed) return or_abort(communicator, agreed);
  index_t points = 0;
  if (result const fits = check_owners(all.headers, ranks, points); !fits) return fits;
  auto const run = [&](auto index) {
    using task = knn_curve_task<Exec, Communicator, Points, Queries, decltype(index)>;
    typename task::call const call{asked.part,   asked.queries, asked.method.neighbors,
                                   asked.output, sizes,         asked.output.owned_queries};
    return or_abort(communicator, task{exec, communicator, call, workspace}.run(all.headers, all.sources));
  };
  return points <= asked.max_narrow ? run(std::int32_t{}) : run(index_t{});
}

}  // namespace detail
FARPOINT_END_NAMESPACE
