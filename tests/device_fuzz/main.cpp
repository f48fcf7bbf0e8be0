// Random calls of all functions on a device, held against the host: valid ones and ones with garbage in what only the
// device can read. Guards around all arrays must stay as they were.
//
//   farpoint_device_fuzz [--seconds S] [--seed N] [--calls N] [--only NAME]
//
// Prints the seed of each call that failed: `--seed N --calls 1 --only NAME` makes it again.
#include <cuda_runtime_api.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>

#include "random_calls.hpp"

namespace {

using namespace farpoint_tests;

struct function {
  char const* name;
  random_call call;
};

constexpr function functions[] = {
    {"fps", random_fps},           {"voxelize", random_voxelize},         {"knn", random_knn},
    {"radius", random_radius},     {"neighborhood", random_neighborhood}, {"gather", random_gather},
    {"knn_screen", random_screen}, {"hash_map", random_hash_map}};

struct options {
  double seconds = 10;
  std::uint64_t seed = 0;
  std::uint64_t calls = ~std::uint64_t{0};
  char const* only = nullptr;
};

[[noreturn]] void usage(char const* program) {
  std::fprintf(stderr, "usage: %s [--seconds S] [--seed N] [--calls N] [--only NAME]\n", program);
  std::exit(2);
}

/// Ends the program for what it does not understand.
options parse(int argc, char** argv) {
  options given;
  given.seed = std::random_device{}();
  for (int i = 1; i < argc; i += 2) {
    char const* const value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (value == nullptr) {
      usage(argv[0]);
    } else if (std::strcmp(argv[i], "--seconds") == 0) {
      given.seconds = std::atof(value);
    } else if (std::strcmp(argv[i], "--seed") == 0) {
      given.seed = std::strtoull(value, nullptr, 10);
    } else if (std::strcmp(argv[i], "--calls") == 0) {
      given.calls = std::strtoull(value, nullptr, 10);
    } else if (std::strcmp(argv[i], "--only") == 0) {
      given.only = value;
    } else {
      usage(argv[0]);
    }
  }
  return given;
}

/// Makes a call and describes its failure; empty if it did not fail.
std::string failure_of(function const& f, std::uint64_t seed) {
  try {
    std::string const difference = f.call(seed);
    if (!difference.empty()) return difference;
    cudaError_t const left = cudaGetLastError();
    return left == cudaSuccess ? "" : std::string{"left an error: "} + cudaGetErrorString(left);
  } catch (std::exception const& problem) {
    return problem.what();
  }
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("SKIPPED: no CUDA device\n");
    return 77;
  }
  options const given = parse(argc, argv);
  std::printf("device_fuzz: seed %llu\n", static_cast<unsigned long long>(given.seed));
  auto const start = std::chrono::steady_clock::now();
  auto const elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  constexpr int max_failures = 20;
  int failures = 0;
  std::uint64_t calls = 0;
  for (; calls < given.calls && elapsed() < given.seconds && failures < max_failures; ++calls) {
    std::uint64_t const seed = given.seed + calls;
    for (function const& f : functions) {
      if (given.only != nullptr && std::strcmp(given.only, f.name) != 0) continue;
      std::string const failure = failure_of(f, seed);
      if (failure.empty()) continue;
      ++failures;
      std::printf("FAILED: --seed %llu --calls 1 --only %s\n  %s\n", static_cast<unsigned long long>(seed), f.name,
                  failure.c_str());
      std::fflush(stdout);
      // After an illegal access nothing works any more.
      if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    }
  }
  std::printf("device_fuzz: %llu rounds of calls in %.0f s, %d failures\n", static_cast<unsigned long long>(calls),
              elapsed(), failures);
  return failures == 0 ? 0 : 1;
}
