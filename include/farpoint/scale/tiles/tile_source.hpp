/// @file
/// Clouds in tiles that are read when they are needed: sources of tiles, and their bounding boxes.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/points.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/geometry/bounding_box.hpp>

#include <utility>

FARPOINT_BEGIN_NAMESPACE

namespace detail {

template <class Point>
struct tile_point;
template <class Scalar, int Dim>
struct tile_point<vec<Scalar, Dim>> {
  static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
                "farpoint: tiles have coordinates of float or double");
  using scalar = Scalar;
  static constexpr int dim = Dim;
};

template <class Tiles, class = void>
inline constexpr bool reads_tiles = false;
template <class Tiles>
inline constexpr bool reads_tiles<
    Tiles, std::void_t<typename tile_point<typename Tiles::point>::scalar,
                       decltype(index_t{std::declval<Tiles const&>().count()} +
                                index_t{std::declval<Tiles const&>().size(index_t{})}),
                       decltype(result{std::declval<Tiles&>().read(index_t{}, span<typename Tiles::point>{})})>> = true;

}  // namespace detail

/// True if a type can be the source of tiles. It has these members:
///
/// - `using point = vec<Scalar, Dim>`, with Scalar float or double.
/// - `index_t count() const`: number of tiles.
/// - `index_t size(index_t tile) const`: number of points of a tile, 0 to 2^30.
/// - `result read(index_t tile, span<point> to)`: writes all points of a tile. Every call writes the same bits. If it
///   fails, for example with `{status::read_failure, errno, "map: a tile cannot be read"}`, the call that needed the
///   tile ends and returns this result.
///
/// The points of all tiles, tile after tile, are the cloud: a point's index counts the points of earlier tiles, too.
/// Tiles are read one at a time, by the thread that makes the call. Exceptions of the members pass through the calls;
/// the output is unspecified then.
template <class Tiles>
inline constexpr bool is_tile_source = detail::reads_tiles<Tiles>;

/// Coordinate type of a source of tiles.
template <class Tiles>
using tile_scalar = typename detail::tile_point<typename Tiles::point>::scalar;

/// Source of tiles from a callable, see tiles_of(). Refers to the sizes.
template <class Point, class Read>
class callback_tiles {
 public:
  using point = Point;

  callback_tiles(span<index_t const> sizes, Read read) : sizes_{sizes}, read_{std::move(read)} {}

  index_t count() const noexcept { return static_cast<index_t>(sizes_.size()); }
  index_t size(index_t tile) const noexcept { return sizes_[static_cast<std::size_t>(tile)]; }
  result read(index_t tile, span<point> to) { return read_(tile, to); }

 private:
  span<index_t const> sizes_;
  Read read_;
};

/// Makes a source of tiles: `auto tiles = farpoint::tiles_of<farpoint::vec<float>>(sizes, read);`
/// @tparam Point  vec<Scalar, Dim>
/// @param sizes   `[tiles]`: numbers of points; must outlive the source
/// @param read    `result read(index_t tile, span<Point> to)`, see is_tile_source
template <class Point, class Read>
callback_tiles<Point, Read> tiles_of(span<index_t const> sizes, Read read) {
  return {sizes, std::move(read)};
}

/// Where the points of a tile are. Comes from measure_tiles(), or from a file's header.
template <class Scalar = float, int Dim = 3>
struct tile_extent {
  /// Encloses all finite points, as read() returns them; may be larger. empty() for a tile without a finite point.
  bounding_box<Scalar, Dim> box = bounding_box<Scalar, Dim>::empty();
  index_t first_index = 0;            ///< sum of the sizes of earlier tiles
  index_t size = 0;                   ///< number of points
  unsigned long long non_finite = 0;  ///< number of points with a NaN or infinite coordinate, for reports
};

/// The tile_extent of a source of tiles.
template <class Tiles>
using tile_extent_of = tile_extent<tile_scalar<Tiles>, detail::tile_point<typename Tiles::point>::dim>;

