// fps() by every kernel, and by the default selector.
#include <farpoint/fps.cuh>

#include "two_sides.cuh"

using namespace farpoint_tests;
using farpoint::fps_choice;
using farpoint::fps_kernel;

namespace {

struct fps_shape {
  index_t clouds, points, samples;
};

/// Chooses at run time: the kernels are the default's.
struct chosen : farpoint::fps_selector {
  static fps_choice choose(farpoint::fps_case const&) noexcept { return choice; }

  inline static fps_choice choice{fps_kernel::in_regions};
};

template <class Selector, class Exec>
farpoint::result sample(Exec const& exec, farpoint::batch<view> const& clouds, farpoint::fps_params const& params,
                        farpoint::fps_output<float> const& output, farpoint::bytes workspace) {
  if constexpr (std::is_same_v<Exec, farpoint::cuda_exec>) {
    return farpoint::fps<Selector>(exec, clouds, params, output, workspace);
  } else {
    return farpoint::fps(exec, clouds, params, output, workspace);
  }
}

template <class Selector, class Exec>
std::size_t workspace_for(Exec const& exec, farpoint::batch<view> const& clouds, farpoint::fps_params const& params) {
  if constexpr (std::is_same_v<Exec, farpoint::cuda_exec>) {
    return farpoint::fps_workspace_bytes<Selector>(exec, clouds, params);
  } else {
    return farpoint::fps_workspace_bytes(exec, clouds, params);
  }
}

template <class Selector>
void check_fps(fps_shape const& shape) {
  CAPTURE(shape.clouds, shape.points, shape.samples);
  std::vector<float> const points = cube_of(shape.clouds * shape.points);
  farpoint::fps_params params;
  params.samples = shape.samples;
  check_both_sides([&](auto side) {
    using type = decltype(side);
    typename type::template array<float> const xyz{points};
    auto const slots = static_cast<std::size_t>(shape.clouds * shape.samples);
    typename type::template array<std::int32_t> const indices{slots}, counts{static_cast<std::size_t>(shape.clouds)};
    typename type::template array<float> const distances{slots};
    typename type::template array<farpoint::fps_report> const report{1};
    auto const clouds = clouds_in(xyz, shape.clouds);
    typename type::template array<unsigned char> const workspace{workspace_for<Selector>(side.exec(), clouds, params)};
    farpoint::fps_output<float> const output{all_of(indices), all_of(distances), all_of(counts), report.data()};
    REQUIRE(sample<Selector>(side.exec(), clouds, params, output, all_of(workspace)));
    side.wait();
    return written_to(indices, distances, counts, report);
  });
}

}  // namespace

TEST_CASE("compiled for another GPU: fps by the default's kernels", "[fps][device]") {
  fps_shape const shapes[] = {{16, 1024, 512},  {32, 4096, 1024}, {1, 16384, 32},   {1, 20000, 32},  {8, 20000, 32},
                              {40, 8192, 256},  {40, 8192, 1024}, {16, 40000, 256}, {2, 30000, 40},  {1, 131072, 512},
                              {64, 10000, 100}, {64, 16384, 300}, {1, 600000, 512}, {80, 16384, 100}};
  for (fps_shape const& shape : shapes) check_fps<farpoint::fps_selector>(shape);
}

