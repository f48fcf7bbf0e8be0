/// @file
/// The approximate search of one visible point in screen space: a radius from the density of the pixels around, tried
/// and scaled a few times. Source: the FastKNN thesis.
#pragma once

#include <farpoint/spatial/quadtree.hpp>
#include <farpoint/spatial/topk.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// What is asked, of every point.
template <class Scalar>
struct screen_rounds_request {
  int k;
  int rounds;
  std::uint32_t most;  ///< candidates
  Scalar radius2;      ///< no neighbour is farther (squared m)
  bool exclude_self;
};

/// Radius of a disc that holds k points if `count` of them lie in an area of 4^level pixels (px).
FARPOINT_HD inline float screen_radius(int level, std::uint32_t count, int k) noexcept {
  constexpr float pi = 0x1.921fb6p+1f;
  float const area = static_cast<float>(std::uint32_t{1} << 2 * level);
  return sqrt_rn(div_rn(mul_rn(area, static_cast<float>(k)), mul_rn(pi, static_cast<float>(count))));
}

/// The radius to try after one with `found` candidates: if they lie on a plane, it has 2 k of them.
FARPOINT_HD inline float rescaled_radius(float radius, std::uint32_t found, int k) noexcept {
  return mul_rn(radius, sqrt_rn(div_rn(static_cast<float>(2 * k), static_cast<float>(found < 1 ? 1 : found))));
}

/// Pixels that a candidate may be away from a point, by columns or rows, whole tiles apart.
FARPOINT_HD inline int screen_reach(float radius) noexcept {
  constexpr int whole_image = 2 * quadtree_max_side;
  return radius < static_cast<float>(whole_image) ? static_cast<int>(radius) + 1 : whole_image;
}

/// Squared distance in space up to which a point is a candidate.
template <class Scalar>
FARPOINT_HD Scalar screen_limit(float radius, Scalar pixel_span, Scalar radius2) noexcept {
  Scalar const reach = mul_rn(static_cast<Scalar>(radius), pixel_span);
  return min_number(mul_rn(reach, reach), radius2);
}

/// The radius that a search begins with, from the smallest node from 4 x 4 pixels on that has k points.
FARPOINT_HD inline float first_screen_radius(quadtree_ref const& tree, std::uint32_t pixel, int k) noexcept {
  quadtree_node node{pixel >> 2 * quadtree_tile_level, quadtree_tile_level};
  std::uint32_t count = tree.count(node);
  while (count < static_cast<std::uint32_t>(k) && node != tree.root()) {
    node = node.parent();
    count = tree.count(node);
  }
  return screen_radius(node.level, count, k);
}

/// The tiles that meet the square around a pixel.
FARPOINT_HD inline pixel_box tiles_around(vec<int, 2> const& pixel, int reach) noexcept {
  constexpr int last = (1 << quadtree_tile_level) - 1;
  pixel_box box{};
  for (int axis = 0; axis < 2; ++axis) {
    box.low[axis] = (pixel[axis] > reach ? pixel[axis] - reach : 0) & ~last;
    box.high[axis] = (pixel[axis] + reach) | last;
  }
  return box;
}

/// The nearest candidates of the point at a position of the tree, by (squared distance, tree's index).
///
/// A round's candidates are the points of the tiles around the pixel that lie in the ball whose image has the radius.
/// Up to request.most of them are looked at, in packed order.
/// @param packed     the points, by position
/// @param make_list  `make_list(limit)`: an empty list whose keys are below the limit
/// @return the list of the last round
template <class Camera, class MakeList>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto search_rounds(quadtree_ref const& tree,
                                                      vec<typename Camera::scalar> const* packed, Camera const& camera,
                                                      screen_rounds_request<typename Camera::scalar> const& request,
                                                      std::uint32_t position, MakeList const& make_list) noexcept {
  using scalar = typename Camera::scalar;
  vec<scalar> const query = packed[position];
  vec<int, 2> const pixel = tree.pixel(position);
  auto const span = camera.pixel_span(static_cast<scalar>(tree.depth(position)));
  float radius = first_screen_radius(tree, tree.code(position), request.k);
  for (int round = 1; true; ++round) {
    scalar const limit = screen_limit(radius, span, request.radius2);
    auto list = make_list(neighbour_key<scalar>{limit, no_index});
    std::uint32_t found = 0;
    tree.for_each_in_box(tiles_around(pixel, screen_reach(radius)), [&](std::uint32_t at) {
      if (found > request.most || (request.exclude_self && at == position)) return;
      scalar const d = distance2(packed[at], query);
      if (!(d <= limit)) return;
      if (++found <= request.most) list.push({d, tree.index(at)});
    });
    bool const is_enough = found >= static_cast<std::uint32_t>(request.k) && found <= request.most;
    if (round >= request.rounds || is_enough) return list;
    radius = rescaled_radius(radius, found < request.most ? found : request.most, request.k);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
