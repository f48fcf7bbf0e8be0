// Calls on shards on all GPUs of this machine, against one call on one of them: clouds are made on the GPUs, answers
// are compared bit by bit, and a row says how long both take. One process, a thread for each GPU.
//   farpoint_bench_ranks [--out FILE] [--repeats N] [--points N]
#include "support/cuda_handles.hpp"

#include <farpoint/fps.cuh>
#include <farpoint/knn.cuh>
#include <farpoint/scale/fps_shard.cuh>
#include <farpoint/scale/knn_shard.cuh>
#include <farpoint/scale/nccl_exec.cuh>
#include <farpoint/scale/voxelize_shard.cuh>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using farpoint::index_t;

namespace {

using view = farpoint::point_view<float>;
template <class T>
using device_memory = farpoint_bench::device_buffer<T>;

void check(cudaError_t error, char const* call) {
  farpoint_bench::check(error, call);
}
void check(ncclResult_t outcome, char const* call) {
  if (outcome != ncclSuccess) throw std::runtime_error{std::string{call} + ": " + ncclGetErrorString(outcome)};
}
void check(farpoint::result const& outcome, char const* call) {
  if (!outcome) throw std::runtime_error{std::string{call} + ": " + outcome.reason};
}

/// Points of a cube, a function of their index: the same on any number of GPUs. In tiles, those of higher index are
/// farther along x.
struct cube_step {
  float* to;  ///< `[n, 3]`
  index_t first;
  float edge;     ///< (m)
  index_t tiles;  ///< points of a tile; 0: none

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    for (int axis = 0; axis < 3; ++axis) {
      std::uint64_t const number = 3 * (static_cast<std::uint64_t>(first) + i) + static_cast<std::uint64_t>(axis);
      std::uint64_t const bits = farpoint::mix_bits(number + 0x9e3779b97f4a7c15u);
      float place = static_cast<float>(bits >> 40) * 0x1p-24f;
      if (axis == 0 && tiles > 0) place += static_cast<float>((first + static_cast<index_t>(i)) / tiles);
      to[3 * i + static_cast<std::uint64_t>(axis)] = edge * place;
    }
  }
};

/// A part of the cube on the current GPU.
class part_of_cube {
 public:
  part_of_cube(index_t first, index_t count, float edge, cudaStream_t stream, index_t tiles = 0)
      : memory_{static_cast<std::size_t>(3 * count)}, shard_{view{memory_.data(), count}, first} {
    check(for_each_index(farpoint::cuda_exec{stream}, count, cube_step{memory_.data(), first, edge, tiles}),
          "making points");
    check(cudaStreamSynchronize(stream), "making points");
  }
  farpoint::shard<view> const& shard() const { return shard_; }

 private:
  device_memory<float> memory_;
  farpoint::shard<view> shard_;
};

/// Threads wait for one another.
class meeting {
 public:
  explicit meeting(int size) : size_{size} {}
  void wait() {
    std::unique_lock<std::mutex> lock{mutex_};
    int const now = number_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++number_;
      all_.notify_all();
    } else {
      all_.wait(lock, [&] { return number_ != now; });
    }
  }

 private:
  int size_;
  int arrived_ = 0;
  int number_ = 0;
  std::mutex mutex_;
  std::condition_variable all_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

using clock_type = std::chrono::steady_clock;

/// Milliseconds from when all ranks begin until the stream is done.
template <class Call>
double milliseconds(cudaStream_t stream, meeting& all, Call const& call) {
  check(cudaStreamSynchronize(stream), "waiting");
  all.wait();
  auto const start = clock_type::now();
  call();
  check(cudaStreamSynchronize(stream), "the timed call");
  return std::chrono::duration<double, std::milli>(clock_type::now() - start).count();
}

/// Repeats after one warm-up; the median.
template <class Call>
double timed(cudaStream_t stream, meeting& all, int repeats, Call const& call) {
  std::vector<double> times;
  for (int i = 0; i <= repeats; ++i) {
    double const time = milliseconds(stream, all, call);
    if (i > 0) times.push_back(time);
  }
  return median(times);
}

struct row {
  std::string name;
  double one = 0;               ///< ms on one GPU; 0: it was not asked
  std::vector<double> ranks{};  ///< ms of each rank
  std::string answers{};        ///< whether they are equal
};

/// Runs work(rank, exec) on all GPUs.
class gpus {
 public:
  gpus() {
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    communicators_.resize(static_cast<std::size_t>(count));
    check(ncclCommInitAll(communicators_.data(), count, nullptr), "ncclCommInitAll");
  }
  int count() const { return static_cast<int>(communicators_.size()); }

