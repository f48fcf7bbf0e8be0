/// @file
/// Rows of fps_kernels of three doubles. Needs nvcc.

#include "fps/kernels.cuh"

namespace farpoint_bench {
namespace {

/// A row of points in space.
constexpr fps_kernels_row doubles(farpoint::index_t clouds, farpoint::index_t points, farpoint::index_t samples,
                                  farpoint::index_t chosen = 0) {
  return {clouds, points, samples, cloud_sizes::regular, chosen, true, false, "_double"};
}

constexpr fps_kernels_row rows[] = {
    doubles(1, 1'024, 256),       doubles(1, 16'384, 32),        doubles(1, 131'072, 4'096),
    doubles(1, 1'000'000, 1'024), doubles(1, 1'000'000, 10'000), doubles(1, 131'072, 4'096, 1'000),
    doubles(16, 1'024, 512),      doubles(32, 4'096, 1'024),     doubles(6, 10'000, 1'000),
    doubles(64, 16'384, 1'024),   doubles(32, 2'048, 512),
};

}  // namespace

std::shared_ptr<void> register_kernels_of_doubles(kernels_setting const& setting) {
  return register_kernels<farpoint::point_view<double>, forced_regions<16, 2, 2, 2>, forced_regions<16, 2, 4, 4>,
                          forced_regions<16, 8, 4, 4>>(rows, setting);
}

}  // namespace farpoint_bench
