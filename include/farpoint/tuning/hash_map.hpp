/// @file
/// Tuning of a hash map. Except for `erases`, it affects the speed, never a result.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Location of values. Affects no result, only slot numbers, and when a value becomes visible.
enum class hash_map_layout {
  pairs,  ///< next to the key: in one word if both have 32 bits, else in 16 bytes, which one compare-and-swap writes
          ///< from compute capability 9.0 on
  split   ///< in the second part of the map's memory: calls without values access half of the memory
};

constexpr char const* to_string(hash_map_layout layout) noexcept {
  return layout == hash_map_layout::pairs ? "pairs" : "split";
}

/// Inputs of hash_map_tuning::passes() and parts().
struct hash_map_case {
  index_t keys;         ///< number of keys of the call
  index_t slots;        ///< number of slots of the map
  index_t bytes;        ///< size of the map's memory that the call may access
  index_t cache_bytes;  ///< size of the device's L2 cache; 0 if unknown
  bool is_split;        ///< layout is hash_map_layout::split
  bool takes_values;    ///< the call reads or writes an array of values
  bool inserts;
  bool has_outcomes;  ///< the call writes a result per key
};

constexpr bool operator==(hash_map_case const& a, hash_map_case const& b) noexcept {
  return a.keys == b.keys && a.slots == b.slots && a.bytes == b.bytes && a.cache_bytes == b.cache_bytes &&
         a.is_split == b.is_split && a.takes_values == b.takes_values && a.inserts == b.inserts &&
         a.has_outcomes == b.has_outcomes;
}
constexpr bool operator!=(hash_map_case const& a, hash_map_case const& b) noexcept {
  return !(a == b);
}
template <class Stream>
Stream& operator<<(Stream& stream, hash_map_case const& c) {
  stream << "{keys " << c.keys << ", slots " << c.slots << ", bytes " << c.bytes << ", cache_bytes " << c.cache_bytes
         << ", is_split " << c.is_split << ", takes_values " << c.takes_values << ", inserts " << c.inserts
         << ", has_outcomes " << c.has_outcomes << '}';
  return stream;
}

/// Tuning of a hash map on a GPU. Except for `erases`, it affects the speed, never a result. Derive from it to change a
/// part. Figures are G keys/s on an H200, u32 keys and values, load 0.5 (bench/results/nvidia-h200/hash_map.json has
/// all).
struct hash_map_tuning {
  // 10 M keys, outside L2, in one pass: values in 18.2 (split 8.6), values out 41.7 (22); but keys alone in 18.6
  // (24.6), slots out 41.7 (54). 1 M keys: 28.3 (23.9), 76 (56), 28.4 (30), 76 (82).
  static constexpr hash_map_layout layout = hash_map_layout::pairs;

  /// True if keys can be erased. The map then reserves a second key, and updates a value that shares a word with its
  /// key by compare-and-swap, so that the update cannot restore a key that another thread erases.
  static constexpr bool erases = false;

  /// Number of passes of a call on an array over its keys: 1, 2, 4 or 8. Each pass handles another part of the map,
  /// which then stays in the L2 cache. Other numbers are rounded down, and 8 becomes 4 if a result is written per key,
  /// since passes break up contiguous writes.
  ///
  /// Pairs in, 10 M: 25.5, with one pass 18.2 (2: 22.1, 8: 21.9); 30 M: 20.7 (15.4); 50 M: 16.7 (15.1); 100 M: 14.4
  /// (14.5), without values 16.0 (14.7). Keys into a split map, 10 M: 31.3 (24.7); 100 M: 19.5 (14.1).
  static constexpr int passes(hash_map_case const& c) noexcept {
    if (c.cache_bytes <= 0 || c.bytes <= c.cache_bytes || c.keys < 1'000'000) return 1;
    double const caches = static_cast<double>(c.bytes) / static_cast<double>(c.cache_bytes);
    if (c.has_outcomes) return passes_with_outcomes(c, caches);
    if (c.takes_values && caches > 16) return 1;
    return caches <= 2 ? 2 : caches <= 6 ? 4 : 8;
  }

