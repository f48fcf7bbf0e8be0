/// @file
/// draw_splats(): arguments are checked here for all backends, and its host backend.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/detail/screen/check.hpp>
#include <farpoint/detail/screen/splat_scene.hpp>
#include <farpoint/host/isa_dispatch.hpp>
#include <farpoint/host/thread_team.hpp>
#include <farpoint/tuning/screen.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Whether some splats may hide others.
inline bool hides(draw_splats_params const& params) noexcept {
  return params.hidden < infinity<float>;
}

inline bool is_splat_image_size(index_t width, index_t height) noexcept {
  return width >= 1 && height >= 1 && width <= quadtree_max_side && height <= quadtree_max_side;
}

inline std::size_t splat_bytes(index_t width, index_t height, draw_splats_params const& params) noexcept {
  if (!is_splat_image_size(width, height)) return 0;
  return splat_memory{nullptr, width * height, hides(params)}.size;
}

/// draw_splats_workspace_bound(), the same on every backend.
inline result bound_splat_bytes(index_t width, index_t height, std::size_t& bound) noexcept {
  if (!is_splat_image_size(width, height)) return reject("draw_splats: width or height is not between 1 and 8,192");
  bound = splat_memory{nullptr, width * height, true}.size;
  return {};
}

inline result check_splat_params(draw_splats_params const& params) noexcept {
  if (!(params.slack >= 0)) return reject("params: the slack is negative or NaN");
  if (!(params.hidden >= 0)) return reject("params: hidden is negative or NaN");
  if (!(params.least_radius > 0 && params.least_radius <= 16)) {
    return reject("params: the least radius is not above 0 and at most 16 px");
  }
  if (!(params.most_extent >= 0)) return reject("params: the largest extent is negative or NaN");
  splat_light const& light = params.light;
  for (float const value :
       {light.ambient, light.diffuse, light.wrap, light.gloss, dot3(light.to_light, light.to_light)})
    if (!(value >= 0 && value < infinity<float>)) return reject("params: the light is negative or not finite");
  return light.wrap <= 1 ? result{} : reject("params: the light's wrap is above 1");
}

template <class Scalar>
result check_splat_arrays(splat_view<Scalar> const& splats, index_t cloud) noexcept {
  auto const size = static_cast<index_t>(splats.extents.size() / 2);
  auto const holds_rows = [](auto const& part, index_t rows, index_t each) {
    return is_absent_or_holds(static_cast<index_t>(part.size()), rows, each);
  };
  if (splats.extents.size() % 2 != 0) return reject("splats: the size of the extents is odd");
  if (size > max_bvh_points) return reject("splats: more than 2^30");
  if (splats.points.empty() && size > cloud) return reject("splats: more than points, and none says whose they are");
  if (!holds_rows(splats.points, size, 1)) return reject("splats: fewer points than splats");
  if (!holds_rows(splats.normals, size, 3)) return reject("splats: the normals are smaller than splats x 3");
  if (!holds_rows(splats.tangents, size, 3)) return reject("splats: the tangents are smaller than splats x 3");
  index_t const coloured = splats.colours_of_points ? cloud : size;
  return holds_rows(splats.colours, coloured, 3) ? result{} : reject("splats: the colours are smaller than rows x 3");
}

inline result check_splat_image(splat_image const& image, index_t width, index_t height) noexcept {
  index_t const stride = image.stride == 0 ? 3 * width : image.stride;
  if (stride < 3 * width) return reject("image: the stride is smaller than 3 x width");
  if (stride > (index_t{1} << 40)) return reject("image: the stride is larger than 2^40");
  index_t const values = (height - 1) * stride + 3 * width;
  if (!is_absent_or_holds(static_cast<index_t>(image.colours.size()), values, 1)) {
    return reject("image: fewer colours than rows x stride");
  }
  if (!is_absent_or_holds(static_cast<index_t>(image.bytes.size()), values, 1)) {
    return reject("image: fewer bytes than rows x stride");
  }
  bool const has_depths = is_absent_or_holds(static_cast<index_t>(image.depths.size()), width * height, 1);
  return has_depths ? result{} : reject("image: fewer depths than pixels");
}

