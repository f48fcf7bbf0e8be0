// Every call on tiles, by a callable that reads them.
#include "clouds.hpp"

#include <farpoint/scale/tiles/fps_tiles.hpp>
#include <farpoint/scale/tiles/knn_tiles.hpp>
#include <farpoint/scale/tiles/radius_tiles.hpp>
#include <farpoint/scale/tiles/tile_source.hpp>

void call_tiles();

namespace {

template <class Scalar>
struct calls_on_tiles {
  void operator()() const {
    using point = farpoint::vec<Scalar>;
    using view = farpoint::point_view<Scalar>;
    farpoint::host_exec const exec{1};
    std::vector<farpoint::index_t> const sizes;
    std::vector<farpoint::tile_extent<Scalar>> extents;
    std::vector<Scalar> nearest;
    auto tiles = farpoint::tiles_of<point>(sizes, [](farpoint::index_t, farpoint::span<point> to) {
      for (point& p : to) p = {};
      return farpoint::result{};
    });
    static_assert(farpoint::is_tile_source<decltype(tiles)>);
    farpoint::host_scratch workspace{farpoint::measure_tiles_workspace_bytes(tiles)};
    static_cast<void>(farpoint::measure_tiles(tiles, extents, workspace));

    farpoint::shard<view> const queries;
    workspace = farpoint::host_scratch{farpoint::knn_tiles_workspace_bytes(exec, tiles, 0)};
    static_cast<void>(farpoint::knn_tiles(exec, tiles, extents, queries, farpoint::knn_params{1},
                                          farpoint::knn_tiles_output<Scalar>{}, workspace));
    workspace = farpoint::host_scratch{farpoint::radius_tiles_workspace_bytes(exec, tiles, 0)};
    static_cast<void>(farpoint::radius_tiles(exec, tiles, extents, queries, farpoint::radius_params{0, 1},
                                             farpoint::radius_tiles_output<Scalar>{}, workspace));
    workspace = farpoint::host_scratch{farpoint::fps_tiles_workspace_bytes(exec, tiles, 0)};
    static_cast<void>(farpoint::fps_tiles(exec, tiles, extents, farpoint::fps_params{}, nearest,
                                          farpoint::fps_tiles_output<Scalar>{}, workspace));
  }
};

}  // namespace

void call_tiles() {
  calls_on_tiles<float>{}();
  calls_on_tiles<double>{}();
}
