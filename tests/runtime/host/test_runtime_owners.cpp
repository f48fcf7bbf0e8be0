// BVHs and hash maps that the compiled library owns, for callers with arrays in host memory. On a machine with a GPU
// they are in device memory.
#include <farpoint/interpolate.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/runtime.hpp>

#include <algorithm>
#include <map>
#include <thread>

#include "../../support/answers.hpp"
#include "../../support/catch.hpp"
#include "../../support/clouds.hpp"
#include "../../support/random.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::index_t;
using farpoint::knn_params;
using farpoint::span;
using farpoint::status;
namespace runtime = farpoint::runtime;

namespace {

constexpr runtime::options options{runtime::backend::automatic, 2};

template <class Scalar>
std::vector<Scalar> packed(shape of, std::size_t n, std::uint64_t seed) {
  std::vector<Scalar> values;
  for (auto const& point : make_cloud(of, n, seed)) {
    for (double const coordinate : point) values.push_back(static_cast<Scalar>(coordinate));
  }
  return values;
}

/// Compares searches in an index with searches among the points.
template <class Scalar>
void check_index() {
  using view = farpoint::point_view<Scalar>;
  using clouds = farpoint::batch<view>;
  auto const points = packed<Scalar>(shape::non_finite, 1200, 3);
  auto const queries = packed<Scalar>(shape::clusters, 300, 4);
  std::vector<index_t> const begins{0, 500, 1200};
  std::vector<index_t> const ends{0, 120, 300};
  auto const cloud = clouds::ragged(view{points.data(), 1200}, begins);
  auto const asked = clouds::ragged(view{queries.data(), 300}, ends);
  constexpr index_t k = 6;
  farpoint::radius_params ball;
  ball.radius = 0.3;
  ball.max_neighbors = k;

  runtime::point_index<Scalar> index;
  CHECK(index.size() == 0);
  std::vector<std::int32_t> expected(300 * k), found(300 * k);
  std::vector<Scalar> expected_distances(300 * k), found_distances(300 * k);
  CHECK(index.knn(asked, knn_params{k}, {found}).code == status::bad_argument);
  REQUIRE(index.build(cloud, options));
  CHECK(index.size() == 2);
  CHECK(index.where() == (runtime::cuda_available() ? runtime::backend::cuda : runtime::backend::host));

  farpoint::host_scratch const memory{std::max(knn_workspace_bytes(host_exec{1}, cloud, asked, knn_params{k}),
                                               interpolate_workspace_bytes(host_exec{1}, cloud, asked))};
  REQUIRE(knn(host_exec{1}, cloud, asked, knn_params{k}, {expected, expected_distances}, memory.get()));
  REQUIRE(index.knn(asked, knn_params{k}, {found, found_distances}));
  CHECK(same_bits(found, expected));
  CHECK(same_bits(found_distances, expected_distances));

  REQUIRE(radius(host_exec{1}, cloud, asked, ball, {expected, expected_distances}, memory.get()));
  REQUIRE(index.radius(asked, ball, {found, found_distances}));
  CHECK(same_bits(found, expected));
  CHECK(same_bits(found_distances, expected_distances));

  std::vector<float> features(1200);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(i);
  std::vector<float> expected_features(300), found_features(300);
  REQUIRE(interpolate(host_exec{1}, cloud, features, asked, 1, {expected_features}, memory.get()));
  REQUIRE(index.interpolate(features, asked, 1, {found_features}));
  CHECK(same_bits(found_features, expected_features));

  // A batch with another number of clouds; then other points in the same memory, and the index moved to another owner.
  CHECK(index.knn(clouds{view{queries.data(), 300}}, knn_params{k}, {found}).code == status::bad_argument);
  REQUIRE(index.build(clouds{view{queries.data(), 300}}, options));
  runtime::point_index<Scalar> other{std::move(index)};
  index = std::move(other);
  REQUIRE(index.knn(clouds{view{queries.data(), 300}}, knn_params{1}, {found}));
  CHECK(found[17] == 17);
  CHECK(index.build(clouds{view{nullptr, 300}}, options).code == status::bad_argument);
  CHECK(index.size() == 0);
}

/// Compares a map with std::map.
template <class Key, class Value>
void check_map(std::uint64_t seed) {
  constexpr std::size_t n = 3000;
  random_source random{seed};
  std::vector<Key> keys;
  std::vector<Value> values;
  std::map<Key, Value> least;
  for (std::size_t i = 0; i < n; ++i) {
    keys.push_back(static_cast<Key>(random.below(2000)));
    values.push_back(static_cast<Value>(random.next() >> 2));
  }
  keys[5] = static_cast<Key>(~std::uint64_t{0});  // the empty key
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 5) continue;
    auto const placed = least.emplace(keys[i], values[i]);
    placed.first->second = std::min(placed.first->second, values[i]);
  }

  runtime::hash_map<Key, Value> map;
  CHECK(map.insert(keys, values).code == status::bad_argument);
  CHECK(map.reset(-1).code == status::bad_argument);
  CHECK(map.reset(10, 0).code == status::bad_argument);
  REQUIRE(map.reset(2000, 0.5, options));
  CHECK(map.capacity() >= 4000);
  farpoint::hash_map_report report;
  REQUIRE(map.insert_or_min(keys, values, &report));
  CHECK(report.refused == 1);
  CHECK(report.no_room == 0);
  CHECK(map.insert(keys, span<Value const>{values}.first(3)).code == status::bad_argument);

  std::vector<Key> asked;
  for (Key key = 0; key < 2100; ++key) asked.push_back(key);
  std::vector<Value> found(asked.size());
  REQUIRE(map.find(asked, Value{1}, found));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    auto const place = least.find(asked[i]);
    REQUIRE(found[i] == (place == least.end() ? Value{1} : place->second));
  }

  std::vector<Key> sorted(2500, Key{77});
  std::vector<Value> theirs(2500, Value{78});
  std::uint64_t count = 0;
  REQUIRE(map.extract({sorted, theirs, &count}));
  REQUIRE(count == least.size());
  std::size_t i = 0;
  for (auto const& [key, value] : least) {
    REQUIRE(sorted[i] == key);
    REQUIRE(theirs[i] == value);
    ++i;
  }
  // Elements behind the entries are not written.
  CHECK(sorted[i] == Key{77});
  CHECK(theirs[2499] == Value{78});
  // Outputs smaller than the map get the smallest keys.
  std::vector<Key> few(10);
  REQUIRE(map.extract({few}));
  CHECK(std::equal(few.begin(), few.end(), sorted.begin()));

  std::vector<std::int32_t> slots(asked.size());
  std::vector<std::int32_t> again(asked.size());
  REQUIRE(map.find_or_insert(asked, slots));
  REQUIRE(map.find_slots(asked, again));
  CHECK(slots == again);
  // reset() empties the map and keeps the memory.
  REQUIRE(map.reset(100, 0.8, options));
  REQUIRE(map.insert_keys(span<Key const>{asked}.first(50)));
  REQUIRE(map.find_slots(asked, again));
  CHECK(std::count(again.begin(), again.end(), -1) == static_cast<std::ptrdiff_t>(asked.size()) - 50);
}

}  // namespace

