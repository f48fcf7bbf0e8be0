// The kernel of fps_shard() for ranks with peer memory, run by fibers: blocks of all ranks run concurrently.
#include <farpoint/detail/fps/local_maxima/team.hpp>
#include <farpoint/scale/stream/fps/peers.hpp>

#include "../../fps/odd_maxima_config.hpp"
#include "../../support/fiber_machine.hpp"
#include "../../support/for_each_seed.hpp"
#include "../fps_shard_problem.hpp"

using namespace farpoint_tests;
using namespace farpoint::detail;

namespace {

/// Timeout that ends a wait after `looks` polls; 0: never.
class impatient_watch {
 public:
  explicit impatient_watch(unsigned looks) : looks_{looks} {}
  bool is_over() { return looks_ != 0 && ++looked_ > looks_; }

 private:
  unsigned looks_;
  unsigned looked_ = 0;
};

/// Memory of all ranks, to which every rank writes.
struct fiber_ranks {
  std::vector<std::vector<fiber_board::message>> boards;
  std::vector<std::vector<fps_key>> keys;
  std::vector<std::uint32_t> first_index;
  unsigned blocks;        ///< blocks per rank
  unsigned patience = 0;  ///< polls until a wait ends; 0: no limit
};

class FARPOINT_HIDDEN fiber_peer_board {
 public:
  using message = fiber_board::message;
  [[maybe_unused]] static constexpr bool may_fail = true;

  fiber_peer_board(fiber_ranks& ranks, unsigned rank) : ranks_{&ranks}, rank_{rank} {}

  local_maxima_place in_team(local_maxima_place place) const {
    return {place.b, rank_ * ranks_->blocks + place.rank, copies() * ranks_->blocks};
  }
  std::uint32_t first_index() const { return ranks_->first_index[rank_]; }
  impatient_watch watch() const { return impatient_watch{ranks_->patience}; }
  unsigned copies() const { return static_cast<unsigned>(ranks_->boards.size()); }
  void put(unsigned slot, unsigned copy, fps_words const& words, std::uint32_t tag) const {
    ranks_->boards[copy][slot] = {words, tag};
  }
  message load(unsigned slot) const { return ranks_->boards[rank_][slot]; }
  static bool has_come(message const& m, std::uint32_t tag) { return m.tag == tag; }
  static fps_words words_of(message const& m) { return m.words; }
  void put_key(unsigned number, fps_key key) const {
    for (unsigned r = 0; r < copies(); ++r) {
      if (r != rank_) ranks_->keys[r][number] = key;
    }
  }

 private:
  fiber_ranks* ranks_;
  unsigned rank_;
};

/// Settings of a run of the kernel.
struct peer_run {
  unsigned blocks;
  unsigned seed;
  std::uint32_t max_keys = 1 << 16;
  unsigned patience = 0;
  unsigned without = 99;  ///< rank that makes no call
  unsigned singles = 0;   ///< samples taken one per round
};

/// The chosen points and the first sample, which the call determines before the kernel, by the rules of fps_shard().
template <int Dim>
struct peer_start {
  std::vector<fps_ball<Dim>> chosen;
  std::vector<std::uint32_t> chosen_indices;
  bool is_started = false;
  index_t first = -1;
  farpoint::vec<float, Dim> first_point{};

