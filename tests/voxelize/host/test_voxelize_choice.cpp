// Choice of voxelize()'s kernels on a GPU, and the layout of its workspace: values, so that no GPU is needed.
#include <farpoint/detail/voxelize/choose.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"

using farpoint::index_t;
using farpoint::voxel_order;
using farpoint::voxelize_algorithm;
using farpoint::voxelize_numbering;
using farpoint::voxelize_selector;
namespace detail = farpoint::detail;
using detail::voxel_finder;
using detail::voxel_none;
using detail::voxelize_choice;
using detail::voxelize_request;

namespace {

constexpr std::uint64_t detector_cells = 1440 * 1440 * 40;
constexpr index_t in_flight = 256;

/// One cloud of a million points and 1,000 voxels, in a detector's grid. One block inserts.
voxelize_request million() {
  voxelize_request request;
  request.points = 1'000'000;
  request.cells = detector_cells;
  request.capacity = 1000;
  request.mode = farpoint::hard{1000, 10};
  request.multiprocessors = 132;
  return request;
}

template <class Change>
voxelize_request million_with(Change const& change) {
  voxelize_request request = million();
  change(request);
  return request;
}

template <class Selector = voxelize_selector>
voxelize_choice choice_of(voxelize_request const& request) {
  return detail::choose<Selector>(request);
}

template <class Change>
voxelize_choice choice_with(Change const& change) {
  return choice_of(million_with(change));
}

void in_grid_order(voxelize_request& request) {
  request.order = voxel_order::grid;
}
void with_report(voxelize_request& request) {
  request.has_report = true;
}

struct prefers_table : voxelize_selector {
  static constexpr voxelize_numbering number(farpoint::voxelize_case const&) noexcept {
    return voxelize_numbering::table;
  }
};
struct prefers_bitmap : voxelize_selector {
  static constexpr voxelize_numbering number(farpoint::voxelize_case const&) noexcept {
    return voxelize_numbering::bitmap;
  }
};
struct prefers_sort : voxelize_selector {
  static constexpr voxelize_algorithm choose(farpoint::voxelize_case const&) noexcept {
    return voxelize_algorithm::sort;
  }
};
struct without_flat : voxelize_selector {
  static constexpr index_t max_flat_groups = 0;
};

}  // namespace

TEST_CASE("voxelize, choice: the default is a table that ends early, and select", "[voxelize][host]") {
  voxelize_choice const choice = choice_of(million());
  CHECK(choice.finder == voxel_finder::table);
  CHECK(choice.algorithm == voxelize_algorithm::select);
  CHECK(choice.block_size == 256);
  CHECK(choice.row_limit == 1000);
  CHECK(choice.key_limit == 1000);
  CHECK(choice.table_voxels == 1000 + in_flight);
  CHECK(choice.numbered_voxels == choice.table_voxels);
  CHECK(choice == choice_of(million()));
}

TEST_CASE("voxelize, choice: an insertion ends early only if the first voxels are the rows", "[voxelize][host]") {
  auto const inserts_all = [](voxelize_choice const& choice, voxelize_request const& request) {
    bool const all = choice.key_limit == voxel_none;
    CHECK(index_t{choice.table_voxels} == (all ? request.points : index_t{choice.row_limit} + in_flight));
    return all;
  };
  SECTION("points in flight and rows are fewer than the points") {
    for (index_t const points : {1255, 1256, 1257}) {
      auto const request = million_with([&](auto& r) { r.points = points; });
      CHECK(inserts_all(choice_of(request), request) == (points <= 1256));
    }
  }
  SECTION("no limit") {
    auto const request = million_with([](auto& r) {
      r.mode = farpoint::dynamic{};
      r.capacity = r.points;
    });
    CHECK(inserts_all(choice_of(request), request));
    CHECK(choice_of(request).row_limit == 1'000'000);
  }
  SECTION("a capacity limits dynamic voxels, too") {
    auto const request = million_with([](auto& r) { r.mode.max_voxels = farpoint::voxel_mode::unlimited; });
    CHECK(!inserts_all(choice_of(request), request));
  }
  SECTION("several clouds have limits of their own") {
    auto request = million_with([](auto& r) {
      r.clouds = 4;
      r.capacity = 1000;
    });
    CHECK(!inserts_all(choice_of(request), request));
    request.mode.max_voxels = 999;
    CHECK(inserts_all(choice_of(request), request));
  }
  SECTION("grid order without a bitmap") {
    auto const request = million_with(in_grid_order);
    CHECK(inserts_all(choice_of<prefers_table>(request), request));
  }
  SECTION("a report without a bitmap") {
    auto const request = million_with(with_report);
    CHECK(inserts_all(choice_of<prefers_table>(request), request));
  }
}

