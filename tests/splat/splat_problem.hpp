// The steps from a cloud to its splats, on the arrays of a call_memory, so that one body runs on both backends.
#pragma once

#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/normals_from_neighbors.hpp>
#include <farpoint/splat/project.hpp>

#include "../support/call_memory.hpp"
#include "../support/catch.hpp"
#include "../support/clouds.hpp"

namespace farpoint_tests {

/// Returns a camera that sees clouds of make_cloud(). Its center lies inside a pixel.
template <class Scalar>
farpoint::pinhole_camera<Scalar> camera_of_splats(std::int32_t width, std::int32_t height) {
  farpoint::pinhole_camera<Scalar> camera;
  camera.width = width;
  camera.height = height;
  camera.focal = {{Scalar(0.8) * static_cast<Scalar>(width), Scalar(0.9) * static_cast<Scalar>(height)}};
  camera.center = {{static_cast<Scalar>(width) / 2, static_cast<Scalar>(height) / 2}};
  camera.translation = {{0, 0, Scalar(2.5)}};
  return camera;
}

/// Copies a cloud, in records of four numbers, to the memory of a call.
template <class Coord, class Memory>
auto cloud_of_records(Memory& memory, std::vector<Coord> const& points, std::vector<farpoint::index_t> const& offsets) {
  using view = farpoint::point_view<Coord>;
  auto const records = memory.input(points);
  auto const ends = memory.input(offsets);
  view const all{records.data(), static_cast<farpoint::index_t>(points.size() / 4), 4 * sizeof(Coord)};
  return offsets.empty() ? farpoint::batch<view>{all} : farpoint::batch<view>::ragged(all, ends);
}

/// Call of project() for a cloud.
template <class Coord>
struct project_problem {
  using scalar = farpoint::scalar_of<Coord>;

  std::vector<Coord> points;  ///< records of four, the last of which is no coordinate
  farpoint::pinhole_camera<scalar> camera;
  std::vector<farpoint::index_t> offsets;  ///< none, or two

  farpoint::index_t size() const { return static_cast<farpoint::index_t>(points.size() / 4); }

  template <class Exec, class Memory>
  farpoint::result run(Exec exec, Memory& memory) const {
    auto const cloud = cloud_of_records(memory, points, offsets);
    auto const pixels = static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
    auto const words = memory.template output<std::uint64_t>(pixels);
    auto const report = memory.template output<farpoint::project_report>(1);
    return project(exec, cloud, camera, {words, camera.width, camera.height}, report.data());
  }
};

/// Call of normals_from_neighbors() for rows that may hold any number.
template <class Coord>
struct neighbor_normals_problem {
  using scalar = farpoint::scalar_of<Coord>;

  std::vector<Coord> points;  ///< records of four
  farpoint::index_t k = 1;
  std::vector<std::int32_t> indices;       ///< `[rows, k]`
  std::vector<std::int32_t> whose;         ///< `[rows]`, or none
  std::vector<std::int32_t> count;         ///< `[1]`, or none
  std::vector<farpoint::index_t> offsets;  ///< none, or two
  farpoint::neighbor_normals_params params;

  std::size_t rows() const { return indices.size() / static_cast<std::size_t>(k); }
  farpoint::index_t size() const { return static_cast<farpoint::index_t>(points.size() / 4); }

  template <class Exec, class Memory>
  farpoint::result run(Exec exec, Memory& memory) const {
    auto const cloud = cloud_of_records(memory, points, offsets);
    farpoint::neighbor_rows const asked{memory.input(indices), k, memory.input(whose), memory.input(count)};
    farpoint::neighbor_normals_output<scalar> output;
    output.normals = memory.template output<scalar>(3 * rows());
    output.curvatures = memory.template output<scalar>(rows());
    output.tangents = memory.template output<scalar>(3 * rows());
    output.extents = memory.template output<scalar>(2 * rows());
    return normals_from_neighbors(exec, cloud, asked, params, output);
  }
};

/// Call of draw_splats() for splats that may hold any number.
template <class Coord>
struct draw_splats_problem {
  using scalar = farpoint::scalar_of<Coord>;

