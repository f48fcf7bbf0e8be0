/// @file
/// Points in the order of small keys, such as the ranks that they go to, without a sort: the half of the host.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/voxel_map_calls.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points that are put in order together. h200: a block of 256 threads has 8 points a thread, whose loads overlap.
inline constexpr std::uint32_t partition_tile = 2048;
/// Keys are below it, with one more that no point has.
inline constexpr int partition_most_keys = 128;

/// The keys of points, and the place that each tile's first point of a key has in the order: by key, and then by index.
/// The place of a point follows from both, so that nothing is kept for each point but its key.
struct partition_ref {
  unsigned char* keys;   ///< `[size]`
  std::int32_t* places;  ///< `[kinds, tiles]`, and the number of points
  std::uint32_t size;
  int kinds;  ///< of keys

  partition_ref(workspace_cutter& cutter, index_t points, int number_of_kinds) noexcept
      : keys{cutter.take<unsigned char>(points)},
        places{cutter.take<std::int32_t>(number_of_kinds * tiles_of(points) + 1)},
        size{static_cast<std::uint32_t>(points)},
        kinds{number_of_kinds} {}

  /// One at least, so that there are places of no points, too.
  FARPOINT_HD static index_t tiles_of(index_t points) noexcept {
    return points == 0 ? 1 : divide_up(points, index_t{partition_tile});
  }
  FARPOINT_HD index_t tiles() const noexcept { return tiles_of(index_t{size}); }
  FARPOINT_HD std::uint32_t place(int key, index_t tile) const noexcept {
    return static_cast<std::uint32_t>(places[key * tiles() + tile]);
  }
  /// The first place of a key; of `kinds`: the number of points.
  FARPOINT_HD std::uint32_t begin(int key) const noexcept { return place(key, 0); }
};

/// Puts points in order, and walks over them with their places. Specialisations have
/// - `sort(exec, key_of)`: key_of(i) is the key of point i;
/// - `move(exec, mover)`: calls mover(i, key, place, mover.load(i)) for each point i;
/// - `number(exec, marks)`: calls marks.give(key, place, number) for the places that are marked, where `number` is how
///   many points of lower index are on marked places: marks.marks(key, place) says whether one is, and
///   marks.before(key, place) how many of the key's are before a place.
template <class Exec>
class stream_partition;

template <>
class stream_partition<host_exec> : public partition_ref {
 public:
  stream_partition(workspace_cutter& cutter, index_t points, int number_of_kinds) noexcept
      : partition_ref{cutter, points, number_of_kinds}, scan_{cutter, kinds * tiles()} {}

  template <class Key>
  result sort(host_exec exec, Key const& key_of) const noexcept {
    auto const count = [&](std::uint64_t tile) {
      std::int32_t counts[partition_most_keys] = {};
      for (std::uint32_t i = begin_of(tile); i < end_of(tile); ++i) {
        keys[i] = static_cast<unsigned char>(key_of(i));
        ++counts[keys[i]];
      }
      for (int key = 0; key < kinds; ++key) places[key * tiles() + static_cast<index_t>(tile)] = counts[key];
    };
    result const done = for_each_index(exec, tiles(), count, 8 * partition_tile);
    return done ? scan_.run(exec, places) : done;
  }

  template <class Mover>
  result move(host_exec exec, Mover const& mover) const noexcept {
    return walk(exec, [&](std::uint64_t tile, std::uint32_t(&next)[partition_most_keys]) {
      for (std::uint32_t i = begin_of(tile); i < end_of(tile); ++i) {
        std::uint32_t const key = keys[i];
        mover(i, key, next[key]++, mover.load(i));
      }
    });
  }

  template <class Marks>
  result number(host_exec exec, Marks const& marks) const noexcept {
    return walk(exec, [&](std::uint64_t tile, std::uint32_t(&next)[partition_most_keys]) {
      std::uint32_t number = 0;
      for (int key = 0; key < kinds; ++key) number += marks.before(static_cast<std::uint32_t>(key), next[key]);
      for (std::uint32_t i = begin_of(tile); i < end_of(tile); ++i) {
        std::uint32_t const key = keys[i];
        std::uint32_t const place = next[key]++;
        if (marks.marks(key, place)) marks.give(key, place, number++);
      }
    });
  }

 private:
  static std::uint32_t begin_of(std::uint64_t tile) noexcept {
    return static_cast<std::uint32_t>(tile) * partition_tile;
  }
  std::uint32_t end_of(std::uint64_t tile) const noexcept { return smaller(begin_of(tile) + partition_tile, size); }

  /// Calls use(tile, next) for each tile, with the places of its first points.
  template <class Use>
  result walk(host_exec exec, Use const& use) const noexcept {
    auto const take = [&](std::uint64_t tile) {
      std::uint32_t next[partition_most_keys];
      for (int key = 0; key < kinds; ++key) next[key] = place(key, static_cast<index_t>(tile));
      use(tile, next);
    };
    return for_each_index(exec, tiles(), take, 8 * partition_tile);
  }

  voxel_map_scan<host_exec> scan_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
