/// @file
/// voxelize() with the first point of each row: the half of a CUDA stream. See noted_rows.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/voxelize/cuda.cuh>
#include <farpoint/scale/stream/voxelize/noted_rows.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The kernel that numbers voxels writes the notes.
template <>
class noted_voxelize<cuda_exec> {
 public:
  noted_voxelize(workspace_cutter&, index_t) noexcept {}

  template <class Points, class Scalar>
  result run(cuda_exec exec, Points const& cloud, voxelize_params<Scalar> const& params,
             voxelize_output<Scalar> const& output, voxelize_row_notes const& notes, bytes workspace) const noexcept {
    return voxelize_cuda<voxelize_selector>(exec, batch<Points>{cloud}, params, output, workspace, notes);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
