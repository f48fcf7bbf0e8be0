// farpoint knn, farpoint normals
#include <fmt/format.h>
#include <farpoint/reference/knn.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "commands.hpp"
#include "machine.hpp"
#include "measure.hpp"
#include "page_text.hpp"

namespace farpoint_tools {

namespace {

template <class Scalar>
struct neighbor_lists {
  std::vector<std::int32_t> indices;  ///< `[points, k]`
  std::vector<Scalar> distances;      ///< `[points, k]`, squared

  friend bool operator==(neighbor_lists const& a, neighbor_lists const& b) {
    return a.indices == b.indices && equal_bits(a.distances, b.distances);
  }
};

template <class Scalar>
struct normal_rows {
  std::vector<Scalar> normals;  ///< `[points, 3]`
  std::vector<Scalar> curvatures;

  friend bool operator==(normal_rows const& a, normal_rows const& b) {
    return equal_bits(a.normals, b.normals) && equal_bits(a.curvatures, b.curvatures);
  }
};

// True if `rows` result rows, spread evenly over all queries, equal the definition of knn().
template <class Scalar>
bool rows_are_right(farpoint::batch<farpoint::point_view<Scalar>> const& points, farpoint::knn_params const& params,
                    std::int32_t const* indices, Scalar const* distances, farpoint::index_t rows) {
  auto const n = points.points().size();
  auto const k = params.k;
  auto const width = static_cast<std::size_t>(k);
  std::vector<std::int32_t> found(width + 1);
  std::vector<Scalar> squared(width + 1);
  for (farpoint::index_t r = 0; r < std::min(rows, n); ++r) {
    auto const i = r * n / std::min(rows, n);
    // One query is not the point of its number: it is left out of one neighbor more.
    farpoint::batch const query{points.points().subview(i, 1)};
    auto const more = params.exclude_self && k < farpoint::max_neighbors ? k + 1 : k;
    farpoint::knn_output<Scalar> const output{
        farpoint::span<std::int32_t>{found.data(), static_cast<std::size_t>(more)},
        farpoint::span<Scalar>{squared.data(), static_cast<std::size_t>(more)}};
    farpoint::knn_params const with_self{more, params.max_radius};
    if (!farpoint::reference::knn(points, query, with_self, output)) return false;
    std::size_t from = 0;
    for (std::size_t j = 0; j < width; ++j, ++from) {
      if (params.exclude_self && from < static_cast<std::size_t>(more) && found[from] == i) ++from;
      if (from >= static_cast<std::size_t>(more)) break;
      auto const at = static_cast<std::size_t>(i) * width + j;
      if (indices[at] != found[from] || std::memcmp(distances + at, &squared[from], sizeof(Scalar)) != 0) return false;
    }
  }
  return true;
}

// Adds the number of a point's neighbors, and the mean and the largest distance to them (m).
template <class Scalar>
void add_columns(neighbor_lists<Scalar> const& lists, std::size_t k, cloud& to) {
  auto const n = to.points.size();
  column counts{"neighbors", scalar_kind::int32, n};
  column means{"mean_distance", scalar_kind::float32, n};
  column farthest{"farthest_distance", scalar_kind::float32, n};
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    double last = 0;
    std::size_t count = 0;
    while (count < k && lists.indices[i * k + count] >= 0) {
      last = std::sqrt(static_cast<double>(lists.distances[i * k + count]));
      sum += last;
      ++count;
    }
    counts.set(i, static_cast<double>(count));
    means.set(i, count == 0 ? 0 : sum / static_cast<double>(count));
    farthest.set(i, last);
  }
  for (auto* const made : {&counts, &means, &farthest}) to.set(std::move(*made));
}

double mean_of(column const& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values.at(i);
  return values.size() == 0 ? 0 : sum / static_cast<double>(values.size());
}

// find_neighbors() of the cloud's coordinates, floats or doubles.
template <class Scalar>
outcome find_neighbors_of_rows(std::vector<std::array<Scalar, 3>> const& rows, cloud const& input,
                               common_options const& common, search_options const& options, std::string const& prefix) {
  auto const k = static_cast<std::size_t>(options.k);
  auto const n = rows.size();
  farpoint::batch const points{farpoint::view_points(rows)};
  farpoint::knn_params const params{options.k, options.max_radius, !options.with_self};
  auto const call = [&](farpoint::runtime::options const& where, farpoint::runtime::run_info& info) {
    neighbor_lists<Scalar> lists{std::vector<std::int32_t>(n * k), std::vector<Scalar>(n * k)};
    farpoint::knn_output<Scalar> const output{lists.indices, lists.distances};
    expect_ok(farpoint::runtime::knn(points, params, output, where, &info));
    return lists;
  };
  outcome made;
  figures times;
  auto const run = measure(prefix, call, common, times);
  made.backend = describe(run.info, common.backend);
  made.result = input;
  add_columns(run.answer, k, made.result);
  made.summary = {{"points", "points", static_cast<std::int64_t>(n)},
                  {"neighbors", "neighbors", mean_of(*made.result.find("neighbors"))},
                  {"mean_distance_m", "distance (m)", mean_of(*made.result.find("mean_distance"))}};
  made.summary.insert(made.summary.end(), times.begin(), times.end());
  if (common.check) {
    auto const reference = [&](neighbor_lists<Scalar> const& lists) {
      farpoint::runtime::run_info unused;
      return lists == call({farpoint::runtime::backend::host, 1}, unused) &&
             rows_are_right(points, params, lists.indices.data(), lists.distances.data(), 256);
    };
    made.equal = compare(run, call, "one thread, and as the serial loop at 256 points", reference, made.summary);
  }
  made.done = fmt::format("distances to {} neighbors", k);
  made.result_name = "Points";
  made.drawn.has_input = true;
  made.drawn.color_by = "mean_distance";
  if (!options.indices.empty()) made.indices = encode_npy(run.answer.indices.data(), n, k);
  return made;
}

// find_normals() of the cloud's coordinates, floats or doubles.
template <class Scalar>
outcome find_normals_of_rows(std::vector<std::array<Scalar, 3>> const& points, cloud const& input,
                             common_options const& common, normals_options const& options, std::string const& prefix) {
  auto const n = points.size();
  farpoint::batch const clouds{farpoint::view_points(points)};
  farpoint::normals_params const params{
      options.k, options.max_radius, {{options.viewpoint[0], options.viewpoint[1], options.viewpoint[2]}}};
  auto const call = [&](farpoint::runtime::options const& where, farpoint::runtime::run_info& info) {
    normal_rows<Scalar> rows{std::vector<Scalar>(3 * n), std::vector<Scalar>(n)};
    farpoint::normals_output<Scalar> const output{rows.normals, rows.curvatures};
    expect_ok(farpoint::runtime::estimate_normals(clouds, params, output, where, &info));
    return rows;
  };
  outcome made;
  figures times;
  auto const run = measure(prefix, call, common, times);
  made.backend = describe(run.info, common.backend);
  auto const& rows = run.answer;
  made.result = input;
  std::int64_t undefined = 0;
  constexpr char const* names[] = {"nx", "ny", "nz"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    column normal{names[axis], scalar_kind::float32, n};
    for (std::size_t i = 0; i < n; ++i) normal.set(i, static_cast<double>(rows.normals[3 * i + axis]));
    made.result.set(std::move(normal));
  }
  for (std::size_t i = 0; i < n; ++i) {
    auto const* const normal = rows.normals.data() + 3 * i;
    undefined += normal[0] == 0 && normal[1] == 0 && normal[2] == 0 ? 1 : 0;
  }
  made.done = fmt::format("normals from {} neighbors", options.k);
  made.result_name = "Normals";
  made.result.set(make_column("curvature", scalar_kind::float32, rows.curvatures));
  made.summary = {{"points", "points", static_cast<std::int64_t>(n)}, {"undefined", "undefined", undefined}};
  made.summary.insert(made.summary.end(), times.begin(), times.end());
  if (common.check) {
    auto const reference = [&](normal_rows<Scalar> const& found) {
      farpoint::runtime::run_info unused;
      return found == call({farpoint::runtime::backend::host, 1}, unused);
    };
    made.equal = compare(run, call, "one thread", reference, made.summary);
  }
  return made;
}

}  // namespace

