// voxelize_shard() with ranks that are threads: voxelize() of the whole cloud gives the same rows, and no rank hangs.
#include <farpoint/scale/gather_voxels.hpp>
#include <farpoint/scale/thread_communicator.hpp>
#include <farpoint/scale/voxelize_shard.hpp>

#include "../../support/catch.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../shard_problem.hpp"

using namespace farpoint_tests;
using farpoint::status;

namespace {

/// Four ranks that call voxelize_shard() of the host.
struct host_ranks : four_ranks {
  std::vector<status> outcomes(std::chrono::milliseconds timeout = std::chrono::minutes{1}) const {
    return codes_of(run_ranks(problem, calls, 1, timeout));
  }
};

}  // namespace

TEST_CASE("voxelize_shard: random problems on 1 to 4 ranks give what one call gives", "[voxelize][shard]") {
  for_each_shared_out(rounds(160), 0, check_steps<host_steps>);
}

TEST_CASE("voxelize_shard: more ranks than points, and max_voxels that cuts all ranks", "[voxelize][shard]") {
  for_each_cut(24, 9, check_steps<host_steps>);
}

NUMBERS_TEST_CASE("voxelize_shard: double, float16 and UTM coordinates", "[voxelize][shard][numbers]") {
  for_each_shared_out<double>(rounds(40), 0, check_steps<host_steps>);
  for_each_shared_out<farpoint::float16>(rounds(40), 0, check_steps<host_steps>);
  for (std::uint64_t seed = 0; seed < rounds(40); ++seed) {
    CAPTURE(seed);
    random_source random{seed};
    auto const cloud = make_cloud(shape::utm, 600, seed);
    auto const utm =
        for_shards(voxelize_problem<double>{cloud, fitted_grid<double>(cloud, {70, 60, 3}), farpoint::hard{900, 2}});
    check_steps<host_steps>(utm, share_out(utm, random, 4), 1);
  }
}

TEST_CASE("voxelize_shard: more ranks than a stream can have", "[voxelize][shard]") {
  if (for_races) return;  // they race as four ranks do
  for_each_cut(2, 130, check_steps<host_steps>);
  for_each_seed(2, [](std::uint64_t seed) {
    random_source random{seed};
    auto const cloud = make_cloud(shape::clusters, 20000, seed);
    auto const problem = for_shards(voxelize_problem<float>{cloud, fitted_grid<float>(cloud, {30, 25, 20}),
                                                            farpoint::hard{9000, 2}, packed_features(1)});
    check_rank_answers(problem, run_ranks(problem, share_out(problem, random, 260), 1));
  });
}

TEST_CASE("voxelize_shard: hard and dynamic send the same points", "[voxelize][shard]") {
  host_ranks four;
  auto const dynamic = run_ranks(four.problem, four.calls, 1);
  four.problem.mode = farpoint::hard{1000, 1};
  auto const hard = run_ranks(four.problem, four.calls, 1);
  for (std::size_t rank = 0; rank < 4; ++rank) CHECK(hard[rank].received == dynamic[rank].received);
}

TEST_CASE("voxelize_shard: a rank without room for its rows drops its last ones", "[voxelize][shard]") {
  check_dropped_rows<host_steps>();
}

TEST_CASE("voxelize_shard: room for the voxels within max_voxels is enough", "[voxelize][shard]") {
  for_few_of_many_voxels(check_steps<host_steps>);
}

TEST_CASE("voxelize_shard: what one rank may not do, all ranks return from", "[voxelize][shard]") {
  std::vector<status> const all_refuse(4, status::bad_argument);
  SECTION("arguments that are refused") {
    host_ranks four;
    four.calls[1].capacity = -1;
    CHECK(four.outcomes() == all_refuse);
  }
  SECTION("negative capacity for points") {
    host_ranks four;
    four.calls[3].received_capacity = -1;
    CHECK(four.outcomes() == all_refuse);
  }
  SECTION("other parameters") {
    host_ranks four;
    four.calls[3].hash_seed = 1;
    CHECK(four.outcomes() == all_refuse);
  }
  SECTION("parts that overlap") {
    host_ranks four;
    four.calls[1].first_index = 499;
    CHECK(four.outcomes() == all_refuse);
  }
  SECTION("a workspace that is too small") {
    host_ranks four;
    four.calls[0].workspace_less = 1;
    auto expected = all_refuse;
    expected[0] = status::workspace_too_small;
    CHECK(four.outcomes() == expected);
  }
  SECTION("more points than a rank has room for") {
    host_ranks four;
    auto const enough = run_ranks(four.problem, four.calls, 1);
    four.calls[2].received_capacity = enough[2].received;
    CHECK(four.outcomes() == std::vector<status>(4, status::ok));
    four.calls[2].received_capacity = enough[2].received - 1;
    CHECK(four.outcomes() == std::vector<status>(4, status::workspace_too_small));
    CHECK(run_ranks(four.problem, four.calls, 1)[2].received == enough[2].received);
  }
  SECTION("gathering where one rank has too little room, or arguments that are refused") {
    host_ranks four;
    for (auto& call : four.calls) call.gathers = true;
    auto const gathered = [&four] { return gathered_codes_of(run_ranks(four.problem, four.calls, 1)); };
    four.calls[2].room = 216;
    CHECK(gathered() == std::vector<status>(4, status::ok));
    four.calls[2].room = 215;
    CHECK(gathered() == std::vector<status>(4, status::workspace_too_small));
    // Room for zero voxels: the arrays are empty, so no parts are requested.
    four.calls[2].room = 0;
    CHECK(gathered() == all_refuse);
  }
  SECTION("a rank that makes no call") {
    host_ranks four;
    four.calls[2].is_missing = true;
    auto expected = std::vector<status>(4, status::communication_failure);
    expected[2] = status::ok;
    CHECK(four.outcomes(std::chrono::milliseconds{50}) == expected);
  }
}

