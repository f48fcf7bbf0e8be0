/// @file
/// k smallest of many keys for each lane of a warp.
#pragma once

#include <farpoint/container/topk.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/warp/cuda_warp.cuh>
#include <farpoint/warp/sorting_network.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Keeps the k smallest keys of each lane: a sorted list in registers, behind a buffer in shared memory. The lanes of a
/// warp work on 32 different queries; CUB has no such primitive, since its sorts put the keys of all lanes into one
/// order.
///
/// Inserting into a sorted list costs a warp the same for one lane as for all 32. So a lane only stores a candidate in
/// its buffer; when one buffer is nearly full, all lanes sort their buffers and merge them into their lists, by
/// networks without branches. Until then bound() is the bound of the last merge: a few candidates too many are stored,
/// none is lost.
///
/// The first `batch` slots of a column that hold no candidate hold a key above all others. So a merge loads slots
/// without asking how many candidates there are, and refills the slots that it has read.
///
/// Use: construct, activate(), then offer() up to `batch` candidates per lane between two calls of merge_if_full(), and
/// merge_all() at the end. The result does not depend on the order of the candidates: ties go to the lower index.
/// Distances must not be NaN. Cost: Capacity keys in registers; 2 * batch keys of shared memory per lane; one store per
/// candidate; 19 comparisons to sort 8 candidates, or 63 for 16, and Capacity / 2 * log2(Capacity) to merge them.
/// @tparam Capacity  maximum k: 1, or a power of two
template <class Scalar, int Capacity>
class warp_topk {
 public:
  using scalar = Scalar;
  using key = neighbor_key<Scalar>;
  static constexpr int capacity = Capacity;
  /// Number of candidates per lane in a merge, and limit on offers between two calls of merge_if_full(): 8, or 16 for
  /// lists of 32 floats, 64 doubles or more. Large if a merge is expensive; shorter lists gain more from a bound that
  /// falls early. h200, 1 M points of a cube, k = 32, us: 1,406 (8, with merges of more instructions: 1,567).
  static constexpr int batch = Capacity < 8 * int{sizeof(Scalar)} ? 8 : 16;
  static constexpr int slots = 2 * batch;

  /// Shared memory of a warp, with a column per lane to avoid bank conflicts. Needs no initialization; free for other
  /// use before activate() and after merge_all().
  struct alignas(sizeof(key)) storage {
    key at[std::size_t{slots}][cuda_warp::lanes];
  };

  /// Constructs the lane's list. All lanes pass the same storage.
  /// @param shared    storage of the warp
  /// @param k         1 to Capacity
  /// @param limit     exclusive upper bound on keys; also the value of missing elements
  /// @param excluded  index to skip; no_index for none
  __device__ warp_topk(storage& shared, int k, key const& limit, std::uint32_t excluded) noexcept
      : begin_{address_of(shared.at[0][cuda_warp::lane()])}, end_{begin_}, full_{begin_}, excluded_{excluded} {
#pragma unroll
    for (int j = 0; j < Capacity; ++j) at_[j] = j < Capacity - k ? key::lowest() : limit;
  }

  /// Declares whether the lane needs candidates. Call it before the first offer and after merge_all(). Clears the
  /// lane's column.
  __device__ void activate(bool is_active) noexcept {
    clear(begin_);
    bound_ = is_active ? at_[Capacity - 1].distance2() : Scalar(-1);
  }
  /// Empties the list of a lane that needs candidates, and drops its queued candidates; bound() remains its limit. The
  /// lists of other lanes remain.
  /// @param k  as in the constructor
  __device__ void restart(int k) noexcept {
    if (bound_ < 0) return;
    clear(begin_);
    end_ = begin_;
#pragma unroll
    for (int j = 0; j < Capacity; ++j) {
      if (j >= Capacity - k) at_[j] = key{bound_, no_index};
    }
  }
  /// Maximum distance of candidates that are needed; negative for a lane that needs none.
  __device__ Scalar bound() const noexcept {
    return bound_;
  }
  /// Index of the k-th key: candidates at distance bound() are needed only if their index is lower.
  __device__ std::uint32_t bound_index() const noexcept {
    return at_[Capacity - 1].index();
  }

  /// Stores a candidate that is not farther than bound(). Lanes may call it independently.
  __device__ void offer(Scalar distance2, std::uint32_t index) noexcept {
    store(end_, key{distance2, index});
    end_ += row;
  }

  /// Merges if a buffer is nearly full. All lanes call it. Returns true if bounds may have fallen.
  __device__ bool merge_if_full() noexcept {
    return merge_beyond(batch);
  }
  /// Merges until every list contains all offered candidates. All lanes call it.
  __device__ void merge_all() noexcept {
    while (merge_beyond(0)) {
    }
  }
  /// Merges up to `batch` candidates of each lane if a buffer has more than `most`. All lanes call it. Returns true if
  /// bounds may have fallen. merge_if_full() and merge_all() call it; a loop that calls it directly, in one position,
  /// inlines the networks once.
  /// @param most  0 to `batch`
  __device__ bool merge_beyond(int most) noexcept {
    limit_to(most);
    return merge_if_beyond();
  }
  /// merge_beyond() in two steps, for loops that seldom change `most`: limit_to() sets it for merge_if_beyond().
  __device__ void limit_to(int most) noexcept {
    full_ = begin_ + static_cast<std::uint32_t>(most) * row;
  }
  __device__ bool merge_if_beyond() noexcept {
    if (cuda_warp::ballot(end_ > full_) == 0) return false;
    merge();
    return true;
  }

