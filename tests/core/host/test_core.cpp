// core/: distance2, float16, point_view, batch, index_span, atomic_increment.
#include <farpoint/core/atomic.hpp>
#include <farpoint/core/batch.hpp>
#include <farpoint/core/check.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/core/memory_range.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/tuning/radix_sort.hpp>

#include <algorithm>

#include "../../fps/fps_problem.hpp"
#include "../../support/catch.hpp"
#include "../../support/printed.hpp"
#include "../../support/together.hpp"
#include "../distance_pairs.hpp"

using namespace farpoint_tests;

TEST_CASE("memory_range: from the lowest byte of a view to its highest, in either direction", "[core]") {
  using farpoint::detail::memory_range;
  using farpoint::detail::range_of;
  unsigned char bytes[64] = {};
  auto const is = [&bytes](memory_range const& range, std::ptrdiff_t begin, std::size_t size) {
    return range.begin == bytes + begin && range.size == size;
  };
  using pairs_view = farpoint::point_view<float, 2>;
  CHECK(is(range_of(pairs_view{bytes, 4, 16}), 0, 56));
  CHECK(is(range_of(pairs_view{bytes + 48, 4, -16}), 0, 56));
  CHECK(is(range_of(pairs_view{bytes + 48, 4, -16, {8, 4}}), 4, 56));
  CHECK(is(range_of(pairs_view{bytes + 64, 4, -16, {-16, -12}}), 0, 56));
  CHECK(is(range_of(pairs_view{bytes + 64, 1, -16, {-4, -16}}), 48, 16));
  CHECK(is(range_of(pairs_view{bytes, 1000, 0}), 0, 8));
  CHECK(range_of(pairs_view{}).size == 0);
  CHECK(range_of(pairs_view{bytes, 0}).size == 0);
  CHECK(range_of(pairs_view{bytes, index_t{1} << 60, 16}).size == 0);

  using farpoint::feature_type;
  using farpoint::feature_view;
  int const offsets[] = {4, -2, 8};
  feature_type const types[] = {feature_type::float32, feature_type::uint8, feature_type::float64};
  CHECK(is(range_of(feature_view::fields(bytes + 32, 2, -30, offsets, types, 3)), 0, 48));
  CHECK(is(range_of(feature_view::fields(bytes + 2, 2, 30, offsets, types, 3)), 0, 48));
  CHECK(range_of(feature_view{}).size == 0);
  CHECK(range_of(feature_view::packed(reinterpret_cast<float const*>(bytes), 4, 65)).size == 0);
}

TEST_CASE("distance2 is rounded as its comment says", "[core]") {
  std::uint64_t const seed = 1;
  auto const pairs = make_pairs<float>(700000, seed);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    float const actual = farpoint::distance2(pairs[i].a, pairs[i].b);
    if (same_bits(actual, oracle_distance2(pairs[i]))) continue;
    UNSCOPED_INFO("seed " << seed << ", pair " << i << ", distance2 " << actual << ", oracle "
                          << oracle_distance2(pairs[i]));
    ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("distance2 is symmetric, and zero for equal points", "[core]") {
  for (auto const& pair : make_pairs<double>(70000, 2)) {
    CHECK(same_bits(farpoint::distance2(pair.a, pair.b), farpoint::distance2(pair.b, pair.a)));
    if (farpoint::is_finite(pair.a)) CHECK(farpoint::distance2(pair.a, pair.a) == 0);
  }
}

TEST_CASE("distance2 in parts has the same bits, and no part is more than the whole", "[core]") {
  std::size_t wrong = 0;
  for (auto const& pair : make_pairs<float>(70000, 3)) {
    if (!farpoint::is_finite(pair.a) || !farpoint::is_finite(pair.b)) continue;
    float const whole = farpoint::distance2(pair.a, pair.b);
    float const one = farpoint::add_distance2<0, 1>(0.0f, pair.a, pair.b);
    float const two = farpoint::add_distance2<1, 2>(one, pair.a, pair.b);
    bool const ascending = one <= two && two <= whole;
    wrong += !ascending || !same_bits(farpoint::add_distance2<2, 3>(two, pair.a, pair.b), whole);
  }
  CHECK(wrong == 0);
}

TEST_CASE("is_finite sees every coordinate", "[core]") {
  double const bad[] = {std::nan(""), HUGE_VAL, -HUGE_VAL};
  CHECK(farpoint::is_finite(farpoint::vec<double>{{1, -2, 1e308}}));
  for (double const value : bad) {
    for (int axis = 0; axis < 3; ++axis) {
      farpoint::vec<double> point{{1, 2, 3}};
      point[axis] = value;
      CHECK_FALSE(farpoint::is_finite(point));
    }
  }
}

TEST_CASE("float16 widens exactly, for all 65,536 values", "[core]") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    auto const value = static_cast<float>(farpoint::float16{static_cast<std::uint16_t>(bits)});
    auto const exponent = static_cast<int>((bits >> 10) & 31u);
    auto const mantissa = static_cast<double>(bits & 1023u);
    double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    if (exponent == 31) magnitude = mantissa == 0 ? HUGE_VAL : std::nan("");
    double const expected = bits & 0x8000u ? -magnitude : magnitude;
    CAPTURE(bits);
    REQUIRE((std::isnan(expected) ? std::isnan(value) : static_cast<double>(value) == expected));
    REQUIRE(std::signbit(value) == ((bits & 0x8000u) != 0));
  }
}

