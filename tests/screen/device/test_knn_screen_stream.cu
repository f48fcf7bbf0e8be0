// knn() in screen space as a citizen of a stream: graphs, errors of others, offsets that only the device can see; and
// the quadtree of a z-buffer against the host's.
#include <farpoint/quadtree.cuh>
#include <farpoint/quadtree.hpp>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../../support/device/stream_citizen.cuh"
#include "knn_screen_on_device.cuh"

using namespace farpoint_tests;
using farpoint::knn_screen_selector;
using problem_type = pinhole_problem<float>;
using call_type = screen_call<problem_type, std::int32_t>;

namespace {

/// A call in a graph that is replayed with the points of `others`.
void check_replays(problem_type const& first, std::vector<problem_type> const& others) {
  farpoint_tests::check_replays<knn_screen_selector>(
      call_type{first}, others, [](problem_type const& problem) { return reference_screen(problem); });
}

}  // namespace

TEST_CASE("knn_screen, device: a captured call replays on new data", "[knn_screen][device][graph][sanitize]") {
  for (std::size_t const n : {1u, 500u, 5000u}) {
    for (int const rounds : {0, 3}) {
      for (screen_rows const rows : {screen_rows::visible, screen_rows::input}) {
        CAPTURE(n, rounds, static_cast<int>(rows));
        std::vector<problem_type> problems;
        for (shape const which : {shape::cube, shape::all_equal, shape::non_finite, shape::lattice, shape::cube}) {
          problems.emplace_back(make_cloud(which, n, n), camera_at_cube<float>(50, 40), 8);
          problems.back().method.rounds = rounds;
          problems.back().method.rows = rows;
        }
        check_replays(problems[0], problems);
      }
    }
  }
}

TEST_CASE("knn_screen, device: images wider than a tile that are not square", "[knn_screen][device][sanitize]") {
  // The tiles of an image make a square: the last of these lie outside.
  auto const cloud = make_cloud(shape::cube, 3000, 2);
  for (auto const& [width, height] : {std::array<int, 2>{200, 70}, {70, 200}, {129, 257}, {65, 1}}) {
    for (int const rounds : {0, 2}) {
      CAPTURE(width, height, rounds);
      problem_type problem{cloud, camera_at_cube<float>(width, height), 8};
      problem.method.rounds = rounds;
      check_answer(screen_on_device<knn_screen_selector>(problem), reference_screen(problem));
    }
  }
}

TEST_CASE("knn_screen, device: frames much smaller than the capacity", "[knn_screen][device][graph][sanitize]") {
  auto const cloud = make_cloud(shape::cube, 30000, 1);
  for (int const rounds : {0, 2}) {
    std::vector<problem_type> problems;
    for (index_t const frame : {30000, 100, 0, 1, 9000, 17}) {
      problems.emplace_back(cloud, camera_at_cube<float>(64, 64), 8);
      problems.back().points.offsets = {frame / 3, frame};
      problems.back().method.rounds = rounds;
      problems.back().method.rows = rounds == 0 ? screen_rows::input : screen_rows::visible;
    }
    check_replays(problems[0], problems);
  }
}

TEST_CASE("knn_screen, device: an error of somebody else's is neither reported nor cleared", "[knn_screen][device]") {
  problem_type problem{make_cloud(shape::cube, 3000, 3), camera_at_cube<float>(50, 50), 8};
  for (int const rounds : {0, 3}) {
    problem.method.rounds = rounds;
    call_type call{problem};
    test_stream const stream;
    farpoint::result outcome;
    check_foreign_error(stream.get(), [&] { outcome = call.enqueue<knn_screen_selector>(stream.get()); });
    CHECK(outcome.code == farpoint::status::ok);
    CHECK(same_answer(call.answer(outcome), reference_screen(problem)));
  }
}

TEST_CASE("knn_screen, device: offsets that decrease or leave the points", "[knn_screen][device][sanitize]") {
  for (auto const& offsets : {std::vector<index_t>{600, 400}, {-10, 5000}, {900, 1001}, {2000, 3000}}) {
    for (int const rounds : {0, 3}) {
      problem_type problem{make_cloud(shape::cube, 1000, 4), camera_at_cube<float>(50, 50), 4};
      problem.points.offsets = offsets;
      problem.method.rounds = rounds;
      auto const answer = screen_on_device<knn_screen_selector>(problem);
      auto const expected = reference_screen(problem);
      CHECK(expected.report.bad_offsets == (offsets[0] == 2000 || offsets[0] == -10 ? 2 : 1));
      CAPTURE(offsets[0], offsets[1], rounds);
      check_answer(answer, expected);
    }
  }
}

