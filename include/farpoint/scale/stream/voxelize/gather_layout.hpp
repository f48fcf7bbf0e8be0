/// @file
/// Parts of the output that gather_voxels() gathers, and the checks that need no number of rows.
#pragma once

#include <farpoint/scale/stream/voxelize/shard_layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// One part of the output, as bytes.
struct voxel_part {
  void const* own;      ///< the rank's rows; null if the rank does not have the part
  void* all;            ///< rows of all ranks; null if the part is not requested
  std::size_t width;    ///< bytes per row; 0 if the part is not requested
  std::size_t element;  ///< bytes per element of a row
  bool same_type;
  bool fits;  ///< `all` has room for its capacity
};

inline constexpr int voxel_part_count = 7;

/// The parts of the output that have one row per voxel.
template <class Scalar>
class voxel_parts {
 public:
  voxel_parts(voxelize_output<Scalar> const& own, voxelize_output<Scalar> const& all, index_t features,
              index_t point_limit) noexcept
      : rows_{all.capacity} {
    add(own.coords, all.coords, column_count(all.columns), 4);
    parts_[0].same_type = own.columns == all.columns;
    add(own.points_per_voxel, all.points_per_voxel, 1, all.points_per_voxel.wide() ? 8 : 4);
    parts_[1].same_type = own.points_per_voxel.wide() == all.points_per_voxel.wide();
    // `hard` keeps its rows in memory, so features * point_limit does not overflow. Other modes have no gathered rows.
    add_features(own.gathered, all.gathered, all.gathered.empty() ? 1 : features * point_limit);
    add_features(own.mean, all.mean, features);
    add_features(own.max, all.max, features);
    add_features(own.first, all.first, features);
    add(own.centroid, all.centroid, 3, sizeof(Scalar));
  }

  voxel_part const* begin() const noexcept { return parts_; }
  voxel_part const* end() const noexcept { return parts_ + size_; }

  /// Bytes per row of the widest part.
  index_t widest() const noexcept {
    std::size_t widest = 0;
    for (voxel_part const& part : *this) widest = larger(widest, part.width);
    return static_cast<index_t>(widest);
  }

 private:
  template <class Part>
  void add(Part const& own, Part const& all, index_t each, std::size_t element) noexcept {
    bool const wanted = !all.empty();
    parts_[size_++] = {own.empty() ? nullptr : own.data(),
                       wanted ? all.data() : nullptr,
                       wanted ? static_cast<std::size_t>(each) * element : 0,
                       element,
                       true,
                       fits_or_absent(static_cast<index_t>(all.size()), rows_, each)};
  }
  void add_features(basic_feature_span<Scalar> const& own, basic_feature_span<Scalar> const& all,
                    index_t each) noexcept {
    add(own, all, each, static_cast<std::size_t>(size_of(all.type())));
    parts_[size_ - 1].same_type = own.type() == all.type();
  }

  index_t rows_;
  voxel_part parts_[voxel_part_count];
  int size_ = 0;
};

/// Message of each rank before rows are gathered.
struct gather_header {
  std::uint64_t digest;  ///< see digest_of()
  std::uint64_t is_bad;
  index_t rows;               ///< number of rows of this rank, known later
  index_t capacity;           ///< rows that this rank has room for
  std::uint64_t lacks_parts;  ///< a requested part is missing: an error only if there are rows
};

/// Checks everything that does not depend on the rank's number of rows.
template <class Scalar>
result check_gather_request(voxelize_params<Scalar> const& params, voxelize_shard_output<Scalar> const& own,
                            voxelize_output<Scalar> const& all) noexcept {
  if (all.capacity < 0 || all.capacity > max_points)
    return reject("gather_voxels: all.capacity is negative, or above 2^48");
  int const features = params.features.count();
  if (features < 0 || features > feature_view::max_count || params.mode.max_points < 1) {
    return reject("gather_voxels: not the parameters of voxelize_shard()");
  }
  if (!all.gathered.empty() && (params.mode.is_dynamic() || params.mode.max_points > max_points / 64)) {
    return reject("gather_voxels: all.gathered without hard{}, or of too many points");
  }
  if (own.rows.voxel_count.empty()) return reject("gather_voxels: own.rows.voxel_count is missing");
  for (voxel_part const& part : voxel_parts<Scalar>{own.rows, all, features, params.mode.max_points}) {
    if (part.all != nullptr && !part.fits) return reject("gather_voxels: a part of `all` is smaller than its capacity");
  }
  return {};
}

/// Checks that a rank with rows has all requested parts.
template <class Scalar>
result check_gather_parts(voxel_parts<Scalar> const& parts) noexcept {
  for (voxel_part const& part : parts) {
    if (part.all == nullptr) continue;
    if (part.own == nullptr) return reject("gather_voxels: `all` has a part that `own` has not");
    if (!part.same_type) return reject("gather_voxels: a part of `all` and of `own` differ in type");
  }
  return {};
}

/// Number that stands for the requested parts.
template <class Scalar>
std::uint64_t digest_of(voxel_parts<Scalar> const& parts) noexcept {
  digest all;
  for (voxel_part const& part : parts) all.add(part.width);
  return all.word();
}

}  // namespace detail
FARPOINT_END_NAMESPACE
