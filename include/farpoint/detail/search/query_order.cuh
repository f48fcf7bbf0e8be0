/// @file
/// Sorts queries that are not the points, so that queries that are close in space are answered one after another.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/detail/bvh/plan.cuh>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/detail/search/queries.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Bytes of a BVH of queries; 0 if there are no clouds, or more queries or clouds than a BVH can have.
template <class Selector, class Queries>
std::size_t query_bvh_bytes(batch<Queries> const& queries) noexcept {
  index_t const rows = queries.points().size();
  if (rows > max_bvh_points || queries.size() > max_bvh_clouds_on_stream || queries.size() == 0) return 0;
  workspace_cutter cutter;
  static_cast<void>(bvh_plan<Selector, Queries>{queries}.cut(cutter));
  return cutter.used();
}

/// Bytes that suffice to sort any batch of queries within the limits, which have been checked.
/// @tparam Points  type of view of the queries
template <class Selector, class Points>
std::size_t query_order_bound(search_limits const& limits) noexcept {
  if (limits.queries == 0) return 0;
  // query_order_bytes() skips the BVH of few queries among many points. The limits also permit few points, so the
  // memory is needed whatever limits.points is.
  return query_bvh_bytes<Selector>(largest_batch<Points>({smaller(limits.queries, max_bvh_points), limits.clouds}));
}

/// Bytes of a BVH of the queries, if its build saves more time than it takes: for at least
/// Selector::warp_per_query_below queries that are more than 1 / Selector::own_order_share of the points. Otherwise 0.
/// @param points  number of points that are searched
/// @param self    true if the queries are the points, whose BVH gives their order
template <class Selector, class Queries>
std::size_t query_order_bytes(batch<Queries> const& queries, index_t points, bool self) noexcept {
  index_t const rows = queries.points().size();
  bool const is_worth_it = rows >= Selector::warp_per_query_below && rows > points / Selector::own_order_share;
  return !self && is_worth_it ? query_bvh_bytes<Selector>(queries) : 0;
}

/// Enqueues the build of a BVH of the queries, if there is memory for it, and makes `queries` follow its leaves.
/// @param exec  the launcher's stream, and the limit of multiprocessors of a build
template <class Selector, class Queries>
FARPOINT_HIDDEN void order_queries(cuda_exec exec, kernel_launcher& launcher, search_queries<Queries>& queries,
                                   bytes memory) noexcept {
  if (memory.empty() || queries.threads() == 0) return;
  bvh_plan<Selector, Queries> const plan{queries.all()};
  workspace_cutter cutter{memory.data()};
  auto const args = plan.cut(cutter);
  launcher.then([&] { return plan.launch(args, exec); });
  queries.answer_in_order(args.index);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
