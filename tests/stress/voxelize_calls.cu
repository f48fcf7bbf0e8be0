// voxelize() under load.
#include <farpoint/voxelize.cuh>
#include <farpoint/voxelize.hpp>

#include "../voxelize/device/voxelize_on_device.cuh"
#include "batches.hpp"
#include "calls.hpp"

namespace farpoint_stress {
namespace {

struct voxelize_work {
  batch_data data;
  farpoint::voxelize_params<float> params;
  index_t capacity = 0;
  farpoint::voxel_columns columns = farpoint::voxel_columns::xyz;
  bool lists = false;

  template <class Exec, class Memory>
  farpoint::result operator()(Exec exec, Memory& memory) const {
    auto const clouds = data.in(memory);
    auto asked = params;
    asked.features = farpoint::feature_view::packed(memory.input(data.xyz).data(), data.points(), 3);
    auto const rows = static_cast<std::size_t>(capacity);
    auto const points = static_cast<std::size_t>(data.points());
    farpoint::voxelize_output<float> output;
    output.capacity = capacity;
    output.columns = columns;
    output.coords = memory.template output<std::int32_t>(rows * static_cast<std::size_t>(column_count(columns)));
    output.points_per_voxel = memory.template output<std::int32_t>(rows);
    output.mean = memory.template output<float>(rows * 3);
    output.point_voxel = memory.template output<std::int32_t>(points);
    output.voxel_count = memory.template output<std::int32_t>(1);
    output.voxel_offsets = memory.template output<std::int32_t>(static_cast<std::size_t>(data.clouds) + 1);
    output.report = memory.template output<farpoint::voxelize_report>(1).data();
    if (lists) {
      output.list_offsets = memory.template output<std::int32_t>(rows + 1);
      output.list_points = memory.template output<std::int32_t>(points);
    }
    return farpoint::voxelize(exec, clouds, asked, output,
                              memory.scratch(farpoint::voxelize_workspace_bytes(exec, clouds, asked, output)));
  }
};

}  // namespace

void add_voxelize_calls(call_list& calls, call_sizes sizes, std::uint64_t seed) {
  voxelize_work work;
  work.data = even_batch(1, sizes == call_sizes::table ? 1000000 : 200000, seed);
  work.params.grid = farpoint::voxel_grid<float>::from_range({{0, 0, 0}}, {{100, 100, 100}}, {{1, 1, 1}});
  work.params.mode = farpoint::hard{work.data.points(), 10};
  work.capacity = work.data.points();
  std::string const of = with_commas(work.data.points());
  calls.push_back(make_call("voxelize " + of, work));
  work.lists = true;
  calls.push_back(make_call("voxelize " + of + " with lists", std::move(work)));
}

std::unique_ptr<stress_call> random_voxelize_call(std::uint64_t seed) {
  random_source random{seed};
  voxelize_work work;
  work.data = random_batch(random, random.below(6) == 0 ? 100000 : 6000, 1 + random.below(8));
  auto& grid = work.params.grid;
  for (int axis = 0; axis < 3; ++axis) {
    grid.origin[axis] = random.below(4) == 0 ? 0.5f * random.uniform() : 0;
    grid.size[axis] = 0.01f + random.uniform();
    grid.dims[axis] = static_cast<std::int32_t>(1 + random.below(random.below(4) == 0 ? 5000 : 40));
  }
  if (random.below(4) != 0) {
    work.params.mode =
        farpoint::hard{random.below(work.data.points() + 2), 1 + random.below(random.below(3) == 0 ? 60 : 12)};
  }
  if (random.below(2) == 0) work.params.order = farpoint::voxel_order::grid;
  if (random.below(2) == 0) work.params.points = farpoint::voxel_points::random_subset;
  work.columns = static_cast<farpoint::voxel_columns>(random.below(4));
  work.params.seed = random.next();
  work.capacity = random.below(work.data.points() + 10);
  work.lists = work.data.points() > 0 && random.below(3) == 0;
  return make_call("random voxelize " + std::to_string(seed), std::move(work));
}

}  // namespace farpoint_stress
