// fps() of coordinates in double precision by the default selector.
#include <farpoint/fps.cuh>

#include "two_sides.cuh"

using namespace farpoint_tests;

TEST_CASE("compiled for another GPU: fps of doubles", "[fps][device]") {
  using doubles = farpoint::point_view<double>;
  struct {
    index_t clouds, points, samples;
  } const shapes[] = {{40, 500, 100},  {3, 2000, 200},   {40, 4096, 256},  {8, 20000, 32},
                      {2, 30000, 100}, {1, 131072, 200}, {1, 300000, 200}, {80, 9000, 200}};
  for (auto const& [clouds_of, points, samples] : shapes) {
    CAPTURE(clouds_of, points, samples);
    random_source random{9};
    std::vector<double> coordinates(static_cast<std::size_t>(3 * clouds_of * points));
    // Coordinates of a map projection, which floats would round to half a meter.
    for (double& x : coordinates) x = 5.4e6 + 40 * static_cast<double>(random.uniform());
    farpoint::fps_params params;
    params.samples = samples;
    auto const slots = static_cast<std::size_t>(clouds_of * samples);
    check_both_sides([&, count = clouds_of](auto side) {
      using type = decltype(side);
      typename type::template array<double> const xyz{coordinates}, distances{slots};
      typename type::template array<std::int32_t> const indices{slots}, counts{static_cast<std::size_t>(count)};
      typename type::template array<farpoint::fps_report> const report{1};
      auto const clouds =
          farpoint::batch<doubles>::regular(doubles{xyz.data(), static_cast<index_t>(coordinates.size()) / 3}, count);
      typename type::template array<unsigned char> const memory{fps_workspace_bytes(side.exec(), clouds, params)};
      REQUIRE(fps(side.exec(), clouds, params, {all_of(indices), all_of(distances), all_of(counts), report.data()},
                  all_of(memory)));
      side.wait();
      return written_to(indices, distances, counts, report);
    });
  }
}
