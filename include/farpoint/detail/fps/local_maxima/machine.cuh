/// @file
/// Device implementation of the primitives that fps() by local maxima is written in, and of the board that its blocks
/// exchange messages on. Tests implement the same primitives by fibers on the host.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/fps/kernel_args.cuh>
#include <farpoint/detail/fps/local_maxima/board_message.cuh>
#include <farpoint/warp/cuda_warp.cuh>

#include <type_traits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Primitives of the calling thread in a one-dimensional block of whole warps. All threads of the block call sync() and
/// count(); all lanes of a warp call ballot(), min(), max() of a value, sum(), exclusive_sum() and shuffle().
struct cuda_machine {
  __device__ static unsigned thread() noexcept { return threadIdx.x; }
  __device__ static void sync() noexcept { __syncthreads(); }
  __device__ static void pause() noexcept {}

  __device__ static unsigned ballot(bool flag) noexcept { return cuda_warp::ballot(flag); }
  template <int Lanes, class T>
  __device__ static T min(T value) noexcept {
    return cuda_warp::min<Lanes>(value);
  }
  template <int Lanes, class T>
  __device__ static T max(T value) noexcept {
    if constexpr (Lanes == 32 && std::is_same_v<T, fps_wide_key>) {
      std::uint64_t const distance = max_word(value.distance);
      return {distance, max_word(value.distance == distance ? value.low : 0u)};
    } else {
      return cuda_warp::max<Lanes>(value);
    }
  }
  __device__ static unsigned sum(unsigned value) noexcept { return cuda_warp::sum(value); }
  template <class T>
  __device__ static T shuffle(T value, int from) noexcept {
    return cuda_warp::shuffle(value, from);
  }
  /// Exchanges the members of a wide key, without the padding.
  __device__ static fps_wide_key shuffle(fps_wide_key const& key, int from) noexcept {
    return {cuda_warp::shuffle(key.distance, from), cuda_warp::shuffle(key.low, from)};
  }

  /// Returns the maximum over the lanes of the warp. A wide word is found half by half: from sm_80 on, one instruction
  /// finds each half.
  __device__ static std::uint32_t max_word(std::uint32_t word) noexcept { return cuda_warp::max<32>(word); }
  __device__ static std::uint64_t max_word(std::uint64_t word) noexcept {
    auto const high = static_cast<std::uint32_t>(word >> 32);
    std::uint32_t const top = cuda_warp::max<32>(high);
    std::uint32_t const rest = cuda_warp::max<32>(high == top ? static_cast<std::uint32_t>(word) : 0u);
    return static_cast<std::uint64_t>(top) << 32 | rest;
  }

  /// Returns the sum of the values of all lower lanes.
  __device__ static unsigned exclusive_sum(unsigned value) noexcept { return cuda_warp::exclusive_sum(value); }
  /// Meets all threads of the block at a barrier, and returns the number of threads that passed true.
  __device__ static unsigned count(bool flag) noexcept { return static_cast<unsigned>(__syncthreads_count(flag)); }

  // Atomic operations on shared memory.
  __device__ static unsigned add(unsigned* counter, unsigned amount) noexcept { return atomicAdd(counter, amount); }
  __device__ static void max(unsigned* counter, unsigned value) noexcept { atomicMax(counter, value); }
  __device__ static void max(fps_key* counter, fps_key value) noexcept {
    atomicMax(reinterpret_cast<unsigned long long*>(counter), static_cast<unsigned long long>(value));
  }

  // Accesses to global memory that other blocks write. One access covers a whole key, so that no reader sees parts of
  // two keys.
  __device__ static void write(fps_key* to, fps_key key) noexcept { store_key<exchange_scope::gpu>(to, key); }
  __device__ static fps_key read(fps_key const* from) noexcept { return load_key<exchange_scope::gpu>(from); }
  __device__ static void write(fps_wide_key* to, fps_wide_key const& key) noexcept {
    store_message<exchange_scope::gpu>(reinterpret_cast<board_message*>(to), {key.distance, key.low});
  }
  __device__ static fps_wide_key read(fps_wide_key const* from) noexcept {
    board_message const m = load_message<exchange_scope::gpu>(reinterpret_cast<board_message const*>(from));
    return {m.low, static_cast<std::uint32_t>(m.high)};
  }

  template <class Points>
  __device__ static fps_first first_sample(fps_args<Points> const& args, index_t b, Points const& cloud,
                                           bool counts) noexcept {
    return fps_first_sample(args, b, cloud, counts);
  }
  template <class Points>
  __device__ static bool is_chosen(fps_args<Points> const& args, Points const& cloud, index_t index,
                                   bool counts) noexcept {
    return fps_is_chosen(args, cloud, index, counts);
  }
  template <class Points>
  __device__ static void count_non_finite(fps_args<Points> const& args, unsigned bad) noexcept {
    bad = cuda_warp::sum(bad);
    if (cuda_warp::lane() == 0) count_in_report(args.output.report, &fps_report::non_finite, bad);
  }
};

/// Board of a team on one GPU: messages in global memory, initially zero.
class grid_board : public team_of_one_gpu, public board_messages {
 public:
  __device__ explicit grid_board(message* slots) noexcept : slots_{slots} {}

  __device__ static unsigned copies() noexcept { return 1; }

  __device__ void put(unsigned slot, unsigned, fps_words const& words, std::uint32_t tag) const noexcept {
    store_message<exchange_scope::gpu>(slots_ + slot, message::of(words, tag));
  }
  __device__ message load(unsigned slot) const noexcept { return load_message<exchange_scope::gpu>(slots_ + slot); }

 private:
  message* slots_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
