/// @file
/// voxelize() with the first point of each row: the host's half.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/voxelize/row_notes.hpp>
#include <farpoint/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// voxelize() of one cloud by first occurrence, without the output point_voxel. Specializations have these members:
///
/// - A constructor from a workspace_cutter and the largest number of points.
/// - `run(exec, cloud, params, output, notes, workspace)`, which fills the notes of all rows.
template <class Exec>
class noted_voxelize;

template <>
class noted_voxelize<host_exec> {
 public:
  noted_voxelize(workspace_cutter& cutter, index_t points) noexcept : rows_{cutter.take<std::int32_t>(points)} {}

  template <class Points, class Scalar>
  result run(host_exec exec, Points const& cloud, voxelize_params<Scalar> const& params, voxelize_output<Scalar> output,
             voxelize_row_notes const& notes, bytes workspace) const noexcept {
    output.point_voxel = span<std::int32_t>{rows_, static_cast<std::size_t>(cloud.size())};
    result const done = voxelize(exec, batch<Points>{cloud}, params, output, workspace);
    if (!done) return done;
    std::int32_t found = 0;
    for (index_t i = 0; i < cloud.size(); ++i) {
      std::int32_t const row = rows_[i];
      if (row < 0) continue;
      bool const is_first = row == found;
      if (is_first) ++found;
      if (is_first && notes.first_points != nullptr) notes.first_points[row] = static_cast<std::uint32_t>(i);
      if (notes.points != nullptr) notes.points[row] = (is_first ? 0 : notes.points[row]) + 1;
    }
    return {};
  }

 private:
  std::int32_t* rows_;  ///< `[points]`: row of each point
};

}  // namespace detail
FARPOINT_END_NAMESPACE
