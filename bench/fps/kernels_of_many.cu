/// @file
/// Rows of fps_kernels of four and eight floats. Needs nvcc.

#include "fps/kernels.cuh"

#include <utility>

namespace farpoint_bench {
namespace {

/// A row of points of several coordinates. @param type  "_4d"
constexpr fps_kernels_row many(char const* type, farpoint::index_t clouds, farpoint::index_t points,
                               farpoint::index_t samples) {
  return {clouds, points, samples, cloud_sizes::regular, 0, true, false, type};
}

constexpr fps_kernels_row of_four[] = {
    many("_4d", 16, 1'024, 512),  many("_4d", 32, 4'096, 1'024),  many("_4d", 6, 10'000, 1'000),
    many("_4d", 16, 16'384, 256), many("_4d", 1, 131'072, 1'024), many("_4d", 16, 8'192, 1'024),
};

constexpr fps_kernels_row of_eight[] = {
    many("_8d", 16, 1'024, 512),
    many("_8d", 16, 4'096, 1'024),
    many("_8d", 1, 16'384, 1'024),
};

}  // namespace

std::shared_ptr<void> register_kernels_of_many(kernels_setting const& setting) {
  using both = std::pair<std::shared_ptr<void>, std::shared_ptr<void>>;
  return std::make_shared<both>(register_kernels<farpoint::point_view<float, 4>>(of_four, setting),
                                register_kernels<farpoint::point_view<float, 8>>(of_eight, setting));
}

}  // namespace farpoint_bench
