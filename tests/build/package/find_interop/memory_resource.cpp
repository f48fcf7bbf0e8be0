#include <farpoint/interop/memory_resource.hpp>

#include <cstdlib>

// As those of RMM.
struct resource {
  int allocated = 0;
  void* allocate(std::size_t bytes, cudaStream_t) {
    ++allocated;
    return std::malloc(bytes);
  }
  void deallocate(void* memory, std::size_t, cudaStream_t) {
    --allocated;
    std::free(memory);
  }
};

int main() {
  resource memory;
  {
    farpoint::stream_workspace const workspace{memory, 1000, cudaStream_t{}};
    if (memory.allocated != 1 || workspace.get().size() != 1000) return 1;
  }
  return memory.allocated;
}
