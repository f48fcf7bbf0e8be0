/// @file
/// Voxel maps, on a stream, from the compiled library.
#pragma once

#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/runtime/api.hpp>
#include <farpoint/types/voxel_map.hpp>

FARPOINT_BEGIN_NAMESPACE

/// @name Calls on voxel maps: see <farpoint/scale/voxel_map.cuh>
///
/// The size of a map's memory is voxel_map_bytes() of <farpoint/scale/voxel_map.hpp>. They are no templates: a call
/// that the templates of voxel_map.cuh match as well goes to the library.
/// @{
// The argument is a type, which parentheses would change.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define FARPOINT_VOXEL_MAP_OF(Scalar)                                                                                 \
  FARPOINT_API result voxel_map_clear(cuda_exec exec, voxel_map<Scalar> const& map) noexcept;                         \
  FARPOINT_API std::size_t voxel_map_insert_workspace_bytes(cuda_exec exec, voxel_map<Scalar> const& map,             \
                                                            voxel_map_tile<point_view<Scalar>> const& tile) noexcept; \
  FARPOINT_API result voxel_map_insert(cuda_exec exec, voxel_map<Scalar> const& map,                                  \
                                       voxel_map_tile<point_view<Scalar>> const& tile, bytes workspace) noexcept;     \
  FARPOINT_API result voxel_map_read(cuda_exec exec, voxel_map<Scalar> const& map,                                    \
                                     voxel_map_output<Scalar> const& output) noexcept;                                \
  FARPOINT_API std::size_t voxel_map_keep_workspace_bytes(cuda_exec exec,                                             \
                                                          voxel_map_params<Scalar> const& params) noexcept;           \
  FARPOINT_API result voxel_map_keep(cuda_exec exec, voxel_map<Scalar> const& map,                                    \
                                     voxel_map_keep_params<Scalar> const& keep, voxel_map_keep_output const& output,  \
                                     bytes workspace) noexcept;                                                       \
  FARPOINT_API result voxel_map_restore(cuda_exec exec, voxel_map<Scalar> const& map,                                 \
                                        voxel_map_header const& header) noexcept;
// NOLINTEND(bugprone-macro-parentheses)
FARPOINT_VOXEL_MAP_OF(float)
FARPOINT_VOXEL_MAP_OF(double)
#undef FARPOINT_VOXEL_MAP_OF
/// @}

FARPOINT_END_NAMESPACE
