/// @file
/// What makes a hash map fast. Nothing here changes a result.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Where the value of a key is. Changes no result, only in which slot a key lands, and when a value appears.
enum class hash_map_layout {
  pairs,  ///< beside its key, in one word where both have 32 bits, or else in 16 bytes: one compare-and-swap writes
          ///< both, of 16 bytes from compute capability 9.0 on
  split   ///< in the second part of the map's memory: operations on keys alone touch half of it
};

constexpr char const* to_string(hash_map_layout layout) noexcept {
  return layout == hash_map_layout::pairs ? "pairs" : "split";
}

/// What hash_map_tuning::passes() and parts() go by.
struct hash_map_case {
  index_t keys;         ///< of the call
  index_t slots;        ///< of the map
  index_t bytes;        ///< of the map's memory that the call may go to
  index_t cache_bytes;  ///< of the device's L2 cache; 0: not known
  bool is_split;        ///< hash_map_layout::split
  bool takes_values;    ///< the call reads or writes an array of values
  bool inserts;
  bool has_outcomes;  ///< the call writes something for each key
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

/// What makes a hash map fast on a GPU. Nothing here changes a result. Derive from it to change a part. The figures are
/// G keys/s on an H200, u32 keys and values, load 0.5 (bench/results/nvidia-h200/hash_map.json has all).
struct hash_map_tuning {
  // 10 M keys, outside L2, in one pass: values in 18.2 (split 8.6), values out 41.7 (22); but keys alone in 18.6
  // (24.6), slots out 41.7 (54). 1 M keys: 28.3 (23.9), 76 (56), 28.4 (30), 76 (82).
  static constexpr hash_map_layout layout = hash_map_layout::pairs;

  /// True: keys can be erased. The map reserves a second key then, and an update of a value in one word with its key is
  /// a compare-and-swap, so that it cannot bring back a key that another thread erases.
  static constexpr bool erases = false;

  /// How often a call for a whole array goes over its keys: once, or 2, 4 or 8 times, each time for another part of the
  /// map, which stays in the L2 cache meanwhile. Other numbers count as the next one below, and 8 as 4 where something
  /// is written for each key: passes tear apart what is written together.
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

  /// parts() is never more, nor more than 512. 1: the kernels that sort are not even compiled.
  static constexpr int most_parts = 512;

  /// Into how many parts of the map a call that has a workspace sorts its keys, before it works on one part after
  /// another. 1 or less: it does not, goes by passes(), and needs no workspace.
  static constexpr int parts(hash_map_case const& c) noexcept {
    if (c.cache_bytes <= 0 || c.keys < 1'000'000) return 1;
    double const caches = static_cast<double>(c.bytes) / static_cast<double>(c.cache_bytes);
    // Passes are as good for insertions into maps of some caches, unless copies of a key meet. Where few keys meet in a
    // sector of memory, and look-ups are the fastest that there is, order gains less than it costs.
    double const least = !c.inserts ? 3 : c.has_outcomes ? 2.5 : c.keys > c.slots ? 3 : 5;
    if (caches < least || c.keys < c.bytes / (c.inserts ? 64 : 28)) return 1;
    // Smaller parts are written in shorter runs.
    return static_cast<int>(detail::smaller<index_t>(most_parts, detail::divide_up(3 * c.bytes, c.cache_bytes)));
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

/// Threads of a block of the kernels.
inline constexpr int hash_map_block_size = 256;

/// Keys of a call on a stream: eight passes take a block for each 192 keys, and a grid has 2^31 - 1 blocks.
inline constexpr index_t hash_map_most_keys = index_t{1} << 38;

/// Parts that keys are sorted by, at most.
inline constexpr int hash_map_most_parts = 512;

/// Outcomes that a thread brings back into the order of the call.
inline constexpr int hash_map_unsort_keys = 4;

/// Keys that a part of a map has room for, of so many. Random keys of one part are a few more than their share now and
/// then, and those that come several times more often so.
constexpr index_t hash_map_part_room(index_t keys, index_t parts) noexcept {
  index_t const share = divide_up(keys, parts);
  return divide_up(share + share / 16 + 512, index_t{hash_map_block_size}) * hash_map_block_size;
}

/// What the parts have room for together, however many they are, at most.
constexpr index_t hash_map_most_room(index_t keys) noexcept {
  return keys + keys / 16 + index_t{hash_map_most_parts} * (512 + hash_map_block_size + 2);
}

/// Stores of 16 bytes that a thread makes to clear a map.
inline constexpr index_t hash_map_clear_stores = 4;

/// Keys that a lane looks at in so many passes: of a warp's keys, 24 are in a part on average, or 32 with two passes,
/// so that there are rarely more than lanes.
template <int Passes>
inline constexpr int hash_map_pass_keys = (3 * Passes + 3) / 4;

/// On the host fewer entries than this are not worth another thread.
inline constexpr index_t hash_map_entries_per_thread = 4096;

}  // namespace detail
FARPOINT_END_NAMESPACE
