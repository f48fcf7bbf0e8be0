// Workspaces from memory resources with the interface of RMM: older versions take the size first, newer ones the
// stream.
#include <farpoint/interop/memory_resource.hpp>

#include <cstdlib>
#include <new>
#include <vector>

#include "../support/catch.hpp"

namespace {

/// Stand-in for rmm::cuda_stream_view and cuda::stream_ref, which are made of a cudaStream_t.
struct stream_view {
  cudaStream_t stream;
  stream_view(cudaStream_t s) noexcept : stream{s} {}
};

/// Allocations that a resource has made.
struct ledger {
  std::size_t allocations = 0;
  std::vector<std::size_t> sizes;
  std::vector<cudaStream_t> streams;

  void* add(std::size_t size, cudaStream_t stream) {
    ++allocations;
    sizes.push_back(size);
    streams.push_back(stream);
    return std::aligned_alloc(256, (size + 255) / 256 * 256);
  }
  void remove(void* memory, std::size_t size, cudaStream_t stream) {
    CHECK(size == sizes.back());
    CHECK(stream == streams.back());
    --allocations;
    std::free(memory);
  }
};

struct bytes_first : ledger {
  void* allocate(std::size_t size, stream_view stream) { return add(size, stream.stream); }
  void deallocate(void* memory, std::size_t size, stream_view stream) noexcept { remove(memory, size, stream.stream); }
};

struct stream_first : ledger {
  void* allocate(stream_view stream, std::size_t size, std::size_t = 256) { return add(size, stream.stream); }
  void deallocate(stream_view stream, void* memory, std::size_t size, std::size_t = 256) noexcept {
    remove(memory, size, stream.stream);
  }
};

struct exhausted {
  void* allocate(std::size_t, stream_view) { throw std::bad_alloc{}; }
  void deallocate(void*, std::size_t, stream_view) noexcept { FAIL(); }
};

template <class Resource>
void check_resource() {
  int place = 0;
  auto* const stream = reinterpret_cast<cudaStream_t>(&place);
  Resource resource;
  {
    farpoint::stream_workspace first{resource, 1000, stream};
    CHECK(resource.allocations == 1);
    CHECK(first.get().size() == 1000);
    CHECK(first.get().data() != nullptr);
    auto second = std::move(first);
    CHECK(first.get().empty());
    CHECK(second.get().size() == 1000);
    farpoint::stream_workspace nothing{resource, 0, stream};
    CHECK(resource.allocations == 1);
    nothing = std::move(second);
    CHECK(nothing.get().size() == 1000);
  }
  CHECK(resource.allocations == 0);
}

}  // namespace

TEST_CASE("memory resources: a workspace is given back as it was allocated", "[interop]") {
  check_resource<bytes_first>();
  check_resource<stream_first>();
}

TEST_CASE("memory resources: what allocate() throws comes through", "[interop]") {
  exhausted resource;
  CHECK_THROWS_AS((farpoint::stream_workspace{resource, 1, cudaStream_t{}}), std::bad_alloc);
}