TEST_CASE("voxelize, choice: rows are limited by the capacity, by max_voxels and by the points", "[voxelize][host]") {
  auto const rows = [](index_t points, index_t clouds, index_t max_voxels, index_t capacity) {
    return choice_with([&](auto& r) {
             r.points = points;
             r.clouds = clouds;
             r.mode.max_voxels = max_voxels;
             r.capacity = capacity;
           })
        .row_limit;
  };
  CHECK(rows(1000, 1, 10, 20) == 10);
  CHECK(rows(1000, 1, 20, 10) == 10);
  CHECK(rows(1000, 3, 10, 100) == 30);
  CHECK(rows(1000, 3, 400, 5000) == 1000);
  CHECK(rows(7, 1, 100, 100) == 7);
  CHECK(rows(7, 5, farpoint::voxel_mode::unlimited, 100) == 7);
  CHECK(rows(7, 1, 0, 100) == 0);
  CHECK(rows(7, 1, 100, 0) == 0);
}

TEST_CASE("voxelize, choice: grid order by a bitmap", "[voxelize][host]") {
  SECTION("flat, and with one cloud only voxels with rows have numbers") {
    voxelize_choice const choice = choice_with(in_grid_order);
    CHECK(choice.finder == voxel_finder::flat_bitmap);
    CHECK(choice.algorithm == voxelize_algorithm::select);
    CHECK(choice.numbered_voxels == 1000);
    CHECK(choice.table_voxels == 0);
    CHECK(choice.key_limit == voxel_none);
  }
  SECTION("a report changes nothing") {
    auto const request = million_with(in_grid_order);
    auto reported = request;
    with_report(reported);
    CHECK(choice_of(request) == choice_of(reported));
  }
  SECTION("several clouds number all voxels") {
    CHECK(choice_with([](auto& r) {
            in_grid_order(r);
            r.clouds = 4;
          }).numbered_voxels == 1'000'000);
  }
  SECTION("deep if the grid has many groups of cells for the points") {
    index_t const groups = farpoint::detail::occupancy_bitmap::all_groups(detector_cells);
    for (index_t const points : {groups * 4 / 5 - 1, groups * 4 / 5 + 1}) {
      auto const choice = choice_with([&](auto& r) {
        in_grid_order(r);
        r.points = points;
      });
      CHECK(choice.finder == (points * 5 / 4 < groups ? voxel_finder::deep_bitmap : voxel_finder::flat_bitmap));
    }
  }
  SECTION("deep if a flat bitmap is larger than the selector allows") {
    CHECK(choice_of<without_flat>(million_with(in_grid_order)).finder == voxel_finder::deep_bitmap);
    auto const of_groups = [](std::uint64_t groups) {
      return choice_with([&](auto& r) {
               in_grid_order(r);
               r.points = 10'000'000;
               r.cells = 256 * groups - 1;
             })
          .finder;
    };
    CHECK(of_groups(1 << 20) == voxel_finder::flat_bitmap);
    CHECK(of_groups((1 << 20) + 1) == voxel_finder::deep_bitmap);
  }
  SECTION("keys of 64 bits have a table and a sort") {
    for (std::uint64_t const cells : {0xfffffffeull, 0xffffffffull}) {
      auto const request = million_with([&](auto& r) {
        in_grid_order(r);
        r.cells = cells;
      });
      bool const wide = cells == 0xffffffff;
      CHECK(request.has_wide_keys() == wide);
      CHECK(choice_of(request).finder == (wide ? voxel_finder::table : voxel_finder::deep_bitmap));
      CHECK(choice_of(request).algorithm == (wide ? voxelize_algorithm::sort : voxelize_algorithm::select));
    }
    auto const clouds = million_with([](auto& r) {
      r.cells = 0x10000;
      r.clouds = 0x10000;
    });
    CHECK(clouds.has_wide_keys());
    CHECK(clouds.key_bits() == 32);
  }
  SECTION("a table where the bitmap's upper level exceeds the bound on memory") {
    auto const request = million_with([](auto& r) {
      in_grid_order(r);
      r.points = 1000;
      r.cells = 0xfffffffe;
    });
    voxelize_choice const choice = choice_of<prefers_bitmap>(request);
    CHECK(choice.finder == voxel_finder::table);
    CHECK(choice.algorithm == voxelize_algorithm::sort);
  }
  SECTION("a selector that prefers tables") {
    CHECK(choice_of<prefers_table>(million_with(in_grid_order)).finder == voxel_finder::table);
    CHECK(choice_of<prefers_table>(million_with(in_grid_order)).algorithm == voxelize_algorithm::sort);
  }
}