  template <class Work>
  void run(Work const& work) const {
    meeting all{count()};
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count(); ++rank) {
      threads.emplace_back([&, rank] {
        check(cudaSetDevice(rank), "cudaSetDevice");
        farpoint_bench::owned_stream const stream;
        work(farpoint::nccl_exec{communicators_[static_cast<std::size_t>(rank)], stream.get()}, all);
      });
    }
    for (auto& thread : threads) thread.join();
  }
  /// On the first GPU alone.
  template <class Work>
  static void run_one(Work const& work) {
    check(cudaSetDevice(0), "cudaSetDevice");
    farpoint_bench::owned_stream const stream;
    meeting alone{1};
    work(farpoint::cuda_exec{stream.get()}, alone);
  }

 private:
  std::vector<ncclComm_t> communicators_;
};

index_t part_begin(index_t points, int rank, int ranks) {
  return points * rank / ranks;
}

// --- voxelize ---

struct voxel_case {
  std::string name;
  index_t points;
  float edge;      ///< of the cube (m)
  float voxel;     ///< (m)
  index_t voxels;  ///< rows that there is room for
  farpoint::voxel_mode mode;

  farpoint::voxelize_params<float> params() const {
    farpoint::voxelize_params<float> params;
    auto const across = static_cast<std::int32_t>(edge / voxel + 0.5f);
    params.grid = {{{0, 0, 0}}, {{voxel, voxel, voxel}}, {{across, across, across}}};
    params.mode = mode;
    params.hash_seed = 1;
    return params;
  }
};

/// Rows in device memory: cells, numbers of points, centroids.
class voxel_rows {
 public:
  explicit voxel_rows(index_t capacity)
      : capacity_{capacity},
        coords_{static_cast<std::size_t>(3 * capacity)},
        counts_{static_cast<std::size_t>(capacity)},
        centroids_{static_cast<std::size_t>(3 * capacity)},
        voxels_{1} {}

  farpoint::voxelize_output<float> output() const {
    farpoint::voxelize_output<float> output;
    output.capacity = capacity_;
    output.coords = {coords_.data(), coords_.size()};
    output.points_per_voxel = farpoint::span<std::int32_t>{counts_.data(), counts_.size()};
    output.centroid = {centroids_.data(), centroids_.size()};
    output.voxel_count = farpoint::span<std::int32_t>{voxels_.data(), 1};
    return output;
  }

  std::vector<std::int32_t> coords() const { return coords_.download(); }
  std::vector<std::int32_t> counts() const { return counts_.download(); }
  std::vector<float> centroids() const { return centroids_.download(); }
  index_t voxels() const { return voxels_.download()[0]; }

 private:
  index_t capacity_;
  device_memory<std::int32_t> coords_;
  device_memory<std::int32_t> counts_;
  device_memory<float> centroids_;
  device_memory<std::int32_t> voxels_;
};

/// A number for each row, for comparing: one for all rows by their numbers.
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
  void add(voxel_rows const& own, index_t const* numbers) {
    auto const coords = own.coords();
    auto const counts = own.counts();
    auto const centroids = own.centroids();
    auto const count = static_cast<std::size_t>(own.voxels());
    for (std::size_t r = 0; r < count; ++r) {
      add(numbers == nullptr ? static_cast<index_t>(r) : numbers[r], &coords[3 * r], counts[r], &centroids[3 * r]);
    }
  }
  bool operator==(row_sum const& other) const { return rows == other.rows && sum == other.sum; }
};