  std::vector<Coord> points;  ///< records of four
  farpoint::pinhole_camera<scalar> camera;
  std::vector<scalar> extents;             ///< `[splats, 2]`
  std::vector<scalar> normals, tangents;   ///< `[splats, 3]`, or none
  std::vector<std::int32_t> whose, count;  ///< `[splats]`, or none; `[1]`, or none
  std::vector<float> colors;               ///< `[splats, 3]`, or `[points, 3]`
  bool colors_of_points = false;
  std::vector<farpoint::index_t> offsets;  ///< none, or two
  farpoint::draw_splats_params params;
  farpoint::index_t stride = 0;

  farpoint::index_t size() const { return static_cast<farpoint::index_t>(points.size() / 4); }
  std::size_t pixels() const {
    return static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  }
  std::size_t row() const { return static_cast<std::size_t>(stride == 0 ? 3 * camera.width : stride); }
  std::size_t splats() const { return extents.size() / 2; }

  /// Runs the call. Outputs in order: colors, bytes, depths.
  template <class Exec, class Memory>
  farpoint::result run(Exec exec, Memory& memory) const {
    auto const cloud = cloud_of_records(memory, points, offsets);
    farpoint::splat_view<scalar> asked{memory.input(extents)};
    asked.normals = memory.input(normals);
    asked.tangents = memory.input(tangents);
    asked.points = memory.input(whose);
    asked.count = memory.input(count);
    asked.colors = memory.input(colors);
    asked.colors_of_points = colors_of_points;
    farpoint::splat_image image;
    image.colors = memory.template output<float>(row() * static_cast<std::size_t>(camera.height));
    image.bytes = memory.template output<std::uint8_t>(image.colors.size());
    image.depths = memory.template output<float>(pixels());
    image.stride = stride;
    auto const workspace = memory.scratch(draw_splats_workspace_bytes(exec, asked, camera, params));
    return draw_splats(exec, cloud, asked, camera, params, image, workspace);
  }
};

/// Returns records of four numbers from a cloud; the fourth is NaN.
template <class Coord>
std::vector<Coord> records_of(xyz_cloud const& cloud) {
  std::vector<Coord> records;
  for (auto const& point : cloud) {
    for (double const x : {point[0], point[1], point[2]}) records.push_back(static_cast<Coord>(x));
    records.push_back(static_cast<Coord>(std::nan("")));
  }
  return records;
}

template <class T>
std::vector<T> array_of(std::vector<unsigned char> const& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Returns the outputs of a problem on the host, in the order of run().
template <class Problem>
std::vector<std::vector<unsigned char>> run_on_host(Problem const& problem, int threads, farpoint::result& outcome) {
  call_memory<host_space> memory;
  outcome = problem.run(farpoint::host_exec{threads}, memory);
  if (!memory.intact()) outcome = {farpoint::status::bad_argument, 0, "a guard was written"};
  return memory.outputs();
}

/// Makes rows of random neighbors, mostly valid, with some row ends and some numbers out of range.
template <class Coord>
neighbor_normals_problem<Coord> random_neighbor_rows(std::uint64_t seed, shape which) {
  random_source random{seed};
  neighbor_normals_problem<Coord> problem;
  auto const n = static_cast<std::size_t>(random.below(400));
  problem.points = records_of<Coord>(make_cloud(which, n, seed));
  problem.k = 1 + random.below(20);
  auto const rows = static_cast<std::size_t>(random.below(300));
  auto const any = [&] {
    std::int64_t const most = static_cast<std::int64_t>(n) + 2;
    return random.below(12) == 0 ? static_cast<std::int32_t>(random.below(5) - 3)
                                 : static_cast<std::int32_t>(random.below(most));
  };
  for (std::size_t i = 0; i < rows * static_cast<std::size_t>(problem.k); ++i) problem.indices.push_back(any());
  for (std::size_t i = 0; i < rows; ++i) problem.whose.push_back(any());
  if (random.below(2) == 0) problem.count = {static_cast<std::int32_t>(random.below(400) - 20)};
  auto const size = static_cast<farpoint::index_t>(n);
  if (random.below(3) == 0) problem.offsets = {size / 3, size + (random.below(3) == 0 ? 1 : 0)};
  problem.params.viewpoint = {{3, -2, 1}};
  return problem;
}

/// Makes splats of any direction and size around points, some out of range; one splat of many has a degenerate value.
template <class Coord>
draw_splats_problem<Coord> random_splats(std::uint64_t seed, shape which) {
  using scalar = typename draw_splats_problem<Coord>::scalar;
  random_source random{seed};
  draw_splats_problem<Coord> problem;
  auto const n = static_cast<std::size_t>(random.below(60));
  problem.points = records_of<Coord>(make_cloud(which, n, seed));
  std::int32_t const sizes[4][2] = {{1, 1}, {7, 3}, {33, 21}, {16, 40}};
  auto const& size = sizes[random.below(4)];
  problem.camera = camera_of_splats<scalar>(size[0], size[1]);
  // Rotated about the line of sight.
  problem.camera.rotation[0] = {{scalar(0.8), scalar(0.6), 0}};
  problem.camera.rotation[1] = {{scalar(-0.6), scalar(0.8), 0}};
  auto const number = [&](double low, double high) {
    return static_cast<scalar>(low + (high - low) * static_cast<double>(random.uniform()));
  };
  auto const splats = static_cast<std::size_t>(random.below(80));
  std::int64_t const strange = 20;
  for (std::size_t i = 0; i < splats; ++i) {
    bool const is_huge = random.below(strange) == 0;
    for (int e = 0; e < 2; ++e) {
      scalar const any[] = {0, -1, std::numeric_limits<scalar>::quiet_NaN(), std::numeric_limits<scalar>::infinity(),
                            scalar(1e-20)};
      problem.extents.push_back(random.below(strange) == 0 ? any[random.below(5)] : number(0.01, is_huge ? 40 : 0.4));
    }
    bool const has_none = random.below(strange) == 0;
    for (int axis = 0; axis < 3; ++axis) {
      problem.normals.push_back(has_none ? scalar(0) : number(-1, 1));
      problem.tangents.push_back(random.below(strange) == 0 ? scalar(0) : number(-1, 1));
      problem.colors.push_back(random.uniform());
    }
    problem.whose.push_back(random.below(strange) == 0 ? static_cast<std::int32_t>(random.below(5)) - 3
                                                       : static_cast<std::int32_t>(random.below(62)));
  }
  if (random.below(4) == 0) problem.tangents.clear();
  if (random.below(6) == 0) problem.normals.clear();
  if (random.below(3) == 0) problem.count = {static_cast<std::int32_t>(random.below(100)) - 10};
  if (random.below(3) == 0) problem.stride = 3 * problem.camera.width + random.below(6);
  if (random.below(2) == 0) problem.params.hidden = 0.5f;
  problem.params.back_faces = random.below(4) != 0;
  problem.params.background = {{0.25f, 0.5f, 1}};
  if (random.below(2) == 0) problem.params.light = farpoint::splat_light::none();
  return problem;
}

/// Calls `check(problem)` for random splats of each shape.
template <class Check>
void for_random_splats(Check const& check) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    check(random_splats<float>(seed, all_shapes[seed % std::size(all_shapes)]));
    if (seed % 8 == 0) check(random_splats<double>(seed, shape::cube));
  }
}

/// Makes `count` splats in an image of `size` pixels, from dots to splats that cover the image.
/// @param usual  half axes of most splats (m)
inline draw_splats_problem<float> many_splats(std::uint64_t seed, std::size_t count,
                                              farpoint::vec<std::int32_t, 2> size, float usual) {
  random_source random{seed};
  draw_splats_problem<float> problem;
  problem.points = records_of<float>(make_cloud(shape::cube, count, seed));
  problem.camera = camera_of_splats<float>(size[0], size[1]);
  float const extents[] = {0, usual, usual, 2 * usual, 5 * usual, 20 * usual};
  for (std::size_t i = 0; i < count; ++i) {
    float const extent = random.below(200) == 0 ? 10 : extents[random.below(6)];
    for (int e = 0; e < 2; ++e) problem.extents.push_back(extent * (0.5f + random.uniform()));
    for (int axis = 0; axis < 3; ++axis) {
      problem.normals.push_back(random.uniform() - 0.5f);
      problem.tangents.push_back(random.uniform() - 0.5f);
      problem.colors.push_back(random.uniform());
    }
    problem.whose.push_back(static_cast<std::int32_t>(random.below(static_cast<std::int64_t>(count))));
  }
  return problem;
}

}  // namespace farpoint_tests
