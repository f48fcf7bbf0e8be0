// The kernels of fps_shard() on streams, run by fibers, with ranks that are threads: the samples of one call.
#include <farpoint/scale/stream/fps/decide.hpp>
#include <farpoint/scale/stream/fps/list.hpp>
#include <farpoint/scale/stream/fps/task.hpp>

#include "../../support/fiber_machine.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/together.hpp"
#include "../failing_communicator.hpp"
#include "../fps_shard_problem.hpp"
#include "../rank_lists.hpp"

using namespace farpoint_tests;
using namespace farpoint::detail;
using farpoint::result;
using farpoint::status;

namespace {

/// Blocks, lists and batches so small that each overflows.
template <int Dim>
struct small_config {
  static constexpr int dim = Dim;
  static constexpr unsigned blocks = 2, listed = 4, kept = 3;
  static constexpr int list_block_size = 64, points_per_lane = 1, decide_block_size = 32;
  static constexpr unsigned samples_at_once = 5, listings_at_once = 2;
  static constexpr int rounds_at_once = 3, spare_rounds = 0;
};

/// Runs kernels as fibers do.
struct fiber_blocks_of_fps {
  template <int Dim>
  using config = small_config<Dim>;
  template <class Points>
  using peer_plan = no_fps_peers<Points>;

  template <class Points>
  struct order_memory {
    std::uint32_t* order;

    order_memory(workspace_cutter& cutter, Points const& cloud) noexcept
        : order{cutter.take<std::uint32_t>(cloud.size())} {}
    std::uint32_t const* indices() const noexcept { return order; }
  };

  template <class Points, class Plan>
  static result arrange(host_exec, Points const& cloud, Plan const& plan) {
    std::uint32_t* const order = plan.order.order;
    std::iota(order, order + cloud.size(), 0u);
    // Points that are not finite get key 0: NaN has no order.
    auto const key = [&](std::uint32_t i) { return farpoint::is_finite(cloud[i]) ? cloud[i][0] : 0; };
    std::stable_sort(order, order + cloud.size(), [&](auto i, auto j) { return key(i) < key(j); });
    return {};
  }
  template <class Config, class Points>
  static result load(host_exec, fps_stream_args<Config, Points> const& args) {
    for (index_t c = 0; c < args.memory.chunks; ++c) {
      fiber_blocks::run(1, 32, 1, [&] {
        fps_stream_chunk<Config, fiber_machine>{args.memory, static_cast<std::uint32_t>(c)}.load(args.cloud,
                                                                                                 args.order);
      });
    }
    return {};
  }
  template <class Config, class Points>
  static result list(host_exec, fps_stream_args<Config, Points> const& args) {
    using shared_type = fps_stream_list_shared<Config>;
    run_blocks<shared_type>(Config::blocks, Config::list_block_size, args.round,
                            [&](unsigned block, shared_type& shared) {
                              fps_stream_list<Config, fiber_machine, Points>{args, block, shared}.run();
                            });
    return {};
  }
  template <class Config, class Points>
  static result decide(host_exec, fps_stream_args<Config, Points> const& args) {
    using shared_type = fps_stream_decide_shared<Config>;
    run_blocks<shared_type>(
        args.ranks * Config::blocks, Config::decide_block_size, args.round, [&](unsigned block, shared_type& shared) {
          fps_stream_decide<Config, fiber_machine, Points>{args, block, shared}.run(args.memory.states[args.round % 2]);
        });
    return {};
  }

