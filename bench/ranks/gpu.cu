/// @file
/// Calls on shards by several GPUs, against one call on a single GPU. See README.md.

#include "ranks/register.cuh"
#include "support/cuda_suite.cuh"

#include <cstdio>
#include <cstdlib>

namespace farpoint_bench {
namespace {

/// 2, 4, 8 and so on, and all that there are.
std::vector<int> numbers_of_ranks(int most) {
  std::vector<int> numbers;
  for (int ranks = 2; ranks < most; ranks *= 2) numbers.push_back(ranks);
  numbers.push_back(most);
  return numbers;
}

void add_nccl_context() {
  int version = 0;
  check(ncclGetVersion(&version), "ncclGetVersion");
  int reaches = 0;
  check(cudaDeviceCanAccessPeer(&reaches, 0, 1), "cudaDeviceCanAccessPeer");
  char const* const multicast = std::getenv("NCCL_NVLS_ENABLE");
  benchmark::AddCustomContext("gpus", std::to_string(gpu_count()));
  benchmark::AddCustomContext("gpus_reach_each_other", reaches != 0 ? "yes" : "no");
  benchmark::AddCustomContext("nccl", std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
                                          "." + std::to_string(version % 100));
  benchmark::AddCustomContext("nccl_nvls_enable", multicast != nullptr ? multicast : "not set");
}

}  // namespace

int run_program(arguments const& args) {
  int const gpus = gpu_count();
  if (args.flush_l2) {
    std::fprintf(stderr, "FAILED: --flush-l2 is not for this program\n");
    return 1;
  }
  // Without any, the suite says why.
  if (gpus == 1 && !args.list_only) {
    std::fprintf(stderr, "SKIPPED: NOTHING WAS MEASURED: ranks need two GPUs, and there is one\n");
    return exit_skipped;
  }
  auto const ranks = numbers_of_ranks(std::max(gpus, 2));
  register_exchanges(ranks);
  register_fps(ranks);
  register_voxelize(ranks);
  register_knn(ranks);
  register_radius(ranks);
  return run_cuda_suite("ranks", args, add_nccl_context);
}

}  // namespace farpoint_bench
