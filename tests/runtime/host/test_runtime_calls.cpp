// Calls of the compiled library on host memory: outputs are bit-identical to the headers' for each backend, and bytes
// that the headers do not write stay unchanged. On a machine with a GPU, the GPU computes.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/knn_screen.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/runtime.hpp>

#include <thread>

#include "../../screen/cameras.hpp"
#include "../../support/answers.hpp"
#include "../../support/catch.hpp"
#include "../../support/clouds.hpp"
#include "../../support/records.hpp"
#include "../../support/test_scale.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::knn_params;
using farpoint::span;
namespace runtime = farpoint::runtime;

namespace {

/// An output for two calls, with equal initial bytes.
template <class T>
struct twice {
  explicit twice(index_t size) : expected(static_cast<std::size_t>(size)), found(expected.size()) {
    if (size == 0) return;
    std::memset(expected.data(), 0xa7, expected.size() * sizeof(T));
    std::memset(found.data(), 0xa7, found.size() * sizeof(T));
  }
  std::vector<T> expected;
  std::vector<T> found;
};

/// Selects the output of the header's call or of the library's.
enum class half { header, library };
template <class T>
span<T> of(half which, twice<T>& both) {
  return which == half::header ? span<T>{both.expected} : span<T>{both.found};
}

/// Points, packed or in records of seven coordinates, some of which are in no cloud.
template <class Coord>
struct scene {
  using scalar = farpoint::scalar_of<Coord>;

  scene(index_t n, bool packed, std::vector<index_t> offsets_of_clouds, std::uint64_t seed,
        shape of = shape::non_finite)
      : size{n}, stride{packed ? 3 : 7}, offsets{std::move(offsets_of_clouds)} {
    values.resize(static_cast<std::size_t>(n * stride), to_coord<Coord>(-5));
    std::size_t i = 0;
    for (auto const& point : make_cloud(of, static_cast<std::size_t>(n), seed)) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        values[i * static_cast<std::size_t>(stride) + axis] = to_coord<Coord>(point[axis]);
      }
      ++i;
    }
    for (Coord const value : values) scalars.push_back(static_cast<scalar>(value));
  }

  farpoint::batch<farpoint::point_view<Coord>> clouds() const { return clouds_of(values); }
  /// Returns the clouds as the header's type: float holds float16 points exactly.
  farpoint::batch<farpoint::point_view<scalar>> wide() const { return clouds_of(scalars); }

  index_t size;
  index_t stride;
  std::vector<index_t> offsets;
  std::vector<Coord> values;
  std::vector<scalar> scalars;

 private:
  template <class T>
  farpoint::batch<farpoint::point_view<T>> clouds_of(std::vector<T> const& coordinates) const {
    using view = farpoint::point_view<T>;
    view const all{coordinates.data(), size, stride * index_t{sizeof(T)}};
    return offsets.empty() ? farpoint::batch<view>::regular(all, 1) : farpoint::batch<view>::ragged(all, offsets);
  }
};

/// A search problem with the library's types and, in `wide` members, with the header's.
template <class Coord>
struct question {
  using scalar = farpoint::scalar_of<Coord>;

  question(scene<Coord> const& searched, scene<Coord> const& asking)
      : points{searched.clouds()}, queries{asking.clouds()}, wide{searched.wide(), asking.wide()} {}

  index_t points_size() const { return points.points().size(); }
  index_t queries_size() const { return queries.points().size(); }

  farpoint::batch<farpoint::point_view<Coord>> points, queries;
  struct {
    farpoint::batch<farpoint::point_view<scalar>> points, queries;
  } wide;
};

/// Backend under test: a GPU if there is one.
constexpr runtime::options options{runtime::backend::automatic, 2};
constexpr host_exec threads{2};

/// Calls the header's function with a workspace of its own.
template <class Call>
farpoint::result with_workspace(std::size_t size, Call const& call) {
  farpoint::host_scratch const memory{size};
  return call(memory.get());
}

/// Calls `call(half)` for both halves, and checks that all outputs are equal.
template <class Call, class... Outputs>
void check_both(char const* name, Call const& call, Outputs const&... outputs) {
  INFO(name);
  farpoint::result const expected = call(half::header);
  farpoint::result const found = call(half::library);
  INFO(expected.reason << " / " << found.reason);
  CHECK(expected.code == found.code);
  std::string const differences = (difference_in(name, outputs.expected, outputs.found) + ...);
  CHECK(differences == "");
}

