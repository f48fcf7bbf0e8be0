// Calls of the compiled library with k or max as an argument, which forward until 0.2.
#include <farpoint/runtime.hpp>
#include <farpoint/runtime/host_index.hpp>

#include <array>
#include <vector>

#include "../../support/catch.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

namespace fp = farpoint;
namespace runtime = farpoint::runtime;

std::vector<std::array<float, 3>> const points{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {3, 1, 0}, {1, 4, 1}};

}  // namespace

TEST_CASE("runtime: deprecated calls of knn() and radius()", "[runtime][host]") {
  fp::batch const cloud{fp::view_points(points)};
  runtime::options const options{runtime::backend::host, 1};
  std::vector<std::int32_t> before(10, -7), now(10, -7);
  REQUIRE(runtime::knn(cloud, fp::exact{}, 2, fp::knn_output<float>{before}, options));
  REQUIRE(runtime::knn(cloud, {2}, {now}, options));
  CHECK(before == now);
  fp::radius_params const ball{2.5};
  REQUIRE(runtime::radius(cloud, cloud, ball, 2, fp::radius_output<float>{before}, options));
  REQUIRE(runtime::radius(cloud, cloud, {2.5, 2}, {now}, options));
  CHECK(before == now);

  runtime::point_index<float> index;
  REQUIRE(index.build(cloud, options));
  REQUIRE(index.knn(cloud, fp::exact{}, 2, {before}));
  REQUIRE(index.knn(cloud, {2}, {now}));
  CHECK(before == now);
  REQUIRE(index.radius(cloud, ball, 2, {before}));
  REQUIRE(index.radius(cloud, {2.5, 2}, {now}));
  CHECK(before == now);
}