TEST_CASE("point_view reads any record format", "[core]") {
  auto const cloud = make_cloud(shape::cube, 20, 3);
  for (int const stride : {12, 13, 18, 22, 32}) {
    for (std::size_t const shift : {0u, 1u, 2u, 4u}) {
      fps_problem<float> const problem{cloud, 1, {stride, {0, 4, 8}, shift, false}};
      auto const view = problem.clouds_at(problem.memory.data(), nullptr).points();
      CAPTURE(stride, shift);
      CHECK(view.aligned() == (stride % 4 == 0 && shift % 4 == 0));
      for (index_t i = 0; i < 20; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
          CHECK(static_cast<double>(view[i][axis]) ==
                cloud[static_cast<std::size_t>(i)][static_cast<std::size_t>(axis)]);
        }
      }
    }
  }
}

TEST_CASE("point_view with a stride of zero repeats one point", "[core]") {
  float const point[] = {1, 2, 3};
  farpoint::point_view<float> const view{point, 1000, 0};
  CHECK(view[999][2] == 3);
}

TEST_CASE("a batch clamps offsets that leave the view", "[core]") {
  std::vector<float> const xyz(30);
  farpoint::point_view<float> const view{xyz.data(), 10};
  std::vector<index_t> const offsets{-5, 4, 2, 99};
  auto const clouds = farpoint::batch<farpoint::point_view<float>>::ragged(view, offsets);
  CHECK(clouds.size() == 3);
  CHECK(clouds[0].size() == 4);
  CHECK(clouds[1].size() == 0);
  CHECK(clouds[2].size() == 8);
}

TEST_CASE("a batch finds the cloud of a point", "[core]") {
  std::vector<float> const memory(3 * 60);
  farpoint::point_view<float> const view{memory.data(), 60};
  for (index_t const clouds : {1, 4, 60}) {
    auto const regular = farpoint::batch<farpoint::point_view<float>>::regular(view, clouds);
    bool same = true;
    for (index_t i = 0; i < 60; ++i) {
      index_t const expected = i / (60 / clouds);
      same = same && regular.cloud_of(i) == expected && regular.cloud_of(static_cast<std::uint32_t>(i)) == expected;
    }
    CAPTURE(clouds);
    CHECK(same);
  }
  // Clouds of every size, empty ones too. Points before the first cloud count as its points, points behind the last as
  // the last's.
  random_source random{5};
  for (int round = 0; round < 200; ++round) {
    std::vector<index_t> offsets(static_cast<std::size_t>(2 + random.below(12)));
    for (auto& offset : offsets) offset = random.below(61);
    std::sort(offsets.begin(), offsets.end());
    auto const ragged = farpoint::batch<farpoint::point_view<float>>::ragged(view, offsets);
    CAPTURE(round);
    CHECK(farpoint::detail::count_bad_offsets(ragged) == 0);
    bool same = true;
    for (index_t i = 0; i < 60; ++i) {
      index_t expected = 0;
      for (index_t b = 0; b < ragged.size(); ++b) {
        if (offsets[static_cast<std::size_t>(b)] <= i) expected = b;
      }
      same = same && ragged.cloud_of(i) == expected && ragged.cloud_of(static_cast<std::uint32_t>(i)) == expected;
    }
    CHECK(same);
  }
}

