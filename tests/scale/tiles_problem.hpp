// A cloud in tiles that are read from memory, and counted; some reads fail.
#pragma once

#include <farpoint/scale/tiles/fps_tiles.hpp>
#include <farpoint/scale/tiles/knn_tiles.hpp>
#include <farpoint/scale/tiles/radius_tiles.hpp>

#include "../support/answers.hpp"
#include "../support/catch.hpp"
#include "../support/clouds.hpp"
#include "../support/for_each_seed.hpp"
#include "../support/host_array.hpp"

namespace farpoint_tests {

using farpoint::index_t;
using farpoint::status;

/// Source of tiles that are parts of an array.
template <class Coord, int Dim = 3>
class array_tiles {
 public:
  using point = farpoint::vec<Coord, Dim>;
  using view = farpoint::point_view<Coord, Dim>;

  array_tiles(xyz_cloud const& cloud, std::vector<index_t> const& cuts) : cuts_{cuts} {
    for (auto const& p : cloud) {
      point one{};
      for (int k = 0; k < Dim; ++k) {
        one[k] = static_cast<Coord>(p[static_cast<std::size_t>(k % 3)] * (k < 3 ? 1 : 0.5));
      }
      points.push_back(one);
    }
    reads_of.resize(static_cast<std::size_t>(count()));
  }

  index_t count() const { return static_cast<index_t>(cuts_.size()) - 1; }
  index_t size(index_t tile) const { return begin(tile + 1) - begin(tile); }
  farpoint::result read(index_t tile, farpoint::span<point> to) {
    if (reads == fails_at) return {status::read_failure, 5, "test: the tile is not there"};
    if (static_cast<index_t>(to.size()) != size(tile)) return memory_was_written;
    ++reads;
    ++reads_of[static_cast<std::size_t>(tile)];
    std::copy(points.begin() + begin(tile), points.begin() + begin(tile + 1), to.begin());
    return {};
  }

  view all() const { return part(0, static_cast<index_t>(points.size())); }
  view part(index_t from, index_t size) const {
    return {reinterpret_cast<Coord const*>(points.data() + from), size, index_t{sizeof(point)}};
  }
  index_t begin(index_t tile) const { return cuts_[static_cast<std::size_t>(tile)]; }

  std::vector<point> points;
  std::vector<index_t> reads_of;  ///< `[tiles]`
  index_t reads = 0;
  index_t fails_at = -1;  ///< number of reads before one fails
  double wider = 0;       ///< meters that the boxes of files are larger by

 private:
  std::vector<index_t> cuts_;
};

template <class Tiles>
auto extents_of(Tiles& tiles) {
  std::vector<farpoint::tile_extent_of<Tiles>> extents(static_cast<std::size_t>(tiles.count()));
  host_workspace const workspace{farpoint::measure_tiles_workspace_bytes(tiles)};
  REQUIRE(farpoint::measure_tiles(tiles, farpoint::span<farpoint::tile_extent_of<Tiles>>{extents}, workspace.get()));
  for (auto& one : extents) {
    for (int axis = 0; axis < farpoint::detail::tile_point<typename Tiles::point>::dim; ++axis) {
      one.box.low[axis] -= static_cast<farpoint::tile_scalar<Tiles>>(tiles.wider);
      one.box.high[axis] += static_cast<farpoint::tile_scalar<Tiles>>(tiles.wider);
    }
  }
  std::fill(tiles.reads_of.begin(), tiles.reads_of.end(), index_t{0});
  tiles.reads = 0;
  return extents;
}

/// A cloud of any shape in tiles, some of them empty or of one point; compact tiles, or tiles all over the cloud.
template <class Coord, int Dim = 3>
array_tiles<Coord, Dim> random_tiles(random_source& random, std::uint64_t seed) {
  auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
  index_t const n = random.below(8) == 0 ? random.below(6) : random.below(500);
  auto cloud = make_cloud(which, static_cast<std::size_t>(n), seed);
  if (random.below(2) == 0) {
    std::stable_sort(cloud.begin(), cloud.end(), [](xyz const& a, xyz const& b) { return a[0] < b[0]; });
  }
  std::vector<index_t> cuts{0, n};
  for (auto more = random.below(7); more > 0; --more) cuts.push_back(random.below(n + 1));
  if (random.below(2) == 0) cuts.push_back(n);
  if (n > 0) cuts.push_back(1);
  std::sort(cuts.begin(), cuts.end());
  array_tiles<Coord, Dim> tiles{cloud, cuts};
  tiles.wider = random.below(4) == 0 ? 0.125 : 0;
  return tiles;
}

/// Cubes of one meter side by side along x, each a tile.
template <class Coord = float>
array_tiles<Coord> row_of_cubes(index_t tiles, index_t each) {
  xyz_cloud cloud;
  std::vector<index_t> cuts{0};
  for (index_t t = 0; t < tiles; ++t) {
    for (auto p : make_cloud(shape::cube, static_cast<std::size_t>(each), static_cast<std::uint64_t>(t))) {
      p[0] += static_cast<double>(t);
      cloud.push_back(p);
    }
    cuts.push_back(static_cast<index_t>(cloud.size()));
  }
  return {cloud, cuts};
}

}  // namespace farpoint_tests
