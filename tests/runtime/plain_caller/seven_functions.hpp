// Calls of the library from a plain C++ file, without nvcc and without CUDA's headers.
#pragma once

#include <farpoint/runtime.hpp>

namespace farpoint_tests {

/// A cloud and what is made of it, all in device memory.
struct frame_memory {
  farpoint::span<float const> points;   ///< `[n, 3]`
  farpoint::span<float> means;          ///< `[capacity, 3]`: of the points of each voxel
  farpoint::span<std::int64_t> voxels;  ///< `[1]`
  farpoint::span<std::int32_t> samples;
  farpoint::span<std::int32_t> neighbors;  ///< `[n, 8]`
  farpoint::span<std::int32_t> balls;      ///< `[n, 16]`
  farpoint::span<float> normals;           ///< `[n, 3]`
  farpoint::span<float> distances;         ///< `[n]`
  farpoint::span<float> interpolated;      ///< `[n, 3]`
};

/// Bytes of workspace for process_frame(), one call after another.
std::size_t frame_workspace_bytes(farpoint::cuda_exec exec, frame_memory const& memory);

/// Enqueues seven functions of the library.
farpoint::result process_frame(farpoint::cuda_exec exec, frame_memory const& memory, farpoint::bytes workspace);

}  // namespace farpoint_tests