template <class Scalar>
struct lists {
  lists(index_t rows, index_t k) : indices{rows * k}, distances{rows * k}, counts{rows} {}
  twice<std::int32_t> indices;
  twice<Scalar> distances;
  twice<std::int64_t> counts;

  template <class Output>
  Output output(half to) {
    Output all;
    all.indices = of(to, indices);
    all.distances = of(to, distances);
    all.counts = of(to, counts);
    return all;
  }
};

bool same_report(farpoint::knn_report const& a, farpoint::knn_report const& b) {
  return a.non_finite_points == b.non_finite_points && a.non_finite_queries == b.non_finite_queries &&
         a.bad_offsets == b.bad_offsets;
}

template <class Coord, class Scalar = farpoint::scalar_of<Coord>>
void check_knn(question<Coord> const& asked, index_t k) {
  lists<Scalar> found{asked.queries_size(), k};
  farpoint::knn_report reports[2];
  check_both(
      "knn",
      [&](half to) {
        farpoint::knn_output<Scalar> output{of(to, found.indices), of(to, found.distances), of(to, found.counts)};
        output.report = &reports[static_cast<int>(to)];
        if (to == half::library) return runtime::knn(asked.points, asked.queries, knn_params{k}, output, options);
        return with_workspace(knn_workspace_bytes(threads, asked.wide.points, asked.wide.queries, knn_params{k}),
                              [&](farpoint::bytes memory) {
                                return knn(threads, asked.wide.points, asked.wide.queries, knn_params{k}, output,
                                           memory);
                              });
      },
      found.indices, found.distances, found.counts);
  CHECK(same_report(reports[0], reports[1]));

  lists<Scalar> own{asked.points_size(), k};
  knn_params const others{k, 0.2, true};
  check_both(
      "knn of the points",
      [&](half to) {
        farpoint::knn_output<Scalar> const output{of(to, own.indices), of(to, own.distances)};
        if (to == half::library) return runtime::knn(asked.points, others, output, options);
        return with_workspace(knn_workspace_bytes(threads, asked.wide.points, others), [&](farpoint::bytes memory) {
          return knn(threads, asked.wide.points, others, output, memory);
        });
      },
      own.indices, own.distances);
}

template <class Coord, class Scalar = farpoint::scalar_of<Coord>>
void check_radius(question<Coord> const& asked, index_t max) {
  farpoint::radius_params const ball{0.15, max};
  lists<Scalar> found{asked.queries_size(), max};
  check_both(
      "radius",
      [&](half to) {
        auto const output = found.template output<farpoint::radius_output<Scalar>>(to);
        if (to == half::library) return runtime::radius(asked.points, asked.queries, ball, output, options);
        return with_workspace(radius_workspace_bytes(threads, asked.wide.points, asked.wide.queries),
                              [&](farpoint::bytes memory) {
                                return radius(threads, asked.wide.points, asked.wide.queries, ball, output, memory);
                              });
      },
      found.indices, found.distances, found.counts);
}

/// @param capacity  capacity of the rows, too small or more than enough
template <class Coord, class Scalar = farpoint::scalar_of<Coord>>
void check_radius_rows(question<Coord> const& asked, index_t capacity) {
  farpoint::radius_params const ball{0.15};
  twice<std::int32_t> offsets{asked.queries_size() + 1};
  twice<std::int64_t> indices{capacity};
  twice<Scalar> distances{capacity};
  farpoint::radius_report reports[2];
  check_both(
      "radius_rows",
      [&](half to) {
        farpoint::radius_rows_output<Scalar> const output{of(to, offsets), of(to, indices), of(to, distances),
                                                          &reports[static_cast<int>(to)]};
        if (to == half::library) return runtime::radius_rows(asked.points, asked.queries, ball, output, options);
        return with_workspace(
            radius_workspace_bytes(threads, asked.wide.points, asked.wide.queries), [&](farpoint::bytes memory) {
              return radius_rows(threads, asked.wide.points, asked.wide.queries, ball, output, memory);
            });
      },
      offsets, indices, distances);
  CHECK(reports[0].total == reports[1].total);
  CHECK(reports[0].rows_left_out == reports[1].rows_left_out);
}