TEST_CASE("the library keeps an index for host memory", "[runtime][knn]") {
  check_index<float>();
  check_index<double>();
}

TEST_CASE("the library keeps a hash map for host memory", "[runtime]") {
  check_map<std::uint32_t, std::uint32_t>(1);
  check_map<std::uint32_t, std::uint64_t>(2);
  check_map<std::uint64_t, std::uint32_t>(3);
  check_map<std::uint64_t, std::uint64_t>(4);
}

TEST_CASE("what the library keeps serves other threads than its own", "[runtime]") {
  runtime::hash_map<std::uint32_t, std::uint32_t> map;
  REQUIRE(map.reset(8000, 0.5, options));
  std::vector<int> done(8, 0);
  auto const in_each_thread = [&done](auto const& call) {
    std::vector<std::thread> callers;
    for (std::uint32_t t = 0; t < 8; ++t) {
      callers.emplace_back([&, t] {
        std::vector<std::uint32_t> keys, values;
        for (std::uint32_t i = 0; i < 1000; ++i) {
          keys.push_back(1000 * t + i);
          values.push_back(i);
        }
        done[t] += call(keys, values) ? 1 : 0;
      });
    }
    for (auto& caller : callers) caller.join();
  };
  in_each_thread([&map](auto const& keys, auto const& values) { return static_cast<bool>(map.insert(keys, values)); });
  in_each_thread([&map](auto const& keys, auto const& values) {
    std::vector<std::uint32_t> found(keys.size());
    return static_cast<bool>(map.find(keys, 7, found)) && found == values;
  });
  CHECK(done == std::vector<int>(8, 2));
}

TEST_CASE("a call of the library can be ended on the host", "[runtime][stop]") {
  using view = farpoint::point_view<float>;
  auto const points = packed<float>(shape::clusters, 20'000, 5);
  farpoint::batch<view> const cloud{view{points.data(), 20'000}};
  std::vector<std::int32_t> found(20'000 * 4, -7);
  farpoint::host_stop stop;
  stop.request();
  runtime::options const ended{runtime::backend::host, 2, &stop};
  runtime::options const whole{runtime::backend::host, 2};
  static_cast<void>(runtime::knn(cloud, knn_params{4}, {found}, ended));
  CHECK(std::count(found.begin(), found.end(), -7) == 20'000 * 4);

  // An index whose building was ended is none.
  runtime::point_index<float> index;
  static_cast<void>(index.build(cloud, ended));
  CHECK(index.size() == 0);
  CHECK(index.knn(cloud, knn_params{4}, {found}).code == status::bad_argument);
  REQUIRE(index.build(cloud, whole));
  CHECK(index.size() == 1);
  static_cast<void>(index.knn(cloud, knn_params{4}, {found}, nullptr, &stop));
  CHECK(std::count(found.begin(), found.end(), -7) == 20'000 * 4);
  REQUIRE(index.knn(cloud, knn_params{4}, {found}));
  CHECK(std::count(found.begin(), found.end(), -7) == 0);
}
