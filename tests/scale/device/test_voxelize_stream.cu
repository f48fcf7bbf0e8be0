// voxelize() as a citizen of a stream: graphs, many streams and threads, errors of others, data that only the device
// can see.
#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../../support/device/stream_citizen.cuh"
#include "../../voxelize/device/voxelize_on_device.cuh"
#include "../../voxelize/voxelize_random.hpp"

using namespace farpoint_tests;
using farpoint::dynamic;
using farpoint::hard;
using farpoint::voxelize_selector;
using problem_type = voxelize_problem<float>;

namespace {

farpoint::voxel_grid<float> street_grid() {
  return {{{-30, -12, -3}}, {{0.25f, 0.25f, 0.5f}}, {{240, 96, 8}}};
}

/// A call in a graph that is replayed with the points of `others`.
template <class Selector = voxelize_selector>
void check_replays(problem_type const& first, std::vector<problem_type> const& others) {
  farpoint_tests::check_replays<Selector>(voxelize_call<problem_type>{first}, others,
                                          [](problem_type const& problem) { return reference_voxels(problem); });
}

}  // namespace

TEST_CASE("voxelize, device: a captured call replays on new data", "[voxelize][device][graph][sanitize]") {
  for (std::size_t const n : {1u, 500u, 9000u, 120000u}) {
    for (farpoint::voxel_mode const mode : {farpoint::voxel_mode{dynamic{}}, farpoint::voxel_mode{hard{2000, 5}}}) {
      for (auto const order : {farpoint::voxel_order::first_occurrence, farpoint::voxel_order::grid}) {
        CAPTURE(n, mode.max_points, static_cast<int>(order));
        std::vector<problem_type> problems;
        for (shape const which : {shape::rings, shape::cube, shape::all_equal, shape::non_finite, shape::rings}) {
          problems.emplace_back(make_cloud(which, n, n), street_grid(), mode, packed_features(5));
          problems.back().order = order;
          problems.back().capacity = 3000;
        }
        check_replays(problems[0], problems);
        check_replays<deep_bitmap>(problems[0], problems);
      }
    }
  }
}

TEST_CASE("voxelize, device: frames much smaller than the capacity", "[voxelize][device][graph][sanitize]") {
  // The number of points is on the device only: one cloud of a ragged batch in a large buffer.
  std::size_t const room = 200000;
  auto const cloud = make_cloud(shape::rings, room, 1);
  std::vector<problem_type> problems;
  for (index_t const frame : {200000, 1000, 0, 1, 40000, 17}) {
    problems.emplace_back(cloud, street_grid(), hard{160000, 10}, packed_features(5));
    problems.back().offsets = {0, frame};
    problems.back().capacity = 160000;
    problems.back().wanted &= ~bit(part::gathered);
  }
  check_replays(problems[0], problems);
  for (auto& problem : problems) {
    index_t const frame = problem.offsets[1];
    problem.mode = dynamic{};
    problem.order = farpoint::voxel_order::grid;
    problem.offsets = {frame / 5, frame / 4, frame / 4, frame, frame};
  }
  check_replays(problems[0], problems);
  check_replays<deep_bitmap>(problems[0], problems);
  for (auto& problem : problems) {
    problem.mode = hard{3000, 10};
    problem.wanted &= ~(bit(part::list_offsets) | bit(part::list_points));
  }
  check_replays(problems[0], problems);
  check_replays<deep_bitmap>(problems[0], problems);
}

TEST_CASE("voxelize, device: a small frame touches little of a large workspace", "[voxelize][device]") {
  auto const cloud = make_cloud(shape::rings, 200000, 2);
  for (bool const has_lists : {false, true}) {
    for (auto const order : {farpoint::voxel_order::first_occurrence, farpoint::voxel_order::grid}) {
      for (index_t const frame : {0, 1000}) {
        CAPTURE(has_lists, static_cast<int>(order), frame);
        problem_type problem{cloud, street_grid(), hard{160000, 10}, packed_features(5)};
        problem.order = order;
        problem.offsets = {0, frame};
        problem.wanted &= ~bit(part::gathered);
        if (!has_lists) problem.wanted &= ~(bit(part::list_offsets) | bit(part::list_points));
        voxelize_call<problem_type> call{problem};
        test_stream const stream;
        REQUIRE(call.enqueue<voxelize_selector>(stream.get()));  // also allocates the workspace
        REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
        call.scramble_workspace(7);
        auto const before = call.workspace();
        auto const outcome = call.enqueue<voxelize_selector>(stream.get());
        REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
        auto const after = call.workspace();
        std::size_t touched = 0;
        for (std::size_t i = 0; i < after.size(); ++i) touched += after[i] != before[i] ? 1 : 0;
        CAPTURE(touched, after.size());
        CHECK(touched > 0);
        CHECK(touched <= static_cast<std::size_t>(frame) * 64 + 65536);
        CHECK(same_answer(call.answer(outcome), reference_voxels(problem)));
      }
    }
  }
}

