// host_radix_sort() against std::stable_sort, and curve_sort against the same order made cell by cell.
#include <farpoint/core/points.hpp>
#include <farpoint/host/curve_sort.hpp>
#include <farpoint/host/radix_sort.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"
#include "../../support/test_scale.hpp"

using namespace farpoint_tests;
using farpoint::host_radix_sort;
using farpoint::index_t;
using farpoint::key_value_arrays;
using farpoint::point_view;

namespace {

/// Sorts random keys by their lowest `bits`; equal keys must stay in order, and what is around the arrays untouched.
template <int DigitBits, class Key>
void check_radix_sort(std::size_t count, int bits, Key mask, std::uint64_t seed) {
  CAPTURE(DigitBits, sizeof(Key), count, bits, static_cast<std::uint64_t>(mask), seed);
  random_source random{seed};
  constexpr std::size_t guard = 3;
  std::vector<Key> keys[2];
  std::vector<std::uint32_t> values[2];
  for (auto& each : keys) each.assign(count + 2 * guard, Key{77});
  for (auto& each : values) each.assign(count + 2 * guard, 88);
  struct pair {
    Key key;
    std::uint32_t value;
  };
  std::vector<pair> expected;
  for (std::size_t i = 0; i < count; ++i) {
    auto const key = static_cast<Key>(random.next() & mask);
    keys[0][guard + i] = key;
    values[0][guard + i] = static_cast<std::uint32_t>(i);
    expected.push_back({key, static_cast<std::uint32_t>(i)});
  }
  auto const low_bits = [bits](Key key) {
    return bits == 8 * int{sizeof(Key)} ? std::uint64_t{key} : std::uint64_t{key} & ((std::uint64_t{1} << bits) - 1);
  };
  std::stable_sort(expected.begin(), expected.end(),
                   [&](pair const& a, pair const& b) { return low_bits(a.key) < low_bits(b.key); });

  using arrays = key_value_arrays<Key, std::uint32_t>;
  arrays const from{keys[0].data() + guard, values[0].data() + guard};
  arrays const to{keys[1].data() + guard, values[1].data() + guard};
  arrays const sorted = host_radix_sort<DigitBits>(from, to, static_cast<index_t>(count), bits);
  REQUIRE((sorted.keys == from.keys || sorted.keys == to.keys));
  REQUIRE(sorted.values == (sorted.keys == from.keys ? from.values : to.values));
  bool same = true;
  for (std::size_t i = 0; i < count; ++i) {
    same = same && sorted.keys[i] == expected[i].key && sorted.values[i] == expected[i].value;
  }
  CHECK(same);
  bool guarded = true;
  for (std::size_t i = 0; i < guard; ++i) {
    for (auto const& each : keys) guarded = guarded && each[i] == 77 && each[guard + count + i] == 77;
    for (auto const& each : values) guarded = guarded && each[i] == 88 && each[guard + count + i] == 88;
  }
  CHECK(guarded);
}

template <int DigitBits, class Key>
void check_radix_sorts() {
  constexpr int all_bits = 8 * int{sizeof(Key)};
  auto const all = static_cast<Key>(~Key{0});
  for (std::size_t count = 0; count <= 70; ++count) check_radix_sort<DigitBits, Key>(count, all_bits, all, count);
  for (int bits = 0; bits <= all_bits; ++bits)
    check_radix_sort<DigitBits, Key>(300, bits, all, 1000u + static_cast<unsigned>(bits));
  check_radix_sort<DigitBits, Key>(500, all_bits, Key{0}, 1);                                      // equal keys
  check_radix_sort<DigitBits, Key>(500, all_bits, Key{3}, 2);                                      // many duplicates
  check_radix_sort<DigitBits, Key>(500, all_bits, static_cast<Key>(Key{1} << (all_bits - 1)), 3);  // the top bit alone
  check_radix_sort<DigitBits, Key>(20000, all_bits, all, 4);
}

using cloud = std::vector<std::array<float, 3>>;

/// The order that curve_sort promises, made by std::stable_sort.
template <class Sorter, class Points>
void sort_by_cells(Points const& points, std::vector<std::uint32_t>& order, std::size_t begin, std::size_t end,
                   std::size_t enough, int levels) {
  if (levels == 0 || end - begin <= enough) return;
  auto box = Sorter::box_type::empty();
  for (std::size_t i = begin; i < end; ++i) box.grow(points[order[i]]);
  auto const grid = Sorter::grid_over(box);
  if (!grid.has_extent()) return;
  auto const code_of = [&](std::uint32_t index) { return Sorter::code_of(grid, points[index]); };
  std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end),
                   [&](std::uint32_t a, std::uint32_t b) { return code_of(a) < code_of(b); });
  // Borders of the cells of the first level, before a crowded cell is sorted again.
  std::vector<std::size_t> cuts{begin};
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (code_of(order[i]) != code_of(order[i - 1])) cuts.push_back(i);
  }
  cuts.push_back(end);
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
    sort_by_cells<Sorter>(points, order, cuts[c], cuts[c + 1], enough, levels - 1);
  }
}

