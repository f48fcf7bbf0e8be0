/// @file
/// The group concept, and its model for host threads.
#pragma once

#include <farpoint/core/config.hpp>
#include <farpoint/host/spin_barrier.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

// A *group* is what block-wide code is written against. A model `g` has
//   static constexpr int size       threads in the group
//   static constexpr int lanes      threads in one warp; the last warp may have fewer
//   g.rank()                        my index in the group
//   g.sync()                        barrier of the whole group; what was written before it is visible after it
//   g.shuffle(value, lane)          `value` of that lane of my warp; every thread of the warp calls it
//   g.reduce_max(u), g.reduce_min(u)  over the std::uint32_t of my warp's threads; every thread of the warp calls it
// Models: cuda_block<Size> (block/cuda_block.cuh) and host_block<Size> (here).

/// A thread block made of host threads: block-wide code runs, and is race-checked by ThreadSanitizer, without a GPU.
///
/// Warps are emulated: an exchange goes through memory between two barriers of the warp's threads. For tests and for
/// reading along in a debugger; it is not fast.
template <int Size, int Lanes = 32>
class host_block {
  static_assert(Size >= 1 && Size <= 1024, "farpoint: a block has 1 to 1024 threads");

 public:
  static constexpr int size = Size;
  static constexpr int lanes = Lanes;

  /// Runs `work(group)` on Size threads and joins them. Throws std::system_error when a thread cannot start; the
  /// process must be able to start Size threads.
  template <class Work>
  static void run(Work const& work) {
    shared_state shared;
    std::vector<std::thread> threads;
    threads.reserve(Size);
    for (int rank = 0; rank < Size; ++rank) {
      threads.emplace_back([&work, &shared, rank] { work(host_block{shared, rank}); });
    }
    for (auto& thread : threads) thread.join();
  }

  int rank() const noexcept { return rank_; }
  void sync() const noexcept { shared_->barrier.arrive_and_wait(); }

  template <class T>
  T shuffle(T value, int lane) const noexcept {
    static_assert(sizeof(T) <= sizeof(exchange_slot), "farpoint: too large to exchange");
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
  static constexpr int warps = (Size + Lanes - 1) / Lanes;
  static constexpr int lanes_of(int warp) noexcept { return warp + 1 < warps ? Lanes : Size - warp * Lanes; }

  struct exchange_slot {
    unsigned char memory[32];
  };

  struct shared_state {
    shared_state() {
      for (int warp = 0; warp < warps; ++warp) {
        warp_barriers.push_back(std::make_unique<detail::spin_barrier>(lanes_of(warp)));
      }
    }
    detail::spin_barrier barrier{Size};
    std::vector<std::unique_ptr<detail::spin_barrier>> warp_barriers;
    exchange_slot slots[Size];
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

FARPOINT_END_NAMESPACE
