/// @file
/// Searches on a CUDA stream, among points whose indices are built in the workspace or by a device_point_bvh.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/bvh/plan.cuh>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/detail/search/queries.hpp>
#include <farpoint/detail/search/report_faults.cuh>
#include <farpoint/detail/search/scan/scan.hpp>
#include <farpoint/grid/bad_offsets.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/types/device_point_bvh.hpp>

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

/// Checks the number of queries on a stream.
constexpr result check_device_queries(index_t queries) noexcept {
  return queries > max_queries_on_stream ? reject("queries: cuda_exec takes at most 2^36; split the call") : result{};
}

/// Checks the points and queries of a search. Offsets are in device memory and not read.
template <class Points, class Queries>
result check_device_search(batch<Points> const& points, batch<Queries> const& queries) noexcept {
  static_assert(std::is_same_v<typename Points::scalar, typename Queries::scalar>,
                "farpoint: points and queries must both be double, or neither");
  if (result const checked = check_bvh_points(points); !checked) return checked;
  if (points.points().size() > max_bvh_points || points.size() > max_bvh_clouds_on_stream) {
    return reject("points: cuda_exec takes at most 2^30 points and 2^29 - 1 clouds");
  }
  result const checked = check_device_queries(queries.points().size());
  return checked ? check_queries(queries, points.size()) : checked;
}

/// Checks whether kernels can reach the arrays of a search, if that check is enabled, and whether the clouds can be
/// searched.
/// @tparam Self  true if an index must have been built of the queries
template <bool Self = false, class Points, class Queries, class... Arrays>
FARPOINT_HIDDEN result check_search_on(cuda_exec exec, bytes workspace, batch<Points> const& points,
                                       batch<Queries> const& queries, Arrays const&... arrays) noexcept {
  result const reachable = check_pointers(exec, workspace, points, queries, arrays...);
  return reachable ? check_device_search(points, queries) : reachable;
}
template <bool Self = false, class Scalar, class Queries, class... Arrays>
FARPOINT_HIDDEN result check_search_on(cuda_exec exec, bytes workspace, device_point_bvh<Scalar> const& index,
                                       batch<Queries> const& queries, Arrays const&... arrays) noexcept {
  if (result const reachable = check_pointers(exec, workspace, queries, arrays...); !reachable) return reachable;
  if constexpr (Self) return check_own_index(index, queries);
  result const checked = check_device_queries(queries.points().size());
  return checked ? check_index_queries(queries, index.size()) : checked;
}

/// Cuts no memory, for a search that needs none besides the index and the order of the queries.
struct no_memory {
  bytes operator()(workspace_cutter&) const noexcept { return {}; }
};

/// Memory of a search of points.
/// @tparam Extra  type of the function that cuts `extra`
template <class Selector, class Points, class Extra>
struct indexed_search_memory {
  bvh_build_args<Points> index;
  std::invoke_result_t<Extra const&, workspace_cutter&> extra;
  bytes order;

  static indexed_search_memory cut(workspace_cutter& cutter, batch<Points> const& points, std::size_t order_bytes,
                                   Extra const& cut_extra) noexcept {
    auto const index = bvh_plan<Selector, Points>{points}.cut(cutter);
    auto const extra = cut_extra(cutter);
    return {index, extra, order_bytes > 0 ? cutter.take_workspace(order_bytes) : bytes{}};
  }
};

/// Bytes of indexed_search_memory; 0 for invalid points.
template <class Selector, class Points, class Extra = no_memory>
std::size_t indexed_search_bytes(batch<Points> const& points, std::size_t order_bytes = 0,
                                 Extra const& extra = {}) noexcept {
  if (!check_device_search(points, points) || points.size() == 0) return 0;
  workspace_cutter cutter;
  static_cast<void>(indexed_search_memory<Selector, Points, Extra>::cut(cutter, points, order_bytes, extra));
  return cutter.used();
}

/// Bytes of the workspace of a search of points.
/// @param self  true if the queries are the points
template <class Selector, class Points, class Queries, class Extra = no_memory>
std::size_t device_search_bytes(batch<Points> const& points, batch<Queries> const& queries, bool self,
                                Extra const& extra = {}) noexcept {
  return indexed_search_bytes<Selector>(points, query_order_bytes<Selector>(queries, points.points().size(), self),
                                        extra);
}

