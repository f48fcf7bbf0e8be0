// Farthest point samples of a cloud in three lines, on all cores of this machine.
#include <farpoint/fps.hpp>

#include <array>
#include <cstdio>

int main() {
  //! [sample]
  std::vector<std::array<float, 3>> const points{{0, 0, 0}, {1, 0, 0}, {0, 5, 0}, {9, 0, 0}, {1, 1, 1}};

  auto const picks = farpoint::fps(points, 3);
  // picks.indices, picks.distances: in the order of selection
  //! [sample]

  for (std::size_t i = 0; i < picks.indices.size(); ++i) {
    std::printf("sample %zu: point %d, %g m from those before\n", i, picks.indices[i], std::sqrt(picks.distances[i]));
  }
  bool const as_expected = picks.indices == std::vector<std::int32_t>{0, 3, 2};
  return as_expected ? 0 : 1;
}
