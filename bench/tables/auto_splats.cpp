#include "auto_splats.hpp"

#include <farpoint/core/math.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parallel.hpp"

namespace farpoint_tools {

namespace {

constexpr int passes = 8;
// A point alone would go through the whole image.
constexpr float largest = 64;

class searcher {
 public:
  searcher(std::vector<point3> const& cloud, std::vector<std::int32_t> const& visible, camera const& looking)
      : cloud_{cloud},
        looking_{looking},
        shown_(static_cast<std::size_t>(looking.width) * static_cast<std::size_t>(looking.height), -1) {
    for (auto const index : visible) {
      auto const pixel = pixel_of(index);
      shown_[at(pixel.x, pixel.y)] = index;
    }
  }

  /// Calls visit(index, squared distance) for what the ball of a radius (px) holds of the window around a point.
  template <class Visit>
  void for_each_in_ball(std::int32_t index, float radius, Visit const& visit) const {
    auto const pixel = pixel_of(index);
    int const away = static_cast<int>(std::ceil(radius));
    float const reach = radius * looking_.pixel_span(pixel.depth);
    for (int y = std::max(pixel.y - away, 0); y <= std::min(pixel.y + away, looking_.height - 1); ++y) {
      for (int x = std::max(pixel.x - away, 0); x <= std::min(pixel.x + away, looking_.width - 1); ++x) {
        std::int32_t const other = shown_[at(x, y)];
        if (other < 0) continue;
        float const d = farpoint::distance2(position(other), position(index));
        if (d <= reach * reach) visit(other, d);
      }
    }
  }

  float radius_of(std::int32_t index, int k) const {
    float radius = 2 * std::sqrt(static_cast<float>(k) / 8);
    float too_small = 0;
    float too_large = 0;
    for (int pass = 0; pass < passes; ++pass) {
      int count = 0;
      for_each_in_ball(index, radius, [&count](std::int32_t, float) { ++count; });
      if (count >= k && count <= 2 * k) break;
      (count < k ? too_small : too_large) = radius;
      radius = too_large == 0 ? std::min(2 * radius, largest) : (too_small + too_large) / 2;
    }
    return radius;
  }

 private:
  farpoint::vec<float> position(std::int32_t index) const {
    auto const& p = cloud_[static_cast<std::size_t>(index)];
    return {{p[0], p[1], p[2]}};
  }
  farpoint::camera_pixel<float> pixel_of(std::int32_t index) const {
    farpoint::camera_pixel<float> pixel;
    looking_.project(position(index), pixel);
    return pixel;
  }
  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(looking_.width) + static_cast<std::size_t>(x);
  }

  std::vector<point3> const& cloud_;
  camera const& looking_;
  std::vector<std::int32_t> shown_;
};

}  // namespace

neighbor_rows search_auto_splats(std::vector<point3> const& cloud, std::vector<std::int32_t> const& visible,
                                 camera const& looking, int k, int threads) {
  searcher const search{cloud, visible, looking};
  auto const width = 2 * static_cast<std::size_t>(k);
  neighbor_rows rows{width, std::vector<std::int32_t>(visible.size() * width, -1),
                     std::vector<float>(visible.size() * width, std::numeric_limits<float>::infinity())};
  for_each_index(visible.size(), threads, [&](std::size_t row) {
    std::vector<std::pair<float, std::int32_t>> found;
    search.for_each_in_ball(visible[row], search.radius_of(visible[row], k),
                            [&found](std::int32_t index, float d) { found.emplace_back(d, index); });
    std::sort(found.begin(), found.end());
    for (std::size_t j = 0; j < std::min(width, found.size()); ++j) {
      rows.distances[row * width + j] = found[j].first;
      rows.indices[row * width + j] = found[j].second;
    }
  });
  return rows;
}

}  // namespace farpoint_tools
