// Calls on a stream with memory that kernels cannot reach, with FARPOINT_CHECK_POINTERS defined. The types are local to
// this file, because other files instantiate the same functions without the checks (one definition rule).
#undef FARPOINT_CHECK_POINTERS
#define FARPOINT_CHECK_POINTERS 1
#include <farpoint/compat/group_points.cuh>
#include <farpoint/compat/three_interpolate.cuh>
#include <farpoint/estimate_normals.cuh>
#include <farpoint/fps.cuh>
#include <farpoint/gather.cuh>
#include <farpoint/hash_map.cuh>
#include <farpoint/interpolate.cuh>
#include <farpoint/mean_knn_distance.cuh>

#include <cstring>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/device/stream_citizen.cuh"

using namespace farpoint_tests;
using farpoint::index_t;
using farpoint::span;

namespace {

struct pair_of_floats {
  float a, b;
};
struct selector : farpoint::fps_selector {};
struct map_tuning : farpoint::hash_map_tuning {};
struct search_selector : farpoint::knn_selector {};
/// Stream argument for launchers of compat/.
struct launcher_stream {
  cudaStream_t stream;
  operator cudaStream_t() const noexcept { return stream; }
};

/// Points with three coordinates, of a type local to this file.
struct search_points : farpoint::point_view<float> {
  using farpoint::point_view<float>::point_view;
  FARPOINT_HD search_points(farpoint::point_view<float> const& view) : farpoint::point_view<float>{view} {}
  FARPOINT_HD search_points subview(index_t begin, index_t count) const noexcept {
    return farpoint::point_view<float>::subview(begin, count);
  }
};

/// Points with four coordinates, for which few kernels are compiled.
using points_view = farpoint::point_view<float, 4>;

bool kernels_read_host_memory() {
  int value = 0;
  REQUIRE_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, 0));
  return value != 0;
}

template <class... Arrays>
farpoint::result check(cudaStream_t stream, Arrays const&... arrays) {
  return farpoint::detail::check_pointers(farpoint::cuda_exec{stream}, arrays...);
}

bool has_reason(farpoint::result const& outcome, char const* words) {
  return outcome.code == farpoint::status::bad_argument && std::strstr(outcome.reason, words) != nullptr;
}

}  // namespace

template <>
struct farpoint::compat::detail::execution<launcher_stream> {
  using type = farpoint::cuda_exec;
};

