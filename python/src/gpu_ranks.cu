#include "gpu_ranks.cuh"

#include <farpoint/core/describe.hpp>

#include <dlfcn.h>
#include <cstring>
#include <stdexcept>
#include <string>

namespace farpoint_python {
namespace {

nccl_functions functions{};
bool is_loaded = false;  ///< guarded by the GIL, as load_nccl() is called with it

template <class Function>
bool find(void* library, char const* name, Function*& function) noexcept {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, nccl_functions& all) noexcept {
  return find(library, "ncclGetVersion", all.get_version) && find(library, "ncclGetUniqueId", all.get_unique_id) &&
         find(library, "ncclCommInitRankConfig", all.init_rank) && find(library, "ncclCommCount", all.count) &&
         find(library, "ncclCommUserRank", all.user_rank) &&
         find(library, "ncclCommGetAsyncError", all.get_async_error) && find(library, "ncclCommAbort", all.abort) &&
         find(library, "ncclAllGather", all.all_gather) && find(library, "ncclSend", all.send) &&
         find(library, "ncclRecv", all.receive) && find(library, "ncclGroupStart", all.group_start) &&
         find(library, "ncclGroupEnd", all.group_end);
}

void check_nccl(ncclResult_t outcome, char const* sentence) {
  if (outcome != ncclSuccess) {
    throw std::runtime_error(std::string{sentence} + " (NCCL error " + std::to_string(outcome) + ")");
  }
}

}  // namespace

nccl_functions const& nccl() noexcept {
  return functions;
}

void load_nccl() {
  if (is_loaded) return;
  struct place {
    char const* name;
    int mode;
  };
  // Some builds of torch load NCCL as a library of its own; others have it inside libtorch_cuda.so.
  constexpr place places[] = {{"libnccl.so.2", RTLD_NOLOAD}, {"libtorch_cuda.so", RTLD_NOLOAD}, {"libnccl.so.2", 0}};
  for (auto const& each : places) {
    void* const library = dlopen(each.name, RTLD_NOW | RTLD_LOCAL | each.mode);
    if (library == nullptr) continue;
    nccl_functions found{};
    int version = 0;
    is_loaded = find_all(library, found) && found.get_version(&version) == ncclSuccess && version >= NCCL_VERSION_CODE;
    if (is_loaded) {
      functions = found;
      return;  // the library stays loaded
    }
    static_cast<void>(dlclose(library));
  }
  throw std::runtime_error(
      "ranks that are GPUs need NCCL 2.14 or later, which is not loaded and not found (libnccl.so.2)");
}

nccl_id make_nccl_id() {
  load_nccl();
  ncclUniqueId made{};
  check_nccl(ncclGetUniqueId(&made), "communication failure: NCCL has no address on this machine");
  nccl_id id{};
  static_assert(sizeof made.internal == sizeof id);
  std::memcpy(id.data(), made.internal, id.size());
  return id;
}

std::int64_t gpu_number(int device) {
  cudaDeviceProp properties{};
  cudaError_t const error = cudaGetDeviceProperties(&properties, device);
  if (error != cudaSuccess) {
    throw std::runtime_error("the CUDA device cannot be read (CUDA error " + std::to_string(error) + ")");
  }
  std::uint64_t words[2];
  static_assert(sizeof words == sizeof properties.uuid);
  std::memcpy(words, &properties.uuid, sizeof words);
  farpoint::detail::digest all;
  all.add(words[0]);
  all.add(words[1]);
  return static_cast<std::int64_t>(all.word() | 1);
}

gpu_ranks::gpu_ranks(nccl_id const& id, int ranks, int rank, int device, std::chrono::milliseconds timeout)
    : device_{device}, state_{std::make_unique<state>()} {
  ncclUniqueId shared{};
  std::memcpy(shared.internal, id.data(), id.size());
  farpoint::result const done = farpoint::nccl_communicator::create(ranks, shared, rank, state_->communicator, timeout);
  if (!done) {
    throw std::runtime_error(std::string{farpoint::to_string(done.code)} + ": " + farpoint::describe(done));
  }
}

gpu_ranks::~gpu_ranks() {
  abort();
}

bool gpu_ranks::has_failed() const noexcept {
  return state_->communicator.has_failed();
}

void gpu_ranks::abort() noexcept {
  state_->communicator.abort();
}

}  // namespace farpoint_python
