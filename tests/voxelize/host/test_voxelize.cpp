// voxelize() on host_exec: the shared cases with several numbers of threads, and what only the host can show.
#include <farpoint/voxelize.hpp>

#include <sstream>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../../support/leftovers.hpp"
#include "../../support/limits.hpp"
#include "../../support/test_scale.hpp"
#include "../voxelize_random.hpp"
#include "../voxelize_tuned.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::detail::host_workspace;

namespace {

/// Small problems on all threads: in short chunks.
template <class Problem>
voxelize_answer solve_with(Problem const& problem, int threads, farpoint::voxelize_host_tuning const& tuning) {
  return collect_voxels(problem, [&](auto const& clouds, auto const& params, auto const& output) -> farpoint::result {
    host_exec const exec{threads};
    std::size_t const needed = voxelize_tuned_bytes(exec, clouds, tuning);
    host_workspace const memory{needed + 64};
    fill_with(leftover_of(needed), memory.get().data(), memory.get().size(), needed);
    auto const end = memory.get().subspan(needed);
    std::vector<unsigned char> const guard{end.begin(), end.end()};
    auto const workspace = memory.get().subspan(0, needed);
    auto const outcome = voxelize_tuned(exec, clouds, params, output, workspace, tuning);
    if (!std::equal(guard.begin(), guard.end(), end.begin())) {
      return {farpoint::status::bad_argument, -1, "test: the workspace's end was overrun"};
    }
    return outcome;
  });
}

template <class Problem>
voxelize_answer solve(Problem const& problem) {
  auto const answer = solve_with(problem, 1, {});
  for (int const threads : {2, 3, 7}) {
    auto const other = solve_with(problem, threads, {1, threads == 3 ? 100 : 1});
    check_answer(other, answer, std::to_string(threads) + " threads");
  }
  return answer;
}

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG "[host]"
#include "../voxelize_tests.inc"

// A second oracle, which shares nothing with the first but the grid: sets by comparing each point with all others.

namespace {

struct brute_voxel {
  std::array<double, 3> at;
  std::vector<std::size_t> points;
};

template <class Scalar>
std::vector<brute_voxel> voxels_by_brute_force(std::vector<std::array<Scalar, 3>> const& points,
                                               voxel_grid<Scalar> const& grid) {
  std::vector<std::array<double, 3>> place(points.size());
  std::vector<bool> inside(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    inside[i] = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto const k = static_cast<int>(axis);
      Scalar volatile const offset = points[i][axis] - grid.origin[k];
      Scalar volatile const quotient = offset / grid.size[k];
      place[i][axis] = std::floor(static_cast<double>(quotient));
      inside[i] = inside[i] && place[i][axis] >= 0 && place[i][axis] < grid.dims[k];
    }
  }
  std::vector<brute_voxel> voxels;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool fresh = inside[i];
    for (std::size_t j = 0; j < i && fresh; ++j) fresh = !inside[j] || place[j] != place[i];
    if (!fresh) continue;
    voxels.push_back({place[i], {}});
    for (std::size_t j = i; j < points.size(); ++j) {
      if (inside[j] && place[j] == place[i]) voxels.back().points.push_back(j);
    }
  }
  return voxels;
}

