/// @file
/// The order in which the published furthest point sampling takes points at equal distances.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {

/// Order of n points among equals in a kernel of one block, whose thread t looks at the points t, t + threads, ...
///
/// A thread keeps the first of equals. Then halves of the block are compared: thread t with t + threads / 2, then with
/// t + threads / 4, ...; the lower thread wins among equals. Two threads meet where they first agree in all lower bits,
/// so the lowest bit in which they differ decides: the winner is the thread that comes first when bits are read from
/// the lowest up. The order is that of (the thread's bits reversed, index).
///
/// Points are counted along it with gaps: a place is a row of the reversed number and as many columns as a thread has
/// points at most.
class tie_order {
 public:
  constexpr tie_order() = default;

  /// @param points        of the cloud
  /// @param most_threads  of a block, a power of two: the kernel takes the largest one up to it and up to `points`; 0
  ///                      for the order of indices
  static constexpr tie_order of_block(index_t points, int most_threads) noexcept {
    tie_order order;
    while (order.threads_ * 2 <= points && order.threads_ * 2 <= most_threads) {
      order.threads_ *= 2;
      ++order.bits_;
    }
    return order.of_cloud(points);
  }

  /// The order of a cloud of another size in a block of as many threads.
  FARPOINT_HD constexpr tie_order of_cloud(index_t points) const noexcept {
    tie_order order = *this;
    order.points_ = points;
    order.rounds_ = farpoint::detail::divide_up(points, threads_);
    return order;
  }

  /// Places, some of which have no point.
  FARPOINT_HD constexpr index_t size() const noexcept { return rounds_ * threads_; }

  /// The point at a place; none where it is not below the number of points.
  FARPOINT_HD constexpr index_t point_at(index_t place) const noexcept {
    if (threads_ == 1 || rounds_ == 0) return place;
    // In 32 bits: clouds of these kernels have no more points.
    auto const number = static_cast<std::uint32_t>(place);
    auto const rounds = static_cast<std::uint32_t>(rounds_);
    std::uint32_t const row = number / rounds;
    return index_t{number - row * rounds} * threads_ + index_t{reversed(row)};
  }

  FARPOINT_HD constexpr index_t points() const noexcept { return points_; }
  /// Threads of the block; 1 for the order of indices.
  FARPOINT_HD constexpr index_t threads() const noexcept { return threads_; }

 private:
  FARPOINT_HD constexpr std::uint32_t reversed(std::uint32_t row) const noexcept {
    std::uint32_t thread = 0;
    for (int bit = 0; bit < bits_; ++bit) thread |= (row >> bit & 1u) << (bits_ - 1 - bit);
    return thread;
  }

  index_t points_ = 0;
  index_t threads_ = 1;
  index_t rounds_ = 0;  ///< points of a thread, at most
  int bits_ = 0;        ///< of a thread's number
};

}  // namespace compat
FARPOINT_END_NAMESPACE
