// The CUDA half of the compiled library, behind an interface that a C++ compiler can read.
#pragma once

#include <farpoint/runtime.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace runtime::detail {

/// fps() of packed host points on the current device. Arguments are checked already.
/// Throws std::bad_alloc when host memory runs out.
template <class Scalar>
result fps_on_cuda(batch<point_view<Scalar>> const& clouds, fps_params const& params, fps_output<Scalar> const& output,
                   run_info& info);

/// voxelize() of packed host points with packed float features on the current device. Arguments are checked already.
template <class Scalar>
result voxelize_on_cuda(batch<point_view<Scalar>> const& clouds, voxelize_params<Scalar> const& params,
                        voxelize_output<Scalar> const& output, run_info& info);

}  // namespace runtime::detail
FARPOINT_END_NAMESPACE
