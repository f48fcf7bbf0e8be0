// knn_tiles(), radius_tiles() and fps_tiles(): the answers of one call on all points, from tiles that are read when
// they are needed.
#include <farpoint/fps.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/reference/fps.hpp>
#include <farpoint/reference/knn.hpp>
#include <farpoint/reference/radius.hpp>

#include "../../support/test_scale.hpp"
#include "../tiles_problem.hpp"

using namespace farpoint_tests;
using farpoint::bytes;
using farpoint::result;
using farpoint::span;

namespace {

template <class Coord>
struct lists {
  result outcome;
  std::vector<index_t> indices;
  std::vector<Coord> distances;
  std::vector<index_t> counts;
  farpoint::knn_report report;
  farpoint::radius_report radius_report;
  index_t reads = -1;
};

index_t row_length(farpoint::knn_params const& params) {
  return params.k;
}
index_t row_length(farpoint::radius_params const& params) {
  return params.max_neighbors;
}

/// A search in tiles, with guards around all memory.
template <class Params, class Tiles, class Queries>
auto search_tiles(Tiles& tiles, std::vector<farpoint::tile_extent_of<Tiles>> const& extents,
                  farpoint::shard<Queries> const& queries, Params const& params, int threads = 1) {
  using coord = farpoint::tile_scalar<Tiles>;
  farpoint::host_exec const exec{threads};
  index_t const each = row_length(params);
  auto const rows = static_cast<std::size_t>(queries.points.size());
  auto const size = rows * static_cast<std::size_t>(each);
  host_array<index_t> const indices{size};
  host_array<coord> const distances{size};
  host_array<index_t> const counts{rows};
  std::size_t const needed = knn_tiles_workspace_bytes(exec, tiles, queries.points.size());
  host_array<unsigned char> const workspace{needed};
  bytes const memory{workspace.data(), needed};
  lists<coord> found;
  span<farpoint::tile_extent_of<Tiles> const> const boxes{extents};
  if constexpr (std::is_same_v<Params, farpoint::knn_params>) {
    farpoint::knn_tiles_output<coord> output;
    output.indices = {indices.data(), size};
    output.distances = {distances.data(), size};
    output.reads = &found.reads;
    output.report = &found.report;
    found.outcome = knn_tiles(exec, tiles, boxes, queries, params, output, memory);
  } else {
    farpoint::radius_tiles_output<coord> output;
    output.indices = {indices.data(), size};
    output.distances = {distances.data(), size};
    output.counts = {counts.data(), rows};
    output.reads = &found.reads;
    output.report = &found.radius_report;
    found.outcome = radius_tiles(exec, tiles, boxes, queries, params, output, memory);
    found.counts = counts.download();
  }
  if (!indices.intact() || !distances.intact() || !counts.intact() || !workspace.intact()) {
    found.outcome = memory_was_written;
  }
  found.indices = indices.download();
  found.distances = distances.download();
  return found;
}

/// Compares with the plain loop over all points. Query i is point `first + i` of the cloud if `self`.
template <class Tiles, class Queries>
void check_knn(Tiles& tiles, farpoint::shard<Queries> const& queries, farpoint::knn_params const& params, int threads) {
  using coord = farpoint::tile_scalar<Tiles>;
  auto const extents = extents_of(tiles);
  auto const found = search_tiles(tiles, extents, queries, params, threads);
  INFO(found.outcome.reason);
  REQUIRE(found.outcome);
  CHECK(found.reads == tiles.reads);
  for (index_t const reads : tiles.reads_of) CHECK(reads <= 2);

  lists<coord> expected;
  expected.indices.resize(found.indices.size());
  expected.distances.resize(found.indices.size());
  farpoint::knn_output<coord> const output{expected.indices, expected.distances, {}, &expected.report};
  if (params.exclude_self) {
    // All points are queries, and the rows of others are left out.
    auto const all = static_cast<std::size_t>(tiles.all().size() * params.k);
    std::vector<index_t> indices(all);
    std::vector<coord> distances(all);
    REQUIRE(farpoint::reference::knn(farpoint::batch{tiles.all()}, farpoint::batch{tiles.all()}, params,
                                     farpoint::knn_output<coord>{indices, distances}));
    auto const from = static_cast<std::ptrdiff_t>(queries.first_index * params.k);
    std::copy_n(indices.begin() + from, expected.indices.size(), expected.indices.begin());
    std::copy_n(distances.begin() + from, expected.distances.size(), expected.distances.begin());
  } else {
    REQUIRE(farpoint::reference::knn(farpoint::batch{tiles.all()}, farpoint::batch{queries.points}, params, output));
    CHECK(found.report.non_finite_points == expected.report.non_finite_points);
    CHECK(found.report.non_finite_queries == expected.report.non_finite_queries);
  }
  INFO(difference_in("indices", found.indices, expected.indices)
       << difference_in("distances", found.distances, expected.distances));
  CHECK(found.indices == expected.indices);
  CHECK(same_bits(found.distances, expected.distances));
}

template <class Tiles, class Queries>
void check_radius(Tiles& tiles, farpoint::shard<Queries> const& queries, farpoint::radius_params const& params,
                  int threads) {
  index_t const max = params.max_neighbors;
  using coord = farpoint::tile_scalar<Tiles>;
  auto const extents = extents_of(tiles);
  auto const found = search_tiles(tiles, extents, queries, params, threads);
  INFO(found.outcome.reason);
  REQUIRE(found.outcome);
  CHECK(found.reads == tiles.reads);
  for (index_t const reads : tiles.reads_of) CHECK(reads <= 1);

  bool const all = params.exclude_self;
  auto const asked = all ? tiles.all() : queries.points;
  auto const rows = static_cast<std::size_t>(asked.size());
  lists<coord> expected;
  expected.indices.resize(rows * static_cast<std::size_t>(max));
  expected.distances.resize(rows * static_cast<std::size_t>(max));
  expected.counts.resize(rows);
  REQUIRE(farpoint::reference::radius(
      farpoint::batch{tiles.all()}, farpoint::batch{asked}, params,
      farpoint::radius_output<coord>{expected.indices, expected.distances, expected.counts, &expected.radius_report}));
  if (all) {
    auto const keep = [&](auto& values, index_t each) {
      auto const from = values.begin() + static_cast<std::ptrdiff_t>(queries.first_index * each);
      values = std::decay_t<decltype(values)>(from, from + static_cast<std::ptrdiff_t>(queries.points.size() * each));
    };
    keep(expected.indices, max);
    keep(expected.distances, max);
    keep(expected.counts, 1);
  } else {
    CHECK(found.radius_report.total == expected.radius_report.total);
    CHECK(found.radius_report.non_finite_points == expected.radius_report.non_finite_points);
    CHECK(found.radius_report.non_finite_queries == expected.radius_report.non_finite_queries);
  }
  INFO(difference_in("counts", found.counts, expected.counts)
       << difference_in("indices", found.indices, expected.indices)
       << difference_in("distances", found.distances, expected.distances));
  CHECK(found.counts == expected.counts);
  CHECK(found.indices == expected.indices);
  CHECK(same_bits(found.distances, expected.distances));
}

template <class Coord>
void check_random_search(std::uint64_t seed) {
  random_source random{seed};
  auto tiles = random_tiles<Coord>(random, seed);
  auto const n = static_cast<index_t>(tiles.points.size());
  // The points of a tile, a range of points, or other queries.
  auto const tile = random.below(tiles.count());
  farpoint::shard<farpoint::point_view<Coord>> queries{tiles.part(tiles.begin(tile), tiles.size(tile)),
                                                       tiles.begin(tile)};
  if (random.below(2) == 0) {
    index_t const from = random.below(n + 1);
    queries = {tiles.part(from, random.below(n - from + 1)), from};
  }
  bool const self = random.below(3) != 0;
  array_tiles<Coord> const others = random_tiles<Coord>(random, random.below(2) == 0 ? seed : seed + 1);
  if (!self) queries = {others.all(), random.below(n + 1)};
  int const threads = random.below(4) == 0 ? 2 : 1;

  index_t const ks[] = {1, 2, 5, 16, 40, 100};
  farpoint::knn_params method;
  method.k = ks[random.below(6)];
  method.exclude_self = self && random.below(2) == 0;
  if (random.below(3) == 0) method.max_radius = static_cast<double>(random.uniform()) * 0.3;
  check_knn(tiles, queries, method, threads);

  index_t const lengths[] = {0, 1, 2, 5, 16, 40, 100};
  farpoint::radius_params params;
  params.order = random.below(2) == 0 ? farpoint::radius_order::index : farpoint::radius_order::nearest;
  params.exclude_self = self && random.below(2) == 0;
  if (n > 0) {
    // The distance between two points of the cloud, which other pairs often share.
    auto const& a = tiles.points[static_cast<std::size_t>(random.below(n))];
    auto const& b = tiles.points[static_cast<std::size_t>(random.below(n))];
    auto const d = std::sqrt(static_cast<double>(farpoint::distance2(a, b)));
    if (d >= 0) params.radius = d;
  }
  if (random.below(8) == 0) params.radius = std::numeric_limits<double>::infinity();
  auto const rounded = static_cast<Coord>(params.radius);
  params.exclusive = rounded * rounded > 0 && random.below(3) == 0;
  params.max_neighbors = lengths[random.below(7)];
  check_radius(tiles, queries, params, threads);
}

template <class Coord>
struct samples {
  result outcome;
  std::vector<index_t> indices;
  std::vector<Coord> distances;
  index_t count = -1;
  index_t reads = -1;
  index_t rounds = -1;
  farpoint::fps_report report;
};

template <class Coord, int Dim>
samples<Coord> sample_tiles(array_tiles<Coord, Dim>& tiles,
                            std::vector<farpoint::tile_extent<Coord, Dim>> const& extents,
                            farpoint::fps_params const& params, int threads = 1) {
  farpoint::host_exec const exec{threads};
  auto const size = static_cast<std::size_t>(params.samples);
  host_array<index_t> const indices{size};
  host_array<Coord> const distances{size};
  host_array<Coord> const nearest{tiles.points.size()};
  std::size_t const needed = fps_tiles_workspace_bytes(exec, tiles, params.samples);
  host_array<unsigned char> const workspace{needed};
  samples<Coord> found;
  farpoint::fps_tiles_output<Coord> output;
  output.indices = {indices.data(), size};
  output.distances = {distances.data(), size};
  output.count = &found.count;
  output.reads = &found.reads;
  output.rounds = &found.rounds;
  output.report = &found.report;
  found.outcome = fps_tiles(exec, tiles, extents, params, {nearest.data(), nearest.size()}, output,
                            bytes{workspace.data(), needed});
  if (!indices.intact() || !distances.intact() || !nearest.intact() || !workspace.intact()) {
    found.outcome = memory_was_written;
  }
  found.indices = indices.download();
  found.distances = distances.download();
  return found;
}

template <class Coord, int Dim>
samples<Coord> check_fps(array_tiles<Coord, Dim>& tiles, farpoint::fps_params const& params, int threads = 1,
                         bool fast = false) {
  auto const extents = extents_of(tiles);
  auto const found = sample_tiles(tiles, extents, params, threads);
  INFO(found.outcome.reason);
  REQUIRE(found.outcome);
  CHECK(found.reads == tiles.reads);
  CHECK(found.reads <= found.rounds * tiles.count() + tiles.count() + 1);

  samples<Coord> expected;
  expected.indices.resize(found.indices.size());
  expected.distances.resize(found.indices.size());
  std::vector<index_t> count(1);
  farpoint::batch const cloud{tiles.all()};
  farpoint::fps_output<Coord> const output{expected.indices, expected.distances, count, &expected.report};
  if (fast) {
    host_workspace const workspace{fps_workspace_bytes(host_exec{1}, cloud, params)};
    REQUIRE(farpoint::fps(host_exec{1}, cloud, params, output, workspace.get()));
  } else {
    REQUIRE(farpoint::reference::fps(cloud, params, output));
  }
  INFO(difference_in("indices", found.indices, expected.indices)
       << difference_in("distances", found.distances, expected.distances));
  CHECK(found.count == count[0]);
  CHECK(found.indices == expected.indices);
  CHECK(same_bits(found.distances, expected.distances));
  CHECK(found.report.non_finite == expected.report.non_finite);
  return found;
}

template <class Coord, int Dim>
void check_random_samples(std::uint64_t seed) {
  random_source random{seed};
  auto tiles = random_tiles<Coord, Dim>(random, seed);
  auto const n = static_cast<index_t>(tiles.points.size());
  farpoint::fps_params params;
  index_t const sizes[] = {n, n + 7, random.below(n + 1), random.below(20), 1 + n / 8};
  params.samples = sizes[random.below(5)];
  if (n > 0 && random.below(2) == 0) params.first = random.below(n);
  if (random.below(4) == 0) {
    params.random_first = true;
    params.seed = random.next();
  }
  if (random.below(4) == 0) params.stop_below = static_cast<double>(random.uniform()) * 0.3;
  check_fps(tiles, params, random.below(4) == 0 ? 2 : 1);
}

std::vector<index_t> tiles_that_were_read(array_tiles<float> const& tiles) {
  std::vector<index_t> read;
  for (index_t t = 0; t < tiles.count(); ++t) {
    if (tiles.reads_of[static_cast<std::size_t>(t)] > 0) read.push_back(t);
  }
  return read;
}

}  // namespace