template <class Coord>
void check_against_brute_force(shape which, std::size_t n, std::uint64_t seed) {
  auto const cloud = make_cloud(which, n, seed);
  std::vector<std::array<Coord, 3>> points;
  for (auto const& p : cloud)
    points.push_back({static_cast<Coord>(p[0]), static_cast<Coord>(p[1]), static_cast<Coord>(p[2])});
  auto const grid = fitted_grid<Coord>(cloud, {5, 4, 6});
  auto const expected = voxels_by_brute_force(points, grid);
  voxelize_problem<Coord> problem{cloud, grid, hard{7, 3}, packed_features(1)};
  auto const answer = solve(problem);
  auto const rows = static_cast<std::size_t>(answer.indices(part::voxel_count)[0]);
  REQUIRE(rows == std::min<std::size_t>(expected.size(), 7));
  CHECK(answer.report().dropped_voxels == expected.size() - rows);

  auto const feature = [&](std::size_t i) {
    float value;
    std::memcpy(&value, &problem.feature_memory[i * 4], 4);
    return value;
  };
  auto const coords = answer.template as<std::int32_t>(part::coords);
  auto const centroid = answer.template as<Coord>(part::centroid);
  auto const gathered = answer.template as<float>(part::gathered);
  std::vector<index_t> point_voxel(n, -1), list;
  for (std::size_t row = 0; row < rows; ++row) {
    auto const& voxel = expected[row];
    std::size_t const kept = std::min<std::size_t>(3, voxel.points.size());
    CHECK(answer.indices(part::points_per_voxel)[row] == static_cast<index_t>(kept));
    CHECK(answer.indices(part::list_offsets)[row] == static_cast<index_t>(list.size()));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      CHECK(coords[row * 3 + axis] == voxel.at[axis]);
      Coord sum = 0;
      for (std::size_t k = 0; k < kept; ++k) sum += points[voxel.points[k]][axis];
      CHECK(centroid[row * 3 + axis] == sum / static_cast<Coord>(kept));
    }
    float sum = 0, largest = -1000;
    for (std::size_t k = 0; k < 3; ++k) {
      float const value = k < kept ? feature(voxel.points[k]) : 0;
      CHECK(gathered[row * 3 + k] == value);
      sum += value;
      if (k < kept) largest = std::max(largest, value);
    }
    CHECK(answer.template as<float>(part::mean)[row] == sum / static_cast<float>(kept));
    CHECK(answer.template as<float>(part::max)[row] == largest);
    CHECK(answer.template as<float>(part::first)[row] == feature(voxel.points[0]));
    for (std::size_t const i : voxel.points) {
      point_voxel[i] = static_cast<index_t>(row);
      list.push_back(static_cast<index_t>(i));
    }
  }
  CHECK(answer.indices(part::point_voxel) == point_voxel);
  auto listed = answer.indices(part::list_points);
  listed.resize(list.size());
  CHECK(listed == list);
}

}  // namespace

TEST_CASE("voxelize, host: equals sets made by comparing all pairs", "[voxelize][host]") {
  for (shape const which : {shape::cube, shape::lattice, shape::clusters, shape::duplicates, shape::non_finite,
                            shape::utm, shape::all_equal, shape::rings}) {
    for (std::size_t const n : {1u, 2u, 60u, 300u}) {
      CAPTURE(static_cast<int>(which), n);
      check_against_brute_force<float>(which, n, n);
      check_against_brute_force<double>(which, n, n);
    }
  }
}

TEST_CASE("voxelize, host: the workspace is bounded and checked at the door", "[voxelize][host]") {
  for (index_t const n : {0, 1, 2, 3, 7, 100, 1000, 100000}) {
    for (int const threads : {1, 2, 5, 64, 1000}) {
      CAPTURE(n, threads);
      voxelize_problem<float> problem{make_cloud(shape::cube, static_cast<std::size_t>(n), 1), unit_grid(1, 1, 1),
                                      dynamic{}};
      auto const run = [&](std::size_t missing, std::size_t shift) {
        return collect_voxels(problem, [&](auto const& clouds, auto const& params, auto const& output) {
          host_exec const exec{threads};
          std::size_t const needed = farpoint::voxelize_workspace_bytes(exec, clouds, params, output);
          auto const t = static_cast<std::size_t>(std::min(threads, 64));
          CHECK(needed <= static_cast<std::size_t>(n) * 60 + 16 * t * t + 1024);
          CHECK((threads > 1 || needed <= static_cast<std::size_t>(n) * 52 + 1024));
          host_workspace const memory{needed + 512};
          return farpoint::voxelize(exec, clouds, params, output,
                                    memory.get().subspan(shift, needed - std::min(missing, needed)));
        });
      };
      CHECK(same_answer(run(0, 0), reference_voxels(problem)));
      if (n == 0) continue;
      CHECK(run(1, 0).outcome.code == farpoint::status::workspace_too_small);
      CHECK(run(0, 64).outcome.code == farpoint::status::bad_argument);
    }
  }
}

