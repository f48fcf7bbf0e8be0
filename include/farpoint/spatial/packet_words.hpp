/// @file
/// Words that stand for neighbors in the lists of a query_packet.
#pragma once

#include <farpoint/spatial/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Queries of a packet: two vectors of AVX2, one of AVX-512.
inline constexpr int packet_lanes = 16;

/// Neighbors as 64-bit words, which as doubles are in the order of their squared distances. Every processor has a
/// minimum of doubles, and no word is a NaN.
template <class Scalar>
class packet_words;

/// Words of floats: the keys themselves, so that their order decides.
template <>
class packet_words<float> {
 public:
  using bvh = point_bvh_ref<float>;
  using key = neighbor_key<float>;
  /// Rows of a list behind its k-th.
  static constexpr int spare_rows = 0;

  FARPOINT_ALWAYS_INLINE explicit packet_words(bvh const&) noexcept {}

  /// The 32 bits by which a word names point `lane` of a leaf.
  FARPOINT_ALWAYS_INLINE std::uint32_t name_of(point_leaf<float> const& leaf, std::uint32_t, int lane) const noexcept {
    return leaf.index[lane];
  }
  /// The word of a named point at a squared distance.
  FARPOINT_ALWAYS_INLINE double word_of(float distance2, std::uint32_t name) const noexcept {
    return number_of(key{distance2, name});
  }
  /// The word of no point; a list takes no word that is not below it.
  FARPOINT_ALWAYS_INLINE double none(float limit2) const noexcept { return word_of(limit2, no_index); }
  /// A key that no key of a smaller word is above.
  FARPOINT_ALWAYS_INLINE key bound_of(std::uint64_t word) const noexcept {
    auto const high = static_cast<std::uint32_t>(word >> 32);
    float distance;
    std::memcpy(&distance, &high, sizeof distance);
    return {distance, static_cast<std::uint32_t>(word)};
  }

  /// Writes the k first of a lane's rows as keys; returns true, since they are the k nearest.
  template <std::size_t Rows>
  FARPOINT_ALWAYS_INLINE bool write(double const (&rows)[Rows][packet_lanes], int lane, int k, vec<float, 3> const&,
                                    key const&, key* keys) const noexcept {
    for (int row = 1; row <= k; ++row) {
      std::uint64_t word;
      std::memcpy(&word, &rows[row][lane], sizeof word);
      keys[row - 1] = bound_of(word);
    }
    return true;
  }

 private:
  static_assert(sizeof(key) == sizeof(double));

  FARPOINT_ALWAYS_INLINE static double number_of(key const& key) noexcept {
    double number;
    std::memcpy(&number, &key, sizeof number);
    return number;
  }
};

/// Words of doubles: the distance with its last bits replaced by the point's slot in the leaves.
///
/// Cutting bits off is monotone, so a point with the smaller remainder has the smaller distance. Only points with equal
/// remainders may be in the wrong order. A list has one row more than it needs: if rows k and k + 1 have different
/// remainders, the k nearest are known, and their exact distances put them in order. Infinity is cut to the largest
/// finite number, because its remainder with a slot would be a NaN.
template <>
class packet_words<double> {
 public:
  using bvh = point_bvh_ref<double>;
  using key = neighbor_key<double>;
  static constexpr int spare_rows = 1;

  FARPOINT_ALWAYS_INLINE explicit packet_words(bvh const& points) noexcept : bvh_{points} {
    std::uint64_t const slots = std::uint64_t{points.leaf_count()} * point_bvh_width;
    while (slot_bits_ < slots) slot_bits_ = 2 * slot_bits_ + 1;
  }

  FARPOINT_ALWAYS_INLINE std::uint32_t name_of(point_leaf<double> const& leaf, std::uint32_t node,
                                               int lane) const noexcept {
    auto const slot = node * point_bvh_width + static_cast<std::uint32_t>(lane);
    return leaf.index[lane] != no_index ? slot : static_cast<std::uint32_t>(slot_bits_);
  }
  FARPOINT_ALWAYS_INLINE double word_of(double distance2, std::uint32_t name) const noexcept {
    // Compared as bits: with -ffinite-math-only a compiler would drop the comparison of doubles.
    std::uint64_t bits;
    std::memcpy(&bits, &distance2, sizeof bits);
    bits = bits < largest_bits ? bits : largest_bits;
    bits = (bits & ~slot_bits_) | name;
    double word;
    std::memcpy(&word, &bits, sizeof word);
    return word;
  }
  FARPOINT_ALWAYS_INLINE double none(double limit2) const noexcept {
    return word_of(limit2, static_cast<std::uint32_t>(slot_bits_));
  }
  FARPOINT_ALWAYS_INLINE key bound_of(std::uint64_t word) const noexcept {
    word |= slot_bits_;
    if (word >= largest_bits) return {infinity<double>, no_index};
    double bound;
    std::memcpy(&bound, &word, sizeof bound);
    return {bound, no_index};
  }

  /// Writes the k first of a lane's rows that are below the limit as keys, ascending, and the limit instead of missing
  /// ones; returns false if they may not be the k nearest. The k nearest are never above the k-th key.
  template <std::size_t Rows>
  FARPOINT_ALWAYS_INLINE bool write(double const (&rows)[Rows][packet_lanes], int lane, int k, vec<double, 3> const& q,
                                    key const& limit, key* keys) const noexcept {
    int count = 0;
    std::uint64_t word = 0;
    for (int row = 1; row <= k; ++row) {
      std::memcpy(&word, &rows[row][lane], sizeof word);
      if ((word & slot_bits_) == slot_bits_) break;
      key const found = key_at(static_cast<std::uint32_t>(word & slot_bits_), q);
      if (!(found < limit)) continue;
      int j = count++;
      for (; j > 0 && found < keys[j - 1]; --j) keys[j] = keys[j - 1];
      keys[j] = found;
    }
    for (int j = count; j < k; ++j) keys[j] = limit;
    std::uint64_t next;
    std::memcpy(&next, &rows[k + 1][lane], sizeof next);
    bool const is_short = (word & slot_bits_) == slot_bits_ || (next & slot_bits_) == slot_bits_;
    return is_short || (word | slot_bits_) != (next | slot_bits_);
  }

 private:
  /// Bits of the largest finite number.
  static constexpr std::uint64_t largest_bits = 0x7fefffffffffffff;

  FARPOINT_ALWAYS_INLINE key key_at(std::uint32_t slot, vec<double, 3> const& q) const noexcept {
    point_leaf<double> const& leaf = bvh_.leaf(slot / point_bvh_width);
    int const lane = static_cast<int>(slot % point_bvh_width);
    return {distance2(leaf.at(lane), q), leaf.index[lane]};
  }

  bvh const& bvh_;
  std::uint64_t slot_bits_ = 0;  ///< the last bits of a word; all set: no point
};

}  // namespace detail
FARPOINT_END_NAMESPACE
