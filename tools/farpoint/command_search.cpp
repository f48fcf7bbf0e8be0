// farpoint knn, farpoint normals
#include <farpoint/reference/knn.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "commands.hpp"
#include "machine.hpp"
#include "measure.hpp"

namespace farpoint_tools {

namespace {

struct neighbour_lists {
  std::vector<std::int32_t> indices;  ///< `[points, k]`
  std::vector<float> distances;       ///< `[points, k]`, squared

  friend bool operator==(neighbour_lists const& a, neighbour_lists const& b) {
    return a.indices == b.indices && equal_bits(a.distances, b.distances);
  }
};

struct normal_rows {
  std::vector<float> normals;  ///< `[points, 3]`
  std::vector<float> curvatures;

  friend bool operator==(normal_rows const& a, normal_rows const& b) {
    return equal_bits(a.normals, b.normals) && equal_bits(a.curvatures, b.curvatures);
  }
};

using float_batch = farpoint::batch<farpoint::point_view<float>>;

// True if the rows of some queries, `rows` of them spread over all, are those of the definition of knn().
bool rows_are_right(float_batch const& points, farpoint::exact const& method, farpoint::index_t k,
                    std::int32_t const* indices, float const* distances, farpoint::index_t rows) {
  auto const n = points.points().size();
  auto const width = static_cast<std::size_t>(k);
  std::vector<std::int32_t> found(width + 1);
  std::vector<float> squared(width + 1);
  for (farpoint::index_t r = 0; r < std::min(rows, n); ++r) {
    auto const i = r * n / std::min(rows, n);
    // One query is not the point of its number: it is left out of one neighbour more.
    farpoint::batch const query{points.points().subview(i, 1)};
    auto const more = method.exclude_self && k < farpoint::max_neighbours ? k + 1 : k;
    farpoint::knn_output<float> const output{farpoint::span<std::int32_t>{found.data(), static_cast<std::size_t>(more)},
                                             farpoint::span<float>{squared.data(), static_cast<std::size_t>(more)}};
    farpoint::exact const with_self{method.max_radius, false};
    if (!farpoint::reference::knn(points, query, with_self, more, output)) return false;
    std::size_t from = 0;
    for (std::size_t j = 0; j < width; ++j, ++from) {
      if (method.exclude_self && from < static_cast<std::size_t>(more) && found[from] == i) ++from;
      if (from >= static_cast<std::size_t>(more)) break;
      auto const at = static_cast<std::size_t>(i) * width + j;
      if (indices[at] != found[from] || std::memcmp(distances + at, &squared[from], sizeof(float)) != 0) return false;
    }
  }
  return true;
}

// How many neighbours a point has, and the distances to them.
void add_columns(neighbour_lists const& lists, std::size_t k, cloud& to) {
  auto const n = to.points.size();
  column counts{"neighbours", scalar_kind::int32, n};
  column means{"mean_distance", scalar_kind::float32, n};
  column farthest{"farthest_distance", scalar_kind::float32, n};
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    double last = 0;
    std::size_t count = 0;
    while (count < k && lists.indices[i * k + count] >= 0) {
      last = std::sqrt(double{lists.distances[i * k + count]});
      sum += last;
      ++count;
    }
    counts.set(i, static_cast<double>(count));
    means.set(i, count == 0 ? 0 : sum / static_cast<double>(count));
    farthest.set(i, last);
  }
  for (auto* const made : {&counts, &means, &farthest}) to.columns.push_back(std::move(*made));
}

double mean_of(column const& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values.at(i);
  return values.size() == 0 ? 0 : sum / static_cast<double>(values.size());
}

}  // namespace

