// Objects in a cloud: points that are far from all others are dropped, and what is near each other is one object.
// Outliers by mean_knn_distance(), Euclidean clusters by radius_rows().
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/radius.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <random>
#include <set>
#include <vector>

using point_list = std::vector<std::array<float, 3>>;

/// Without the points whose four nearest others are, in the mean of squares, more than `limit` meters away.
point_list without_outliers(point_list const& points, float limit) {
  std::vector<float> const means = farpoint::mean_knn_distance(points, 4);  // [points], squared meters
  point_list kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (means[i] <= limit * limit) kept.push_back(points[i]);
  }
  return kept;
}

//! [clusters]
/// For each point a number that all points of its cluster share: the lowest index in it.
std::vector<std::int32_t> clusters(point_list const& points, double distance) {
  std::vector<std::int32_t> parent(points.size());
  std::iota(parent.begin(), parent.end(), 0);
  auto const root_of = [&parent](std::int32_t i) {
    while (parent[static_cast<std::size_t>(i)] != i) i = parent[static_cast<std::size_t>(i)];
    return i;
  };
  auto const rows = farpoint::radius_rows(points, {distance});  // row i: all points that near to point i
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (auto at = static_cast<std::size_t>(rows.offsets[i]); at < static_cast<std::size_t>(rows.offsets[i + 1]);
         ++at) {
      std::int32_t const a = root_of(static_cast<std::int32_t>(i));
      std::int32_t const b = root_of(rows.indices[at]);
      parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  for (std::size_t i = 0; i < points.size(); ++i) parent[i] = root_of(static_cast<std::int32_t>(i));
  return parent;
}
//! [clusters]

int main() {
  // Five objects at intervals of 10 m, with 400 points within half a meter each, and thirty distant points of rain.
  std::mt19937 random{1};
  std::uniform_real_distribution<float> meters{-0.5f, 0.5f};
  point_list points;
  for (int i = 0; i < 2000; ++i)
    points.push_back({10.0f * static_cast<float>(i % 5) + meters(random), meters(random), meters(random)});
  for (int i = 0; i < 30; ++i) points.push_back({2.0f * static_cast<float>(i), 20, 5});

  point_list const kept = without_outliers(points, 0.8f);
  auto const numbers = clusters(kept, 0.5);
  std::set<std::int32_t> const different(numbers.begin(), numbers.end());
  std::printf("%zu of %zu points in %zu clusters\n", kept.size(), points.size(), different.size());

  // The first point of each object has its number.
  bool const five = different == std::set<std::int32_t>{0, 1, 2, 3, 4};
  bool right = kept.size() == 2000 && five;
  for (std::size_t i = 0; right && i < kept.size(); ++i) right = numbers[i] == static_cast<std::int32_t>(i % 5);
  return right ? 0 : 1;
}
