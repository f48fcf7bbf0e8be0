/// @file
/// Values of the neighbors in rows of knn_shard(), such as coordinates: steps for kernels and host threads.
#pragma once

#include <farpoint/scale/stream/knn_steps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays of the second half: values of neighbors, `channels` of each.
template <class Value>
struct row_values_memory {
  Value* found = nullptr;    ///< `[m, k, channels]`: values of the neighbors of received queries
  Value* answers = nullptr;  ///< `[m, k, channels]`: values of the neighbors in answers
  Value* rows = nullptr;     ///< `[queries, k, channels]`

  row_values_memory() = default;
  /// @param m     number of queries sent or received, gaps included
  /// @param each  k * channels
  row_values_memory(workspace_cutter& cutter, index_t m, index_t queries, index_t each) noexcept
      : found{cutter.take<Value>(m * each)},
        answers{cutter.take<Value>(m * each)},
        rows{cutter.take<Value>(queries * each)} {}
};

/// Position of a point among the points of this rank; -1 if it is a point of another rank.
template <class Args>
FARPOINT_HD index_t own_position(Args const& args, index_t index) noexcept {
  index_t const size = args.part.points.size();
  if (args.names == nullptr) {
    index_t const at = index - args.part.first_index;
    return at < 0 || at >= size ? -1 : at;
  }
  index_t low = 0;
  index_t high = size;
  while (low < high) {
    index_t const middle = (low + high) / 2;
    bool const is_before = args.names[middle] < index;
    (is_before ? low : high) = is_before ? middle + 1 : middle;
  }
  return low < size && args.names[low] == index ? low : -1;
}

/// Writes the values of neighbors that are points of this rank. Runs for all neighbors of some rows.
/// @tparam Consumer  has `value_type`, `channels` and `value(point, channel)`
template <class Args, class Consumer>
struct own_values_step {
  Args args;
  Consumer consumer;
  index_t const* indices;  ///< `[rows, k]`
  typename Consumer::value_type* to;

  FARPOINT_HD void operator()(std::uint64_t e) const noexcept {
    index_t const index = indices[e];
    index_t const point = index < 0 ? -1 : own_position(args, index);
    if (point < 0) return;
    auto* const values = to + static_cast<index_t>(e) * consumer.channels;
    for (index_t channel = 0; channel < consumer.channels; ++channel) values[channel] = consumer.value(point, channel);
  }
};

/// Copies the values of a rank's answers to the rows that the neighbors have been merged into. Runs for all neighbors
/// of the answers; begins at answer `begin`.
template <class Args, class Value>
struct merge_values_step {
  Args args;
  index_t begin;
  index_t channels;
  Value const* answers;  ///< see row_values_memory
  Value* rows;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    index_t const k = args.k;
    index_t const answer = begin + static_cast<index_t>(i) / k;
    index_t const e = begin * k + static_cast<index_t>(i);
    index_t const index = args.memory.answers[e];
    if (index < 0) return;
    index_t const row = index_t{args.memory.sent_row[answer]} * k;
    index_t const at = row + position_in(row, args.memory.answer_distances[e], index);
    if (at == row + k || args.indices[at] != index) return;
    for (index_t channel = 0; channel < channels; ++channel) {
      rows[at * channels + channel] = answers[e * channels + channel];
    }
  }

 private:
  /// First entry of a row that does not precede a neighbor.
  FARPOINT_HD index_t position_in(index_t row, typename Args::scalar distance, index_t index) const noexcept {
    index_t low = 0;
    index_t high = args.k;
    while (low < high) {
      index_t const middle = (low + high) / 2;
      index_t const other = args.indices[row + middle];
      bool const is_before = other >= 0 && nearest_first{}(args.distances[row + middle], other, distance, index);
      (is_before ? low : high) = is_before ? middle + 1 : middle;
    }
    return low;
  }
};

/// Hands each query, with its neighbors, to a consumer. Runs for the queries.
/// @tparam Consumer  has `operator()(row, query, distances, values, count)` and `leave_empty(row)`, see consumers.hpp
template <class Args, class Consumer>
struct consume_step {
  Args args;
  Consumer consumer;
  typename Consumer::value_type const* values;  ///< `[queries, k, channels]`

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    auto const row = static_cast<index_t>(i);
    auto const at = args.query(row);
    if (!is_finite(at)) {
      consumer.leave_empty(row);
      return;
    }
    index_t const first = row * args.k;
    int count = 0;
    while (count < args.k && args.indices[first + count] >= 0) ++count;
    consumer(row, at, args.distances + first, values + first * consumer.channels, count);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
