/// @file
/// Atomic operations on words in the caller's memory, the same for kernels and host threads.
///
/// The word is in global memory, in shared memory, or on the host. On a device the scope is the device: a running
/// kernel cannot use them to communicate with the host or with another GPU. There are no stand-alone fences, because
/// ThreadSanitizer does not understand them. C++17 has no std::atomic_ref, and cuda::atomic_ref tests at every
/// operation whether the word is in local memory.
#pragma once

#include <farpoint/core/types.hpp>

#if !defined(__CUDACC__) && !defined(__GNUC__)
#error "farpoint: core/atomic.hpp needs g++, clang++, or nvcc with either"
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1203
#define FARPOINT_HAS_PAIR_EXCHANGE
#endif

FARPOINT_BEGIN_NAMESPACE
namespace detail {

template <class Word>
inline constexpr bool is_atomic_word = std::is_same_v<Word, std::uint32_t> || std::is_same_v<Word, std::uint64_t>;

#if defined(__CUDA_ARCH__)
/// The type that CUDA's atomic functions take for a word of this size.
template <class Word>
using cuda_word = std::conditional_t<sizeof(Word) == 4, unsigned, unsigned long long>;

template <class Word>
__device__ FARPOINT_ALWAYS_INLINE cuda_word<Word>* as_cuda_word(Word* word) noexcept {
  static_assert(is_atomic_word<Word>, "farpoint: an atomic word is a std::uint32_t or a std::uint64_t");
  return reinterpret_cast<cuda_word<Word>*>(word);
}
#endif

}  // namespace detail

/// Two adjacent words in memory that are loaded, stored or exchanged at once.
struct alignas(16) word_pair {
  std::uint64_t first, second;
};

/// True if atomic_compare_exchange() of a word_pair exists where this is called: in code for devices of compute
/// capability 9.0 and above, from CUDA 12.3 on.
FARPOINT_HD constexpr bool has_pair_exchange() noexcept {
#if defined(FARPOINT_HAS_PAIR_EXCHANGE)
  return true;
#else
  return false;
#endif
}

/// Loads a word. Relaxed: orders no other access.
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Word atomic_load(Word const* word) noexcept {
  static_assert(detail::is_atomic_word<Word>, "farpoint: an atomic word is a std::uint32_t or a std::uint64_t");
#if defined(__CUDA_ARCH__)
  Word seen;
  if constexpr (sizeof(Word) == 4) {
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(word) : "memory");
  } else {
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(seen) : "l"(word) : "memory");
  }
  return seen;
#else
  return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

/// Loads a word. If the loaded value is from an atomic_store_release(), the writes before that store are visible to the
/// caller.
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Word atomic_load_acquire(Word const* word) noexcept {
  static_assert(detail::is_atomic_word<Word>, "farpoint: an atomic word is a std::uint32_t or a std::uint64_t");
#if defined(__CUDA_ARCH__)
  Word seen;
  if constexpr (sizeof(Word) == 4) {
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(word) : "memory");
  } else {
    asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(seen) : "l"(word) : "memory");
  }
  return seen;
#else
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#endif
}

/// Loads two consecutive words, the first 16-byte aligned; one instruction on a device. Relaxed. Each word is atomic,
/// the pair is not.
FARPOINT_HD FARPOINT_ALWAYS_INLINE void atomic_load_pair(std::uint64_t const* words, std::uint64_t& first,
                                                         std::uint64_t& second) noexcept {
#if defined(__CUDA_ARCH__)
  asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(words) : "memory");
#else
  first = atomic_load(words);
  second = atomic_load(words + 1);
#endif
}

/// Loads four consecutive words like atomic_load_pair(), the first 16-byte aligned.
FARPOINT_HD FARPOINT_ALWAYS_INLINE void atomic_load_four(std::uint32_t const* words,
                                                         std::uint32_t (&seen)[4]) noexcept {
#if defined(__CUDA_ARCH__)
  asm volatile("ld.relaxed.gpu.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(seen[0]), "=r"(seen[1]), "=r"(seen[2]), "=r"(seen[3])
               : "l"(words)
               : "memory");
#else
  for (int i = 0; i < 4; ++i) seen[i] = atomic_load(words + i);
#endif
}

/// Stores a word. Relaxed: orders no other access.
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void atomic_store(Word* word, Word value) noexcept {
  static_assert(detail::is_atomic_word<Word>, "farpoint: an atomic word is a std::uint32_t or a std::uint64_t");
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Word) == 4) {
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
  } else {
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
  }
#else
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
#endif
}

/// Stores a word. A thread that sees `value` by atomic_load_acquire() also sees what the caller wrote before.
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void atomic_store_release(Word* word, Word value) noexcept {
  static_assert(detail::is_atomic_word<Word>, "farpoint: an atomic word is a std::uint32_t or a std::uint64_t");
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Word) == 4) {
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
  } else {
    asm volatile("st.release.gpu.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
  }
#else
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
#endif
}

