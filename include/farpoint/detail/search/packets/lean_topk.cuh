/// @file
/// A variant of warp_topk whose merges take fewer instructions: a candidate, see packet_steps.
#pragma once

#include <farpoint/warp/warp_topk.cuh>

#include <type_traits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// warp_topk for floats, with the same lists and fewer instructions per merge.
///
/// The first `batch` slots of a column that no candidate has filled hold a distance above infinity. So a merge loads
/// slots without asking how many candidates there are. A merge refills the slots that it has read: eight stores instead
/// of eight comparisons and sixteen selections. The comparison with an excluded index is skipped by warps that exclude
/// none. The minimum of a key of the list and a candidate is one comparison of doubles, as in sort_pair().
///
/// Lists of 32 take 16 candidates in a merge: 159 comparisons for 16, where two merges of eight take 214.
/// @tparam Capacity  as of warp_topk
template <int Capacity>
class lean_topk : public warp_topk<float, Capacity> {
  using base = warp_topk<float, Capacity>;

 public:
  using typename base::key;
  static constexpr int batch = Capacity < 32 ? 8 : 16;
  static constexpr int slots = 2 * batch;

  /// Shared memory of a warp that takes larger batches than warp_topk: slots behind those of warp_topk.
  struct larger_storage : base::storage {
    key more[std::size_t{base::slots}][cuda_warp::lanes];
  };
  using storage = std::conditional_t<(slots > base::slots), larger_storage, typename base::storage>;
  static_assert(sizeof(storage) == sizeof(key) * slots * cuda_warp::lanes);

  /// Constructs the lane's list, as warp_topk().
  __device__ lean_topk(storage& shared, int k, key const& limit, std::uint32_t excluded) noexcept
      : base{shared, k, limit, excluded}, full_{begin_} {
    clear(begin_);
  }

  /// Sets the number of candidates in a column beyond which merge_if_beyond() merges.
  /// @param most  0 to `batch`
  __device__ void limit_to(int most) noexcept { full_ = begin_ + static_cast<std::uint32_t>(most) * row; }
  /// Merges as merge_beyond() does, with the number that limit_to() has set. All lanes call it.
  __device__ bool merge_if_beyond() noexcept {
    if (cuda_warp::ballot(end_ > full_) == 0) return false;
    merge();
    return true;
  }
  /// Merges up to `batch` candidates of each lane if a column has more than `most`, as warp_topk::merge_beyond().
  __device__ bool merge_beyond(int most) noexcept {
    if (cuda_warp::ballot(end_ > begin_ + static_cast<std::uint32_t>(most) * row) == 0) return false;
    merge();
    return true;
  }
  __device__ bool merge_if_full() noexcept { return merge_beyond(batch); }
  __device__ void merge_all() noexcept {
    while (merge_beyond(0)) {
    }
  }

 private:
  using base::at_;
  using base::begin_;
  using base::bound_;
  using base::end_;
  using base::excluded_;
  using base::row;
  /// Bits of a distance that no candidate and no limit exceeds. Keys are compared as doubles: as a high word these are
  /// the bits of a finite double.
  static constexpr std::uint32_t above_infinity = 0x7f800001;

  /// Marks `batch` slots from an address on as free.
  __device__ static void clear(std::uint32_t address) noexcept {
#pragma unroll
    for (int j = 0; j < batch; ++j) {
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(address + static_cast<std::uint32_t>(j) * row + 4),
                   "r"(above_infinity)
                   : "memory");
    }
  }
  /// Replaces a key by another if that is lower: one comparison where doubles are fast.
  __device__ static FARPOINT_ALWAYS_INLINE void lower_to(key const& other, key& at) noexcept {
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
    std::uint64_t a;
    std::uint64_t b;
    std::memcpy(&a, &other, sizeof a);
    std::memcpy(&b, &at, sizeof b);
    asm("{.reg .pred p; setp.lt.f64 p, %1, %2; selp.b64 %0, %3, %0, p;}"
        : "+l"(b)
        : "d"(__longlong_as_double(static_cast<long long>(a))), "d"(__longlong_as_double(static_cast<long long>(b))),
          "l"(a));
    std::memcpy(&at, &b, sizeof b);
#else
    at = detail::chosen(other < at, other, at);
#endif
  }

  __device__ void merge() noexcept {
    std::uint32_t const begin = end_ - begin_ > batch * row ? end_ - batch * row : begin_;
    key next[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) next[j] = base::load(begin + static_cast<std::uint32_t>(j) * row);
    clear(begin);
    end_ = begin;
    if (cuda_warp::ballot(excluded_ != no_index) != 0) {
      key const none{detail::infinity<float>, no_index};
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        if (next[j].index() == excluded_) next[j] = none;
      }
    }
    network_sort(next);
#pragma unroll
    for (int j = 0; j < (Capacity < batch ? Capacity : batch); ++j) {
      lower_to(next[j], at_[Capacity - 1 - j]);
    }
    bitonic_merge(at_);
    if (bound_ >= 0) bound_ = at_[Capacity - 1].distance2();
  }

  std::uint32_t full_;  ///< a column whose next slot is beyond this address is merged
};

}  // namespace detail
FARPOINT_END_NAMESPACE