TEST_CASE("knn_screen, device: the workspace is checked at the door", "[knn_screen][device]") {
  farpoint::batch const cloud{farpoint::point_view<float>{reinterpret_cast<void const*>(256), 100000}};
  std::vector<std::int32_t> rows(4096 * 8);  // never written
  farpoint::knn_screen_output<float> const output{rows};
  farpoint::cuda_exec const exec{cudaStream_t{}};
  for (int const rounds : {0, 3}) {
    screen_space method{camera_at_cube<float>(64, 64), 8};
    method.rounds = rounds;
    std::size_t const needed = farpoint::knn_workspace_bytes(exec, cloud, method);
    CHECK(needed > 0);
    auto const code = [&](std::uintptr_t address, std::size_t size) {
      return farpoint::knn(exec, cloud, method, output, {reinterpret_cast<unsigned char*>(address), size}).code;
    };
    CHECK(code(4096, needed - 1) == farpoint::status::workspace_too_small);
    CHECK(code(4100, needed) == farpoint::status::bad_argument);
    method.k = 0;
    CHECK(farpoint::knn_workspace_bytes(exec, cloud, method) == 0);
  }
}

TEST_CASE("quadtree, device: the tree of a z-buffer is the host's, to the bit", "[quadtree][device][sanitize]") {
  for (auto const& [width, height] : {std::array<int, 2>{1, 1},
                                      {3, 4},
                                      {8, 5},
                                      {16, 16},
                                      {31, 7},
                                      {32, 32},
                                      {33, 1},
                                      {100, 90},
                                      {640, 480},
                                      {1024, 1024},
                                      {1, 2000}}) {
    for (double const share : {0.0, 0.02, 0.6, 1.0}) {
      CAPTURE(width, height, share);
      random_source random{static_cast<std::uint64_t>(width * height)};
      std::vector<std::uint64_t> words(static_cast<std::size_t>(width * height), farpoint::zbuffer_ref::clear_value);
      std::vector<farpoint::quadtree_point> points;
      for (std::size_t pixel = 0; pixel < words.size(); ++pixel) {
        if (!(static_cast<double>(random.uniform()) < share)) continue;
        auto const index = static_cast<std::uint32_t>(random.below(1 << 30));
        float const depth = random.uniform() + 0.5f;
        words[pixel] = farpoint::zbuffer_ref::word_of(depth, index);
        auto const at = static_cast<int>(pixel);
        points.push_back(
            {static_cast<std::uint16_t>(at % width), static_cast<std::uint16_t>(at / width), depth, index});
      }

      // The host's tree has the device's capacity: all pixels.
      farpoint::quadtree_layout const layout{width, height, index_t{width} * height};
      farpoint::detail::host_workspace const expected{layout.size()};
      std::memset(expected.get().data(), poison, layout.size());
      auto const arrays = layout.cut(expected.get().data());
      REQUIRE(farpoint::detail::fill_tiles(layout, arrays, {points.data(), points.size()}));
      farpoint::detail::fill_levels(layout, arrays);
      farpoint::detail::pack_points(layout, arrays, {points.data(), points.size()});

      test_stream const stream;
      farpoint::cuda_exec const exec{stream.get()};
      device_array<std::uint64_t> const buffer{words};
      device_array<unsigned char> const memory{layout.size()};
      device_array<unsigned char> const workspace{farpoint::quadtree_workspace_bytes(exec, width, height)};
      farpoint::quadtree_ref tree;
      REQUIRE(farpoint::build_quadtree(exec, {{buffer.data(), buffer.size()}, width, height},
                                       {memory.data(), memory.size()}, {workspace.data(), workspace.size()}, tree));
      REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
      CHECK((memory.intact() && workspace.intact()));
      auto const built = memory.download();
      CHECK(std::memcmp(built.data(), expected.get().data(), built.size()) == 0);
    }
  }
}