/// Writes `wanted` if the word is `expected`. Relaxed.
/// @return the word before; it equals `expected` exactly if `wanted` was written
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Word atomic_compare_exchange(Word* word, Word expected, Word wanted) noexcept {
#if defined(__CUDA_ARCH__)
  return atomicCAS(detail::as_cuda_word(word), static_cast<detail::cuda_word<Word>>(expected),
                   static_cast<detail::cuda_word<Word>>(wanted));
#else
  static_assert(detail::is_atomic_word<Word>, "farpoint: an atomic word is a std::uint32_t or a std::uint64_t");
  __atomic_compare_exchange_n(word, &expected, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

#if defined(FARPOINT_HAS_PAIR_EXCHANGE)
/// Writes both words of `wanted` if the pair is `expected`; one instruction, in global and in shared memory. Relaxed.
/// Only where has_pair_exchange().
/// @return the pair before; it equals `expected` exactly if `wanted` was written
__device__ FARPOINT_ALWAYS_INLINE word_pair atomic_compare_exchange(word_pair* pair, word_pair expected,
                                                                    word_pair wanted) noexcept {
  word_pair seen;
  asm volatile(
      "{ .reg .b128 seen, expected, wanted; mov.b128 expected, {%2, %3}; mov.b128 wanted, {%4, %5};\n\t"
      "atom.relaxed.gpu.cas.b128 seen, [%6], expected, wanted; mov.b128 {%0, %1}, seen; }"
      : "=l"(seen.first), "=l"(seen.second)
      : "l"(expected.first), "l"(expected.second), "l"(wanted.first), "l"(wanted.second), "l"(pair)
      : "memory");
  return seen;
}
#undef FARPOINT_HAS_PAIR_EXCHANGE
#endif

/// Adds, modulo 2^bits. Relaxed.
/// @return the word before
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Word atomic_add(Word* word, Word amount) noexcept {
#if defined(__CUDA_ARCH__)
  return atomicAdd(detail::as_cuda_word(word), static_cast<detail::cuda_word<Word>>(amount));
#else
  static_assert(detail::is_atomic_word<Word>, "farpoint: an atomic word is a std::uint32_t or a std::uint64_t");
  return __atomic_fetch_add(word, amount, __ATOMIC_RELAXED);
#endif
}

namespace detail {

#if defined(__CUDA_ARCH__)
/// Adds 1 for each lane of the mask `together`, by one addition. The lanes of the mask call it, with one word.
template <class Word>
__device__ FARPOINT_ALWAYS_INLINE Word increment_together(Word* word, unsigned together) noexcept {
  unsigned lower;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower));
  lower &= together;
  Word before = 0;
  if (lower == 0) before = atomic_add(word, static_cast<Word>(__popc(together)));
  return __shfl_sync(together, before, __ffs(together) - 1) + static_cast<Word>(__popc(lower));
}
#endif

}  // namespace detail

/// Adds 1, modulo 2^bits. Relaxed. Lanes of a warp that come together make one addition, and must name one word.
/// @return the word before; of lanes together as if they had come one after another
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Word atomic_increment(Word* word) noexcept {
#if defined(__CUDA_ARCH__)
  return detail::increment_together(word, __activemask());
#else
  return atomic_add(word, Word{1});
#endif
}

/// atomic_increment() for lanes that may name different words: those of one word make one addition.
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Word atomic_increment_any(Word* word) noexcept {
#if defined(__CUDA_ARCH__)
  return detail::increment_together(word, __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(word)));
#else
  return atomic_add(word, Word{1});
#endif
}

/// Sets those bits of the word that are set in `bits`. Relaxed.
/// @return the word before
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Word atomic_or(Word* word, Word bits) noexcept {
#if defined(__CUDA_ARCH__)
  return atomicOr(detail::as_cuda_word(word), static_cast<detail::cuda_word<Word>>(bits));
#else
  static_assert(detail::is_atomic_word<Word>, "farpoint: an atomic word is a std::uint32_t or a std::uint64_t");
  return __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
#endif
}

/// Lowers the word to `value` if that is smaller. Relaxed.
/// @return the word before
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Word atomic_min(Word* word, Word value) noexcept {
#if defined(__CUDA_ARCH__)
  return atomicMin(detail::as_cuda_word(word), static_cast<detail::cuda_word<Word>>(value));
#else
  static_assert(detail::is_atomic_word<Word>, "farpoint: an atomic word is a std::uint32_t or a std::uint64_t");
  Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (value < seen && !__atomic_compare_exchange_n(word, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return seen;
#endif
}

FARPOINT_END_NAMESPACE
