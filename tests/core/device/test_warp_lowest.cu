// warp_lowest against std::sort.
#include <farpoint/warp/warp_lowest.cuh>

#include <algorithm>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/random.hpp"

using namespace farpoint_tests;
using farpoint::ranked_point;
using farpoint::warp_lowest;

namespace {

constexpr int warps = 3;

/// Each warp keeps the lowest of its `size` points.
__global__ void keep_lowest(ranked_point const* points, int size, int most, bool begins, ranked_point* best) {
  int const lane = static_cast<int>(threadIdx.x) % 32;
  int const warp = static_cast<int>(threadIdx.x) / 32;
  ranked_point const* const mine = points + warp * size;
  warp_lowest lowest{most};
  for (int first = 0; first < size || first == 0; first += 32) {
    int const i = first + lane;
    ranked_point const point = i < size ? mine[i] : ranked_point{warp_lowest::none, 0};
    if (first == 32 && begins) {
      // Another warp_lowest begins with the points that this one holds.
      warp_lowest other{most};
      other.begin_ascending(lowest.best());
      lowest = other;
    }
    if (first == 0 && begins) {
      lowest.begin(point);
    } else {
      lowest.offer(point);
    }
  }
  best[threadIdx.x] = lowest.best();
}

/// `kind`: 0 random ranks, 1 descending, 2 ascending, 3 close to the largest.
void check_points(int size, int most, int kind, std::uint64_t seed) {
  CAPTURE(size, most, kind, seed);
  random_source random{seed};
  std::vector<ranked_point> points;
  for (int i = 0; i < warps * size; ++i) {
    // No two are equal: the low bits are the point's number.
    auto const number = static_cast<std::uint64_t>(i);
    std::uint64_t const ranks[] = {random.next() << 16 | number, (std::uint64_t{1} << 40) - number, number,
                                   warp_lowest::none - 1 - number};
    points.push_back({ranks[kind], static_cast<std::uint32_t>(i * 3 + 1)});
  }
  // The lowest rank there is.
  if (kind == 0 && size > 2) points[static_cast<std::size_t>(size / 2)].rank = 0;
  device_array<ranked_point> const memory{points};
  for (int warp = 0; warp < warps; ++warp) {
    std::sort(points.begin() + warp * size, points.begin() + (warp + 1) * size,
              [](ranked_point const& a, ranked_point const& b) { return a.rank < b.rank; });
  }
  for (bool const begins : {true, false}) {
    device_array<ranked_point> const best{32 * warps};
    keep_lowest<<<1, 32 * warps>>>(memory.data(), size, most, begins, best.data());
    REQUIRE_CUDA(cudaGetLastError());
    REQUIRE_CUDA(cudaDeviceSynchronize());
    auto const found = best.download();
    bool right = true;
    for (int warp = 0; warp < warps; ++warp) {
      for (int lane = 0; lane < 32; ++lane) {
        auto const& at = found[static_cast<std::size_t>(warp * 32 + lane)];
        if (lane < most && lane < size) {
          auto const& expected = points[static_cast<std::size_t>(warp * size + lane)];
          right = right && at.rank == expected.rank && at.point == expected.point;
        } else {
          right = right && at.rank == warp_lowest::none;
        }
      }
    }
    CAPTURE(begins);
    CHECK(right);
  }
}

}  // namespace

TEST_CASE("warp_lowest: the lowest ranks, ascending by lane", "[warp][device][sanitize]") {
  for (int const most : {1, 2, 31, 32}) {
    for (int size = 0; size <= 70; ++size) check_points(size, most, size % 4, static_cast<std::uint64_t>(size));
  }
}

TEST_CASE("warp_lowest: many points", "[warp][device]") {
  for (int most = 1; most <= 32; ++most) {
    for (int kind = 0; kind < 4; ++kind) check_points(3000 + most, most, kind, static_cast<std::uint64_t>(most));
  }
}
