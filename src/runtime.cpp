// Backends of the library, and the memory of a thread.
#include <farpoint/runtime.hpp>

#include "host_memory.hpp"
#include "on_stream.hpp"
#if defined(FARPOINT_WITH_CUDA)
#include "thread_memory.hpp"
#endif

FARPOINT_BEGIN_NAMESPACE
namespace runtime {

bool cuda_available() noexcept {
#if defined(FARPOINT_WITH_CUDA)
  static bool const available = library::cuda_usable();
  return available;
#else
  return false;
#endif
}

void release_thread_memory() noexcept {
  library::host_memory::release_thread();
#if defined(FARPOINT_WITH_CUDA)
  library::thread_memory::release();
#endif
}

char const* to_string(backend which) noexcept {
  switch (which) {
    case backend::automatic: return "automatic";
    case backend::host: return "host";
    case backend::cuda: return "cuda";
  }
  return "unknown backend";
}

}  // namespace runtime
FARPOINT_END_NAMESPACE
