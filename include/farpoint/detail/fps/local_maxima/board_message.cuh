/// @file
/// What blocks tell one another in global memory: messages of 16 bytes and keys of eight, each written and read by one
/// access.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/fps/local_maxima/candidate_exchange.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Whose blocks exchange something.
enum class exchange_scope {
  gpu,    ///< those of one
  system  ///< those of several
};

/// Three words and a tag: in two halves, an old value could come with a new tag.
struct alignas(16) board_message {
  std::uint64_t low;
  std::uint64_t high;

  __device__ static board_message of(fps_words const& words, std::uint32_t tag) noexcept {
    return {static_cast<std::uint64_t>(words.word[1]) << 32 | words.word[0],
            static_cast<std::uint64_t>(tag) << 32 | words.word[2]};
  }
};

/// Whether there are messages: from CUDA 12.3 on there are accesses of 128 bits, from CUDA 12.4 on to other GPUs.
template <exchange_scope Scope>
inline constexpr bool has_board_messages = __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >=
                                           (Scope == exchange_scope::gpu ? 1203 : 1204);

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

/// What a board does with what it has loaded.
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
