// Calls that a host_stop ends, at any unit: they return, read nothing that was not written, and the same arrays serve
// the next call. Builds with AddressSanitizer and ThreadSanitizer run them, too.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/radius.hpp>

#include <cstring>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"

using farpoint::batch;
using farpoint::host_exec;
using farpoint::index_t;

namespace {

/// Ends a call at its n-th question.
struct stop_after : farpoint::host_stop {
  explicit stop_after(int n) noexcept
      : host_stop{[](host_stop& self) { return --static_cast<stop_after&>(self).left == 0; }}, left{n} {}
  int left;
};

/// Memory of a call in which each byte is set, so that what was not written is recognized, or leads astray.
struct call_memory {
  std::vector<unsigned char> workspace;
  std::vector<index_t> indices;
  std::vector<float> distances;
  std::vector<index_t> offsets;

  farpoint::bytes bytes(std::size_t size) {
    workspace.assign(size + 256, 0xA5);
    auto const at = reinterpret_cast<std::uintptr_t>(workspace.data());
    return {workspace.data() + (256 - at % 256) % 256, size};
  }
};

constexpr index_t k = 5;

/// Makes a call whose result is in the memory; returns what it returned.
using call_of = farpoint::result (*)(host_exec, batch<farpoint::point_view<float>> const&, call_memory&);

farpoint::result knn_of_itself(host_exec exec, batch<farpoint::point_view<float>> const& clouds, call_memory& memory) {
  auto const size = farpoint::knn_workspace_bytes(exec, clouds, farpoint::knn_params{k});
  return farpoint::knn(exec, clouds, farpoint::knn_params{k}, {memory.indices, memory.distances}, memory.bytes(size));
}

farpoint::result knn_of_queries(host_exec exec, batch<farpoint::point_view<float>> const& clouds, call_memory& memory) {
  auto const size = farpoint::knn_workspace_bytes(exec, clouds, clouds, farpoint::knn_params{k});
  return farpoint::knn(exec, clouds, clouds, farpoint::knn_params{k}, {memory.indices, memory.distances},
                       memory.bytes(size));
}

farpoint::result lists(host_exec exec, batch<farpoint::point_view<float>> const& clouds, call_memory& memory) {
  farpoint::radius_params params;
  params.radius = 0.2;
  auto const size = farpoint::radius_workspace_bytes(exec, clouds, clouds);
  return farpoint::radius_rows(exec, clouds, clouds, params, {memory.offsets, memory.indices, memory.distances},
                               memory.bytes(size));
}

farpoint::result normals(host_exec exec, batch<farpoint::point_view<float>> const& clouds, call_memory& memory) {
  farpoint::normals_params params;
  params.k = k;
  farpoint::normals_output<float> output;
  output.normals = memory.distances;
  auto const size = farpoint::estimate_normals_workspace_bytes(exec, clouds, params);
  return farpoint::estimate_normals(exec, clouds, params, output, memory.bytes(size));
}

farpoint::result samples(host_exec exec, batch<farpoint::point_view<float>> const& clouds, call_memory& memory) {
  farpoint::fps_params params;
  params.samples = 40;
  auto const size = farpoint::fps_workspace_bytes(exec, clouds, params);
  farpoint::fps_output<float> output;
  output.indices = memory.indices;
  output.distances = memory.distances;
  return farpoint::fps(exec, clouds, params, output, memory.bytes(size));
}

}  // namespace

TEST_CASE("a call can be ended at any unit", "[stop]") {
  call_of const call = GENERATE(values<call_of>({knn_of_itself, knn_of_queries, lists, normals, samples}));
  int const threads = GENERATE(1, 3);
  index_t const clouds = GENERATE(1, 6);
  CAPTURE(threads, clouds);
  index_t const points = 12'000;
  farpoint_tests::random_source random{7};
  std::vector<float> coordinates(3 * static_cast<std::size_t>(points));
  for (auto& value : coordinates) value = random.uniform();
  farpoint::point_view<float> const view{coordinates.data(), points};
  auto const batches = batch<farpoint::point_view<float>>::regular(view, clouds);

  auto const memory_of = [&] {
    call_memory memory;
    memory.indices.assign(static_cast<std::size_t>(points) * k, -7);
    memory.distances.assign(memory.indices.size(), -7);
    memory.offsets.assign(static_cast<std::size_t>(points) + 1, -7);
    return memory;
  };
  call_memory expected = memory_of();
  stop_after never{-1};
  REQUIRE(call(host_exec{threads}, batches, expected));
  call_memory found = memory_of();
  REQUIRE(call(host_exec{threads, &never}, batches, found));
  CHECK_FALSE(never.requested());
  CHECK(found.indices == expected.indices);
  CHECK(found.distances == expected.distances);

  int const questions = -1 - never.left;
  CAPTURE(questions);
  CHECK(questions > 0);
  for (int n = 1; n <= questions; n += n < 6 ? 1 : n / 2) {
    stop_after stop{n};
    call_memory ended = memory_of();
    static_cast<void>(call(host_exec{threads, &stop}, batches, ended));
    // With several threads, the calling one may get fewer units than before.
    if (threads == 1) CHECK(stop.requested());
    // The arrays and the workspace serve the next call.
    if (n % 3 == 0) {
      REQUIRE(call(host_exec{threads}, batches, ended));
      CHECK(ended.offsets == expected.offsets);
    }
  }
}
