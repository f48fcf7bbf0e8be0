// farpoint voxelize
#include <fmt/format.h>
#include <farpoint/reference/voxelize.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>

#include "commands.hpp"
#include "machine.hpp"
#include "measure.hpp"
#include "voxels.hpp"

namespace farpoint_tools {

namespace {

using grid = farpoint::voxel_grid<float>;

struct voxel_rows {
  std::vector<std::int32_t> coords;  ///< `[voxels, 3]`
  std::vector<std::int32_t> counts;  ///< kept points
  std::vector<float> centroids;      ///< `[voxels, 3]`
  std::vector<float> values;         ///< `[voxels, features]`
  farpoint::voxelize_report report;

  friend bool operator==(voxel_rows const& a, voxel_rows const& b) {
    auto const counters = [](farpoint::voxelize_report const& r) {
      return std::make_tuple(r.voxels, r.non_finite, r.outside, r.dropped_voxels, r.dropped_points, r.surplus_points);
    };
    return a.coords == b.coords && a.counts == b.counts && equal_bits(a.centroids, b.centroids) &&
           equal_bits(a.values, b.values) && counters(a.report) == counters(b.report);
  }
};

// The columns as rows of floats, which is what voxels are made of.
class feature_rows {
 public:
  explicit feature_rows(cloud const& from)
      : count_{std::min(from.columns.size(), static_cast<std::size_t>(farpoint::feature_view::max_count))},
        values_(count_ * from.points.size()) {
    for (std::size_t c = 0; c < count_; ++c) {
      for (std::size_t i = 0; i < from.points.size(); ++i) {
        values_[i * count_ + c] = static_cast<float>(from.columns[c].at(i));
      }
    }
  }

  std::size_t count() const { return count_; }
  farpoint::feature_view view() const {
    if (count_ == 0) return {};
    auto const rows = static_cast<farpoint::index_t>(values_.size() / count_);
    return farpoint::feature_view::packed(values_.data(), rows, static_cast<int>(count_));
  }

