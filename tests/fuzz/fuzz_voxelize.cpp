// Fuzzer: voxelize() on the host against farpoint::reference::voxelize(), on calls made of the input's bytes.
#include <farpoint/reference/voxelize.hpp>
#include <farpoint/voxelize.hpp>

#include "../voxelize/voxelize_parts.hpp"
#include "../voxelize/voxelize_tuned.hpp"
#include "fuzz_clouds.hpp"
#include "fuzz_compare.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;

namespace {

struct voxelize_request {
  fuzz_clouds data;
  farpoint::voxelize_params<float> params;
  std::vector<float> features;
  int channels = 1;
  index_t rows = 0;      ///< voxels that the arrays have room for
  index_t capacity = 0;  ///< voxelize_output::capacity, which may differ from `rows`
  bool batch_column = false;
  unsigned wanted = 0;       ///< bit p: the output has part p
  unsigned short_part = 99;  ///< part whose array is one element too short; 99: none

  explicit voxelize_request(fuzz_input& input) : data{input, 300, 5} {
    auto& grid = params.grid;
    for (int axis = 0; axis < 3; ++axis) {
      grid.origin[axis] = static_cast<float>(input.take_length(input.unit() - 0.5));
      grid.size[axis] = static_cast<float>(input.take_length(0.01 + input.unit() / 2));
      grid.dims[axis] = static_cast<std::int32_t>(input.take_count(1 + input.below(50)));
    }
    if (input.flag()) {
      params.mode = farpoint::hard{input.take_count(input.below(100)), input.take_count(1 + input.below(40))};
    }
    if (input.flag()) params.order = farpoint::voxel_order::grid;
    if (input.flag()) params.points = farpoint::voxel_points::random_subset;
    params.seed = input.take<std::uint16_t>();
    channels = 1 + static_cast<int>(input.below(5));
    for (index_t i = 0; i < data.points * channels; ++i) {
      features.push_back(input.rarely() ? input.take<float>() : static_cast<float>(i) / 8);
    }
    rows = input.flag() ? data.points : input.below(200);
    capacity = input.take_count(rows);
    batch_column = input.flag();
    wanted = input.take<std::uint16_t>();
    // list_points is wanted if list_offsets is: a call with only one is refused, which is tested rarely.
    if (!input.rarely()) wanted = (wanted & ~bit(part::list_points)) | ((wanted & bit(part::list_offsets)) << 1);
    if (input.rarely()) short_part = static_cast<unsigned>(input.below(part::count));
  }

  farpoint::voxelize_params<float> params_in(fuzz_memory& memory) const {
    auto given = params;
    given.features = farpoint::feature_view::packed(memory.input(features).data(), data.points, channels);
    return given;
  }

  farpoint::voxelize_output<float> output_in(fuzz_memory& memory) const {
    index_t const points = data.points;
    index_t const kept = std::clamp<index_t>(params.mode.max_points, 0, 64);
    farpoint::voxelize_output<float> output;
    output.capacity = capacity;
    output.columns = batch_column ? farpoint::voxel_columns::batch_zyx : farpoint::voxel_columns::xyz;
    array<std::int32_t>(memory, part::coords, rows * (batch_column ? 4 : 3), output.coords);
    array<std::int32_t>(memory, part::points_per_voxel, rows, output.points_per_voxel);
    array<float>(memory, part::gathered, params.mode.is_dynamic() ? 0 : rows * kept * channels, output.gathered);
    array<float>(memory, part::mean, rows * channels, output.mean);
    array<farpoint::float16>(memory, part::max, rows * channels, output.max);
    array<float>(memory, part::first, rows * channels, output.first);
    array<float>(memory, part::centroid, rows * 3, output.centroid);
    array<std::int64_t>(memory, part::list_offsets, rows + 1, output.list_offsets);
    array<std::int32_t>(memory, part::list_points, points, output.list_points);
    array<std::int32_t>(memory, part::point_voxel, points, output.point_voxel);
    array<std::int32_t>(memory, part::voxel_count, 1, output.voxel_count);
    array<std::int64_t>(memory, part::voxel_offsets, static_cast<index_t>(data.rows()) + 1, output.voxel_offsets);
    if ((wanted & bit(part::report)) != 0) output.report = memory.output<farpoint::voxelize_report>(1).data();
    return output;
  }

 private:
  /// Gives a part of the output its array, if it is wanted.
  template <class T, class Span>
  void array(fuzz_memory& memory, part::name which, index_t elements, Span& span) const {
    if ((wanted & bit(which)) == 0 || elements <= 0) return;
    if (short_part == which) --elements;
    span = memory.output<T>(static_cast<std::size_t>(elements));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
  fuzz_input input{data, size};
  host_exec const exec{1 + static_cast<int>(input.below(3))};
  farpoint::voxelize_host_tuning tuning;
  if (input.flag()) tuning = {1, 1 + input.below(100)};
  bool const sizes_only = input.rarely();
  fuzz_workspace const workspace{input};
  voxelize_request const asked{input};
  if (sizes_only) {
    auto const offsets = take_offsets(input, input.below(5), 100);
    fuzz_memory memory;
    (void)farpoint::voxelize_workspace_bytes(host_exec{static_cast<int>(input.take_count(3))},
                                             take_unbacked_batch(input, offsets), asked.params_in(memory),
                                             asked.output_in(memory));
    return 0;
  }
  compare_with_reference(
      "voxelize", workspace,
      [&](fuzz_memory& memory) { return voxelize_tuned_bytes(exec, asked.data.in(memory), tuning); },
      [&](fuzz_memory& memory, farpoint::bytes bytes) {
        return voxelize_tuned(exec, asked.data.in(memory), asked.params_in(memory), asked.output_in(memory), bytes,
                              tuning);
      },
      [&](fuzz_memory& memory) {
        return farpoint::reference::voxelize(asked.data.in(memory), asked.params_in(memory), asked.output_in(memory));
      });
  return 0;
}