/// Sets `bound` to bytes that suffice for all searches within the limits.
template <class Selector, class Points, class Extra = no_memory>
result bound_indexed_search(search_limits const& limits, std::size_t& bound, Extra const& extra = {}) noexcept {
  if (result const checked = check_limits(limits); !checked) return checked;
  if (limits.points > max_bvh_points || limits.clouds > max_bvh_clouds_on_stream) {
    return reject("limits: cuda_exec takes at most 2^30 points and 2^29 - 1 clouds");
  }
  if (limits.queries > max_queries_on_stream) return reject("limits: cuda_exec takes at most 2^36 queries");
  bound = indexed_search_bytes<Selector>(largest_batch<Points>({limits.points, limits.clouds}),
                                         query_order_bound<Selector, Points>(limits), extra);
  return {};
}

inline result search_outcome(kernel_launcher const& launcher) noexcept {
  return cuda_failure(launcher.error(), "a search: a kernel or a memset could not be enqueued");
}

/// Enqueues the build of the index, and then the kernels of `search(launcher, memory)`. Checks the workspace; the rest
/// has been checked.
template <class Selector, class Points, class Search, class Extra = no_memory>
FARPOINT_HIDDEN result indexed_search(cuda_exec exec, batch<Points> const& points, bytes workspace,
                                      Search const& search, std::size_t order_bytes = 0,
                                      Extra const& extra = {}) noexcept {
  std::size_t const needed = indexed_search_bytes<Selector>(points, order_bytes, extra);
  if (result const checked = check_workspace(workspace, needed); !checked) return checked;
  workspace_cutter cutter{workspace.data()};
  auto const memory = indexed_search_memory<Selector, Points, Extra>::cut(cutter, points, order_bytes, extra);
  kernel_launcher launcher{exec.stream};
  if (points.size() > 0) {
    launcher.then([&] { return bvh_plan<Selector, Points>{points}.launch(memory.index, exec); });
  }
  if (launcher.error() == cudaSuccess) search(launcher, memory);
  return search_outcome(launcher);
}

/// Enqueues a search of points without an index, as search_on_device(), except that the workspace has been checked.
template <class Selector, class Points, class Queries, class Report, class Answer>
FARPOINT_HIDDEN result scan_on_device(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                                      Report* report, bytes workspace, index_t k, Answer const& answer) noexcept {
  kernel_launcher launcher{exec.stream};
  if (report != nullptr) launcher.clear(report, sizeof *report);
  scanned_queries<Points, Queries> asked{points, queries, report == nullptr ? nullptr : &report->non_finite_points,
                                         k > 0 ? Selector::scan_lanes : Selector::scan_lanes_by_index};
  if (points.is_ragged() || queries.is_ragged()) {
    auto* const bad_offsets = reinterpret_cast<unsigned*>(workspace.data());
    unsigned long long* const reported = report == nullptr ? nullptr : &report->bad_offsets;
    launcher.clear(bad_offsets, sizeof *bad_offsets);
    count_bad_offsets(launcher, points, bad_offsets, reported);
    if (has_own_offsets(points, queries)) count_bad_offsets(launcher, queries, bad_offsets, reported);
    asked.stop_at_bad_offsets(bad_offsets);
  }
  answer(launcher, asked);
  return search_outcome(launcher);
}

/// Builds the index in the workspace, puts the queries in order, and calls `answer(launcher, queries, memory)`, which
/// enqueues the search. Checks the workspace; the rest has been checked. Small clouds are searched without an index:
/// `queries` are scanned_queries then.
/// @param self    true if the queries are the points
/// @param report  optional; cleared, then wrong offsets and non-finite points are counted
/// @param k       see is_scanned()
/// @param extra   `extra(cutter)` cuts `memory`
template <class Selector, class Points, class Queries, class Report, class Answer, class Extra = no_memory>
FARPOINT_HIDDEN result search_on_device(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                                        bool self, Report* report, bytes workspace, index_t k, Answer const& answer,
                                        Extra const& extra = {}) noexcept {
  std::size_t const order_bytes = query_order_bytes<Selector>(queries, points.points().size(), self);
  if constexpr (larger(Selector::scan_self, Selector::scan_others) > 0) {
    if (is_scanned<Selector>(points, queries, self, k)) {
      std::size_t const needed = indexed_search_bytes<Selector>(points, order_bytes, extra);
      if (result const checked = check_workspace(workspace, needed); !checked) return checked;
      workspace_cutter none;
      auto const memory = extra(none);
      return scan_on_device<Selector>(
          exec, points, queries, report, workspace, k,
          [&](kernel_launcher& launcher, auto const& asked) { answer(launcher, asked, memory); });
    }
  }
  auto const search = [&](kernel_launcher& launcher, auto const& memory) {
    point_bvh_faults& faults = memory.index.state->faults;
    if (has_own_offsets(points, queries)) count_bad_offsets(launcher, queries, &faults.bad_offsets, nullptr);
    if (report != nullptr) launcher.clear(report, sizeof *report);
    if (points.size() > 0) report_faults(launcher, &faults, {}, {}, nullptr, report);
    search_queries<Queries> asked{queries, memory.index.index, self};
    asked.stop_at_bad_offsets(&faults.bad_offsets);
    order_queries<Selector>(exec, launcher, asked, memory.order);
    answer(launcher, asked, memory.extra);
  };
  return indexed_search<Selector>(exec, points, workspace, search, order_bytes, extra);
}

