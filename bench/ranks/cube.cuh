/// @file
/// Points that are made where they are wanted: on any number of GPUs they are the same. Needs nvcc and nccl.h.
#pragma once

#include "ranks/cube.hpp"
#include "support/check.hpp"
#include "support/cuda_handles.hpp"

#include <farpoint/core/batch.hpp>
#include <farpoint/core/points.hpp>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/nccl_exec.cuh>

namespace farpoint_bench {

/// A rank's part of a cube, on the current GPU. One rank of one has all.
class part_of_cube {
 public:
  part_of_cube(cube const& all, int rank, int ranks, cudaStream_t stream)
      : memory_{static_cast<std::size_t>(3 * (all.begin(rank + 1, ranks) - all.begin(rank, ranks)))},
        shard_{cube_view{memory_.data(), static_cast<index_t>(memory_.size() / 3)}, all.begin(rank, ranks)} {
    cube_step const step{memory_.data(), shard_.first_index, all};
    check(for_each_index(farpoint::cuda_exec{stream}, shard_.points.size(), step), "making points");
    check(cudaStreamSynchronize(stream), "making points");
  }

  farpoint::shard<cube_view> const& shard() const { return shard_; }
  farpoint::batch<cube_view> cloud() const { return farpoint::batch<cube_view>{shard_.points}; }

 private:
  device_buffer<float> memory_;
  farpoint::shard<cube_view> shard_;
};

/// A rank that is a GPU, and its part.
struct cube_rank {
  farpoint::nccl_exec exec;
  part_of_cube part;

  cube_rank(cube const& all, farpoint::nccl_exec const& rank)
      : exec{rank}, part{all, rank.rank(), rank.ranks(), rank.stream} {}

  farpoint::shard<cube_view> const& shard() const { return part.shard(); }
  cube_view const& points() const { return part.shard().points; }
  farpoint::cuda_exec stream() const { return farpoint::cuda_exec{exec.stream}; }
};

}  // namespace farpoint_bench
