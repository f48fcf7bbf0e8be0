/// @file
/// Checks the arguments of knn() in screen space, for all backends.
#pragma once

#include <farpoint/detail/search/check.hpp>
#include <farpoint/spatial/quadtree.hpp>
#include <farpoint/types/knn_screen.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Maximum number of layers of a z-buffer.
inline constexpr int max_screen_layers = 16;

/// Number of words of the z-buffers of all layers.
template <class Camera>
constexpr index_t screen_words(screen_space<Camera> const& method) noexcept {
  return index_t{method.camera.width} * method.camera.height * method.layers;
}

/// Maximum number of visible points.
template <class Camera>
constexpr index_t max_visible(index_t points, screen_space<Camera> const& method) noexcept {
  return smaller(points, screen_words(method));
}

/// Number of rows that the output must have room for.
template <class Camera>
constexpr index_t screen_row_count(index_t points, screen_space<Camera> const& method) noexcept {
  return method.rows == screen_rows::input ? points : max_visible(points, method);
}

/// Level of a pixel in the tree of the approximate search. A pixel of several layers is a square of 2^level x 2^level
/// cells, one cell per layer.
FARPOINT_HD constexpr int screen_pixel_level(int layers) noexcept {
  return layers <= 1 ? 0 : layers <= 4 ? 1 : 2;
}

/// Returns the cell of a layer of a pixel.
FARPOINT_HD inline vec<int, 2> cell_of_layer(vec<int, 2> const& pixel, int layer, int layers) noexcept {
  int const level = screen_pixel_level(layers);
  auto const within = morton_decode_2d(static_cast<std::uint32_t>(layer));
  return {{(pixel[0] << level) + static_cast<int>(within[0]), (pixel[1] << level) + static_cast<int>(within[1])}};
}

/// Layout of the tree of the approximate search.
template <class Camera>
constexpr quadtree_layout screen_layout(screen_space<Camera> const& method, index_t most) noexcept {
  int const level = screen_pixel_level(method.layers);
  return {method.camera.width << level, method.camera.height << level, most};
}

/// Maximum number of candidates before a search shrinks its radius. An image's maximum number of pixels bounds it.
template <class Camera>
constexpr index_t max_candidates(screen_space<Camera> const& method) noexcept {
  constexpr index_t all = index_t{quadtree_max_side} * quadtree_max_side;
  return smaller(method.candidates > 0 ? method.candidates : 8 * method.k, all);
}

/// True for the sides of an image that a camera may have (px).
constexpr bool is_image_size(index_t width, index_t height) noexcept {
  return width >= 1 && height >= 1 && width <= quadtree_max_side && height <= quadtree_max_side;
}

template <class Camera>
result check_screen_method(screen_space<Camera> const& method) noexcept {
  Camera const& camera = method.camera;
  if (!is_image_size(camera.width, camera.height)) {
    return reject("knn: the camera's width or height is not between 1 and 8,192");
  }
  if (method.k < 1 || method.k > max_neighbors) return reject("knn: k is not between 1 and 1,024");
  if (!(method.max_radius >= 0)) return reject("knn: screen_space::max_radius is negative or NaN");
  if (method.layers < 1 || method.layers > max_screen_layers) {
    return reject("knn: screen_space::layers is not between 1 and 16");
  }
  if (method.rounds < 0 || method.rounds > max_screen_rounds) {
    return reject("knn: screen_space::rounds is not between 0 and 64");
  }
  int const max_side = quadtree_max_side >> screen_pixel_level(method.layers);
  if (method.rounds != until_exact && (camera.width > max_side || camera.height > max_side)) {
    return reject("knn: screen_space::rounds with 2 to 4 layers takes at most 4,096 pixels a side, with more 2,048");
  }
  if (!(method.first_area >= 0x1p-10f && method.first_area <= 0x1p10f)) {
    return reject("knn: screen_space::first_area is not between 1/1024 and 1024");
  }
  if (method.candidates != 0 && method.candidates < method.k) return reject("knn: screen_space::candidates is below k");
  if (method.rounds != until_exact && !knows_pixel_span<Camera>) {
    return reject("knn: screen_space::rounds needs a camera that knows its pixel_span()");
  }
  return {};
}

/// Returns the largest exact search within the limits.
template <class Scalar>
screen_space<pinhole_camera<Scalar>> largest_screen_method(screen_limits const& limits) noexcept {
  screen_space<pinhole_camera<Scalar>> method;
  method.camera.width = static_cast<std::int32_t>(limits.width);
  method.camera.height = static_cast<std::int32_t>(limits.height);
  method.k = limits.k;
  method.layers = limits.layers;
  return method;
}

/// Implements knn_screen_workspace_bound().
/// @param bytes_of  `bytes_of(points, method)`: workspace bytes of a search and of all smaller searches of its kind
template <class Points, class BytesOf>
result bound_screen_bytes(screen_limits const& limits, std::size_t& bound, BytesOf const& bytes_of) noexcept {
  if (result const checked = check_limits(batch_limits{limits.points}); !checked) return checked;
  if (!is_image_size(limits.width, limits.height)) {
    return reject("limits: width or height is not between 1 and 8,192");
  }
  auto method = largest_screen_method<typename Points::scalar>(limits);
  if (result const checked = check_screen_method(method); !checked) return checked;
  if (limits.rounds < 0 || limits.rounds > max_screen_rounds) return reject("limits: rounds is not between 0 and 64");
  static constexpr typename Points::scalar nothing[3] = {};
  batch const cloud{Points{nothing, limits.points}};
  std::size_t most = bytes_of(cloud, method);
  // Searches in rounds allow smaller images with more layers, so each number of cells per pixel gives a bound: 1, 4,
  // 16.
  for (int layers = 1; limits.rounds != until_exact && layers <= max_screen_layers; layers *= 4) {
    method = largest_screen_method<typename Points::scalar>(limits);
    method.rounds = limits.rounds;
    method.layers = smaller(limits.layers, layers);
    std::int32_t const side = quadtree_max_side >> screen_pixel_level(method.layers);
    method.camera.width = smaller(method.camera.width, side);
    method.camera.height = smaller(method.camera.height, side);
    most = larger(most, bytes_of(cloud, method));
  }
  bound = most;
  return {};
}

/// Checks everything that needs no access to the arrays, which may be in device memory.
template <class Points, class Camera>
result check_knn_screen(batch<Points> const& cloud, screen_space<Camera> const& method,
                        knn_screen_output<typename Points::scalar> const& output) noexcept {
  static_assert(std::is_same_v<typename Points::scalar, typename Camera::scalar>,
                "farpoint: points and camera must both be double, or neither");
  if (result const checked = check_bvh_points(cloud); !checked) return checked;
  if (cloud.size() != 1) return reject("points: a camera looks at one cloud");
  if (result const checked = check_screen_method(method); !checked) return checked;
  index_t const points = cloud.points().size();
  index_t const rows = screen_row_count(points, method);
  if (!holds(output.indices.size(), rows, method.k)) return reject("knn: output.indices is smaller than rows x k");
  if (!is_absent_or_holds(output.distances, rows, method.k)) {
    return reject("knn: output.distances is smaller than rows x k");
  }
  if (!is_absent_or_holds(output.counts, rows, 1))
    return reject("knn: output.counts is smaller than the number of rows");
  if (!is_absent_or_holds(output.pixels, rows, 1))
    return reject("knn: output.pixels is smaller than the number of rows");
  if (!is_absent_or_holds(output.visible, max_visible(points, method), 1)) {
    return reject("knn: output.visible is smaller than min(points, layers x pixels)");
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