TEST_CASE("voxelize, host: a small frame touches little of a large workspace", "[voxelize][host]") {
  auto const cloud = make_cloud(shape::rings, 200000, 2);
  for (int const threads : {1, 3}) {
    if (for_races && threads == 1) continue;
    for (auto const order : {voxel_order::first_occurrence, voxel_order::grid}) {
      for (index_t const frame : {0, 1000}) {
        CAPTURE(threads, static_cast<int>(order), frame);
        voxelize_problem<float> problem{cloud, fitted_grid<float>(cloud, {240, 96, 8}), hard{160000, 10}};
        problem.order = order;
        problem.offsets = {0, frame};
        problem.wanted &= ~bit(part::gathered);
        std::size_t touched = 0;
        collect_voxels(problem, [&](auto const& clouds, auto const& params, auto const& output) {
          host_exec const exec{threads};
          host_workspace const memory{farpoint::voxelize_workspace_bytes(exec, clouds, params, output)};
          std::vector<unsigned char> noise(memory.get().size());
          random_source random{noise.size()};
          for (unsigned char& byte : noise) byte = static_cast<unsigned char>(random.next());
          std::copy(noise.begin(), noise.end(), memory.get().begin());
          auto const outcome = farpoint::voxelize(exec, clouds, params, output, memory.get());
          for (std::size_t i = 0; i < noise.size(); ++i) touched += memory.get()[i] != noise[i] ? 1 : 0;
          return outcome;
        });
        CHECK(touched <= static_cast<std::size_t>(frame) * 64 + 65536);
        CHECK((frame == 0 || touched > 0));
      }
    }
  }
}

TEST_CASE("voxelize, host: a negative number of threads is refused", "[voxelize][host]") {
  voxelize_problem<float> problem{make_cloud(shape::cube, 100, 1), unit_grid(1, 1, 1), dynamic{}};
  CHECK(solve_with(problem, -1, {}).outcome.code == farpoint::status::bad_argument);
}

TEST_CASE("voxelize, host: wrong offsets leave no voxels", "[voxelize][host]") {
  voxelize_problem<float> problem{make_cloud(shape::cube, 100, 1), unit_grid(1, 1, 1), dynamic{}};
  for (auto const& offsets : {std::vector<index_t>{0, 60, 40, 100}, {-1, 60}, {0, 101}}) {
    problem.offsets = offsets;
    for (auto const& answer : {solve(problem), reference_voxels(problem)}) {
      CHECK(answer.outcome.code == farpoint::status::ok);
      CHECK(answer.report().bad_offsets == 1);
      CHECK(answer.report().voxels == 0);
      CHECK(answer.indices(part::voxel_count) == std::vector<index_t>{0});
      CHECK(answer.indices(part::voxel_offsets) == std::vector<index_t>(offsets.size(), 0));
      CHECK(answer.indices(part::point_voxel) == std::vector<index_t>(100, -1));
    }
  }
}

TEST_CASE("voxelize, host: numbers of clouds and points at the limits of their type", "[voxelize][host]") {
  for_batches_at_limits([](auto const& clouds, bool refused) {
    farpoint::voxelize_params<float> params;
    params.grid = {{{0, 0, 0}}, {{1, 1, 1}}, {{1, 1, 1}}};
    for (int const threads : {1, 2, std::numeric_limits<int>::max()}) {
      (void)farpoint::voxelize_workspace_bytes(host_exec{threads}, clouds, params, {});
    }
    CAPTURE(clouds.size(), clouds.points().size());
    if (refused) {
      CHECK(farpoint::voxelize(host_exec{1}, clouds, params, {}, {}).code == farpoint::status::bad_argument);
    }
  });
}