TEST_CASE("voxelize, device: a large view that drops most voxels, and small frames in it",
          "[voxelize][device][graph]") {
  std::size_t const room = 600000;
  auto const cloud = make_cloud(shape::cube, room, 1);
  std::vector<problem_type> problems;
  for (index_t const frame : {600000, 1000, 0, 300000, 270337, 270336}) {
    problems.emplace_back(cloud, fitted_grid<float>(cloud, {500, 500, 40}), hard{9000, 10}, packed_features(5));
    problems.back().offsets = {0, frame};
    problems.back().capacity = 8000;
    problems.back().wanted = bit(part::coords) | bit(part::mean) | bit(part::report) | bit(part::point_voxel);
  }
  check_replays(problems[0], problems);
  check_replays<table_numbering>(problems[0], problems);
}

TEST_CASE("voxelize, device: eight threads with eight streams each", "[voxelize][device]") {
  // Each with a grid, limits and outputs of its own.
  using call_type = voxelize_call<problem_type>;
  check_concurrent_calls<call_type>(
      8, [](std::uint64_t seed) { return random_voxelize_problem<float>(5000 + seed, 20000); },
      [](call_type& call, cudaStream_t stream) { return call.enqueue<voxelize_selector>(stream); },
      [](problem_type const& problem) { return reference_voxels(problem); });
}

TEST_CASE("voxelize, device: a good citizen of its stream", "[voxelize][device]") {
  for (problem_type const& problem :
       {problem_type{make_cloud(shape::rings, 20000, 5), street_grid(), hard{1500, 5}, packed_features(5)},
        problem_type{make_cloud(shape::rings, 5000, 3), street_grid(), hard{1000, 4}},
        problem_type{make_cloud(shape::cube, 500, 3), street_grid(), hard{100, 4}}}) {
    auto const expected = reference_voxels(problem);
    voxelize_call<problem_type> call{problem};
    check_stream_citizen([&](cudaStream_t stream) { return call.enqueue<voxelize_selector>(stream); },
                         [&](farpoint::result const& outcome) { return same_answer(call.answer(outcome), expected); });
  }
}

TEST_CASE("voxelize, device: an empty cloud leaves an error of somebody else's alone", "[voxelize][device]") {
  problem_type const empty{xyz_cloud{}, street_grid(), dynamic{}};
  voxelize_call<problem_type> call{empty};
  test_stream const stream;
  check_foreign_error(stream.get(), [&] { CHECK(call.enqueue<voxelize_selector>(stream.get())); });
}

