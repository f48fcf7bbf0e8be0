// warp_compact against std::stable_partition.
#include <farpoint/warp/warp_compact.cuh>

#include <algorithm>
#include <numeric>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/random.hpp"

using namespace farpoint_tests;
using farpoint::warp_compact;

namespace {

constexpr int warps = 4;

/// Each warp numbers the items whose flag is set: items[i] becomes row * 32 + lane of the i-th, counts[warp] their
/// number.
template <int Rows>
__global__ void compact(unsigned char const* flags, int* items, int* counts) {
  int const lane = static_cast<int>(threadIdx.x) % 32;
  int const warp = static_cast<int>(threadIdx.x) / 32;
  warp_compact<Rows> const chosen{[&](int row) { return flags[(warp * Rows + row) * 32 + lane] != 0; }};
  if (lane == 31) counts[warp] = chosen.count();
  for (int i = lane; i < chosen.count(); i += 32) {
    auto const place = chosen[i];
    items[warp * Rows * 32 + i] = place.row * 32 + place.lane;
  }
  // Any lane may read any item: all lanes read the last, and must agree.
  if (chosen.count() == 0) return;
  auto const last = chosen[chosen.count() - 1];
  int const item = last.row * 32 + last.lane;
  if (__any_sync(~0u, item != __shfl_sync(~0u, item, 0)) && lane == 31) counts[warp] = -1;
}

template <int Rows>
void check_flags(std::vector<unsigned char> const& flags) {
  device_array<unsigned char> const flag_memory{flags};
  device_array<int> const items{std::vector<int>(flags.size(), -7)};
  device_array<int> const counts{std::vector<int>(warps, -7)};
  compact<Rows><<<1, 32 * warps>>>(flag_memory.data(), items.data(), counts.data());
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  auto const found = items.download();
  auto const found_counts = counts.download();
  for (int warp = 0; warp < warps; ++warp) {
    std::vector<int> expected(Rows * 32);
    std::iota(expected.begin(), expected.end(), 0);
    auto const end = std::stable_partition(expected.begin(), expected.end(), [&](int item) {
      return flags[static_cast<std::size_t>(warp * Rows * 32 + item)] != 0;
    });
    CHECK(found_counts[static_cast<std::size_t>(warp)] == end - expected.begin());
    std::fill(end, expected.end(), -7);
    CHECK(std::equal(expected.begin(), expected.end(), found.begin() + warp * Rows * 32));
  }
  CHECK(items.intact());
}

/// None, all, single ones, and every density in between.
template <int Rows>
void check_rows() {
  std::size_t const size = warps * Rows * 32;
  check_flags<Rows>(std::vector<unsigned char>(size, 0));
  check_flags<Rows>(std::vector<unsigned char>(size, 1));
  for (int item = 0; item < Rows * 32; ++item) {
    std::vector<unsigned char> flags(size, 0);
    // One alone, all but one, those before it, and those from it on.
    for (int i = 0; i < Rows * 32; ++i) {
      flags[static_cast<std::size_t>(i)] = i == item;
      flags[static_cast<std::size_t>(Rows * 32 + i)] = i != item;
      flags[static_cast<std::size_t>(2 * Rows * 32 + i)] = i < item;
      flags[static_cast<std::size_t>(3 * Rows * 32 + i)] = i >= item;
    }
    CAPTURE(Rows, item);
    check_flags<Rows>(flags);
  }
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(Rows, seed);
    random_source random{seed};
    auto const density = random.below(101);
    std::vector<unsigned char> flags(size);
    for (auto& flag : flags) flag = random.below(100) < density;
    check_flags<Rows>(flags);
  }
}

}  // namespace

TEST_CASE("warp_compact: chosen items in order of rows and lanes", "[warp][device][sanitize]") {
  check_rows<1>();
  check_rows<2>();
  check_rows<5>();
  check_rows<8>();
}
