/// @file
/// The primitives of a device thread that fps() by local maxima is written with, and how its blocks exchange messages.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/fps/kernel_args.cuh>
#include <farpoint/detail/fps/local_maxima/candidate_exchange.hpp>
#include <farpoint/warp/cuda_warp.cuh>

#include <cooperative_groups.h>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The calling thread, of a one-dimensional block of whole warps. All threads of the block call sync(); all of a warp
/// call ballot(), min(), max() of a value, sum() and shuffle().
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
    return cuda_warp::max<Lanes>(value);
  }
  __device__ static unsigned sum(unsigned value) noexcept {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, value);
#else
    return cuda_warp::sum(value);
#endif
  }
  template <class T>
  __device__ static T shuffle(T value, int from) noexcept {
    return cuda_warp::shuffle(value, from);
  }

  // On shared memory.
  __device__ static unsigned add(unsigned* counter, unsigned amount) noexcept {
    return atomicAdd(counter, amount);
  }
  __device__ static void max(unsigned* counter, unsigned value) noexcept {
    atomicMax(counter, value);
  }
  __device__ static void max(fps_key* counter, fps_key value) noexcept {
    atomicMax(reinterpret_cast<unsigned long long*>(counter), static_cast<unsigned long long>(value));
  }

  // On global memory that other blocks write, too.
  __device__ static void write(fps_key* to, fps_key key) noexcept {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(key) : "memory");
  }
  __device__ static fps_key read(fps_key const* from) noexcept {
    fps_key key;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(key) : "l"(from) : "memory");
    return key;
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

/// Whether a grid_board works: from CUDA 12.3 on there are accesses of 128 bits.
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1203
inline constexpr bool has_grid_board = true;
#else
inline constexpr bool has_grid_board = false;
#endif

/// Messages of 16 bytes in global memory, zero at the start, each written and read by one access: in two halves, an old
/// value could come with a new tag.
class grid_board : public team_of_one_gpu {
 public:
  struct alignas(16) message {
    std::uint64_t low;
    std::uint64_t high;
  };

  __device__ explicit grid_board(message* slots) noexcept : slots_{slots} {}

  __device__ static unsigned copies() noexcept { return 1; }

  __device__ void put(unsigned slot, unsigned, fps_words const& words, std::uint32_t tag) const noexcept {
    message const m = message_of(words, tag);
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1203
    asm volatile(
        "{ .reg .b128 both; mov.b128 both, {%1, %2}; st.relaxed.gpu.global.b128 [%0], both; }" ::"l"(slots_ + slot),
        "l"(m.low), "l"(m.high)
        : "memory");
#endif
  }
  __device__ message load(unsigned slot) const noexcept {
    message m{};
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1203
    asm volatile("{ .reg .b128 both; ld.relaxed.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both; }"
                 : "=l"(m.low), "=l"(m.high)
                 : "l"(slots_ + slot)
                 : "memory");
#endif
    return m;
  }
  __device__ static message message_of(fps_words const& words, std::uint32_t tag) noexcept {
    return {static_cast<std::uint64_t>(words.word[1]) << 32 | words.word[0],
            static_cast<std::uint64_t>(tag) << 32 | words.word[2]};
  }
  __device__ static bool has_come(message const& m, std::uint32_t tag) noexcept {
    return static_cast<std::uint32_t>(m.high >> 32) == tag;
  }
  __device__ static fps_words words_of(message const& m) noexcept {
    return {{static_cast<std::uint32_t>(m.low), static_cast<std::uint32_t>(m.low >> 32),
             static_cast<std::uint32_t>(m.high)}};
  }

 private:
  message* slots_;
};

/// The blocks of the calling thread's cluster.
template <class Shared>
class cluster_peers : public team_of_one_gpu {
 public:
  __device__ explicit cluster_peers(Shared& own) noexcept : own_{&own} {}

  __device__ Shared const& of(unsigned rank) const noexcept {
#if __CUDA_ARCH__ >= 900
    return *cooperative_groups::this_cluster().map_shared_rank(own_, rank);
#else
    static_cast<void>(rank);
    return *own_;
#endif
  }
  __device__ static void sync() noexcept {
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().sync();
#endif
  }

 private:
  Shared* own_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