TEST_CASE("compiled for another GPU: fps by every kernel", "[fps][device]") {
  struct {
    fps_choice choice;
    fps_shape shape;
  } const kernels[] = {
      // Shapes of regions, and of blocks of teams: in registers, sorted or not, in global and in shared memory.
      {{fps_kernel::in_regions}, {3, 200, 50}},
      {{fps_kernel::in_regions}, {3, 1000, 200}},
      {{fps_kernel::in_regions}, {200, 1000, 100}},
      {{fps_kernel::in_regions}, {3, 4000, 200}},
      {{fps_kernel::in_regions}, {3, 8000, 200}},
      {{fps_kernel::in_global_memory}, {3, 20000, 100}},
      {{fps_kernel::in_teams, 4}, {3, 2000, 200}},
      {{fps_kernel::in_teams, 4}, {3, 9000, 200}},
      {{fps_kernel::in_teams, 4, true}, {3, 9000, 200}},
      {{fps_kernel::in_teams, 2, true}, {3, 40000, 200}},
      {{fps_kernel::in_teams, 40, true}, {1, 300000, 200}},
      {{fps_kernel::in_teams, 20, false, 40, 32, 8, true}, {3, 9000, 200}},
      {{fps_kernel::in_teams, 20, true, 40, 32, 0, true}, {90, 9000, 200}},
  };
  for (auto const& [choice, shape] : kernels) {
    chosen::choice = choice;
    INFO(to_string(choice.kernel) << ", " << choice.blocks << " blocks" << (choice.boxes ? ", boxes" : ""));
    // The plan must not fall back to another kernel.
    farpoint::fps_params params;
    params.samples = shape.samples;
    auto const clouds = farpoint::batch<view>::regular(view{nullptr, shape.clouds * shape.points}, shape.clouds);
    REQUIRE(farpoint::detail::fps_cuda_plan<chosen, view>{clouds, params}.choice() == choice);
    check_fps<chosen>(shape);
  }
}

TEST_CASE("compiled for another GPU: fps_weighted", "[fps][device]") {
  std::vector<float> const points = cube_of(9000);
  std::vector<float> weights(9000);
  random_source random{2};
  for (float& weight : weights) weight = random.uniform();
  farpoint::fps_params params;
  params.samples = 100;
  check_both_sides([&](auto side) {
    using type = decltype(side);
    typename type::template array<float> const xyz{points}, given{weights}, distances{300};
    typename type::template array<std::int32_t> const indices{300};
    auto const clouds = clouds_in(xyz, 3);
    typename type::template array<unsigned char> const workspace{
        farpoint::fps_weighted_workspace_bytes(side.exec(), clouds)};
    farpoint::fps_output<float> output;
    output.indices = all_of(indices);
    output.distances = all_of(distances);
    REQUIRE(farpoint::fps_weighted(side.exec(), clouds, span<float const>{given.data(), given.size()}, params, output,
                                   all_of(workspace)));
    side.wait();
    return written_to(indices, distances);
  });
}

TEST_CASE("compiled for another GPU: fps_extend and poisson_subset", "[fps][device]") {
  constexpr std::size_t earlier = 64, samples = 200, room = 1500;
  std::vector<float> const points = cube_of(9000);
  farpoint::fps_params first, more;
  first.samples = earlier;
  more.samples = samples;
  check_both_sides([&](auto side) {
    using type = decltype(side);
    typename type::template array<float> const xyz{points}, distances{earlier + samples}, poisson_distances{3 * room};
    typename type::template array<std::int32_t> const indices{earlier + samples}, count{1};
    typename type::template array<std::int32_t> const poisson_indices{3 * room}, poisson_counts{3};
    typename type::template array<farpoint::fps_report> const reports{2};
    auto const cloud = clouds_in(xyz), clouds = clouds_in(xyz, 3);
    typename type::template array<unsigned char> const first_memory{fps_workspace_bytes(side.exec(), cloud, first)};
    typename type::template array<unsigned char> const memory{fps_workspace_bytes(side.exec(), cloud, more)};
    typename type::template array<unsigned char> const poisson_memory{
        poisson_subset_workspace_bytes(side.exec(), clouds, index_t{room})};
    REQUIRE(fps(side.exec(), cloud, first, {all_of(indices).subspan(0, earlier)}, all_of(first_memory)));
    REQUIRE(fps_extend(side.exec(), cloud.points(), index_t{earlier}, more,
                       {all_of(indices), all_of(distances), all_of(count), reports.data()}, all_of(memory)));
    REQUIRE(
        poisson_subset(side.exec(), clouds, 3.0,
                       {all_of(poisson_indices), all_of(poisson_distances), all_of(poisson_counts), reports.data() + 1},
                       all_of(poisson_memory)));
    side.wait();
    CHECK(memory.intact());
    CHECK(poisson_memory.intact());
    return written_to(indices, distances, count, poisson_indices, poisson_distances, poisson_counts, reports);
  });
}
