// fps() by teams where blocks are shared out among the clouds of a batch: which batches it serves, and batches that
// equal teams do not serve.
#include "../../support/catch.hpp"
#include "../fps_random_batch.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;

namespace {

using view = farpoint::point_view<float>;

/// Shapes of the default selector. Only plans are made of it; no kernel runs.
struct shared_out : farpoint::fps_selector {
  static fps_choice choose(fps_case const&) noexcept { return choice; }

  inline static fps_choice choice{};
};

struct batch_sizes {
  index_t clouds;
  index_t points;        ///< total of all clouds
  index_t largest = -1;  ///< points of the largest cloud; -1: not known
  bool ragged = true;
};

fps_choice choice_of(int blocks, bool boxes) {
  return {fps_kernel::in_teams, blocks, boxes, 40, 32, 0, true};
}

/// Returns the choice of a plan whose selector shares out `blocks` blocks.
fps_choice planned(batch_sizes const& sizes, int blocks, bool boxes,
                   farpoint::detail::device_properties const& device = {132, 232448, 1}) {
  shared_out::choice = choice_of(blocks, boxes);
  // A plan does not read offsets.
  index_t const offset = 0;
  view const points{nullptr, sizes.points};
  farpoint::span<index_t const> const offsets{&offset, static_cast<std::size_t>(sizes.clouds) + 1};
  auto const clouds = sizes.ragged ? farpoint::batch<view>::ragged(points, offsets, sizes.largest)
                                   : farpoint::batch<view>::regular(points, sizes.clouds);
  farpoint::fps_params params;
  params.samples = 1000;
  farpoint::detail::fps_cuda_plan<shared_out, view> const plan{clouds, params, device};
  // The plan for a part of the device needs no more workspace.
  for (int const part : {8, 64, 120}) {
    if (part > device.multiprocessors) continue;
    farpoint::detail::device_properties const some{part, device.shared_bytes, device.cooperative};
    CHECK(farpoint::detail::fps_cuda_plan<shared_out, view>{clouds, params, some}.bytes() <= plan.bytes());
  }
  return plan.choice();
}

bool is_served(batch_sizes const& sizes, bool boxes) {
  return planned(sizes, 132, boxes) == choice_of(132, boxes);
}

/// Makes a batch of clouds of random sizes from 0 to `most`, some points of which are in no cloud.
fps_problem<float> many_clouds(std::size_t clouds, index_t most, index_t samples, std::uint64_t seed) {
  random_source random{seed};
  std::vector<index_t> offsets{2};
  for (std::size_t b = 0; b < clouds; ++b) offsets.push_back(offsets.back() + random.below(most + 1));
  fps_problem<float> problem{make_cloud(shape::cube, static_cast<std::size_t>(offsets.back()) + 5, seed), samples};
  problem.offsets = offsets;
  return problem;
}

void check(char const* name, fps_problem<float> const& problem) {
  auto const expected = reference_answer(problem);
  check_kernel<odd_shared_registers>(name, problem, expected);
  check_kernel<odd_shared_boxes>(name, problem, expected);
}

}  // namespace

