// geometry/morton: codes as tables of binary literals, round trips, and what the order promises.
#include <farpoint/geometry/morton.hpp>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"

using farpoint::morton_bits;
using farpoint::morton_decode_2d;
using farpoint::morton_decode_3d;
using farpoint::morton_encode;
using farpoint_tests::random_source;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// x, y, and the code in groups of (y x).
constexpr u32 codes_2d[][3] = {
    {0b0000, 0b0000, 0b00'00'00'00}, {0b0001, 0b0000, 0b00'00'00'01}, {0b0000, 0b0001, 0b00'00'00'10},
    {0b0010, 0b0000, 0b00'00'01'00}, {0b0000, 0b0010, 0b00'00'10'00}, {0b0011, 0b0011, 0b00'00'11'11},
    {0b1000, 0b0000, 0b01'00'00'00}, {0b0000, 0b1000, 0b10'00'00'00}, {0b1111, 0b0000, 0b01'01'01'01},
    {0b0000, 0b1111, 0b10'10'10'10}, {0b1010, 0b1100, 0b11'10'01'00}, {0b0110, 0b1001, 0b10'01'01'10},
    {0b1111, 0b1111, 0b11'11'11'11},
};

/// x, y, z, and the code in groups of (z y x).
constexpr u32 codes_3d[][4] = {
    {0b000, 0b000, 0b000, 0b000'000'000}, {0b001, 0b000, 0b000, 0b000'000'001}, {0b000, 0b001, 0b000, 0b000'000'010},
    {0b000, 0b000, 0b001, 0b000'000'100}, {0b010, 0b000, 0b000, 0b000'001'000}, {0b000, 0b010, 0b000, 0b000'010'000},
    {0b000, 0b000, 0b010, 0b000'100'000}, {0b100, 0b000, 0b000, 0b001'000'000}, {0b111, 0b000, 0b000, 0b001'001'001},
    {0b000, 0b111, 0b000, 0b010'010'010}, {0b000, 0b000, 0b111, 0b100'100'100}, {0b101, 0b011, 0b110, 0b101'110'011},
    {0b111, 0b111, 0b111, 0b111'111'111},
};

template <class Code>
constexpr bool table_2d_holds() {
  for (auto const& row : codes_2d) {
    Code const code = row[2];
    if (morton_encode<Code>(row[0], row[1]) != code) return false;
    auto const cell = morton_decode_2d(code);
    if (cell[0] != row[0] || cell[1] != row[1]) return false;
  }
  return true;
}

template <class Code>
constexpr bool table_3d_holds() {
  for (auto const& row : codes_3d) {
    Code const code = row[3];
    if (morton_encode<Code>(row[0], row[1], row[2]) != code) return false;
    auto const cell = morton_decode_3d(code);
    if (cell[0] != row[0] || cell[1] != row[1] || cell[2] != row[2]) return false;
  }
  return true;
}

// At compile time too.
static_assert(table_2d_holds<u32>() && table_2d_holds<u64>());
static_assert(table_3d_holds<u32>() && table_3d_holds<u64>());
static_assert(morton_bits<u32, 2> == 16 && morton_bits<u32, 3> == 10);
static_assert(morton_bits<u64, 2> == 32 && morton_bits<u64, 3> == 21);

/// The definition: bit b of axis a becomes bit dim * b + a.
template <class Code>
Code one_bit_at_a_time(Code const* cell, int dim) {
  int const bits = static_cast<int>(8 * sizeof(Code)) / dim;
  Code code = 0;
  for (int bit = 0; bit < bits; ++bit) {
    for (int axis = 0; axis < dim; ++axis) code |= (cell[axis] >> bit & 1u) << (dim * bit + axis);
  }
  return code;
}

template <class Code>
void check_random_cells() {
  random_source random{7};
  for (int round = 0; round < 20000; ++round) {
    // Coordinates of every length in bits, so that each bit is the highest one now and then.
    Code cell[3];
    for (auto& c : cell) c = static_cast<Code>(random.next()) >> random.below(8 * sizeof(Code));
    CAPTURE(round, cell[0], cell[1], cell[2]);

    Code const flat = morton_encode(cell[0], cell[1]);
    Code const solid = morton_encode(cell[0], cell[1], cell[2]);
    REQUIRE(flat == one_bit_at_a_time(cell, 2));
    REQUIRE(solid == one_bit_at_a_time(cell, 3));

    constexpr auto mask = [](int bits) { return static_cast<Code>((Code(1) << bits) - 1); };
    for (int axis = 0; axis < 2; ++axis)
      REQUIRE(morton_decode_2d(flat)[axis] == (cell[axis] & mask(morton_bits<Code, 2>)));
    for (int axis = 0; axis < 3; ++axis)
      REQUIRE(morton_decode_3d(solid)[axis] == (cell[axis] & mask(morton_bits<Code, 3>)));

    // Every code that can be is the code of its cell.
    auto const any = static_cast<Code>(random.next());
    auto const cell_2d = morton_decode_2d(any);
    REQUIRE(morton_encode(cell_2d[0], cell_2d[1]) == any);
    Code const any_3d = any & mask(3 * morton_bits<Code, 3>);
    auto const cell_3d = morton_decode_3d(any);
    REQUIRE(morton_encode(cell_3d[0], cell_3d[1], cell_3d[2]) == any_3d);
  }
}

}  // namespace

TEST_CASE("Morton codes equal their tables", "[spatial][morton]") {
  CHECK(table_2d_holds<u32>());
  CHECK(table_2d_holds<u64>());
  CHECK(table_3d_holds<u32>());
  CHECK(table_3d_holds<u64>());
}

TEST_CASE("the largest Morton codes", "[spatial][morton]") {
  CHECK(morton_encode<u32>(0xffffu, 0xffffu) == 0xffffffffu);
  CHECK(morton_encode<u32>(0x3ffu, 0x3ffu, 0x3ffu) == 0x3fffffffu);
  CHECK(morton_encode<u64>(0xffffffffu, 0xffffffffu) == ~u64{0});
  CHECK(morton_encode<u64>(0x1fffffu, 0x1fffffu, 0x1fffffu) == ~u64{0} >> 1);
  CHECK(morton_encode<u32>(1u << 15, 0u) == 1u << 30);
  CHECK(morton_encode<u32>(0u, 1u << 15) == 1u << 31);
  CHECK(morton_encode<u32>(0u, 0u, 1u << 9) == 1u << 29);
  CHECK(morton_encode<u64>(u64{0}, u64{1} << 31) == u64{1} << 63);
  CHECK(morton_encode<u64>(u64{0}, u64{0}, u64{1} << 20) == u64{1} << 62);
}

TEST_CASE("bits that a Morton code has no room for are ignored", "[spatial][morton]") {
  CHECK(morton_encode<u32>(1u << 16, 1u << 31) == 0);
  CHECK(morton_encode<u32>(1u << 10, 1u << 20, 1u << 31) == 0);
  CHECK(morton_encode<u64>(u64{1} << 32, u64{1} << 63) == 0);
  CHECK(morton_encode<u64>(u64{1} << 21, u64{1} << 42, u64{1} << 63) == 0);
}

TEST_CASE("Morton codes equal their definition, and decode to their cells", "[spatial][morton]") {
  check_random_cells<u32>();
  check_random_cells<u64>();
}

TEST_CASE("Morton order: a larger cell never comes first", "[spatial][morton]") {
  // Where no coordinate shrinks the code does not either: a box's corners bound the codes of all cells in it.
  random_source random{8};
  for (int round = 0; round < 20000; ++round) {
    auto const draw = [&random](std::int64_t bound) { return static_cast<u32>(random.below(bound)); };
    u32 const low[] = {draw(1024), draw(1024), draw(1024)};
    u32 const high[] = {low[0] + draw(1024 - low[0]), low[1] + draw(1024 - low[1]), low[2] + draw(1024 - low[2])};
    REQUIRE(morton_encode(low[0], low[1]) <= morton_encode(high[0], high[1]));
    REQUIRE(morton_encode(low[0], low[1], low[2]) <= morton_encode(high[0], high[1], high[2]));
  }
}

TEST_CASE("Morton order: the cells of an aligned cube follow one another", "[spatial][morton]") {
  for (u32 const side : {1u, 2u, 8u}) {
    for (u32 const corner : {0u, 8u, 1016u}) {
      u32 const first = morton_encode(corner, corner / 2 / side * side, corner);
      std::vector<bool> seen(side * side * side);
      for (u32 x = 0; x < side; ++x) {
        for (u32 y = 0; y < side; ++y) {
          for (u32 z = 0; z < side; ++z) {
            u32 const rank = morton_encode(corner + x, corner / 2 / side * side + y, corner + z) - first;
            REQUIRE(rank < seen.size());
            CHECK_FALSE(seen[rank]);
            seen[rank] = true;
          }
        }
      }
    }
  }
}
