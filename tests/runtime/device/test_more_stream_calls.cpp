// Further calls of the compiled library on device memory: gather(), knn() in screen space, hash maps, bounds.
#include <farpoint/gather.hpp>
#include <farpoint/hash_map.hpp>
#include <farpoint/knn_screen.hpp>
#include <farpoint/offsets_of_sizes.hpp>
#include <farpoint/runtime.hpp>
#include <farpoint/runtime/stream_bounds.hpp>
#include <farpoint/runtime/stream_hash_map.hpp>
#include <farpoint/runtime/stream_rows.hpp>

#include <algorithm>
#include <array>

#include "../../screen/cameras.hpp"
#include "../../support/catch.hpp"
#include "../../support/random.hpp"
#include "mirrored_clouds.hpp"

using namespace farpoint_tests;

namespace {

using farpoint::library::padded_rows;

farpoint::result zero_past(host_exec, padded_rows const& rows) {
  for (auto const& part : rows.parts) {
    for (index_t i = *rows.written * part.width; i < rows.rows * part.width; ++i) part.data[i] = 0;
  }
  return {};
}
farpoint::result zero_past(cuda_exec exec, padded_rows const& rows) {
  return farpoint::library::zero_rows_past(exec, rows);
}

/// Checks zero_past() on three outputs.
/// @param row_bytes  bytes per row of each output
void check_zeros(std::array<index_t, 3> const& row_bytes, index_t rows, index_t written) {
  auto const filled = [rows](index_t bytes) {
    return mirror<unsigned char>{std::vector<unsigned char>(static_cast<std::size_t>(rows * bytes), 0xab)};
  };
  mirror<unsigned char> outputs[3] = {filled(row_bytes[0]), filled(row_bytes[1]), filled(row_bytes[2])};
  mirror<index_t> const count{std::vector<index_t>{written}};
  CAPTURE(rows, written);
  check_same_as_host(
      [&](auto exec, auto&) {
        padded_rows padded;
        for (std::size_t part = 0; part < 3; ++part) padded.add(outputs[part].on(exec).data(), row_bytes[part]);
        padded.rows = rows;
        padded.written = count.of(exec).data();
        return zero_past(exec, padded);
      },
      outputs[0], outputs[1], outputs[2]);
}

farpoint::result repeat_first(host_exec, farpoint::index_span rows, index_t columns) {
  for (index_t i = 0; i < rows.size(); ++i) {
    if (rows.get(i) < 0) rows.set(i, std::max<index_t>(rows.get(i / columns * columns), 0));
  }
  return {};
}
farpoint::result repeat_first(cuda_exec exec, farpoint::index_span rows, index_t columns) {
  return farpoint::library::repeat_first(exec, rows, columns);
}

/// Checks rows of 0 to `columns` ascending indices, followed by -1.
template <class Index>
void check_repeats(index_t columns, std::uint64_t seed) {
  random_source random{seed};
  std::vector<Index> rows;
  for (int row = 0; row < 500; ++row) {
    auto const found = static_cast<index_t>(random.below(static_cast<std::uint64_t>(columns) + 1));
    for (index_t i = 0; i < columns; ++i) rows.push_back(static_cast<Index>(i < found ? row + 3 * i : -1));
  }
  mirror<Index> indices{rows};
  CAPTURE(columns, seed);
  check_same_as_host([&](auto exec, auto&) { return repeat_first(exec, indices.on(exec), columns); }, indices);
}

template <class Value>
void check_gather(std::uint64_t seed) {
  constexpr index_t rows = 700;
  constexpr index_t channels = 3;
  random_source random{seed};
  std::vector<Value> values(rows * channels);
  for (auto& value : values) value = static_cast<Value>(random.below(100));
  std::vector<std::int32_t> picks;
  for (int i = 0; i < 300; ++i) picks.push_back(static_cast<std::int32_t>(random.below(rows + 10)) - 5);
  mirror<Value> const features{values};
  mirror<std::int32_t> const indices{picks};
  mirror<index_t> const begins{{20, 300, 700}};
  mirror<index_t> const ends{{0, 100, 290}};
  mirror<Value> gathered{300 * channels};
  check_same_as_host(
      [&](auto exec, auto&) { return gather(exec, features.of(exec), channels, indices.of(exec), gathered.on(exec)); },
      gathered);
  mirror<Value> within{300 * channels};
  check_same_as_host(
      [&](auto exec, auto&) {
        using from = farpoint::feature_rows<Value const>;
        using to = farpoint::feature_rows<Value>;
        return gather(exec, from::ragged(features.of(exec), begins.of(exec), channels), indices.of(exec),
                      to::ragged(within.on(exec), ends.of(exec), channels));
      },
      within);
}

template <class Coord, class Scalar = farpoint::scalar_of<Coord>>
void check_screen(farpoint::screen_rows rows) {
  constexpr index_t n = 3000;
  constexpr index_t k = 4;
  mirrored_clouds<Coord> const cloud{n, {0, n}, 5};
  farpoint::screen_space<farpoint::pinhole_camera<Scalar>> method{camera_at_cube<Scalar>(80, 60), k};
  method.rows = rows;
  mirror<std::int32_t> indices{n * k};
  mirror<Scalar> distances{n * k};
  mirror<std::int64_t> visible{1};
  check_same_as_host(
      [&](auto exec, auto& workspace) {
        auto const points = cloud.on(exec);
        farpoint::knn_screen_output<Scalar> output{indices.on(exec), distances.on(exec)};
        output.visible_count = visible.on(exec);
        return knn(exec, points, method, output, workspace.of_size(exec, knn_workspace_bytes(exec, points, method)));
      },
      indices, distances, visible);
  CHECK(visible.host()[0] > 0);
}

template <class Key, class Value>
void check_hash_map(std::uint64_t seed) {
  using map_type = farpoint::hash_map_ref<Key, Value>;
  constexpr index_t n = 5000;
  random_source random{seed};
  std::vector<Key> some;
  std::vector<Value> numbers;
  for (index_t i = 0; i < n; ++i) {
    some.push_back(static_cast<Key>(random.below(2 * n)));
    numbers.push_back(static_cast<Value>(random.next() >> 1));
  }
  some[7] = map_type{}.empty();
  std::vector<Key> wanted;
  for (index_t i = 0; i < 2 * n; ++i) wanted.push_back(static_cast<Key>(i));
  mirror<Key> const keys{some};
  mirror<Value> const values{numbers};
  mirror<Key> const asked{wanted};
  mirror<farpoint::hash_map_bucket> buckets{map_type::buckets_for(n)};
  mirror<Value> found{2 * n};
  mirror<Key> pair_keys{n};
  mirror<Value> pair_values{n};
  mirror<std::uint64_t> count{1};
  mirror<farpoint::hash_map_report> report{1};
  check_same_as_host(
      [&](auto exec, auto& workspace) {
        map_type const map{buckets.on(exec)};
        farpoint::hash_map_pairs<Key, Value> const pairs{pair_keys.on(exec), pair_values.on(exec),
                                                         count.on(exec).data()};
        farpoint::bytes const memory = workspace.of_size(exec, hash_map_extract_workspace_bytes(exec, map));
        farpoint::result const outcomes[] = {
            hash_map_clear(exec, map),
            hash_map_insert_or_min(exec, map, keys.of(exec), values.of(exec), report.on(exec).data()),
            hash_map_find(exec, map, asked.of(exec), Value{3}, found.on(exec)),
            hash_map_extract(exec, map, pairs, memory)};
        for (auto const& outcome : outcomes) {
          if (!outcome) return outcome;
        }
        return farpoint::result{};
      },
      found, pair_keys, pair_values, count, report);
  CHECK(report.host()[0].refused == 1);
}

/// Checks slots by their contents: their numbers differ from run to run.
void check_slots() {
  using map_type = farpoint::hash_map_ref<std::uint64_t, std::uint32_t>;
  constexpr std::size_t n = 1000;
  std::vector<std::uint64_t> some;
  for (std::uint64_t i = 0; i < n; ++i) some.push_back(i * i % 613);
  device_array<std::uint64_t> const keys{some};
  device_array<farpoint::hash_map_bucket> buckets{static_cast<std::size_t>(map_type::buckets_for(n))};
  device_array<std::int32_t> inserted{n};
  device_array<std::int32_t> found{n};
  test_stream const stream;
  map_type const map{{buckets.data(), buckets.size()}};
  farpoint::span<std::uint64_t const> const asked{keys.data(), n};
  // A stream converts to cuda_exec.
  REQUIRE(hash_map_clear(stream.get(), map));
  REQUIRE(hash_map_insert_keys(stream.get(), map, asked.first(100)));
  REQUIRE(hash_map_find_or_insert(stream.get(), map, asked, farpoint::span{inserted.data(), n}));
  REQUIRE(hash_map_find_slots(stream.get(), map, asked, farpoint::span{found.data(), n}));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  auto const slots = inserted.download();
  CHECK(slots == found.download());
  for (std::size_t i = 1; i < n; ++i) {
    CAPTURE(i);
    CHECK((slots[i] == slots[0]) == (some[i] == some[0]));
  }
}

}  // namespace