  explicit peer_start(fps_shard_problem<float, Dim> const& problem) {
    auto const n = static_cast<index_t>(problem.cloud.size());
    auto const all = problem.points(0, n);
    for (index_t const index : problem.chosen) {
      bool const counts = index >= 0 && index < n && farpoint::is_finite(all[index]);
      fps_ball<Dim> ball{{}, fps_chosen_nowhere};
      if (counts) ball = {all[index], not_yet_measured<float>};
      is_started = is_started || counts;
      chosen.push_back(ball);
      chosen_indices.push_back(static_cast<std::uint32_t>(problem.to_global(index)));
    }
    auto const& params = problem.params;
    index_t const wanted = params.random_first ? random_first(params.seed, 0, n) : params.first;
    if (wanted < n && farpoint::is_finite(all[wanted])) first = wanted;
    for (index_t i = 0; i < n && first < 0; ++i) {
      if (farpoint::is_finite(all[i])) first = i;
    }
    if (first >= 0) first_point = all[first];
  }
};

template <class Config>
std::vector<fps_shard_answer<float>> run_peers(fps_shard_problem<float, Config::dim> const& problem,
                                               peer_run const& how) {
  constexpr int dim = Config::dim;
  using view = farpoint::point_view<float, dim>;
  using chunks_type = point_chunks<Config, fiber_machine>;
  std::size_t const count = problem.ranks();
  auto const team = static_cast<unsigned>(count) * how.blocks;
  peer_start<dim> const start{problem};
  auto const samples = static_cast<std::size_t>(problem.params.samples);

  fiber_ranks ranks;
  ranks.blocks = how.blocks;
  ranks.patience = how.patience;
  std::vector<fps_shard_answer<float>> answers(count);
  std::vector<view> parts;
  std::vector<fps_peer_call<dim>> calls;
  std::vector<std::vector<std::uint32_t>> marks;
  std::vector<std::vector<std::uint32_t>> orders;
  std::vector<std::vector<float>> chunks;
  for (std::size_t r = 0; r < count; ++r) {
    ranks.boards.emplace_back(board_slots<Config>::all(team));
    ranks.keys.emplace_back(how.max_keys);
    index_t const begin = problem.cuts[problem.part[r]];
    ranks.first_index.push_back(static_cast<std::uint32_t>(problem.first_index + begin));
    parts.push_back(problem.points(begin, problem.cuts[problem.part[r] + 1]));
    orders.emplace_back(static_cast<std::size_t>(parts.back().size()));
    std::iota(orders.back().begin(), orders.back().end(), 0u);
    chunks.emplace_back(Config::in_memory ? chunks_type::part_scalars * chunks_type::parts(parts.back().size(), 1) : 0);
    marks.emplace_back(static_cast<std::size_t>(point_marks::words_of(parts.back().size())));
    for (index_t const index : problem.chosen) {
      bool const is_here = index >= begin && index - begin < parts.back().size();
      if (is_here) point_marks{marks.back().data()}.add(index - begin);
    }
    answers[r].indices.assign(samples, -9);
    answers[r].distances.assign(samples, -9);
    farpoint::fps_shard_output<float> output;
    output.indices = answers[r].indices;
    output.distances = answers[r].distances;
    output.count = &answers[r].count;
    auto const stop = static_cast<float>(problem.params.stop_below);
    calls.push_back({static_cast<index_t>(problem.cloud.size()), problem.params.samples, how.max_keys, stop * stop,
                     problem.to_global(start.first), start.first_point, start.chosen.data(),
                     start.chosen_indices.data(), static_cast<index_t>(start.chosen.size()), output});
  }
  // Lists of any length, also odd.
  unsigned const listed = 1 + how.seed % Config::listed_size;
  std::vector<local_maxima_shared<Config>> shared(team);
  std::memset(static_cast<void*>(shared.data()), 0xcd, shared.size() * sizeof shared[0]);
  std::vector<std::vector<fps_ball<dim>>> lists(team);
  for (auto& l : lists) l.resize(local_maxima_lists<Config>::bytes(team, listed) / sizeof(l[0]) + 1);
  std::vector<int> done(count, 1);
  fiber_blocks::run(team, Config::block_size, how.seed, [&] {
    unsigned const block = fiber_blocks::block();
    unsigned const r = block / how.blocks;
    if (r == how.without) return;
    fiber_peer_board const board{ranks, r};
    auto* const memory = reinterpret_cast<unsigned char*>(lists[block].data());
    local_maxima_team<Config, fiber_machine, fps_peer_call<dim>, fiber_peer_board> one{
        calls[r],
        {0, block % how.blocks, how.blocks},
        shared[block],
        local_maxima_lists<Config>::at(memory, team, listed),
        ranks.keys[r].data(),
        board,
        {16, listed, how.singles}};
    bool const is_done = one.run(parts[r], {orders[r].data(), chunks[r].data(), point_marks{marks[r].data()}});
    fiber_machine::sync();
    if (!is_done || shared[block].has_failed != 0) done[r] = 0;
  });
  for (std::size_t r = 0; r < count; ++r) {
    if (done[r] == 0) answers[r].outcome = communication_failure("test");
  }
  return answers;
}

template <class Config, int Dim>
void check_peers(fps_shard_problem<float, Dim> const& problem, peer_run const& how) {
  auto expected = one_call(problem);
  auto answers = run_peers<Config>(problem, how);
  // The host counts the report, not the kernel.
  for (auto& answer : answers) answer.report = expected.report;
  CAPTURE(how.blocks, how.seed);
  check_fps_answers(answers, expected);
}

/// Returns false for problems for which the call does not run the kernel.
template <int Dim>
bool has_samples(fps_shard_problem<float, Dim> const& problem) {
  return problem.params.samples > 0 && peer_start<Dim>{problem}.first >= 0;
}

template <int Dim>
void check_random_problem(std::uint64_t seed) {
  auto const problem = random_stream_problem<Dim>(seed);
  if (!has_samples(problem)) return;
  auto const number = static_cast<unsigned>(seed);
  // Shapes whose threads can hold all points of a rank.
  check_peers<odd_config<Dim, 64, 8, true>>(problem, {1, number});
  check_peers<odd_config<Dim, 32, 6, true>>(problem, {3, number});
  check_peers<odd_chunk_config<Dim, 32, 2>>(problem, {2, number});
  peer_run one_by_one{2, number};
  one_by_one.singles = 3 * (number % 5);
  check_peers<odd_config<Dim, 64, 4, true>>(problem, one_by_one);
}

/// Checks more chosen points than fit one batch, some repeated and some out of range.
void check_many_chosen(std::uint64_t seed) {
  auto problem = random_stream_problem<3>(seed);
  random_source random{seed};
  auto const n = static_cast<index_t>(problem.cloud.size());
  problem.chosen.clear();
  for (int i = 0; i < 90; ++i) problem.chosen.push_back(random.below(n + 2) - 1);
  if (!has_samples(problem)) return;
  auto const number = static_cast<unsigned>(seed);
  check_peers<odd_config<3, 32, 6, true>>(problem, {3, number});
  check_peers<odd_chunk_config<3, 32, 2>>(problem, {2, number});
}

using shape_of_tests = odd_config<3, 32, 4, true>;

}  // namespace