template <class Coord, class Scalar = farpoint::scalar_of<Coord>>
void check_neighborhoods(question<Coord> const& asked) {
  farpoint::normals_params const params;
  twice<Scalar> normals{3 * asked.points_size()};
  twice<Scalar> curvatures{asked.points_size()};
  twice<Scalar> covariances{6 * asked.points_size()};
  check_both(
      "estimate_normals",
      [&](half to) {
        farpoint::normals_output<Scalar> const output{of(to, normals), of(to, curvatures), nullptr,
                                                      of(to, covariances)};
        if (to == half::library) return runtime::estimate_normals(asked.points, params, output, options);
        return with_workspace(estimate_normals_workspace_bytes(threads, asked.wide.points, params),
                              [&](farpoint::bytes memory) {
                                return estimate_normals(threads, asked.wide.points, params, output, memory);
                              });
      },
      normals, curvatures, covariances);

  twice<Scalar> means{asked.points_size()};
  check_both(
      "mean_knn_distance",
      [&](half to) {
        if (to == half::library) return runtime::mean_knn_distance(asked.points, {4}, {of(to, means)}, options);
        return with_workspace(mean_knn_distance_workspace_bytes(threads, asked.wide.points, {4}),
                              [&](farpoint::bytes memory) {
                                return mean_knn_distance(threads, asked.wide.points, {4}, {of(to, means)}, memory);
                              });
      },
      means);

  std::vector<float> features(static_cast<std::size_t>(2 * asked.points_size()));
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(i % 97);
  twice<float> interpolated{2 * asked.queries_size()};
  check_both(
      "interpolate",
      [&](half to) {
        farpoint::interpolate_output const output{of(to, interpolated)};
        span<float const> const values{features};
        if (to == half::library) return runtime::interpolate(asked.points, values, asked.queries, 2, output, options);
        return with_workspace(
            interpolate_workspace_bytes(threads, asked.wide.points, asked.wide.queries), [&](farpoint::bytes memory) {
              return interpolate(threads, asked.wide.points, values, asked.wide.queries, 2, output, memory);
            });
      },
      interpolated);
}

template <class Coord, class Camera>
void check_screen(scene<Coord> const& points, Camera const& camera, farpoint::screen_rows rows) {
  using scalar = typename Camera::scalar;
  auto const cloud = points.clouds();
  auto const wide = points.wide();
  constexpr index_t k = 4;
  farpoint::screen_space<Camera> method{camera, k};
  method.rows = rows;
  lists<scalar> found{points.size, k};
  twice<std::int32_t> visible{points.size};
  farpoint::knn_screen_report reports[2];
  check_both(
      "knn in screen space",
      [&](half to) {
        farpoint::knn_screen_output<scalar> output{of(to, found.indices), of(to, found.distances),
                                                   of(to, found.counts)};
        output.visible = of(to, visible);
        output.report = &reports[static_cast<int>(to)];
        if (to == half::library) return runtime::knn(cloud, method, output, options);
        return with_workspace(knn_workspace_bytes(threads, wide, method),
                              [&](farpoint::bytes memory) { return knn(threads, wide, method, output, memory); });
      },
      found.indices, found.distances, found.counts, visible);
  CHECK(reports[0].visible_points > 0);
  CHECK(reports[0].visible_points == reports[1].visible_points);
}

template <class Coord>
void check_searches(scene<Coord> const& points, scene<Coord> const& queries) {
  question<Coord> const asked{points, queries};
  check_knn(asked, 5);
  check_radius(asked, 7);
  check_radius(asked, 0);
  check_radius_rows(asked, 100);
  check_radius_rows(asked, 60 * queries.size);
  check_neighborhoods(asked);
}

template <class Coord>
void check_every_search() {
  // Points before, between and after clouds; a cloud without points; gaps between records.
  scene<Coord> const points{1500, false, {7, 700, 700, 1480}, 3};
  scene<Coord> const queries{300, true, {0, 100, 120, 290}, 4};
  check_searches(points, queries);
  // One cloud, and wrong offsets.
  check_searches(scene<Coord>{900, true, {}, 5}, scene<Coord>{200, false, {}, 6});
  check_searches(scene<Coord>{900, true, {0, 600, 500}, 5}, scene<Coord>{200, false, {0, 100, 200}, 6});
  // Nothing.
  check_searches(scene<Coord>{0, true, {}, 1}, scene<Coord>{0, true, {}, 1});
  check_searches(scene<Coord>{3, true, {}, 1}, scene<Coord>{0, true, {0, 0}, 1});
}