/// Memory of a search by a device_point_bvh, and the offsets that it checks.
template <class Extra>
struct built_search {
  index_offsets points;   ///< offsets of the points that the index was built of, if the search needs the points
  index_offsets queries;  ///< none if the queries are these points
  unsigned* bad_offsets = nullptr;  ///< count of points and queries; null where threads check the queries' offsets
  bytes order = {};
  std::invoke_result_t<Extra const&, workspace_cutter&> extra = {};
  bool counts;  ///< offsets may be wrong

  template <class Index, class Queries>
  built_search(Index const& index, batch<Queries> const& asked, bool self, index_offsets const& of_points) noexcept
      : points{self ? index_offsets::of_points(index, asked) : of_points},
        queries{self ? index_offsets{} : index_offsets::of_queries(index, asked)},
        counts{points.count > 0 || (!self && asked.is_ragged())} {}

  void cut(workspace_cutter& cutter, std::size_t order_bytes, Extra const& cut_extra) noexcept {
    if (counts) bad_offsets = cutter.take<unsigned>(1);
    if (order_bytes > 0) order = cutter.take_workspace(order_bytes);
    extra = cut_extra(cutter);
  }
};

/// Bytes of the workspace of a search by a device_point_bvh. Without one, queries are answered in the order of the
/// view.
template <class Selector, class Index, class Queries, class Extra = no_memory>
std::size_t built_search_bytes(Index const& index, batch<Queries> const& queries, bool self, Extra const& extra = {},
                               index_offsets const& points = {}) noexcept {
  workspace_cutter cutter;
  built_search<Extra>{index, queries, self, points}.cut(
      cutter, query_order_bytes<Selector>(queries, index.points(), self), extra);
  return cutter.used();
}

/// search_on_device() by a device_point_bvh. The workspace may be empty if `answer` needs no memory.
/// @param points  offsets of the points that the index was built of, where the search of other queries needs the points
template <class Selector, class Scalar, class Queries, class Report, class Answer, class Extra = no_memory>
FARPOINT_HIDDEN result search_on_device(cuda_exec exec, device_point_bvh<Scalar> const& index,
                                        batch<Queries> const& queries, bool self, Report* report, bytes workspace,
                                        index_t, Answer const& answer, Extra const& extra = {},
                                        index_offsets const& points = {}) noexcept {
  built_search<Extra> search{index, queries, self, points};
  workspace_cutter cutter{workspace.data()};
  if (!workspace.empty()) search.cut(cutter, query_order_bytes<Selector>(queries, index.points(), self), extra);
  if (result const checked = check_workspace(workspace, cutter.used()); !checked) return checked;
  kernel_launcher launcher{exec.stream};
  if (report != nullptr) launcher.clear(report, sizeof *report);
  bool const is_counted = search.bad_offsets != nullptr;
  if (is_counted) launcher.clear(search.bad_offsets, sizeof *search.bad_offsets);
  report_faults(launcher, index.faults(), search.points, search.queries, search.bad_offsets, report);
  search_queries<Queries> asked{queries, index.arrays(), self};
  asked.stop_at_bad_offsets(is_counted ? search.bad_offsets : index.bad_offsets(), is_counted);
  order_queries<Selector>(exec, launcher, asked, search.order);
  answer(launcher, asked, search.extra);
  return search_outcome(launcher);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
