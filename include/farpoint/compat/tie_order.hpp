/// @file
/// Order in which the published furthest point sampling breaks ties.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {

/// Preference order of n equidistant points in a one-block kernel whose thread t reads the points t, t + threads, ...
///
/// A thread keeps the first of its equidistant points. Then a tree reduction compares thread t with t + threads / 2,
/// then with t + threads / 4, ...; the lower thread wins a tie. Two threads meet at the step where their lower bits
/// first agree, so the lowest bit in which they differ decides: the winner is the thread that comes first when bits are
/// read from the lowest up. Hence points are ordered by (bit-reversed thread, index).
///
/// Positions along this order have gaps: a position is a (row, column) pair, where the row is the bit-reversed thread,
/// and the number of columns is the maximum number of points per thread.
class tie_order {
 public:
  constexpr tie_order() = default;

  /// @param points        number of points of the cloud
  /// @param max_threads  maximum block size, a power of two; 0 for index order. The kernel uses the largest power of
  ///                      two that exceeds neither it nor `points`
  static constexpr tie_order of_block(index_t points, int max_threads) noexcept {
    tie_order order;
    while (order.threads_ * 2 <= points && order.threads_ * 2 <= max_threads) {
      order.threads_ *= 2;
      ++order.bits_;
    }
    return order.of_cloud(points);
  }

  /// Order for a cloud of another size and the same block size.
  FARPOINT_HD constexpr tie_order of_cloud(index_t points) const noexcept {
    tie_order order = *this;
    order.points_ = points;
    order.rounds_ = farpoint::detail::divide_up(points, threads_);
    return order;
  }

  /// Number of positions, gaps included.
  FARPOINT_HD constexpr index_t size() const noexcept { return rounds_ * threads_; }

  /// Point index at position `place`; at least points() for a gap.
  FARPOINT_HD constexpr index_t point_at(index_t place) const noexcept {
    if (threads_ == 1 || rounds_ == 0) return place;
    // Divides in 32 bits, which suffices: clouds of these kernels have fewer points.
    auto const number = static_cast<std::uint32_t>(place);
    auto const rounds = static_cast<std::uint32_t>(rounds_);
    std::uint32_t const row = number / rounds;
    return index_t{number - row * rounds} * threads_ + index_t{reversed(row)};
  }

  FARPOINT_HD constexpr index_t points() const noexcept { return points_; }
  /// Number of threads of the block; 1 for index order.
  FARPOINT_HD constexpr index_t threads() const noexcept { return threads_; }

 private:
  FARPOINT_HD constexpr std::uint32_t reversed(std::uint32_t row) const noexcept {
    std::uint32_t thread = 0;
    for (int bit = 0; bit < bits_; ++bit) thread |= (row >> bit & 1u) << (bits_ - 1 - bit);
    return thread;
  }

  index_t points_ = 0;
  index_t threads_ = 1;
  index_t rounds_ = 0;  ///< maximum number of points per thread
  int bits_ = 0;        ///< number of bits of a thread index
};

}  // namespace compat
FARPOINT_END_NAMESPACE