template <class Value>
void check_gather() {
  constexpr index_t rows = 500;
  constexpr index_t channels = 3;
  std::vector<Value> features(static_cast<std::size_t>(rows * channels));
  for (std::size_t i = 0; i < features.size(); ++i) std::memset(&features[i], static_cast<int>(i % 120), sizeof(Value));
  std::vector<std::int32_t> indices;
  random_source random{9};
  for (int i = 0; i < 400; ++i) indices.push_back(static_cast<std::int32_t>(random.below(rows + 20)) - 10);
  twice<Value> gathered{400 * channels};
  farpoint::gather_report reports[2];
  span<Value const> const from{features};
  check_both(
      "gather",
      [&](half to) {
        auto* const report = &reports[static_cast<int>(to)];
        if (to == half::library) {
          return runtime::gather(from, channels, indices, of(to, gathered), report, options);
        }
        return farpoint::gather(threads, from, channels, indices, of(to, gathered), report);
      },
      gathered);
  CHECK(reports[0].out_of_range == reports[1].out_of_range);

  // Ragged clouds with rows between them that are in no cloud.
  std::vector<index_t> const begins{10, 200, 450};
  std::vector<index_t> const ends{0, 150, 390};
  twice<Value> within{400 * channels};
  auto const clouds = farpoint::feature_rows<Value const>::ragged(from, begins, channels);
  check_both(
      "gather in clouds",
      [&](half to) {
        auto const output = farpoint::feature_rows<Value>::ragged(of(to, within), ends, channels);
        if (to == half::library) return runtime::gather(clouds, indices, output, nullptr, options);
        return farpoint::gather(threads, clouds, indices, output);
      },
      within);
}

/// Compares fps_weighted(), fps_extend() and poisson_subset() of the library and of the header.
template <class Coord, class Scalar = farpoint::scalar_of<Coord>>
void check_sampling() {
  using output_of = farpoint::fps_output<Scalar>;
  scene<Coord> const points{1500, false, {10, 600, 600, 1490}, 31};
  std::vector<Scalar> weights;
  for (index_t i = 0; i < points.size; ++i) weights.push_back(static_cast<Scalar>(i % 7));
  span<Scalar const> const some{weights};
  farpoint::fps_params params;
  params.samples = 40;
  params.first = 3;
  lists<Scalar> weighted{3, 40};
  auto const by_weight = [&](half to) {
    auto const output = weighted.template output<output_of>(to);
    if (to == half::library) return runtime::fps_weighted(points.clouds(), some, params, output, options);
    return with_workspace(fps_weighted_workspace_bytes(threads, points.wide()), [&](farpoint::bytes memory) {
      return fps_weighted(threads, points.wide(), some, params, output, memory);
    });
  };
  check_both("fps_weighted", by_weight, weighted.indices, weighted.distances, weighted.counts);

  lists<Scalar> subset{3, 200};
  auto const by_radius = [&](half to) {
    auto const output = subset.template output<output_of>(to);
    if (to == half::library) return runtime::poisson_subset(points.clouds(), 0.2, output, options);
    return with_workspace(poisson_subset_workspace_bytes(threads, points.wide(), 200), [&](farpoint::bytes memory) {
      return poisson_subset(threads, points.wide(), 0.2, output, memory);
    });
  };
  check_both("poisson_subset", by_radius, subset.indices, subset.distances, subset.counts);

  // 25 given samples of a cloud, and 40 more.
  lists<Scalar> extended{1, 65};
  for (auto* indices : {&extended.indices.expected, &extended.indices.found}) {
    for (std::size_t i = 0; i < 25; ++i) (*indices)[i] = static_cast<std::int32_t>(11 * i);
  }
  params.first = 0;
  auto const extend = [&](half to) {
    auto const output = extended.template output<output_of>(to);
    if (to == half::library) return runtime::fps_extend(points.clouds().points(), 25, params, output, options);
    auto const cloud = points.wide().points();
    farpoint::fps_params with_chosen = params;
    with_chosen.chosen = span<std::int32_t const>{extended.indices.expected.data(), 25};
    farpoint::batch<farpoint::point_view<Scalar>> const one{cloud};
    return with_workspace(fps_workspace_bytes(threads, one, with_chosen), [&](farpoint::bytes memory) {
      return fps_extend(threads, cloud, 25, params, output, memory);
    });
  };
  check_both("fps_extend", extend, extended.indices, extended.distances, extended.counts);
  CHECK(extended.counts.found[0] == 40);
}

}  // namespace

TEST_CASE("the library samples on host memory as the headers do", "[runtime]") {
  check_sampling<float>();
  check_sampling<double>();
  check_sampling<farpoint::float16>();
}

