// A hash map in kernels of your own: how many points each cell of an endless grid has. No dense grid, no sort, no
// allocation in the kernel: the map is a view of memory that you own, and every thread may insert.
#include <farpoint/container/hash_map_ref.hpp>

#include <map>
#include <random>

#include "managed_array.hpp"

struct point {
  float x, y, z;
};

/// 21 bits an axis: the cell of a point, as a key. Whole numbers of cells away from the origin, negative ones too.
__host__ __device__ std::uint64_t cell_of(point const& p, float size) {
  auto const part = [size](float at) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(floorf(at / size)) & 0x1fffff);
  };
  return part(p.x) << 42 | part(p.y) << 21 | part(p.z);
}

//! [kernels]
using counter_map = farpoint::hash_map_ref<std::uint64_t, std::uint32_t>;

__global__ void clear(counter_map map) {
  auto const threads = static_cast<farpoint::index_t>(gridDim.x) * blockDim.x;
  map.clear(static_cast<farpoint::index_t>(blockIdx.x) * blockDim.x + threadIdx.x, threads);
}

/// A thread per point. Points without a slot in the full map are counted.
__global__ void count_points(point const* points, int n, float cell_size, counter_map map, unsigned* no_room) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  farpoint::index_t const slot = map.find_or_insert(cell_of(points[i], cell_size));
  if (slot == counter_map::npos) {
    atomicAdd(no_room, 1u);
  } else {
    map.value(slot).fetch_add(1);
  }
}

/// A thread per point: counts the other points of its cell. No thread changes the map, so loads may be cached.
__global__ void count_others(point const* points, int n, float cell_size, counter_map map, std::uint32_t* others) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) others[i] = map.value_or(cell_of(points[i], cell_size), 1, farpoint::unchanging) - 1;
}
//! [kernels]

int main() {
  if (!has_gpu()) return 77;
  constexpr int n = 100000;
  constexpr float cell_size = 0.8f;
  managed_array<point> points{n};
  std::mt19937 random{1};
  std::normal_distribution<float> meters{0, 15};
  for (std::size_t i = 0; i < n; ++i) points[i] = {meters(random), meters(random), meters(random) / 10};
  managed_array<std::uint32_t> others{n};
  managed_array<unsigned> no_room{1};
  no_room[0] = 0;

  //! [map]
  // Capacity for n cells, one for each point, at a load of at most one half. Counters begin at 0.
  auto const buckets = static_cast<std::size_t>(counter_map::buckets_for(n));
  managed_array<farpoint::hash_map_bucket> memory{buckets};
  counter_map const map{memory.span(), {}, farpoint::initial_value<std::uint32_t>{0}};
  //! [map]

  constexpr int blocks = (n + 255) / 256;
  clear<<<blocks, 256>>>(map);
  count_points<<<blocks, 256>>>(points.data(), n, cell_size, map, no_room.data());
  count_others<<<blocks, 256>>>(points.data(), n, cell_size, map, others.data());
  if (cudaError_t const error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    return 1;
  }

  // Checks the counts on the host, where the view works as well.
  std::map<std::uint64_t, std::uint32_t> expected;
  for (std::size_t i = 0; i < n; ++i) ++expected[cell_of(points[i], cell_size)];
  bool right = no_room[0] == 0 && map.size() == static_cast<farpoint::index_t>(expected.size());
  for (std::size_t i = 0; i < n; ++i) right = right && others[i] + 1 == expected[cell_of(points[i], cell_size)];
  std::printf("%d points in %zu cells: %s\n", n, expected.size(), right ? "right" : "WRONG");
  return right ? 0 : 1;
}
