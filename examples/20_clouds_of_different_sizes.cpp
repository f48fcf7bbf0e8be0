// Clouds of different sizes in one call, as data loaders have them: all points one after another, and how many each
// cloud has. Each cloud gives a tenth of its points.
#include <farpoint/fps.hpp>
#include <farpoint/offsets_of_sizes.hpp>

#include <array>
#include <cstdio>
#include <vector>

int main() {
  std::vector<std::int32_t> const sizes{300, 1000, 0, 20};
  std::vector<std::array<float, 3>> points;
  for (std::int32_t const size : sizes) {
    for (int i = 0; i < size; ++i) {
      points.push_back({static_cast<float>(i * 7 % 101), static_cast<float>(i * 13 % 97), static_cast<float>(i % 5)});
    }
  }

  //! [ragged]
  farpoint::host_exec const exec{};
  std::vector<farpoint::index_t> offsets(sizes.size() + 1);  // 0, 300, 1300, 1300, 1320
  farpoint::result outcome = offsets_of_sizes(exec, sizes, offsets);
  auto const view = farpoint::view_points(points);
  auto const clouds = farpoint::batch<farpoint::point_view<float>>::ragged(view, offsets);

  farpoint::fps_params params;
  params.samples = 100;  // entries per row: the largest count of a cloud
  std::vector<std::int32_t> const wanted{30, 100, 0, 2};
  params.sample_counts = wanted;
  std::vector<std::int32_t> picks(sizes.size() * 100);  // [clouds, 100], -1 past the last
  farpoint::host_scratch const workspace{fps_workspace_bytes(exec, clouds, params)};
  if (outcome) outcome = farpoint::fps(exec, clouds, params, {picks}, workspace);
  //! [ragged]
  if (!outcome) {
    std::fprintf(stderr, "%s\n", outcome.reason);
    return 1;
  }

  // Each cloud by itself has the same samples: indices count within the cloud.
  auto const* begin = points.data();
  for (std::size_t cloud = 0; cloud < sizes.size(); ++cloud) {
    std::vector<std::array<float, 3>> const alone(begin, begin + sizes[cloud]);
    auto expected = farpoint::fps(alone, wanted[cloud]).indices;
    expected.resize(100, -1);
    auto const* const row = picks.data() + cloud * 100;
    if (expected != std::vector<std::int32_t>(row, row + 100)) {
      std::fprintf(stderr, "cloud %zu has other samples\n", cloud);
      return 1;
    }
    begin += sizes[cloud];
  }
  std::printf("%zu clouds of %zu points in one call\n", sizes.size(), points.size());
  return 0;
}
