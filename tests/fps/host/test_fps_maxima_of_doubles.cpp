// fps() by local maxima of doubles without a GPU: keys of 96 bits, and the kernels' source, run by fibers.
#include "../../support/catch.hpp"
#include "../fps_random_batch.hpp"
#include "../maxima_by_fibers.hpp"

using namespace farpoint_tests;
using namespace farpoint::detail;

namespace {

__extension__ using wide = unsigned __int128;

wide number_of(fps_wide_key const& key) {
  return static_cast<wide>(key.distance) << 32 | key.low;
}
fps_wide_key key_of(wide number) {
  return {static_cast<std::uint64_t>(number >> 32), static_cast<std::uint32_t>(number)};
}

/// A key whose halves are often at their ends.
fps_wide_key any_key(random_source& random) {
  constexpr std::uint64_t ends[] = {
      0, 1, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x100000000u, ~std::uint64_t{0} - 1, ~std::uint64_t{0}};
  auto const half = [&] {
    return random.below(2) == 0 ? random.next() : ends[random.below(static_cast<std::int64_t>(std::size(ends)))];
  };
  return {half(), static_cast<std::uint32_t>(half())};
}

/// Points whose distances agree in all but the last bits: in single precision they would tie.
xyz_cloud near_ties(std::size_t n, std::uint64_t seed) {
  random_source random{seed};
  xyz_cloud cloud = make_cloud(shape::lattice, n, seed);
  for (auto& p : cloud) {
    for (double& x : p) x = x + 1e-13 * static_cast<double>(random.uniform());
  }
  return cloud;
}

}  // namespace

TEST_CASE("fps by local maxima of doubles: wide keys are numbers of 96 bits", "[fps][local_maxima]") {
  random_source random{3};
  for (int i = 0; i < 20000; ++i) {
    fps_wide_key const a = any_key(random);
    fps_wide_key const b = random.below(4) == 0 ? fps_wide_key{a.distance, any_key(random).low} : any_key(random);
    wide const x = number_of(a);
    wide const y = number_of(b);
    REQUIRE((a > b) == (x > y));
    REQUIRE((a < b) == (x < y));
    REQUIRE((a <= b) == (x <= y));
    REQUIRE((a == b) == (x == y));
    REQUIRE((a != b) == (x != y));
    fps_wide_key const low = x < y ? a : b;
    fps_wide_key const high = x < y ? b : a;
    wide const middle = number_of(low) + (number_of(high) - number_of(low)) / 2;
    REQUIRE(fps_key_between(low, high) == key_of(middle));
    std::uint32_t const amount = any_key(random).low;
    if (x >= amount) REQUIRE(a - amount == key_of(x - amount));
    REQUIRE(larger(a, b) == key_of(x < y ? y : x));
  }
}

TEST_CASE("fps by local maxima of doubles: the order of keys is that of candidates", "[fps][local_maxima]") {
  double const distances[] = {0, 5e-324, 1, std::nextafter(1.0, 2.0), 1e308, farpoint::detail::infinity<double>};
  for (std::size_t i = 0; i < std::size(distances); ++i) {
    fps_wide_key const key = fps_key_of(distances[i], 7u);
    CHECK(fps_distance_of(key) == distances[i]);
    CHECK(fps_index_of(key) == 7);
    CHECK(key != fps_wide_key{});
    CHECK(fps_key_of(distances[i], 6u) > key);
    CHECK(fps_key_of(distances[i], 0xfffffffeu) > fps_wide_key{});
    if (i > 0) CHECK(fps_key_of(distances[i], 0xfffffffeu) > fps_key_of(distances[i - 1], 0u));
  }
}

