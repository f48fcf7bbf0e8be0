/// @file
/// knn() in screen space on a GPU, the exact search: the visible points are a cloud, and knn() answers for it. What it
/// says about their numbers becomes an answer about the indices of the cloud that they come from.
#pragma once

#include <farpoint/detail/screen_view.cuh>
#include <farpoint/knn_types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

template <class Scalar>
struct screen_translate_task {
  knn_output<Scalar> found;  ///< by number; its lists are those of the output where rows are visible points
  screen_row_writer<Scalar> writer;
  index_t const* offsets;
  screen_state const* state;
};

/// Rows of visible points: indices are exchanged where they are.
template <class Scalar, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_translate_kernel(screen_translate_task<Scalar> const task) {
  index_t const size = task.offsets[1] * task.writer.k;
  for (index_t i = index_t{blockIdx.x} * BlockSize + threadIdx.x; i < size; i += index_t{gridDim.x} * BlockSize) {
    index_t const number = task.found.indices.get(i);
    if (number >= 0) task.found.indices.set(i, index_t{task.writer.index_of[number]});
  }
}

/// Rows of the input: lists go to the rows of their points.
template <class Scalar, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_scatter_kernel(screen_translate_task<Scalar> const task) {
  auto const writer = rows_of_cloud(task.writer, *task.state);
  index_t const size = task.offsets[1] * writer.k;
  for (index_t i = index_t{blockIdx.x} * BlockSize + threadIdx.x; i < size; i += index_t{gridDim.x} * BlockSize) {
    index_t const number = i / writer.k;
    index_t const j = i - number * writer.k;
    index_t const row = writer.row_of(number);
    index_t const neighbour = task.found.indices.get(i);
    writer.write(row, j, neighbour < 0 ? -1 : index_t{writer.index_of[neighbour]},
                 task.found.distances[static_cast<std::size_t>(i)]);
    if (j == 0 && !writer.output.counts.empty()) writer.output.counts.set(row, task.found.counts.get(number));
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