/// What can be checked without reading the arrays, which may be in device memory; then all that the passes need.
/// @param scene  its first five members are set
template <class Points>
result prepare_splats(splat_scene<Points>& scene, bytes workspace) noexcept {
  static_assert(Points::dim == 3, "farpoint: splats are around points of three coordinates");
  auto const& camera = scene.camera;
  if (result const checked = check_bvh_points(scene.points); !checked) return checked;
  if (scene.points.size() != 1) return reject("points: a camera looks at one cloud");
  if (!is_splat_image_size(camera.width, camera.height)) {
    return reject("draw_splats: the camera's width or height is not between 1 and 8,192");
  }
  if (result const checked = check_splat_params(scene.params); !checked) return checked;
  if (result const checked = check_splat_arrays(scene.splats, scene.points.points().size()); !checked) return checked;
  if (result const checked = check_splat_image(scene.image, camera.width, camera.height); !checked) return checked;
  std::size_t const needed = splat_bytes(camera.width, camera.height, scene.params);
  if (result const checked = check_workspace(workspace, needed); !checked) return checked;
  scene.lens = lens_of(camera);
  scene.to_light = scene.params.light.to_light;
  if (!make_unit(scene.to_light)) scene.to_light = {};
  scene.halfway = scene.to_light;
  scene.halfway[2] = sub_rn(scene.halfway[2], 1.0f);
  if (!make_unit(scene.halfway)) scene.halfway = {};
  scene.memory = splat_memory{workspace.data(), scene.pixels(), hides(scene.params)};
  return {};
}

/// A part of a pass, compiled for several processors.
template <class Points>
struct splat_host_pass {
  using function = void (*)(splat_scene<Points> const&, splat_pass, index_t, index_t) noexcept;

  FARPOINT_ALWAYS_INLINE static void run(splat_scene<Points> const& scene, splat_pass pass, index_t begin,
                                         index_t end) noexcept {
    for (index_t i = begin; i < end; ++i) scene.draw(pass, scene.shape_of(i, pass), i, 0, 1);
  }
};

/// draw_splats() for host_exec.
template <class Points>
result draw_splats_host(host_exec exec, splat_scene<Points> scene, bytes workspace) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = prepare_splats(scene, workspace); !checked) return checked;
  index_t const splats = scene.count();
  index_t const pixels = scene.pixels();
  auto const in_parts = [exec](index_t size, index_t worth, auto const& work) {
    auto const most = static_cast<int>(smaller(1 + size / worth, index_t{most_team_threads}));
    run_team(std::min(resolve_threads(exec.threads), most),
             [&](int rank, int threads) { work(size * rank / threads, size * (rank + 1) / threads); });
  };
  typename splat_host_pass<Points>::function draw = nullptr;
  isa_dispatch<splat_host_pass<Points>>(draw);
  splat_memory const& memory = scene.memory;
  in_parts(pixels, pixels_of_thread, [&](index_t begin, index_t end) {
    std::fill(memory.fronts + begin, memory.fronts + end, no_splat);
    if (memory.covers != nullptr) std::fill(memory.covers + begin, memory.covers + end, no_splat);
    std::fill(memory.sums + begin, memory.sums + end, splat_sums{});
  });
  for (splat_pass const pass : {splat_pass::cover, splat_pass::front, splat_pass::blend}) {
    if (pass == splat_pass::cover && memory.covers == nullptr) continue;
    in_parts(splats, splats_of_thread, [&](index_t begin, index_t end) { draw(scene, pass, begin, end); });
  }
  in_parts(pixels, pixels_of_thread, [&](index_t begin, index_t end) {
    for (index_t pixel = begin; pixel < end; ++pixel) scene.resolve(pixel);
  });
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
