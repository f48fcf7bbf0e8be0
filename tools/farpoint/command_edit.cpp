// farpoint convert, crop, merge, sample: points stay or go, and do not change.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "cloud_bytes.hpp"
#include "cloud_merge.hpp"
#include "commands.hpp"
#include "machine.hpp"
#include "progress.hpp"
#include "random_source.hpp"

namespace farpoint_tools {

namespace {

namespace fs = std::filesystem;
using index_list = std::vector<std::size_t>;

outcome keep(cloud const& input, index_list const& kept, common_options const& common) {
  outcome made;
  made.summary = {{"points", "points", static_cast<std::int64_t>(input.points.size())},
                  {"kept", "kept", static_cast<std::int64_t>(kept.size())}};
  if (common.wants_result()) made.result = select(input, kept);
  return made;
}

voxel_space box_of(crop_options const& options) {
  voxel_space box;
  box.lower = {-voxel_space::unlimited, -voxel_space::unlimited, -voxel_space::unlimited};
  for (std::size_t axis = 0; axis < 3 && !options.range.empty(); ++axis) {
    box.lower[axis] = options.range[axis];
    box.upper[axis] = options.range[axis + 3];
    if (!(box.lower[axis] < box.upper[axis])) {
      throw usage_error{fmt::format("--range: the upper {0} ({1}) must be greater than the lower {0} ({2})",
                                    "xyz"[axis], box.upper[axis], box.lower[axis])};
    }
  }
  return box;
}

bool is_in_ball(cloud const& input, std::size_t i, std::vector<double> const& ball) {
  double squared = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double const away = input.coordinate(i, axis) - ball[axis];
    squared += away * away;
  }
  return squared <= ball[3] * ball[3];
}

outcome crop(cloud const& input, common_options const& common, crop_options const& options) {
  auto const box = box_of(options);
  index_list kept;
  with_coordinates(input, [&](auto const& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!input.is_finite(i)) continue;
      bool const inside = !box.is_outside(rows[i]) && (options.ball.empty() || is_in_ball(input, i, options.ball));
      if (inside != options.outside) kept.push_back(i);
    }
  });
  return keep(input, kept, common);
}

// Each set of `samples` indices is equally likely (Knuth, The Art of Computer Programming 2, algorithm S).
index_list random_indices(std::size_t of, std::size_t samples, std::uint64_t seed) {
  random_source source{seed};
  index_list picked;
  for (std::size_t i = 0; i < of && picked.size() < samples; ++i) {
    auto const wanted = static_cast<double>(samples - picked.size());
    if (source.uniform() * static_cast<double>(of - i) < wanted) picked.push_back(i);
  }
  return picked;
}

// The first point of each voxel.
template <class Scalar>
index_list first_of_voxels(std::vector<std::array<Scalar, 3>> const& rows, voxel_space const& where,
                           common_options const& common, farpoint::runtime::run_info& info) {
  auto const n = rows.size();
  std::vector<std::int32_t> offsets(n + 1);
  std::vector<std::int32_t> points(n);
  std::array<std::int32_t, 1> count{};
  farpoint::voxelize_params<Scalar> params;
  params.grid = where.grid<Scalar>();
  params.mode.max_voxels = farpoint::voxel_mode::unlimited;
  params.mode.max_points = farpoint::voxel_mode::unlimited;
  farpoint::voxelize_output<Scalar> output;
  output.capacity = static_cast<std::int64_t>(n);
  output.list_offsets = offsets;
  output.list_points = points;
  output.voxel_count = count;
  farpoint::batch const clouds{farpoint::view_points(rows)};
  expect_ok(farpoint::runtime::voxelize(clouds, params, output, {common.backend, common.threads}, &info));
  index_list picked;
  for (std::size_t v = 0; v < static_cast<std::size_t>(count[0]); ++v) {
    picked.push_back(static_cast<std::size_t>(points[static_cast<std::size_t>(offsets[v])]));
  }
  std::sort(picked.begin(), picked.end());
  return picked;
}

outcome sample_evenly(cloud const& input, common_options const& common, double edge) {
  cloud_bounds around;
  around.add(input);
  auto const where = space_around(around, {edge, edge, edge});
  farpoint::runtime::run_info info;
  auto const picked =
      with_coordinates(input, [&](auto const& rows) { return first_of_voxels(rows, where, common, info); });
  auto made = keep(input, picked, common);
  made.backend = describe(info, common.backend);
  return made;
}

// All files of the inputs, in order.
std::vector<fs::path> files_of(merge_options const& options) {
  std::vector<fs::path> files;
  for (auto const& input : options.inputs) {
    common_options one;
    one.input = input;
    auto const found = input_files(one);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

cloud read_all(std::vector<fs::path> const& files, common_options const& common) {
  std::vector<cloud> parts;
  parts.reserve(files.size());
  for (auto const& file : files) parts.push_back(read_cloud(file, common.format));
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (!have_one_projection(parts[0], parts[i])) {
      throw cloud_error{complaint(files[i], "the projection of " + files[0].string(), "another")};
    }
  }
  return merge(std::move(parts));
}

}  // namespace

int run_convert(common_options const& common) {
  return run_session("convert", common, [](cloud const& input) {
    outcome made;
    made.summary = {{"points", "points", static_cast<std::int64_t>(input.points.size())}};
    made.result = input;
    return made;
  });
}

int run_crop(common_options const& common, crop_options const& options) {
  if (options.range.empty() && options.ball.empty()) throw usage_error{"crop: expected --range or --ball"};
  return run_session("crop", common, [&](cloud const& input) { return crop(input, common, options); });
}

int run_merge(common_options const& common, merge_options const& options) {
  auto const files = files_of(options);
  for (auto const& file : files) {
    std::error_code error;
    if (fs::equivalent(common.output, file, error)) {
      throw usage_error{fmt::format("{}: would overwrite an input; choose another name", common.output)};
    }
  }
  session_source source;
  source.files = {files.front()};
  source.read = [&](fs::path const&) { return read_all(files, common); };
  return run_session("merge", common, source, [&](cloud const& input) {
    outcome made;
    made.summary = {{"inputs", "inputs", static_cast<std::int64_t>(files.size())},
                    {"points", "points", static_cast<std::int64_t>(input.points.size())}};
    if (common.wants_result()) made.result = input;
    return made;
  });
}

int run_sample(common_options const& common, sample_options const& options) {
  if (options.samples == 0 && options.voxel_size == 0) throw usage_error{"sample: expected --samples or --voxel-size"};
  return run_session("sample", common, [&](cloud const& input) {
    if (options.voxel_size > 0) return sample_evenly(input, common, options.voxel_size);
    auto const samples = static_cast<std::size_t>(options.samples);
    return keep(input, random_indices(input.points.size(), samples, options.seed), common);
  });
}

}  // namespace farpoint_tools
