// Runs the device tests. Without a device it prints that they are skipped, and exits with code 77.
#include <cuda_runtime_api.h>
#include <cstdio>
#include <cstring>

#include "../catch_session.hpp"

#ifndef FARPOINT_TESTS_ON_GPUS
#define FARPOINT_TESTS_ON_GPUS 1
#endif

int main(int argc, char** argv) {
  int devices = 0;
  bool const listing = argc > 1 && std::strncmp(argv[1], "--list", 6) == 0;
  if (!listing && (cudaGetDeviceCount(&devices) != cudaSuccess || devices < FARPOINT_TESTS_ON_GPUS)) {
    std::printf("SKIPPED: fewer than %d CUDA devices, %zu test cases not run\n", FARPOINT_TESTS_ON_GPUS,
                farpoint_tests::count_tests());
    return 77;
  }
  return farpoint_tests::run_tests(argc, argv);
}
