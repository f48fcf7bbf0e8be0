// fps() by local maxima where the blocks of a grid are shared out among clouds of any sizes, without a GPU: the
// guarantees of the schedule, and the kernels' source, run by fibers, against the serial loop.
#include <climits>
#include <limits>

#include "../../support/catch.hpp"
#include "../maxima_by_fibers.hpp"

using namespace farpoint_tests;
using namespace farpoint::detail;

namespace {

using sizes_type = std::vector<index_t>;
using cloud_batch = farpoint::batch<farpoint::point_view<float>>;

std::vector<index_t> offsets_of(sizes_type const& sizes) {
  std::vector<index_t> offsets{0};
  for (index_t const size : sizes) offsets.push_back(offsets.back() + size);
  return offsets;
}

/// Makes a batch with sizes but without points.
cloud_batch batch_of(std::vector<index_t> const& offsets, index_t points, index_t largest = -1) {
  // A schedule reads no point, but an offset to a null pointer is undefined.
  auto const* const nowhere = reinterpret_cast<float const*>(std::uintptr_t{1} << 32);
  return cloud_batch::ragged(farpoint::point_view<float>{nowhere, points}, offsets, largest);
}

/// Schedule in host memory, with guards behind each array.
class made_schedule {
 public:
  static constexpr int block_size = 64;
  static constexpr std::uint32_t guard = 0xabababab;

  template <class Points>
  made_schedule(farpoint::batch<Points> const& clouds, team_limits const& limits, unsigned seed)
      : place(limits.blocks + 1), rest(static_cast<std::size_t>(clouds.size()) + 1, guard) {
    place.back() = {-1, guard, guard};
    using scheduler = team_scheduler<fiber_machine, block_size>;
    typename scheduler::shared_type shared;
    std::memset(static_cast<void*>(&shared), 0xcd, sizeof shared);
    fiber_blocks::run(1, block_size, seed, [&] { scheduler{limits, get(), shared}.run(clouds); });
  }

  team_schedule get() { return {place.data(), counts.data(), rest.data()}; }
  bool intact() const { return place.back().blocks == guard && rest.back() == guard && counts.back() == guard; }

  std::vector<local_maxima_place> place;
  std::vector<std::uint32_t> counts{0, 0, guard};
  std::vector<std::uint32_t> rest;
};

/// Returns the number of blocks of each cloud: 1 if it is dealt out to single blocks, 0 if it was forgotten. Requires
/// that teams are contiguous and that each cloud is scheduled once.
std::vector<std::uint32_t> blocks_of(made_schedule const& made, std::size_t clouds) {
  std::vector<std::uint32_t> blocks(clouds);
  for (std::size_t i = 0; i + 1 < made.place.size(); ++i) {
    auto const& place = made.place[i];
    if (place.blocks == 0) continue;
    REQUIRE(place.blocks > 1);
    REQUIRE(place.rank < place.blocks);
    REQUIRE(i >= place.rank);
    // The block's whole team is there, starting at its first block.
    auto const& first = made.place[i - place.rank];
    REQUIRE(i - place.rank + place.blocks < made.place.size());
    REQUIRE((first.rank == 0 && first.b == place.b && first.blocks == place.blocks));
    REQUIRE((place.b >= 0 && place.b < static_cast<index_t>(clouds)));
    auto& known = blocks[static_cast<std::size_t>(place.b)];
    REQUIRE((place.rank == 0 ? known == 0 : known == place.blocks));
    known = place.blocks;
  }
  REQUIRE(made.counts[0] < made.rest.size());
  for (std::uint32_t i = 0; i < made.counts[0]; ++i) {
    REQUIRE(made.rest[i] < clouds);
    REQUIRE(blocks[made.rest[i]] == 0);
    blocks[made.rest[i]] = 1;
  }
  CHECK(made.counts[1] == 0);
  return blocks;
}

int bits_of(index_t size) {
  int bits = 0;
  while (size >> bits != 0) ++bits;
  return bits;
}

/// Makes a schedule of clouds that the blocks can hold, and checks all its guarantees.
std::vector<std::uint32_t> check_schedule(sizes_type const& sizes, team_limits const& limits, unsigned seed) {
  auto const offsets = offsets_of(sizes);
  made_schedule const made{batch_of(offsets, offsets.back()), limits, seed};
  CHECK(made.intact());
  auto const blocks = blocks_of(made, sizes.size());

  double all = 0;
  for (index_t const size : sizes) all += static_cast<double>(limits.load(static_cast<std::uint32_t>(size)));
  index_t needed = 0;
  for (index_t const size : sizes) needed += size > limits.capacity ? divide_up<index_t>(size, limits.capacity) : 0;
  std::uint32_t in_teams = 0;
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    auto const size = static_cast<std::uint32_t>(sizes[b]);
    CAPTURE(b, size, blocks[b]);
    CHECK(blocks[b] >= 1);
    CHECK(index_t{blocks[b]} * limits.capacity >= sizes[b]);
    // A block gets at least `worth` points, unless the cloud needs it for lack of capacity.
    index_t const required = size > limits.capacity ? divide_up<index_t>(size, limits.capacity) : 1;
    CHECK((blocks[b] <= required || blocks[b] * limits.worth <= size));
    if (blocks[b] > 1) in_teams += blocks[b];
    for (std::size_t other = 0; other < b; ++other) {
      if (sizes[other] <= sizes[b]) CHECK(blocks[other] <= blocks[b]);
    }
  }
  CHECK(in_teams <= limits.blocks);

