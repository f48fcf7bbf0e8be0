// Calls of ranks in the compiled library: rows of the headers' calls for the whole cloud.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/runtime.hpp>
#include <farpoint/runtime/rank_calls.hpp>
#include <farpoint/voxelize.hpp>

#include <algorithm>
#include <numeric>

#include "../../scale/failing_communicator.hpp"
#include "../../support/answers.hpp"
#include "../../support/catch.hpp"
#include "../../support/clouds.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/together.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::index_t;
using farpoint::knn_params;
using farpoint::status;
namespace runtime = farpoint::runtime;

namespace {

constexpr host_exec exec{2};

/// A cloud, its parts, and outputs of a rank or of the whole cloud.
template <class Scalar>
struct rank_problem {
  using view = farpoint::point_view<Scalar>;

  std::vector<Scalar> xyz;
  std::vector<float> features;
  std::vector<index_t> cuts;  ///< `[ranks + 1]`

  rank_problem(shape of, std::size_t points, int ranks, std::uint64_t seed) {
    for (auto const& point : make_cloud(of, points, seed)) {
      for (double const coordinate : point) xyz.push_back(static_cast<Scalar>(coordinate));
    }
    for (std::size_t i = 0; i < points; ++i) features.push_back(static_cast<float>(i % 97) / 8);
    for (int r = 0; r <= ranks; ++r) cuts.push_back(static_cast<index_t>(points) * r * r / (ranks * ranks));
  }
  int ranks() const { return static_cast<int>(cuts.size()) - 1; }
  index_t size() const { return cuts.back(); }
  /// Points of a rank, or of all ranks if `rank` is negative.
  farpoint::shard<view> part(int rank) const {
    view const all{xyz.data(), size()};
    if (rank < 0) return {all, 0};
    auto const r = static_cast<std::size_t>(rank);
    return {all.subview(cuts[r], cuts[r + 1] - cuts[r]), cuts[r]};
  }
};

/// What the calls write.
template <class Scalar>
struct rank_answer {
  std::vector<index_t> samples, neighbors, within, counts, numbers;
  std::vector<std::int32_t> coords;
  std::vector<Scalar> neighbor_distances, within_distances, normals, means;
  std::vector<float> interpolated, voxel_means;
  farpoint::voxelize_report voxels;
  index_t voxel_count = 0;
  std::vector<status> codes;
};

constexpr index_t k = 5;
constexpr index_t samples = 16;
constexpr index_t most = 4;
constexpr farpoint::radius_params ball{0.3, most};

template <class Scalar>
farpoint::voxelize_params<Scalar> grid_of(rank_problem<Scalar> const& problem, int rank) {
  farpoint::voxelize_params<Scalar> params;
  params.grid = {{Scalar{-2}, Scalar{-2}, Scalar{-2}}, {Scalar(0.25), Scalar(0.25), Scalar(0.25)}, {16, 16, 16}};
  auto const points = problem.part(rank);
  params.features =
      farpoint::feature_view::packed(problem.features.data() + points.first_index, points.points.size(), 1);
  return params;
}

/// Outputs for `rows` points and `capacity` voxels.
template <class Scalar>
rank_answer<Scalar> answer_of(index_t rows, index_t capacity) {
  auto const n = static_cast<std::size_t>(rows);
  auto const v = static_cast<std::size_t>(capacity);
  rank_answer<Scalar> answer;
  answer.samples.resize(samples, -7);
  answer.neighbors.resize(n * k, -7);
  answer.neighbor_distances.resize(n * k);
  answer.within.resize(n * most, -7);
  answer.within_distances.resize(n * most);
  answer.counts.resize(n, -7);
  answer.normals.resize(n * 3);
  answer.means.resize(n);
  answer.interpolated.resize(n);
  answer.coords.resize(v * 4);
  answer.voxel_means.resize(v);
  answer.numbers.resize(v, -7);
  return answer;
}

template <class Scalar>
farpoint::voxelize_output<Scalar> voxels_of(rank_answer<Scalar>& answer) {
  farpoint::voxelize_output<Scalar> rows;
  rows.capacity = static_cast<index_t>(answer.numbers.size());
  rows.coords = answer.coords;
  rows.mean = farpoint::span<float>{answer.voxel_means};
  rows.voxel_count = farpoint::span<index_t>{&answer.voxel_count, 1};
  rows.report = &answer.voxels;
  return rows;
}

/// Calls of the library on one rank.
template <class Scalar, class Communicator>
rank_answer<Scalar> on_rank(rank_problem<Scalar> const& problem, Communicator& ranks, knn_params const& nearest = {k}) {
  auto const part = problem.part(ranks.rank());
  auto const& points = part.points;
  auto answer = answer_of<Scalar>(points.size(), problem.size());
  auto const note = [&](farpoint::result const& outcome) { answer.codes.push_back(outcome.code); };
  farpoint::fps_params sampling;
  sampling.samples = samples;
  note(runtime::fps_shard(exec, ranks, part, sampling, {answer.samples}));
  farpoint::knn_shard_output<Scalar> rows;
  rows.indices = answer.neighbors;
  rows.distances = answer.neighbor_distances;
  note(runtime::knn_shard(exec, ranks, part, points, nearest, rows));
  farpoint::radius_shard_output<Scalar> lists;
  lists.indices = answer.within;
  lists.distances = answer.within_distances;
  lists.counts = answer.counts;
  note(runtime::radius_shard(exec, ranks, part, points, ball, lists));
  note(runtime::estimate_normals_shard(exec, ranks, part, {}, {answer.normals}));
  note(runtime::mean_knn_distance_shard(exec, ranks, part, {}, {answer.means}));
  auto const params = grid_of(problem, ranks.rank());
  farpoint::span<float const> const features{problem.features.data() + part.first_index,
                                             static_cast<std::size_t>(points.size())};
  note(runtime::interpolate_shard(exec, ranks, part, features, points, 1, {answer.interpolated}));

  auto own = answer_of<Scalar>(0, problem.size());
  farpoint::voxelize_shard_output<Scalar> voxels;
  voxels.rows = voxels_of(own);
  voxels.numbers = own.numbers;
  voxels.received_capacity = problem.size();
  note(runtime::voxelize_shard(exec, ranks, part, params, voxels));
  note(runtime::gather_voxels(exec, ranks, params, voxels, voxels_of(answer)));
  return answer;
}

template <class Scalar>
std::vector<rank_answer<Scalar>> on_all_ranks(rank_problem<Scalar> const& problem, failure const& fails = {},
                                              index_t k_of_rank_0 = k) {
  std::vector<rank_answer<Scalar>> answers(static_cast<std::size_t>(problem.ranks()));
  farpoint::thread_ranks group{problem.ranks()};
  together(problem.ranks(), [&](int rank) {
    failing_communicator communicator{group, rank, fails};
    answers[static_cast<std::size_t>(rank)] = on_rank(problem, communicator, {rank == 0 ? k_of_rank_0 : k});
  });
  return answers;
}

/// Calls of the headers for the whole cloud.
template <class Scalar>
rank_answer<Scalar> in_one(rank_problem<Scalar> const& problem) {
  auto answer = answer_of<Scalar>(problem.size(), problem.size());
  farpoint::batch<farpoint::point_view<Scalar>> const cloud{problem.part(-1).points};
  auto const call = [](std::size_t size, auto const& run) {
    farpoint::host_scratch const memory{size};
    REQUIRE(run(memory.get()));
  };
  farpoint::fps_params sampling;
  sampling.samples = samples;
  call(fps_workspace_bytes(exec, cloud, sampling),
       [&](farpoint::bytes w) { return fps(exec, cloud, sampling, {answer.samples}, w); });
  call(knn_workspace_bytes(exec, cloud, knn_params{k}), [&](farpoint::bytes w) {
    return knn(exec, cloud, knn_params{k}, {answer.neighbors, answer.neighbor_distances}, w);
  });
  call(radius_workspace_bytes(exec, cloud), [&](farpoint::bytes w) {
    return radius(exec, cloud, ball, {answer.within, answer.within_distances, answer.counts}, w);
  });
  call(estimate_normals_workspace_bytes(exec, cloud, farpoint::normals_params{}),
       [&](farpoint::bytes w) { return estimate_normals(exec, cloud, {}, {answer.normals}, w); });
  call(mean_knn_distance_workspace_bytes(exec, cloud, farpoint::mean_knn_distance_params{}),
       [&](farpoint::bytes w) { return mean_knn_distance(exec, cloud, {}, {answer.means}, w); });
  call(interpolate_workspace_bytes(exec, cloud, cloud), [&](farpoint::bytes w) {
    return interpolate(exec, cloud, problem.features, cloud, 1, {answer.interpolated}, w);
  });
  auto const params = grid_of(problem, -1);
  auto const rows = voxels_of(answer);
  call(voxelize_workspace_bytes(exec, cloud, params, rows),
       [&](farpoint::bytes w) { return voxelize(exec, cloud, params, rows, w); });
  return answer;
}

/// Compares a rank's rows with the same rows of the whole cloud.
template <class T>
void check_rows(std::vector<T> const& rows, std::vector<T> const& all, index_t first, index_t width) {
  auto const begin = all.begin() + first * width;
  CHECK(same_bits(rows, std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(rows.size()))));
}