TEST_CASE("tiles: knn and radius equal one call on all points", "[tiles][knn][radius]") {
  for_each_seed(rounds(400), check_random_search<float>);
  for_each_seed(rounds(200), check_random_search<double>);
}

TEST_CASE("tiles: fps equals one call on all points", "[tiles][fps]") {
  for_each_seed(rounds(400), check_random_samples<float, 3>);
  for_each_seed(rounds(100), check_random_samples<double, 3>);
  for_each_seed(rounds(50), check_random_samples<float, 2>);
  for_each_seed(rounds(50), check_random_samples<float, 5>);
}

TEST_CASE("tiles: far tiles are not read", "[tiles][knn][radius]") {
  auto tiles = row_of_cubes(9, 400);
  auto const extents = extents_of(tiles);
  // All neighbors of the points of a cube are in it and the two beside it.
  farpoint::shard<farpoint::point_view<float>> const middle{tiles.part(tiles.begin(4), tiles.size(4)), tiles.begin(4)};
  auto const near = search_tiles(tiles, extents, middle, farpoint::knn_params{4});
  CHECK(near.outcome);
  CHECK(tiles_that_were_read(tiles) == std::vector<index_t>{3, 4, 5});
  CHECK(near.reads == 3);

  // A query in the middle of a cube needs no other.
  tiles.reads_of.assign(9, 0);
  std::vector<farpoint::vec<float>> const center{{{4.5f, 0.5f, 0.5f}}};
  farpoint::shard<farpoint::point_view<float>> const one{{center.data(), 1}, 0};
  CHECK(search_tiles(tiles, extents, one, farpoint::knn_params{4}).reads == 1);
  CHECK(tiles_that_were_read(tiles) == std::vector<index_t>{4});

  tiles.reads_of.assign(9, 0);
  farpoint::radius_params params;
  params.radius = 1;
  CHECK(search_tiles(tiles, extents, one, params).reads == 3);
  CHECK(tiles_that_were_read(tiles) == std::vector<index_t>{3, 4, 5});
  // A row of the lowest indices is full after the first tile that is near enough.
  tiles.reads_of.assign(9, 0);
  params.max_neighbors = 1;
  CHECK(search_tiles(tiles, extents, one, params).reads == 1);
  CHECK(tiles_that_were_read(tiles) == std::vector<index_t>{3});

  // Without queries, or with queries that are not finite, nothing is read.
  farpoint::shard<farpoint::point_view<float>> const none{};
  CHECK(search_tiles(tiles, extents, none, farpoint::knn_params{4}).reads == 0);
  std::vector<farpoint::vec<float>> const nowhere{{{std::nanf(""), 0, 0}}};
  farpoint::shard<farpoint::point_view<float>> const lost{{nowhere.data(), 1}, 0};
  CHECK(search_tiles(tiles, extents, lost, farpoint::knn_params{4}).reads == 0);
}

