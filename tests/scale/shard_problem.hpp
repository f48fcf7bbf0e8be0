// A cloud of voxelize_problem, spread over ranks that are threads.
#pragma once

#include <farpoint/scale/gather_voxels.hpp>
#include <farpoint/scale/voxelize_shard.hpp>

#include <set>

#include "../support/check_answer.hpp"
#include "../support/for_each_seed.hpp"
#include "../support/together.hpp"
#include "failing_communicator.hpp"
#include "voxel_map_problem.hpp"

namespace farpoint_tests {

/// Execution on the host whose memory the calls on shards treat as a stream's: the host reads copies, which are on the
/// stack, and refusals need no workspace.
struct stream_on_host : farpoint::host_exec {
  explicit stream_on_host(farpoint::host_exec exec) : host_exec{exec} {}
};

}  // namespace farpoint_tests

FARPOINT_BEGIN_NAMESPACE
namespace detail {

template <>
struct shard_backend<farpoint_tests::stream_on_host> : shard_backend<host_exec> {};
template <>
struct rank_checks<farpoint_tests::stream_on_host> : rank_checks<host_exec> {};
template <>
struct partition_loops<farpoint_tests::stream_on_host> : partition_loops<host_exec> {};
template <>
class voxel_map_scan<farpoint_tests::stream_on_host> : public voxel_map_scan<host_exec> {
  using voxel_map_scan<host_exec>::voxel_map_scan;
};
template <>
class noted_voxelize<farpoint_tests::stream_on_host> : public noted_voxelize<host_exec> {
  using noted_voxelize<host_exec>::noted_voxelize;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

namespace farpoint_tests {

/// Arguments of a rank's call, except its points.
struct rank_call {
  index_t begin = 0;
  index_t end = 0;
  index_t first_index = 0;
  index_t capacity = 0;  ///< rows
  index_t received_capacity = 0;
  std::uint64_t hash_seed = 0;
  std::size_t workspace_less = 0;  ///< bytes by which the workspace is too small
  bool is_missing = false;         ///< the rank makes no call
  bool gathers = false;            ///< the rank gathers the rows of all ranks afterwards
  index_t room = -1;               ///< capacity for gathered rows; -1: the problem's capacity
};

struct rank_answer {
  voxelize_answer rows;
  voxelize_answer all;  ///< gathered
  std::vector<index_t> numbers;
  index_t received = -1;
  farpoint::status last = farpoint::status::ok;  ///< status of the last call; if it failed, rows may be incomplete
};

/// Steps that make the calls of the host.
struct host_steps {
  static farpoint::host_exec on(farpoint::host_exec exec) { return exec; }
  static failing_communicator& over(failing_communicator& communicator) { return communicator; }
};

/// Refuses messages that do not begin at 16 bytes: NCCL would copy them byte by byte.
class aligned_communicator {
 public:
  explicit aligned_communicator(failing_communicator& inner) : inner_{inner} {}

  int ranks() const noexcept { return inner_.ranks(); }
  int rank() const noexcept { return inner_.rank(); }
  farpoint::result all_gather(void const* mine, void* all, std::size_t size) noexcept {
    return inner_.all_gather(mine, all, size);
  }
  farpoint::result all_to_all(farpoint::all_to_all_messages const& exchange) noexcept {
    bool aligned = true;
    for (auto const& part : {exchange.outgoing, exchange.incoming}) {
      for (auto const& one : part) aligned = aligned && (one.size == 0 || one.begin % 16 == 0);
    }
    if (!aligned) return farpoint::detail::communication_failure("a message does not begin at 16 bytes");
    return inner_.all_to_all(exchange);
  }
  void abort() noexcept { inner_.abort(); }