namespace FARPOINT_HIDDEN detail {

inline constexpr index_t max_tile_points = index_t{1} << 30;
inline constexpr index_t max_tiles = (index_t{1} << 31) - 1;

/// Points of the largest tile.
/// @param size  `size(tile)`
template <class Size>
index_t largest_tile(index_t tiles, Size const& size) {
  index_t largest = 0;
  for (index_t t = 0; t < tiles; ++t) largest = larger<index_t>(largest, size(t));
  return smaller(largest, max_tile_points);
}
template <class Extent>
index_t largest_tile(span<Extent const> extents) noexcept {
  return largest_tile(static_cast<index_t>(extents.size()),
                      [&](index_t t) { return extents[static_cast<std::size_t>(t)].size; });
}

template <class Tiles>
result check_tile_sizes(Tiles const& tiles) {
  static_assert(is_tile_source<Tiles>, "farpoint: no source of tiles, see farpoint/scale/tiles/tile_source.hpp");
  if (tiles.count() < 0 || tiles.count() > max_tiles) return reject("tiles: a negative number of tiles, or too many");
  for (index_t t = 0; t < tiles.count(); ++t) {
    index_t const size = tiles.size(t);
    if (size < 0 || size > max_tile_points)
      return reject("tiles: a tile has a negative size, or more than 2^30 points");
  }
  return {};
}

/// Checks that extents are those of the tiles, except for the boxes.
template <class Tiles, class Extent>
result check_tiles(Tiles const& tiles, span<Extent const> extents) {
  if (result const checked = check_tile_sizes(tiles); !checked) return checked;
  bool same = static_cast<index_t>(extents.size()) == tiles.count();
  index_t first = 0;
  for (index_t t = 0; same && t < tiles.count(); ++t) {
    Extent const& one = extents[static_cast<std::size_t>(t)];
    same = one.first_index == first && one.size == tiles.size(t);
    first += one.size;
  }
  return same ? result{} : reject("extents: not those of the tiles: sizes or first indices differ");
}

/// Reads tiles into memory for the largest of them, and counts the reads.
template <class Tiles>
class tile_reader {
 public:
  using point = typename Tiles::point;
  using view = point_view<tile_scalar<Tiles>, tile_point<point>::dim>;

  /// @param memory  `[points of the largest tile]`
  tile_reader(Tiles& tiles, point* memory) noexcept : tiles_{tiles}, memory_{memory} {}

  result read(index_t tile) {
    ++reads_;
    size_ = tiles_.size(tile);
    return tiles_.read(tile, {memory_, static_cast<std::size_t>(size_)});
  }
  /// Points of the tile that was read last.
  view points() const noexcept { return {memory_, size_}; }
  index_t reads() const noexcept { return reads_; }

 private:
  Tiles& tiles_;
  point* memory_;
  index_t size_ = 0;
  index_t reads_ = 0;
};

}  // namespace detail

/// Bytes of workspace that measure_tiles() needs, 256-byte aligned: the points of the largest tile. O(tiles).
template <class Tiles>
std::size_t measure_tiles_workspace_bytes(Tiles const& tiles) {
  index_t const largest = detail::largest_tile(tiles.count(), [&](index_t t) { return tiles.size(t); });
  return static_cast<std::size_t>(largest) * sizeof(typename Tiles::point);
}

/// Measures where the points of each tile are, for knn_tiles(), radius_tiles() and fps_tiles(). Not needed if the boxes
/// are known: then fill the extents from the files' headers, rounded outwards.
///
/// @param tiles      see is_tile_source
/// @param extents    `[tiles]`
/// @param workspace  at least measure_tiles_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | the failure of a read
/// Complexity: reads each tile with points once; one pass over the points.
template <class Tiles>
result measure_tiles(Tiles& tiles, span<tile_extent_of<Tiles>> extents, bytes workspace) {
  if (result const checked = detail::check_tile_sizes(tiles); !checked) return checked;
  if (static_cast<index_t>(extents.size()) != tiles.count()) {
    return detail::reject("measure_tiles: extents needs one entry per tile");
  }
  if (result const checked = detail::check_workspace(workspace, measure_tiles_workspace_bytes(tiles),
                                                     FARPOINT_WORKSPACE_OF("measure_tiles"));
      !checked)
    return checked;
  detail::tile_reader<Tiles> reader{tiles, reinterpret_cast<typename Tiles::point*>(workspace.data())};
  index_t first = 0;
  for (index_t t = 0; t < tiles.count(); ++t) {
    tile_extent_of<Tiles> one;
    one.first_index = first;
    one.size = tiles.size(t);
    first += one.size;
    if (one.size > 0) {
      if (result const done = reader.read(t); !done) return done;
    }
    for (index_t i = 0; i < one.size; ++i) {
      auto const p = reader.points()[i];
      if (is_finite(p)) {
        one.box.grow(p);
      } else {
        ++one.non_finite;
      }
    }
    extents[static_cast<std::size_t>(t)] = one;
  }
  return {};
}

FARPOINT_END_NAMESPACE
