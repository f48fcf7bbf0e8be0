// The launchers of compat/ on a stream: bit by bit what they give on host_exec, whose tests say what that is.
#include <farpoint/compat/ball_query.cuh>
#include <farpoint/compat/group_points.cuh>
#include <farpoint/compat/hard_voxelize.cuh>
#include <farpoint/compat/simple_knn.cuh>
#include <farpoint/compat/stack_farthest_point_sampling.cuh>
#include <farpoint/compat/three_interpolate.cuh>
#include <farpoint/compat/three_nn.cuh>
#include <farpoint/pillar_features.cuh>

#include "../../fps/device/every_kernel.cuh"
#include "../../search/device/knn_kernels.cuh"
#include "../../search/device/mean_distance_kernels.cuh"
#include "../../search/device/radius_kernels.cuh"
#include "../../support/catch.hpp"
#include "../../support/device/device_space.cuh"
#include "../../support/device/stream_citizen.cuh"
#include "../../voxelize/device/voxelize_on_device.cuh"
#include "../../voxelize/pillar_call.hpp"
#include "../compat_calls.hpp"

using namespace farpoint_tests;
using farpoint::compat::three_nn_distances;

namespace {

/// `call(exec, memory)` on a stream, and as a graph, gives what it gives on the host.
template <class Call>
void check_call(Call const& call) {
  call_memory<host_space> host_memory;
  REQUIRE(call(farpoint::host_exec{1}, host_memory));

  test_stream const stream;
  farpoint::cuda_exec const exec{stream.get()};
  call_memory<farpoint_stress::device_space> memory;
  farpoint::result outcome = call(exec, memory);
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  INFO(outcome.reason);
  REQUIRE(outcome);
  CHECK(memory.intact());
  CHECK(memory.outputs() == host_memory.outputs());

  memory.wipe_outputs();
  memory.rewind();
  captured_graph const graph{stream.get(), [&] { outcome = call(exec, memory); }};
  REQUIRE(outcome);
  graph.replay();
  CHECK(memory.outputs() == host_memory.outputs());
}

template <class Call>
void check_compat(Call const& call) {
  check_call([&](auto exec, auto& memory) {
    compat_calls calls{memory, exec};
    return call(calls);
  });
}

constexpr farpoint::compat::furthest_point_sampling_rules all_rules[] = {
    {}, {true, 0}, farpoint::compat::openpcdet_rules, farpoint::compat::pointnet2_ops_rules};

}  // namespace

TEST_CASE("compat, device: furthest point sampling", "[compat][device]") {
  for (shape const which : {shape::cube, shape::lattice, shape::duplicates, shape::non_finite, shape::tiny}) {
    for (auto const& rules : all_rules) {
      for (batch_sizes const s : {batch_sizes{4, 4096, 500}, batch_sizes{3, 100, 130}, batch_sizes{2, 1, 3}}) {
        CAPTURE(static_cast<int>(which), rules.skip_origin, rules.block_threads, s.n);
        floats const clouds = packed_cloud(which, s.points(), 1);
        check_compat([&](auto& calls) { return calls.sample(s, clouds, rules); });
      }
      stack_sizes const stack{{300, 1, 0, 7, 1500}, {40, 3, 2, 9, 100}};
      floats const clouds = packed_cloud(which, size_of(stack.n()), 18);
      check_compat([&](auto& calls) { return calls.sample_stack(stack, clouds, rules); });
    }
  }
}

TEST_CASE("compat, device: ball query", "[compat][device]") {
  for (shape const which : {shape::cube, shape::fine_lattice, shape::non_finite}) {
    for (float const radius : {0.0f, 0.1f, 1.0f}) {
      for (int const nsample : {1, 16, 40}) {
        CAPTURE(static_cast<int>(which), radius, nsample);
        batch_sizes const s{4, 4096, 200};
        floats const clouds = packed_cloud(which, s.points(), 2);
        floats const queries = packed_cloud(which, s.others(), 3);
        check_compat([&](auto& calls) { return calls.ball(s, clouds, queries, radius, nsample); });
        stack_sizes const stack{{4096, 0, 7, 12281}, {200, 300, 0, 300}};
        check_compat([&](auto& calls) { return calls.ball_stack(stack, clouds, queries, radius, nsample); });
      }
    }
  }
}