  /// Merges the list of the lane whose number differs in the bits of `mask` into the lane's own list, after
  /// merge_all(). All lanes call it. The other list must have been constructed with k = Capacity; no candidates may
  /// follow.
  __device__ void merge_lane(int mask) noexcept {
#pragma unroll
    for (int j = 0; j < (Capacity + 1) / 2; ++j) {
      key& low = at_[j];
      key& high = at_[Capacity - 1 - j];
      key const other_low = cuda_warp::shuffle_xor(low, mask);
      key const other_high = cuda_warp::shuffle_xor(high, mask);
      high = detail::chosen(other_low < high, other_low, high);
      low = detail::chosen(other_high < low, other_high, low);
    }
    bitonic_merge(at_);
  }

  /// Element j of Capacity, ascending; the lane's result is the last k elements.
  __device__ key const& operator[](int j) const noexcept {
    return at_[j];
  }

 private:
  // Columns are traversed by shared-memory address, so that a candidate costs a store and an addition. From a pointer
  // the compiler would compute the address for each candidate, which takes longer than all other work.
  static constexpr std::uint32_t row = cuda_warp::lanes * sizeof(key);
  static constexpr int words = sizeof(key) / sizeof(std::uint32_t);
  static_assert(words == 2 || words == 4);

  __device__ static std::uint32_t address_of(key const& place) noexcept {
    auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(&place));
    asm volatile("" : "+r"(address));
    return address;
  }
  __device__ static void store(std::uint32_t address, key const& value) noexcept {
    std::uint32_t w[words];
    std::memcpy(w, &value, sizeof w);
    if constexpr (words == 2) {
      asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(w[0]), "r"(w[1]) : "memory");
    } else {
      asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
                   : "memory");
    }
  }
  __device__ static key load(std::uint32_t address) noexcept {
    std::uint32_t w[words];
    if constexpr (words == 2) {
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(w[0]), "=r"(w[1]) : "r"(address) : "memory");
    } else {
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                   : "r"(address)
                   : "memory");
    }
    key value;
    std::memcpy(&value, w, sizeof w);
    return value;
  }

  /// Marks `batch` slots from an address on as free, by keys that no candidate and no limit exceeds.
  __device__ static void clear(std::uint32_t address) noexcept {
#pragma unroll
    for (int j = 0; j < batch; ++j) {
      std::uint32_t const slot = address + static_cast<std::uint32_t>(j) * row;
      if constexpr (words == 2) {
        // Bits of a distance above infinity, with any index. Keys are compared as doubles: as a high word these are the
        // bits of a finite double.
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(slot + 4), "r"(0x7f800001u) : "memory");
      } else {
        store(slot, none());
      }
    }
  }
  __device__ static key none() noexcept {
    return {detail::infinity<Scalar>, no_index};
  }

  /// Replaces a key by another if that is lower: one comparison where doubles are fast, as in sort_pair().
  __device__ static FARPOINT_ALWAYS_INLINE void lower_to(key const& other, key& at) noexcept {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
    if constexpr (words == 2) {
      std::uint64_t a;
      std::uint64_t b;
      std::memcpy(&a, &other, sizeof a);
      std::memcpy(&b, &at, sizeof b);
      asm("{.reg .pred p; setp.lt.f64 p, %1, %2; selp.b64 %0, %3, %0, p;}"
          : "+l"(b)
          : "d"(__longlong_as_double(static_cast<long long>(a))), "d"(__longlong_as_double(static_cast<long long>(b))),
            "l"(a));
      std::memcpy(&at, &b, sizeof b);
      return;
    }
#endif
    at = detail::chosen(other < at, other, at);
  }

  /// Merges the last candidates of each lane into its list.
  __device__ void merge() noexcept {
    std::uint32_t const begin = end_ - begin_ > batch * row ? end_ - batch * row : begin_;
    key next[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) next[j] = load(begin + static_cast<std::uint32_t>(j) * row);
    clear(begin);
    end_ = begin;
    if (cuda_warp::ballot(excluded_ != no_index) != 0) {
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        if (next[j].index() == excluded_) next[j] = none();
      }
    }
    network_sort(next);
    // Pairing the largest of the list with the smallest of the buffer, and so on, and keeping the smaller of each pair
    // leaves the smallest keys of all as a bitonic sequence.
#pragma unroll
    for (int j = 0; j < (Capacity < batch ? Capacity : batch); ++j) lower_to(next[j], at_[Capacity - 1 - j]);
    bitonic_merge(at_);
    if (bound_ >= 0) bound_ = at_[Capacity - 1].distance2();
  }

  key at_[std::size_t{Capacity}];
  Scalar bound_ = Scalar(-1);
  std::uint32_t begin_;  ///< address of the lane's column
  std::uint32_t end_;    ///< address for the next candidate
  std::uint32_t full_;   ///< a column whose next slot is beyond this address is merged by merge_if_beyond()
  std::uint32_t excluded_;
};

FARPOINT_END_NAMESPACE
