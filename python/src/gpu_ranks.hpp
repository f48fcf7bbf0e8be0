/// @file
/// Calls on ranks that are GPUs, behind an interface that a C++ compiler can read. The .cu files define them.
#pragma once

#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/points.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/scale/radius_shard.hpp>
#include <farpoint/scale/voxelize_shard.hpp>
#include <farpoint/types/fps_shard.hpp>
#include <farpoint/types/knn_shard.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace farpoint_python {

/// Finds the functions of NCCL: in the library that the process has loaded, otherwise in the system's.
/// @throws std::runtime_error  NCCL is missing, or older than 2.14
void load_nccl();

/// Bytes that rank 0 makes and all ranks connect with.
using nccl_id = std::array<char, 128>;

/// @throws std::runtime_error
nccl_id make_nccl_id();

/// Number of a GPU that no other one has, also on other hosts; not 0.
/// @throws std::runtime_error
std::int64_t gpu_number(int device);

/// Owner of the NCCL communicator of a rank. Used by one call at a time.
class gpu_ranks {
 public:
  /// Waits for all ranks. The device must be the current one, and load_nccl() must have found NCCL.
  /// @throws std::runtime_error
  gpu_ranks(nccl_id const& id, int ranks, int rank, int device, std::chrono::milliseconds timeout);
  gpu_ranks(gpu_ranks const&) = delete;
  gpu_ranks& operator=(gpu_ranks const&) = delete;
  /// Aborts.
  ~gpu_ranks();

  int device() const noexcept { return device_; }
  bool has_failed() const noexcept;
  /// Ends all exchanges of this rank, in progress and later. May be called repeatedly.
  void abort() noexcept;

  struct state;
  state const& own() const noexcept { return *state_; }

 private:
  int device_;
  std::unique_ptr<state> state_;
};

/// One call of a rank: its stream, its memory, and a check for interrupts and failures of other ranks while it waits.
class gpu_call {
 public:
  gpu_call(gpu_ranks& of, farpoint::cuda_exec on, std::chrono::milliseconds longest) noexcept
      : ranks{of}, exec{on}, timeout{longest} {}
  gpu_call(gpu_call const&) = delete;
  gpu_call& operator=(gpu_call const&) = delete;
  virtual ~gpu_call() = default;

  /// Device memory that the call keeps until it ends. May throw.
  virtual farpoint::bytes allocate(std::size_t size) = 0;
  /// True if the call must end without the other ranks. Called every 50 ms of a wait.
  virtual bool is_over() noexcept = 0;

  gpu_ranks& ranks;
  farpoint::cuda_exec exec;
  std::chrono::milliseconds timeout;
};

using gpu_part = farpoint::shard<farpoint::point_view<float>>;

/// @name Calls that return when the stream has done them
///
/// A failure that only this rank knows of has aborted the communicator.
/// @{
farpoint::result fps_on_gpus(gpu_call& call, gpu_part const& part, farpoint::fps_params const& params,
                             farpoint::fps_shard_output<float> const& out);
farpoint::result knn_on_gpus(gpu_call& call, gpu_part const& part, farpoint::point_view<float> const& queries,
                             farpoint::knn_params const& params, farpoint::knn_shard_output<float> const& out);
farpoint::result radius_on_gpus(gpu_call& call, gpu_part const& part, farpoint::point_view<float> const& queries,
                                farpoint::radius_params const& params, farpoint::radius_shard_output<float> const& out);
farpoint::result voxelize_on_gpus(gpu_call& call, gpu_part const& part, farpoint::voxelize_params<float> const& params,
                                  farpoint::voxelize_shard_output<float> const& out);
farpoint::result gather_on_gpus(gpu_call& call, farpoint::voxelize_params<float> const& params,
                                farpoint::voxelize_shard_output<float> const& own,
                                farpoint::voxelize_output<float> const& all);
/// @}

}  // namespace farpoint_python
