/// @file
/// Partition of points by small keys, such as destination ranks, without a sort: interface, and the host's half.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/communicator.hpp>
#include <farpoint/scale/stream/voxel_map_calls.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points per tile. h200: a block of 256 threads has 8 points per thread, whose loads overlap.
inline constexpr std::uint32_t partition_tile = 2048;
/// Type of keys, and upper limit of `kinds` + 1: keys are below `kinds`, and `kinds` itself stands for no point. A
/// block counts the points of each key in shared memory; on the host keys may be ranks.
template <class Exec>
struct partition_keys {
  using type = unsigned char;
  static constexpr int most = 128;
};
template <>
struct partition_keys<host_exec> {
  using type = std::uint16_t;
  static constexpr int most = max_ranks + 8;
};

/// Keys of points, and for each key and tile the position of the tile's first point of the key. Positions are by key,
/// then by index. The position of a point follows from both arrays, so memory holds only the key of each point.
///
/// Example: points 0 to 4 have the keys 1 0 1 0 1; with tiles of 3 points, `places` is 0 1 for key 0, 2 4 for key 1,
/// and the total 5. The positions of the points are 2 0 3 1 4.
template <class Exec>
struct partition_ref {
  using key_type = typename partition_keys<Exec>::type;

  key_type* keys;        ///< `[size]`
  std::int32_t* places;  ///< `[kinds, tiles]`, then the number of points
  std::uint32_t size;
  int kinds;  ///< number of different keys

  partition_ref(workspace_cutter& cutter, index_t points, int number_of_kinds) noexcept
      : keys{cutter.take<key_type>(points)},
        places{cutter.take<std::int32_t>(number_of_kinds * tiles_of(points) + 1)},
        size{static_cast<std::uint32_t>(points)},
        kinds{number_of_kinds} {}

  /// At least 1, so that begin() works without points.
  FARPOINT_HD static index_t tiles_of(index_t points) noexcept {
    return points == 0 ? 1 : divide_up(points, index_t{partition_tile});
  }
  FARPOINT_HD index_t tiles() const noexcept { return tiles_of(index_t{size}); }
  FARPOINT_HD std::uint32_t place(int key, index_t tile) const noexcept {
    return static_cast<std::uint32_t>(places[key * tiles() + tile]);
  }
  /// First position of a key. For `kinds`, the number of points.
  FARPOINT_HD std::uint32_t begin(int key) const noexcept { return place(key, 0); }
};

/// Loops of one execution over points. stream_partition documents what its members call.
template <class Exec>
struct partition_loops;

/// Partitions points, and visits them with their positions.
template <class Exec>
class stream_partition : public partition_ref<Exec> {
 public:
  stream_partition(workspace_cutter& cutter, index_t points, int number_of_kinds) noexcept
      : partition_ref<Exec>{cutter, points, number_of_kinds}, scan_{cutter, this->kinds * this->tiles()} {}

  /// Partitions the points by key_of(i), the key of point i.
  template <class Key>
  result sort(Exec exec, Key const& key_of) const noexcept {
    result const done = partition_loops<Exec>::count(exec, *this, key_of);
    return done ? scan_.run(exec, this->places) : done;
  }

  /// Calls mover(i, key, position, mover.load(i)) for each point i.
  template <class Mover>
  result move(Exec exec, Mover const& mover) const noexcept {
    return partition_loops<Exec>::move(exec, *this, mover);
  }

  /// Calls marks.give(key, position, number) for the marked positions. `number` is the number of points of lower index
  /// on marked positions. marks.marks(key, position) returns whether a position is marked, marks.before(key, position)
  /// the number of marked positions of the key before it.
  template <class Marks>
  result number(Exec exec, Marks const& marks) const noexcept {
    return partition_loops<Exec>::number(exec, *this, marks);
  }

 private:
  voxel_map_scan<Exec> scan_;
};

/// Each thread handles one tile at a time.
template <>
struct partition_loops<host_exec> {
  /// Computes the keys of each tile, and counts the tile's points per key.
  template <class Points, class Key>
  static result count(host_exec exec, Points const& points, Key const& key_of) noexcept {
    auto const count = [&](std::uint64_t tile) {
      std::int32_t counts[max_keys];
      std::fill_n(counts, points.kinds, 0);
      for (std::uint32_t i = begin_of(tile); i < end_of(points, tile); ++i) {
        std::uint32_t const key = key_of(i);
        points.keys[i] = static_cast<typename Points::key_type>(key);
        ++counts[key];
      }
      for (int key = 0; key < points.kinds; ++key) {
        points.places[key * points.tiles() + static_cast<index_t>(tile)] = counts[key];
      }
    };
    return for_each_index(exec, points.tiles(), count, 8 * partition_tile);
  }

  template <class Points, class Mover>
  static result move(host_exec exec, Points const& points, Mover const& mover) noexcept {
    return walk(exec, points, [&](std::uint64_t tile, std::uint32_t(&next)[max_keys]) {
      for (std::uint32_t i = begin_of(tile); i < end_of(points, tile); ++i) {
        std::uint32_t const key = points.keys[i];
        mover(i, key, next[key]++, mover.load(i));
      }
    });
  }

  template <class Points, class Marks>
  static result number(host_exec exec, Points const& points, Marks const& marks) noexcept {
    return walk(exec, points, [&](std::uint64_t tile, std::uint32_t(&next)[max_keys]) {
      std::uint32_t number = 0;
      for (int key = 0; key < points.kinds; ++key) {
        number += marks.before(static_cast<std::uint32_t>(key), next[key]);
      }
      for (std::uint32_t i = begin_of(tile); i < end_of(points, tile); ++i) {
        std::uint32_t const key = points.keys[i];
        std::uint32_t const place = next[key]++;
        if (marks.marks(key, place)) marks.give(key, place, number++);
      }
    });
  }

 private:
  static constexpr int max_keys = partition_keys<host_exec>::most;

  static std::uint32_t begin_of(std::uint64_t tile) noexcept {
    return static_cast<std::uint32_t>(tile) * partition_tile;
  }
  template <class Points>
  static std::uint32_t end_of(Points const& points, std::uint64_t tile) noexcept {
    return smaller(begin_of(tile) + partition_tile, points.size);
  }

  /// Calls use(tile, next) for each tile. `next` has the position of the tile's first point of each key.
  template <class Points, class Use>
  static result walk(host_exec exec, Points const& points, Use const& use) noexcept {
    auto const take = [&](std::uint64_t tile) {
      std::uint32_t next[max_keys];
      for (int key = 0; key < points.kinds; ++key) next[key] = points.place(key, static_cast<index_t>(tile));
      use(tile, next);
    };
    return for_each_index(exec, points.tiles(), take, 8 * partition_tile);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
