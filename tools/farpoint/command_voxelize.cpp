// farpoint voxelize
#include <fmt/format.h>
#include <farpoint/reference/voxelize.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>

#include "cloud_bytes.hpp"
#include "commands.hpp"
#include "machine.hpp"
#include "measure.hpp"
#include "voxels.hpp"

namespace farpoint_tools {

namespace {

/// @tparam Scalar  type of the cloud's coordinates
template <class Scalar>
struct voxel_rows {
  std::vector<std::int32_t> coords;  ///< `[voxels, 3]`
  std::vector<std::int32_t> counts;  ///< kept points
  std::vector<Scalar> centroids;     ///< `[voxels, 3]`
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

// The columns as rows of floats, which is what voxels are made of. A column with values that float32 does not have is
// stored relative to its first finite value.
class feature_rows {
 public:
  explicit feature_rows(cloud const& from)
      : count_{std::min(from.columns.size(), static_cast<std::size_t>(farpoint::feature_view::max_count))},
        values_(count_ * from.points.size()),
        origins_(count_),
        is_relative_(count_) {
    for (std::size_t c = 0; c < count_; ++c) {
      auto const& values = from.columns[c];
      is_relative_[c] = !values.fits_float32();
      for (std::size_t i = 0; i < values.size() && is_relative_[c]; ++i) {
        if (!std::isfinite(values.at(i))) continue;
        origins_[c] = values.at(i);
        break;
      }
      for (std::size_t i = 0; i < from.points.size(); ++i) {
        values_[i * count_ + c] = static_cast<float>(values.at(i) - origins_[c]);
      }
    }
  }

  std::size_t count() const { return count_; }
  bool is_relative(std::size_t c) const { return is_relative_[c]; }
  double origin(std::size_t c) const { return origins_[c]; }
  farpoint::feature_view view() const {
    if (count_ == 0) return {};
    auto const rows = static_cast<farpoint::index_t>(values_.size() / count_);
    return farpoint::feature_view::packed(values_.data(), rows, static_cast<int>(count_));
  }

