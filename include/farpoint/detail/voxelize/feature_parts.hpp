/// @file
/// Outputs of voxelize() made of features, by the type that their values are computed in.
#pragma once

#include <farpoint/types/voxelize.hpp>

#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The outputs made of features that are computed as `Working`; see basic_feature_span::computed_as().
template <class Working, class Scalar>
struct voxel_feature_parts {
  using part = decltype(std::declval<basic_feature_span<Scalar> const&>().template computed_as<Working>());

  part gathered;
  part mean;
  part max;
  part first;

  FARPOINT_HD explicit voxel_feature_parts(voxelize_output<Scalar> const& output) noexcept
      : gathered{output.gathered.template computed_as<Working>()},
        mean{output.mean.template computed_as<Working>()},
        max{output.max.template computed_as<Working>()},
        first{output.first.template computed_as<Working>()} {}

  /// True if any output has one value for each feature of a voxel.
  FARPOINT_HD bool reduces() const noexcept { return !mean.empty() || !max.empty() || !first.empty(); }
  FARPOINT_HD bool empty() const noexcept { return !reduces() && gathered.empty(); }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