TEST_CASE("tiles: fps reads tiles once a round, and fewer near the end", "[tiles][fps]") {
  auto tiles = row_of_cubes(16, 1024);
  farpoint::fps_params params;
  for (auto const& [count, most_rounds] : {std::pair<index_t, index_t>{128, 30}, {2048, 45}}) {
    params.samples = count;
    auto const found = check_fps(tiles, params, 2, true);
    CAPTURE(count, found.rounds, found.reads);
    CHECK(found.rounds < most_rounds);
    CHECK(found.reads < found.rounds * tiles.count());
  }
}

TEST_CASE("tiles: a read that fails ends the call with its result", "[tiles][knn][radius][fps]") {
  auto tiles = row_of_cubes(3, 100);
  auto const extents = extents_of(tiles);
  farpoint::shard<farpoint::point_view<float>> const all{tiles.all(), 0};
  farpoint::radius_params radius;
  radius.max_neighbors = 4;
  radius.radius = 0.5;
  farpoint::fps_params sampling;
  sampling.samples = 20;
  int failures = 0;
  auto const check = [&](auto const& call) {
    for (index_t before = 0; before < 100; ++before) {
      tiles.reads = 0;
      tiles.fails_at = before;
      auto const found = call();
      if (found.outcome) break;
      ++failures;
      CHECK(found.outcome.code == status::read_failure);
      CHECK(found.outcome.native == 5);
      CHECK(std::string{found.outcome.reason} == "test: the tile is not there");
      CHECK(found.reads == before + 1);
    }
  };
  check([&] { return search_tiles(tiles, extents, all, farpoint::knn_params{4}); });
  CHECK(failures >= 3);
  check([&] { return search_tiles(tiles, extents, all, radius); });
  CHECK(failures >= 6);
  check([&] { return sample_tiles(tiles, extents, sampling); });
  CHECK(failures > 12);

  tiles.reads = 0;
  tiles.fails_at = 1;
  auto measured = extents;
  host_workspace const workspace{farpoint::measure_tiles_workspace_bytes(tiles)};
  CHECK(farpoint::measure_tiles(tiles, measured, workspace.get()).code == status::read_failure);
}