 private:
  std::size_t count_;
  std::vector<float> values_;
  std::vector<double> origins_;
  std::vector<bool> is_relative_;
};

template <class Scalar>
farpoint::voxelize_params<Scalar> params_of(voxelize_options const& options, voxel_space const& where,
                                            feature_rows const& features) {
  constexpr auto unlimited = farpoint::voxel_mode::unlimited;
  farpoint::voxelize_params<Scalar> params;
  params.grid = where.grid<Scalar>();
  params.mode.max_voxels = options.max_voxels > 0 ? options.max_voxels : unlimited;
  params.mode.max_points = options.max_points > 0 ? options.max_points : unlimited;
  params.order = options.order;
  params.points = options.seed ? farpoint::voxel_points::random_subset : farpoint::voxel_points::first;
  params.seed = options.seed.value_or(0);
  params.features = features.view();
  return params;
}

/// Calls `voxelize(clouds, params, output)`, and trims the output to its size.
template <class Scalar, class Voxelize>
voxel_rows<Scalar> collect(std::vector<std::array<Scalar, 3>> const& points, voxelize_options const& options,
                           farpoint::voxelize_params<Scalar> const& params, Voxelize const& voxelize) {
  auto const n = static_cast<std::int64_t>(points.size());
  auto const rows = static_cast<std::size_t>(std::min(params.mode.max_voxels, n));
  auto const features = static_cast<std::size_t>(params.features.count());
  voxel_rows<Scalar> voxels{std::vector<std::int32_t>(3 * rows),
                            std::vector<std::int32_t>(rows),
                            std::vector<Scalar>(3 * rows),
                            std::vector<float>(rows * features),
                            {}};
  std::array<std::int32_t, 1> count{};
  farpoint::voxelize_output<Scalar> output;
  output.capacity = static_cast<std::int64_t>(rows);
  output.coords = {voxels.coords.data(), voxels.coords.size()};
  output.points_per_voxel = voxels.counts;
  output.centroid = {voxels.centroids.data(), voxels.centroids.size()};
  if (features > 0) {
    auto& part = options.reduce == reduction::mean  ? output.mean
                 : options.reduce == reduction::max ? output.max
                                                    : output.first;
    part = farpoint::span<float>{voxels.values.data(), voxels.values.size()};
  }
  output.voxel_count = count;
  output.report = &voxels.report;
  expect_ok(voxelize(farpoint::batch{farpoint::view_points(points)}, params, output));
  auto const found = static_cast<std::size_t>(count[0]);
  voxels.coords.resize(3 * found);
  voxels.counts.resize(found);
  voxels.centroids.resize(3 * found);
  voxels.values.resize(found * features);
  return voxels;
}

// Copies the points and moves each one far away that is in a voxel but outside of the range: in the rest of the last
// voxel, or where rounding puts it on the corner. Returns an empty vector if all points can stay.
template <class Scalar>
std::vector<std::array<Scalar, 3>> with_range_cut(std::vector<std::array<Scalar, 3>> const& points,
                                                  voxel_space const& where) {
  std::vector<std::array<Scalar, 3>> cut;
  auto const grid = where.grid<Scalar>();
  constexpr Scalar far_away = std::numeric_limits<Scalar>::lowest();
  for (std::size_t i = 0; i < points.size(); ++i) {
    farpoint::vec<std::int32_t> voxel{};
    auto const& p = points[i];
    if (!where.is_outside(p) || !farpoint::voxel_of(grid, farpoint::vec<Scalar>{{p[0], p[1], p[2]}}, voxel)) continue;
    if (cut.empty()) cut = points;
    cut[i] = {far_away, far_away, far_away};
  }
  return cut;
}

// Every `width`-th value from the one at `first` on, plus `origin`.
template <class Value>
column every(std::string name, scalar_kind kind, std::vector<Value> const& values, std::size_t first, std::size_t width,
             double origin = 0) {
  column made{std::move(name), kind, values.size() / width};
  for (std::size_t i = 0; i < made.size(); ++i) {
    made.set(i, origin + static_cast<double>(values[i * width + first]));
  }
  return made;
}

// The voxels' centroids as a cloud.
template <class Scalar>
cloud cloud_of(voxel_rows<Scalar> const& voxels, cloud const& input, feature_rows const& features) {
  cloud made;
  std::vector<std::array<Scalar, 3>> centroids(voxels.counts.size());
  if (!centroids.empty()) {
    std::memcpy(centroids.data(), voxels.centroids.data(), voxels.centroids.size() * sizeof(Scalar));
  }
  if constexpr (std::is_same_v<Scalar, double>) {
    set_exact(made, std::move(centroids));
  } else {
    made.points = std::move(centroids);
  }
  for (std::size_t f = 0; f < features.count(); ++f) {
    auto const kind = input.columns[f].kind() == scalar_kind::uint8 ? scalar_kind::uint8  // colors stay colors
                      : features.is_relative(f)                     ? scalar_kind::float64
                                                                    : scalar_kind::float32;
    made.columns.push_back(
        every(input.columns[f].name(), kind, voxels.values, f, features.count(), features.origin(f)));
  }
  auto const of_input = std::move(made.columns);
  made.columns.clear();
  made.columns.push_back(make_column("points", scalar_kind::int32, voxels.counts));
  constexpr char const* names[] = {"voxel_x", "voxel_y", "voxel_z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    made.columns.push_back(every(names[axis], scalar_kind::int32, voxels.coords, axis, 3));
  }
  for (auto const& values : of_input) {
    // Voxels of voxels: the new numbers replace the old ones.
    if (made.find(values.name()) == nullptr) made.columns.push_back(values);
  }
  return made;
}

// The row of each point's voxel, -1 without one.
template <class Scalar>
column voxel_of_points(std::vector<std::array<Scalar, 3>> const& points, farpoint::voxelize_params<Scalar> params) {
  std::vector<std::int32_t> rows(points.size());
  params.features = {};
  farpoint::voxelize_output<Scalar> output;
  output.capacity = static_cast<std::int64_t>(rows.size());
  output.point_voxel = rows;
  expect_ok(farpoint::runtime::voxelize(farpoint::batch{farpoint::view_points(points)}, params, output));
  return make_column("voxel", scalar_kind::int32, rows);
}

// voxelize() of the cloud's coordinates, floats or doubles.
template <class Scalar>
outcome voxelize_rows(std::vector<std::array<Scalar, 3>> const& all, cloud const& input, common_options const& common,
                      voxelize_options const& options, voxel_space const& where, std::string const& prefix) {
  feature_rows const features{input};
  auto const params = params_of<Scalar>(options, where, features);
  auto const cut = with_range_cut(all, where);
  auto const& points = cut.empty() ? all : cut;
  auto const call = [&](farpoint::runtime::options const& run_options, farpoint::runtime::run_info& info) {
    return collect(points, options, params, [&](auto const& clouds, auto const& asked, auto const& output) {
      return farpoint::runtime::voxelize(clouds, asked, output, run_options, &info);
    });
  };
  outcome made;
  figures times;
  auto const run = measure(prefix, call, common, times);
  auto const& voxels = run.answer;
  auto const& report = voxels.report;
  auto const count = [](auto number) { return static_cast<std::int64_t>(number); };
  auto const kept = count(points.size()) - count(report.non_finite + report.outside + report.dropped_points);
  made.backend = describe(run.info, common.backend);
  made.summary = {
      {"points", "points", count(points.size())},
      {"voxels", "voxels", count(voxels.counts.size())},
      {"points_per_voxel", "per voxel",
       voxels.counts.empty() ? 0.0 : static_cast<double>(kept) / static_cast<double>(voxels.counts.size())}};
  if (report.non_finite > 0) made.summary.push_back({"non_finite", "not finite", count(report.non_finite)});
  if (!options.range.empty()) made.summary.push_back({"outside", "outside", count(report.outside)});
  if (options.max_voxels > 0) made.summary.push_back({"dropped_points", "dropped", count(report.dropped_points)});
  if (options.max_points > 0) made.summary.push_back({"surplus_points", "surplus", count(report.surplus_points)});
  made.summary.insert(made.summary.end(), times.begin(), times.end());
  auto const three = [](auto const& v) { return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]); };
  auto const spaced = [](auto const& v) { return fmt::format("{} {} {}", v[0], v[1], v[2]); };
  made.summary.push_back({"voxel_size", "voxel size (m)", spaced(where.size), three(where.size)});
  made.summary.push_back({"origin", "grid's lower corner (m)", spaced(where.lower), three(where.lower)});
  made.summary.push_back({"dims", "grid", fmt::format("{} x {} x {}", where.cells[0], where.cells[1], where.cells[2]),
                          three(where.cells)});
  if (common.check) {
    auto const reference = [&](voxel_rows<Scalar> const& found) {
      return found == collect(points, options, params, [](auto const& clouds, auto const& asked, auto const& output) {
               return farpoint::reference::voxelize(clouds, asked, output);
             });
    };
    made.equal = compare(run, call, "the serial loop", reference, made.summary);
  }
  if (common.wants_result()) made.result = cloud_of(voxels, input, features);
  made.done = where.size[0] == where.size[1] && where.size[0] == where.size[2]
                  ? fmt::format("voxels of {} m", where.size[0])
                  : fmt::format("voxels of {} x {} x {} m", where.size[0], where.size[1], where.size[2]);
  made.result_name = "Voxels";
  made.drawn.cubes = cube_grid{where.lower, where.size};
  if (common.visualize) made.of_input.push_back(voxel_of_points(points, params));
  return made;
}

std::optional<double3> size_of(voxelize_options const& options) {
  if (!options.size.empty()) {
    bool const by_axis = options.size.size() == 3;
    return double3{options.size[0], options.size[by_axis ? 1 : 0], options.size[by_axis ? 2 : 0]};
  }
  if (options.cells.empty()) return std::nullopt;
  double3 size{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    size[axis] = (options.range[axis + 3] - options.range[axis]) / static_cast<double>(options.cells[axis]);
  }
  return size;
}

double3 default_size(cloud const& of) {
  // 0.2, not the 0.200000003 that its float is.
  double const edge = *parse_number(fmt::format("{}", choose_voxel_size(of.points)));
  return {edge, edge, edge};
}

// The voxels of a command: by its range, or around all of its clouds.
class space_chooser {
 public:
  explicit space_chooser(voxelize_options const& options) : options_{options}, size_{size_of(options)} {}

