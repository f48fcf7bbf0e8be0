/// @file
/// The program fps_kernels, and its rows of points of three floats. bench/README.md describes the rows; bench/regret.py
/// compares the default with the best kernel of each row.

#include "fps/kernels.cuh"
#include "support/cuda_suite.cuh"

#include <memory>
#include <vector>

namespace farpoint_bench {
namespace {

constexpr cloud_sizes regular = cloud_sizes::regular, even = cloud_sizes::even, uneven = cloud_sizes::uneven,
                      giant = cloud_sizes::giant;

/// Clouds, points, samples, sizes, chosen points per cloud, whether batch::ragged() gets the size of the largest cloud,
/// and whether the points are a LiDAR sweep.
constexpr fps_kernels_row rows[] = {
    // One cloud.
    {1, 256, 64},
    {1, 1'024, 32},
    {1, 1'024, 512},
    {1, 4'095, 1'024},
    {1, 4'096, 32},
    {1, 4'096, 1'024},
    {1, 16'384, 32},
    {1, 16'384, 4'096},
    {1, 49'497, 4'096, regular, 0, true, true},
    {1, 131'072, 32},
    {1, 131'072, 4'096},
    {1, 131'072, 4'096, regular, 0, true, true},
    {1, 300'000, 32},
    {1, 300'000, 4'096},
    {1, 1'000'000, 64},
    {1, 1'000'000, 1'024},
    {1, 1'000'000, 10'000},
    {1, 1'000'000, 100'000},
    {1, 10'000'000, 64},
    {1, 10'000'000, 10'000},
    // Batches of one size.
    {6, 10'000, 1'000},
    {6, 10'000, 10'000},
    {4, 16'384, 4'096},
    {8, 16'384, 32},
    {16, 256, 128},
    {16, 1'024, 32},
    {16, 1'024, 512},
    {16, 3'000, 750},
    {16, 8'192, 1'024},
    {16, 40'000, 1'024},
    {16, 65'536, 4'096},
    {32, 2'048, 512},
    {32, 4'096, 32},
    {32, 4'096, 1'024},
    {32, 16'384, 64},
    {40, 8'192, 1'024},
    {64, 512, 128},
    {64, 10'000, 1'000},
    {64, 16'384, 1'024},
    {64, 8'192, 1'024},
    {64, 65'536, 1'024},
    {128, 1'024, 256},
    {128, 4'096, 1'024},
    {128, 8'192, 1'024},
    {256, 256, 64},
    {256, 512, 128},
    {256, 1'024, 256},
    {256, 2'048, 256},
    {256, 4'096, 512},
    {256, 16'384, 1'024},
    // Ragged batches.
    {16, 1'024, 512, even},
    {32, 4'096, 1'024, even},
    {32, 4'096, 1'024, even, 0, false},
    {64, 10'000, 1'000, even},
    {6, 20'000, 2'000, uneven},
    {16, 4'096, 1'024, uneven},
    {16, 4'096, 1'024, uneven, 0, false},
    {64, 10'000, 1'000, uneven},
    {256, 1'024, 256, uneven},
    {16, 16'384, 1'024, giant},
    {16, 131'072, 1'024, giant},
    {31, 1'000'000, 1'024, giant},
    // Points that were chosen before.
    {6, 10'000, 1'000, regular, 1'000},
    {1, 16'384, 1'024, regular, 1'000},
    {1, 131'072, 4'096, regular, 1'000},
    {1, 1'000'000, 10'000, regular, 1'000},
    {1, 1'000'000, 1'024, regular, 100'000},
    {1, 1'000'000, 100'000, regular, 100'000},
};

}  // namespace

std::shared_ptr<void> register_kernels_of_floats(kernels_setting const& setting) {
  return register_kernels<farpoint::point_view<float>,  //
                          forced_regions<8, 1, 4, 4>, forced_regions<16, 1, 2, 2>, forced_regions<8, 2, 4, 4>,
                          forced_regions<16, 2, 2, 2>, forced_regions<16, 2, 4, 4>, forced_regions<8, 4, 4, 4>,
                          forced_regions<16, 4, 2, 2>, forced_regions<16, 4, 4, 4>, forced_regions<32, 2, 2, 2>,
                          forced_regions<16, 8, 4, 4>, forced_regions<32, 4, 3, 3>, forced_regions<32, 4, 4, 4>,
                          forced_regions<16, 16, 4, 4>, forced_regions<32, 8, 4, 4>>(rows, setting);
}

int run_program(arguments const& args) {
  kernels_setting const setting{planned_device(), args.flush_l2};
  std::vector<std::shared_ptr<void>> const problems{
      register_kernels_of_floats(setting), register_kernels_of_doubles(setting), register_kernels_of_pairs(setting),
      register_kernels_of_many(setting), register_wrappers(setting)};
  return run_cuda_suite("fps_kernels", args);
}

}  // namespace farpoint_bench