row voxelize_row(gpus const& all, voxel_case const& what, int repeats, bool compares) {
  row row{"voxelize, " + what.name};
  auto const params = what.params();
  row_sum expected;
  if (compares) {
    gpus::run_one([&](farpoint::cuda_exec exec, meeting& alone) {
      part_of_cube const cloud{0, what.points, what.edge, exec.stream};
      voxel_rows const rows{what.voxels};
      farpoint::batch<view> const batch{cloud.shard().points};
      device_memory<unsigned char> const workspace{voxelize_workspace_bytes(exec, batch, params, rows.output())};
      row.one = timed(exec.stream, alone, repeats, [&] {
        check(voxelize(exec, batch, params, rows.output(), {workspace.data(), workspace.size()}), "voxelize");
      });
      expected.add(rows, nullptr);
    });
  }
  row.ranks.resize(static_cast<std::size_t>(all.count()));
  row_sum sum;
  std::mutex mutex;
  all.run([&](farpoint::nccl_exec const& exec, meeting& meeting) {
    int const rank = exec.rank();
    index_t const begin = part_begin(what.points, rank, all.count());
    index_t const size = part_begin(what.points, rank + 1, all.count()) - begin;
    part_of_cube const part{begin, size, what.edge, exec.stream};
    voxel_rows const rows{what.voxels / all.count() + what.voxels / 50 + 1000};
    device_memory<index_t> const numbers{static_cast<std::size_t>(rows.output().capacity)};
    farpoint::voxelize_shard_output<float> output;
    output.rows = rows.output();
    output.numbers = {numbers.data(), numbers.size()};
    output.received_capacity = size + size / 50 + 1000;
    farpoint::cuda_exec const stream{exec.stream};
    device_memory<unsigned char> const workspace{
        voxelize_shard_workspace_bytes(stream, all.count(), part.shard(), params, output)};
    row.ranks[static_cast<std::size_t>(rank)] = timed(exec.stream, meeting, repeats, [&] {
      check(voxelize_shard(stream, exec, part.shard(), params, output, {workspace.data(), workspace.size()}),
            "voxelize_shard");
    });
    if (!compares) return;
    auto const own = numbers.download();
    std::lock_guard<std::mutex> const lock{mutex};
    sum.add(rows, own.data());
  });
  if (compares) row.answers = sum == expected ? "equal, " + std::to_string(sum.rows) + " voxels" : "DIFFERENT";
  return row;
}

// --- fps ---

row fps_row(gpus const& all, index_t points, index_t samples, int repeats) {
  row row{"fps, " + std::to_string(points) + " -> " + std::to_string(samples)};
  auto const size = static_cast<std::size_t>(samples);
  farpoint::fps_params params;
  params.samples = samples;
  std::vector<index_t> expected;
  gpus::run_one([&](farpoint::cuda_exec exec, meeting& alone) {
    part_of_cube const cloud{0, points, 100, exec.stream};
    farpoint::batch<view> const batch{cloud.shard().points};
    device_memory<index_t> const indices{size};
    device_memory<float> const distances{size};
    farpoint::fps_output<float> output;
    output.indices = farpoint::span<index_t>{indices.data(), size};
    output.distances = {distances.data(), size};
    device_memory<unsigned char> const workspace{fps_workspace_bytes(exec, batch, params)};
    row.one = timed(exec.stream, alone, repeats, [&] {
      check(fps(exec, batch, params, output, {workspace.data(), workspace.size()}), "fps");
    });
    expected = indices.download();
  });
  row.ranks.resize(static_cast<std::size_t>(all.count()));
  std::mutex mutex;
  bool equal = true;
  index_t exchanges = 0;
  all.run([&](farpoint::nccl_exec const& exec, meeting& meeting) {
    int const rank = exec.rank();
    index_t const begin = part_begin(points, rank, all.count());
    part_of_cube const part{begin, part_begin(points, rank + 1, all.count()) - begin, 100, exec.stream};
    device_memory<index_t> const indices{size};
    device_memory<float> const distances{size};
    farpoint::fps_shard_output<float> output;
    index_t made = 0;
    output.indices = {indices.data(), size};
    output.distances = {distances.data(), size};
    output.exchanges = &made;
    farpoint::cuda_exec const stream{exec.stream};
    device_memory<unsigned char> const workspace{
        fps_shard_workspace_bytes(stream, all.count(), part.shard(), params, output)};
    row.ranks[static_cast<std::size_t>(rank)] = timed(exec.stream, meeting, repeats, [&] {
      check(fps_shard(stream, exec, part.shard(), params, output, {workspace.data(), workspace.size()}), "fps_shard");
    });
    auto const own = indices.download();
    std::lock_guard<std::mutex> const lock{mutex};
    equal = equal && own == expected;
    exchanges = made;
  });
  row.answers = (equal ? "equal, " : "DIFFERENT, ") + std::to_string(exchanges) + " exchanges";
  return row;
}

// --- knn ---

