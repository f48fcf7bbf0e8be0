/// @file
/// Hard voxelization as detectors usually do it on a GPU. Needs nvcc.
///
/// A hash table with two slots per point, filled by compare-and-swap, numbers the voxels in the order in which threads
/// arrive. Points are copied to `[voxels, max points, features]` at offsets from an atomic counter per voxel; a last
/// kernel averages. Before each call table, counters and copies are cleared, and the number of voxels is copied to the
/// host in the middle. The order of voxels, the set of kept voxels and points, and the last bits of the means change
/// from run to run.
#pragma once

#include "peers/voxelize_args.hpp"
#include "support/cuda_handles.hpp"

#include <cstddef>
#include <cstdint>

namespace farpoint_bench {

struct voxelize_published_args : voxelize_args {
  std::uint32_t* keys;    ///< `[slots]`; all ones: empty
  std::uint32_t* values;  ///< `[slots]`: number of the voxel
  std::uint32_t slots;
  std::uint32_t* arrived;  ///< `[1]`: voxels
  std::uint32_t* filled;   ///< `[max_voxels]`: points of the voxel, kept or not
  float* copies;           ///< `[max_voxels, max_points, 5]`
};

inline constexpr std::uint32_t published_empty = 0xffffffffu;

/// First slot of a key: the finalizer of MurmurHash3 (Appleby), spread over the table by its high bits.
__device__ __forceinline__ std::uint32_t published_slot(std::uint32_t key, std::uint32_t slots) {
  key = (key ^ (key >> 16)) * 0x85ebca6bu;
  key = (key ^ (key >> 13)) * 0xc2b2ae35u;
  return __umulhi(key ^ (key >> 16), slots);
}

/// False for a point outside of the grid.
__device__ __forceinline__ bool published_key(voxelize_published_args const& args, std::uint32_t point,
                                              farpoint::vec<std::int32_t>& at, std::uint32_t& key) {
  float const* const p = args.points + std::size_t{point} * 5;
  if (!farpoint::voxel_of(args.grid, farpoint::vec<float>{{p[0], p[1], p[2]}}, at)) return false;
  key = static_cast<std::uint32_t>(farpoint::cell_of(args.grid, at));
  return true;
}

static __global__ void __launch_bounds__(256) published_build(voxelize_published_args const args) {
  std::uint32_t const point = blockIdx.x * 256 + threadIdx.x;
  farpoint::vec<std::int32_t> at;
  std::uint32_t key;
  if (point >= args.count || !published_key(args, point, at, key)) return;
  // At most half of the slots are taken, so the walk ends.
  for (std::uint32_t slot = published_slot(key, args.slots);; slot = slot + 1 == args.slots ? 0 : slot + 1) {
    std::uint32_t const found = atomicCAS(args.keys + slot, published_empty, key);
    if (found == published_empty) args.values[slot] = atomicAdd(args.arrived, 1u);
    if (found == published_empty || found == key) return;
  }
}

static __global__ void __launch_bounds__(256) published_scatter(voxelize_published_args const args) {
  std::uint32_t const point = blockIdx.x * 256 + threadIdx.x;
  farpoint::vec<std::int32_t> at;
  std::uint32_t key;
  if (point >= args.count || !published_key(args, point, at, key)) return;
  std::uint32_t slot = published_slot(key, args.slots);
  while (args.keys[slot] != key) slot = slot + 1 == args.slots ? 0 : slot + 1;
  std::uint32_t const voxel = args.values[slot];
  if (voxel >= args.max_voxels) return;
  std::uint32_t const place = atomicAdd(args.filled + voxel, 1u);
  if (place >= args.max_points) return;
  float const* const from = args.points + std::size_t{point} * 5;
  float* const to = args.copies + (std::size_t{voxel} * args.max_points + place) * 5;
  for (int f = 0; f < 5; ++f) to[f] = from[f];
  if (place != 0) return;
  for (int axis = 0; axis < 3; ++axis) args.coords[std::size_t{voxel} * 3 + static_cast<unsigned>(axis)] = at[axis];
}

/// A thread for each feature of the first `voxels` voxels, or of all voxels if they are fewer.
static __global__ void __launch_bounds__(256)
    published_average(voxelize_published_args const args, std::uint32_t voxels) {
  std::uint32_t const thread = blockIdx.x * 256 + threadIdx.x;
  std::uint32_t const voxel = thread / 5;
  if (voxel >= min(voxels, *args.arrived)) return;
  std::uint32_t const feature = thread % 5;
  std::uint32_t const kept = min(args.filled[voxel], args.max_points);
  float const* const from = args.copies + std::size_t{voxel} * args.max_points * 5;
  float sum = 0;
  for (std::uint32_t k = 0; k < kept; ++k) sum += from[k * 5 + feature];
  args.means[thread] = sum / static_cast<float>(kept);
  if (feature == 0) args.counts[voxel] = static_cast<std::int32_t>(kept);
}

/// Memory that the host reads the device's counts from.
class pinned_count {
 public:
  pinned_count() { check(cudaMallocHost(reinterpret_cast<void**>(&value_), sizeof(std::uint32_t)), "cudaMallocHost"); }
  pinned_count(pinned_count const&) = delete;
  pinned_count& operator=(pinned_count const&) = delete;
  ~pinned_count() { static_cast<void>(cudaFreeHost(value_)); }
  std::uint32_t* get() const noexcept { return value_; }

