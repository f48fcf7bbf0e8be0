/// @file
/// Check of the neighbors that other libraries find.

#include "knn/peers.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace farpoint_bench {

std::size_t mistakes_in(std::vector<std::int32_t> const& found, std::vector<float> const& xyz,
                        std::vector<float> const& queries, knn_lists const& expected, farpoint::index_t k,
                        double radius) {
  constexpr double rounding = 1e-5;  // relative error of squared distances
  // A point at a smaller squared distance must be found; nearer to the radius, rounding decides.
  double const borderline = radius * radius * (1 - rounding);
  auto const size = static_cast<std::size_t>(k);
  auto const points = static_cast<std::int64_t>(xyz.size() / 3);
  if (found.size() != expected.indices.size()) return 1;
  std::size_t mistakes = 0;
  std::vector<std::int32_t> list;
  for (std::size_t q = 0; 3 * q < queries.size(); ++q) {
    list.assign(found.begin() + static_cast<std::ptrdiff_t>(q * size),
                found.begin() + static_cast<std::ptrdiff_t>((q + 1) * size));
    for (std::size_t j = 0; j < size; ++j) {
      std::size_t const at = q * size + j;
      bool const is_expected = expected.indices[at] >= 0;
      // An empty entry is right unless another point is clearly within the radius.
      if (list[j] < 0) {
        if (is_expected && expected.distances[at] < borderline) ++mistakes;
        continue;
      }
      if (list[j] >= points) {
        ++mistakes;
        continue;
      }
      float const* const p = &xyz[3 * static_cast<std::size_t>(list[j])];
      double distance = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double const d = double{p[axis]} - double{queries[3 * q + axis]};
        distance += d * d;
      }
      double const wanted = is_expected ? double{expected.distances[at]} : radius * radius;
      // Without a radius, no neighbor may be in an entry that is expected to be empty.
      if (std::isinf(wanted) || !(std::fabs(distance - wanted) <= rounding * wanted + 1e-30)) ++mistakes;
    }
    // A list must not repeat a point.
    list.erase(std::remove(list.begin(), list.end(), -1), list.end());
    std::sort(list.begin(), list.end());
    if (std::adjacent_find(list.begin(), list.end()) != list.end()) ++mistakes;
  }
  return mistakes;
}

}  // namespace farpoint_bench
