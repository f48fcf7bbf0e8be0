/// @file
/// Puts queries that are not the points in the order of the leaves that they begin with.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/detail/search/query_kernel.cuh>
#include <farpoint/grid/radix_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Fewer queries than this are answered as they come: a dozen launches would take longer than what is saved. A guess:
/// the place where one overtakes the other has not been measured.
inline constexpr index_t query_order_from = 16384;

/// True for queries that are put in order; their rows are numbered with 32 bits.
inline bool is_query_order_worth(index_t rows) noexcept {
  return rows >= query_order_from && rows <= max_narrow_points;
}

struct query_order_memory {
  std::uint32_t* leaves[2];  ///< `[rows]`
  std::uint32_t* rows[2];    ///< `[rows]`
  std::uint32_t* sort_workspace;

  /// Nothing where it is not worth it.
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

/// Cuts the memory for a batch of queries.
/// @param has_order  they are the points, or are answered as they come: nothing is needed
template <class Queries>
auto query_order_of(batch<Queries> const& queries, bool has_order = false) noexcept {
  index_t const rows = has_order ? 0 : queries.points().size();
  return [rows](workspace_cutter& cutter) { return query_order_memory::cut(cutter, rows); };
}

template <class Queries>
struct query_leaf_args {
  search_queries<Queries> queries;
  index_t rows;
  std::uint32_t none;  ///< above all leaves
  std::uint32_t* leaves;
  std::uint32_t* numbers;
};

/// Finds the leaf of each query.
template <class Queries>
__global__ void __launch_bounds__(search_block_size) query_leaf_kernel(query_leaf_args<Queries> const work) {
  index_t const row = index_t{blockIdx.x} * search_block_size + threadIdx.x;
  if (row >= work.rows) return;
  index_t bad_row = -1;
  auto const query = work.queries.of_thread(row, bad_row);
  work.leaves[row] = query.exists() ? static_cast<std::uint32_t>(work.queries.leaf_near(query)) : work.none;
  work.numbers[row] = static_cast<std::uint32_t>(row);
}

/// Enqueues the ordering of the queries, if it is worth it, and tells them so.
/// @param leaves  of all indices, at most
template <class Queries>
FARPOINT_HIDDEN cudaError_t order_queries(search_queries<Queries>& queries, index_t leaves,
                                          query_order_memory const& memory, cudaStream_t stream) noexcept {
  index_t const rows = queries.threads();
  if (memory.leaves[0] == nullptr || rows == 0) return cudaSuccess;
  auto const none = static_cast<std::uint32_t>(leaves);
  int bits = 1;
  while (none >> bits != 0) ++bits;
  query_leaf_args<Queries> const work{queries, rows, none, memory.leaves[0], memory.rows[0]};
  cudaError_t error = search_launch(query_leaf_kernel<Queries>, rows, stream, work);
  if (error == cudaSuccess) {
    error = radix_sort({{memory.leaves[0], memory.leaves[1]},
                        {memory.rows[0], memory.rows[1]},
                        memory.sort_workspace,
                        static_cast<std::uint32_t>(rows),
                        bits},
                       stream);
  }
  int const result = radix_sort_result(bits);
  queries.answer_in_order(memory.rows[result], memory.leaves[result]);
  return error;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