/// @param tiles  points of a tile; 0: every part is all over the cube
row knn_row(gpus const& all, index_t points, index_t k, index_t tiles, int repeats) {
  row row{"knn, " + std::to_string(points) + ", k " + std::to_string(k) + (tiles > 0 ? ", tiles" : ", no tiles")};
  farpoint::exact const method{};
  std::vector<std::int32_t> expected;
  gpus::run_one([&](farpoint::cuda_exec exec, meeting& alone) {
    part_of_cube const cloud{0, points, 100, exec.stream, tiles};
    farpoint::batch<view> const batch{cloud.shard().points};
    device_memory<std::int32_t> const indices{static_cast<std::size_t>(points * k)};
    device_memory<float> const distances{indices.size()};
    farpoint::knn_output<float> output;
    output.indices = farpoint::span<std::int32_t>{indices.data(), indices.size()};
    output.distances = {distances.data(), distances.size()};
    device_memory<unsigned char> const workspace{knn_workspace_bytes(exec, batch, method, k)};
    row.one = timed(exec.stream, alone, repeats, [&] {
      check(knn(exec, batch, method, k, output, {workspace.data(), workspace.size()}), "knn");
    });
    expected = indices.download();
  });
  row.ranks.resize(static_cast<std::size_t>(all.count()));
  std::mutex mutex;
  bool equal = true;
  index_t exchanged = 0;
  all.run([&](farpoint::nccl_exec const& exec, meeting& meeting) {
    int const rank = exec.rank();
    index_t const begin = part_begin(points, rank, all.count());
    index_t const size = part_begin(points, rank + 1, all.count()) - begin;
    part_of_cube const part{begin, size, 100, exec.stream, tiles};
    device_memory<index_t> const indices{static_cast<std::size_t>(size * k)};
    device_memory<float> const distances{indices.size()};
    farpoint::knn_shard_output<float> output;
    index_t sent = 0;
    output.indices = {indices.data(), indices.size()};
    output.distances = {distances.data(), distances.size()};
    output.exchanged_capacity = size * (all.count() - 1);
    output.exchanged = &sent;
    farpoint::cuda_exec const stream{exec.stream};
    view const queries = part.shard().points;
    device_memory<unsigned char> const workspace{
        knn_shard_workspace_bytes(stream, all.count(), part.shard(), queries, method, k, output)};
    row.ranks[static_cast<std::size_t>(rank)] = timed(exec.stream, meeting, repeats, [&] {
      check(knn_shard(stream, exec, part.shard(), queries, method, k, output, {workspace.data(), workspace.size()}),
            "knn_shard");
    });
    auto const own = indices.download();
    std::lock_guard<std::mutex> const lock{mutex};
    equal = equal && std::equal(own.begin(), own.end(), expected.begin() + begin * k);
    exchanged = std::max(exchanged, sent);
  });
  row.answers = (equal ? "equal, " : "DIFFERENT, ") + std::to_string(exchanged) + " queries exchanged";
  return row;
}

void print(std::FILE* to, row const& row) {
  double const slowest = *std::max_element(row.ranks.begin(), row.ranks.end());
  std::fprintf(to, "%-44s one %9.3f ms  %zu GPUs %9.3f ms  x %5.2f  %s\n", row.name.c_str(), row.one, row.ranks.size(),
               slowest, row.one / slowest, row.answers.c_str());
  std::fflush(to);
}

}  // namespace

int main(int argc, char** argv) {
  std::FILE* out = nullptr;
  int repeats = 9;
  index_t most = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--out") == 0) out = std::fopen(argv[i + 1], "w");
    if (std::strcmp(argv[i], "--repeats") == 0) repeats = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--points") == 0) most = std::atoll(argv[i + 1]);
  }
  try {
    gpus const all;
    auto const show = [&](row const& row) {
      print(stdout, row);
      if (out != nullptr) print(out, row);
    };
    for (index_t const points : {1'000'000, 10'000'000}) {
      for (index_t const samples : {1'000, 10'000, 100'000}) show(fps_row(all, points, samples, repeats));
    }
    using farpoint::dynamic;
    using farpoint::hard;
    // 5 points a voxel, and 100; a detector's limits.
    show(voxelize_row(all, {"10 M points, dynamic", 10'000'000, 100, 0.8f, 2'100'000, dynamic{}}, repeats, true));
    show(voxelize_row(all, {"100 M points, dynamic", 100'000'000, 100, 0.37f, 21'000'000, dynamic{}}, repeats, true));
    show(voxelize_row(all, {"100 M points, dynamic, 1 M voxels", 100'000'000, 100, 1.0f, 1'000'000, dynamic{}}, repeats,
                      true));
    show(voxelize_row(all, {"100 M points, hard", 100'000'000, 100, 0.37f, 21'000'000, hard{21'000'000, 5}}, repeats,
                      true));
    show(knn_row(all, 20'000'000, 8, 10'000'000, repeats));
    show(knn_row(all, 20'000'000, 8, 0, repeats));
    if (most > 0) {
      show(voxelize_row(all, {std::to_string(most) + " points, dynamic", most, 200, 0.8f, 16'000'000, dynamic{}}, 2,
                        false));
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  if (out != nullptr) std::fclose(out);
  return 0;
}
