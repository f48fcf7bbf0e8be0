#include <farpoint/scale/fps_shard.cuh>

#include "gpu_ranks.cuh"

namespace farpoint_python {

farpoint::result fps_on_gpus(gpu_call& call, gpu_part const& part, farpoint::fps_params const& params,
                             farpoint::fps_shard_output<float> const& out) {
  gpu_communicator ranks{call};
  auto const size = fps_shard_workspace_bytes(call.exec, ranks.ranks(), part, params, out);
  return ranks.finish(fps_shard(call.exec, ranks, part, params, out, call.allocate(size)));
}

}  // namespace farpoint_python
