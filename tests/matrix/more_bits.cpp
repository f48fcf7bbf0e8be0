// Parts of the program of tests/build/bits for the calls that have no part there. A compiler that fuses a product with
// a sum where farpoint rounds both, as g++ does by default for aarch64, changes their checksums.
#include <farpoint/compat/ball_query.hpp>
#include <farpoint/compat/furthest_point_sampling.hpp>
#include <farpoint/compat/group_points.hpp>
#include <farpoint/compat/hard_voxelize.hpp>
#include <farpoint/compat/simple_knn.hpp>
#include <farpoint/compat/three_interpolate.hpp>
#include <farpoint/compat/three_nn.hpp>
#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/hash_map.hpp>
#include <farpoint/knn_screen.hpp>
#include <farpoint/pillar_features.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/normals_from_neighbors.hpp>
#include <farpoint/splat/project.hpp>
#include <farpoint/voxelize.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "../build/bits/bits_part.hpp"

using namespace farpoint_tests;
using farpoint::index_t;

namespace {

void print(char const* name, farpoint::result outcome, checksum const& sum) {
  std::printf("%s: %s %016llx\n", name, outcome.reason, sum.value());
}

/// Numbers of [-1, 1) that are made without rounding.
template <class Scalar>
std::vector<Scalar> numbers(std::size_t size, std::uint64_t seed) {
  std::vector<Scalar> values(size);
  for (Scalar& value : values) {
    std::uint64_t z = seed += 0x9e3779b97f4a7c15;  // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    value = static_cast<Scalar>(static_cast<std::int64_t>((z ^ (z >> 31)) >> 40) - (1 << 23)) / Scalar(1 << 23);
  }
  return values;
}

template <class Scalar>
void print_searches(int threads) {
  constexpr index_t n = 1200;
  auto const points = numbers<Scalar>(3 * n, 1);
  auto weights = numbers<Scalar>(n, 2);
  for (Scalar& weight : weights) weight += Scalar(1.5);
  farpoint::batch const cloud{farpoint::point_view<Scalar>{points.data(), n}};
  farpoint::host_exec const exec{threads};

  farpoint::fps_params sampling;
  sampling.samples = 200;
  std::vector<std::int32_t> samples(200);
  std::vector<Scalar> distances(200);
  farpoint::host_scratch workspace{fps_weighted_workspace_bytes(exec, cloud)};
  auto const sampled = fps_weighted(exec, cloud, farpoint::span<Scalar const>{weights}, sampling,
                                    farpoint::fps_output<Scalar>{samples, distances}, workspace);
  print("fps_weighted", sampled, checksum{}.add(samples).add(distances));

  std::vector<std::int32_t> indices(16 * n);
  distances.assign(16 * n, 0);
  std::vector<index_t> counts(n);
  farpoint::radius_params ball;
  ball.radius = 0.3;
  ball.max_neighbors = 16;
  farpoint::radius_output<Scalar> near;
  near.indices = indices;
  near.distances = distances;
  near.counts = counts;
  farpoint::host_scratch const room{radius_workspace_bytes(exec, cloud)};
  auto const found = radius(exec, cloud, ball, near, room);
  print("radius", found, checksum{}.add(indices).add(distances).add(counts));

  sampling.samples = 0;
  std::vector<std::int32_t> subset(n), subset_size(1);
  farpoint::host_scratch const memory{poisson_subset_workspace_bytes(exec, cloud, n)};
  auto const thinned = poisson_subset(exec, cloud, 0.25, farpoint::fps_output<Scalar>{subset, {}, subset_size}, memory);
  print("poisson_subset", thinned, checksum{}.add(subset).add(subset_size));
}

template <class Scalar>
void print_screen(int threads) {
  constexpr index_t n = 4000, k = 8;
  constexpr int side = 64;
  auto points = numbers<Scalar>(3 * n, 4);
  // A bent sheet: neighbors have a plane.
  for (std::size_t i = 0; i < points.size(); i += 3) points[i + 2] = points[i + 2] / 64 + points[i] / 4;
  farpoint::batch const cloud{farpoint::point_view<Scalar>{points.data(), n}};
  farpoint::pinhole_camera<Scalar> camera;
  camera.width = camera.height = side;
  camera.focal = {{Scalar(61.7), Scalar(59.3)}};
  camera.center = {{Scalar(31.9), Scalar(32.3)}};
  camera.translation = {{Scalar(0.1), Scalar(-0.07), Scalar(2.3)}};
  farpoint::host_exec const exec{threads};

  if constexpr (sizeof(Scalar) == 4) {
    std::vector<std::uint64_t> words(side * side);
    auto const projected = project(exec, cloud, camera, farpoint::zbuffer_ref{words, side, side});
    print("project", projected, checksum{}.add(words));
  }

  std::vector<std::int32_t> indices(n * k);
  farpoint::knn_params const params{k};
  farpoint::knn_output<Scalar> found;
  found.indices = indices;
  farpoint::host_scratch const room{knn_workspace_bytes(exec, cloud, params)};
  auto const searched = knn(exec, cloud, params, found, room);
  print("knn", searched, checksum{}.add(indices));

  std::vector<Scalar> normals(3 * n), curvatures(n), tangents(3 * n), extents(2 * n);
  auto const fitted = normals_from_neighbors(exec, cloud, farpoint::neighbor_rows{indices, k}, {},
                                             {normals, curvatures, tangents, extents});
  print("normals_from_neighbors", fitted, checksum{}.add(normals).add(curvatures).add(tangents).add(extents));

  farpoint::splat_view<Scalar> splats{extents};
  splats.normals = normals;
  splats.tangents = tangents;
  std::vector<float> colors(3 * side * side), depths(side * side);
  farpoint::splat_image image;
  image.colors = colors;
  image.depths = depths;
  farpoint::draw_splats_params drawing;
  drawing.hidden = 3;
  farpoint::host_scratch const workspace{draw_splats_workspace_bytes(exec, splats, camera, drawing)};
  auto const drawn = draw_splats(exec, cloud, splats, camera, drawing, image, workspace);
  print("draw_splats", drawn, checksum{}.add(colors).add(depths));
}

void print_pillars(int threads) {
  constexpr index_t n = 3000, pillars = 400, most = 8;
  auto const sweep = numbers<float>(4 * n, 5);
  farpoint::voxelize_params<float> params;
  params.grid = farpoint::voxel_grid<float>::from_range({{-1, -1, -1}}, {{1, 1, 1}}, {{0.11f, 0.13f, 2}});
  params.mode = farpoint::hard{pillars, most};
  params.features = farpoint::feature_view::packed(sweep.data(), n, 4);
  std::vector<std::int32_t> coords(3 * pillars), counts(pillars), count(1);
  std::vector<float> gathered(pillars * most * 4), means(3 * pillars);
  farpoint::voxelize_output<float> voxels;
  voxels.capacity = pillars;
  voxels.coords = coords;
  voxels.points_per_voxel = counts;
  voxels.gathered = gathered;
  voxels.centroid = means;
  voxels.voxel_count = count;
  farpoint::host_exec const exec{threads};
  farpoint::batch const cloud{farpoint::point_view<float>{sweep.data(), n, 16}};
  farpoint::host_scratch const workspace{voxelize_workspace_bytes(exec, cloud, params, voxels)};
  auto const voxelized = voxelize(exec, cloud, params, voxels, workspace);
  print("voxelize", voxelized, checksum{}.add(coords).add(counts).add(count).add(gathered).add(means));
  std::vector<float> features(pillars * most * (4 + farpoint::pillar_columns(farpoint::pillar_centers::xyz)));
  auto const made =
      pillar_features(exec, params, voxels, farpoint::pillar_centers::xyz, farpoint::feature_span{features});
  print("pillar_features", made, checksum{}.add(features));
}

void print_map(int threads) {
  using map_type = farpoint::hash_map_ref<std::uint32_t, std::uint32_t>;
  farpoint::host_exec const exec{threads};
  std::vector<std::uint32_t> keys(3000), values(3000);
  for (std::uint32_t i = 0; i < 3000; ++i) keys[i] = i * i % 1009, values[i] = i * 7919 % 3001;
  std::vector<farpoint::hash_map_bucket> memory(static_cast<std::size_t>(map_type::buckets_for(2048)));
  map_type const map{memory};
  farpoint::result outcome = hash_map_clear(exec, map);
  if (outcome) outcome = hash_map_insert_or_min(exec, map, keys, values);
  std::uint64_t count = 0;
  std::vector<std::uint32_t> found(2048), smallest(2048);
  farpoint::host_scratch const workspace{hash_map_extract_workspace_bytes(exec, map)};
  if (outcome) outcome = hash_map_extract(exec, map, {found, smallest, &count}, workspace);
  found.resize(count);
  smallest.resize(count);
  print("hash_map_extract", outcome, checksum{}.add(found).add(smallest));
}

void print_launchers(int threads) {
  namespace compat = farpoint::compat;
  constexpr int b = 2, n = 600, m = 64, nsample = 16, c = 5;
  farpoint::host_exec const exec{threads};
  auto const xyz = numbers<float>(b * n * 3, 6), asked = numbers<float>(b * m * 3, 7);
  farpoint::host_scratch workspace{
      compat::furthest_point_sampling_workspace_bytes(exec, b, n, m, compat::openpcdet_rules)};
  std::vector<int> idx(b * m), balls(b * m * nsample), nearest(b * n * 3);
  auto outcome = compat::furthest_point_sampling_kernel_launcher(b, n, m, xyz.data(), nullptr, idx.data(), exec,
                                                                 workspace, compat::openpcdet_rules);
  print("furthest_point_sampling", outcome, checksum{}.add(idx));

  if (!workspace.reserve(compat::ball_query_workspace_bytes(exec, b, n, m))) return;
  outcome = compat::ball_query_kernel_launcher_fast(b, n, m, 0.3f, nsample, asked.data(), xyz.data(), balls.data(),
                                                    exec, workspace);
  print("ball_query", outcome, checksum{}.add(balls));

  std::vector<float> weight(b * n * 3), fine(b * c * n), coarse_grad(b * c * m), point_grad(b * c * n);
  if (!workspace.reserve(compat::three_nn_workspace_bytes(exec, b, n, m))) return;
  outcome = compat::three_nn_kernel_launcher_fast(b, n, m, xyz.data(), asked.data(), weight.data(), nearest.data(),
                                                  exec, workspace, compat::three_nn_distances::meters);
  print("three_nn", outcome, checksum{}.add(weight).add(nearest));
  outcome = compat::three_nn_weights(b * n, weight.data(), weight.data(), exec);
  print("three_nn_weights", outcome, checksum{}.add(weight));

  auto const coarse = numbers<float>(b * c * m, 8);
  outcome = compat::three_interpolate_kernel_launcher_fast(b, c, m, n, coarse.data(), nearest.data(), weight.data(),
                                                           fine.data(), exec);
  print("three_interpolate", outcome, checksum{}.add(fine));
  if (!workspace.reserve(compat::three_interpolate_grad_workspace_bytes(exec, b, n, m))) return;
  outcome = compat::three_interpolate_grad_kernel_launcher_fast(b, c, n, m, fine.data(), nearest.data(), weight.data(),
                                                                coarse_grad.data(), exec, workspace);
  print("three_interpolate_grad", outcome, checksum{}.add(coarse_grad));

  auto const grouped_grad = numbers<float>(b * c * m * nsample, 9);
  if (!workspace.reserve(compat::group_points_grad_workspace_bytes(exec, b, n, m, nsample))) return;
  outcome = compat::group_points_grad_kernel_launcher_fast(b, c, n, m, nsample, grouped_grad.data(), balls.data(),
                                                           point_grad.data(), exec, workspace);
  print("group_points_grad", outcome, checksum{}.add(point_grad));

  float const voxel_size[] = {0.11f, 0.13f, 2}, range[] = {-1, -1, -1, 1, 1, 1};
  compat::hard_voxelize_sizes const sizes{b * n, 3, 5, 400};
  std::vector<float> voxels(400 * 5 * 3), distances(b * n);
  std::vector<int> coors(400 * 3), counts(400), of_points(b * n * 3);
  int voxel_num = 0;
  if (!workspace.reserve(compat::hard_voxelize_workspace_bytes(exec, sizes, voxel_size, range))) return;
  outcome = compat::hard_voxelize(sizes, xyz.data(), voxels.data(), coors.data(), counts.data(), &voxel_num, voxel_size,
                                  range, exec, workspace);
  print("hard_voxelize", outcome, checksum{}.add(voxels).add(coors).add(counts).add(voxel_num));
  outcome = compat::dynamic_voxelize(b * n, 3, xyz.data(), of_points.data(), voxel_size, range, exec);
  print("dynamic_voxelize", outcome, checksum{}.add(of_points));

  if (!workspace.reserve(compat::distCUDA2_workspace_bytes(exec, b * n))) return;
  outcome = compat::distCUDA2(b * n, xyz.data(), distances.data(), exec, workspace);
  print("distCUDA2", outcome, checksum{}.add(distances));
}

/// Bits of this thread's register that make it round up and flush subnormal numbers to zero.
#if defined(__x86_64__)
constexpr unsigned long long odd_environment = 0x8040 | 0x4000;
unsigned long long environment() {
  return _mm_getcsr() & odd_environment;
}
void set_environment(unsigned long long bits) {
  _mm_setcsr(static_cast<unsigned>(0x1f80 | bits));
}
#elif defined(__aarch64__)
constexpr unsigned long long odd_environment = 0x1000000 | 0x400000;
unsigned long long environment() {
  return __builtin_aarch64_get_fpcr64();
}
void set_environment(unsigned long long bits) {
  __builtin_aarch64_set_fpcr64(bits);
}
#else
constexpr unsigned long long odd_environment = 0;
unsigned long long environment() {
  return 0;
}
void set_environment(unsigned long long) {}
#endif

/// A call keeps its caller's environment, and answers as in the default one.
void print_environment(int threads) {
  // Squared distances are subnormal.
  constexpr index_t n = 300;
  auto points = numbers<float>(3 * n, 10);
  for (float& coordinate : points) coordinate *= 0x1p-66f;
  farpoint::batch const cloud{farpoint::point_view<float>{points.data(), n}};
  farpoint::host_exec const exec{threads};
  std::vector<std::int32_t> samples(n);
  std::vector<float> distances(n);
  farpoint::fps_params sampling;
  sampling.samples = n;
  farpoint::host_scratch const workspace{fps_workspace_bytes(exec, cloud, sampling)};
  farpoint::fps_output<float> output;
  output.indices = samples;
  output.distances = distances;
  for (unsigned long long const bits : {0ULL, odd_environment}) {
    set_environment(bits);
    auto const sampled = fps(exec, cloud, sampling, output, workspace);
    bool const kept = environment() == bits;
    set_environment(0);
    print(kept ? "fps, the environment kept" : "fps, the environment CHANGED", sampled,
          checksum{}.add(samples).add(distances));
  }
}

template <void (*Print)(int)>
void print_with(int) {
  for (int const threads : {1, 3}) Print(threads);
}

bits_part const searches{"searches",
                         [](int) { print_with<print_searches<float>>(0), print_with<print_searches<double>>(0); }};
bits_part const screen{"screen", [](int) { print_with<print_screen<float>>(0), print_with<print_screen<double>>(0); }};
bits_part const pillars{"pillars", print_with<print_pillars>};
bits_part const map{"map", print_with<print_map>};
bits_part const launchers{"launchers", print_with<print_launchers>};
bits_part const surroundings{"environment", print_with<print_environment>};

}  // namespace
