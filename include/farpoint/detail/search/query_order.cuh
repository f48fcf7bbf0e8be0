/// @file
/// Puts queries that are not the points in an order in which neighbours follow one another.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/limits.hpp>
#include <farpoint/detail/bvh/plan.cuh>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/detail/search/query_kernel.cuh>
#include <farpoint/grid/radix_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// True if sorting pays for `rows` queries and 32 bits can number their rows.
inline bool is_query_order_worth(index_t rows) noexcept {
  return rows >= query_order_from && rows <= max_narrow_points;
}

/// Memory of the order of queries; null pointers and no bytes if queries are answered in the order of the view.
struct query_order_memory {
  std::uint32_t* leaves[2];  ///< `[rows]`, of external_search::leaf_order
  std::uint32_t* rows[2];    ///< `[rows]`
  std::uint32_t* sort_workspace;
  bytes bvh;  ///< memory of a BVH of the queries, of external_search::own_order

  /// @param rows       number of queries to sort by leaves
  /// @param bvh_bytes  bytes of a BVH of the queries
  static query_order_memory cut(workspace_cutter& cutter, index_t rows, std::size_t bvh_bytes) noexcept {
    query_order_memory memory{};
    if (bvh_bytes > 0) memory.bvh = cutter.take_workspace(bvh_bytes);
    if (!is_query_order_worth(rows)) return memory;
    for (auto& leaves : memory.leaves) leaves = cutter.take<std::uint32_t>(rows);
    for (auto& numbers : memory.rows) numbers = cutter.take<std::uint32_t>(rows);
    auto const words = radix_sort_workspace_words(static_cast<std::size_t>(rows));
    memory.sort_workspace = cutter.take<std::uint32_t>(static_cast<index_t>(words));
    return memory;
  }
};

/// Bytes of a BVH of queries; 0 if there are too many for one.
template <class Selector, class Queries>
std::size_t query_bvh_bytes(batch<Queries> const& queries) noexcept {
  index_t const rows = queries.points().size();
  if (rows > max_bvh_points || queries.size() > max_bvh_clouds_on_stream || queries.size() == 0) return 0;
  workspace_cutter cutter;
  static_cast<void>(bvh_plan<Selector, Queries>{queries}.cut(cutter));
  return cutter.used();
}

/// True if a BVH of `queries` queries pays for its build, in a search among `points` points.
template <class Selector>
constexpr bool is_own_order_worth(index_t queries, index_t points) noexcept {
  return queries > points / Selector::own_order_share;
}

/// Returns a function that cuts the memory for the order of all batches of queries within the limits, which are checked
/// before it is called.
/// @tparam Points  type of view of the queries
template <class Selector, class Points>
auto order_of_at_most(search_limits const& limits) noexcept {
  return [limits](workspace_cutter& cutter) {
    index_t rows = 0;
    std::size_t bvh = 0;
    if constexpr (Selector::external == external_search::leaf_order) {
      rows = smaller(limits.queries, max_narrow_points);
    } else if (limits.queries > 0) {
      // Searches of few points are within the limits, too, so that a BVH of the queries may be worth it.
      bvh = query_bvh_bytes<Selector>(largest_batch<Points>({smaller(limits.queries, max_bvh_points), limits.clouds}));
    }
    return query_order_memory::cut(cutter, rows, bvh);
  };
}

/// Returns a function that cuts the memory for the order of a batch of queries.
/// @param points     number of points that are searched
/// @param has_order  true if the queries are the points: needs no memory
template <class Selector, class Queries>
auto query_order_of(batch<Queries> const& queries, index_t points, bool has_order = false) noexcept {
  index_t rows = 0;
  std::size_t bvh = 0;
  index_t const size = queries.points().size();
  if constexpr (Selector::external == external_search::leaf_order) {
    if (!has_order) rows = size;
  } else if (!has_order && is_own_order_worth<Selector>(size, points)) {
    bvh = query_bvh_bytes<Selector>(queries);
  }
  return [rows, bvh](workspace_cutter& cutter) { return query_order_memory::cut(cutter, rows, bvh); };
}

template <class Queries>
struct query_leaf_args {
  search_queries<Queries> queries;
  index_t rows;
  std::uint32_t none;  ///< sort key of a query without a leaf, above all leaves
  std::uint32_t* leaves;
  std::uint32_t* numbers;
};

/// Finds a leaf near each query.
template <class Queries>
__global__ void __launch_bounds__(search_block_size) query_leaf_kernel(query_leaf_args<Queries> const args) {
  index_t const row = index_t{blockIdx.x} * search_block_size + threadIdx.x;
  if (row >= args.rows) return;
  index_t bad_row = -1;
  auto const query = args.queries.of_thread(row, bad_row);
  args.leaves[row] = query.exists() ? static_cast<std::uint32_t>(args.queries.leaf_near(query)) : args.none;
  args.numbers[row] = static_cast<std::uint32_t>(row);
}

/// Enqueues the sort by leaves.
template <class Queries>
FARPOINT_HIDDEN void sort_by_leaves(kernel_launcher& launcher, search_queries<Queries>& queries, index_t leaves,
                                    query_order_memory const& memory) noexcept {
  index_t const rows = queries.threads();
  auto const none = static_cast<std::uint32_t>(leaves);
  int bits = 1;
  while (none >> bits != 0) ++bits;
  launcher.launch_for(rows, search_block_size, query_leaf_kernel<Queries>,
                      {queries, rows, none, memory.leaves[0], memory.rows[0]});
  radix_sort_args const sort{{memory.leaves[0], memory.leaves[1]},
                             {memory.rows[0], memory.rows[1]},
                             memory.sort_workspace,
                             static_cast<std::uint32_t>(rows),
                             bits};
  launcher.then([&] { return radix_sort(sort, launcher.stream()); });
  int const sorted = radix_sort_result(bits);
  queries.answer_in_order(memory.rows[sorted], memory.leaves[sorted]);
}

/// Enqueues the build of a BVH of the queries, or their sort by leaves, if there is memory for it, and makes `queries`
/// use its order.
/// @param exec    the launcher's stream, and the limit of multiprocessors of a build
/// @param leaves  upper bound of the number of leaves of all indices
template <class Selector, class Queries>
FARPOINT_HIDDEN void order_queries(cuda_exec exec, kernel_launcher& launcher, search_queries<Queries>& queries,
                                   index_t leaves, query_order_memory const& memory) noexcept {
  if (queries.threads() == 0) return;
  if constexpr (Selector::external == external_search::leaf_order) {
    if (memory.leaves[0] != nullptr) sort_by_leaves(launcher, queries, leaves, memory);
  } else if (!memory.bvh.empty()) {
    bvh_plan<Selector, Queries> const plan{queries.all()};
    workspace_cutter cutter{memory.bvh.data()};
    auto const args = plan.cut(cutter);
    launcher.then([&] { return plan.launch(args, exec); });
    queries.answer_in_order(args.index);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
