/// @file
/// Sorts queries that are not the points by their first leaf.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/detail/search/query_kernel.cuh>
#include <farpoint/grid/radix_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// True if sorting pays for `rows` queries and 32 bits can number their rows.
inline bool is_query_order_worth(index_t rows) noexcept {
  return rows >= query_order_from && rows <= max_narrow_points;
}

/// Memory to sort queries; null pointers if queries are answered in the order of the view.
struct query_order_memory {
  std::uint32_t* leaves[2];  ///< `[rows]`
  std::uint32_t* rows[2];    ///< `[rows]`
  std::uint32_t* sort_workspace;

  static query_order_memory cut(workspace_cutter& cutter, index_t rows) noexcept {
    query_order_memory memory{};
    if (!is_query_order_worth(rows)) return memory;
    for (auto& leaves : memory.leaves) leaves = cutter.take<std::uint32_t>(rows);
    for (auto& numbers : memory.rows) numbers = cutter.take<std::uint32_t>(rows);
    auto const words = radix_sort_workspace_words(static_cast<std::size_t>(rows));
    memory.sort_workspace = cutter.take<std::uint32_t>(static_cast<index_t>(words));
    return memory;
  }
};

/// Returns a function that cuts the memory to sort up to `queries` queries.
inline auto order_of_at_most(index_t queries) noexcept {
  index_t const rows = smaller(queries, max_narrow_points);
  return [rows](workspace_cutter& cutter) { return query_order_memory::cut(cutter, rows); };
}

/// Returns a function that cuts the memory to sort a batch of queries.
/// @param has_order  true if the queries are the points or are answered in the order of the view: needs no memory
template <class Queries>
auto query_order_of(batch<Queries> const& queries, bool has_order = false) noexcept {
  index_t const rows = has_order ? 0 : queries.points().size();
  return [rows](workspace_cutter& cutter) { return query_order_memory::cut(cutter, rows); };
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

/// Enqueues the sort if there is memory for it, and makes `queries` use its order.
/// @param leaves  upper bound of the number of leaves of all indices
template <class Queries>
FARPOINT_HIDDEN void order_queries(kernel_launcher& launcher, search_queries<Queries>& queries, index_t leaves,
                                   query_order_memory const& memory) noexcept {
  index_t const rows = queries.threads();
  if (memory.leaves[0] == nullptr || rows == 0) return;
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

}  // namespace detail
FARPOINT_END_NAMESPACE