  /// Upper bound on parts(), at most 512. With 1, the sorting kernels are not even compiled.
  static constexpr int max_parts = 512;

  /// Number of parts of the map by which a call with a workspace sorts its keys, to process part after part. With 1 or
  /// less it does not sort, uses passes(), and needs no workspace.
  static constexpr int parts(hash_map_case const& c) noexcept {
    if (c.cache_bytes <= 0 || c.keys < 1'000'000) return 1;
    double const caches = static_cast<double>(c.bytes) / static_cast<double>(c.cache_bytes);
    // Passes are as good for insertions into maps of a few cache sizes, unless copies of a key meet. Sorting costs more
    // than it gains if few keys share a sector of memory and for the fastest look-ups.
    double const least = !c.inserts ? 3 : c.has_outcomes ? 2.5 : c.keys > c.slots ? 3 : 5;
    if (caches < least || c.keys < c.bytes / (c.inserts ? 64 : 28)) return 1;
    // Smaller parts would be written in shorter runs.
    return static_cast<int>(detail::smaller<index_t>(max_parts, detail::divide_up(3 * c.bytes, c.cache_bytes)));
  }

 private:
  // 10 M slots out of a split map: 63.6, with one pass 53.9; at load 0.8, when the keys fit into the cache, 53.8
  // (59.7). Values out of it: 36.3 (24.3). Slots of pairs that are inserted: 19.0 (17.9), at load 0.8 21.2 (18.8), but
  // 16 M 14.7 (16.5), and 100 M copies of 12.5 M keys 26.1 (37.2), which find their pair in the cache anyway. Values
  // out of pairs: 47.0 (41.6), at load 0.8 41.7 (42.6). Slots of pairs that are looked up: 43.5 (45.9).
  static constexpr int passes_with_outcomes(hash_map_case const& c, double caches) noexcept {
    if (c.is_split && !c.takes_values) return caches <= 2 ? 2 : 1;
    bool const is_worth_it = c.is_split || (c.takes_values ? caches >= 2 : c.inserts && c.keys <= c.slots);
    return is_worth_it && caches >= 1.5 && caches <= 3 ? 4 : 1;
  }
};

namespace detail {

/// Threads per block of the kernels.
inline constexpr int hash_map_block_size = 256;

/// Maximum number of keys of a call on a stream: eight passes take a block per 192 keys, and a grid has 2^31 - 1
/// blocks.
inline constexpr index_t hash_map_max_keys = index_t{1} << 38;

/// Maximum number of parts by which keys are sorted.
inline constexpr int hash_map_max_parts = 512;

/// Number of results per thread that are restored to the order of the call.
inline constexpr int hash_map_unsort_keys = 4;

/// Capacity of a part of the map for `keys` keys in total. The slack covers random fluctuations, which grow if keys
/// occur several times.
constexpr index_t hash_map_part_room(index_t keys, index_t parts) noexcept {
  index_t const share = divide_up(keys, parts);
  return divide_up(share + share / 16 + 512, index_t{hash_map_block_size}) * hash_map_block_size;
}

/// Upper bound on the capacity of all parts together, for any number of parts.
constexpr index_t hash_map_max_room(index_t keys) noexcept {
  return keys + keys / 16 + index_t{hash_map_max_parts} * (512 + hash_map_block_size + 2);
}

/// Number of 16-byte stores per thread that clears a map.
inline constexpr index_t hash_map_clear_stores = 4;

/// Keys per lane with `Passes` passes: on average 24 of a warp's keys are in a part, or 32 with two passes, so that
/// their number rarely exceeds the number of lanes.
template <int Passes>
inline constexpr int hash_map_pass_keys = (3 * Passes + 3) / 4;

/// Minimum number of entries on the host that justify another thread.
inline constexpr index_t hash_map_entries_per_thread = 4096;

}  // namespace detail
FARPOINT_END_NAMESPACE