  // Clouds dealt out are sorted by the number of bits of their size, descending.
  for (std::uint32_t i = 1; i < made.counts[0]; ++i) {
    CHECK(std::max(bits_of(sizes[made.rest[i - 1]]), 1) >= bits_of(sizes[made.rest[i]]));
  }
  // Unless clouds need more blocks, no block exceeds twice the mean by more than the rounding of 1/8 steps.
  if (needed == 0 && limits.blocks > 1 && limits.most == limits.blocks) {
    double const share = std::max(2 * all / (limits.blocks - 1), static_cast<double>(limits.worth)) * 1.08 + 2;
    double rest = 0;
    std::uint32_t dealt_out = 0;
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      auto const size = static_cast<std::uint32_t>(sizes[b]);
      bool const is_worth_more = index_t{blocks[b] + 1} * limits.worth <= sizes[b];
      CAPTURE(b, size, blocks[b], share);
      if (is_worth_more) CHECK(static_cast<double>(size) / blocks[b] <= share);
      if (blocks[b] != 1) continue;
      ++dealt_out;
      rest += limits.load(size);
    }
    CHECK((dealt_out <= limits.blocks - in_teams || rest <= share * (limits.blocks - in_teams)));
  }
  return blocks;
}

/// Returns random sizes, up to `most` points per cloud, of a random kind: many small clouds, equal clouds, one large
/// cloud among small ones, mixed sizes with and without empty clouds, or empty clouds only.
sizes_type random_sizes(random_source& random, index_t most) {
  auto const kind = random.below(6);
  sizes_type sizes(static_cast<std::size_t>(1 + random.below(kind == 0 ? 200 : 20)));
  index_t const equal = random.below(most + 1);
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    switch (kind) {
      case 0: sizes[b] = random.below(std::max<index_t>(most / 40, 2)); break;
      case 1: sizes[b] = equal; break;
      case 2: sizes[b] = b == 0 ? most : random.below(std::max<index_t>(most / 100, 2)); break;
      case 3: sizes[b] = random.below(3) == 0 ? 0 : random.below(most + 1); break;
      case 4: sizes[b] = random.below(most + 1) / (1 + random.below(50)); break;
      default: sizes[b] = 0;
    }
  }
  return sizes;
}

/// Delays the threads of every third block behind a barrier, so that the other blocks get far ahead.
struct uneven_machine : fiber_machine {
  static inline bool is_uneven = false;

  static void sync() {
    fiber_machine::sync();
    if (!is_uneven || fiber_blocks::block() % 3 != 0) return;
    for (unsigned i = 0; i < thread() * 7 % 64; ++i) fiber_blocks::yield();
  }
};