TEST_CASE("the library's searches on host memory are the headers'", "[runtime][knn]") {
  check_every_search<float>();
  check_every_search<double>();
  check_every_search<farpoint::float16>();
}

TEST_CASE("the library's searches on host memory go beyond its buffers", "[runtime][knn]") {
  if (for_races) return;  // threads share large problems in the same way as small ones
  // Larger than a thread's page-locked memory, in both directions, twice.
  scene<float> const points{200000, false, {5, 100000, 199990}, 12, shape::cube};
  scene<float> const queries{150000, true, {0, 70000, 150000}, 13, shape::cube};
  for (int repeat = 0; repeat < (for_memory ? 1 : 2); ++repeat) check_knn(question{points, queries}, 8);
  scene<farpoint::float16> const narrow{40000, true, {}, 14, shape::cube};
  scene<farpoint::float16> const few{100, true, {}, 15};
  check_knn(question{narrow, few}, 2);
}

TEST_CASE("the library gathers on host memory as the header does", "[runtime]") {
  check_gather<float>();
  check_gather<double>();
  check_gather<std::int32_t>();
  check_gather<std::int64_t>();
  check_gather<std::uint8_t>();
}

TEST_CASE("the library's search in screen space on host memory is the header's", "[runtime][knn]") {
  scene<float> const points{2000, false, {}, 3};
  scene<double> const precise{2000, true, {4, 1990}, 3};
  scene<farpoint::float16> const narrow{2000, true, {4, 1990}, 3};
  for (auto const rows : {farpoint::screen_rows::visible, farpoint::screen_rows::input}) {
    check_screen(points, camera_at_cube<float>(64, 48), rows);
    check_screen(precise, camera_at_cube<double>(64, 48), rows);
    check_screen(narrow, camera_at_cube<float>(64, 48), rows);
    farpoint::organized_camera<float> grid;
    grid.width = 20;
    grid.height = 30;
    check_screen(points, grid, rows);
    farpoint::spherical_camera<double> lidar;
    lidar.top = 1;
    lidar.bottom = -1;
    lidar.width = 40;
    lidar.height = 30;
    check_screen(precise, lidar, rows);
  }
}

TEST_CASE("the library refuses searches on host memory that the headers refuse", "[runtime][knn]") {
  scene<float> const points{100, true, {}, 3};
  lists<float> found{100, 4};
  auto const cloud = points.clouds();
  using farpoint::status;
  farpoint::knn_output<float> const output{of(half::library, found.indices)};
  CHECK(runtime::knn(cloud, knn_params{0}, output).code == status::bad_argument);
  CHECK(runtime::knn(cloud, knn_params{5}, output).code == status::bad_argument);
  CHECK(runtime::knn(cloud, knn_params{4}, output, {runtime::backend::host, -1}).code == status::bad_argument);
  CHECK(std::string{runtime::knn(cloud, knn_params{4}, output, {runtime::backend::host, -1}).reason} ==
        "knn: options.threads is negative");
  CHECK(same_bits(found.indices.found, found.indices.expected));
  auto const on_cuda = runtime::knn(cloud, knn_params{4}, output, {runtime::backend::cuda, 0});
  CHECK(on_cuda.code == (runtime::cuda_available() ? status::ok : status::unavailable));
  runtime::release_thread_memory();
  CHECK(runtime::knn(cloud, knn_params{4}, output).code == status::ok);
}

TEST_CASE("eight threads call the library on host memory at once", "[runtime][knn]") {
  std::vector<int> same(8, 0);
  std::vector<std::thread> callers;
  for (std::size_t t = 0; t < same.size(); ++t) {
    callers.emplace_back([&same, t] {
      scene<float> const points{1000 + 300 * static_cast<index_t>(t), true, {}, t};
      auto const cloud = points.clouds();
      lists<float> found{points.size, 3};
      farpoint::host_scratch const memory{knn_workspace_bytes(host_exec{1}, cloud, knn_params{3})};
      auto const expected = knn(host_exec{1}, cloud, knn_params{3}, {of(half::header, found.indices)}, memory.get());
      for (int repeat = 0; repeat < 5; ++repeat) {
        found.indices.found.assign(found.indices.found.size(), -7);
        auto const outcome =
            runtime::knn(cloud, knn_params{3}, {of(half::library, found.indices)}, {runtime::backend::automatic, 1});
        same[t] += expected && outcome && same_bits(found.indices.expected, found.indices.found) ? 1 : 0;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(same == std::vector<int>(8, 5));
}