  // Makes the voxels go around this cloud, too.
  void add(cloud const& more) {
    if (!size_) size_ = default_size(more);
    if (options_.range.empty()) around_.add(more);
  }
  bool needs_all_clouds() const { return options_.range.empty(); }
  voxel_space space() const {
    if (options_.range.empty()) return space_around(around_, *size_);
    auto const corner = [this](std::size_t i) {
      return double3{options_.range[i], options_.range[i + 1], options_.range[i + 2]};
    };
    std::optional<std::array<std::int64_t, 3>> cells;
    if (!options_.cells.empty()) cells = {options_.cells[0], options_.cells[1], options_.cells[2]};
    return space_of_range(corner(0), corner(3), *size_, cells);
  }

 private:
  voxelize_options const& options_;
  std::optional<double3> size_;
  cloud_bounds around_;
};

}  // namespace

outcome voxelize(cloud const& input, common_options const& common, voxelize_options const& options,
                 voxel_space const& where, std::string const& prefix) {
  return with_coordinates(
      input, [&](auto const& points) { return voxelize_rows(points, input, common, options, where, prefix); });
}

int run_voxelize(common_options const& common, voxelize_options const& options) {
  space_chooser chooser{options};
  bool const in_folder = is_folder(common);
  if (in_folder && chooser.needs_all_clouds()) {
    for (auto const& file : input_files(common)) {
      try {
        with_progress("measuring", [&] { chooser.add(read_cloud(file, common.format)); });
      } catch (cloud_error const&) {
        // run_session() reports it.
      }
    }
  }
  return run_session("voxelize", common, [&](cloud const& input) {
    if (!in_folder || !chooser.needs_all_clouds()) chooser.add(input);
    return voxelize(input, common, options, chooser.space());
  });
}

}  // namespace farpoint_tools
