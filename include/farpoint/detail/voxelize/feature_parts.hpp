/// @file
/// Outputs of voxelize() made of features, by the type that their values are computed in.
#pragma once

#include <farpoint/types/voxelize.hpp>

#include <type_traits>
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

/// An output made of features of which is known that it has no doubles: decides that once less for each value.
template <class Scalar>
class narrow_feature_part {
 public:
  FARPOINT_HD explicit narrow_feature_part(basic_feature_span<Scalar> const& values) noexcept : values_{values} {}
  FARPOINT_HD bool empty() const noexcept { return values_.empty(); }
  FARPOINT_HD void set(index_t i, float value) const noexcept { values_.set_narrow(i, value); }

 private:
  basic_feature_span<Scalar> const& values_;
};

/// The outputs made of features where none has doubles.
template <class Scalar>
struct narrow_feature_parts {
  narrow_feature_part<Scalar> gathered;
  narrow_feature_part<Scalar> mean;
  narrow_feature_part<Scalar> max;
  narrow_feature_part<Scalar> first;

  FARPOINT_HD explicit narrow_feature_parts(voxelize_output<Scalar> const& output) noexcept
      : gathered{output.gathered}, mean{output.mean}, max{output.max}, first{output.first} {}

  FARPOINT_HD bool reduces() const noexcept { return !mean.empty() || !max.empty() || !first.empty(); }
};

/// True if an output is made of features that are computed as doubles.
template <class Scalar>
bool has_double_features([[maybe_unused]] voxelize_output<Scalar> const& output) noexcept {
  if constexpr (std::is_same_v<Scalar, double>) return !voxel_feature_parts<double, Scalar>{output}.empty();
  return false;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