TEST_CASE("voxelize, device: an empty cloud leaves no error behind", "[voxelize][device][sanitize]") {
  problem_type empty{xyz_cloud{}, street_grid(), dynamic{}};
  empty.capacity = 100;
  CHECK(same_answer(voxelize_on_device<voxelize_selector>(empty), reference_voxels(empty)));
  empty.clouds = 0;
  CHECK(same_answer(voxelize_on_device<voxelize_selector>(empty), reference_voxels(empty)));
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("voxelize, device: offsets that decrease or leave the points", "[voxelize][device][sanitize]") {
  problem_type problem{make_cloud(shape::rings, 1000, 4), street_grid(), hard{300, 4}};
  for (auto const& offsets : {std::vector<index_t>{0, 600, 400, 1000}, std::vector<index_t>{-10, 5000, 500, 1000},
                              std::vector<index_t>{0, 500, 1001}}) {
    problem.offsets = offsets;
    auto const answer = voxelize_on_device<voxelize_selector>(problem);
    CAPTURE(offsets[0], offsets[1], offsets[2]);
    CHECK(answer.outcome.code == farpoint::status::ok);
    CHECK(answer.report().bad_offsets == (offsets[0] < 0 ? 3 : 1));
    CHECK(answer.report().voxels == 0);
    CHECK(answer.indices(part::voxel_count) == std::vector<index_t>{0});
    CHECK(answer.indices(part::voxel_offsets) == std::vector<index_t>(offsets.size(), 0));
    CHECK(answer.indices(part::point_voxel) == std::vector<index_t>(1000, -1));
  }
}

TEST_CASE("voxelize, device: the workspace is checked at the door, and bounded", "[voxelize][device]") {
  index_t const n = 1000000;
  farpoint::batch const clouds{farpoint::point_view<float>{reinterpret_cast<void const*>(256), n}};
  farpoint::voxelize_params<float> params;
  params.grid = street_grid();
  params.mode = hard{160000, 10};
  auto* const values = reinterpret_cast<float*>(256);
  params.features = farpoint::feature_view::packed<float>(values, n, 5);
  farpoint::voxelize_output<float> output;
  output.capacity = 160000;
  output.mean = farpoint::span<float>{values, 160000 * 5};
  output.coords = {reinterpret_cast<std::int32_t*>(256), 160000 * 3};
  farpoint::cuda_exec const exec{cudaStream_t{}};
  std::size_t const needed = farpoint::voxelize_workspace_bytes(exec, clouds, params, output);
  CHECK(needed > 0);
  CHECK(needed <= static_cast<std::size_t>(n) * 64);
  auto const code = [&](std::uintptr_t address, std::size_t size) {
    return farpoint::voxelize(exec, clouds, params, output, {reinterpret_cast<unsigned char*>(address), size}).code;
  };
  CHECK(code(4096, needed - 1) == farpoint::status::workspace_too_small);
  CHECK(code(4100, needed) == farpoint::status::bad_argument);
  // A bitmap is within the bound too, or is not used.
  for (index_t const points : {1, 1000, 30000, 111425, 271156, 1000000}) {
    farpoint::batch const some{farpoint::point_view<float>{reinterpret_cast<void const*>(256), points}};
    for (auto const& dims : {farpoint::vec<std::int32_t>{{1440, 1440, 40}}, {{65536, 65535, 1}}, {{65536, 65536, 1}}}) {
      params.grid.dims = dims;
      params.order = farpoint::voxel_order::grid;
      std::size_t const size = farpoint::voxelize_workspace_bytes(exec, some, params, output);
      CAPTURE(points, dims[0], size);
      CHECK(size <= static_cast<std::size_t>(points) * 64 + 8 + 65536);
      bool const has_bitmap = size != farpoint::voxelize_workspace_bytes<table_numbering>(exec, some, params, output);
      CHECK(has_bitmap == (dims[0] == 1440 || (dims[1] == 65535 && points >= 271156)));
    }
  }
  params.order = farpoint::voxel_order::first_occurrence;
  params.grid.dims = {{1 << 21, 1 << 20, 1 << 20}};
  CHECK(farpoint::voxelize_workspace_bytes(exec, clouds, params, output) <= static_cast<std::size_t>(n) * 64);
}

namespace {

struct blocks_of_96 : voxelize_selector {
  static constexpr int block_size = 96;
};

}  // namespace

TEST_CASE("voxelize, device: no workspace is above the bound", "[voxelize][device]") {
  // Nothing is enqueued, so nothing is read: the addresses need not be good.
  auto* const somewhere = reinterpret_cast<std::int32_t*>(256);
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    random_source random{seed};
    std::int64_t const most[] = {3000, 300000, 20000000};
    index_t const points = 1 + random.below(most[random.below(3)]);
    index_t const clouds = random.below(2) == 0 ? 1 : 1 + random.below(random.below(2) == 0 ? 10 : points);
    farpoint::point_view<float> const view{somewhere, points};
    farpoint::span<index_t const> const offsets{reinterpret_cast<index_t const*>(somewhere),
                                                static_cast<std::size_t>(clouds) + 1};
    auto const all = farpoint::batch<farpoint::point_view<float>>::ragged(view, offsets);
    farpoint::voxelize_params<float> params;
    params.grid.size = {{1, 1, 1}};
    std::int64_t const cells[] = {2, 50, 3000, 1 << 20};
    for (int axis = 0; axis < 3; ++axis) {
      params.grid.dims[axis] = static_cast<std::int32_t>(1 + random.below(cells[random.below(4)]));
    }
    if (random.below(2) == 0) params.mode = hard{random.below(2 * points), 1 + random.below(40)};
    if (random.below(2) == 0) params.order = farpoint::voxel_order::grid;
    if (random.below(2) == 0) params.points = farpoint::voxel_points::random_subset;
    farpoint::voxelize_output<float> output;
    output.capacity = random.below(2) == 0 ? points : random.below(points + 1);
    farpoint::voxelize_report report;
    if (random.below(2) == 0) output.report = &report;
    if (random.below(2) == 0) {
      output.list_offsets = farpoint::span<std::int32_t>{somewhere, static_cast<std::size_t>(output.capacity) + 1};
      output.list_points = farpoint::span<std::int32_t>{somewhere, static_cast<std::size_t>(points)};
    }
    if (!farpoint::detail::check_voxelize(all, params, output)) continue;  // too large a grid
    farpoint::cuda_exec const exec{cudaStream_t{}};
    auto const bound = static_cast<std::size_t>(64 * points + 8 * clouds + 65536);
    CAPTURE(seed, points, clouds);
    CHECK(farpoint::voxelize_workspace_bytes(exec, all, params, output) <= bound);
    CHECK(farpoint::voxelize_workspace_bytes<only_sort>(exec, all, params, output) <= bound);
    CHECK(farpoint::voxelize_workspace_bytes<table_numbering>(exec, all, params, output) <= bound);
    CHECK(farpoint::voxelize_workspace_bytes<blocks_of_96>(exec, all, params, output) <= bound);
  }
}