/// Runs the kernels' source as local_maxima_plan launches it.
/// @param worth  see team_limits
template <class Config, class Problem>
auto solve_shared_out(Problem const& problem, unsigned blocks, std::uint32_t worth, unsigned seed,
                      local_maxima_lengths lengths) {
  using view = typename Problem::view;
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    *output.report = {};
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    fps_args<view> const args{clouds, params, output};
    for (index_t b = 0; b < clouds.size() && params.samples == 0; ++b) args.write_empty(b);
    if (params.samples == 0) return farpoint::result{};
    index_t capacity = index_t{Config::block_size} * Config::points_per_thread;
    if constexpr (Config::in_memory) capacity = point_chunks<Config, uneven_machine>::capacity(1);
    REQUIRE(max_needed_blocks(clouds, capacity) <= blocks);
    made_schedule made{clouds, {blocks, blocks, static_cast<std::uint32_t>(capacity), worth, 2 * worth}, seed};
    REQUIRE(made.intact());
    uneven_machine::is_uneven = seed % 2 == 0;
    fiber_grid const grid{blocks, blocks, dealt_boards<Config>::slots(blocks), made.get()};
    launch_by_fibers<Config, uneven_machine>(args, grid, lengths, seed);
    // Each block draws one ticket beyond the last cloud.
    CHECK(made.counts[1] == made.counts[0] + blocks);
    return farpoint::result{};
  });
}

template <class Config, class Problem, class Answer>
void check_shared_out(char const* name, Problem const& problem, Answer const& expected, unsigned blocks,
                      std::uint32_t worth, unsigned seed) {
  unsigned const listed = Config::listed_size - seed % 2;
  unsigned const singles = seed % 3 == 0 ? 5 : 0;
  auto const answer = solve_shared_out<Config>(problem, blocks, worth, seed, {16, listed, singles});
  INFO(name << ", blocks " << blocks << ", seed " << seed << ", lists of " << listed << ", " << singles
            << " samples before: " << difference(answer, expected));
  CHECK(same_answer(answer, expected));
}

/// Checks every kind of shape that can hold the clouds.
template <class Problem>
void check_all(Problem const& problem, unsigned blocks, unsigned seed) {
  constexpr int dim = Problem::dim;
  using scalar = typename Problem::scalar;
  auto const expected = reference_answer(problem);
  auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
  if (max_needed_blocks(clouds, 96) <= blocks) {
    check_shared_out<odd_config<dim, 32, 3, false, scalar>>("registers", problem, expected, blocks, 20, seed);
  }
  if (max_needed_blocks(clouds, 128) <= blocks) {
    check_shared_out<odd_config<dim, 64, 2, true, scalar>>("boxes", problem, expected, blocks, 40, seed);
  }
  check_shared_out<odd_chunk_config<dim, 32, 1, scalar>>("memory", problem, expected, blocks, 32, seed);
}

template <class Coord = float>
fps_problem<Coord> problem_of(sizes_type const& sizes, shape which, index_t samples, std::uint64_t seed) {
  auto const offsets = offsets_of(sizes);
  // Some points belong to no cloud.
  fps_problem<Coord> problem{make_cloud(which, static_cast<std::size_t>(offsets.back()) + 3, seed), samples};
  problem.offsets = offsets;
  return problem;
}

template <class Coord>
void check_random_batch(std::uint64_t seed) {
  random_source random{seed};
  auto const sizes = random_sizes(random, 1 + random.below(250));
  auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
  auto problem = problem_of<Coord>(sizes, which, 1 + random.below(50), seed);
  if (random.below(2) == 0) problem.largest = *std::max_element(sizes.begin(), sizes.end());
  if (random.below(4) == 0) problem.stop_below = static_cast<double>(random.uniform());
  if (random.below(3) == 0) {
    for (std::size_t i = 0; i < 3 * sizes.size(); ++i) problem.chosen.push_back(random.below(40) - 2);
  } else if (random.below(2) == 0) {
    for (std::size_t b = 0; b < sizes.size(); ++b) problem.firsts.push_back(random.below(30) - 1);
  }
  auto const blocks = static_cast<unsigned>(1 + random.below(9));
  CAPTURE(seed, sizes, blocks, static_cast<int>(which));
  check_all(problem, blocks, static_cast<unsigned>(seed));
}

sizes_type const some_sizes[] = {{0},
                                 {1},
                                 {150},
                                 {0, 1, 7, 0, 30},
                                 {60, 60, 60, 60},
                                 {5, 20, 45, 80, 90, 1},
                                 {260, 10, 10, 5, 0, 1, 12, 10, 9},
                                 {12, 9, 260},
                                 {0, 0, 0},
                                 {20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32},
                                 {96, 97, 128}};

}  // namespace

