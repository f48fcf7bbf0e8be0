// Runs the device tests, or says loudly that there is no device to run them on (exit code 77: skipped).
#define CATCH_CONFIG_RUNNER
#include "../catch.hpp"

#ifndef FARPOINT_TESTS_ON_GPUS
#define FARPOINT_TESTS_ON_GPUS 1
#endif

#include <cuda_runtime_api.h>
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  Catch::Session session;
  int devices = 0;
  bool const listing = argc > 1 && std::strncmp(argv[1], "--list", 6) == 0;
  if (!listing && (cudaGetDeviceCount(&devices) != cudaSuccess || devices < FARPOINT_TESTS_ON_GPUS)) {
    auto const& cases = Catch::getAllTestCasesSorted(session.config());
    std::printf("SKIPPED: fewer than %d CUDA devices, %zu test cases not run\n", FARPOINT_TESTS_ON_GPUS, cases.size());
    return 77;
  }
  return session.run(argc, argv);
}
