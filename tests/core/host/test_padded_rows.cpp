#include <farpoint/host/for_each_index.hpp>
#include <farpoint/runtime/padded_rows.hpp>

#include <vector>

#include "../../support/catch.hpp"

namespace {

using farpoint::index_t;
using farpoint::library::padded_rows;

/// Zeros rows of bytes from `written` on, as a kernel does, and compares with what that means.
template <class Word>
void check(std::vector<index_t> const& widths, index_t rows, index_t written) {
  std::vector<std::vector<unsigned char>> outputs;
  padded_rows padded;
  padded.rows = rows;
  padded.written = &written;
  for (index_t const width : widths) {
    outputs.emplace_back(static_cast<std::size_t>(width * rows), static_cast<unsigned char>(0xab));
    padded.add(outputs.back().data(), width);
  }
  farpoint::detail::zero_rows_past_written<Word> const body{padded};
  REQUIRE(for_each_index(farpoint::host_exec{2}, body.words(), body));
  for (std::size_t part = 0; part < widths.size(); ++part) {
    for (index_t i = 0; i < widths[part] * rows; ++i) {
      int const expected = i < widths[part] * written ? 0xab : 0;
      REQUIRE(static_cast<int>(outputs[part][static_cast<std::size_t>(i)]) == expected);
    }
  }
}

}  // namespace

TEST_CASE("rows past the voxels are zeros, and the others stay", "[voxelize]") {
  for (index_t const written : {0, 1, 6, 7, 9}) {
    check<std::uint32_t>({12, 4, 64, 16}, 7, written);
    check<std::uint32_t>({8}, 7, written);
    check<std::uint32_t>({}, 7, written);
    check<std::uint16_t>({16, 4, 30, 6}, 7, written);
    check<std::uint16_t>({2, 12}, 7, written);
  }
  check<std::uint32_t>({12, 4}, 0, 0);
}
