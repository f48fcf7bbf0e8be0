// The consumer on the host, compared with the rows of knn().
#include "distance_to_mean.hpp"

#include <cstdio>

int main() {
  std::vector<float> const all = user::coordinates();
  farpoint::point_view<float> const points{all.data(), static_cast<farpoint::index_t>(all.size() / 3)};
  auto const n = static_cast<std::size_t>(points.size());
  std::vector<float> squared(n, -2), counts(n, -2);
  if (!user::answer(points, squared.data(), counts.data())) return 1;

  farpoint::batch const cloud{points};
  farpoint::knn_params params{user::neighbors};
  params.exclude_self = true;
  std::vector<std::int32_t> indices(n * user::neighbors), found(n);
  farpoint::host_scratch const workspace{knn_workspace_bytes(farpoint::host_exec{}, cloud, params)};
  farpoint::knn_output<float> output{indices};
  output.counts = found;
  if (!knn(farpoint::host_exec{}, cloud, params, output, workspace)) return 1;
  int wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 11 || i == 33) {
      wrong += counts[i] == -1 && squared[i] == 0 ? 0 : 1;
      continue;
    }
    float distance2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
      float sum = 0;
      for (std::size_t j = 0; j < static_cast<std::size_t>(found[i]); ++j) sum += points[indices[6 * i + j]][axis];
      float const away = sum - static_cast<float>(found[i]) * all[3 * i + static_cast<std::size_t>(axis)];
      distance2 += away * away;
    }
    // Sums of small whole numbers are exact.
    wrong += squared[i] == distance2 && counts[i] == static_cast<float>(found[i]) ? 0 : 1;
  }
  std::printf("%zu points, %d wrong\n", n, wrong);
  return wrong == 0 ? 0 : 1;
}