template <class Scalar>
void check_ranks(rank_problem<Scalar> const& problem) {
  auto const expected = in_one(problem);
  auto const answers = on_all_ranks(problem);
  for (int rank = 0; rank < problem.ranks(); ++rank) {
    CAPTURE(rank);
    auto const& answer = answers[static_cast<std::size_t>(rank)];
    CHECK(answer.codes == std::vector<status>(8, status::ok));
    CHECK(answer.samples == expected.samples);
    index_t const first = problem.part(rank).first_index;
    check_rows(answer.neighbors, expected.neighbors, first, k);
    check_rows(answer.neighbor_distances, expected.neighbor_distances, first, k);
    check_rows(answer.within, expected.within, first, most);
    check_rows(answer.within_distances, expected.within_distances, first, most);
    check_rows(answer.counts, expected.counts, first, 1);
    check_rows(answer.normals, expected.normals, first, 3);
    check_rows(answer.means, expected.means, first, 1);
    check_rows(answer.interpolated, expected.interpolated, first, 1);
    CHECK(answer.voxel_count == expected.voxel_count);
    CHECK(answer.voxels.voxels == expected.voxels.voxels);
    CHECK(answer.voxels.outside == expected.voxels.outside);
    CHECK(answer.voxels.non_finite == expected.voxels.non_finite);
    check_rows(answer.coords, expected.coords, 0, 4);
    check_rows(answer.voxel_means, expected.voxel_means, 0, 1);
  }
}

}  // namespace

