// Every host call that draws points or searches them on the screen.
#include "clouds.hpp"

#include <farpoint/knn_screen.hpp>
#include <farpoint/quadtree.hpp>
#include <farpoint/reference/knn_screen.hpp>
#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/normals_from_neighbors.hpp>
#include <farpoint/splat/project.hpp>

void look();

namespace {

template <class Coord, template <class> class Camera>
void look_through() {
  clouds<Coord> in;
  using scalar = typename clouds<Coord>::scalar;
  farpoint::screen_space<Camera<scalar>> const method{{}};
  farpoint::knn_screen_output<scalar> const lists;
  in.bound = farpoint::knn_workspace_bytes(in.exec, in.all, method);
  static_cast<void>(farpoint::knn(in.exec, in.all, method, lists, in.workspace));
  static_cast<void>(farpoint::reference::knn(in.all, method, lists));
  static_cast<void>(farpoint::knn(in.cloud, method));
  farpoint::zbuffer_ref const pixels{{}, 0, 0};
  static_cast<void>(farpoint::project(in.exec, in.all, method.camera, pixels));
}

template <class Coord>
struct screen_calls {
  void operator()() const {
    look_through<Coord, farpoint::pinhole_camera>();
    look_through<Coord, farpoint::spherical_camera>();
    look_through<Coord, farpoint::organized_camera>();

    clouds<Coord> in;
    using points = typename clouds<Coord>::points;
    using scalar = typename points::scalar;
    static_cast<void>(farpoint::knn_screen_workspace_bound<points>(in.exec, farpoint::screen_limits{}, in.bound));
    farpoint::pinhole_camera<scalar> const camera{};
    farpoint::draw_splats_params const params;
    farpoint::splat_view<scalar> const splats{};
    in.bound = farpoint::draw_splats_workspace_bytes(in.exec, splats, camera, params);
    static_cast<void>(
        farpoint::draw_splats(in.exec, in.all, splats, camera, params, farpoint::splat_image{}, in.workspace));
    farpoint::neighbor_normals_output<scalar> const normals;
    static_cast<void>(farpoint::normals_from_neighbors(in.exec, in.all, farpoint::neighbor_rows{},
                                                       farpoint::neighbor_normals_params{}, normals));
  }
};

}  // namespace

void look() {
  call_for_each_coord<screen_calls>();
  std::size_t bound = 0;
  static_cast<void>(farpoint::draw_splats_workspace_bound(farpoint::host_exec{1}, 1, 1, 1, bound));
  farpoint::quadtree_ref tree{farpoint::quadtree_layout{1, 1, 0}, nullptr};
  static_cast<void>(farpoint::build_quadtree(farpoint::host_exec{1}, 1, 1, {}, {}, tree));
  tree.for_each_in_disc({{0, 0}}, 1, [](auto const&...) {});
  tree.for_each_in_box({}, [](auto const&...) {});
}
