#include "machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#if defined(FARPOINT_WITH_CUDA)
#include <cuda_runtime_api.h>

#include "driver_version.hpp"
#endif

namespace farpoint_tools {

namespace {

constexpr double gibibyte = 1 << 30;

std::string processor() {
  std::ifstream file{"/proc/cpuinfo"};
  std::string line;
  while (std::getline(file, line)) {
    auto const colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

void add_gpu([[maybe_unused]] figures& summary) {
#if defined(FARPOINT_WITH_CUDA)
  int device = 0;
  cudaDeviceProp properties{};
  int driver = 0;
  int runtime = 0;
  if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess) return;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  auto const version = [](int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); };
  summary.push_back(
      {"compute_capability", "compute capability", fmt::format("{}.{}", properties.major, properties.minor)});
  summary.push_back({"multiprocessors", "multiprocessors", std::int64_t{properties.multiProcessorCount}});
  summary.push_back({"gpu_memory_gib", "GPU memory (GiB)", static_cast<double>(properties.totalGlobalMem) / gibibyte});
  summary.push_back({"l2_cache_mib", "L2 cache (MiB)", properties.l2CacheSize / 1048576.0});
  summary.push_back({"driver", "driver", driver_version()});
  summary.push_back({"cuda_driver", "CUDA of the driver", version(driver)});
  summary.push_back({"cuda_runtime", "CUDA of the program", version(runtime)});
#endif
}

// The name comes with a call.
std::string gpu_name() {
  float const point[3] = {0, 0, 0};
  std::int32_t index = 0;
  farpoint::fps_params params;
  params.samples = 1;
  farpoint::fps_output<float> const output{farpoint::span<std::int32_t>{&index, 1}};
  farpoint::runtime::run_info info;
  farpoint::batch const cloud{farpoint::point_view<float>{point, 1}};
  auto const outcome = farpoint::runtime::fps(cloud, params, output, {farpoint::runtime::backend::cuda}, &info);
  return outcome ? info.device : outcome.reason;
}

}  // namespace

figures machine_figures() {
  figures summary{
      {"processor", "processor", processor()},
      {"threads", "threads", std::int64_t{std::max(1U, std::thread::hardware_concurrency())}},
      {"memory_gib", "memory (GiB)",
       static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE)) / gibibyte}};
  bool const usable = farpoint::runtime::cuda_available();
  summary.push_back({"gpu", "GPU", usable ? gpu_name() : "none that can be used"});
  if (usable) add_gpu(summary);
  return summary;
}

std::string describe(farpoint::runtime::run_info const& info, farpoint::runtime::backend asked_for) {
  using farpoint::runtime::backend;
  if (info.used == backend::cuda) return fmt::format("cuda ({})", info.device);
  return fmt::format("host ({}){}", info.device, asked_for == backend::automatic ? ", no GPU found" : "");
}

}  // namespace farpoint_tools