ONE_THREAD_TEST_CASE(
    "fps_shard, one kernel a rank, by fibers: random problems on 1 to 4 ranks give what one call gives",
    "[fps][shard][one_thread]") {
  for_each_seed(24, [](std::uint64_t seed) { check_random_problem<3>(seed); });
}

ONE_THREAD_TEST_CASE("fps_shard, one kernel a rank, by fibers: many chosen points", "[fps][shard][one_thread]") {
  for_each_seed(12, check_many_chosen);
}

ONE_THREAD_TEST_CASE("fps_shard, one kernel a rank, by fibers: one and two coordinates", "[fps][shard][one_thread]") {
  for_each_seed(6, [](std::uint64_t seed) {
    check_random_problem<2>(seed);
    check_random_problem<1>(seed);
  });
}

ONE_THREAD_TEST_CASE(
    "fps_shard, one kernel a rank, by fibers: where more samples are found than there is room for, "
    "no rank has an answer",
    "[fps][shard][one_thread]") {
  auto const problem = shared_out<float>(make_cloud(shape::cube, 200, 3), 150, 2);
  for (auto const& answer : run_peers<shape_of_tests>(problem, {1, 1, 100})) CHECK(!answer.outcome);
  for (auto const& answer : run_peers<shape_of_tests>(problem, {1, 1, 400})) CHECK(answer.outcome);
  for (std::uint32_t const room : {20u, 150u}) {
    peer_run one_by_one{1, 1, room};
    one_by_one.singles = 1000;
    for (auto const& answer : run_peers<shape_of_tests>(problem, one_by_one))
      CHECK(static_cast<bool>(answer.outcome) == (room == 150));
  }
}

ONE_THREAD_TEST_CASE("fps_shard, one kernel a rank, by fibers: a rank that does not come is not waited for for ever",
                     "[fps][shard][one_thread]") {
  auto const problem = shared_out<float>(make_cloud(shape::cube, 200, 3), 50, 3);
  peer_run how{1, 1};
  how.patience = 2000;
  for (auto const& answer : run_peers<shape_of_tests>(problem, how)) CHECK(answer.outcome);
  how.without = 1;
  for (unsigned const singles : {0u, 20u}) {
    how.singles = singles;
    auto const answers = run_peers<shape_of_tests>(problem, how);
    CHECK(!answers[0].outcome);
    CHECK(!answers[2].outcome);
  }
}
