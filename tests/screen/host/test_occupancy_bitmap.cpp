// The bitmap against a sorted list of cells, filled by several threads.
#include <farpoint/container/occupancy_bitmap.hpp>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"

using farpoint::index_t;
using farpoint::detail::cell_group;
using farpoint::detail::occupancy_bitmap;
using farpoint_tests::random_source;

namespace {

/// Each of four threads calls visit(cell) for all cells, beginning with a different one.
template <class Visit>
void by_threads(std::vector<std::uint32_t> const& cells, Visit const& visit) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < cells.size(); ++i) visit(cells[(i + t * cells.size() / 4) % cells.size()]);
    });
  }
  for (auto& thread : threads) thread.join();
}

/// Fills a bitmap in the kernels' steps, in memory that is not zero before, and checks the rank of every cell.
void check_bitmap(std::uint32_t all_cells, std::vector<std::uint32_t> const& cells, bool flat) {
  CAPTURE(all_cells, cells.size(), flat);
  auto sorted = cells;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());

  std::vector<std::uint64_t> top(static_cast<std::size_t>(occupancy_bitmap::top_words(all_cells)), 0);
  std::vector<std::uint32_t> top_ranks(top.size(), 77);
  auto size = static_cast<std::size_t>(occupancy_bitmap::all_groups(all_cells));
  if (!flat) size = std::min(size, cells.size());
  std::vector<cell_group> groups(size, cell_group{{5, 6, 7, 8}});
  std::vector<std::uint32_t> ranks(size + 1, 99);
  occupancy_bitmap bitmap{top.data(), top_ranks.data(), groups.data(), ranks.data()};
  if (flat) {
    bitmap.top = nullptr;
  } else {
    by_threads(cells, [&](std::uint32_t cell) {
      bitmap.mark_groups(cell >> occupancy_bitmap::top_bits,
                         occupancy_bitmap::bit_of(cell >> occupancy_bitmap::group_bits));
    });
    size = 0;
    for (std::size_t w = 0; w < top.size(); ++w) {
      top_ranks[w] = static_cast<std::uint32_t>(size);
      size += farpoint::detail::count_bits(top[w]);
    }
    REQUIRE(size <= groups.size());
  }
  for (std::size_t g = 0; g < size; ++g) groups[g] = {};
  std::atomic<std::size_t> added{0};
  by_threads(cells, [&](std::uint32_t cell) { added += bitmap.mark(cell) ? 1 : 0; });
  CHECK(added == sorted.size());
  std::uint32_t before = 0;
  for (std::size_t g = 0; g < size; ++g) {
    ranks[g] = before;
    before += groups[g].count();
  }
  ranks[size] = before;
  CHECK(before == sorted.size());

  auto const expected = [&](std::uint32_t cell) {
    return static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), cell) - sorted.begin());
  };
  bool same = true;
  for (std::uint32_t const cell : cells) same = same && bitmap.rank(cell) == expected(cell);
  // Any cell, up to the one past the last.
  random_source random{all_cells};
  for (int i = 0; i < 1000; ++i) {
    auto const cell = static_cast<std::uint32_t>(random.below(index_t{all_cells} + 1));
    same = same && bitmap.rank(cell) == expected(cell);
  }
  same = same && bitmap.rank(0) == 0 && bitmap.rank(all_cells) == sorted.size();
  CHECK(same);
}

}  // namespace

TEST_CASE("occupancy bitmap: ranks are those of a sorted list", "[bitmap]") {
  random_source random{1};
  for (std::uint32_t const all_cells :
       {1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 255u, 256u, 257u, 16383u, 16384u, 16385u, 100003u, 1u << 20, 3000001u}) {
    for (std::size_t const count : {1u, 2u, 40u, 5000u}) {
      std::vector<std::uint32_t> cells;
      for (std::size_t i = 0; i < count; ++i) cells.push_back(static_cast<std::uint32_t>(random.below(all_cells)));
      for (bool const flat : {true, false}) check_bitmap(all_cells, cells, flat);
    }
  }
}

TEST_CASE("occupancy bitmap: full groups, crowded cells, and the first and the last cell", "[bitmap]") {
  std::uint32_t const all_cells = 70001;
  std::vector<std::uint32_t> every;
  for (std::uint32_t cell = 0; cell < all_cells; ++cell) every.push_back(cell);
  for (bool const flat : {true, false}) {
    check_bitmap(all_cells, every, flat);
    check_bitmap(all_cells, std::vector<std::uint32_t>(3000, 0), flat);
    check_bitmap(all_cells, std::vector<std::uint32_t>(3000, all_cells - 1), flat);
    check_bitmap(all_cells, {0, all_cells - 1, 255, 256, 16383, 16384}, flat);
  }
}

TEST_CASE("occupancy bitmap: cells up to 2^32 - 2", "[bitmap]") {
  std::uint32_t const all_cells = 0xfffffffeu;
  check_bitmap(all_cells, {0, all_cells - 1, 0x80000000u, 0x7fffffffu, 0x80000001u, all_cells - 300}, false);
}
