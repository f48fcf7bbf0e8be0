/// @file
/// Rows of voxelize_shard(). See README.md.

#include "ranks/cube.cuh"
#include "ranks/register.cuh"
#include "support/arguments.hpp"

#include <farpoint/scale/voxel_map.cuh>
#include <farpoint/scale/voxelize_shard.cuh>
#include <farpoint/voxelize.cuh>

#include <algorithm>
#include <cstring>

namespace farpoint_bench {
namespace {

/// A number for rows in any order.
struct row_sum {
  index_t rows = 0;
  std::uint64_t sum = 0;

  void add(index_t number, std::int32_t const* coords, std::int32_t count, float const* centroid) {
    std::uint64_t word = static_cast<std::uint64_t>(number) + 1;
    std::uint32_t parts[7];
    std::memcpy(parts, coords, 12);
    std::memcpy(parts + 3, &count, 4);
    std::memcpy(parts + 4, centroid, 12);
    for (std::uint32_t const part : parts) word = farpoint::mix_bits(word * 0x9e3779b97f4a7c15u + part);
    sum += word;
    ++rows;
  }
  bool operator==(row_sum const& other) const { return rows == other.rows && sum == other.sum; }
};

struct voxelize_case {
  static constexpr char const* function = "voxelize_shard";

  char const* what;
  index_t points;
  float edge;      ///< edge of the cube (m)
  float voxel;     ///< (m)
  index_t voxels;  ///< capacity in rows
  farpoint::voxel_mode mode;

  std::string name() const { return std::to_string(points) + "/" + what; }
  cube cloud() const { return {points, edge}; }
  farpoint::voxelize_params<float> params() const {
    farpoint::voxelize_params<float> params;
    auto const across = static_cast<std::int32_t>(edge / voxel + 0.5f);
    params.grid = {{{0, 0, 0}}, {{voxel, voxel, voxel}}, {{across, across, across}}};
    params.mode = mode;
    params.hash_seed = 1;
    return params;
  }
  workload work() const { return {static_cast<double>(points), 0, 12 * static_cast<double>(points)}; }

  using answer = row_sum;
  using share = row_sum;
  class whole;
  class part;

  static row_sum joined(std::vector<row_sum> const& shares) {
    row_sum all;
    for (row_sum const& own : shares) all = {all.rows + own.rows, all.sum + own.sum};
    return all;
  }
  void compare(row_sum const& expected, std::vector<row_sum> const& shares) const {
    if (!(joined(shares) == expected)) throw std::runtime_error{"ranks have other voxels than one GPU"};
  }
  void count(benchmark::State& state, std::vector<row_sum> const& shares) const {
    state.counters["voxels"] = static_cast<double>(joined(shares).rows);
  }
};

/// Rows on a GPU: cells, numbers of points, centroids.
class voxel_rows {
 public:
  explicit voxel_rows(index_t capacity)
      : capacity_{capacity},
        coords_{static_cast<std::size_t>(3 * capacity)},
        counts_{static_cast<std::size_t>(capacity)},
        centroids_{static_cast<std::size_t>(3 * capacity)},
        voxels_{1} {}

  /// @tparam Output  voxelize_output, or what a voxel map is read into
  template <class Output = farpoint::voxelize_output<float>>
  Output output() const {
    Output output;
    output.capacity = capacity_;
    output.coords = {coords_.data(), coords_.size()};
    output.points_per_voxel = farpoint::span<std::int32_t>{counts_.data(), counts_.size()};
    output.centroid = {centroids_.data(), centroids_.size()};
    output.voxel_count = farpoint::span<std::int32_t>{voxels_.data(), 1};
    return output;
  }

  /// @param number  number(row): which row it is of all
  template <class Number>
  row_sum sum(Number const& number) const {
    auto const coords = coords_.download();
    auto const counts = counts_.download();
    auto const centroids = centroids_.download();
    auto const voxels = static_cast<std::size_t>(voxels_.download()[0]);
    row_sum all;
    for (std::size_t r = 0; r < voxels; ++r) all.add(number(r), &coords[3 * r], counts[r], &centroids[3 * r]);
    return all;
  }

 private:
  index_t capacity_;
  device_buffer<std::int32_t> coords_;
  device_buffer<std::int32_t> counts_;
  device_buffer<float> centroids_;
  device_buffer<std::int32_t> voxels_;
};

farpoint::bytes bytes_of(device_buffer<unsigned char> const& memory) {
  return {memory.data(), memory.size()};
}

class voxelize_case::whole {
 public:
  whole(voxelize_case const& what, cudaStream_t stream)
      : cloud_{what.cloud(), 0, 1, stream},
        params_{what.params()},
        exec_{stream},
        rows_{what.voxels},
        workspace_{voxelize_workspace_bytes(exec_, cloud_.cloud(), params_, rows_.output())} {}

  void call() const {
    check(voxelize(exec_, cloud_.cloud(), params_, rows_.output(), bytes_of(workspace_)), "voxelize");
  }
  row_sum answer() const {
    return rows_.sum([](std::size_t row) { return static_cast<index_t>(row); });
  }