TEST_CASE("voxelize, device: small problems of every kind under the sanitizers", "[voxelize][device][sanitize]") {
  for (std::uint64_t seed = 3000; seed < 3040; ++seed) {
    auto const problem = random_voxelize_problem<float>(seed, 900);
    auto const answer = voxelize_on_device<voxelize_selector>(problem);
    auto const expected = reference_voxels(problem);
    CAPTURE(seed);
    check_answer(answer, expected);
  }
}

TEST_CASE("voxelize, device: a few crowded voxels, and then more than there are rows", "[voxelize][device]") {
  // The search for voxels ends long after the points that are likely to end it.
  auto cloud = make_cloud(shape::cube, 1500000, 3);
  auto const grid = fitted_grid<float>(cloud, {500, 500, 40});
  for (std::size_t i = 400; i < 1300000; ++i) cloud[i] = cloud[farpoint::mix_bits(i) % 400];
  problem_type problem{cloud, grid, hard{1000, 10}, packed_features(5)};
  for (bool const has_report : {false, true}) {
    CAPTURE(has_report);
    problem.wanted = bit(part::coords) | bit(part::mean) | bit(part::points_per_voxel) | bit(part::point_voxel);
    if (has_report) problem.wanted |= bit(part::report);
    auto const expected = reference_voxels(problem);
    check_answer(voxelize_on_device<voxelize_selector>(problem), expected, "default");
    check_answer(voxelize_on_device<small_blocks>(problem), expected, "small blocks");
    check_answer(voxelize_on_device<only_sort>(problem), expected, "sort");
  }
}

TEST_CASE("voxelize, device: large clouds", "[voxelize][device][large]") {
  for (shape const which : {shape::cube, shape::rings, shape::all_equal}) {
    auto const cloud = make_cloud(which, 3000000, 6);
    auto const grid = fitted_grid<float>(cloud, {1400, 1400, 40});
    for (farpoint::voxel_mode const mode : {farpoint::voxel_mode{dynamic{}}, farpoint::voxel_mode{hard{160000, 10}}}) {
      problem_type problem{cloud, grid, mode, packed_features(5)};
      problem.wanted &= ~bit(part::gathered);
      CAPTURE(static_cast<int>(which), mode.max_points);
      auto const answer = voxelize_on_device<voxelize_selector>(problem);
      auto const expected = reference_voxels(problem);
      check_answer(answer, expected);
    }
  }
}
