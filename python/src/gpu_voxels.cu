#include <farpoint/scale/gather_voxels.cuh>
#include <farpoint/scale/voxelize_shard.cuh>

#include "gpu_ranks.cuh"

namespace farpoint_python {

farpoint::result voxelize_on_gpus(gpu_call& call, gpu_part const& part, farpoint::voxelize_params<float> const& params,
                                  farpoint::voxelize_shard_output<float> const& out) {
  gpu_communicator ranks{call};
  auto const size = voxelize_shard_workspace_bytes(call.exec, ranks.ranks(), part, params, out);
  return ranks.finish(voxelize_shard(call.exec, ranks, part, params, out, call.allocate(size)));
}

farpoint::result gather_on_gpus(gpu_call& call, farpoint::voxelize_params<float> const& params,
                                farpoint::voxelize_shard_output<float> const& own,
                                farpoint::voxelize_output<float> const& all) {
  gpu_communicator ranks{call};
  auto const size = gather_voxels_workspace_bytes(call.exec, ranks.ranks(), params, own, all);
  return ranks.finish(gather_voxels(call.exec, ranks, params, own, all, call.allocate(size)));
}

}  // namespace farpoint_python