outcome find_neighbors(cloud const& input, common_options const& common, search_options const& options,
                       std::string const& prefix) {
  return with_coordinates(
      input, [&](auto const& rows) { return find_neighbors_of_rows(rows, input, common, options, prefix); });
}

outcome find_normals(cloud const& input, common_options const& common, normals_options const& options,
                     std::string const& prefix) {
  auto made = with_coordinates(
      input, [&](auto const& rows) { return find_normals_of_rows(rows, input, common, options, prefix); });
  if (!common.visualize) return made;
  auto& drawn = made.drawn;
  drawn.has_input = true;
  drawn.splats = make_splats(input, options.k, options.max_radius, {common.backend, common.threads});
  drawn.splats->normals_are_columns = true;
  auto const angles = angles_to_columns(*drawn.splats, input);
  if (!angles.empty()) drawn.more.push_back(make_column(angle_to_the_input, scalar_kind::float32, angles));
  return made;
}

int run_knn(common_options const& common, search_options const& options) {
  return run_session(
      "knn", common, [&](cloud const& input) { return find_neighbors(input, common, options); }, options.indices);
}

int run_normals(common_options const& common, normals_options const& options) {
  return run_session("normals", common, [&](cloud const& input) { return find_normals(input, common, options); });
}

}  // namespace farpoint_tools
