// expect: farpoint: a temporary owns this memory, which ends with it
#include <farpoint/core/batch.hpp>

#include <array>

#include "right_or_wrong.hpp"

std::array<farpoint::index_t, 2> const owner{0, 3};

int main() {
  using points = farpoint::point_view<float>;
  using two_offsets = std::array<farpoint::index_t, 2>;
  auto const clouds = farpoint::batch<points>::ragged({}, RIGHT_OR_WRONG(owner, two_offsets(owner)));
  return static_cast<int>(clouds.size()) - 1;
}