 private:
  template <class Shared, class Work>
  static void run_blocks(unsigned blocks, unsigned block_size, unsigned seed, Work const& work) {
    std::vector<unsigned char> memory(blocks * sizeof(Shared) + 64, 0xcd);
    auto const begin = (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64;
    auto* const shared = reinterpret_cast<Shared*>(begin);
    fiber_blocks::run(blocks, block_size, seed, [&] { work(fiber_blocks::block(), shared[fiber_blocks::block()]); });
  }
};

template <int Dim>
std::vector<fps_shard_answer<float>> run_fps_streams(fps_shard_problem<float, Dim> const& problem,
                                                     std::size_t too_small_on = 99, failure const& fails = {}) {
  std::vector<fps_shard_answer<float>> answers(problem.ranks());
  auto const ranks = static_cast<int>(problem.ranks());
  farpoint::thread_ranks group{ranks};
  together(ranks, [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    index_t const begin = problem.cuts[problem.part[rank]];
    auto const points = problem.points(begin, problem.cuts[problem.part[rank] + 1]);
    using view = std::decay_t<decltype(points)>;
    farpoint::shard<view> const part{points, problem.first_index + begin};
    farpoint::fps_params params = problem.params;
    params.first += problem.first_index;
    std::vector<index_t> const chosen = problem.chosen_of_all();
    params.chosen = farpoint::index_view{chosen};
    auto const size = static_cast<std::size_t>(params.samples);
    rank_lists<float> const lists{size};
    auto& answer = answers[rank];
    auto output = lists.output<farpoint::fps_shard_output<float>>();
    output.count = &answer.count;
    output.exchanges = &answer.exchanges;
    output.report = &answer.report;
    using plan = fps_stream_plan<host_exec, fiber_blocks_of_fps, view>;
    std::size_t const needed = plan{nullptr, ranks, points, params}.cutter.used();
    host_array<unsigned char> const workspace{needed};
    failing_communicator communicator{group, number, fails};
    auto const outcome = fps_shard_on<fiber_blocks_of_fps>(
        host_exec{1}, communicator, part, params, output, {},
        farpoint::bytes{workspace.data(), rank == too_small_on ? needed - 1 : needed});
    lists.read(answer, outcome, workspace);
  });
  return answers;
}

}  // namespace

ONE_THREAD_TEST_CASE(
    "fps_shard, a stream's kernels by fibers: random problems on 1 to 4 ranks give what one call gives",
    "[fps][shard][one_thread]") {
  check_random_streams(16, [](auto const& problem) { return run_fps_streams(problem); });
}

ONE_THREAD_TEST_CASE("fps_shard, a stream's kernels by fibers: one and two coordinates, and many equal points",
                     "[fps][shard][one_thread]") {
  check_random_streams<2>(4, [](auto const& flat) { return run_fps_streams(flat); });
  check_random_streams<1>(4, [](auto const& line) { return run_fps_streams(line); });
  for (index_t const samples : {1, 90, 310}) {
    auto const equal = shared_out<float>(make_cloud(shape::duplicates, 300, 3), samples, 2);
    check_fps_answers(run_fps_streams(equal), one_call(equal));
  }
}

ONE_THREAD_TEST_CASE("fps_shard, a stream's kernels by fibers: what one rank may not do, all return from",
                     "[fps][shard][one_thread]") {
  auto problem = shared_out<float>(make_cloud(shape::cube, 300, 3), 20, 3);
  SECTION("a workspace that is too small") {
    auto const answers = run_fps_streams(problem, 1);
    CHECK(answers[0].outcome.code == status::bad_argument);
    CHECK(answers[1].outcome.code == status::workspace_too_small);
    CHECK(answers[2].outcome.code == status::bad_argument);
  }
  SECTION("a rank that fails at any exchange") {
    auto const codes_of = [&](failure const& fails) {
      std::vector<status> codes;
      for (auto const& answer : run_fps_streams(problem, 99, fails)) codes.push_back(answer.outcome.code);
      return codes;
    };
    CHECK(check_failures(codes_of) > 3);
  }
  SECTION("a first sample that is nobody's") {
    problem.params.first = 300;
    for (auto const& answer : run_fps_streams(problem)) CHECK(answer.outcome.code == status::bad_argument);
  }
  SECTION("an index that has no 32 bits") {
    problem.first_index = (index_t{1} << 32) - 300;
    for (auto const& answer : run_fps_streams(problem)) CHECK(answer.outcome.code == status::bad_argument);
  }
}

ONE_THREAD_TEST_CASE(
    "fps_shard, a stream's kernels by fibers: a warp keeps its best candidates, and tells of the best other one",
    "[fps][shard][one_thread]") {
  for_each_seed(50, [](std::uint64_t seed) {
    random_source random{seed};
    // Some lanes offer nothing.
    std::vector<std::array<fps_key, 32>> offers(static_cast<std::size_t>(random.below(8)));
    std::vector<fps_key> all;
    for (auto& offer : offers) {
      for (auto& key : offer) {
        key = random.below(3) == 0 ? 0 : random.next() >> 1;
        if (key != 0) all.push_back(key);
      }
    }
    std::sort(all.begin(), all.end(), std::greater<>{});
    using config = small_config<3>;
    std::array<fps_key, 32> kept{};
    std::array<std::uint32_t, 32> slots{};
    fps_key left = 0;
    unsigned found = 0;
    fiber_blocks::run(1, 32, static_cast<unsigned>(seed), [&] {
      unsigned const lane = fiber_blocks::thread();
      fps_stream_best<config, fiber_machine> best;
      for (auto const& offer : offers) best.offer(offer[lane], static_cast<std::uint32_t>(offer[lane]));
      kept[lane] = best.key();
      slots[lane] = best.slot();
      fps_key const other = best.left();
      if (lane == 0) left = other, found = best.found();
    });
    CHECK(found == all.size());
    for (std::size_t i = 0; i < config::kept; ++i) {
      CHECK(kept[i] == (i < all.size() ? all[i] : 0));
      if (i < all.size()) CHECK(slots[i] == static_cast<std::uint32_t>(all[i]));
    }
    CHECK(left == (all.size() > config::kept ? all[config::kept] : 0));
  });
}