TEST_CASE("Ranks of the compiled library have the rows of one call for the whole cloud", "[runtime][scale]") {
  for_each_seed(4, [](std::uint64_t seed) {
    int const ranks = 1 + static_cast<int>(seed);
    for (shape const of : {shape::clusters, shape::non_finite, shape::lattice}) {
      check_ranks(rank_problem<float>{of, 600, ranks, seed});
      check_ranks(rank_problem<double>{of, 300, ranks, seed});
    }
  });
}

TEST_CASE("Ranks of the compiled library agree on arguments, and none waits for a failed one", "[runtime][scale]") {
  rank_problem<float> const problem{shape::clusters, 300, 3, 11};
  for (auto const& answer : on_all_ranks(problem, {}, k + 1)) CHECK(answer.codes[1] == status::bad_argument);
  int const calls = 8;
  int const exchanges = check_failures_of(1, [&](failure const& fails) {
    std::vector<status> last;
    for (auto const& answer : on_all_ranks(problem, fails)) last.push_back(answer.codes.back());
    return last;
  });
  CHECK(exchanges >= 2 * calls);
  farpoint::thread_ranks group{1};
  farpoint::thread_communicator alone{group, 0};
  farpoint::shard<farpoint::point_view<float>> const part = problem.part(-1);
  CHECK(runtime::knn_shard(host_exec{-1}, alone, part, part.points, {k}, {}).code == status::bad_argument);
  runtime::release_thread_memory();
}
