// knn() in screen space on host_exec: the shared cases with several numbers of threads, and what only the host can
// show.
#include <farpoint/detail/screen/packet_places.hpp>
#include <farpoint/knn_screen.hpp>

#include "../../support/catch.hpp"
#include "../../support/team_tuning.hpp"
#include "../knn_screen_problem.hpp"
#include "../knn_screen_tuned.hpp"

using namespace farpoint_tests;

namespace {

/// Answers a problem by the public function.
template <class Problem>
auto screen_with(Problem const& problem, int threads) {
  return collect_screen(problem, [&](auto const& output) {
    auto const cloud = clouds_in_place(problem.points);
    host_workspace const workspace{knn_workspace_bytes(host_exec{threads}, cloud, problem.method)};
    return knn(host_exec{threads}, cloud, problem.method, output, workspace.get());
  });
}

/// Small clouds by a team of threads, as large ones are.
template <class Problem>
auto screen_by_team(Problem const& problem, int threads) {
  auto const tuning = team_tuning();
  return collect_screen(problem, [&](auto const& output) {
    auto const cloud = clouds_in_place(problem.points);
    host_exec const exec{threads};
    host_workspace const workspace{knn_screen_tuned_bytes(exec, cloud, problem.method, tuning)};
    return knn_screen_tuned(exec, cloud, problem.method, output, workspace.get(), tuning);
  });
}

template <class Problem>
auto solve_screen(Problem const& problem) {
  auto const answer = screen_with(problem, 1);
  CHECK(same_answer(screen_by_team(problem, 3), answer));
  if (problem.points.points > 100000) CHECK(same_answer(screen_with(problem, 2), answer));
  return answer;
}

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG "[host]"
#include "../knn_screen_tests.inc"

TEST_CASE("knn_screen, host: every part of the output but the indices may be left out", "[knn_screen][host]") {
  pinhole_problem<> problem{make_cloud(shape::cube, 500, 1), camera_at_cube<float>(20, 20), 4};
  auto const cloud = clouds_in_place(problem.points);
  for (int const rounds : {0, 3}) {
    for (screen_rows const rows : {screen_rows::visible, screen_rows::input}) {
      problem.method.rounds = rounds;
      problem.method.rows = rows;
      host_array<std::int32_t> const indices{static_cast<std::size_t>(problem.rows()) * 4};
      host_workspace const workspace{knn_workspace_bytes(host_exec{1}, cloud, problem.method)};
      farpoint::span<std::int32_t> const all{indices.data(), indices.size()};
      REQUIRE(knn(host_exec{1}, cloud, problem.method, farpoint::knn_screen_output<float>{all}, workspace.get()));
      CHECK(widen(indices.download()) == reference_screen(problem).indices);
    }
  }
}

TEST_CASE("knn_screen, host: outputs and workspaces that are too small", "[knn_screen][host]") {
  pinhole_problem<> const problem{make_cloud(shape::cube, 1000, 1), camera_at_cube<float>(20, 20), 4};
  auto const cloud = clouds_in_place(problem.points);
  std::size_t const needed = knn_workspace_bytes(host_exec{1}, cloud, problem.method);
  host_workspace const workspace{needed + 256};
  std::vector<std::int32_t> indices(1600);
  std::vector<std::int32_t> rows(400);
  farpoint::knn_screen_output<float> output{indices};
  auto const code = [&](farpoint::bytes memory) {
    return knn(host_exec{1}, cloud, problem.method, output, memory).code;
  };
  CHECK(code(workspace.get().first(needed - 1)) == farpoint::status::workspace_too_small);
  CHECK(code(workspace.get().subspan(4)) == farpoint::status::bad_argument);
  CHECK(code(workspace.get().first(needed)) == farpoint::status::ok);
  farpoint::span<std::int32_t> const short_rows{rows.data(), 399};
  for (auto part : {&farpoint::knn_screen_output<float>::counts, &farpoint::knn_screen_output<float>::pixels,
                    &farpoint::knn_screen_output<float>::visible}) {
    output.*part = short_rows;
    CHECK(code(workspace.get()) == farpoint::status::bad_argument);
    output.*part = rows;
    CHECK(code(workspace.get()) == farpoint::status::ok);
  }
  indices.resize(1599);
  output.indices = indices;
  CHECK(code(workspace.get()) == farpoint::status::bad_argument);
  auto method = problem.method;
  method.k = 0;
  CHECK(knn_workspace_bytes(host_exec{1}, cloud, method) == 0);
}

TEST_CASE("knn_screen, host: bytes of workspace as documented", "[knn_screen][host]") {
  constexpr index_t n = 1000000;
  farpoint::batch<farpoint::point_view<float>> const cloud{farpoint::point_view<float>{nullptr, n}};
  auto const bytes = [&](int side, int rounds) {
    screen_space method{camera_at_cube<float>(side, side), 8};
    method.rounds = rounds;
    return static_cast<double>(knn_workspace_bytes(host_exec{1}, cloud, method));
  };
  CHECK(bytes(512, 0) < 8.0 * 512 * 512 + 4.0 * n + 40.2 * 512 * 512 + 20e3);
  CHECK(bytes(512, 3) < 8.0 * 512 * 512 + 4.0 * n + 52.0 * 512 * 512 + 16.0 * 512 * 512 / 12 + 1e3);
}

TEST_CASE("knn_screen, host: a cloud whose offsets are wrong is empty", "[knn_screen][host]") {
  pinhole_problem<> problem{make_cloud(shape::cube, 60, 1), camera_at_cube<float>(20, 20), 2};
  for (auto const& offsets : {std::vector<index_t>{40, 30}, {-1, 60}, {0, 61}}) {
    problem.points.offsets = offsets;
    auto const answer = screen_with(problem, 1);
    CHECK(answer.outcome.code == farpoint::status::ok);
    CHECK(answer.report.bad_offsets == 1);
    CHECK(answer.report.visible_points == 0);
  }
}

TEST_CASE("knn_screen, host: containers", "[knn_screen][host]") {
  std::vector<std::array<float, 3>> const points{{0.5f, 0.5f, 0}, {0.6f, 0.5f, 0}, {0.5f, 0.5f, 1}, {0.5f, 0.5f, -9}};
  auto const found = farpoint::knn(points, screen_space{camera_at_cube<float>(40, 40), 2});
  CHECK(found.visible == std::vector<std::int32_t>{0, 1});
  CHECK(found.indices == std::vector<std::int32_t>{0, 1, 1, 0});
  CHECK(found.distances[0] == 0.0f);
  CHECK(found.pixels[0] == 20 * 40 + 20);
  CHECK_THROWS_AS(farpoint::knn(points, screen_space{camera_at_cube<float>(40, 40), 0}), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::knn(points, screen_space{camera_at_cube<float>(0, 40), 2}), std::invalid_argument);
}

TEST_CASE("knn_screen, host: places of points in packets, joined in any order", "[knn_screen][host]") {
  using farpoint::detail::screen_places;
  random_source random{1};
  for (int round = 0; round < 300; ++round) {
    auto const size = static_cast<std::size_t>(random.below(400));
    auto const every = 1 + random.below(60);
    std::uint32_t place = 0;
    std::vector<screen_places> parts;
    bool same = true;
    screen_places before;
    for (std::size_t i = 0; i < size; ++i) {
      bool const begins = random.below(every) == 0;
      if (begins) place = (place + 31) / 32 * 32;
      std::uint32_t const end = before.end();
      same = same && (begins ? farpoint::detail::next_packet(end) : end) == place;
      ++place;
      parts.push_back(screen_places::of_point(begins));
      before = before.then(parts.back());
    }
    while (parts.size() > 1) {
      auto const at = parts.begin() + static_cast<std::ptrdiff_t>(random.below(static_cast<int>(parts.size()) - 1));
      *at = at->then(*(at + 1));
      parts.erase(at + 1);
    }
    CAPTURE(round, size, every);
    CHECK(same);
    CHECK((parts.empty() ? 0 : parts[0].end()) == place);
  }
}
