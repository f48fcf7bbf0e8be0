// The part of space that `farpoint voxelize` divides into voxels.
#pragma once

#include <farpoint/geometry/voxel_grid.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "cloud.hpp"

namespace farpoint_tools {

using double3 = std::array<double, 3>;

/// Voxels of `size` meters from `lower` on, for the points of the half-open range [lower, upper).
struct voxel_space {
  double3 lower{};
  double3 size{};
  std::array<std::int64_t, 3> cells{};
  double3 upper = {unlimited, unlimited, unlimited};

  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  template <class Scalar>
  farpoint::voxel_grid<Scalar> grid() const {
    farpoint::voxel_grid<Scalar> made;
    for (int axis = 0; axis < 3; ++axis) {
      auto const at = static_cast<std::size_t>(axis);
      made.origin[axis] = static_cast<Scalar>(lower[at]);
      made.size[axis] = static_cast<Scalar>(size[at]);
      made.dims[axis] = static_cast<std::int32_t>(cells[at]);
    }
    return made;
  }
  /// True for a point that is below `lower` or at or above `upper` on an axis, compared in the point's type.
  template <class Scalar>
  bool is_outside(std::array<Scalar, 3> const& point) const {
    bool outside = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      outside =
          outside || point[axis] < static_cast<Scalar>(lower[axis]) || point[axis] >= static_cast<Scalar>(upper[axis]);
    }
    return outside;
  }
};

/// Range of the finite points of clouds.
struct cloud_bounds {
  double3 lower = {voxel_space::unlimited, voxel_space::unlimited, voxel_space::unlimited};
  double3 upper = {-voxel_space::unlimited, -voxel_space::unlimited, -voxel_space::unlimited};

  void add(cloud const& more);
};

/// The half-open range [lower, upper). The number of voxels equals voxel_grid::from_range()'s, as detectors have it,
/// where `size` divides the range to within a thousandth of a voxel; otherwise it is rounded up. `cells` overrides
/// both.
/// @throws usage_error  if a size or a range is not positive, or there are too many voxels
voxel_space space_of_range(double3 const& lower, double3 const& upper, double3 const& size,
                           std::optional<std::array<std::int64_t, 3>> const& cells = {});

/// The voxels around clouds, whose corners are at multiples of `size`.
/// @throws usage_error  if a size is not positive, or there are too many voxels
voxel_space space_around(cloud_bounds const& of, double3 const& size);

}  // namespace farpoint_tools
