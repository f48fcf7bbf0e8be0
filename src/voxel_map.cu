#include <farpoint/scale/voxel_map.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_RUN_ON_STREAM(voxel_map_clear, voxel_map_clear)
FARPOINT_RUN_ON_STREAM(voxel_map_insert, voxel_map_insert)
FARPOINT_SIZE_ON_STREAM(voxel_map_insert, voxel_map_insert_workspace_bytes)
FARPOINT_RUN_ON_STREAM(voxel_map_read, voxel_map_read)
FARPOINT_RUN_ON_STREAM(voxel_map_keep, voxel_map_keep)
FARPOINT_SIZE_ON_STREAM(voxel_map_keep, voxel_map_keep_workspace_bytes)
FARPOINT_RUN_ON_STREAM(voxel_map_restore, voxel_map_restore)

FARPOINT_FOR_EACH_SCALAR(FARPOINT_CALLS_OF_VOXEL_MAP, FARPOINT_COMPILE)

}  // namespace library
FARPOINT_END_NAMESPACE
