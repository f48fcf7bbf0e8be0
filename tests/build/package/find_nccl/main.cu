// The headers for several GPUs compile, and the NCCL that was found is the one that is linked.
#include <farpoint/scale/nccl_exec.cuh>

#include <nccl.h>

#include <cstdio>
#include <string>

int main() {
  int linked = 0;
  if (ncclGetVersion(&linked) != ncclSuccess || linked != NCCL_VERSION_CODE) return 1;
  auto const version = std::to_string(NCCL_MAJOR) + '.' + std::to_string(NCCL_MINOR) + '.' + std::to_string(NCCL_PATCH);
  std::printf("NCCL %s, found as %s\n", version.c_str(), FOUND_VERSION);
  return version == FOUND_VERSION ? 0 : 1;
}