TEST_CASE("fps by local maxima of doubles: candidates and headers survive messages", "[fps][local_maxima]") {
  using three = candidate_message<3, double>;
  using two = candidate_message<2, double>;
  using one = candidate_message<1, double>;
  STATIC_REQUIRE(three::count == 3);
  STATIC_REQUIRE(two::count == 3);
  STATIC_REQUIRE(one::count == 2);
  STATIC_REQUIRE(candidate_message<3, float>::count == 2);
  STATIC_REQUIRE(candidate_message<1, float>::count == 2);
  random_source random{5};
  auto const check = [&](auto message, auto center) {
    using type = decltype(message);
    for (double& x : center.at) x = ordered_integer_value<double>(static_cast<std::int64_t>(random.next() >> 2));
    fps_wide_key const key = fps_key_of(std::ldexp(static_cast<double>(random.uniform()), 80), any_key(random).low);
    fps_words words[type::count] = {};
    type::pack({center, fps_distance_of(key)}, key, words);
    typename type::ball read{};
    CHECK(type::unpack(words, read) == key);
    CHECK(read.radius2 == fps_distance_of(key));
    CHECK(std::memcmp(&read.center, &center, sizeof center) == 0);
  };
  for (int i = 0; i < 100; ++i) {
    check(three{}, farpoint::vec<double, 3>{});
    check(two{}, farpoint::vec<double, 2>{});
    check(one{}, farpoint::vec<double, 1>{});
    fps_wide_key const left = any_key(random);
    header_message<double> const header{left.distance, left.low, static_cast<unsigned>(random.below(0x10000)),
                                        static_cast<unsigned>(random.below(256))};
    fps_words words[header_message<double>::count] = {};
    header.pack(words);
    auto const read = header_message<double>::unpack(words);
    CHECK(read.left() == left);
    CHECK(read.found == header.found);
    CHECK(read.listed == header.listed);
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima of doubles, fibers: equals the serial loop on every shape",
                     "[fps][local_maxima][one_thread]") {
  for (shape const which : all_shapes) {
    for (std::size_t const n : {1u, 33u, 150u}) {
      for (index_t const m : {static_cast<index_t>(n / 4 + 1), static_cast<index_t>(n + 3)}) {
        CAPTURE(static_cast<int>(which), n, m);
        check_all_teams(fps_problem<double>{make_cloud(which, n, n), m}, static_cast<unsigned>(n + m));
      }
    }
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima of doubles, fibers: distances that differ in their last bits",
                     "[fps][local_maxima][one_thread]") {
  for (std::uint64_t seed = 0; seed < rounds(10); ++seed) {
    fps_problem<double> problem{near_ties(190, seed), 190};
    CAPTURE(seed);
    check_all_teams(problem, static_cast<unsigned>(seed));
    // The cloud at UTM coordinates, far from the origin.
    auto cloud = near_ties(190, seed + 50);
    for (auto& p : cloud) p = {p[0] + 4.5e5, p[1] + 5.4e6, p[2]};
    check_all_teams(fps_problem<double>{cloud, 120}, static_cast<unsigned>(seed + 1));
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima of doubles, fibers: many random problems",
                     "[fps][local_maxima][one_thread]") {
  for (std::uint64_t seed = 0; seed < rounds(30); ++seed) {
    random_source random{seed + 1000};
    auto const n = static_cast<std::size_t>(random.below(200));
    auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
    fps_problem<double> problem{make_cloud(which, n, seed), random.below(static_cast<std::int64_t>(n) + 20)};
    problem.first = n == 0 ? 0 : random.below(static_cast<std::int64_t>(n));
    if (random.below(3) == 0 && n > 0) {
      for (int i = 0; i < 5; ++i) problem.chosen.push_back(random.below(static_cast<std::int64_t>(n) + 1) - 1);
    }
    if (random.below(3) == 0) problem.stop_below = static_cast<double>(random.uniform());
    CAPTURE(seed, n, static_cast<int>(which));
    check_all_teams(problem, static_cast<unsigned>(seed));
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima of doubles, fibers: ragged batches of all shapes",
                     "[fps][local_maxima][one_thread]") {
  for (std::uint64_t seed = 0; seed < rounds(6); ++seed) {
    // Seeds 0, 1 and 2 modulo 5: 16, 64 and 130 points a cloud at most.
    random_batch<double> const batch{seed / 3 * 5 + seed % 3, 6};
    CAPTURE(seed);
    check_all_teams(batch.problem, static_cast<unsigned>(seed));
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima of doubles, fibers: rounds of one sample, before others or alone",
                     "[fps][local_maxima][one_thread]") {
  for (shape const which : all_shapes) {
    fps_problem<double> problem{make_cloud(which, 60, 11), 30};
    for (index_t const first : {0, 57}) {
      problem.first = first;
      problem.samples = first == 0 ? 70 : 30;
      problem.stop_below = first == 0 ? 0 : 0.2;
      if (first == 0) problem.chosen = {5, 9};
      CAPTURE(static_cast<int>(which), first);
      for (unsigned k = 1; k < std::size(some_singles); ++k) check_all_teams(problem, 2 * k);
      problem.chosen.clear();
    }
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima of doubles, fibers: the shapes that kernels have",
                     "[fps][local_maxima][one_thread]") {
  // More candidates than a block lists; all lists of the largest length.
  for (shape const which : {shape::cube, shape::duplicates, shape::utm, shape::non_finite}) {
    fps_problem<double> problem{make_cloud(which, 500, 9), 120};
    problem.chosen = {3, 400, 499};
    auto const expected = reference_answer(problem);
    CAPTURE(static_cast<int>(which));
    using registers = local_maxima_config<3, 64, 5, false, double>;
    using boxes = local_maxima_config<3, 64, 4, true, double>;
    check_team<registers>("registers", problem, expected, 2, 1);
    check_team<boxes>("boxes", problem, expected, 3, 2);
    check_team<local_maxima_chunk_config<3, 64, 2, double>>("memory", problem, expected, 3, 3);
    check_team<local_maxima_config<3, 128, 4, false, double>>("one block", problem, expected, 1, 4);
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima of doubles, fibers: points of one and two dimensions, and no samples",
                     "[fps][local_maxima][one_thread]") {
  for (shape const which : {shape::cube, shape::lattice, shape::duplicates, shape::utm}) {
    CAPTURE(static_cast<int>(which));
    check_all_teams(fps_problem<double, 1>{make_points<1>(which, 90, 3), 40}, 7);
    check_all_teams(fps_problem<double, 2>{make_points<2>(which, 110, 4), 60}, 8);
  }
  check_all_teams(fps_problem<double>{make_cloud(shape::non_finite, 65, 1), 0}, 1);
}

ONE_THREAD_TEST_CASE("fps by local maxima of doubles, fibers: every point is chosen, or wrong arguments",
                     "[fps][local_maxima][one_thread]") {
  for (shape const which : {shape::cube, shape::duplicates, shape::non_finite}) {
    fps_problem<double> problem{make_cloud(which, 130, 2), 20};
    problem.chosen.resize(130);
    std::iota(problem.chosen.rbegin(), problem.chosen.rend(), index_t{0});
    check_all_teams(problem, 5);
    problem.chosen.resize(70);
    check_all_teams(problem, 6);
  }
  fps_problem<double> problem{make_cloud(shape::cube, 60, 5), 9};
  problem.offsets = {0, 0, 25, 25, 60};
  problem.chosen = {-2, 3, 99, -1, -1, 4, 25, 0};
  check_all_teams(problem, 3);
  problem.chosen.clear();
  problem.firsts = {0, 30, -1, 7};
  check_all_teams(problem, 4);
}