TEST_CASE("fps shared out: blocks that clouds need at most", "[fps][local_maxima][shared_out]") {
  random_source random{4};
  for (int round = 0; round < 2000; ++round) {
    auto const sizes = random_sizes(random, 1 + random.below(3000));
    auto const offsets = offsets_of(sizes);
    index_t const capacity = 1 + random.below(300);
    index_t needed = 0;
    for (index_t const size : sizes) needed += size > capacity ? divide_up(size, capacity) : 0;
    index_t const largest = *std::max_element(sizes.begin(), sizes.end());
    auto const count = static_cast<index_t>(sizes.size());
    CAPTURE(round, capacity, count, offsets.back(), largest);
    // Bounds from the number of points alone, and with the largest cloud.
    CHECK(max_needed_blocks(batch_of(offsets, offsets.back()), capacity) >= needed);
    index_t const bounded = max_needed_blocks(batch_of(offsets, offsets.back(), largest), capacity);
    CHECK(bounded >= needed);
    CHECK(bounded <= count * divide_up(largest, capacity));
    if (largest <= capacity) CHECK(bounded == 0);
  }
  farpoint::point_view<float> const points{nullptr, 6 * 1000};
  CHECK(max_needed_blocks(cloud_batch::regular(points, 6), 1000) == 0);
  CHECK(max_needed_blocks(cloud_batch::regular(points, 6), 999) == 12);
  CHECK(max_needed_blocks(cloud_batch::regular(points, 1), 100) == 60);
  // Two clouds of 2,999 and 3,001 need 3 and 4; three of 1,001 are two each.
  std::vector<index_t> const two{0, 3000, 6000};
  CHECK(max_needed_blocks(batch_of(two, 6000), 1000) == 7);
  CHECK(max_needed_blocks(batch_of(two, 6000, 3000), 1000) == 6);
  CHECK(max_needed_blocks(batch_of({0}, 0), 10) == 0);
  CHECK(max_needed_blocks(batch_of({0, 0}, 0), 10) == 0);
}

ONE_THREAD_TEST_CASE("fps shared out, fibers: teams are as large as they should be",
                     "[fps][local_maxima][shared_out][one_thread]") {
  team_limits const limits{132, 132, 4096, 512, 2000};
  // One cloud, and equal ones.
  CHECK(check_schedule({1000000 / 2}, limits, 1)[0] == 132);
  CHECK(check_schedule({4096}, limits, 1)[0] == 8);
  CHECK(check_schedule(sizes_type(32, 4096), limits, 1) == std::vector<std::uint32_t>(32, 4));
  CHECK(check_schedule(sizes_type(6, 10000), limits, 1) == std::vector<std::uint32_t>(6, 19));
  CHECK(check_schedule(sizes_type(64, 8000), limits, 1) == std::vector<std::uint32_t>(64, 2));
  CHECK(check_schedule(sizes_type(200, 4096), limits, 1) == std::vector<std::uint32_t>(200, 1));
  // One giant among small clouds, which count as 600 points each: the giant gets nine tenths of the blocks.
  sizes_type giant(100, 300);
  giant[57] = 460000;
  auto const blocks = check_schedule(giant, limits, 2);
  CHECK(blocks[57] >= 110);
  CHECK(blocks[57] < 132);
  CHECK(std::accumulate(blocks.begin(), blocks.end(), 0u) == 99 + blocks[57]);
  // Empty clouds only, and a number of clouds that is no power of two.
  CHECK(check_schedule(sizes_type(1000, 0), limits, 3) == std::vector<std::uint32_t>(1000, 1));
  // Clouds that fill the capacity of 132 blocks.
  CHECK(check_schedule({131 * 4096, 4096, 4096, 1, 0}, limits, 4)[0] == 131);
  CHECK(check_schedule({4097, 40000}, {12, 12, 4096, 512, 2000}, 5) == std::vector<std::uint32_t>{2, 10});
  // One block, and teams of a limited size.
  CHECK(check_schedule({100, 200, 4000}, {1, 1, 4096, 512, 2000}, 6) == std::vector<std::uint32_t>(3, 1));
  CHECK(check_schedule({40000, 100}, {132, 10, 4096, 512, 2000}, 7)[0] == 10);
}

