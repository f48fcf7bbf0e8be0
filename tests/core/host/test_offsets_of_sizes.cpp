#include <farpoint/offsets_of_sizes.hpp>

#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::index_t;
using farpoint::status;

namespace {

/// Against a loop that carries the sum along.
template <class Size>
void check_offsets(std::size_t clouds, int threads, std::uint64_t seed) {
  random_source random{seed};
  std::vector<Size> sizes;
  for (std::size_t b = 0; b < clouds; ++b) sizes.push_back(static_cast<Size>(random.below(1000)));
  std::vector<index_t> expected{0};
  for (Size const size : sizes) expected.push_back(expected.back() + size);
  std::vector<index_t> offsets(clouds + 1, -1);
  CAPTURE(clouds, threads, seed);
  REQUIRE(offsets_of_sizes(host_exec{threads}, sizes, offsets));
  CHECK(offsets == expected);
}

}  // namespace

TEST_CASE("offsets of sizes are their sums", "[offsets]") {
  for (std::size_t const clouds : {0, 1, 2, 33, 1500}) {
    for (int const threads : {1, 4}) {
      check_offsets<std::int32_t>(clouds, threads, clouds);
      check_offsets<std::int64_t>(clouds, threads, clouds + 1);
    }
  }
}

TEST_CASE("offsets of negative sizes descend, and others may be huge", "[offsets]") {
  std::vector<index_t> offsets(4);
  std::vector<std::int32_t> const negative{5, -2, 4};
  REQUIRE(offsets_of_sizes(host_exec{1}, negative, offsets));
  CHECK(offsets == std::vector<index_t>{0, 5, 3, 7});
  std::vector<std::int64_t> const huge{INT64_MAX, 1, 0};
  REQUIRE(offsets_of_sizes(host_exec{1}, huge, offsets));
  CHECK(offsets == std::vector<index_t>{0, INT64_MAX, INT64_MIN, INT64_MIN});
}

TEST_CASE("offsets of sizes are refused where they do not fit", "[offsets]") {
  std::vector<index_t> offsets(3, -1);
  std::vector<std::int32_t> const sizes{1, 2, 3};
  CHECK(offsets_of_sizes(host_exec{1}, sizes, offsets).code == status::bad_argument);
  CHECK(offsets_of_sizes(host_exec{1}, farpoint::index_view{}, farpoint::span<index_t>{}).code == status::bad_argument);
  CHECK(offsets_of_sizes(host_exec{-1}, sizes, offsets).code == status::bad_argument);
  CHECK(offsets == std::vector<index_t>(3, -1));
}