 private:
  failing_communicator& inner_;
};

/// Steps that make the calls of a stream, on the host.
struct stream_steps {
  static stream_on_host on(farpoint::host_exec exec) { return stream_on_host{exec}; }
  static aligned_communicator over(failing_communicator& communicator) { return aligned_communicator{communicator}; }
};

/// Gathers the rows of all ranks on this rank.
/// @tparam Steps  host_steps or stream_steps
template <class Steps, class Problem, class Scalar>
voxelize_answer gather_rows(Problem problem, rank_call const& call, failing_communicator& communicator,
                            farpoint::voxelize_params<Scalar> const& params,
                            farpoint::voxelize_shard_output<Scalar> const& own, int threads, farpoint::status& code) {
  if (call.room >= 0) problem.capacity = call.room;
  return collect_voxels(problem, [&](auto const&, auto const&, auto const& output) {
    auto const exec = Steps::on(farpoint::host_exec{threads});
    std::size_t const needed = gather_voxels_workspace_bytes(exec, communicator.ranks(), params, own, output);
    host_array<unsigned char> const workspace{needed};
    auto&& used = Steps::over(communicator);
    auto const outcome = gather_voxels(exec, used, params, own, output, farpoint::bytes{workspace.data(), needed});
    code = outcome.code;
    return workspace.intact() ? outcome : memory_was_written;
  });
}

/// Makes the calls of all ranks at the same time.
/// @tparam Steps  host_steps or stream_steps
template <class Steps = host_steps, class Problem>
std::vector<rank_answer> run_ranks(Problem const& problem, std::vector<rank_call> const& calls, int threads,
                                   std::chrono::milliseconds timeout = std::chrono::minutes{1},
                                   failure const& fails = {}) {
  farpoint::thread_ranks group{static_cast<int>(calls.size()), timeout};
  std::vector<rank_answer> answers(calls.size());
  together(static_cast<int>(calls.size()), [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    rank_call const& call = calls[rank];
    if (call.is_missing) return;
    auto mine = problem;
    mine.capacity = call.capacity;
    rank_answer& answer = answers[rank];
    answer.rows = collect_voxels(mine, [&](auto const& clouds, auto params, auto const& output) {
      using points_type = std::decay_t<decltype(clouds.points())>;
      using scalar = typename points_type::scalar;
      farpoint::shard<points_type> const part{clouds.points().subview(call.begin, call.end - call.begin),
                                              call.first_index};
      params.features = features_of(params.features, call.begin, call.end - call.begin);
      params.hash_seed = call.hash_seed;
      host_array<index_t> const numbers{static_cast<std::size_t>(std::max<index_t>(call.capacity, 0))};
      farpoint::voxelize_shard_output<scalar> all;
      all.rows = output;
      all.numbers = {numbers.data(), numbers.size()};
      all.received_capacity = call.received_capacity;
      all.received = &answer.received;
      auto const exec = Steps::on(farpoint::host_exec{threads});
      std::size_t const needed =
          voxelize_shard_workspace_bytes(exec, static_cast<int>(calls.size()), part, params, all);
      host_array<unsigned char> const workspace{needed};
      failing_communicator communicator{group, number, fails};
      auto&& used = Steps::over(communicator);
      auto const outcome =
          voxelize_shard(exec, used, part, params, all,
                         farpoint::bytes{workspace.data(), needed - std::min(needed, call.workspace_less)});
      answer.last = outcome.code;
      if (!workspace.intact() || !numbers.intact()) return memory_was_written;
      answer.numbers = numbers.download();
      if (outcome && call.gathers) {
        answer.all = gather_rows<Steps>(problem, call, communicator, params, all, threads, answer.last);
      }
      return outcome;
    });
  });
  return answers;
}

/// Joins the rows of all ranks: row n is at offset n of the result, and other entries are poison.
template <class Problem>
voxelize_answer joined(Problem const& problem, std::vector<rank_answer> const& answers) {
  voxelize_answer all;
  std::size_t rows = 0;
  for (auto const& answer : answers) rows += static_cast<std::size_t>(answer.rows.indices(part::voxel_count)[0]);
  for (std::size_t which = 0; which < part::count; ++which) {
    all.element_bytes[which] = problem.element_bytes(which);
    all.parts[which].assign(problem.part_bytes(which), poison);
    bool const by_row = which <= part::centroid && problem.capacity > 0;
    if (which == part::report) all.parts[which] = answers[0].rows.parts[which];
    if (!by_row || all.parts[which].empty()) continue;
    std::size_t const width = all.parts[which].size() / static_cast<std::size_t>(problem.capacity);
    for (auto const& answer : answers) {
      auto const own = static_cast<std::size_t>(answer.rows.indices(part::voxel_count)[0]);
      for (std::size_t r = 0; r < own; ++r) {
        auto const at = static_cast<std::size_t>(answer.numbers[r]) * width;
        if (at + width > all.parts[which].size()) {
          all.outcome = memory_was_written;
          return all;
        }
        std::copy_n(answer.rows.parts[which].begin() + static_cast<std::ptrdiff_t>(r * width), width,
                    all.parts[which].begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }
  auto& count = all.parts[part::voxel_count];
  if (all.element_bytes[part::voxel_count] == 8) {
    auto const wide = static_cast<std::int64_t>(rows);
    std::memcpy(count.data(), &wide, sizeof wide);
  } else {
    auto const narrow = static_cast<std::int32_t>(rows);
    std::memcpy(count.data(), &narrow, sizeof narrow);
  }
  return all;
}

/// Checks that the joined rows of all ranks equal the answer of one call.
template <class Problem>
void check_rank_answers(Problem const& problem, std::vector<rank_answer> const& answers) {
  auto const expected = reference_voxels(problem);
  for (auto const& answer : answers) {
    INFO(answer.rows.outcome.reason);
    REQUIRE(answer.rows.outcome);
    // All ranks get one report.
    CHECK(answer.rows.parts[part::report] == answers[0].rows.parts[part::report]);
  }
  auto const all = joined(problem, answers);
  check_answer(all, expected);
}

/// Calls check_rank_answers(), and checks that each rank has gathered the answer.
template <class Problem>
void check_gathered_answers(Problem const& problem, std::vector<rank_answer> const& answers) {
  check_rank_answers(problem, answers);
  auto const expected = reference_voxels(problem);
  for (auto const& answer : answers) {
    check_answer(answer.all, expected, "gathered");
  }
}

/// Returns the calls with `gathers` set on all ranks.
inline std::vector<rank_call> gathering(std::vector<rank_call> calls) {
  for (auto& call : calls) call.gathers = true;
  return calls;
}

/// `check_steps<Steps>(problem, calls, threads)` runs all ranks, gathers and checks the rows.
/// @tparam Steps  host_steps or stream_steps
template <class Steps>
inline constexpr auto check_steps = [](auto const& problem, std::vector<rank_call> const& calls, int threads) {
  check_gathered_answers(problem, run_ranks<Steps>(problem, gathering(calls), threads));
};

/// Limits a problem to options that shards support, with capacity for all rows in each part.
template <class Problem>
Problem for_shards(Problem problem) {
  problem.order = farpoint::voxel_order::first_occurrence;
  problem.kept = farpoint::voxel_points::first;
  problem.offsets.clear();
  problem.clouds = 1;
  problem.capacity = problem.points;
  problem.wanted |= bit(part::report) | bit(part::voxel_count);
  problem.wanted &=
      ~(bit(part::list_offsets) | bit(part::list_points) | bit(part::voxel_offsets) | bit(part::point_voxel));
  return problem;
}

/// Cuts a cloud at random, and assigns parts to ranks at random.
template <class Problem>
std::vector<rank_call> share_out(Problem const& problem, random_source& random, int ranks) {
  std::vector<index_t> cuts{0, problem.points};
  for (int r = 1; r < ranks; ++r) {
    cuts.push_back(random.below(4) == 0 ? problem.points * r / ranks : random.below(problem.points + 1));
  }
  std::sort(cuts.begin(), cuts.end());
  index_t const firsts[] = {0, 7, (index_t{1} << 32) - 100, index_t{1} << 40};
  index_t const first = firsts[random.below(4)];
  std::uint64_t const seed = random.below(2) == 0 ? 0 : random.next();
  std::vector<rank_call> calls(static_cast<std::size_t>(ranks));
  for (std::size_t r = 0; r < calls.size(); ++r) {
    calls[r] = {cuts[r], cuts[r + 1], first + cuts[r], problem.capacity, problem.points, seed, 0, false};
  }
  for (std::size_t r = calls.size(); r > 1; --r) {
    std::swap(calls[r - 1], calls[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(r)))]);
  }
  return calls;
}

/// Calls check(problem, calls, threads) for random problems, shared out among 1 to 4 ranks.
template <class Coord = float, class Check>
void for_each_shared_out(std::uint64_t seeds, std::uint64_t other_cuts, Check const& check) {
  for_each_seed(seeds, [&](std::uint64_t seed) {
    random_source random{seed + other_cuts};
    auto const problem = for_shards(random_voxelize_problem<Coord>(seed, 2500));
    check(problem, share_out(problem, random, static_cast<int>(1 + seed % 4)), seed % 3 == 0 ? 2 : 1);
  });
}

/// Calls check(problem, calls, threads) for lattices on many ranks, with few points, also none, or with a max_voxels
/// that drops voxels of all ranks.
template <class Check>
void for_each_cut(std::uint64_t seeds, int ranks, Check const& check) {
  for_each_seed(seeds, [&](std::uint64_t seed) {
    random_source random{seed};
    auto const cloud = make_cloud(shape::lattice, seed % 6 == 0 ? seed / 6 : 900, seed);
    farpoint::hard const mode{static_cast<index_t>(seed) * 10, static_cast<index_t>(1 + seed % 3)};
    auto const problem =
        for_shards(voxelize_problem<float>{cloud, {{{0, 0, 0}}, {{1, 1, 1}}, {{6, 6, 5}}}, mode, packed_features(3)});
    check(problem, share_out(problem, random, ranks), 1);
  });
}

/// Calls check(problem, calls, threads) for a cloud of many tiles, dynamic and with at most three points per voxel.
template <class Check>
void for_each_large(int ranks, Check const& check) {
  auto const cloud = make_cloud(shape::cube, 300000, 5);
  auto const grid = fitted_grid<float>(cloud, {90, 80, 20});
  for (farpoint::voxel_mode const mode : {farpoint::voxel_mode{farpoint::dynamic{}}, {farpoint::hard{150000, 3}}}) {
    CAPTURE(mode.max_points);
    random_source random{3};
    auto const problem = for_shards(voxelize_problem<float>{cloud, grid, mode, packed_features(2)});
    check(problem, share_out(problem, random, ranks), 1);
  }
}

/// A lattice of 216 voxels, shared out evenly among four ranks.
struct four_ranks {
  voxelize_problem<float> problem = for_shards(voxelize_problem<float>{
      make_cloud(shape::lattice, 2000, 1), {{{0, 0, 0}}, {{1, 1, 1}}, {{6, 6, 6}}}, farpoint::dynamic{}});
  std::vector<rank_call> calls;

  four_ranks() {
    for (index_t r = 0; r < 4; ++r) calls.push_back({r * 500, r * 500 + 500, r * 500, 2000, 2000});
  }
};

/// Checks that a rank without room for its rows drops its last ones: the numbers of the written rows have no gaps.
/// Gathering is refused, or without a report gathers the written rows.
/// @tparam Steps  host_steps or stream_steps
template <class Steps>
void check_dropped_rows() {
  four_ranks four;
  auto const enough = run_ranks<Steps>(four.problem, four.calls, 1);
  auto const most = enough[2].rows.indices(part::voxel_count)[0];
  REQUIRE(most > 10);
  four.calls[2].capacity = most - 7;
  auto const answers = run_ranks<Steps>(four.problem, gathering(four.calls), 1);
  std::set<index_t> numbers;
  auto const voxels = static_cast<index_t>(answers[0].rows.report().voxels);
  for (auto const& answer : answers) {
    REQUIRE(answer.rows.outcome);
    CHECK(answer.rows.report().over_capacity == 7);
    CHECK(answer.rows.report().dropped_voxels == 7);
    CHECK(answer.rows.report().voxels + 7 == enough[0].rows.report().voxels);
    for (index_t r = 0; r < answer.rows.indices(part::voxel_count)[0]; ++r) {
      numbers.insert(answer.numbers[static_cast<std::size_t>(r)]);
    }
    CHECK(answer.all.outcome.code == farpoint::status::bad_argument);
  }
  CHECK(static_cast<index_t>(numbers.size()) == voxels);
  CHECK(*numbers.begin() == 0);
  CHECK(*numbers.rbegin() + 1 == voxels);
  auto no_report = four.problem;
  no_report.wanted &= ~bit(part::report);
  for (auto const& answer : run_ranks<Steps>(no_report, gathering(four.calls), 1)) {
    REQUIRE(answer.all.outcome);
    CHECK(answer.all.indices(part::voxel_count)[0] == voxels);
  }
  // The rank keeps its first rows.
  for (auto const which : {part::coords, part::centroid}) {
    auto const& all = enough[2].rows.parts[which];
    auto const& kept = answers[2].rows.parts[which];
    if (all.empty()) continue;
    std::size_t const width = all.size() / static_cast<std::size_t>(four.problem.capacity);
    auto const end = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(most - 7) * width);
    CHECK(std::equal(kept.begin(), kept.begin() + end, all.begin()));
  }
}

/// Calls check(problem, calls, threads) for ranks whose capacity suffices for the voxels within max_voxels, but not for
/// all that they own: no capacity drops a voxel that max_voxels keeps.
template <class Check>
void for_few_of_many_voxels(Check const& check) {
  four_ranks four;
  four.problem.mode = farpoint::hard{60, 3};
  for (auto& call : four.calls) call.capacity = 30;
  check(four.problem, four.calls, 1);
}

/// Returns the status of each rank's call.
inline std::vector<farpoint::status> codes_of(std::vector<rank_answer> const& answers) {
  std::vector<farpoint::status> codes;
  for (auto const& answer : answers) codes.push_back(answer.rows.outcome.code);
  return codes;
}
/// Returns the status of each rank's gathering.
inline std::vector<farpoint::status> gathered_codes_of(std::vector<rank_answer> const& answers) {
  std::vector<farpoint::status> codes;
  for (auto const& answer : answers) codes.push_back(answer.all.outcome.code);
  return codes;
}

}  // namespace farpoint_tests