TEST_CASE("voxelize, host: voxels that are made to collide do not, with another seed", "[voxelize][host]") {
  using farpoint::detail::host_voxel;
  using farpoint::detail::voxel_hash;
  using farpoint::detail::voxel_table;
  constexpr std::size_t size = 4096;
  std::vector<std::uint64_t> keys;
  for (std::uint64_t key = 0; keys.size() < size / 2; ++key) {
    if (voxel_hash{1}(key) % size < 4) keys.push_back(key);
  }
  // Slots that are looked at for a key, in the mean.
  auto const mean_probes = [&](std::uint64_t seed) {
    std::vector<std::uint64_t> slots(voxel_table::slots_per_point * keys.size());
    std::vector<host_voxel> voxels(keys.size());
    voxel_table table{slots.data(), voxels.data(), static_cast<index_t>(keys.size()), voxel_hash{seed}};
    for (std::uint64_t const key : keys) table.add(key, voxel_hash{seed}(key), 0);
    double probes = 0;
    for (std::size_t at = 0; at < size; ++at) {
      if (slots[at] == 0) continue;
      auto const home = voxel_hash{seed}(voxels[static_cast<std::uint32_t>(slots[at]) - 1].key) % size;
      probes += static_cast<double>((at - home + size) % size + 1);
    }
    return probes / static_cast<double>(keys.size());
  };
  CHECK(mean_probes(1) > 100);
  CHECK(mean_probes(2) < 3);
  CHECK(mean_probes(farpoint::detail::process_seed()) < 3);
}

TEST_CASE("voxelize, host: seeds of the hash", "[voxelize][host]") {
  farpoint::voxelize_params<float> params;
  CHECK(farpoint::detail::hash_seed_of(params) != 0);
  CHECK(farpoint::detail::hash_seed_of(params) == farpoint::detail::hash_seed_of(params));
  CHECK(farpoint::detail::draw_seed() != farpoint::detail::draw_seed());
  params.hash_seed = 5;
  CHECK(farpoint::detail::hash_seed_of(params) == 5);
}

TEST_CASE("voxelize, host: the convenience overload owns its memory", "[voxelize][host]") {
  struct point {
    float x, y, z, intensity;
  };
  std::vector<point> const points{{0.5f, 0, 0, 1}, {2.5f, 0, 0, 2}, {0.25f, 0.5f, 0, 4}, {9, 0, 0, 8}};
  farpoint::voxelize_params<float> params;
  params.grid = unit_grid(4, 1, 1);
  auto const voxels = farpoint::voxelize(points, params);
  CHECK(voxels.coords == std::vector<std::int32_t>{0, 0, 0, 2, 0, 0});
  CHECK(voxels.points_per_voxel == std::vector<std::int32_t>{2, 1});
  CHECK(voxels.centroids == std::vector<float>{0.375f, 0.25f, 0, 2.5f, 0, 0});
  CHECK(voxels.means.empty());
  CHECK(voxels.point_voxel == std::vector<std::int32_t>{0, 1, 0, -1});
  CHECK(voxels.report.outside == 1);
  params.features = farpoint::feature_view::packed(&points[0].x, 4, 4);
  params.mode = hard{1, 1};
  CHECK(farpoint::voxelize(points, params).means == std::vector<float>{0.5f, 0, 0, 1});
  params.grid.size[0] = 0;
  CHECK_THROWS_AS(farpoint::voxelize(points, params), std::invalid_argument);
  params.grid.size[0] = 1;
  CHECK(farpoint::voxelize(std::vector<point>{}, params).coords.empty());
}

TEST_CASE("voxelize, host: tuning compares and prints", "[voxelize][host]") {
  farpoint::voxelize_case const one{100, 1, 5, true, 132};
  auto other = one;
  CHECK(one == other);
  other.bitmap_works = true;
  CHECK(one != other);
  farpoint::voxelize_host_tuning const tuning{};
  CHECK(tuning == farpoint::voxelize_host_tuning{});
  CHECK(tuning != farpoint::voxelize_host_tuning{1, 2});
  std::ostringstream text;
  text << other << ' ' << farpoint::voxelize_host_tuning{1, 2} << ' ' << to_string(farpoint::voxelize_numbering::bitmap)
       << ' ' << to_string(farpoint::voxelize_algorithm::sort);
  CHECK(text.str() ==
        "{points 100, clouds 1, max_points 5, select_works 1, multiprocessors 132, bitmap_works 1, "
        "in_grid_order 0, table_voxels 0} "
        "{points_per_thread 1, chunk_points 2} bitmap sort");
}
