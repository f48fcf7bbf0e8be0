// Bounding boxes that the threads of a grid grow together, and cell keys in these boxes, compared with one host thread.
#include <farpoint/geometry/curve_grid.hpp>
#include <farpoint/grid/atomic_bounding_box.cuh>

#include <limits>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/random.hpp"

using namespace farpoint_tests;
using farpoint::bounding_box;
using farpoint::curve_grid;
using farpoint::hilbert_curve;
using farpoint::hilbert_table;
using farpoint::vec;
using farpoint::detail::atomic_bounding_box;
using farpoint::detail::set_accumulator;

namespace {

constexpr int block_size = 256;
constexpr int bits = 9;

/// A set of points as the threads see it.
template <class Scalar>
struct point_set {
  atomic_bounding_box<Scalar> box;
  std::uint32_t count;

  __device__ void grow(atomic_bounding_box<Scalar> const& by, std::uint32_t points) {
    by.grow(box);
    atomicAdd(&count, points);
  }
};

template <class Scalar>
struct found_set {
  bounding_box<Scalar> box;
  std::uint32_t count;
};

template <class Scalar>
__global__ void accumulate(vec<Scalar> const* points, std::uint32_t const* set_of, int size, point_set<Scalar>* sets) {
  using accumulator = set_accumulator<Scalar, point_set<Scalar>, block_size>;
  __shared__ typename accumulator::storage shared;
  accumulator seen{sets};
  // Each thread takes consecutive points, many of which are in one set.
  int const threads = static_cast<int>(gridDim.x) * block_size;
  int const each = (size + threads - 1) / threads;
  int const first = (static_cast<int>(blockIdx.x) * block_size + static_cast<int>(threadIdx.x)) * each;
  // The first half of the points is flushed before the second half is added.
  int const middle = first + each / 2;
  for (int i = first; i < middle && i < size; ++i) seen.add(set_of[i], points[i]);
  seen.flush_over_block(shared);
  __syncthreads();
  for (int i = middle; i < first + each && i < size; ++i) seen.add(set_of[i], points[i]);
  seen.flush_over_block(shared);
}

/// Every thread adds a point to set 0 and flushes it; then only thread 0 adds a point to set 1.
__global__ void accumulate_twice(point_set<float>* sets) {
  using accumulator = set_accumulator<float, point_set<float>, block_size>;
  __shared__ typename accumulator::storage shared;
  accumulator seen{sets};
  auto const x = static_cast<float>(threadIdx.x);
  seen.add(0, {{x, x, x}});
  seen.flush_over_block(shared);
  __syncthreads();
  if (threadIdx.x == 0) seen.add(1, {{-5, -6, -7}});
  seen.flush_over_block(shared);
}

template <class Scalar>
__global__ void read_sets(point_set<Scalar> const* sets, found_set<Scalar>* found) {
  found[threadIdx.x] = {sets[threadIdx.x].box.get(), sets[threadIdx.x].count};
}

/// Keys of the points in the box of set 0.
template <class Scalar>
__global__ void find_keys(vec<Scalar> const* points, int size, point_set<Scalar> const* sets, std::uint32_t* keys) {
  __shared__ std::uint64_t rows[hilbert_table::ways];
  if (threadIdx.x < hilbert_table::ways) rows[threadIdx.x] = hilbert_table::row(static_cast<int>(threadIdx.x));
  __syncthreads();
  curve_grid<Scalar> const grid{sets[0].box.get(), bits};
  for (int i = static_cast<int>(threadIdx.x); i < size; i += block_size) {
    keys[i] = grid.key_of(points[i], hilbert_table{rows}, bits);
  }
}

/// @param mixed  the points of a set do not follow one another
template <class Scalar>
void check_sets(int size, std::uint32_t sets, int blocks, Scalar scale, bool mixed) {
  CAPTURE(sizeof(Scalar), size, sets, blocks, scale, mixed);
  random_source random{static_cast<std::uint64_t>(size) * sets};
  std::vector<vec<Scalar>> points(static_cast<std::size_t>(size));
  std::vector<std::uint32_t> set_of(points.size());
  std::vector<found_set<Scalar>> expected(sets, {bounding_box<Scalar>::empty(), 0});
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis)
      points[i][axis] = (static_cast<Scalar>(random.uniform()) - Scalar(0.6)) * scale;
    set_of[i] = static_cast<std::uint32_t>(mixed && i > 0 ? random.below(sets) : i * sets / points.size());
    expected[set_of[i]].box.grow(points[i]);
    ++expected[set_of[i]].count;
  }
  device_array<vec<Scalar>> const points_there{points};
  device_array<std::uint32_t> const sets_of_there{set_of};
  device_array<point_set<Scalar>> const sets_there{sets};
  device_array<found_set<Scalar>> const found_there{sets};
  device_array<std::uint32_t> const keys_there{points.size()};
  REQUIRE_CUDA(cudaMemset(sets_there.data(), 0, sets * sizeof(point_set<Scalar>)));
  accumulate<<<static_cast<unsigned>(blocks), block_size>>>(points_there.data(), sets_of_there.data(), size,
                                                            sets_there.data());
  read_sets<<<1, sets>>>(sets_there.data(), found_there.data());
  find_keys<<<1, block_size>>>(points_there.data(), size, sets_there.data(), keys_there.data());
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  auto const found = found_there.download();
  bool same = true;
  for (std::size_t b = 0; b < sets; ++b) {
    same = same && found[b].count == expected[b].count;
    for (int axis = 0; axis < 3 && expected[b].count > 0; ++axis) {
      same = same && found[b].box.low[axis] == expected[b].box.low[axis];
      same = same && found[b].box.high[axis] == expected[b].box.high[axis];
    }
  }
  CHECK(same);
  auto const keys = keys_there.download();
  curve_grid<Scalar> const grid{expected[0].box, bits};
  bool same_keys = true;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    same_keys = same_keys && keys[i] == grid.key_of(points[i], hilbert_curve{}, bits);
  }
  CHECK(same_keys);
  CHECK(sets_there.intact());
}

template <class Scalar>
void check_all_sets() {
  for (int const size : {1, 31, 33, 1000, 20000}) {
    for (std::uint32_t const sets : {1u, 2u, 7u, 100u}) {
      for (int const blocks : {1, 5}) {
        for (bool const mixed : {false, true}) {
          check_sets<Scalar>(size, sets, blocks, 1, mixed);
          check_sets<Scalar>(size, sets, blocks, std::numeric_limits<Scalar>::max(), mixed);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("atomic_bounding_box: threads without points in a second flush do not widen its box",
          "[bounding_box][device]") {
  device_array<point_set<float>> const sets{2};
  device_array<found_set<float>> const found_there{2};
  REQUIRE_CUDA(cudaMemset(sets.data(), 0, 2 * sizeof(point_set<float>)));
  accumulate_twice<<<1, block_size>>>(sets.data());
  read_sets<<<1, 2>>>(sets.data(), found_there.data());
  REQUIRE_CUDA(cudaGetLastError());
  auto const found = found_there.download();
  CHECK(found[0].count == block_size);
  CHECK(found[1].count == 1);
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(found[0].box.low[axis] == 0);
    CHECK(found[0].box.high[axis] == block_size - 1);
    CHECK(found[1].box.low[axis] == static_cast<float>(-5 - axis));
    CHECK(found[1].box.high[axis] == static_cast<float>(-5 - axis));
  }
}

TEST_CASE("atomic_bounding_box: sets of points that a grid measures", "[bounding_box][device][sanitize]") {
  check_all_sets<float>();
  check_all_sets<double>();
}
