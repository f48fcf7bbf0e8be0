/// @file
/// The arguments of draw_splats() are checked here, once for all backends.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/screen/check.hpp>
#include <farpoint/detail/splat/splat_scene.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// True if some splats may hide others.
inline bool hides(draw_splats_params const& params) noexcept {
  return params.hidden < infinity<float>;
}

/// The size of a problem, of which its memory follows.
struct splat_extent {
  index_t splats;
  index_t width, height;
  bool hides;

  bool is_taken() const noexcept { return splats >= 0 && splats <= max_bvh_points && is_image_size(width, height); }
};

/// Bytes of workspace.
/// @tparam Memory  its layout: from memory, or none, and a splat_extent
template <class Memory>
std::size_t splat_bytes(splat_extent const& extent) noexcept {
  return extent.is_taken() ? Memory{nullptr, extent}.size : 0;
}

/// draw_splats_workspace_bound().
template <class Memory>
result bound_splat_bytes(index_t splats, index_t width, index_t height, std::size_t& bound) noexcept {
  splat_extent const extent{splats, width, height, true};
  if (!extent.is_taken()) return reject("draw_splats: width or height is not between 1 and 8,192, or too many splats");
  bound = splat_bytes<Memory>(extent);
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
    return is_absent_or_holds(part, rows, each);
  };
  if (splats.extents.size() % 2 != 0) return reject("splats: the size of the extents is odd");
  if (size > max_bvh_points) return reject("splats: more than 2^30");
  if (splats.points.empty() && size > cloud) return reject("splats: more than points, and none says whose they are");
  if (!holds_rows(splats.points, size, 1)) return reject("splats: fewer points than splats");
  if (!holds_rows(splats.normals, size, 3)) return reject("splats: the normals are smaller than splats x 3");
  if (!holds_rows(splats.tangents, size, 3)) return reject("splats: the tangents are smaller than splats x 3");
  index_t const colored = splats.colors_of_points ? cloud : size;
  return holds_rows(splats.colors, colored, 3) ? result{} : reject("splats: the colors are smaller than rows x 3");
}

inline result check_splat_image(splat_image const& image, index_t width, index_t height) noexcept {
  index_t const stride = image.stride == 0 ? 3 * width : image.stride;
  if (stride < 3 * width) return reject("image: the stride is smaller than 3 x width");
  if (stride > (index_t{1} << 40)) return reject("image: the stride is larger than 2^40");
  index_t const values = (height - 1) * stride + 3 * width;
  if (!is_absent_or_holds(image.colors, values, 1)) {
    return reject("image: fewer colors than rows x stride");
  }
  if (!is_absent_or_holds(image.bytes, values, 1)) {
    return reject("image: fewer bytes than rows x stride");
  }
  bool const has_depths = is_absent_or_holds(image.depths, width * height, 1);
  return has_depths ? result{} : reject("image: fewer depths than pixels");
}

/// Checks the arguments without reading the arrays, which may be in device memory, and derives the rest of the scene.
/// @param scene   points, splats, camera, and the picture's params and image are set
/// @param memory  set to the parts of the workspace
template <class Points, class Memory>
result prepare_splats(splat_scene<Points>& scene, bytes workspace, Memory& memory) noexcept {
  static_assert(Points::dim == 3, "farpoint: splats are around points of three coordinates");
  auto const& camera = scene.camera;
  auto& picture = scene.picture;
  if (result const checked = check_bvh_points(scene.points); !checked) return checked;
  if (scene.points.size() != 1) return reject("points: a camera looks at one cloud");
  if (!is_image_size(camera.width, camera.height)) {
    return reject("draw_splats: the camera's width or height is not between 1 and 8,192");
  }
  if (result const checked = check_splat_params(picture.params); !checked) return checked;
  if (result const checked = check_splat_arrays(scene.splats, scene.points.points().size()); !checked) return checked;
  if (result const checked = check_splat_image(picture.image, camera.width, camera.height); !checked) return checked;
  splat_extent const extent{scene.splats.size(), camera.width, camera.height, hides(picture.params)};
  if (result const checked =
          check_workspace(workspace, splat_bytes<Memory>(extent), FARPOINT_WORKSPACE_OF("draw_splats"));
      !checked)
    return checked;
  memory = Memory{workspace.data(), extent};
  picture.covers = memory.covers;
  picture.lens = lens_of(camera);
  scene.to_light = picture.params.light.to_light;
  if (!make_unit(scene.to_light)) scene.to_light = {};
  scene.halfway = scene.to_light;
  scene.halfway[2] = sub_rn(scene.halfway[2], 1.0f);
  if (!make_unit(scene.halfway)) scene.halfway = {};
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
