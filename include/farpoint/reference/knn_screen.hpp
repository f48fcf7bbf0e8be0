/// @file
/// Z-buffer and brute force: the definition of knn() in screen space, and the oracle of its tests.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/detail/screen/check.hpp>
#include <farpoint/detail/screen/rounds/growing_window.hpp>
#include <farpoint/geometry/camera.hpp>
#include <farpoint/reference/knn.hpp>

#include <algorithm>
#include <vector>

FARPOINT_BEGIN_NAMESPACE
namespace reference {
namespace detail {

/// Points of a cloud that a camera sees.
struct screen_view {
  struct point {
    index_t index;  ///< index in the cloud
    std::int32_t x, y;
    float depth;
    std::uint32_t code;  ///< Morton code of the pixel, followed by the layer if there are several
  };
  std::vector<point> visible;  ///< ascending by index
  knn_screen_report report;
};

/// Sorts the points that the camera sees by pixel, depth and index, and keeps the first `layers` points of each pixel.
template <class Points, class Camera>
screen_view look_at(Points const& cloud, Camera const& camera, int layers = 1) {
  screen_view view;
  std::vector<screen_view::point> seen;
  for (index_t i = 0; i < cloud.size(); ++i) {
    camera_pixel<typename Camera::scalar> pixel;
    if (!is_finite(cloud[i])) {
      ++view.report.non_finite_points;
    } else if (!camera.project(cloud[i], pixel, i)) {
      ++view.report.unseen_points;
    } else {
      seen.push_back({i, pixel.x, pixel.y, static_cast<float>(pixel.depth),
                      morton_encode(static_cast<std::uint32_t>(pixel.x), static_cast<std::uint32_t>(pixel.y))});
    }
  }
  // Stable, so that among equally near points the lowest index is first.
  std::stable_sort(seen.begin(), seen.end(),
                   [](auto const& a, auto const& b) { return a.code != b.code ? a.code < b.code : a.depth < b.depth; });
  int in_pixel = 0;
  for (std::size_t j = 0; j < seen.size(); ++j) {
    in_pixel = j > 0 && seen[j].code == seen[j - 1].code ? in_pixel + 1 : 0;
    if (in_pixel >= layers) continue;
    view.visible.push_back(seen[j]);
    view.visible.back().code <<= 2 * farpoint::detail::screen_pixel_level(layers);
    view.visible.back().code |= static_cast<std::uint32_t>(in_pixel);
  }
  view.report.hidden_points = seen.size() - view.visible.size();
  std::sort(view.visible.begin(), view.visible.end(), [](auto const& a, auto const& b) { return a.index < b.index; });
  view.report.visible_points = view.visible.size();
  return view;
}

/// All visible points within the radius of a visible point, as its neighbors.
template <class Points, class Camera>
auto all_visible(Points const& cloud, screen_view const& view, screen_view::point const& query,
                 screen_space<Camera> const& method) {
  using scalar = typename Points::scalar;
  auto const radius2 = farpoint::detail::squared_radius<scalar>(method.max_radius);
  std::vector<neighbor<scalar>> found;
  for (auto const& point : view.visible) {
    scalar const d = distance2(cloud[point.index], cloud[query.index]);
    if (d <= radius2 && !(method.exclude_self && point.index == query.index)) found.emplace_back(d, point.index);
  }
  return found;
}

/// Approximate search: returns the candidates of its last round.
template <class Points, class Camera>
auto candidates_of(Points const& cloud, screen_view const& by_code, screen_view::point const& query,
                   screen_space<Camera> const& method) {
  using scalar = typename Points::scalar;
  std::vector<neighbor<scalar>> found;
  if constexpr (farpoint::detail::knows_pixel_span<Camera>) {
    auto const narrow_k = static_cast<int>(method.k);
    auto const most = static_cast<std::size_t>(farpoint::detail::max_candidates(method));
    auto const radius2 = farpoint::detail::squared_radius<scalar>(method.max_radius);
    // A pixel is a square of cells, one per layer.
    int const cells = 1 << farpoint::detail::screen_pixel_level(method.layers);
    scalar const span = mul_rn(method.camera.pixel_span(static_cast<scalar>(query.depth)), scalar(1) / scalar(cells));
    auto const cell = morton_decode_2d(query.code);
    vec<int, 2> const at{{static_cast<int>(cell[0]), static_cast<int>(cell[1])}};
    int const top = quadtree_layout{method.camera.width * cells, method.camera.height * cells, 0}.top();
    int level = quadtree_tile_level;
    auto const in_node = [&] {
      return std::count_if(by_code.visible.begin(), by_code.visible.end(),
                           [&](auto const& p) { return p.code >> 2 * level == query.code >> 2 * level; });
    };
    while (in_node() < method.k && level < top) ++level;
    float const wanted = mul_rn(static_cast<float>(method.k), method.first_area);
    float radius = farpoint::detail::screen_radius(level, static_cast<std::uint32_t>(in_node()), wanted);

    for (int round = 1; true; ++round) {
      found.clear();
      scalar const reach = mul_rn(static_cast<scalar>(radius), span);
      scalar const limit = min_number(mul_rn(reach, reach), radius2);
      auto const window =
          farpoint::detail::screen_window::around(at, radius, query.depth, static_cast<float>(reach), top);
      for (auto first = by_code.visible.begin(); first != by_code.visible.end();) {
        quadtree_node const tile{first->code >> 2 * quadtree_tile_level, quadtree_tile_level};
        quadtree_depths depths{first->depth, first->depth};
        auto last = first;
        for (; last != by_code.visible.end() && last->code >> 2 * quadtree_tile_level == tile.code; ++last) {
          depths = {std::min(depths.low, last->depth), std::max(depths.high, last->depth)};
        }
        bool const is_in_window = window.meets(tile) && window.meets(depths);
        for (; first != last; ++first) {
          if (!is_in_window || (method.exclude_self && first->index == query.index)) continue;
          scalar const d = distance2(cloud[first->index], cloud[query.index]);
          if (d <= limit) found.emplace_back(d, first->index);
        }
      }
      if (round >= method.rounds || (found.size() >= static_cast<std::size_t>(method.k) && found.size() <= most)) break;
      auto const count = static_cast<std::uint32_t>(std::min(found.size(), most));
      radius = farpoint::detail::rescaled_radius(radius, count, narrow_k);
    }
  }
  return found;
}

}  // namespace detail

/// farpoint::knn() in screen space on one thread, by definition: same rules and outputs, host memory. O(points + pixels
/// + visible^2). Allocates; throws std::bad_alloc.
template <class Points, class Camera>
result knn(batch<Points> const& points, screen_space<Camera> const& method,
           knn_screen_output<typename Points::scalar> const& output) {
  if (result const checked = farpoint::detail::check_knn_screen(points, method, output); !checked) return checked;
  bool const by_input = method.rows == screen_rows::input;
  index_t const bad_offsets = farpoint::detail::count_bad_offsets(points);
  Points const cloud = bad_offsets > 0 ? points.points().subview(0, 0) : points[0];
  index_t const begin = by_input && bad_offsets == 0 ? points.begin_of(0) : 0;
  index_t const empty_rows = bad_offsets > 0 ? points.points().size() : cloud.size();
  for (index_t i = 0; by_input && i < empty_rows; ++i) {
    detail::write_row<typename Points::scalar>({}, begin + i, method.k, output.indices, output.distances);
    if (!output.counts.empty()) output.counts.set(begin + i, 0);
    if (!output.pixels.empty()) output.pixels.set(begin + i, -1);
  }

  detail::screen_view const view = detail::look_at(cloud, method.camera, method.layers);
  detail::screen_view by_code = view;
  std::sort(by_code.visible.begin(), by_code.visible.end(),
            [](auto const& a, auto const& b) { return a.code < b.code; });
  index_t rank = 0;
  for (auto const& point : view.visible) {
    index_t const row = by_input ? begin + point.index : rank;
    auto found = method.rounds == until_exact ? detail::all_visible(cloud, view, point, method)
                                              : detail::candidates_of(cloud, by_code, point, method);
    std::sort(found.begin(), found.end());
    found.resize(std::min(found.size(), static_cast<std::size_t>(method.k)));
    detail::write_row(found, row, method.k, output.indices, output.distances);
    if (!output.counts.empty()) output.counts.set(row, static_cast<index_t>(found.size()));
    if (!output.pixels.empty()) output.pixels.set(row, index_t{point.y} * method.camera.width + point.x);
    if (!output.visible.empty()) output.visible.set(rank, point.index);
    ++rank;
  }
  if (!output.visible_count.empty()) output.visible_count.set(0, rank);
  if (output.report == nullptr) return {};
  *output.report = view.report;
  output.report->bad_offsets = static_cast<unsigned long long>(bad_offsets);
  return {};
}

}  // namespace reference
FARPOINT_END_NAMESPACE