TEST_CASE("voxelize_shard: a rank that fails at any exchange ends the calls of all ranks", "[voxelize][shard]") {
  four_ranks four;
  for (auto& call : four.calls) call.gathers = true;
  auto const last_codes = [](std::vector<rank_answer> const& answers) {
    std::vector<status> codes;
    for (auto const& answer : answers) codes.push_back(answer.last);
    return codes;
  };
  auto const on_host = [&](failure const& fails) {
    return last_codes(run_ranks<host_steps>(four.problem, four.calls, 1, std::chrono::minutes{1}, fails));
  };
  CHECK(check_failures(on_host) > 5);
  auto const on_stream = [&](failure const& fails) {
    return last_codes(run_ranks<stream_steps>(four.problem, four.calls, 1, std::chrono::minutes{1}, fails));
  };
  CHECK(check_failures(on_stream) > 5);
}

TEST_CASE("thread_communicator: a rank that aborts ends the exchanges of all, in progress and later", "[shard]") {
  constexpr int ranks = 3;
  for (auto const timeout : {std::chrono::milliseconds{0}, std::chrono::milliseconds::max(),
                             std::chrono::milliseconds{std::chrono::minutes{1}}}) {
    farpoint::thread_ranks group{ranks, timeout};
    std::array<status, ranks> codes{};
    together(ranks, [&](int rank) {
      farpoint::thread_communicator communicator{group, rank};
      auto& code = codes[static_cast<std::size_t>(rank)];
      code = communicator.all_gather(nullptr, nullptr, 0).code;
      if (code != status::ok) return;
      if (rank == 1) communicator.abort();
      code = communicator.all_gather(nullptr, nullptr, 0).code;
      if (communicator.all_gather(nullptr, nullptr, 0)) code = status::ok;
    });
    CHECK(codes == std::array<status, ranks>{status::communication_failure, status::communication_failure,
                                             status::communication_failure});
  }
}

TEST_CASE("voxelize_shard: refuses features in double, which ranks would send as floats", "[voxelize][shard]") {
  std::vector<double> const xyz(30, 0.5);
  std::vector<double> doubles(30);
  std::vector<float> floats(30);
  farpoint::voxelize_params<double> params;
  params.grid = {{{0, 0, 0}}, {{1, 1, 1}}, {{1, 1, 1}}};
  params.features = farpoint::feature_view::packed(xyz.data(), 10, 3);
  farpoint::voxelize_shard_output<double> output;
  output.rows.capacity = 10;
  output.received_capacity = 10;
  farpoint::shard<farpoint::point_view<double>> const part{{xyz.data(), 10}, 0};
  output.rows.mean = floats;
  CHECK(farpoint::detail::check_voxelize_shard(part, params, output));
  output.rows.mean = doubles;
  auto const refused = farpoint::detail::check_voxelize_shard(part, params, output);
  CHECK(refused.code == status::bad_argument);
  CHECK(std::string{refused.reason}.find("floats or float16") != std::string::npos);
}

TEST_CASE("thread_communicator: gathers, exchanges messages of any size, and refuses those that do not match",
          "[voxelize][shard]") {
  constexpr int ranks = 3;
  farpoint::thread_ranks group{ranks};
  std::array<bool, ranks> good{};
  together(ranks, [&](int rank) {
    farpoint::thread_communicator communicator{group, rank};
    auto const me = static_cast<std::size_t>(rank);
    bool fine = true;
    for (int round = 0; round < 50; ++round) {
      std::array<int, ranks> all{};
      int const mine = rank * 100 + round;
      fine = fine && communicator.all_gather(&mine, all.data(), sizeof mine);
      for (int r = 0; r < ranks; ++r) fine = fine && all[static_cast<std::size_t>(r)] == r * 100 + round;
      // Rank r receives r + 1 bytes from each rank, equal to the number of the sender.
      std::array<farpoint::message, ranks> out{};
      std::array<farpoint::message, ranks> in{};
      std::array<unsigned char, 6> sent{};
      std::array<unsigned char, 9> received{};
      for (std::size_t r = 0; r < ranks; ++r) {
        out[r] = {r * (r + 1) / 2, r + 1};
        in[r] = {r * (me + 1), me + 1};
      }
      sent.fill(static_cast<unsigned char>(rank + round));
      fine = fine && communicator.all_to_all({sent.data(), out, received.data(), in});
      for (std::size_t r = 0; r < ranks; ++r) {
        for (std::size_t i = 0; i <= me; ++i) {
          fine = fine && received[in[r].begin + i] == static_cast<unsigned char>(static_cast<int>(r) + round);
        }
      }
      fine = fine && communicator.all_gather(nullptr, nullptr, 0);
    }
    std::array<int, ranks> all{};
    int const mine = 0;
    auto const refused = communicator.all_gather(&mine, all.data(), rank == 1 ? 2 : 4);
    fine = fine && refused.code == status::communication_failure;
    fine = fine && communicator.all_gather(nullptr, nullptr, 0).code == status::communication_failure;
    good[me] = fine;
  });
  CHECK(good[0]);
  CHECK(good[1]);
  CHECK(good[2]);
}