outcome find_neighbours(cloud const& input, common_wish const& common, search_wish const& wish,
                        std::string const& prefix) {
  auto const k = static_cast<std::size_t>(wish.k);
  auto const n = input.points.size();
  farpoint::batch const points{farpoint::view_points(input.points)};
  farpoint::exact const method{wish.max_radius, !wish.with_self};
  auto const call = [&](farpoint::runtime::options const& where, farpoint::runtime::run_info& info) {
    neighbour_lists lists{std::vector<std::int32_t>(n * k), std::vector<float>(n * k)};
    expect_ok(farpoint::runtime::knn(points, method, wish.k, {lists.indices, lists.distances}, where, &info));
    return lists;
  };
  outcome made;
  figures times;
  auto const run = measure(prefix, call, common, times);
  made.backend = describe(run.info, common.backend);
  made.result.points = input.points;
  made.result.columns = input.columns;
  add_columns(run.answer, k, made.result);
  made.told = {{"points", "points", static_cast<std::int64_t>(n)},
               {"neighbours", "neighbours", mean_of(*made.result.find("neighbours"))},
               {"mean_distance_m", "distance (m)", mean_of(*made.result.find("mean_distance"))}};
  made.told.insert(made.told.end(), times.begin(), times.end());
  if (common.check) {
    auto const reference = [&](neighbour_lists const& lists) {
      farpoint::runtime::run_info unused;
      return lists == call({farpoint::runtime::backend::host, 1}, unused) &&
             rows_are_right(points, method, wish.k, lists.indices.data(), lists.distances.data(), 256);
    };
    made.equal = compare(run, call, "one thread, and as the serial loop at 256 points", reference, made.told);
  }
  if (!wish.indices.empty()) write_bytes(encode_npy(run.answer.indices.data(), n, k), wish.indices);
  return made;
}

outcome find_normals(cloud const& input, common_wish const& common, normals_wish const& wish,
                     std::string const& prefix) {
  auto const n = input.points.size();
  farpoint::batch const points{farpoint::view_points(input.points)};
  farpoint::normals_params const params{
      wish.k, wish.max_radius, {{wish.viewpoint[0], wish.viewpoint[1], wish.viewpoint[2]}}};
  auto const call = [&](farpoint::runtime::options const& where, farpoint::runtime::run_info& info) {
    normal_rows rows{std::vector<float>(3 * n), std::vector<float>(n)};
    expect_ok(farpoint::runtime::estimate_normals(points, params, {rows.normals, rows.curvatures}, where, &info));
    return rows;
  };
  outcome made;
  figures times;
  auto const run = measure(prefix, call, common, times);
  made.backend = describe(run.info, common.backend);
  auto const& rows = run.answer;
  made.result.points = input.points;
  // Normals that the file has give way.
  for (auto const& old : input.columns) {
    auto const& name = old.name();
    if (name != "nx" && name != "ny" && name != "nz" && name != "curvature") made.result.columns.push_back(old);
  }
  std::int64_t undefined = 0;
  constexpr char const* names[] = {"nx", "ny", "nz"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    column normal{names[axis], scalar_kind::float32, n};
    for (std::size_t i = 0; i < n; ++i) normal.set(i, rows.normals[3 * i + axis]);
    made.result.columns.push_back(std::move(normal));
  }
  for (std::size_t i = 0; i < n; ++i) {
    auto const* const normal = rows.normals.data() + 3 * i;
    undefined += normal[0] == 0 && normal[1] == 0 && normal[2] == 0 ? 1 : 0;
  }
  made.result.columns.push_back(make_column("curvature", scalar_kind::float32, rows.curvatures));
  made.told = {{"points", "points", static_cast<std::int64_t>(n)}, {"undefined", "undefined", undefined}};
  made.told.insert(made.told.end(), times.begin(), times.end());
  if (common.check) {
    auto const reference = [&](normal_rows const& found) {
      farpoint::runtime::run_info unused;
      return found == call({farpoint::runtime::backend::host, 1}, unused);
    };
    made.equal = compare(run, call, "one thread", reference, made.told);
  }
  return made;
}

int run_knn(common_wish const& common, search_wish const& wish) {
  return run_session("knn", common, [&](cloud const& input) { return find_neighbours(input, common, wish); });
}

int run_normals(common_wish const& common, normals_wish const& wish) {
  return run_session("normals", common, [&](cloud const& input) { return find_normals(input, common, wish); });
}

}  // namespace farpoint_tools
