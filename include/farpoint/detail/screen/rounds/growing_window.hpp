/// @file
/// Approximate search of one visible point in screen space: derives a radius from the density of the surrounding
/// pixels, and rescales it for a few rounds. Source: the FastKNN thesis.
#pragma once

#include <farpoint/container/topk.hpp>
#include <farpoint/detail/screen/check.hpp>
#include <farpoint/detail/search/knn_request.hpp>
#include <farpoint/spatial/quadtree.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Parameters of the search that all points share.
template <class Scalar>
struct screen_rounds_request {
  int k;
  int rounds;
  std::uint32_t most;  ///< maximum number of candidates
  Scalar radius2;      ///< largest squared distance of a neighbor (squared m)
  bool exclude_self;
  float first_points;  ///< expected number of points in the first disc
  Scalar cell;         ///< side of a cell of the tree (px): below 1 with several layers
};

template <class Camera>
auto make_rounds_request(screen_space<Camera> const& method) noexcept {
  using scalar = typename Camera::scalar;
  return screen_rounds_request<scalar>{static_cast<int>(method.k),
                                       method.rounds,
                                       static_cast<std::uint32_t>(max_candidates(method)),
                                       squared_radius<scalar>(method.max_radius),
                                       method.exclude_self,
                                       mul_rn(static_cast<float>(method.k), method.first_area),
                                       scalar(1) / static_cast<scalar>(1 << screen_pixel_level(method.layers))};
}

/// Radius (cells) of a disc that holds `points` points if an area of 4^level cells holds `count` points.
FARPOINT_HD inline float screen_radius(int level, std::uint32_t count, float points) noexcept {
  constexpr float pi = 0x1.921fb6p+1f;
  float const area = static_cast<float>(std::uint32_t{1} << 2 * level);
  return sqrt_rn(div_rn(mul_rn(area, points), mul_rn(pi, static_cast<float>(count))));
}

/// Radius of the next round after one with `found` candidates; with candidates on a plane it encloses 2 k.
FARPOINT_HD inline float rescaled_radius(float radius, std::uint32_t found, int k) noexcept {
  return mul_rn(radius, sqrt_rn(div_rn(static_cast<float>(2 * k), static_cast<float>(found < 1 ? 1 : found))));
}

/// Maximum distance of a tile from a point, in columns or rows of cells.
FARPOINT_HD inline int screen_reach(float radius) noexcept {
  constexpr int whole_image = 2 * quadtree_max_side;
  return radius < static_cast<float>(whole_image) ? static_cast<int>(radius) + 1 : whole_image;
}

/// Initial radius (cells): from the density of the smallest node of at least 4 x 4 cells that has k points.
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

/// Tiles that a round visits: they meet the square around a pixel and a range of depths.
struct screen_window {
  pixel_box tiles;  ///< columns and rows of tiles in the padded image
  quadtree_depths depths;

  FARPOINT_HD static screen_window around(vec<int, 2> const& pixel, float radius, float depth, float reach,
                                          int top) noexcept {
    // The range is slightly larger than the ball, so that rounding excludes no tile with candidates.
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
  /// True if the square of a node meets the window; the node's level is at least the tiles' level.
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

/// Calls `visit(first, last)` with the positions of each occupied tile of a window, until it returns false.
///
/// Starts at the lowest level at which the window has at most 8 x 8 nodes. So the search climbs to no enclosing
/// node, and does not visit each tile of a large, empty window.
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

/// Returns the nearest candidates of the point at a position of the tree, ordered by (squared distance, tree's index),
/// from the last round.
///
/// Candidates of a round are the points in the ball whose image has the radius, in the tiles of the window. A round
/// with more than request.most candidates ends early unless it is the last round.
/// @param packed     points by position
/// @param make_list  `make_list(limit)` returns an empty list for keys below the limit
FARPOINT_CALLS_BACK
template <class Camera, class MakeList>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto search_rounds(quadtree_ref const& tree,
                                                      vec<typename Camera::scalar> const* packed, Camera const& camera,
                                                      screen_rounds_request<typename Camera::scalar> const& request,
                                                      std::uint32_t position, MakeList const& make_list) noexcept {
  using scalar = typename Camera::scalar;
  using key = neighbor_key<scalar>;
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
      // Finds all candidates of the tile before it inserts them. The threads of a warp find candidates at different
      // points, so insertions in the first loop would be serialized.
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
