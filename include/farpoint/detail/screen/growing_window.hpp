/// @file
/// The approximate search of one visible point in screen space: a radius from the density of the pixels around, tried
/// and scaled a few times. Source: the FastKNN thesis.
#pragma once

#include <farpoint/container/topk.hpp>
#include <farpoint/detail/screen/check.hpp>
#include <farpoint/spatial/quadtree.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The request, the same for every point.
template <class Scalar>
struct screen_rounds_request {
  int k;
  int rounds;
  std::uint32_t most;  ///< candidates
  Scalar radius2;      ///< no neighbour is farther (squared m)
  bool exclude_self;
  float first_points;  ///< that the first disc holds by the density around
  Scalar cell;         ///< side of a cell of the tree (px): below 1 with several layers
};

template <class Camera>
auto make_rounds_request(screen_space<Camera> const& method, index_t k) noexcept {
  using scalar = typename Camera::scalar;
  return screen_rounds_request<scalar>{static_cast<int>(k),
                                       method.rounds,
                                       static_cast<std::uint32_t>(most_candidates(method, k)),
                                       squared_radius<scalar>(method.max_radius),
                                       method.exclude_self,
                                       mul_rn(static_cast<float>(k), method.first_area),
                                       scalar(1) / static_cast<scalar>(1 << screen_pixel_level(method.layers))};
}

/// Radius of a disc that holds so many points if `count` of them lie in an area of 4^level cells (cells).
FARPOINT_HD inline float screen_radius(int level, std::uint32_t count, float points) noexcept {
  constexpr float pi = 0x1.921fb6p+1f;
  float const area = static_cast<float>(std::uint32_t{1} << 2 * level);
  return sqrt_rn(div_rn(mul_rn(area, points), mul_rn(pi, static_cast<float>(count))));
}

/// The radius to try after one with `found` candidates: if they lie on a plane, it has 2 k of them.
FARPOINT_HD inline float rescaled_radius(float radius, std::uint32_t found, int k) noexcept {
  return mul_rn(radius, sqrt_rn(div_rn(static_cast<float>(2 * k), static_cast<float>(found < 1 ? 1 : found))));
}

/// Cells that a tile may be away from a point, by columns or rows.
FARPOINT_HD inline int screen_reach(float radius) noexcept {
  constexpr int whole_image = 2 * quadtree_max_side;
  return radius < static_cast<float>(whole_image) ? static_cast<int>(radius) + 1 : whole_image;
}

/// The radius that a search begins with (cells), from the smallest node from 4 x 4 cells on that has k points.
FARPOINT_HD inline float first_screen_radius(quadtree_ref const& tree, std::uint32_t pixel, int k,
                                             float points) noexcept {
  quadtree_node node{pixel >> 2 * quadtree_tile_level, quadtree_tile_level};
  std::uint32_t count = tree.count(node);
  while (count < static_cast<std::uint32_t>(k) && node != tree.root()) {
    node = node.parent();
    count = tree.count(node);
  }
  return screen_radius(node.level, count, points);
}

/// The tiles that a round looks at: those that meet the square around a pixel and a range of depths.
struct screen_window {
  pixel_box tiles;  ///< numbers of columns and rows, in the padded image
  quadtree_depths depths;

  FARPOINT_HD static screen_window around(vec<int, 2> const& pixel, float radius, float depth, float reach,
                                          int top) noexcept {
    // A little beyond the ball: a tile that is left out has no candidates, whatever the rounding.
    float const range = fma_rn(depth, 0x1p-20f, mul_rn(reach, 1.001f));
    int const away = screen_reach(radius);
    int const last = (1 << top) - 1;
    screen_window window{{}, {sub_rn(depth, range), add_rn(depth, range)}};
    for (int axis = 0; axis < 2; ++axis) {
      int const low = pixel[axis] - away;
      int const high = pixel[axis] + away;
      window.tiles.low[axis] = (low < 0 ? 0 : low) >> quadtree_tile_level;
      window.tiles.high[axis] = (high < last ? high : last) >> quadtree_tile_level;
    }
    return window;
  }

  FARPOINT_HD bool meets(quadtree_depths const& other) const noexcept {
    return other.low <= depths.high && other.high >= depths.low;
  }
  /// By the square of a node from the tiles' level up.
  FARPOINT_HD bool meets(quadtree_node node) const noexcept {
    int const level = node.level - quadtree_tile_level;
    auto const cell = morton_decode_2d(node.code);
    for (int axis = 0; axis < 2; ++axis) {
      auto const at = static_cast<int>(cell[axis]);
      if (at < tiles.low[axis] >> level || at > tiles.high[axis] >> level) return false;
    }
    return true;
  }
};

