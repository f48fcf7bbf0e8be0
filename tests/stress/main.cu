// Public calls under load, each answer compared with the host's, to the bit:
//   farpoint_stress [--brief] [--minutes M] [--seed S] [--output FILE.json] [SECTION...]
// Sections: alone, loads, green, threads, graphs, processes, random (with --minutes only); all of them by default.
// Exit status: 0 success; 1 a call gave a wrong answer, was refused, or starved where it must not; 3 a step did not
// end; 77 no GPU found.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstring>
#include <ctime>

#include "../support/device/cuda_check.hpp"
#include "sections.hpp"

using namespace farpoint_stress;

namespace {

struct arguments {
  stress_options options;
  double process_seconds = 0;  ///< not 0: this is one of the processes that another one started
  std::string output;
  std::vector<std::string> sections;

  bool wants(std::string const& section) const {
    return sections.empty() || std::find(sections.begin(), sections.end(), section) != sections.end();
  }
};

arguments parse(int argc, char** argv) {
  arguments taken;
  for (int i = 1; i < argc; ++i) {
    std::string const argument = argv[i];
    bool const has_value = i + 1 < argc;
    if (argument == "--brief") {
      taken.options.brief = true;
    } else if (argument == "--minutes" && has_value) {
      taken.options.minutes = std::atof(argv[++i]);
    } else if (argument == "--seed" && has_value) {
      taken.options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--output" && has_value) {
      taken.output = argv[++i];
    } else if (argument == "--process" && has_value) {
      taken.process_seconds = std::atof(argv[++i]);
    } else if (argument.rfind("--", 0) == 0) {
      std::fprintf(stderr, "farpoint_stress: %s?\n", argument.c_str());
      std::exit(2);
    } else {
      taken.sections.push_back(argument);
    }
  }
  return taken;
}

void describe(report& seen) {
  cudaDeviceProp gpu{};
  int driver = 0;
  REQUIRE_CUDA(cudaGetDeviceProperties(&gpu, 0));
  REQUIRE_CUDA(cudaDriverGetVersion(&driver));
  char date[32];
  std::time_t const now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S+00:00", std::gmtime(&now));
  char const* const commit = std::getenv("FARPOINT_COMMIT");
  auto const version = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 100 / 10);
  };
  seen.context = {{"gpu", gpu.name},
                  {"multiprocessors", std::to_string(gpu.multiProcessorCount)},
                  {"gpu_driver_cuda", version(driver)},
                  {"cuda_runtime", version(CUDART_VERSION)},
                  {"date", date},
                  {"commit", commit == nullptr ? "unknown" : commit}};
}

/// @param after_each  called when a section has ended
void run_sections(arguments const& taken, stress_run const& run, std::function<void()> const& after_each) {
  auto const section = [&](char const* name, auto const& work) {
    if (!taken.wants(name)) return;
    work();
    after_each();
  };
  section("alone", [&] { alone(run); });
  section("loads", [&] { beside_loads(run); });
  section("green", [&] { in_green_contexts(run); });
  section("threads", [&] { in_threads(run, run.options.brief ? 3 : 10); });
  section("graphs", [&] { in_graphs(run); });
  section("processes", [&] { in_processes(run); });
  section("random", [&] {
    if (run.options.minutes > 0) random_calls(run);
  });
}

}  // namespace

int main(int argc, char** argv) {
  auto const taken = parse(argc, argv);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("SKIPPED: no CUDA device\n");
    return 77;
  }
  report seen;
  auto const write = [&] {
    if (!taken.output.empty()) seen.write(taken.output);
  };
  watchdog dog{[&](std::string const& step) {
    seen.add_failure("this did not end: " + step);
    write();
  }};
  try {
    describe(seen);
    if (taken.process_seconds > 0) {
      print_for_parent(in_threads({taken.options, {}, seen, dog}, taken.process_seconds));
    } else {
      dog.expect("the answers of the host", 300);
      auto const calls = make_calls(call_sizes::table, 1);
      run_sections(taken, {taken.options, calls, seen, dog}, write);
    }
  } catch (std::exception const& error) {
    seen.add_failure(error.what());
  }
  if (taken.process_seconds == 0) write();
  std::printf("%ld failures\n", seen.failures());
  return seen.failures() == 0 ? 0 : 1;
}