TEST_CASE("fps, device: batches that shared out blocks serve", "[fps][device]") {
  for (bool const boxes : {false, true}) {
    CAPTURE(boxes);
    // Ragged batches whose clouds fit into the registers of a block or of a team.
    CHECK(is_served({256, 256 * 1024, 3072}, boxes));
    CHECK(is_served({64, 640000, 10000}, boxes) == boxes);
    CHECK(is_served({16, 65536}, boxes));
    CHECK(is_served({8000, 80000, 20}, boxes));
    CHECK(is_served({1, 132 * 4096, -1, false}, boxes));
    CHECK(is_served({120, 120 * 4096, -1, false}, boxes));
    CHECK(is_served({500, 500 * 4096, -1, false}, boxes));
    // Without boxes there are no chunks in memory.
    CHECK(is_served({256, 256 * 16384, -1, false}, boxes) == boxes);
    CHECK(is_served({31, 1030000}, boxes) == boxes);
    CHECK(is_served({31, 1030000, 1000000}, boxes) == boxes);
    CHECK(is_served({1, 34000000, -1, false}, boxes) == boxes);
    // Clouds that need, or might need, chunks of several parts.
    CHECK(is_served({1, 35000000, -1, false}, boxes) == boxes);
    CHECK(is_served({1, 2147483647, -1, false}, boxes) == boxes);
    CHECK(is_served({133, 133 * 270000, -1, false}, boxes) == boxes);
    CHECK(is_served({100, 30000000, 1000000}, boxes) == boxes);
    CHECK(is_served({100, 30000000}, boxes) == boxes);
    CHECK(!is_served({3, 0}, boxes));
  }
  // The order of cells has a limit.
  CHECK(is_served({40000, 400000, 20}, false));
  CHECK(is_served({32767, 400000, 20}, true));
  CHECK(!is_served({32768, 400000, 20}, true));

  batch_sizes const some{256, 256 * 1024, 3072};
  CHECK(planned(some, 0, true) == choice_of(132, true));
  CHECK(planned(some, -5, true) == choice_of(132, true));
  CHECK(planned(some, 1000, true) == choice_of(132, true));
  CHECK(planned(some, 20, false) == choice_of(20, false));
  CHECK(planned(some, 1, false) == choice_of(1, false));
  // Less shared memory makes teams smaller, but not the grid.
  CHECK(planned({16, 65536, 60000}, 0, true, {40, 65536, 1}) == choice_of(40, true));
  // Larger blocks, too, if a team of the blocks that the grid has room for does not fit.
  CHECK(planned({1, 40000}, 0, true, {40, 65536, 1}) == choice_of(40, true));
  // Without cooperative launches, clouds that no region shape holds are sampled in global memory.
  CHECK(planned(some, 0, true, {132, 232448, 0}) == fps_choice{fps_kernel::in_regions});
  CHECK(planned({256, 256 * 1024, 8192}, 0, true, {132, 232448, 0}) == fps_choice{fps_kernel::in_regions});
  CHECK(planned({256, 256 * 1024, 8193}, 0, true, {132, 232448, 0}) == fps_choice{fps_kernel::in_global_memory});
}

TEST_CASE("fps, device: shared out, more clouds than blocks", "[fps][device]") {
  check("300 clouds", many_clouds(300, 200, 30, 1));
  // A kernel checks the offsets first.
  check("3,000 clouds", many_clouds(3000, 40, 12, 2));
  check("9,000 clouds", many_clouds(9000, 6, 4, 3));
  check("empty clouds", many_clouds(500, 0, 3, 4));
}

TEST_CASE("fps, device: shared out, one giant among small clouds", "[fps][device]") {
  auto problem = many_clouds(60, 100, 60, 5);
  for (std::size_t b = 21; b < problem.offsets.size(); ++b) problem.offsets[b] += 4000;
  index_t const points = problem.offsets.back();
  auto const offsets = problem.offsets;
  problem = fps_problem<float>{make_cloud(shape::lattice, static_cast<std::size_t>(points), 6), 60};
  problem.offsets = offsets;
  check("giant", problem);
  problem.largest = 4100;
  check("giant, known", problem);
  problem.chosen.assign(3 * 60, 5);
  check("giant, chosen points", problem);
}

TEST_CASE("fps, device: shared out, wrong offsets", "[fps][device][sanitize]") {
  for (std::size_t const clouds : {40u, 3000u}) {
    auto problem = many_clouds(clouds, 30, 9, 7);
    std::swap(problem.offsets[7], problem.offsets[30]);
    problem.offsets[9] = -5;
    problem.offsets[11] = index_t{1} << 40;
    check("wrong offsets", problem);
  }
}

TEST_CASE("fps, device: shared out, random batches", "[fps][device][sanitize][no_racecheck]") {
  for (std::uint64_t seed = 950; seed < 965; ++seed) {
    CAPTURE(seed);
    check("random", random_batch<float>{seed, static_cast<std::size_t>(1 + seed % 3 * 400)}.problem);
  }
}