TEST_CASE("library, device: gather() is the header's", "[library][device]") {
  check_gather<float>(1);
  check_gather<double>(2);
  check_gather<std::int32_t>(3);
  check_gather<std::int64_t>(4);
  check_gather<std::uint8_t>(5);
}

TEST_CASE("library, device: knn() in screen space is the header's", "[library][device]") {
  for (auto const rows : {farpoint::screen_rows::visible, farpoint::screen_rows::input}) {
    check_screen<float>(rows);
    check_screen<double>(rows);
    check_screen<farpoint::float16>(rows);
  }
}

TEST_CASE("library, device: bulk calls on hash maps are the headers'", "[library][device][hash_map]") {
  check_hash_map<std::uint32_t, std::uint32_t>(1);
  check_hash_map<std::uint64_t, std::uint32_t>(2);
  check_hash_map<std::uint32_t, std::uint64_t>(3);
  check_hash_map<std::uint64_t, std::uint64_t>(4);
  check_slots();
}

TEST_CASE("library, device: offsets of sizes are the header's", "[library][device]") {
  std::vector<std::int32_t> some;
  random_source random{3};
  for (int b = 0; b < 700; ++b) some.push_back(static_cast<std::int32_t>(random.below(300)) - 1);
  mirror<std::int32_t> const sizes{some};
  mirror<index_t> offsets{701};
  check_same_as_host([&](auto exec, auto&) { return offsets_of_sizes(exec, sizes.of(exec), offsets.on(exec)); },
                     offsets);
}