template <class Curve, int Dim>
void check_curve_sort(std::vector<std::array<float, Dim>> const& memory, index_t enough) {
  using points_type = point_view<float, Dim>;
  using sorter = farpoint::detail::curve_sort<points_type, Curve>;
  auto const count = static_cast<index_t>(memory.size());
  CAPTURE(Dim, count, enough);
  points_type const points{memory.data(), count};
  std::vector<std::uint32_t> expected(memory.size());
  std::iota(expected.begin(), expected.end(), 0u);
  auto order = expected;
  auto in_steps = expected;
  sort_by_cells<sorter>(points, expected, 0, expected.size(), static_cast<std::size_t>(enough), 4);

  std::vector<std::uint32_t> scratch(static_cast<std::size_t>(sorter::scratch_words * count), 99);
  sorter{points, order.data(), scratch.data(), count, enough}.sort(0, count);
  CHECK(order == expected);

  // Sorts again, in the three steps that a thread team shares: codes, scatter by the highest digit, sort of each
  // bucket.
  if (count <= enough) return;
  auto box = sorter::box_type::empty();
  for (index_t i = 0; i < count; ++i) box.grow(points[i]);
  auto const grid = sorter::grid_over(box);
  if (!grid.has_extent()) return;
  sorter team{points, in_steps.data(), scratch.data(), count, enough};
  std::vector<index_t> places(sorter::digit_values + 1, 0);
  for (index_t i = 0; i < count; ++i) {
    std::uint32_t const code = sorter::code_of(grid, points[i]);
    team.set_code(i, static_cast<std::uint32_t>(i), code);
    ++places[sorter::highest_digit(code) + 1];
  }
  std::partial_sum(places.begin(), places.end(), places.begin());
  auto next = places;
  for (index_t i = 0; i < count; ++i) team.scatter(i, next[team.highest_digit_at(i)]++);
  for (std::size_t digit = 0; digit < sorter::digit_values; ++digit) team.sort_bucket(places[digit], places[digit + 1]);
  CHECK(in_steps == expected);
}

template <int Dim>
std::vector<std::array<float, Dim>> random_cloud(std::size_t count, int shape, std::uint64_t seed) {
  random_source random{seed};
  std::vector<std::array<float, Dim>> points(count);
  for (auto& point : points) {
    for (auto& c : point) {
      c = random.uniform() * 100 - 50;
      if (shape == 1) c = static_cast<float>(random.below(4));  // crowded cells
      if (shape == 2) c = 1e-3f * random.uniform();             // and one stray point, below
      if (shape == 3) c = (random.below(2) == 0 ? 1 : -1) * std::numeric_limits<float>::max();
    }
  }
  if (shape == 2 && count > 0) points[count / 2].fill(1e6f);
  return points;
}

template <class Curve, int Dim>
void check_curve_sorts() {
  for (int shape = 0; shape < 4; ++shape) {
    for (std::size_t count = 0; count <= 60; ++count) {
      check_curve_sort<Curve, Dim>(random_cloud<Dim>(count, shape, count), 1);
    }
    for (std::size_t const count : {100u, 1000u, 5000u}) {
      for (index_t const enough : {0, 1, 8, 64}) {
        if (for_memory && count == 5000 && enough != 8) continue;
        check_curve_sort<Curve, Dim>(random_cloud<Dim>(count, shape, count + 7), enough);
      }
    }
  }
}

}  // namespace

TEST_CASE("host_radix_sort: every size, number of bits and kind of key", "[sort]") {
  check_radix_sorts<11, std::uint64_t>();
  check_radix_sorts<11, std::uint32_t>();
  check_radix_sorts<10, std::uint32_t>();
  check_radix_sorts<8, std::uint16_t>();
  check_radix_sorts<3, std::uint8_t>();
  check_radix_sorts<16, std::uint64_t>();
}

TEST_CASE("curve_sort: the order of cells, crowded cells by cells of their own", "[sort]") {
  check_curve_sorts<farpoint::hilbert_curve, 3>();
  check_curve_sorts<farpoint::morton_curve, 3>();
  check_curve_sorts<farpoint::morton_curve, 2>();
  check_curve_sorts<farpoint::hilbert_curve, 1>();
  check_curve_sorts<farpoint::hilbert_curve, 5>();
}