 private:
  std::size_t count_;
  std::vector<float> values_;
};

farpoint::voxelize_params<float> params_of(voxelize_wish const& wish, grid const& where, feature_rows const& features) {
  constexpr auto unlimited = farpoint::voxel_mode::unlimited;
  farpoint::voxelize_params<float> params;
  params.grid = where;
  params.mode.max_voxels = wish.max_voxels > 0 ? wish.max_voxels : unlimited;
  params.mode.max_points = wish.max_points > 0 ? wish.max_points : unlimited;
  params.order = wish.order;
  params.points = wish.seed ? farpoint::voxel_points::random_subset : farpoint::voxel_points::first;
  params.seed = wish.seed.value_or(0);
  params.features = features.view();
  return params;
}

/// Calls `voxelize(clouds, params, output)`, and trims the output to its size.
template <class Voxelize>
voxel_rows collect(cloud const& input, voxelize_wish const& wish, farpoint::voxelize_params<float> const& params,
                   Voxelize const& voxelize) {
  auto const n = static_cast<std::int64_t>(input.points.size());
  auto const rows = static_cast<std::size_t>(std::min(params.mode.max_voxels, n));
  auto const features = static_cast<std::size_t>(params.features.count());
  voxel_rows voxels{std::vector<std::int32_t>(3 * rows),
                    std::vector<std::int32_t>(rows),
                    std::vector<float>(3 * rows),
                    std::vector<float>(rows * features),
                    {}};
  std::array<std::int32_t, 1> count{};
  farpoint::voxelize_output<float> output;
  output.capacity = static_cast<std::int64_t>(rows);
  output.coords = {voxels.coords.data(), voxels.coords.size()};
  output.points_per_voxel = voxels.counts;
  output.centroid = {voxels.centroids.data(), voxels.centroids.size()};
  if (features > 0) {
    auto& part = wish.reduce == reduction::mean  ? output.mean
                 : wish.reduce == reduction::max ? output.max
                                                 : output.first;
    part = farpoint::span<float>{voxels.values.data(), voxels.values.size()};
  }
  output.voxel_count = count;
  output.report = &voxels.report;
  expect_ok(voxelize(farpoint::batch{farpoint::view_points(input.points)}, params, output));
  auto const found = static_cast<std::size_t>(count[0]);
  voxels.coords.resize(3 * found);
  voxels.counts.resize(found);
  voxels.centroids.resize(3 * found);
  voxels.values.resize(found * features);
  return voxels;
}

// Every `width`-th value from the one at `first` on.
template <class Value>
column every(std::string name, scalar_kind kind, std::vector<Value> const& values, std::size_t first,
             std::size_t width) {
  column made{std::move(name), kind, values.size() / width};
  for (std::size_t i = 0; i < made.size(); ++i) made.set(i, static_cast<double>(values[i * width + first]));
  return made;
}

// The voxels' centroids as a cloud.
cloud cloud_of(voxel_rows const& voxels, cloud const& input, std::size_t features) {
  cloud made;
  made.points.resize(voxels.counts.size());
  if (!made.points.empty()) {
    std::memcpy(made.points.data(), voxels.centroids.data(), voxels.centroids.size() * sizeof(float));
  }
  made.columns.push_back(make_column("points", scalar_kind::int32, voxels.counts));
  constexpr char const* names[] = {"voxel_x", "voxel_y", "voxel_z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    made.columns.push_back(every(names[axis], scalar_kind::int32, voxels.coords, axis, 3));
  }
  for (std::size_t f = 0; f < features; ++f) {
    // Colours stay what writers and viewers take for colours.
    bool const byte = input.columns[f].kind() == scalar_kind::uint8;
    made.columns.push_back(
        every(input.columns[f].name(), byte ? scalar_kind::uint8 : scalar_kind::float32, voxels.values, f, features));
  }
  return made;
}

// The row of each point's voxel, -1 without one.
column voxel_of_points(cloud const& input, farpoint::voxelize_params<float> params) {
  std::vector<std::int32_t> rows(input.points.size());
  params.features = {};
  farpoint::voxelize_output<float> output;
  output.capacity = static_cast<std::int64_t>(rows.size());
  output.point_voxel = rows;
  expect_ok(farpoint::runtime::voxelize(farpoint::batch{farpoint::view_points(input.points)}, params, output));
  return make_column("voxel", scalar_kind::int32, rows);
}

// The grid as it is asked for, or around a cloud.
grid grid_for(cloud const& input, voxelize_wish const& wish, farpoint::vec<float> const& size) {
  if (!wish.range.empty()) {
    return grid_of_range({{wish.range[0], wish.range[1], wish.range[2]}},
                         {{wish.range[3], wish.range[4], wish.range[5]}}, size, false);
  }
  farpoint::vec<float> lower{};
  farpoint::vec<float> upper{};
  bool first = true;
  for (auto const& p : input.points) {
    if (!is_finite(p)) continue;
    for (int axis = 0; axis < 3; ++axis) {
      float const value = p[static_cast<std::size_t>(axis)];
      lower[axis] = first ? value : std::min(lower[axis], value);
      upper[axis] = first ? value : std::max(upper[axis], value);
    }
    first = false;
  }
  return grid_of_range(lower, upper, size, true);
}

}  // namespace

farpoint::voxel_grid<float> grid_of_range(farpoint::vec<float> const& lower, farpoint::vec<float> const& upper,
                                          farpoint::vec<float> const& size, bool closed) {
  grid made{lower, size, {}};
  for (int axis = 0; axis < 3; ++axis) {
    if (!(size[axis] > 0) || !std::isfinite(size[axis])) {
      throw usage_error{fmt::format("--voxel-size {}: expected a length above 0", size[axis])};
    }
    bool const rising = closed ? lower[axis] <= upper[axis] : lower[axis] < upper[axis];
    if (!rising || !std::isfinite(lower[axis]) || !std::isfinite(upper[axis])) {
      throw usage_error{fmt::format("--range: from {} to {} there is nothing", lower[axis], upper[axis])};
    }
    // Places never fall as coordinates rise, however they are rounded: what holds the last point holds them all.
    float const last = closed ? upper[axis] : std::nextafter(upper[axis], -std::numeric_limits<float>::infinity());
    float const place = farpoint::div_rn(farpoint::sub_rn(last, lower[axis]), size[axis]);
    if (!(place < 2147483647.0F)) {
      throw usage_error{fmt::format("--voxel-size {}: an axis of {} to {} would have 2^31 voxels or more", size[axis],
                                    lower[axis], upper[axis])};
    }
    made.dims[axis] = static_cast<std::int32_t>(place) + 1;
  }
  if (made.cells() == 0) throw usage_error{"--voxel-size: the grid would have 2^63 voxels or more"};
  return made;
}

outcome voxelize(cloud const& input, common_wish const& common, voxelize_wish const& wish,
                 farpoint::voxel_grid<float> const& where, std::string const& prefix) {
  feature_rows const features{input};
  auto const params = params_of(wish, where, features);
  auto const call = [&](farpoint::runtime::options const& options, farpoint::runtime::run_info& info) {
    return collect(input, wish, params, [&](auto const& clouds, auto const& asked, auto const& output) {
      return farpoint::runtime::voxelize(clouds, asked, output, options, &info);
    });
  };
  outcome made;
  figures times;
  auto const run = measure(prefix, call, common, times);
  auto const& voxels = run.answer;
  auto const& report = voxels.report;
  auto const count = [](auto number) { return static_cast<std::int64_t>(number); };
  auto const kept = count(input.points.size()) - count(report.non_finite + report.outside + report.dropped_points);
  made.backend = describe(run.info, common.backend);
  made.told = {{"points", "points", count(input.points.size())},
               {"voxels", "voxels", count(voxels.counts.size())},
               {"points_per_voxel", "per voxel",
                voxels.counts.empty() ? 0.0 : static_cast<double>(kept) / static_cast<double>(voxels.counts.size())}};
  if (report.non_finite > 0) made.told.push_back({"non_finite", "not finite", count(report.non_finite)});
  if (!wish.range.empty()) made.told.push_back({"outside", "outside", count(report.outside)});
  if (wish.max_voxels > 0) made.told.push_back({"dropped_points", "dropped", count(report.dropped_points)});
  if (wish.max_points > 0) made.told.push_back({"surplus_points", "surplus", count(report.surplus_points)});
  made.told.insert(made.told.end(), times.begin(), times.end());
  made.told.push_back(
      {"voxel_size", "voxel size (m)", fmt::format("{} {} {}", where.size[0], where.size[1], where.size[2])});
  made.told.push_back({"dims", "grid", fmt::format("{} x {} x {}", where.dims[0], where.dims[1], where.dims[2])});
  if (common.check) {
    auto const reference = [&](voxel_rows const& found) {
      return found == collect(input, wish, params, [](auto const& clouds, auto const& asked, auto const& output) {
               return farpoint::reference::voxelize(clouds, asked, output);
             });
    };
    made.equal = compare(run, call, "the serial loop", reference, made.told);
  }
  if (common.wants_result()) made.result = cloud_of(voxels, input, features.count());
  if (common.visualize) made.of_input.push_back(voxel_of_points(input, params));
  return made;
}

int run_voxelize(common_wish const& common, voxelize_wish const& wish) {
  // The files of a folder are voxelized alike.
  std::optional<farpoint::vec<float>> size;
  if (!wish.size.empty()) {
    bool const by_axis = wish.size.size() == 3;
    size = farpoint::vec<float>{{wish.size[0], wish.size[by_axis ? 1 : 0], wish.size[by_axis ? 2 : 0]}};
  }
  return run_session("voxelize", common, [&](cloud const& input) {
    if (!size) {
      float const edge = choose_voxel_size(input.points);
      size = farpoint::vec<float>{{edge, edge, edge}};
    }
    return voxelize(input, common, wish, grid_for(input, wish, *size));
  });
}

}  // namespace farpoint_tools