TEST_CASE("compat, device: three_nn and distCUDA2", "[compat][device]") {
  for (shape const which : {shape::cube, shape::lattice, shape::non_finite, shape::huge}) {
    CAPTURE(static_cast<int>(which));
    for (batch_sizes const s : {batch_sizes{4, 4096, 500}, batch_sizes{4, 2, 50}, batch_sizes{2, 0, 3}}) {
      floats const known = packed_cloud(which, s.points(), 4);
      floats const unknown = packed_cloud(which, s.others(), 5);
      check_compat([&](auto& calls) { return calls.neighbors(s, known, unknown, three_nn_distances::squared); });
      check_compat([&](auto& calls) { return calls.neighbors(s, known, unknown, three_nn_distances::meters); });
      check_compat([&](auto& calls) { return calls.mean_of_three(known); });
    }
    stack_sizes const stack{{1000, 0, 2, 94}, {20, 5, 4, 71}};
    floats const known = packed_cloud(which, 1096, 6);
    floats const unknown = packed_cloud(which, 100, 7);
    check_compat([&](auto& calls) { return calls.neighbors_stack(stack, known, unknown); });
    for (std::size_t const n : {1u, 2u, 3u}) {
      floats const few = packed_cloud(which, n, 8);
      check_compat([&](auto& calls) { return calls.mean_of_three(few); });
    }
  }
}

TEST_CASE("compat, device: interpolation, forward and backward", "[compat][device]") {
  batch_sizes const s{4, 200, 333};
  int const c = 7;
  floats const weight = random_floats(s.others() * 3, 9);
  ints const idx = random_indices(weight.size(), s.n, 10);
  floats const points = random_floats(s.points() * size_of(c), 11);
  floats const grad_out = random_floats(s.others() * size_of(c), 12);
  check_compat([&](auto& calls) { return calls.weights(weight); });
  check_compat([&](auto& calls) { return calls.interpolate(s, c, points, idx, weight); });
  check_compat([&](auto& calls) { return calls.interpolate_grad(s, c, grad_out, idx, weight); });
  int const rows = s.b * s.m;
  check_compat([&](auto& calls) { return calls.interpolate_stack(rows, c, points, idx, weight); });
  check_compat([&](auto& calls) { return calls.interpolate_grad_stack(s.n, rows, c, grad_out, idx, weight); });
}

TEST_CASE("compat, device: grouping, forward and backward", "[compat][device]") {
  for (int const nsample : {1, 33}) {
    batch_sizes const s{4, 150, 300};
    int const c = 6;
    ints const idx = random_indices(s.others() * size_of(nsample), s.n, 13);
    floats const points = random_floats(s.points() * size_of(c), 14);
    floats const grad_out = random_floats(idx.size() * size_of(c), 15);
    check_compat([&](auto& calls) { return calls.group(s, c, nsample, points, idx); });
    check_compat([&](auto& calls) { return calls.group_grad(s, c, nsample, grad_out, idx); });
    stack_sizes const stack{{150, 0, 30, 420}, {200, 300, 0, 700}};
    check_compat([&](auto& calls) { return calls.group_stack(stack, c, nsample, points, idx); });
    check_compat([&](auto& calls) { return calls.group_grad_stack(stack, c, nsample, grad_out, idx); });
  }
}

TEST_CASE("compat, device: voxels", "[compat][device]") {
  voxelizer_config const configs[] = {{{4000, 3, 3, 200}, {0.1f, 0.1f, 0.25f}, {0, 0, 0, 1, 1, 1}},
                                      {{4000, 4, 40, 4000}, {1, 1, 1}, {0, 1, 2, 4, 5, 6}},
                                      {{0, 3, 2, 3}, {1, 1, 1}, {0, 0, 0, 4, 4, 4}}};
  for (shape const which : {shape::cube, shape::lattice, shape::non_finite}) {
    for (auto const& config : configs) {
      CAPTURE(static_cast<int>(which), config.sizes.max_points);
      floats const points = packed_cloud(which, size_of(config.sizes.num_points * config.sizes.num_features), 16);
      check_compat([&](auto& calls) { return calls.voxels(config, points); });
      check_compat([&](auto& calls) { return calls.voxels_of_points(config, points); });
      check_compat([&](auto& calls) { return calls.center_point_voxels(config, points); });
    }
  }
}

TEST_CASE("compat, device: a cudaStream_t is taken as it is", "[compat][device]") {
  floats const points = packed_cloud(shape::cube, 500, 17);
  call_memory<host_space> host_memory;
  REQUIRE(compat_calls{host_memory, farpoint::host_exec{1}}.mean_of_three(points));
  test_stream const stream;
  call_memory<farpoint_stress::device_space> memory;
  REQUIRE(compat_calls{memory, stream.get()}.mean_of_three(points));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  CHECK(memory.outputs() == host_memory.outputs());
}

TEST_CASE("pillar features, device", "[voxelize][device]") {
  for (int turn = 0; turn < 4; ++turn) {
    pillar_problem problem{9};
    problem.columns = static_cast<farpoint::voxel_columns>(turn);
    problem.centers = turn % 2 == 0 ? farpoint::pillar_centers::xy : farpoint::pillar_centers::xyz;
    CAPTURE(turn);
    check_call([&](auto exec, auto& memory) { return problem.run<float, float>(exec, memory); });
    check_call([&](auto exec, auto& memory) { return problem.run<int, farpoint::float16>(exec, memory); });
  }
}
