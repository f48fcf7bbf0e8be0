/// @file
/// Accesses to messages of 16 bytes and keys of 8 bytes in global memory, by which blocks exchange candidates and
/// samples.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/fps/local_maxima/candidate_exchange.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Set of blocks that an access is visible to.
enum class exchange_scope {
  gpu,    ///< blocks of one GPU
  system  ///< blocks of several GPUs
};

/// A message: three words of payload and a tag. One access of 16 bytes writes or reads a message; with two accesses a
/// reader could see an old payload with a new tag.
struct alignas(16) board_message {
  std::uint64_t low;
  std::uint64_t high;

  __device__ static board_message of(fps_words const& words, std::uint32_t tag) noexcept {
    return {static_cast<std::uint64_t>(words.word[1]) << 32 | words.word[0],
            static_cast<std::uint64_t>(tag) << 32 | words.word[2]};
  }
};

/// True if the compiler has accesses of 128 bits: from CUDA 12.3 on to memory of the same GPU, from CUDA 12.4 on to
/// memory of other GPUs.
template <exchange_scope Scope>
inline constexpr bool has_board_messages = __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >=
                                           (Scope == exchange_scope::gpu ? 1203 : 1204);

/// Writes a message by one access. Relaxed order suffices: payload and tag are one value.
template <exchange_scope Scope>
__device__ FARPOINT_ALWAYS_INLINE void store_message(board_message* to, board_message const& m) noexcept {
  if constexpr (has_board_messages<Scope> && Scope == exchange_scope::gpu) {
    asm volatile("{ .reg .b128 both; mov.b128 both, {%1, %2}; st.relaxed.gpu.global.b128 [%0], both; }" ::"l"(to),
                 "l"(m.low), "l"(m.high)
                 : "memory");
  } else if constexpr (has_board_messages<Scope>) {
    asm volatile("{ .reg .b128 both; mov.b128 both, {%1, %2}; st.relaxed.sys.global.b128 [%0], both; }" ::"l"(to),
                 "l"(m.low), "l"(m.high)
                 : "memory");
  }
}
/// Reads a message by one access.
template <exchange_scope Scope>
__device__ FARPOINT_ALWAYS_INLINE board_message load_message(board_message const* from) noexcept {
  board_message m{};
  if constexpr (has_board_messages<Scope> && Scope == exchange_scope::gpu) {
    asm volatile("{ .reg .b128 both; ld.relaxed.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both; }"
                 : "=l"(m.low), "=l"(m.high)
                 : "l"(from)
                 : "memory");
  } else if constexpr (has_board_messages<Scope>) {
    asm volatile("{ .reg .b128 both; ld.relaxed.sys.global.b128 both, [%2]; mov.b128 {%0, %1}, both; }"
                 : "=l"(m.low), "=l"(m.high)
                 : "l"(from)
                 : "memory");
  }
  return m;
}

/// Writes a key by one access. A key other than 0 is complete, and needs no tag.
template <exchange_scope Scope>
__device__ FARPOINT_ALWAYS_INLINE void store_key(fps_key* to, fps_key key) noexcept {
  if constexpr (Scope == exchange_scope::gpu) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(key) : "memory");
  } else {
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(key) : "memory");
  }
}
template <exchange_scope Scope>
__device__ FARPOINT_ALWAYS_INLINE fps_key load_key(fps_key const* from) noexcept {
  fps_key key;
  if constexpr (Scope == exchange_scope::gpu) {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(key) : "l"(from) : "memory");
  } else {
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(key) : "l"(from) : "memory");
  }
  return key;
}

/// Base of boards: reads the tag and the payload of a loaded message.
struct board_messages {
  using message = board_message;

  __device__ static bool has_come(message const& m, std::uint32_t tag) noexcept {
    return static_cast<std::uint32_t>(m.high >> 32) == tag;
  }
  __device__ static fps_words words_of(message const& m) noexcept {
    return {{static_cast<std::uint32_t>(m.low), static_cast<std::uint32_t>(m.low >> 32),
             static_cast<std::uint32_t>(m.high)}};
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
