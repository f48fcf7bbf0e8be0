#include <farpoint/scale/knn_shard.cuh>
#include <farpoint/scale/radius_shard.cuh>

#include "gpu_ranks.cuh"

namespace farpoint_python {
namespace {

/// Runs a search that has been planned, in a workspace that the call allocates, and waits for its end.
/// @param search  result of knn_shard_plan() or radius_shard_plan()
template <class Search>
farpoint::result finished(gpu_call& call, gpu_communicator const& ranks, Search search) {
  if (!search.outcome()) return search.outcome();
  return ranks.finish(search.run(call.allocate(search.workspace_bytes())));
}

}  // namespace

farpoint::result knn_on_gpus(gpu_call& call, gpu_part const& part, farpoint::point_view<float> const& queries,
                             farpoint::knn_params const& params, farpoint::knn_shard_output<float> const& out) {
  gpu_communicator ranks{call};
  auto const size = knn_shard_plan_workspace_bytes(call.exec, ranks.ranks(), part, queries, params, out);
  auto const room = call.allocate(size);
  return finished(call, ranks, knn_shard_plan(call.exec, ranks, part, queries, params, out, room));
}

farpoint::result radius_on_gpus(gpu_call& call, gpu_part const& part, farpoint::point_view<float> const& queries,
                                farpoint::radius_params const& params,
                                farpoint::radius_shard_output<float> const& out) {
  gpu_communicator ranks{call};
  auto const size = radius_shard_plan_workspace_bytes(call.exec, ranks.ranks(), part, queries, params, out);
  auto const room = call.allocate(size);
  return finished(call, ranks, radius_shard_plan(call.exec, ranks, part, queries, params, out, room));
}

}  // namespace farpoint_python