TEST_CASE("library, device: rows past the voxels are zeros", "[library][device]") {
  for (index_t const written : {0, 1, 299, 300, 400}) {
    check_zeros({12, 4, 160}, 300, written);
    check_zeros({16, 6, 2}, 300, written);
    check_zeros({4, 0, 0}, 300, written);
  }
  // Without rows nothing is enqueued: the runtime would refuse a launch with an empty grid.
  padded_rows const none;
  CHECK(zero_past(cuda_exec{nullptr}, none));
}

TEST_CASE("library, device: rows of neighbors are filled with their first", "[library][device]") {
  for (index_t const columns : {1, 2, 33}) {
    check_repeats<std::int32_t>(columns, 5);
    check_repeats<std::int64_t>(columns, 6);
  }
}

namespace {

template <class Coord>
void check_bounds() {
  using points = farpoint::point_view<Coord>;
  test_stream const stream;
  farpoint::cuda_exec const exec{stream.get()};
  farpoint::batch_limits const limits{100000, 4};
  farpoint::search_limits const searches{100000, 4, 50000};
  points const some{nullptr, 0};
  farpoint::batch const clouds = farpoint::batch<points>::regular(points{&some, 90000}, 3);
  farpoint::batch const queries = farpoint::batch<points>::regular(points{&some, 30000}, 3);
  farpoint::fps_params params;
  params.samples = 500;
  std::size_t bound = 0;
  REQUIRE(farpoint::fps_workspace_bound<points>(exec, limits, bound));
  CHECK(fps_workspace_bytes(exec, clouds, params) <= bound);
  REQUIRE(farpoint::knn_workspace_bound<points>(exec, searches, bound));
  CHECK(knn_workspace_bytes(exec, clouds, queries, farpoint::knn_params{3}) <= bound);
  REQUIRE(farpoint::radius_workspace_bound<points>(exec, searches, bound));
  CHECK(radius_workspace_bytes(exec, clouds, queries) <= bound);
  REQUIRE(farpoint::point_bvh_bound<points>(exec, limits, bound));
  CHECK(point_bvh_bytes(exec, clouds) <= bound);
  REQUIRE(farpoint::mean_knn_distance_workspace_bound<points>(exec, limits, 40, bound));
  CHECK(mean_knn_distance_workspace_bytes(exec, clouds, {40}) <= bound);
  farpoint::screen_space<farpoint::pinhole_camera<farpoint::scalar_of<Coord>>> method;
  method.camera.width = 600;
  method.camera.height = 400;
  method.layers = 2;
  method.k = 33;
  farpoint::screen_limits const views{100000, 640, 480, 40, 4, 3};
  REQUIRE(farpoint::knn_screen_workspace_bound<points>(exec, views, bound));
  for (int const rounds : {farpoint::until_exact, 3}) {
    method.rounds = rounds;
    std::size_t const bytes = knn_workspace_bytes(exec, farpoint::batch<points>{points{&some, 90000}}, method);
    CHECK(bytes > 0);
    CHECK(bytes <= bound);
  }
}

}  // namespace

TEST_CASE("library, device: bounds are enough", "[library][device]") {
  check_bounds<float>();
  check_bounds<double>();
  check_bounds<farpoint::float16>();
}
