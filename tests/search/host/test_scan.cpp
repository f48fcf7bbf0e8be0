// Searches of small clouds without an index on a CPU: fibers search as the blocks of a GPU do, with the same source.
// The oracle is brute force.
#include <farpoint/detail/search/knn_request.hpp>
#include <farpoint/detail/search/radius_operations.hpp>
#include <farpoint/detail/search/scan/scan.hpp>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../fiber_warp.hpp"
#include "../radius_problem.hpp"
#include "../ragged_batches.hpp"

#include <memory>

using namespace farpoint_tests;
using namespace farpoint::detail;
using farpoint::neighbor_key;
using farpoint::no_index;

namespace {

/// Loads the cloud of a block, a tile at a time, and calls `look(size, first)`.
template <class Points, class Tile, class Look>
void for_each_tile(Points const& cloud, Tile& tile, unsigned long long* non_finite_points, Look const& look) {
  for (index_t first = 0; first < cloud.size(); first += Tile::capacity) {
    int const size = static_cast<int>(std::min<index_t>(cloud.size() - first, Tile::capacity));
    fiber_blocks::sync();
    for (int i = static_cast<int>(fiber_blocks::thread()); i < divide_up(size, Tile::fill) * Tile::fill;
         i += search_block_size) {
      tile.set(i, Tile::missing());
      if (i >= size) continue;
      if (is_finite(cloud[first + i])) {
        tile.set(i, cloud[first + i]);
      } else if (non_finite_points != nullptr) {
        ++*non_finite_points;
      }
    }
    fiber_blocks::sync();
    look(size, static_cast<std::uint32_t>(first));
  }
}

/// Answers the queries of all blocks. `Capacity` 0: in the order of indices.
/// @param lanes  see scanned_queries
template <int Capacity, class Problem, class Output>
void scan_by_fibers(Problem const& problem, knn_request<typename Problem::scalar> const& request, index_t lanes,
                    Output const& output) {
  using scalar = typename Problem::scalar;
  using view = typename Problem::points_type::view;
  using list = fiber_topk<scalar, std::max(Capacity, 1)>;
  auto const [points, queries] = both_in_place(problem);
  auto& report = *output.report;
  report = {};
  report.bad_offsets = count_bad_offsets(points, queries);
  auto const bad_offsets = static_cast<unsigned>(report.bad_offsets);
  scanned_queries<view, view> asked{points, queries, &report.non_finite_points, lanes};
  asked.stop_at_bad_offsets(&bad_offsets);
  int const k = request.k;
  int const each = 1 << asked.warp_bits;
  auto const write = [&](index_t row, int j, neighbor_key<scalar> const& key) {
    bool const is_there = key.index() != no_index;
    output.indices.set(row * k + j, is_there ? index_t{key.index()} : -1);
    output.distances[static_cast<std::size_t>(row * k + j)] = is_there ? key.distance2() : no_distance<scalar>;
  };
  neighbor_key<scalar> const missing{scalar(0), no_index};
  auto const tile = std::make_unique<scan_tile<scalar>>();
  auto const candidates = std::make_unique<typename list::storage[]>(1 << scan_warps_bits);
  std::memset(static_cast<void*>(tile.get()), 0, sizeof *tile);
  unsigned long long total = 0;
  auto const block = [&](index_t number) {
    int const thread = static_cast<int>(fiber_blocks::thread());
    int const lane = fiber_warp::lane();
    int const part = lane >> asked.warp_bits;
    scan_share const share{asked, asked.warp_bits, number, thread};
    index_t bad_row = -1;
    auto const mine = asked.of_thread(share.row < 0 ? asked.threads() : share.row, bad_row);
    if (bad_row >= 0 && part == 0) {
      for (int j = 0; j < k; ++j) write(bad_row, j, missing);
      output.counts.set(bad_row, 0);
      if (!asked.has_bad_offsets()) ++report.non_finite_queries;
    }
    if (share.cloud < 0) return;
    auto* const counter = share.is_first ? asked.non_finite_points : nullptr;
    std::uint32_t const excluded = mine.exists() ? request.excluded(mine.index) : no_index;
    if constexpr (Capacity > 0) {
      list found{
          candidates[thread / fiber_warp::lanes], part == 0 ? k : Capacity, {request.radius2, no_index}, excluded};
      found.activate(mine.exists());
      for_each_tile(asked.points[share.cloud], *tile, counter, [&](int size, std::uint32_t first) {
        scan_nearest<fiber_warp>(*tile, size, first, part, fiber_warp::lanes >> asked.warp_bits, mine.at, found);
      });
      for (int mask = each; mask < fiber_warp::lanes; mask *= 2) found.merge_lane(mask);
      if (!mine.exists() || part > 0) return;
      int count = 0;
      for (int j = 0; j < k; ++j) {
        auto const key = found[Capacity - k + j];
        write(mine.row, j, key);
        count += key.index() != no_index ? 1 : 0;
      }
      output.counts.set(mine.row, count);
      total += static_cast<unsigned long long>(count);
    } else {
      int count = 0;
      for_each_tile(asked.points[share.cloud], *tile, counter, [&](int size, std::uint32_t first) {
        for (int from = 0; from < each; ++from) {
          auto const query = fiber_warp::shuffle(mine, from);
          int const before = fiber_warp::shuffle(count, from);
          if (!query.exists() || (k > 0 && before >= k)) continue;
          scan_request<scalar> const one{query.at, request.radius2, request.excluded(query.index), k};
          int const found =
              scan_lowest<fiber_warp>(*tile, size, first, one, before, [&](int j, std::uint32_t index, scalar d) {
                write(query.row, j, {d, index});
              });
          if (lane == from) count = found;
        }
      });
      if (!mine.exists() || part > 0) return;
      for (int j = count; j < k; ++j) write(mine.row, j, missing);
      output.counts.set(mine.row, count);
      total += static_cast<unsigned long long>(count);
    }
  };
  for (index_t number = 0; number < asked.blocks(); ++number) {
    fiber_blocks::run(1, search_block_size, static_cast<unsigned>(number), [&] { block(number); });
  }
  for (int warp = 0; warp < 1 << scan_warps_bits; ++warp) CHECK(candidates[static_cast<std::size_t>(warp)].faults == 0);
  if constexpr (std::is_same_v<std::decay_t<decltype(report)>, farpoint::radius_report>) report.total = total;
}

/// Numbers of lanes with which warps have 32 queries, and 1.
constexpr index_t all_lanes[] = {1, 500, 3'000, 1'000'000};

template <int Capacity, class Problem>
void check_knn(Problem const& problem, std::size_t turn) {
  using scalar = typename Problem::scalar;
  knn_request<scalar> const request{static_cast<int>(problem.k), squared_radius<scalar>(problem.limits.max_radius),
                                    problem.limits.exclude_self};
  index_t const lanes = all_lanes[turn % std::size(all_lanes)];
  CAPTURE(lanes);
  auto const answer = collect_knn(problem, [&](auto const& output) -> farpoint::result {
    scan_by_fibers<Capacity>(problem, request, lanes, output);
    return {};
  });
  check_answer(answer, reference_knn(problem));
}

template <class Problem>
void check_radius(Problem const& problem, std::size_t turn) {
  using scalar = typename Problem::scalar;
  auto const request = request_of<scalar>(problem.within());
  index_t const lanes = all_lanes[turn % std::size(all_lanes)];
  CAPTURE(lanes);
  auto const answer = collect_radius(problem, [&](auto const& output) -> farpoint::result {
    if (problem.params.order == radius_order::nearest) {
      scan_by_fibers<8>(problem, request, lanes, output);
    } else {
      scan_by_fibers<0>(problem, request, lanes, output);
    }
    return {};
  });
  check_answer(answer, reference_radius(problem));
}

constexpr std::size_t sizes[] = {0, 1, 7, 9, 33, 256, 300, 1500};

template <class Coord>
void check_shapes(std::uint64_t seed) {
  std::size_t turn = 0;
  for (shape const which : all_shapes) {
    for (std::size_t const n : sizes) {
      knn_problem<Coord> problem{make_cloud(which, n, seed + n), std::array<index_t, 3>{1, 5, 8}[turn % 3]};
      problem.limits.exclude_self = turn % 4 == 1;
      if (turn % 5 == 2) problem.limits.max_radius = 0.2;
      if (n > 300 || turn % 2 == 0) problem.ask(make_cloud(which, 40, seed + (turn % 4 == 0 ? n : 1)));
      CAPTURE(static_cast<int>(which), n, problem.k, seed);
      check_knn<8>(problem, turn + turn / 4);
      ++turn;
    }
  }
}

}  // namespace

ONE_THREAD_TEST_CASE("scan: the nearest, every shape of cloud, float", "[knn][host][one_thread]") {
  check_shapes<float>(1);
}

ONE_THREAD_TEST_CASE("scan: the nearest, every shape of cloud, double", "[knn][host][one_thread]") {
  check_shapes<double>(2);
}

ONE_THREAD_TEST_CASE("scan: lists of one and of 32", "[knn][host][one_thread]") {
  std::size_t turn = 0;
  for (shape const which : {shape::cube, shape::lattice, shape::all_equal, shape::overflowing, shape::non_finite}) {
    for (std::size_t step = 0; step < 4; ++step) {
      knn_problem<float> problem{make_cloud(which, 1200, 5), 1};
      problem.ask(make_cloud(which, 50, 6));
      CAPTURE(static_cast<int>(which));
      check_knn<1>(problem, turn);
      problem.k = step % 2 == 0 ? 32 : 23;
      check_knn<32>(problem, turn++);
    }
  }
}

ONE_THREAD_TEST_CASE("scan: a radius, in both orders", "[radius][host][one_thread]") {
  std::size_t turn = 0;
  for (shape const which : all_shapes) {
    for (std::size_t const n : sizes) {
      for (auto const order : {radius_order::index, radius_order::nearest}) {
        double const radius = turn % 3 == 0 ? 0.3 : turn % 3 == 1 ? 1e3 : 0.05;
        index_t const max = order == radius_order::nearest ? 6 : std::array<index_t, 4>{0, 1, 32, 100}[turn / 2 % 4];
        radius_problem<float> problem{make_cloud(which, n, 3 + n), radius, max, order};
        problem.params.exclusive = turn % 5 == 1;
        problem.params.exclude_self = turn % 4 == 1;
        problem.ask(make_cloud(which, 40, turn % 2 == 0 ? 3 + n : 1));
        CAPTURE(static_cast<int>(which), n, static_cast<int>(order), radius, max);
        check_radius(problem, turn / 3);
        ++turn;
      }
    }
  }
}

ONE_THREAD_TEST_CASE("scan: batches, regular and ragged, and wrong offsets", "[knn][radius][host][one_thread]") {
  std::size_t turn = 0;
  auto const check = [&](auto const& points, auto const& queries) {
    knn_problem<float> problem{make_cloud(turn % 2 == 0 ? shape::cube : shape::non_finite, ragged_points, 8), 4};
    problem.ask(make_cloud(shape::non_finite, ragged_queries, 9));
    set_offsets(problem, points, queries);
    check_knn<8>(problem, turn);
    radius_problem<float> balls{make_cloud(shape::non_finite, ragged_points, 8), 0.3, 12};
    if (turn % 3 > 0) balls.ask(make_cloud(shape::cube, ragged_queries, 9));
    set_offsets(balls, points, queries);
    check_radius(balls, turn++);
  };
  for_ragged_batches(check);
  for_garbage_batches(12, check);
  for (index_t const clouds : {1, 4, 50, 100}) {
    knn_problem<float> problem{make_cloud(shape::non_finite, ragged_points, 8), 4};
    problem.points.clouds = clouds;
    CAPTURE(clouds);
    if (turn % 2 == 0) {
      problem.ask(make_cloud(shape::cube, ragged_queries, 9));
      problem.queries.clouds = clouds;
    }
    check_knn<8>(problem, turn++);
  }
}

ONE_THREAD_TEST_CASE("scan: searches that suit it", "[knn][host][one_thread]") {
  using view = farpoint::point_view<float>;
  using selector = farpoint::knn_selector;
  auto const clouds = [](index_t points, index_t count) {
    return farpoint::batch<view>::regular(view{reinterpret_cast<void const*>(256), points * count}, count);
  };
  bool self = false;
  auto const suits = [&](index_t points, index_t queries, index_t count, index_t k) {
    return is_scanned<selector>(clouds(points, count), clouds(queries, count), self, k);
  };
  CHECK(suits(2'048, 131'072 / 16, 16, 8));
  CHECK_FALSE(suits(2'048, 131'072 / 16 + 1, 16, 8));
  self = true;
  CHECK(suits(2'048, 2'048, 16, 8));
  CHECK_FALSE(suits(2'048, 2'048, 17, 8));
  CHECK_FALSE(suits(index_t{1} << 30, index_t{1} << 30, 1, 8));
  self = false;
  CHECK(suits(4'096, 1'024, 16, 0));
  CHECK(suits(1, 1, 1, 1));
  CHECK(suits(0, 0, 3, 1));
  CHECK_FALSE(suits(100, 100, 1, 33));
  CHECK_FALSE(suits(100, 100, 1, -1));
  CHECK_FALSE(suits(100'000, 100'000, 1, 8));
  CHECK_FALSE(suits(100, 100, 0, 8));
  // Work for the wanted number of lanes, but none for a lane without points.
  auto const bits = [&](index_t points, index_t queries, index_t lanes) {
    return scanned_queries<view, view>{clouds(points, 1), clouds(queries, 1), nullptr, lanes}.warp_bits;
  };
  CHECK(bits(1'000, 1'000'000, 32'768) == 5);
  CHECK(bits(1'000, 8'192, 32'768) == 3);
  CHECK(bits(1'000, 1, 32'768) == 0);
  CHECK(bits(16, 1, 32'768) == 4);
  CHECK(bits(15, 1, 32'768) == 5);
}