TEST_CASE("check_pointers: all memory that kernels reach passes", "[check_pointers][device]") {
  test_stream const stream;
  constexpr std::size_t size = 1000;
  device_array<float> device{size};
  CHECK(check(stream.get(), span<float>{device.data(), size}));
  CHECK(check(stream.get(), span<float>{}, farpoint::index_span{}, farpoint::index_view{}, farpoint::feature_view{}));
  CHECK(check(cudaStream_t{}, span<float>{device.data(), size}));
  CHECK(check(cudaStreamPerThread, span<float>{device.data(), size}));

  void* memory = nullptr;
  REQUIRE_CUDA(cudaMallocManaged(&memory, size * sizeof(float)));
  CHECK(check(stream.get(), span<float>{static_cast<float*>(memory), size}));
  REQUIRE_CUDA(cudaFree(memory));
  REQUIRE_CUDA(cudaMallocHost(&memory, size * sizeof(float)));
  CHECK(check(stream.get(), span<float>{static_cast<float*>(memory), size}));
  REQUIRE_CUDA(cudaFreeHost(memory));
  std::vector<float> registered(size);
  REQUIRE_CUDA(cudaHostRegister(registered.data(), size * sizeof(float), cudaHostRegisterMapped));
  CHECK(check(stream.get(), span<float>{registered}));
  REQUIRE_CUDA(cudaHostUnregister(registered.data()));

  int pools = 0;
  REQUIRE_CUDA(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
  if (pools != 0) {
    REQUIRE_CUDA(cudaMallocAsync(&memory, size * sizeof(float), stream.get()));
    CHECK(check(stream.get(), span<float>{static_cast<float*>(memory), size}));
    REQUIRE_CUDA(cudaFreeAsync(memory, stream.get()));
    REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  }
}

TEST_CASE("check_pointers: host memory is refused, by name", "[check_pointers][device]") {
  if (kernels_read_host_memory()) {
    WARN("kernels read the process's memory here: nothing is refused");
    return;
  }
  test_stream const stream;
  std::vector<float> host(64);
  float on_stack = 0;
  static float of_program = 0;
  CHECK(has_reason(check(stream.get(), span<float>{host}), "an output: host memory"));
  CHECK(has_reason(check(stream.get(), span<float const>{host}), "an input: host memory"));
  CHECK(has_reason(check(stream.get(), &on_stack), "an output: host memory"));
  CHECK(has_reason(check(stream.get(), &of_program), "an output: host memory"));
  std::vector<unsigned char> bytes(1024);
  CHECK(has_reason(check(stream.get(), farpoint::bytes{bytes}), "workspace: host memory"));
  farpoint::batch<points_view> const clouds{points_view{host.data(), 16}};
  CHECK(has_reason(check(stream.get(), clouds), "points: host memory"));
  std::vector<std::int32_t> indices(4);
  CHECK(has_reason(check(stream.get(), farpoint::index_view{indices}), "an input: host memory"));
  CHECK(has_reason(check(stream.get(), farpoint::index_span{indices}), "an output: host memory"));
}

TEST_CASE("check_pointers: arrays longer than their memory are refused", "[check_pointers][device]") {
  test_stream const stream;
  float* memory = nullptr;
  constexpr std::size_t size = std::size_t{4} << 20;  // 16 MiB: allocations of this size are not rounded up
  REQUIRE_CUDA(cudaMalloc(&memory, size * sizeof(float)));
  CHECK(check(stream.get(), span<float>{memory, size}));
  CHECK(check(stream.get(), span<float>{memory + size - 1, 1}));
  CHECK(has_reason(check(stream.get(), span<float>{memory, size + (std::size_t{1} << 40)}), "an output: longer"));
  CHECK(has_reason(check(stream.get(), span<float>{memory + 1, size}), "an output: longer"));
  CHECK(has_reason(check(stream.get(), farpoint::bytes{reinterpret_cast<unsigned char*>(memory), 5 * size}),
                   "workspace"));

  auto const n = static_cast<index_t>(size / 4);
  auto const view_of = [](float const* base, index_t count, index_t stride) {
    return farpoint::batch<points_view>{points_view{base, count, stride}};
  };
  CHECK(check(stream.get(), view_of(memory, n, 16)));
  CHECK(check(stream.get(), view_of(memory + 4 * (n - 1), n, -16)));
  CHECK(check(stream.get(), view_of(memory, 1000 * n, 0)));
  CHECK(has_reason(check(stream.get(), view_of(memory, n + 1, 16)), "points: more"));
  CHECK(has_reason(check(stream.get(), view_of(memory, n, 20)), "points: more"));
  REQUIRE_CUDA(cudaFree(memory));
}

TEST_CASE("check_pointers: views are checked from their lowest byte to their highest", "[check_pointers][device]") {
  test_stream const stream;
  float* memory = nullptr;
  constexpr std::size_t size = std::size_t{4} << 20;  // 16 MiB: an allocation of this size is not rounded up
  REQUIRE_CUDA(cudaMalloc(&memory, size * sizeof(float)));
  float const* const end = memory + size;
  constexpr index_t n = size / 4;
  int const forwards[] = {0, 4, 8, 12};
  int const backwards[] = {-16, -12, -8, -4};
  auto const features = [](float const* base, index_t records, index_t stride, int const* offsets) {
    return farpoint::feature_view::fields<float>(base, records, stride, offsets, 4);
  };
  auto const points = [](float const* base, index_t count, index_t stride, std::array<int, 4> const& offsets) {
    return farpoint::batch<points_view>{points_view{base, count, stride, offsets}};
  };
  CHECK(check(stream.get(), features(memory, n, 16, forwards)));
  CHECK(check(stream.get(), features(end - 4, n, -16, forwards)));
  CHECK(check(stream.get(), features(end, n, -16, backwards)));
  CHECK(check(stream.get(), points(end, n, -16, {-16, -12, -8, -4})));
  CHECK(check(stream.get(), points(end, 1, -16, {-16, -12, -8, -4})));
  CHECK(has_reason(check(stream.get(), features(memory, n + 1, 16, forwards)), "an input: longer"));
  CHECK(has_reason(check(stream.get(), features(end - 3, n, -16, forwards)), "an input: longer"));
  CHECK(has_reason(check(stream.get(), points(end - 3, n, -16, {0, 4, 8, 12})), "points: more"));
  REQUIRE_CUDA(cudaFree(memory));
}

TEST_CASE("check_pointers: reports, and a hash map's values and slots, in host memory are refused",
          "[check_pointers][device]") {
  if (kernels_read_host_memory()) return;
  using map_type = farpoint::hash_map_ref<std::uint32_t, std::uint32_t, farpoint::default_hash, map_tuning>;
  test_stream const stream;
  farpoint::cuda_exec const exec{stream.get()};
  device_array<std::uint32_t> const keys{std::vector<std::uint32_t>{1, 2, 3}};
  device_array<std::uint32_t> const values{3};
  device_array<farpoint::hash_map_bucket> const buckets{4};
  device_array<std::int32_t> const slots{3};
  map_type const map{{buckets.data(), buckets.size()}};
  REQUIRE(farpoint::hash_map_clear(exec, map));
  span<std::uint32_t const> const given{keys.data(), 3};
  std::vector<std::uint32_t> host_values(3);
  std::vector<std::int32_t> host_slots(3);
  CHECK(has_reason(farpoint::hash_map_insert(exec, map, given, host_values), "an input: host memory"));
  CHECK(has_reason(farpoint::hash_map_insert_or_min(exec, map, given, host_values), "an input: host memory"));
  CHECK(has_reason(farpoint::hash_map_find(exec, map, given, 0, host_values), "an output: host memory"));
  CHECK(has_reason(farpoint::hash_map_find_or_insert(exec, map, given, host_slots), "an output: host memory"));
  CHECK(has_reason(farpoint::hash_map_find_slots(exec, map, given, host_slots), "an output: host memory"));
  CHECK(farpoint::hash_map_insert(exec, map, given, {values.data(), 3}));

  farpoint::gather_report gathered;
  CHECK(has_reason(
      farpoint::gather<pair_of_floats>(exec, {}, 1, farpoint::index_view{}, span<pair_of_floats>{}, &gathered),
      "an output: host memory"));
  device_array<float> const xyz{std::vector<float>(30, 1.0f)};
  device_array<float> const out{30};
  farpoint::batch<search_points> const cloud{search_points{xyz.data(), 10}};
  farpoint::knn_report report;
  span<float> const ten{out.data(), 10};
  span<float> const thirty{out.data(), 30};
  farpoint::normals_params params;
  using s = search_selector;
  char const* const refused = "an output: host memory";
  CHECK(has_reason(farpoint::mean_knn_distance<s>(exec, cloud, {3}, {ten, &report}, {}), refused));
  CHECK(has_reason(farpoint::estimate_normals<s>(exec, cloud, params, {thirty, {}, &report}, {}), refused));
  CHECK(has_reason(farpoint::interpolate<s>(exec, cloud, ten, cloud, 1, {ten, &report}, {}), refused));
  farpoint::device_point_bvh<float> const index;
  CHECK(has_reason(farpoint::mean_knn_distance<s>(exec, index, cloud, {3}, {ten, &report}, {}), refused));
  CHECK(has_reason(farpoint::estimate_normals<s>(exec, index, cloud, params, {thirty, {}, &report}), refused));
  CHECK(has_reason(farpoint::interpolate(exec, index, ten, cloud, 1, {ten, &report}), refused));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
}

TEST_CASE("check_pointers: fps() and gather() on a stream refuse host memory", "[check_pointers][device]") {
  if (kernels_read_host_memory()) return;
  test_stream const stream;
  constexpr index_t n = 100;
  std::vector<std::array<float, 4>> host(n);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = {static_cast<float>(i), 0, 0, 1};
  device_array<std::array<float, 4>> device{host};
  device_array<std::int32_t> picks{10};
  farpoint::fps_params params;
  params.samples = 10;
  auto const sample = [&](void const* points) {
    return farpoint::fps<selector>(farpoint::cuda_exec{stream.get()},
                                   farpoint::batch<points_view>{points_view{points, n}}, params,
                                   farpoint::fps_output<float>{span<std::int32_t>{picks.data(), 10}}, {});
  };
  CHECK(has_reason(sample(host.data()), "points: host memory"));
  CHECK(picks.untouched());
  CHECK(sample(device.data()));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  CHECK(picks.download()[1] == 99);

  device_array<pair_of_floats> features{static_cast<std::size_t>(n)};
  device_array<pair_of_floats> gathered{10};
  std::vector<pair_of_floats> on_host(10);
  auto const gather_to = [&](pair_of_floats* to) {
    return farpoint::gather<pair_of_floats>(farpoint::cuda_exec{stream.get()},
                                            span<pair_of_floats const>{features.data(), n}, 1,
                                            span<std::int32_t>{picks.data(), 10}, span<pair_of_floats>{to, 10});
  };
  CHECK(has_reason(gather_to(on_host.data()), "an output: host memory"));
  CHECK(gather_to(gathered.data()));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
}

TEST_CASE("check_pointers: the launchers of compat/ refuse host memory", "[check_pointers][compat][device]") {
  if (kernels_read_host_memory()) return;
  using namespace farpoint::compat;
  test_stream const stream;
  launcher_stream const exec{stream.get()};
  constexpr int n = 8;
  constexpr int rows = 4;
  device_array<float> const values{std::vector<float>(n * 3, 0.5f)};
  device_array<int> const indices{std::vector<int>(rows * 3, 2)};
  device_array<int> const counts{std::vector<int>{n}};
  device_array<float> const out{n * 3};
  device_array<unsigned char> const memory{std::max(group_points_grad_stack_workspace_bytes(stream.get(), rows, n, 3),
                                                    three_interpolate_grad_workspace_bytes(stream.get(), 1, rows, n))};
  farpoint::bytes const workspace{memory.data(), memory.size()};
  std::vector<float> floats(n * 3);
  std::vector<int> ints(rows * 3);
  char const* const input = "an input: host memory";
  char const* const output = "an output: host memory";

  auto const group = [&](float const* points, int const* idx, float* to) {
    return group_points_kernel_launcher_fast(1, 1, n, rows, 3, points, idx, to, exec);
  };
  CHECK(group(values.data(), indices.data(), out.data()));
  CHECK(has_reason(group(floats.data(), indices.data(), out.data()), input));
  CHECK(has_reason(group(values.data(), ints.data(), out.data()), input));
  CHECK(has_reason(group(values.data(), indices.data(), floats.data()), output));

  auto const group_grad = [&](float const* grad, int const* of_rows, int const* of_points, farpoint::bytes scratch) {
    return group_points_grad_kernel_launcher_stack(1, rows, 1, n, 3, grad, indices.data(), of_rows, of_points,
                                                   out.data(), exec, scratch);
  };
  std::vector<unsigned char> host_workspace(workspace.size());
  CHECK(group_grad(values.data(), counts.data(), counts.data(), workspace));
  CHECK(has_reason(group_grad(floats.data(), counts.data(), counts.data(), workspace), input));
  CHECK(has_reason(group_grad(values.data(), ints.data(), counts.data(), workspace), input));
  CHECK(has_reason(group_grad(values.data(), counts.data(), ints.data(), workspace), input));
  CHECK(has_reason(group_grad(values.data(), counts.data(), counts.data(), host_workspace), "workspace: host memory"));

  auto const interpolate = [&](float const* points, float const* weight, float* to) {
    return three_interpolate_kernel_launcher_stack(rows, 1, points, indices.data(), weight, to, exec);
  };
  CHECK(interpolate(values.data(), values.data(), out.data()));
  CHECK(has_reason(interpolate(floats.data(), values.data(), out.data()), input));
  CHECK(has_reason(interpolate(values.data(), floats.data(), out.data()), input));
  CHECK(has_reason(interpolate(values.data(), values.data(), floats.data()), output));
  CHECK(has_reason(three_interpolate_grad_kernel_launcher_fast(1, 1, rows, n, values.data(), indices.data(),
                                                               values.data(), floats.data(), exec, workspace),
                   output));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
}

TEST_CASE("check_pointers: legal in a capture, and silent about errors of others", "[check_pointers][device][graph]") {
  test_stream const stream;
  device_array<float> device{100};
  device_array<pair_of_floats> features{100};
  device_array<std::int32_t> indices{std::vector<std::int32_t>{3, 1, 2}};
  device_array<pair_of_floats> gathered{3};
  auto const enqueue = [&] {
    CHECK(check(stream.get(), span<float>{device.data(), 100}));
    CHECK(farpoint::gather<pair_of_floats>(
        farpoint::cuda_exec{stream.get()}, span<pair_of_floats const>{features.data(), 100}, 1,
        span<std::int32_t>{indices.data(), 3}, span<pair_of_floats>{gathered.data(), 3}));
  };
  captured_graph const graph{stream.get(), enqueue};
  graph.replay();
  check_foreign_error(stream.get(), enqueue);
}

TEST_CASE("check_pointers: a stream of another device is refused", "[check_pointers][device]") {
  int devices = 0;
  int driver = 0;
  REQUIRE_CUDA(cudaGetDeviceCount(&devices));
  REQUIRE_CUDA(cudaDriverGetVersion(&driver));
  if (devices < 2 || driver < 12080) {
    WARN("needs two devices, and a driver for CUDA 12.8");
    return;
  }
  cudaStream_t other = nullptr;
  REQUIRE_CUDA(cudaSetDevice(1));
  REQUIRE_CUDA(cudaStreamCreate(&other));
  REQUIRE_CUDA(cudaSetDevice(0));
  CHECK(has_reason(check(other), "exec: the stream is of another device"));
  REQUIRE_CUDA(cudaStreamDestroy(other));
}
