/// @file
/// Fields of PCL's point types as features. Points need no header of their own: `view_points(cloud.points)`.
#pragma once

#include <farpoint/core/features.hpp>
#include <farpoint/core/status.hpp>

#include <pcl/common/io.h>
#include <pcl/point_cloud.h>

#include <string>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Views fields of a cloud as features, in the order of `names`: intensity, ring, time, normal_x, ... A field with a
/// count above one gives its first element. Any point type that PCL's macros know.
///
/// On failure `features` stays as it is. O(fields * names); allocates.
/// @param cloud     outlives the view
/// @param names     names of fields as pcl::getFields() has them; 64 at most
/// @param features  set to cloud.size() records
template <class Point>
result view_pcl_features(pcl::PointCloud<Point> const& cloud, std::vector<std::string> const& names,
                         feature_view& features) {
  constexpr feature_type types[] = {feature_type::int8,    feature_type::uint8,  feature_type::int16,
                                    feature_type::uint16,  feature_type::int32,  feature_type::uint32,
                                    feature_type::float32, feature_type::float64};
  if (names.size() > static_cast<std::size_t>(feature_view::max_count)) {
    return detail::reject("pcl: more than 64 features are asked for");
  }
  std::vector<int> offsets;
  std::vector<feature_type> wanted;
  for (auto const& name : names) {
    for (auto const& field : pcl::getFields<Point>()) {
      if (field.name != name || field.datatype < 1 || field.datatype > 8) continue;
      offsets.push_back(static_cast<int>(field.offset));
      wanted.push_back(types[field.datatype - 1]);
      break;
    }
    if (offsets.size() != wanted.size() || offsets.size() != static_cast<std::size_t>(&name - names.data()) + 1) {
      return detail::reject("pcl: a field that features are made of is missing");
    }
  }
  features = feature_view::fields(cloud.points.data(), static_cast<index_t>(cloud.size()), index_t{sizeof(Point)},
                                  offsets.data(), wanted.data(), static_cast<int>(names.size()));
  return {};
}
/// A temporary ends before its view.
template <class Point>
result view_pcl_features(pcl::PointCloud<Point> const&& cloud, std::vector<std::string> const& names,
                         feature_view& features) = delete;

FARPOINT_END_NAMESPACE
