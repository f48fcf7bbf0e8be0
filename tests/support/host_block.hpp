// A block of host threads, for code that is written against a block (block/block_argmax.hpp).
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/host/spin_barrier.hpp>
#include <farpoint/host/thread_team.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

namespace farpoint_tests {

/// A thread block made of host threads: block-wide code runs without a GPU, and ThreadSanitizer checks it for races.
///
/// Warps are emulated: an exchange goes through memory between two barriers of the warp's threads. For tests and for
/// stepping through in a debugger; it is not fast.
/// @tparam Size   threads, 1 to 1024
/// @tparam Lanes  threads of a warp
template <int Size, int Lanes = 32>
class host_block {
  static_assert(Size >= 1 && Size <= 1024, "a block has 1 to 1024 threads");

 public:
  static constexpr int size = Size;
  static constexpr int lanes = Lanes;

  /// Calls `work(group)` on Size threads, of which the calling thread is rank 0, and returns when all have returned.
  /// `work` must not throw: that ends the program.
  ///
  /// Throws std::system_error if the system refuses a thread: `work` has not been called then.
  /// @tparam Thread  std::thread, or a stand-in for tests
  template <class Thread = std::thread, class Work>
  static void run(Work const& work) {
    shared_state shared;
    auto const work_as = [&](int rank, int) { work(host_block{shared, rank}); };
    // run_threads(), not run_team(), as a block needs all of its threads, whatever threads other callers use.
    if (farpoint::detail::run_threads<Thread>(Size, Size, farpoint::detail::team_work{work_as})) return;
    throw std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again),
                            "host_block could not start its threads"};
  }

  int rank() const noexcept { return rank_; }
  void sync() const noexcept { shared_->barrier.arrive_and_wait(); }

  template <class T>
  T shuffle(T value, int lane) const noexcept {
    static_assert(sizeof(T) <= sizeof(exchange_slot), "this type is too large to shuffle");
    std::memcpy(&shared_->slots[rank_], &value, sizeof value);
    warp_sync();
    std::memcpy(&value, &shared_->slots[warp() * Lanes + lane], sizeof value);
    warp_sync();
    return value;
  }

  std::uint32_t reduce_max(std::uint32_t value) const noexcept {
    return reduce(value, [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; });
  }
  std::uint32_t reduce_min(std::uint32_t value) const noexcept {
    return reduce(value, [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; });
  }

 private:
  static constexpr int warps = farpoint::detail::divide_up(Size, Lanes);
  static constexpr int lanes_of(int warp) noexcept { return warp + 1 < warps ? Lanes : Size - warp * Lanes; }

  struct exchange_slot {
    unsigned char memory[32];
  };

  struct shared_state {
    shared_state() {
      for (int warp = 0; warp < warps; ++warp) {
        warp_barriers.push_back(std::make_unique<farpoint::spin_barrier>(lanes_of(warp)));
      }
    }
    farpoint::spin_barrier barrier{Size};
    std::vector<std::unique_ptr<farpoint::spin_barrier>> warp_barriers;
    exchange_slot slots[std::size_t{Size}];
  };

  host_block(shared_state& shared, int rank) noexcept : shared_{&shared}, rank_{rank} {}

  int warp() const noexcept { return warps == 1 ? 0 : rank_ / Lanes; }
  void warp_sync() const noexcept { shared_->warp_barriers[static_cast<std::size_t>(warp())]->arrive_and_wait(); }

  template <class Operation>
  std::uint32_t reduce(std::uint32_t value, Operation operation) const noexcept {
    std::uint32_t total = shuffle(value, 0);
    for (int lane = 1; lane < lanes_of(warp()); ++lane) total = operation(total, shuffle(value, lane));
    return total;
  }

  shared_state* shared_;
  int rank_;
};

}  // namespace farpoint_tests
