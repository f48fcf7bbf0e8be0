#include <farpoint/offsets_of_sizes.cuh>
#include <farpoint/pillar_features.cuh>
#include <farpoint/quadtree.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

namespace {

result build(cuda_exec exec, zbuffer_ref const& zbuffer, bytes memory, bytes workspace, quadtree_ref* tree) noexcept {
  return build_quadtree(exec, zbuffer, memory, workspace, *tree);
}

}  // namespace

FARPOINT_RUN_ON_STREAM(offsets_of_sizes, offsets_of_sizes)
FARPOINT_RUN_ON_STREAM(pillar_features, pillar_features)
FARPOINT_RUN_ON_STREAM(build_quadtree, build)
FARPOINT_SIZE_ON_STREAM(build_quadtree, quadtree_workspace_bytes)

FARPOINT_CALLS_OF_ONE_TYPE(FARPOINT_COMPILE)

}  // namespace library
FARPOINT_END_NAMESPACE