TEST_CASE("tiles: a callable is a source of tiles, and its exceptions pass through", "[tiles]") {
  std::vector<index_t> const sizes{2, 0, 1};
  bool throws = false;
  auto tiles = farpoint::tiles_of<farpoint::vec<double>>(sizes, [&](index_t tile, span<farpoint::vec<double>> to) {
    if (throws) throw std::runtime_error{"the disk is gone"};
    for (auto& p : to) p = {{static_cast<double>(tile), static_cast<double>(&p - to.data()), 0}};
    return result{};
  });
  std::vector<farpoint::tile_extent<double>> extents(3);
  host_workspace const workspace{farpoint::measure_tiles_workspace_bytes(tiles)};
  REQUIRE(farpoint::measure_tiles(tiles, extents, workspace.get()));
  CHECK(extents[0].box.high[1] == 1);
  CHECK(extents[1].size == 0);
  CHECK(extents[2].first_index == 2);
  throws = true;
  CHECK_THROWS_AS(farpoint::measure_tiles(tiles, extents, workspace.get()), std::runtime_error);
}

TEST_CASE("tiles: refused arguments", "[tiles][knn][radius][fps]") {
  auto tiles = row_of_cubes(3, 50);
  auto const extents = extents_of(tiles);
  farpoint::host_exec const exec{1};
  farpoint::shard<farpoint::point_view<float>> const all{tiles.all(), 0};
  std::vector<index_t> indices(600);
  std::vector<float> distances(600);
  std::vector<index_t> counts(150);
  std::vector<float> nearest(150);
  farpoint::knn_tiles_output<float> lists;
  lists.indices = indices;
  lists.distances = distances;
  farpoint::radius_tiles_output<float> rows;
  rows.indices = indices;
  rows.distances = distances;
  rows.counts = counts;
  farpoint::fps_tiles_output<float> picks;
  picks.indices = indices;
  farpoint::fps_params sampling;
  sampling.samples = 10;
  host_workspace const workspace{
      std::max(knn_tiles_workspace_bytes(exec, tiles, 150), fps_tiles_workspace_bytes(exec, tiles, 10))};
  farpoint::radius_params const radius{0.1, 4};

  auto const knn = [&](auto const& boxes, auto const& queries, farpoint::knn_params const& params,
                       farpoint::knn_tiles_output<float> const& output, bytes memory, int threads = 1) {
    return knn_tiles(farpoint::host_exec{threads}, tiles, boxes, queries, params, output, memory).code;
  };
  auto const bad = status::bad_argument;
  CHECK(knn(extents, all, {4}, lists, workspace.get()) == status::ok);
  tiles.reads = 0;
  CHECK(knn(extents, all, {0}, lists, workspace.get()) == bad);
  CHECK(knn(extents, all, {5}, lists, workspace.get()) == bad);
  CHECK(knn(extents, all, {4, -1}, lists, workspace.get()) == bad);
  CHECK(knn(extents, all, {4}, lists, workspace.get(), -1) == bad);
  CHECK(knn(extents, farpoint::shard<farpoint::point_view<float>>{tiles.all(), -1}, {4}, lists, workspace.get()) ==
        bad);
  CHECK(knn(extents, all, {4}, {indices, {}}, workspace.get()) == bad);
  CHECK(knn(extents, all, {4}, lists, workspace.get().first(100)) == status::workspace_too_small);
  auto others = extents;
  others.pop_back();
  CHECK(knn(others, all, {4}, lists, workspace.get()) == bad);
  others = extents;
  others[1].size -= 1;
  CHECK(knn(others, all, {4}, lists, workspace.get()) == bad);
  others = extents;
  others[2].first_index += 1;
  CHECK(knn(others, all, {4}, lists, workspace.get()) == bad);

  CHECK(radius_tiles(exec, tiles, extents, all, {-1, 4}, rows, workspace.get()).code == bad);
  CHECK(radius_tiles(exec, tiles, extents, all, {0.1, 5}, rows, workspace.get()).code == bad);
  CHECK(radius_tiles(exec, tiles, extents, all, radius, {indices, distances, {}}, workspace.get()).code == bad);
  CHECK(radius_tiles(exec, tiles, extents, all, radius, {indices, {}, counts}, workspace.get()).code == bad);
  CHECK(radius_tiles(exec, tiles, extents, all, radius, rows, {}).code == status::workspace_too_small);

  auto const fps = [&](farpoint::fps_params const& params, span<float> memory, bytes scratch) {
    return fps_tiles(exec, tiles, extents, params, memory, picks, scratch).code;
  };
  auto params = sampling;
  params.first = 150;
  CHECK(fps(params, nearest, workspace.get()) == bad);
  params.first = -1;
  CHECK(fps(params, nearest, workspace.get()) == bad);
  params = sampling;
  params.chosen = indices;
  CHECK(fps(params, nearest, workspace.get()) == bad);
  params = sampling;
  params.samples = 601;
  CHECK(fps(params, nearest, workspace.get()) == bad);
  CHECK(fps(sampling, span<float>{nearest}.first(149), workspace.get()) == bad);
  CHECK(fps(sampling, nearest, workspace.get().first(500)) == status::workspace_too_small);
  CHECK(tiles.reads == 0);
  CHECK(fps(sampling, nearest, workspace.get()) == status::ok);

  std::vector<index_t> const sizes{-1};
  auto wrong = farpoint::tiles_of<farpoint::vec<float>>(sizes, [](index_t, auto) { return result{}; });
  std::vector<farpoint::tile_extent<float>> boxes(1);
  CHECK(farpoint::measure_tiles(wrong, boxes, {}).code == bad);
}