 private:
  part_of_cube cloud_;
  farpoint::voxelize_params<float> params_;
  farpoint::cuda_exec exec_;
  voxel_rows rows_;
  device_buffer<unsigned char> workspace_;
};

/// A cloud that no GPU holds: one GPU makes tile after tile, and inserts it into a voxel map.
struct tiled_voxelize_case : voxelize_case {
  class whole;
};

class tiled_voxelize_case::whole {
 public:
  whole(tiled_voxelize_case const& what, cudaStream_t stream)
      : all_{what.cloud()},
        exec_{stream},
        rows_{what.voxels},
        tile_{static_cast<std::size_t>(3 * tile_points)},
        map_memory_{voxel_map_bytes(params_of(what))},
        map_{params_of(what), bytes_of(map_memory_)},
        workspace_{voxel_map_insert_workspace_bytes(exec_, map_, tile(tile_points))} {}

  void call() const {
    check(voxel_map_clear(exec_, map_), "voxel_map_clear");
    for (index_t begin = 0; begin < all_.points; begin += tile_points) {
      index_t const size = std::min(tile_points, all_.points - begin);
      check(for_each_index(exec_, size, cube_step{tile_.data(), begin, all_}), "making points");
      check(voxel_map_insert(exec_, map_, tile(size), bytes_of(workspace_)), "voxel_map_insert");
    }
    check(voxel_map_read(exec_, map_, rows_.output<farpoint::voxel_map_output<float>>()), "voxel_map_read");
  }
  row_sum answer() const {
    return rows_.sum([](std::size_t row) { return static_cast<index_t>(row); });
  }

 private:
  static constexpr index_t tile_points = 50'000'000;

  static farpoint::voxel_map_params<float> params_of(tiled_voxelize_case const& what) {
    farpoint::voxel_map_params<float> params;
    params.grid = what.params().grid;
    params.mode = what.mode;
    params.capacity = what.voxels;
    params.parts.mean = false;
    params.hash_seed = 1;
    return params;
  }
  farpoint::voxel_map_tile<cube_view> tile(index_t size) const {
    farpoint::voxel_map_tile<cube_view> tile;
    tile.points = cube_view{tile_.data(), size};
    return tile;
  }

  cube all_;
  farpoint::cuda_exec exec_;
  voxel_rows rows_;
  device_buffer<float> tile_;
  device_buffer<unsigned char> map_memory_;
  farpoint::voxel_map<float> map_;
  device_buffer<unsigned char> workspace_;
};

class voxelize_case::part {
 public:
  part(voxelize_case const& what, farpoint::nccl_exec const& exec)
      : rank_{what.cloud(), exec},
        params_{what.params()},
        rows_{with_room(what.voxels / exec.ranks())},
        numbers_{static_cast<std::size_t>(rows_.output().capacity)},
        workspace_{voxelize_shard_workspace_bytes(rank_.stream(), exec.ranks(), rank_.shard(), params_, output())} {}

  farpoint::result call() {
    return voxelize_shard(rank_.stream(), rank_.exec, rank_.shard(), params_, output(), bytes_of(workspace_));
  }
  row_sum share() const {
    auto const numbers = numbers_.download();
    return rows_.sum([&](std::size_t row) { return numbers[row]; });
  }

 private:
  /// Owners are chosen by hash: some have more than their share.
  static index_t with_room(index_t share) { return share + share / 25 + 1000; }
  farpoint::voxelize_shard_output<float> output() const {
    farpoint::voxelize_shard_output<float> output;
    output.rows = rows_.output();
    output.numbers = {numbers_.data(), numbers_.size()};
    output.received_capacity = with_room(rank_.points().size());
    return output;
  }

  cube_rank rank_;
  farpoint::voxelize_params<float> params_;
  voxel_rows rows_;
  device_buffer<index_t> numbers_;
  device_buffer<unsigned char> workspace_;
};

}  // namespace

void register_voxelize(std::vector<int> const& gpus) {
  using farpoint::dynamic;
  using farpoint::hard;
  // 5 points a voxel, and 100; a detector's limits.
  register_case(voxelize_case{"dynamic", 10'000'000, 100, 0.8f, 2'100'000, dynamic{}}, gpus);
  register_case(voxelize_case{"dynamic", 100'000'000, 100, 0.37f, 21'000'000, dynamic{}}, gpus);
  register_case(voxelize_case{"dynamic_1000000_voxels", 100'000'000, 100, 1.0f, 1'000'000, dynamic{}}, gpus);
  register_case(voxelize_case{"hard", 100'000'000, 100, 0.37f, 21'000'000, hard{21'000'000, 5}}, gpus);
  if (wants("1000000000", "FARPOINT_HUGE")) {
    register_case(tiled_voxelize_case{{"dynamic", 1'000'000'000, 200, 0.8f, 16'000'000, dynamic{}}}, gpus,
                  {3, "a voxel map of tiles on one GPU"});
  }
}

}  // namespace farpoint_bench
