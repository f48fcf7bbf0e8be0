#include "coverage.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>

#include "view.hpp"

namespace farpoint_tools {

namespace {

// Squared radii of the points [begin, end).
std::vector<float> squared_radii(std::vector<point3> const& points, std::size_t begin, std::size_t end,
                                 std::vector<point3> const& samples, std::vector<std::size_t> const& counts) {
  // A block of points stays in the L1 cache while all samples pass over it, and fills vector registers.
  constexpr std::size_t block = 1024;
  std::array<float, block> x, y, z, nearest;
  std::vector<float> radii(counts.size(), 0.0F);

  while (begin < end) {
    std::size_t size = 0;
    for (; begin < end && size < block; ++begin) {
      auto const& point = points[begin];
      if (!std::isfinite(point[0]) || !std::isfinite(point[1]) || !std::isfinite(point[2])) continue;
      x[size] = point[0];
      y[size] = point[1];
      z[size] = point[2];
      ++size;
    }
    nearest.fill(std::numeric_limits<float>::infinity());
    std::size_t s = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      for (; s < counts[c]; ++s) {
        for (std::size_t i = 0; i < size; ++i) {
          float const dx = x[i] - samples[s][0];
          float const dy = y[i] - samples[s][1];
          float const dz = z[i] - samples[s][2];
          float const d = dx * dx + dy * dy + dz * dz;
          nearest[i] = d < nearest[i] ? d : nearest[i];
        }
      }
      for (std::size_t i = 0; i < size; ++i) radii[c] = std::max(radii[c], nearest[i]);
    }
  }
  return radii;
}

}  // namespace

std::vector<double> coverage_radii(std::vector<point3> const& points, std::vector<std::int64_t> const& samples,
                                   std::vector<std::size_t> const& counts, int threads) {
  std::vector<point3> places;
  places.reserve(samples.size());
  for (auto const index : samples) places.push_back(points[static_cast<std::size_t>(index)]);

  auto const parts = static_cast<std::size_t>(std::max(threads, 1));
  std::vector<std::future<std::vector<float>>> work;
  for (std::size_t part = 0; part < parts; ++part) {
    std::size_t const begin = points.size() * part / parts;
    std::size_t const end = points.size() * (part + 1) / parts;
    work.push_back(
        std::async(std::launch::async, [&, begin, end] { return squared_radii(points, begin, end, places, counts); }));
  }
  std::vector<double> radii(counts.size(), 0.0);
  for (auto& part : work) {
    auto const squared = part.get();
    for (std::size_t c = 0; c < counts.size(); ++c) {
      radii[c] = std::max(radii[c], std::sqrt(static_cast<double>(squared[c])));
    }
  }
  return radii;
}

}  // namespace farpoint_tools