ONE_THREAD_TEST_CASE("fps shared out, fibers: random schedules keep what they promise",
                     "[fps][local_maxima][shared_out][one_thread]") {
  int made = 0;
  for (std::uint64_t seed = 0; seed < rounds(300); ++seed) {
    random_source random{seed};
    auto const sizes = random_sizes(random, 1 + random.below(seed % 3 == 0 ? 100000 : 2000));
    auto const blocks = static_cast<std::uint32_t>(1 + random.below(140));
    auto const worth = static_cast<std::uint32_t>(1 + random.below(600));
    auto const capacity = static_cast<std::uint32_t>(worth * (1 + random.below(20)));
    index_t needed = 0;
    for (index_t const size : sizes) needed += size > capacity ? divide_up<index_t>(size, capacity) : 0;
    if (needed > blocks) continue;
    ++made;
    CAPTURE(seed, blocks, worth, capacity);
    auto const extra = static_cast<std::uint32_t>(random.below(3) * random.below(2000));
    check_schedule(sizes, {blocks, blocks, capacity, worth, extra}, static_cast<unsigned>(seed));
  }
  CHECK(made >= static_cast<int>(rounds(300) / 3));
}

ONE_THREAD_TEST_CASE("fps shared out, fibers: wrong offsets are harmless to a schedule",
                     "[fps][local_maxima][shared_out][one_thread]") {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  std::vector<index_t> const hostile[] = {
      {5, 0, 5, 0, 5, 0}, {0, 1 << 30, 0, 1 << 30, 0, 1 << 30}, {-1, most, -most - 1, most, 0}, {most, most}, {-7, -7}};
  for (auto const& offsets : hostile) {
    for (index_t const points : {index_t{0}, index_t{1000}, index_t{INT_MAX}}) {
      for (std::uint32_t const blocks : {1u, 7u, 132u}) {
        CAPTURE(offsets, points, blocks);
        CHECK(made_schedule{batch_of(offsets, points), {blocks, blocks, 100, 10, 20}, 3}.intact());
      }
    }
  }
  // Clouds that overlap, and need 2^32 blocks and more together.
  std::vector<index_t> offsets;
  for (int i = 0; i < 600; ++i) offsets.push_back(i % 2 == 0 ? 0 : INT_MAX);
  CHECK(made_schedule{batch_of(offsets, INT_MAX), {132, 132, 1, 1, 0}, 3}.intact());
}

ONE_THREAD_TEST_CASE("fps shared out, fibers: equals the serial loop whatever the sizes",
                     "[fps][local_maxima][shared_out][one_thread]") {
  unsigned seed = 0;
  for (sizes_type const& sizes : some_sizes) {
    for (unsigned const blocks : {1u, 4u, 7u}) {
      shape const which = all_shapes[++seed % std::size(all_shapes)];
      for (index_t const samples : {9, 40}) {
        CAPTURE(seed, sizes, blocks, static_cast<int>(which), samples);
        check_all(problem_of(sizes, which, samples, seed), blocks, seed);
      }
    }
  }
}

ONE_THREAD_TEST_CASE("fps shared out, fibers: many random batches", "[fps][local_maxima][shared_out][one_thread]") {
  for (std::uint64_t seed = 0; seed < rounds(40); ++seed) check_random_batch<float>(seed);
}

ONE_THREAD_TEST_CASE("fps shared out, fibers: many random batches of doubles",
                     "[fps][local_maxima][shared_out][one_thread]") {
  for (std::uint64_t seed = 100; seed < 100 + rounds(25); ++seed) check_random_batch<double>(seed);
}

ONE_THREAD_TEST_CASE("fps shared out, fibers: regular batches, and no samples",
                     "[fps][local_maxima][shared_out][one_thread]") {
  fps_problem<float> problem{make_cloud(shape::cube, 300, 8), 30};
  for (index_t const clouds : {1, 3, 12, 50}) {
    problem.clouds = clouds;
    CAPTURE(clouds);
    check_all(problem, 5, 1);
  }
  problem.samples = 0;
  check_all(problem, 5, 1);
}
