/// @file
/// fps() by other libraries. Their samples need not be farpoint's, as rounding and ties differ: each must be as far
/// from the samples before it as the farthest point is, up to rounding. Needs nvcc.

#include "fps/register.cuh"
#include "support/peer_row.cuh"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

constexpr int check_block_size = 1024;
/// Relative difference of squared distances that rounding explains.
constexpr float rounding = 1e-5f;

/// Counts the samples that are not the farthest point from those before; one block a cloud.
/// @param nearest  `[clouds, points]`, infinite
__global__ void __launch_bounds__(check_block_size)
    greedy_kernel(device_fps::input const in, std::int32_t const* samples, float* nearest, unsigned* mistakes) {
  __shared__ float farthest[check_block_size / 32];
  auto const cloud = static_cast<std::size_t>(blockIdx.x);
  float const* const xyz = in.xyz + cloud * static_cast<std::size_t>(in.points) * 3;
  nearest += cloud * static_cast<std::size_t>(in.points);
  samples += cloud * static_cast<std::size_t>(in.samples);
  int const thread = static_cast<int>(threadIdx.x);
  if (thread == 0 && samples[0] != 0) atomicAdd(mistakes, 1u);
  for (int sample = 1; sample < in.samples; ++sample) {
    int const last = samples[sample - 1];
    int const next = samples[sample];
    if (last < 0 || last >= in.points || next < 0 || next >= in.points) {
      if (thread == 0) atomicAdd(mistakes, 1u);
      return;
    }
    float const x = xyz[3 * last];
    float const y = xyz[3 * last + 1];
    float const z = xyz[3 * last + 2];
    float largest = 0;
    for (int i = thread; i < in.points; i += check_block_size) {
      float const dx = xyz[3 * i] - x;
      float const dy = xyz[3 * i + 1] - y;
      float const dz = xyz[3 * i + 2] - z;
      float const lowered = fminf(dx * dx + dy * dy + dz * dz, nearest[i]);
      nearest[i] = lowered;
      largest = fmaxf(largest, lowered);
    }
    for (int lane = 16; lane > 0; lane /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lane));
    if (thread % 32 == 0) farthest[thread / 32] = largest;
    __syncthreads();
    if (thread == 0) {
      for (float const other : farthest) largest = fmaxf(largest, other);
      if (nearest[next] < largest * (1 - rounding)) atomicAdd(mistakes, 1u);
    }
    __syncthreads();
  }
}

/// The number of samples that are not the farthest point.
unsigned mistakes_in(device_fps::input const& in, std::vector<std::int32_t> const& samples) {
  auto const points = static_cast<std::size_t>(in.clouds) * static_cast<std::size_t>(in.points);
  device_buffer<std::int32_t> const device_samples{samples};
  device_buffer<float> const nearest{std::vector<float>(points, std::numeric_limits<float>::infinity())};
  device_buffer<unsigned> const mistakes{std::vector<unsigned>(1, 0u)};
  greedy_kernel<<<static_cast<unsigned>(in.clouds), check_block_size>>>(in, device_samples.data(), nearest.data(),
                                                                        mistakes.data());
  check(cudaGetLastError(), "greedy_kernel");
  return mistakes.download()[0];
}

}  // namespace

void register_fps_peers(fps_row const& row, bool flush_l2, fps_problem_store& problems) {
  device_fps::input const shape{static_cast<int>(row.clouds), static_cast<int>(row.points),
                                static_cast<int>(row.samples), nullptr};
  register_peers<device_fps>(
      "fps/" + row.name() + "/", shape, row.baseline_calls, [&problems, row, flush_l2](auto& state, auto const& peer) {
        fps_problem const& problem = problems[row];
        device_fps::input const in = problem.peer_input();
        time_peer(state, peer, in, problem.stream(), row.work(), flush_l2, [&](device_fps const& call) {
          row.count(state);
          return peer_answer{mistakes_in(in, call.indices()), "each sample is the farthest point, up to rounding"};
        });
      });
}

}  // namespace farpoint_bench
