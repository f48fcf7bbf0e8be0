/// @file
/// Declarations of NCCL for farpoint/scale/nccl_exec.cuh. They call the NCCL that is loaded at run time, which is
/// torch's in a process that has imported torch: the extension is built without NCCL, and imported without it.
#pragma once

#include <cuda_runtime_api.h>
#include <climits>
#include <cstddef>

// Declarations of NCCL 2.14, the first version with communicators that do not block. Later versions accept them.
#define NCCL_VERSION_CODE 21400

struct ncclComm;
using ncclComm_t = ncclComm*;

enum ncclResult_t : int {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7
};

enum ncclDataType_t : int { ncclUint8 = 1 };

struct ncclUniqueId {
  char internal[128];
};

/// Options of a communicator. NCCL reads `size` bytes, and sets options that `version` did not have to their defaults.
struct ncclConfig_t {
  std::size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
  int next;  ///< padding of version 2.14, and an option of later versions: INT_MIN stands for its default
};
#define NCCL_CONFIG_INITIALIZER \
  { sizeof(ncclConfig_t), 0xcafebeefU, NCCL_VERSION_CODE, 1, INT_MIN }
static_assert(sizeof(ncclConfig_t) == 24 && offsetof(ncclConfig_t, blocking) == 16);

namespace farpoint_python {

/// Functions of the loaded NCCL.
struct nccl_functions {
  ncclResult_t (*get_version)(int*);
  ncclResult_t (*get_unique_id)(ncclUniqueId*);
  ncclResult_t (*init_rank)(ncclComm_t*, int, ncclUniqueId, int, ncclConfig_t*);
  ncclResult_t (*count)(ncclComm_t, int*);
  ncclResult_t (*user_rank)(ncclComm_t, int*);
  ncclResult_t (*get_async_error)(ncclComm_t, ncclResult_t*);
  ncclResult_t (*abort)(ncclComm_t);
  ncclResult_t (*all_gather)(void const*, void*, std::size_t, ncclDataType_t, ncclComm_t, cudaStream_t);
  ncclResult_t (*send)(void const*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t);
  ncclResult_t (*receive)(void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t);
  ncclResult_t (*group_start)();
  ncclResult_t (*group_end)();
};

/// The functions, which load_nccl() has found.
nccl_functions const& nccl() noexcept;

}  // namespace farpoint_python

inline ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return farpoint_python::nccl().get_unique_id(id);
}
inline ncclResult_t ncclCommInitRankConfig(ncclComm_t* made, int ranks, ncclUniqueId id, int rank,
                                           ncclConfig_t* config) {
  return farpoint_python::nccl().init_rank(made, ranks, id, rank, config);
}
inline ncclResult_t ncclCommCount(ncclComm_t all, int* ranks) {
  return farpoint_python::nccl().count(all, ranks);
}
inline ncclResult_t ncclCommUserRank(ncclComm_t all, int* rank) {
  return farpoint_python::nccl().user_rank(all, rank);
}
inline ncclResult_t ncclCommGetAsyncError(ncclComm_t all, ncclResult_t* error) {
  return farpoint_python::nccl().get_async_error(all, error);
}
inline ncclResult_t ncclCommAbort(ncclComm_t all) {
  return farpoint_python::nccl().abort(all);
}
inline ncclResult_t ncclAllGather(void const* mine, void* gathered, std::size_t count, ncclDataType_t type,
                                  ncclComm_t all, cudaStream_t stream) {
  return farpoint_python::nccl().all_gather(mine, gathered, count, type, all, stream);
}
inline ncclResult_t ncclSend(void const* from, std::size_t count, ncclDataType_t type, int peer, ncclComm_t all,
                             cudaStream_t stream) {
  return farpoint_python::nccl().send(from, count, type, peer, all, stream);
}
inline ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t all,
                             cudaStream_t stream) {
  return farpoint_python::nccl().receive(to, count, type, peer, all, stream);
}
inline ncclResult_t ncclGroupStart() {
  return farpoint_python::nccl().group_start();
}
inline ncclResult_t ncclGroupEnd() {
  return farpoint_python::nccl().group_end();
}
