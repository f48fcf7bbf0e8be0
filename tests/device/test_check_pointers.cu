// Calls on a stream that are given memory which kernels cannot reach, where FARPOINT_CHECK_POINTERS asks for it. The
// types are this file's own: other files call the same functions without the checks.
#undef FARPOINT_CHECK_POINTERS
#define FARPOINT_CHECK_POINTERS 1
#include <farpoint/fps.cuh>
#include <farpoint/gather.cuh>

#include <cstring>
#include <vector>

#include "../catch.hpp"
#include "cuda_check.hpp"
#include "stream_citizen.cuh"

using namespace farpoint_tests;
using farpoint::index_t;
using farpoint::span;

namespace {

struct pair_of_floats {
  float a, b;
};
struct selector : farpoint::fps_selector {};

/// In four dimensions, where few kernels are compiled.
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

bool says(farpoint::result const& outcome, char const* words) {
  return outcome.code == farpoint::status::bad_argument && std::strstr(outcome.reason, words) != nullptr;
}

}  // namespace

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
  CHECK(says(check(stream.get(), span<float>{host}), "an output: host memory"));
  CHECK(says(check(stream.get(), span<float const>{host}), "an input: host memory"));
  CHECK(says(check(stream.get(), &on_stack), "an output: host memory"));
  CHECK(says(check(stream.get(), &of_program), "an output: host memory"));
  std::vector<unsigned char> bytes(1024);
  CHECK(says(check(stream.get(), farpoint::bytes{bytes}), "workspace: host memory"));
  farpoint::batch<points_view> const clouds{points_view{host.data(), 16}};
  CHECK(says(check(stream.get(), clouds), "points: host memory"));
  std::vector<std::int32_t> indices(4);
  CHECK(says(check(stream.get(), farpoint::index_view{indices}), "an input: host memory"));
  CHECK(says(check(stream.get(), farpoint::index_span{indices}), "an output: host memory"));
}

TEST_CASE("check_pointers: arrays longer than their memory are refused", "[check_pointers][device]") {
  test_stream const stream;
  float* memory = nullptr;
  constexpr std::size_t size = std::size_t{4} << 20;  // allocations of this size end where they are asked to
  REQUIRE_CUDA(cudaMalloc(&memory, size * sizeof(float)));
  CHECK(check(stream.get(), span<float>{memory, size}));
  CHECK(check(stream.get(), span<float>{memory + size - 1, 1}));
  CHECK(says(check(stream.get(), span<float>{memory, size + (std::size_t{1} << 40)}), "an output: longer"));
  CHECK(says(check(stream.get(), span<float>{memory + 1, size}), "an output: longer"));
  CHECK(says(check(stream.get(), farpoint::bytes{reinterpret_cast<unsigned char*>(memory), 5 * size}), "workspace"));

  auto const n = static_cast<index_t>(size / 4);
  auto const view_of = [](float const* base, index_t count, index_t stride) {
    return farpoint::batch<points_view>{points_view{base, count, stride}};
  };
  CHECK(check(stream.get(), view_of(memory, n, 16)));
  CHECK(check(stream.get(), view_of(memory + 4 * (n - 1), n, -16)));
  CHECK(check(stream.get(), view_of(memory, 1000 * n, 0)));
  CHECK(says(check(stream.get(), view_of(memory, n + 1, 16)), "points: more"));
  CHECK(says(check(stream.get(), view_of(memory, n, 20)), "points: more"));
  REQUIRE_CUDA(cudaFree(memory));
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
  CHECK(says(sample(host.data()), "points: host memory"));
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
  CHECK(says(gather_to(on_host.data()), "an output: host memory"));
  CHECK(gather_to(gathered.data()));
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
  CHECK(says(check(other), "exec: the stream is of another device"));
  REQUIRE_CUDA(cudaStreamDestroy(other));
}