 private:
  std::uint32_t* value_ = nullptr;
};

/// The baseline's own memory for a row.
class published_voxelizer {
 public:
  explicit published_voxelizer(voxelize_row const& row)
      : keys_{2 * static_cast<std::size_t>(row.view_points())},
        values_{keys_.size()},
        arrived_{1},
        filled_{static_cast<std::size_t>(row.max_voxels)},
        copies_{static_cast<std::size_t>(row.max_voxels * row.max_points * 5)} {}

  /// Enqueues it. `read_back`: waits for the number of voxels in the middle, as is usual; otherwise the last kernel
  /// takes it from the device, which a graph can hold, and it is copied to the host at the end.
  void launch(cudaStream_t stream, voxelize_args const& common, bool read_back) const {
    voxelize_published_args const args = args_of(common);
    clear(stream, keys_, 0xff);
    clear(stream, values_, 0xff);
    clear(stream, arrived_, 0);
    clear(stream, filled_, 0);
    clear(stream, copies_, 0);
    published_build<<<blocks(args.count), 256, 0, stream>>>(args);
    check(cudaGetLastError(), "published_build");
    published_scatter<<<blocks(args.count), 256, 0, stream>>>(args);
    check(cudaGetLastError(), "published_scatter");
    if (read_back) {
      copy_count(stream);
      check(cudaStreamSynchronize(stream), "published: the number of voxels");
      average(stream, args, *on_host_.get());
    } else {
      average(stream, args, args.max_voxels);
      copy_count(stream);
    }
  }

  /// Voxels that the last call met; waits for the device.
  std::uint32_t voxels() const { return arrived_.download()[0]; }

 private:
  static unsigned blocks(std::uint32_t threads) { return (threads + 255) / 256; }

  template <class T>
  static void clear(cudaStream_t stream, device_buffer<T> const& buffer, int byte) {
    check(cudaMemsetAsync(buffer.data(), byte, buffer.size() * sizeof(T), stream), "cudaMemsetAsync");
  }

  void copy_count(cudaStream_t stream) const {
    check(cudaMemcpyAsync(on_host_.get(), arrived_.data(), sizeof(std::uint32_t), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
  }

  static void average(cudaStream_t stream, voxelize_published_args const& args, std::uint32_t voxels) {
    std::uint32_t const written = voxels < args.max_voxels ? voxels : args.max_voxels;
    if (written == 0) return;
    published_average<<<blocks(written * 5), 256, 0, stream>>>(args, written);
    check(cudaGetLastError(), "published_average");
  }

  voxelize_published_args args_of(voxelize_args const& common) const {
    return {common,          keys_.data(),   values_.data(), static_cast<std::uint32_t>(keys_.size()),
            arrived_.data(), filled_.data(), copies_.data()};
  }

  device_buffer<std::uint32_t> keys_;
  device_buffer<std::uint32_t> values_;
  device_buffer<std::uint32_t> arrived_;
  device_buffer<std::uint32_t> filled_;
  device_buffer<float> copies_;
  pinned_count on_host_;
};

}  // namespace farpoint_bench
