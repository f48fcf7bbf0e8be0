/// @file
/// Rows of fps_kernels of two floats. Needs nvcc.

#include "fps/kernels.cuh"

namespace farpoint_bench {
namespace {

/// A row of points in the plane.
constexpr fps_kernels_row pairs(farpoint::index_t clouds, farpoint::index_t points, farpoint::index_t samples) {
  return {clouds, points, samples, cloud_sizes::regular, 0, true, false, "_2d"};
}

constexpr fps_kernels_row rows[] = {
    pairs(16, 1'024, 512), pairs(32, 4'096, 1'024),  pairs(6, 10'000, 1'000),
    pairs(1, 16'384, 32),  pairs(1, 131'072, 4'096), pairs(1, 1'000'000, 10'000),
};

}  // namespace

std::shared_ptr<void> register_kernels_of_pairs(kernels_setting const& setting) {
  return register_kernels<farpoint::point_view<float, 2>, forced_regions<16, 2, 2, 2>, forced_regions<32, 4, 3, 3>,
                          forced_regions<16, 8, 4, 4>>(rows, setting);
}

}  // namespace farpoint_bench
