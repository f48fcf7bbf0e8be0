/// @file
/// What a neighbor search sorts: (squared distance, index) as one key.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE

/// Index of no point.
inline constexpr std::uint32_t no_index = 0xffffffffu;

namespace detail {

/// A squared distance and whose it is.
/// @tparam Key  the key that they make
template <class Scalar, class Key>
class indexed_distance {
 public:
  indexed_distance() = default;
  FARPOINT_HD constexpr indexed_distance(Scalar distance2, std::uint32_t index) noexcept
      : distance2_{distance2}, index_{index} {}
  /// A key that is not above any other.
  FARPOINT_HD static constexpr Key lowest() noexcept { return {Scalar(0), 0}; }

  FARPOINT_HD constexpr Scalar distance2() const noexcept { return distance2_; }
  FARPOINT_HD constexpr std::uint32_t index() const noexcept { return index_; }

 private:
  Scalar distance2_;
  std::uint32_t index_;
};

/// Returns `a` if `is_first` is true, else `b`. Selects member by member: on a device `is_first ? a : b` selects an
/// address, which keeps arrays of keys with padding out of registers.
template <class Key>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr Key chosen(bool is_first, Key const& a, Key const& b) noexcept {
  return {is_first ? a.distance2() : b.distance2(), is_first ? a.index() : b.index()};
}

}  // namespace detail

/// A neighbor, ordered by (squared distance, index): a total order, so that the k nearest are unique.
///
/// Distances are not negative and not NaN. `index` is below 2^32 - 1, which is no_index.
template <class Scalar>
class neighbor_key : public detail::indexed_distance<Scalar, neighbor_key<Scalar>> {
 public:
  using detail::indexed_distance<Scalar, neighbor_key>::indexed_distance;

  FARPOINT_HD friend constexpr bool operator<(neighbor_key const& a, neighbor_key const& b) noexcept {
    return a.distance2() < b.distance2() || (a.distance2() == b.distance2() && a.index() < b.index());
  }
  /// Puts two keys in ascending order; the comparator of network_sort().
  FARPOINT_HD friend constexpr void sort_pair(neighbor_key& a, neighbor_key& b) noexcept {
    bool const exchange = b < a;
    neighbor_key const lower = detail::chosen(exchange, b, a);
    b = detail::chosen(exchange, a, b);
    a = lower;
  }
};

/// Deprecated name of neighbor_key, until 0.2.
template <class Scalar>
using neighbour_key [[deprecated("farpoint: use neighbor_key")]] = neighbor_key<Scalar>;

/// One word, because the bits of floats that are not negative are in the order of the floats.
template <>
class neighbor_key<float> {
 public:
  neighbor_key() = default;
  FARPOINT_HD FARPOINT_ALWAYS_INLINE neighbor_key(float distance2, std::uint32_t index) noexcept {
    std::uint32_t high;
    std::memcpy(&high, &distance2, sizeof high);
    word_ = std::uint64_t{high} << 32 | index;
  }
  FARPOINT_HD static FARPOINT_ALWAYS_INLINE neighbor_key lowest() noexcept { return {0.0f, 0}; }

  FARPOINT_HD FARPOINT_ALWAYS_INLINE float distance2() const noexcept {
    auto const high = static_cast<std::uint32_t>(word_ >> 32);
    float distance;
    std::memcpy(&distance, &high, sizeof distance);
    return distance;
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t index() const noexcept { return static_cast<std::uint32_t>(word_); }
  FARPOINT_HD friend FARPOINT_ALWAYS_INLINE bool operator<(neighbor_key const& a, neighbor_key const& b) noexcept {
    return a.word_ < b.word_;
  }
  /// Puts two keys in ascending order; the comparator of network_sort().
  FARPOINT_HD friend FARPOINT_ALWAYS_INLINE void sort_pair(neighbor_key& a, neighbor_key& b) noexcept {
    std::uint64_t lower;
    std::uint64_t upper;
    // On a device one comparison: of a minimum and a maximum of 64 bits the compiler makes two. As doubles the words
    // have the same order, for none is a NaN, and where those are fast they have units of their own. The lower key
    // waits in a register of the assembly's own: an output may be given the register of an input, and those are read
    // until the end.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
    asm("{.reg .pred p; .reg .b64 low; setp.lt.f64 p, %3, %2; selp.b64 low, %4, %5, p; selp.b64 %1, %5, %4, p; "
        "mov.b64 %0, low;}"
        : "=l"(lower), "=l"(upper)
        : "d"(__longlong_as_double(static_cast<long long>(a.word_))),
          "d"(__longlong_as_double(static_cast<long long>(b.word_))), "l"(b.word_), "l"(a.word_));
#elif defined(__CUDA_ARCH__)
    asm("{.reg .pred p; .reg .b64 low; setp.lt.u64 p, %3, %2; selp.b64 low, %3, %2, p; selp.b64 %1, %2, %3, p; "
        "mov.b64 %0, low;}"
        : "=l"(lower), "=l"(upper)
        : "l"(a.word_), "l"(b.word_));
#else
    bool const exchange = b < a;
    lower = exchange ? b.word_ : a.word_;
    upper = exchange ? a.word_ : b.word_;
#endif
    a.word_ = lower;
    b.word_ = upper;
  }

 private:
  std::uint64_t word_;
};

namespace detail {

/// Overload for a key of one word.
FARPOINT_HD FARPOINT_ALWAYS_INLINE neighbor_key<float> chosen(bool is_first, neighbor_key<float> const& a,
                                                              neighbor_key<float> const& b) noexcept {
  return is_first ? a : b;
}

}  // namespace detail

/// A squared distance and an index, ordered by index alone.
template <class Scalar>
class index_key : public detail::indexed_distance<Scalar, index_key<Scalar>> {
 public:
  using detail::indexed_distance<Scalar, index_key>::indexed_distance;

  FARPOINT_HD friend constexpr bool operator<(index_key const& a, index_key const& b) noexcept {
    return a.index() < b.index();
  }
};

FARPOINT_END_NAMESPACE
