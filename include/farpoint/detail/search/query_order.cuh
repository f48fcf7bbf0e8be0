/// @file
/// Puts queries that are not the points in an order in which neighbors follow one another.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/detail/bvh/plan.cuh>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/detail/search/queries.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Bytes of a BVH of queries; 0 if there are too many for one.
template <class Selector, class Queries>
std::size_t query_bvh_bytes(batch<Queries> const& queries) noexcept {
  index_t const rows = queries.points().size();
  if (rows > max_bvh_points || queries.size() > max_bvh_clouds_on_stream || queries.size() == 0) return 0;
  workspace_cutter cutter;
  static_cast<void>(bvh_plan<Selector, Queries>{queries}.cut(cutter));
  return cutter.used();
}

/// Returns a function that cuts `size` bytes; none if `size` is 0.
inline auto query_bvh_cut(std::size_t size) noexcept {
  return [size](workspace_cutter& cutter) { return size > 0 ? cutter.take_workspace(size) : bytes{}; };
}

/// Returns a function that cuts the memory for the order of all batches of queries within the limits, which are checked
/// before it is called.
/// @tparam Points  type of view of the queries
template <class Selector, class Points>
auto order_of_at_most(search_limits const& limits) noexcept {
  std::size_t size = 0;
  if (limits.queries > 0) {
    // Searches of few points are within the limits, too, so that a BVH of the queries may be worth it.
    size = query_bvh_bytes<Selector>(largest_batch<Points>({smaller(limits.queries, max_bvh_points), limits.clouds}));
  }
  return query_bvh_cut(size);
}

/// Returns a function that cuts the memory for the order of a batch of queries: a BVH of the queries if it is worth its
/// build.
/// @param points     number of points that are searched
/// @param has_order  true if the queries are the points: needs no memory
template <class Selector, class Queries>
auto query_order_of(batch<Queries> const& queries, index_t points, bool has_order = false) noexcept {
  index_t const rows = queries.points().size();
  bool const is_worth_it = rows >= Selector::warp_per_query_below && rows > points / Selector::own_order_share;
  return query_bvh_cut(!has_order && is_worth_it ? query_bvh_bytes<Selector>(queries) : 0);
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
