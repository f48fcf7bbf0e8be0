// The core of a ROS node: a sensor_msgs/PointCloud2 comes in, is cropped and thinned out to a point for each voxel, and
// goes out. Field names and types are the message's, nothing is converted, and a GPU is used if there is one.
//
// This file needs no ROS: example::point_cloud2 has the members of sensor_msgs::msg::PointCloud2, which a node uses
// instead.
#include <farpoint/interop/point_cloud2.hpp>
#include <farpoint/runtime.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <vector>

#include "point_cloud2_message.hpp"

//! [node]
/// Keeps the mean of each voxel's points. Reuses its memory: one call after another allocates nothing here.
class voxel_filter {
 public:
  explicit voxel_filter(farpoint::voxel_grid<float> const& grid) { params_.grid = grid; }

  /// The callback of a subscription. `Message` is sensor_msgs::msg::PointCloud2 in a node.
  template <class Message>
  farpoint::result operator()(Message const& in, Message& out) {
    //! [view]
    farpoint::point_view<float> points;
    if (auto const viewed = view_point_cloud2(in, points); !viewed) return viewed;
    if (auto const viewed = view_point_cloud2_features(in, names_, params_.features); !viewed) return viewed;
    //! [view]

    auto const n = static_cast<std::size_t>(points.size());
    means_.resize(4 * n);  // there are no more voxels than points
    farpoint::voxelize_report report;
    farpoint::voxelize_output<float> output;
    output.capacity = points.size();
    output.mean = means_;
    output.report = &report;
    if (auto const done = farpoint::runtime::voxelize(farpoint::batch{points}, params_, output); !done) return done;

    write(static_cast<std::uint32_t>(report.voxels), out);
    return {};
  }

 private:
  /// x, y, z and intensity, as floats.
  template <class Message>
  void write(std::uint32_t voxels, Message& out) const {
    constexpr auto type = static_cast<std::uint8_t>(farpoint::point_field_type::float32);
    out.height = 1;
    out.width = voxels;
    out.fields.resize(4);
    for (std::uint32_t i = 0; i < 4; ++i) {
      out.fields[i].name = names_[i];
      out.fields[i].offset = 4 * i;
      out.fields[i].datatype = type;
      out.fields[i].count = 1;
    }
    out.point_step = 16;
    out.row_step = 16 * voxels;
    out.data.resize(out.row_step);
    if (voxels > 0) std::memcpy(out.data.data(), means_.data(), out.data.size());
    out.is_dense = true;
  }

  //! [names]
  static constexpr char const* names_[] = {"x", "y", "z", "intensity"};
  //! [names]
  farpoint::voxelize_params<float> params_;
  std::vector<float> means_;
};
//! [node]

/// A driver's message: x, y, z as floats, the intensity in a byte, 17 bytes a point, and NaN where nothing came back.
example::point_cloud2 simulated_sweep() {
  using type = farpoint::point_field_type;
  auto const number = [](type of) { return static_cast<std::uint8_t>(of); };
  example::point_cloud2 sweep;
  sweep.width = 40000;
  sweep.point_step = 17;
  sweep.row_step = sweep.width * sweep.point_step;
  sweep.fields = {{"intensity", 0, number(type::uint8), 1},
                  {"x", 1, number(type::float32), 1},
                  {"y", 5, number(type::float32), 1},
                  {"z", 9, number(type::float32), 1}};
  sweep.is_dense = false;
  sweep.data.resize(sweep.row_step);
  for (std::uint32_t i = 0; i < sweep.width; ++i) {
    float const angle = 2.4f * static_cast<float>(i);
    float const range = static_cast<float>(i) / 500;
    float xyz[3] = {range * std::cos(angle), range * std::sin(angle), -1.7f};
    if (i % 10 == 0) xyz[0] = NAN;
    unsigned char* const record = sweep.data.data() + std::size_t{i} * sweep.point_step;
    record[0] = 200;
    std::memcpy(record + 1, xyz, sizeof xyz);
  }
  return sweep;
}

int main() {
  voxel_filter filter{farpoint::voxel_grid<float>::from_range({{-50, -50, -3}}, {{50, 50, 3}}, {{1, 1, 1}})};
  example::point_cloud2 const sweep = simulated_sweep();
  example::point_cloud2 thinned;
  if (auto const outcome = filter(sweep, thinned); !outcome) {
    std::fprintf(stderr, "%s\n", outcome.reason);
    return 1;
  }
  std::printf("%u points in, %u out\n", sweep.width, thinned.width);

  // The outgoing message is a PointCloud2 like any other: a point in each square meter of ground that had one.
  farpoint::point_view<float> before;
  farpoint::point_view<float> after;
  if (!view_point_cloud2(sweep, before) || !view_point_cloud2(thinned, after)) return 1;
  auto const cell = [](auto const& p) {
    bool const inside = p[0] >= -50 && p[0] < 50 && p[1] >= -50 && p[1] < 50;  // false for NaN
    return inside ? static_cast<int>(std::floor(p[0] + 50) * 100 + std::floor(p[1] + 50)) : -1;
  };
  std::set<int> expected;
  std::set<int> found;
  for (farpoint::index_t i = 0; i < before.size(); ++i) expected.insert(cell(before[i]));
  for (farpoint::index_t i = 0; i < after.size(); ++i) {
    float intensity = 0;
    std::memcpy(&intensity, thinned.data.data() + 16 * i + 12, sizeof intensity);
    found.insert(cell(after[i]));
    if (std::abs(after[i][2] + 1.7f) > 1e-5f || intensity != 200) return 1;
  }
  expected.erase(-1);
  return found == expected && found.size() == thinned.width ? 0 : 1;
}