/// Calls `visit(first, last)` for the positions of each occupied tile of a window, until it returns false. From the
/// level whose nodes the window has at most eight by eight of: without a climb to a node around it, and without going
/// through the tiles of a window that is large and empty.
FARPOINT_CALLS_BACK
template <class Visit>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void for_each_tile(quadtree_ref const& tree, screen_window const& window,
                                                      Visit const& visit) noexcept {
  pixel_box const& tiles = window.tiles;
  int above = 0;
  while ((tiles.high[0] >> above) - (tiles.low[0] >> above) >= 8 ||
         (tiles.high[1] >> above) - (tiles.low[1] >> above) >= 8) {
    ++above;
  }
  int const start = quadtree_tile_level + above;
  for (int y = tiles.low[1] >> above; y <= tiles.high[1] >> above; ++y) {
    for (int x = tiles.low[0] >> above; x <= tiles.high[0] >> above; ++x) {
      quadtree_node node{morton_encode(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)), start};
      do {
        if (node.level == start || window.meets(node)) {
          quadtree_record const record = tree.arrays().records[tree.layout().record_at(node)];
          if (record.members != 0 && window.meets(record.depths)) {
            if (node.level > quadtree_tile_level) {
              node = node.child(0);
              continue;
            }
            if (!visit(record.first, record.first + count_bits(record.members))) return;
          }
        }
        ++node.code;
        while (node.level < start && node.code % 4 == 0) node = node.parent();
      } while (node.level < start);
    }
  }
}

/// The nearest candidates of the point at a position of the tree, by (squared distance, tree's index).
///
/// A round's candidates are the points of its window's tiles that lie in the ball whose image has the radius. A round
/// that is not the last ends when it has more than request.most.
/// @param packed     the points, by position
/// @param make_list  `make_list(limit)`: an empty list whose keys are below the limit
/// @return the list of the last round
FARPOINT_CALLS_BACK
template <class Camera, class MakeList>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto search_rounds(quadtree_ref const& tree,
                                                      vec<typename Camera::scalar> const* packed, Camera const& camera,
                                                      screen_rounds_request<typename Camera::scalar> const& request,
                                                      std::uint32_t position, MakeList const& make_list) noexcept {
  using scalar = typename Camera::scalar;
  using key = neighbour_key<scalar>;
  vec<scalar> const query = packed[position];
  vec<int, 2> const pixel = tree.pixel(position);
  float const depth = tree.depth(position);
  scalar const span = mul_rn(camera.pixel_span(static_cast<scalar>(depth)), request.cell);
  float radius = first_screen_radius(tree, tree.code(position), request.k, request.first_points);
  for (int round = 1; true; ++round) {
    bool const is_last = round >= request.rounds;
    scalar const reach = mul_rn(static_cast<scalar>(radius), span);
    scalar const limit = min_number(mul_rn(reach, reach), request.radius2);
    auto list = make_list(key{limit, no_index});
    std::uint32_t found = 0;
    auto const window = screen_window::around(pixel, radius, depth, static_cast<float>(reach), tree.layout().top());
    for_each_tile(tree, window, [&](std::uint32_t first, std::uint32_t last) {
      // First all of the tile's candidates, then their places in the list: the threads of a warp have them at different
      // points, and would insert one after another.
      std::uint32_t hits = 0;
      for (std::uint32_t at = first; at < last; ++at) {
        bool const is_candidate = distance2(packed[at], query) <= limit && !(request.exclude_self && at == position);
        hits |= is_candidate ? 1u << (at - first) : 0u;
      }
      found += count_bits(hits);
      for (; hits != 0; hits &= hits - 1) {
        std::uint32_t const at = first + static_cast<std::uint32_t>(lowest_bit(hits));
        key const candidate{distance2(packed[at], query), tree.index(at)};
        if (candidate < list.worst()) list.push(candidate);
      }
      return is_last || found <= request.most;
    });
    if (is_last || (found >= static_cast<std::uint32_t>(request.k) && found <= request.most)) return list;
    radius = rescaled_radius(radius, found < request.most ? found : request.most, request.k);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