TEST_CASE("voxelize, choice: a bitmap counts dropped voxels for a report", "[voxelize][host]") {
  voxelize_choice const choice = choice_with(with_report);
  CHECK(choice.finder == voxel_finder::counting_table);
  CHECK(choice.key_limit == 1000);
  CHECK(choice.table_voxels == 1000 + in_flight);
  SECTION("from 2.5 points per voxel of the table on") {
    for (index_t const points : {3139, 3140}) {
      auto const few = million_with([&](auto& r) {
        with_report(r);
        r.points = points;
        r.cells = 10000;
      });
      CHECK(choice_of(few).finder == (points < 3140 ? voxel_finder::table : voxel_finder::counting_table));
      CHECK(choice_of<prefers_bitmap>(few).finder == voxel_finder::counting_table);
      CHECK(choice_of<prefers_table>(few).finder == voxel_finder::table);
    }
  }
  SECTION("not for several clouds, nor with keys of 64 bits") {
    CHECK(choice_with([](auto& r) {
            with_report(r);
            r.clouds = 2;
          }).finder == voxel_finder::table);
    CHECK(choice_with([](auto& r) {
            with_report(r);
            r.cells = 0xffffffff;
          }).finder == voxel_finder::table);
  }
  SECTION("only if it is flat, and fits the bound on memory") {
    CHECK(choice_of<without_flat>(million_with(with_report)).finder == voxel_finder::table);
    CHECK(choice_with([](auto& r) {
            with_report(r);
            r.points = 10'000;
          }).finder == voxel_finder::table);
  }
}

TEST_CASE("voxelize, choice: select for up to 32 points without lists", "[voxelize][host]") {
  auto const algorithm = [](index_t max_points, bool has_lists) {
    return choice_with([&](auto& r) {
             r.mode.max_points = max_points;
             r.has_lists = has_lists;
           })
        .algorithm;
  };
  CHECK(algorithm(1, false) == voxelize_algorithm::select);
  CHECK(algorithm(32, false) == voxelize_algorithm::select);
  CHECK(algorithm(33, false) == voxelize_algorithm::sort);
  CHECK(algorithm(1, true) == voxelize_algorithm::sort);
  CHECK(choice_of<prefers_sort>(million()).algorithm == voxelize_algorithm::sort);
  auto const sorted_bitmap = million_with([](auto& r) {
    in_grid_order(r);
    r.has_lists = true;
  });
  CHECK(choice_of(sorted_bitmap).finder == voxel_finder::flat_bitmap);
  CHECK(choice_of(sorted_bitmap).algorithm == voxelize_algorithm::sort);
}

TEST_CASE("voxelize, layout: tagged words", "[voxelize][host]") {
  using label = detail::tagged_word<detail::voxel_label>;
  constexpr label point = label::of(detail::voxel_label::first_point, 77);
  constexpr label number = label::of(detail::voxel_label::number, 77);
  static_assert(point.bits == 77 && number.bits == 0x8000004d);
  CHECK(point.tag() == detail::voxel_label::first_point);
  CHECK(number.tag() == detail::voxel_label::number);
  CHECK(point.value() == 77);
  CHECK(number.value() == 77);
  using member_end = detail::tagged_word<detail::voxel_end>;
  // A call has at most 2^30 points.
  member_end const dropped{member_end::of(detail::voxel_end::dropped, 0).bits + (1u << 30)};
  member_end const open{member_end::of(detail::voxel_end::open, 0).bits + (1u << 30)};
  CHECK(dropped.tag() == detail::voxel_end::dropped);
  CHECK(open.tag() == detail::voxel_end::open);
  CHECK(open.value() == 1u << 30);
}

