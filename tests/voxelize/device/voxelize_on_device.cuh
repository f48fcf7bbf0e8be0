// Runs a voxelize_problem on the GPU and brings the answer back.
#pragma once

#include <farpoint/voxelize.cuh>

#include "../../core/device/radix_sort_kernels.cuh"
#include "../../support/device/cuda_check.hpp"
#include "../../support/device/run_call.cuh"
#include "../voxelize_problem.hpp"
#include "voxelize_arrays.cuh"

namespace farpoint_tests {

/// Bitmaps for all problems that allow one, also for reports on few points.
template <class Base>
struct bitmap_numbering : Base {
  static constexpr farpoint::voxelize_numbering number(farpoint::voxelize_case const&) noexcept {
    return farpoint::voxelize_numbering::bitmap;
  }
};

/// Bitmaps only with slots for groups of cells that have points: no flat bitmap.
struct deep_bitmap : farpoint::voxelize_selector {
  static constexpr index_t max_flat_groups = 0;
};

struct table_numbering : farpoint::voxelize_selector {
  static constexpr farpoint::voxelize_numbering number(farpoint::voxelize_case const&) noexcept {
    return farpoint::voxelize_numbering::table;
  }
};

/// Few small blocks, so that tiles, pieces and rows are split differently and blocks wait for each other.
struct small_blocks : farpoint::voxelize_selector {
  static constexpr int block_size = 96;
  static constexpr int blocks_per_multiprocessor = 1;
};

struct only_sort : farpoint::voxelize_selector {
  static constexpr farpoint::voxelize_algorithm choose(farpoint::voxelize_case const&) noexcept {
    return farpoint::voxelize_algorithm::sort;
  }
};

/// Grid order by sorting, and reports from the hash table.
struct only_table : small_blocks {
  static constexpr farpoint::voxelize_numbering number(farpoint::voxelize_case const&) noexcept {
    return farpoint::voxelize_numbering::table;
  }
};

/// Flat bitmaps, with a slot for each group of cells. The second selector's bitmaps have slots only for groups with
/// points.
struct only_bitmap : bitmap_numbering<farpoint::voxelize_selector> {
  static constexpr double flat_groups_per_point = 1e9;
};
struct only_deep_bitmap : bitmap_numbering<small_blocks> {
  static constexpr farpoint::index_t max_flat_groups = 0;
};
struct sorted_bitmap : bitmap_numbering<only_sort> {
  static constexpr double flat_groups_per_point = 1e9;
};

/// Device memory of one call, so that the call can be repeated, captured, or run concurrently with others.
template <class Problem>
class voxelize_call {
 public:
  explicit voxelize_call(Problem const& problem) : problem_{problem}, arrays_{problem}, offsets_{problem.offsets} {}

  template <class Selector>
  farpoint::result enqueue(cudaStream_t stream) {
    auto const clouds = problem_.clouds_at(arrays_.memory.data(), offsets_.data());
    auto const params = arrays_.params(problem_);
    auto const output = arrays_.output(problem_);
    farpoint::cuda_exec const exec{stream};
    std::size_t const needed = farpoint::voxelize_workspace_bytes<Selector>(exec, clouds, params, output);
    return farpoint::voxelize<Selector>(exec, clouds, params, output, workspace_.of_size(needed));
  }

  /// Returns the answer. The stream must have been synchronized.
  voxelize_answer answer(farpoint::result outcome) const {
    bool const kept = workspace_.intact() && arrays_.memory.intact() && arrays_.feature_memory.intact();
    if (!kept) outcome = memory_was_written;
    return answer_of(problem_, arrays_.parts, outcome);
  }

  /// Overwrites the workspace, so that a call cannot rely on data of an earlier one.
  void scramble_workspace(std::uint64_t seed) { workspace_.scramble(seed); }
  std::vector<unsigned char> workspace() const { return workspace_.download(); }
  /// Refills the outputs with poison, which rows that are not written must keep.
  void poison() {
    for (auto const& array : arrays_.parts) array->refill();
  }
  /// Replaces points and offsets by another problem's, in the same memory. The sizes must be equal.
  void upload(Problem const& other) {
    arrays_.memory.upload(other.memory);
    arrays_.feature_memory.upload(other.feature_memory);
    offsets_.upload(other.offsets);
  }

 private:
  Problem const& problem_;
  voxelize_arrays arrays_;
  device_array<index_t> offsets_;
  call_workspace workspace_;
};

/// Runs a problem on a new stream, with the kernels that `Selector` chooses.
template <class Selector, class Problem>
voxelize_answer voxelize_on_device(Problem const& problem) {
  voxelize_call<Problem> call{problem};
  return run_call(call, [&](cudaStream_t stream) { return call.template enqueue<Selector>(stream); });
}

}  // namespace farpoint_tests

// voxelize() with these selectors is compiled in kernels/voxelize_*.cu only: `how` is `extern template` or `template`.
#define VOXELIZE_OF_SELECTOR(how, Coord, Selector)                              \
  how farpoint::result farpoint::voxelize<Selector>(                            \
      farpoint::cuda_exec, farpoint::batch<farpoint::point_view<Coord>> const&, \
      farpoint::voxelize_params<farpoint::point_view<Coord>::scalar> const&,    \
      farpoint::voxelize_output<farpoint::point_view<Coord>::scalar> const&, farpoint::bytes) noexcept;

#define VOXELIZE_OF_EVERY_SELECTOR(how, Coord)                       \
  VOXELIZE_OF_SELECTOR(how, Coord, farpoint::voxelize_selector)      \
  VOXELIZE_OF_SELECTOR(how, Coord, farpoint_tests::deep_bitmap)      \
  VOXELIZE_OF_SELECTOR(how, Coord, farpoint_tests::table_numbering)  \
  VOXELIZE_OF_SELECTOR(how, Coord, farpoint_tests::small_blocks)     \
  VOXELIZE_OF_SELECTOR(how, Coord, farpoint_tests::only_sort)        \
  VOXELIZE_OF_SELECTOR(how, Coord, farpoint_tests::only_table)       \
  VOXELIZE_OF_SELECTOR(how, Coord, farpoint_tests::only_bitmap)      \
  VOXELIZE_OF_SELECTOR(how, Coord, farpoint_tests::only_deep_bitmap) \
  VOXELIZE_OF_SELECTOR(how, Coord, farpoint_tests::sorted_bitmap)

VOXELIZE_OF_EVERY_SELECTOR(extern template, float)
VOXELIZE_OF_EVERY_SELECTOR(extern template, double)
VOXELIZE_OF_EVERY_SELECTOR(extern template, farpoint::float16)
