// Voxels by each algorithm, and hash maps of each layout.
#include <farpoint/hash_map.cuh>
#include <farpoint/voxelize.cuh>
#include <farpoint/voxelize.hpp>

#include "two_sides.cuh"

using namespace farpoint_tests;
using farpoint::hash_map_layout;
using farpoint::voxelize_algorithm;
using farpoint::voxelize_numbering;

namespace {

template <voxelize_algorithm Algorithm, voxelize_numbering Numbering>
struct by : farpoint::voxelize_selector {
  static constexpr voxelize_algorithm choose(farpoint::voxelize_case const&) noexcept { return Algorithm; }
  static constexpr voxelize_numbering number(farpoint::voxelize_case const&) noexcept { return Numbering; }
};

template <class Selector>
void check_voxels(farpoint::voxel_order order) {
  CAPTURE(static_cast<int>(order));
  constexpr std::size_t rows = 6000, kept = 5;
  std::vector<float> const points = cube_of(50000);
  check_both_sides([&](auto side) {
    using type = decltype(side);
    typename type::template array<float> const xyz{points};
    typename type::template array<std::int32_t> const coords{3 * rows}, sizes{rows}, row_of{50000}, count{1};
    typename type::template array<float> const means{3 * rows};
    typename type::template array<farpoint::voxelize_report> const report{1};
    auto const cloud = clouds_in(xyz);
    farpoint::voxelize_params<float> params;
    params.grid = farpoint::voxel_grid<float>::from_range({{-16, -16, -16}}, {{16, 16, 16}}, {{2, 2, 1}});
    params.mode = farpoint::hard{rows, kept};
    params.order = order;
    params.features = farpoint::feature_view::packed<float>(xyz.data(), 50000, 3);
    farpoint::voxelize_output<float> output;
    output.capacity = rows;
    output.coords = all_of(coords);
    output.points_per_voxel = all_of(sizes);
    output.mean = all_of(means);
    output.point_voxel = all_of(row_of);
    output.voxel_count = all_of(count);
    output.report = report.data();
    auto const run = [&](std::size_t size, auto const& call) {
      typename type::template array<unsigned char> const workspace{size};
      REQUIRE(call(all_of(workspace)));
      side.wait();
      CHECK(workspace.intact());
    };
    if constexpr (std::is_same_v<type, device_side>) {
      run(farpoint::voxelize_workspace_bytes<Selector>(side.exec(), cloud, params, output),
          [&](farpoint::bytes memory) {
            return farpoint::voxelize<Selector>(side.exec(), cloud, params, output, memory);
          });
    } else {
      run(farpoint::voxelize_workspace_bytes(side.exec(), cloud, params, output),
          [&](farpoint::bytes memory) { return farpoint::voxelize(side.exec(), cloud, params, output, memory); });
    }
    return written_to(coords, sizes, means, row_of, count, report);
  });
}

template <hash_map_layout Layout>
struct laid_out : farpoint::hash_map_tuning {
  static constexpr hash_map_layout layout = Layout;
};

/// Values by key, of keys that are there and of others, whatever slots they are in.
template <class Key, class Value, hash_map_layout Layout>
void check_map() {
  using map_type = farpoint::hash_map_ref<Key, Value, farpoint::default_hash, laid_out<Layout>>;
  CAPTURE(sizeof(Key), sizeof(Value), static_cast<int>(Layout));
  constexpr std::size_t size = 100000;
  random_source random{6};
  std::vector<Key> keys(2 * size);
  std::vector<Value> values(size);
  // Odd multiples of the index: no two are equal.
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<Key>((i + 1) * 0x9e3779b97f4a7c15ull);
  for (Value& value : values) value = static_cast<Value>(random.next() >> 1);
  check_both_sides([&](auto side) {
    using type = decltype(side);
    typename type::template array<farpoint::hash_map_bucket> const buckets{
        static_cast<std::size_t>(map_type::buckets_for(2 * size))};
    map_type const map{all_of(buckets)};
    typename type::template array<Key> const all_keys{keys};
    typename type::template array<Value> const given{values}, found{2 * size};
    span<Key const> const there{all_keys.data(), size};
    REQUIRE(farpoint::hash_map_clear(side.exec(), map));
    REQUIRE(farpoint::hash_map_insert(side.exec(), map, there.subspan(0, size / 2),
                                      span<Value const>{given.data(), size / 2}));
    REQUIRE(farpoint::hash_map_insert_or_min(side.exec(), map, there, span<Value const>{given.data(), size}));
    REQUIRE(
        farpoint::hash_map_find(side.exec(), map, span<Key const>{all_keys.data(), 2 * size}, Value(0), all_of(found)));
    side.wait();
    CHECK(buckets.intact());
    return written_to(found);
  });
}

template <class Key, class Value>
void check_layouts() {
  check_map<Key, Value, hash_map_layout::pairs>();
  check_map<Key, Value, hash_map_layout::split>();
}

}  // namespace

TEST_CASE("compiled for another GPU: voxelize in each algorithm", "[voxelize][device]") {
  using farpoint::voxel_order;
  check_voxels<farpoint::voxelize_selector>(voxel_order::first_occurrence);
  check_voxels<farpoint::voxelize_selector>(voxel_order::grid);
  check_voxels<by<voxelize_algorithm::sort, voxelize_numbering::table>>(voxel_order::first_occurrence);
  check_voxels<by<voxelize_algorithm::sort, voxelize_numbering::table>>(voxel_order::grid);
}

TEST_CASE("compiled for another GPU: hash maps of each layout", "[hash_map][device]") {
  check_layouts<std::uint32_t, std::uint32_t>();
  check_layouts<std::uint64_t, std::uint32_t>();
  check_layouts<std::uint64_t, std::uint64_t>();
}
