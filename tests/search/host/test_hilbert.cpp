// Hilbert codes: the curve goes through all cells, from face to face.
#include <farpoint/geometry/hilbert.hpp>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"

using farpoint::hilbert_decode_2d;
using farpoint::hilbert_decode_3d;
using farpoint::hilbert_encode;
using farpoint_tests::random_source;

namespace {

template <class Code, int Dim>
Code steps_between(farpoint::vec<Code, Dim> const& a, farpoint::vec<Code, Dim> const& b) {
  Code steps = 0;
  for (int k = 0; k < Dim; ++k) steps += a[k] < b[k] ? b[k] - a[k] : a[k] - b[k];
  return steps;
}

template <class Code>
void check_all_cells(int bits) {
  Code const cells = Code{1} << (3 * bits);
  bool adjacent = true, undone = true;
  for (Code code = 0; code < cells; ++code) {
    auto const cell = hilbert_decode_3d(code, bits);
    undone = undone && hilbert_encode(cell[0], cell[1], cell[2], bits) == code;
    undone = undone && (cell[0] | cell[1] | cell[2]) >> bits == 0;
    if (code > 0) adjacent = adjacent && steps_between(cell, hilbert_decode_3d<Code>(code - 1, bits)) == 1;
  }
  CAPTURE(bits);
  CHECK(adjacent);
  CHECK(undone);
}

template <class Code>
void check_all_flat_cells(int bits) {
  Code const cells = Code{1} << (2 * bits);
  bool adjacent = true, undone = true;
  for (Code code = 0; code < cells; ++code) {
    auto const cell = hilbert_decode_2d(code, bits);
    undone = undone && hilbert_encode(cell[0], cell[1], bits) == code;
    undone = undone && (cell[0] | cell[1]) >> bits == 0;
    if (code > 0) adjacent = adjacent && steps_between(cell, hilbert_decode_2d<Code>(code - 1, bits)) == 1;
  }
  CAPTURE(bits);
  CHECK(adjacent);
  CHECK(undone);
}

}  // namespace

TEST_CASE("hilbert: in two dimensions consecutive codes are cells that share an edge, and each cell has one",
          "[hilbert]") {
  for (int bits = 1; bits <= 7; ++bits) {
    check_all_flat_cells<std::uint32_t>(bits);
    check_all_flat_cells<std::uint64_t>(bits);
  }
  random_source random{3};
  for (int i = 0; i < 20000; ++i) {
    auto const narrow = static_cast<std::uint32_t>(random.next());
    auto const wide = random.next();
    auto const a = hilbert_decode_2d(narrow, 16);
    auto const b = hilbert_decode_2d(wide, 32);
    REQUIRE(hilbert_encode(a[0], a[1], 16) == narrow);
    REQUIRE(hilbert_encode(b[0], b[1], 32) == wide);
    if (narrow > 0) REQUIRE(steps_between(a, hilbert_decode_2d(narrow - 1, 16)) == 1);
    if (wide > 0) REQUIRE(steps_between(b, hilbert_decode_2d(wide - 1, 32)) == 1);
  }
  static_assert(hilbert_encode(0u, 0u, 1) == 0 && hilbert_encode(0u, 1u, 1) == 1);
  static_assert(hilbert_encode(1u, 1u, 1) == 2 && hilbert_encode(1u, 0u, 1) == 3);
}

TEST_CASE("hilbert: consecutive codes are cells that share a face, and each cell has one", "[hilbert]") {
  for (int bits = 1; bits <= 5; ++bits) {
    check_all_cells<std::uint32_t>(bits);
    check_all_cells<std::uint64_t>(bits);
  }
}

TEST_CASE("hilbert: all bits of a code are used", "[hilbert]") {
  random_source random{1};
  for (int i = 0; i < 20000; ++i) {
    auto const narrow = static_cast<std::uint32_t>(random.next()) >> 2;
    auto const wide = random.next() >> 1;
    auto const a = hilbert_decode_3d(narrow, 10);
    auto const b = hilbert_decode_3d(wide, 21);
    REQUIRE(hilbert_encode(a[0], a[1], a[2], 10) == narrow);
    REQUIRE(hilbert_encode(b[0], b[1], b[2], 21) == wide);
    if (narrow > 0) REQUIRE(steps_between(a, hilbert_decode_3d(narrow - 1, 10)) == 1);
    if (wide > 0) REQUIRE(steps_between(b, hilbert_decode_3d(wide - 1, 21)) == 1);
  }
}

TEST_CASE("hilbert: the curve of eight cells", "[hilbert]") {
  static_assert(hilbert_encode(0u, 0u, 0u, 1) == 0);
  static_assert(hilbert_encode(0u, 0u, 1u, 1) == 1);
  static_assert(hilbert_encode(0u, 1u, 1u, 1) == 2);
  static_assert(hilbert_encode(0u, 1u, 0u, 1) == 3);
  static_assert(hilbert_encode(1u, 1u, 0u, 1) == 4);
  static_assert(hilbert_encode(1u, 0u, 0u, 1) == 7);
  CHECK(hilbert_encode(1u, 1u, 1u, 1) == 5);
  CHECK(hilbert_encode(1u, 0u, 1u, 1) == 6);
}

TEST_CASE("hilbert: the table gives the same codes", "[hilbert]") {
  using farpoint::hilbert_table;
  std::uint64_t rows[hilbert_table::ways];
  for (int way = 0; way < hilbert_table::ways; ++way) rows[way] = hilbert_table::row(way);
  hilbert_table const table{rows};
  random_source random{2};
  for (int bits = 1; bits <= 10; ++bits) {
    // All cells up to 5 bits, else 32,768 random cells.
    std::uint32_t const cells = 1u << (3 * bits);
    for (std::uint32_t i = 0; i < cells && i < 1u << 15; ++i) {
      std::uint32_t const code = bits <= 5 ? i : static_cast<std::uint32_t>(random.next()) % cells;
      auto const cell = hilbert_decode_3d(code, bits);
      REQUIRE(table.encode(cell[0], cell[1], cell[2], bits) == code);
    }
  }
  for (int bits = 11; bits <= 21; ++bits) {
    for (int i = 0; i < 2000; ++i) {
      std::uint64_t const code = random.next() >> (64 - 3 * bits);
      auto const cell = hilbert_decode_3d(code, bits);
      REQUIRE(table.encode(cell[0], cell[1], cell[2], bits) == code);
    }
  }
}
