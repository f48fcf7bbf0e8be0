// Host calls leave the upper halves of the vector registers zero. Where a call leaves them dirty, Intel's processors
// take some hundred cycles for each SSE instruction of the caller afterwards. The program is built as users build
// theirs, without flags for a processor, so that functions are chosen at run time.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/normals_from_neighbors.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <cstdio>
#include <random>

using farpoint::index_t;

namespace {

constexpr int skipped = 77;
constexpr index_t points = 3000;
constexpr farpoint::host_exec one_thread{1};
int failures = 0;

#if defined(__x86_64__)
/// True if the processor tells which parts of its registers are in use (XGETBV with ECX = 1).
bool tells_registers_in_use() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  bool const has_xsave = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_OSXSAVE) != 0;
  return has_xsave && __get_cpuid_count(0xd, 1, &a, &b, &c, &d) != 0 && (a & (1u << 2)) != 0;
}
void clear_upper_halves() {
  __asm__ volatile("vzeroupper" ::: "memory");
}
/// Bit 2: upper halves of ymm0 to ymm15. Bit 6: upper halves of zmm0 to zmm15.
unsigned upper_halves_in_use() {
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1) : "memory");
  return low & (1u << 2 | 1u << 6);
}
#else
bool tells_registers_in_use() {
  return false;
}
void clear_upper_halves() {}
unsigned upper_halves_in_use() {
  return 0;
}
#endif

/// Calls `call(workspace)` and looks at the registers.
template <class Call>
void expect_clean(char const* name, std::size_t workspace_bytes, Call const& call) {
  farpoint::host_scratch const workspace{workspace_bytes};
  clear_upper_halves();
  farpoint::result const outcome = call(workspace);
  unsigned const in_use = upper_halves_in_use();
  if (!outcome || in_use != 0) {
    std::printf("%s: %s, registers in use 0x%x\n", name, outcome.reason, in_use);
    ++failures;
  }
}

template <class Scalar>
void check_all() {
  std::mt19937 engine{1};
  std::uniform_real_distribution<Scalar> coordinate{-1, 1};
  std::vector<Scalar> coordinates(3 * points);
  for (Scalar& value : coordinates) value = coordinate(engine);
  farpoint::batch const cloud{farpoint::point_view<Scalar>{coordinates.data(), points}};
  std::vector<Scalar> weights(points, Scalar(1));
  std::vector<Scalar> values(3 * points);

  farpoint::fps_params sampling;
  sampling.samples = 100;
  std::vector<std::int32_t> samples(100);
  farpoint::fps_output<Scalar> sampled;
  sampled.indices = samples;
  expect_clean("fps", fps_workspace_bytes(one_thread, cloud, sampling),
               [&](auto const& workspace) { return fps(one_thread, cloud, sampling, sampled, workspace); });

  for (index_t const k : {index_t{1}, index_t{8}, index_t{16}, index_t{40}}) {
    std::vector<std::int32_t> indices(static_cast<std::size_t>(points * k));
    farpoint::knn_params const params{k};
    farpoint::knn_output<Scalar> found;
    found.indices = indices;
    expect_clean("knn", knn_workspace_bytes(one_thread, cloud, params),
                 [&](auto const& workspace) { return knn(one_thread, cloud, params, found, workspace); });

    farpoint::neighbor_rows const rows{indices, k};
    farpoint::neighbor_normals_output<Scalar> fitted;
    fitted.normals = values;
    expect_clean("normals_from_neighbors", 0, [&](auto const&) {
      return normals_from_neighbors(one_thread, cloud, rows, farpoint::neighbor_normals_params{}, fitted);
    });

    farpoint::radius_params within;
    within.radius = 0.2;
    within.max_neighbors = k;
    farpoint::radius_output<Scalar> near;
    near.indices = indices;
    expect_clean("radius", radius_workspace_bytes(one_thread, cloud),
                 [&](auto const& workspace) { return radius(one_thread, cloud, within, near, workspace); });
  }

  farpoint::normals_output<Scalar> normals;
  normals.normals = values;
  expect_clean("estimate_normals", estimate_normals_workspace_bytes(one_thread, cloud, {}),
               [&](auto const& workspace) { return estimate_normals(one_thread, cloud, {}, normals, workspace); });
  expect_clean("mean_knn_distance", mean_knn_distance_workspace_bytes(one_thread, cloud, {8}),
               [&](auto const& workspace) { return mean_knn_distance(one_thread, cloud, {8}, {weights}, workspace); });

  farpoint::pinhole_camera<Scalar> camera;
  camera.width = camera.height = 64;
  camera.focal = {{64, 64}};
  camera.center = {{32, 32}};
  camera.translation[2] = 3;
  std::vector<Scalar> extents(2 * points, Scalar(0.05));
  farpoint::splat_view<Scalar> splats{extents};
  splats.normals = values;
  std::vector<float> colors(3 * 64 * 64);
  farpoint::splat_image image;
  image.colors = colors;
  farpoint::draw_splats_params const drawing;
  expect_clean(
      "draw_splats", draw_splats_workspace_bytes(one_thread, splats, camera, drawing),
      [&](auto const& workspace) { return draw_splats(one_thread, cloud, splats, camera, drawing, image, workspace); });
}

}  // namespace

int main() {
  if (!tells_registers_in_use()) {
    std::puts("SKIPPED: this processor does not tell which registers are in use");
    return skipped;
  }
  check_all<float>();
  check_all<double>();
  if (failures == 0) std::puts("all calls leave the upper halves of the vector registers zero");
  return failures == 0 ? 0 : 1;
}