TEST_CASE("voxelize, layout: counters of neighbors lie apart, each at a position of its own", "[voxelize][host]") {
  constexpr std::uint32_t size = 3 * 8192;
  std::vector<bool> taken(size, false);
  for (std::uint32_t voxel = 0; voxel < size; ++voxel) {
    std::uint32_t const at = detail::counter_of(voxel);
    REQUIRE(at < size);
    REQUIRE(!taken[at]);
    taken[at] = true;
    CHECK(at / 8192 == voxel / 8192);
    CHECK(at % 8 == voxel % 8);
    if (voxel % 256 < 248) CHECK(detail::counter_of(voxel + 8) - at == 256);
  }
  CHECK(detail::counters_for(1) == 8192);
  CHECK(detail::counters_for(8192) == 8192);
  CHECK(detail::counters_for(8193) == 16384);
  CHECK(detail::counters_for(0, 0) == 0);
  CHECK(detail::counters_for(5, 0) == 8);
  for (std::uint32_t const voxel : {0u, 7u, 248u, 8191u, 8193u}) CHECK(detail::counter_of(voxel, 0) == voxel);
}

TEST_CASE("voxelize, layout: few voxels in the order of the grid have a bitmap within the bound", "[voxelize][host]") {
  for (index_t const points : {1, 10, 1000, 3000, 8191, 8192, 30'000}) {
    voxelize_request request = million_with(in_grid_order);
    request.points = points;
    request.capacity = points;
    CAPTURE(points);
    CHECK(choice_of(request).finder == voxel_finder::deep_bitmap);
  }
}

namespace {

/// Memory of an array.
using extent = std::pair<std::uintptr_t, std::uintptr_t>;

template <class T>
void add(std::vector<extent>& all, T* array, index_t size) {
  if (array == nullptr || size == 0) return;
  auto const begin = reinterpret_cast<std::uintptr_t>(array);
  all.emplace_back(begin, begin + static_cast<std::size_t>(size) * sizeof(T));
}

/// True if no two arrays share memory, and all are within `[begin, end)`.
bool are_apart(std::vector<extent> all, std::uintptr_t begin, std::uintptr_t end) {
  std::sort(all.begin(), all.end());
  std::uintptr_t last = begin;
  for (auto const& [from, to] : all) {
    if (from < last) return false;
    last = to;
  }
  return last <= end;
}

/// Checks that the arrays of each phase are apart.
void check_layout(voxelize_request const& request, voxelize_choice const& choice) {
  // No memory is accessed.
  constexpr std::uintptr_t begin = 1 << 20;
  auto const all = detail::lay_out(request, choice, reinterpret_cast<unsigned char*>(begin));
  CHECK(all.bytes == detail::lay_out(request, choice, nullptr).bytes);
  std::uintptr_t const end = begin + all.bytes;
  index_t const points = request.points;
  index_t const numbered = choice.numbered_voxels;
  bool const is_deep = choice.finder == voxel_finder::deep_bitmap;
  index_t const groups = choice.finder == voxel_finder::table ? 0 : choice.bitmap_groups(request);
  index_t const drawn = request.kept_points == farpoint::voxel_points::random_subset ? points / 2 + 1 : 0;

  std::vector<extent> kept;
  add(kept, all.state, 1);
  add(kept, all.zeroed.words, all.zeroed.size);
  add(kept, all.cloud_begin, request.clouds + 1);
  add(kept, all.cloud_row, request.clouds + 1);
  add(kept, all.point_voxel, points);
  add(kept, all.cells.keys, numbered);
  add(kept, all.cells.first_points, numbered);
  add(kept, all.offsets, numbered + 1);
  if (choice.has_bitmap() && !choice.sorts()) add(kept, all.point_rank, points);
  CHECK((all.cells.keys != nullptr) == choice.has_bitmap());
  CHECK((all.cells.first_points == nullptr) == choice.has_bitmap());

  if (!choice.has_bitmap()) add(kept, all.labels, points);

  std::vector<extent> counted = kept;
  bool const is_swizzled = !choice.has_bitmap() || numbered >= 8192;
  CHECK(all.counter_sectors == (is_swizzled ? 0xf8 : 0));
  add(counted, all.counters, detail::counters_for(choice.has_bitmap() ? numbered : points, all.counter_sectors));

  std::vector<extent> finding = counted;
  if (choice.has_bitmap()) {
    CHECK((all.bitmap.top != nullptr) == is_deep);
    if (is_deep) add(finding, all.bitmap.top, request.top_words());
    if (is_deep) add(finding, all.bitmap.top_ranks, request.top_words());
    add(finding, all.bitmap.ranks, groups + 1);
  } else {
    add(finding, all.buckets,
        detail::divide_up(2 * index_t{choice.table_voxels}, index_t{request.has_wide_keys() ? 2 : 4}));
  }
  add(finding, all.bitmap.groups, groups);
  CHECK(are_apart(finding, begin, end));

  std::vector<extent> rows = choice.sorts() ? kept : counted;
  if (choice.sorts()) {
    auto const& sorting = all.sorting;
    add(rows, sorting.cells.keys, choice.row_limit);
    add(rows, sorting.cells.first_points, choice.row_limit);
    add(rows, sorting.voxel_row, numbered);
    add(rows, sorting.row_offsets, index_t{choice.row_limit} + 1);
    add(rows, sorting.long_rows, points / detail::voxel_listed + 1);
    add(rows, sorting.drawn_rows, drawn);
    for (auto* const keys : sorting.keys) add(rows, keys, points);
    for (auto* const values : sorting.values) add(rows, values, points);
    add(rows, sorting.workspace, static_cast<index_t>(request.radix_sort_words));
    CHECK(sorting.no_row > choice.row_limit);
    CHECK((sorting.no_row & (sorting.no_row + 1)) == 0);
    CHECK(all.selection.large == nullptr);
  } else {
    add(rows, all.selection.large, std::max(points / detail::voxel_small + 1, drawn));
    add(rows, all.selection.pieces, 2 * points / detail::voxel_large + 1);
    add(rows, all.selection.members, points);
  }
  CHECK(are_apart(rows, begin, end));
}

}  // namespace

TEST_CASE("voxelize, layout: arrays of a phase do not share memory, and the bound holds", "[voxelize][host]") {
  farpoint_tests::random_source random{54};
  auto const below = [&random](std::uint64_t limit) { return static_cast<index_t>(random.next() % limit); };
  int finders[4] = {};
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(round);
    voxelize_request request;
    request.points = 1 + below(std::uint64_t{1} << (1 + below(25)));
    request.clouds = below(3) != 0 ? 1 : 1 + below(300);
    request.cells = 1 + static_cast<std::uint64_t>(below(std::uint64_t{1} << (1 + below(34))));
    request.capacity = below(static_cast<std::uint64_t>(request.points) + 2);
    if (below(2) != 0) request.mode = farpoint::hard{below(200'000), 1 + below(64)};
    if (below(2) != 0) in_grid_order(request);
    if (below(2) != 0) request.kept_points = farpoint::voxel_points::random_subset;
    request.has_lists = below(2) != 0;
    request.has_report = below(2) != 0;
    request.insert_blocks = 1 + static_cast<unsigned>(below(1056));
    request.radix_sort_words = static_cast<std::size_t>(request.points / 8);
    for (voxelize_choice const& choice :
         {choice_of(request), choice_of<prefers_table>(request), choice_of<prefers_bitmap>(request),
          choice_of<prefers_sort>(request), choice_of<without_flat>(request)}) {
      check_layout(request, choice);
      CHECK(detail::lay_out(request, choice, nullptr).bytes <=
            detail::voxelize_max_bytes(request.points, request.clouds));
      ++finders[static_cast<int>(choice.finder)];
    }
  }
  // Each kind occurs.
  for (int const count : finders) CHECK(count > 10);
}