TEST_CASE("offsets are wrong where they leave the view or are below those before them", "[core]") {
  auto const bad = [](std::vector<index_t> const& offsets, index_t size) {
    return farpoint::detail::count_bad_offsets(farpoint::span<index_t const>{offsets}, size);
  };
  CHECK(bad({}, 0) == 0);
  CHECK(bad({0}, 0) == 0);
  CHECK(bad({0, 0, 5, 5}, 5) == 0);
  CHECK(bad({3, 4}, 5) == 0);
  CHECK(bad({-1, 4}, 5) == 1);
  CHECK(bad({0, 6}, 5) == 1);
  CHECK(bad({0, 4, 3}, 5) == 1);
  CHECK(bad({5, 4, 3}, 5) == 2);
  CHECK(bad({INT64_MIN, INT64_MAX, 0}, 5) == 3);
  CHECK(bad({-3, -2, -1}, 5) == 3);
}

TEST_CASE("any_bad_offset() is true where an offset is wrong, be it the first or the last", "[core]") {
  auto const any = [](std::vector<index_t> const& offsets) { return farpoint::detail::any_bad_offset(offsets, 5); };
  CHECK_FALSE(any({}));
  CHECK_FALSE(any({0, 0, 5, 5}));
  CHECK_FALSE(any({3, 4}));
  CHECK(any({-1, 4, 5}));
  CHECK(any({0, 4, 6}));
  CHECK(any({0, 4, 3, 5}));
  CHECK(any({5, 4, 3}));
}

TEST_CASE("a batch without clouds has no wrong offset", "[core]") {
  std::vector<index_t> const one{-1};
  using batch = farpoint::batch<farpoint::point_view<float>>;
  CHECK(farpoint::detail::count_bad_offsets(batch::ragged({}, one)) == 0);
  CHECK(farpoint::detail::count_bad_offsets(batch::regular({}, 0)) == 0);
}

TEST_CASE("a batch whose points cannot all have an address is refused", "[core]") {
  constexpr farpoint::detail::batch_reasons reasons{"", "", "", "", ""};
  float const point[3] = {};
  auto const accepts = [&](index_t count, index_t stride) {
    return bool(
        farpoint::detail::check_batch(farpoint::batch{farpoint::point_view<float>{point, count, stride}}, reasons));
  };
  constexpr index_t lowest = std::numeric_limits<index_t>::min();
  constexpr index_t large = index_t{1} << 32;
  CHECK(accepts(0, lowest));
  CHECK(accepts(5, 0));
  CHECK(accepts(large, 12));
  CHECK(accepts(large, -12));
  CHECK_FALSE(accepts(1, lowest));
  CHECK_FALSE(accepts(large, large));
  CHECK_FALSE(accepts(large, -large));
  CHECK_FALSE(accepts(3, lowest));
}

TEST_CASE("index_span and index_view take both widths", "[core]") {
  std::vector<std::int32_t> narrow(2);
  std::vector<long long> wide(2);
  farpoint::index_span{narrow}.set(1, -7);
  farpoint::index_span{wide}.set(1, index_t{1} << 40);
  CHECK(farpoint::index_view{narrow}[1] == -7);
  CHECK(farpoint::index_view{wide}[1] == index_t{1} << 40);
}

TEST_CASE("atomic_increment: a number for each, from several threads", "[core]") {
  constexpr std::size_t each = 1000;
  constexpr int threads = 4;
  std::uint64_t next = 5;
  std::vector<std::uint64_t> numbers(threads * each);
  together(threads, [&](int thread) {
    for (std::size_t i = 0; i < each; ++i) {
      numbers[static_cast<std::size_t>(thread) * each + i] = farpoint::atomic_increment(&next);
    }
  });
  std::sort(numbers.begin(), numbers.end());
  bool is_each_once = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) is_each_once = is_each_once && numbers[i] == 5 + i;
  CHECK(is_each_once);
  CHECK(next == 5 + numbers.size());
}

TEST_CASE("every status has a name", "[core]") {
  CHECK(std::string{to_string(farpoint::status::ok)} == "ok");
  CHECK(std::string{to_string(farpoint::status::workspace_too_small)} == "workspace too small");
  CHECK(std::string{to_string(static_cast<farpoint::status>(99))} == "unknown status");
}

TEST_CASE("shapes of radix_sort() compare and print", "[core]") {
  using farpoint::radix_block_tuning;
  using farpoint::radix_sweep_tuning;
  CHECK(radix_block_tuning{512, 8} == radix_block_tuning{512, 8});
  CHECK(radix_block_tuning{512, 8} != radix_block_tuning{512, 4});
  CHECK(printed(radix_block_tuning{512, 8}) == "{512, 8}");
  CHECK(radix_sweep_tuning{1, 256, 8, 4, 4} != radix_sweep_tuning{1, 256, 8, 4, 4, true});
  CHECK(printed(radix_sweep_tuning{1, 256, 8, 4, 4, true}) == "{1, 256, 8, 4, 4, true}");
}
