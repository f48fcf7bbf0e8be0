// zbuffer_ref in kernels: many threads offer points to few pixels, in global and in shared memory, and every pixel
// shows what one thread of the host finds.
#include <farpoint/spatial/zbuffer.hpp>

#include <cmath>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/random.hpp"

using namespace farpoint_tests;
using farpoint::index_t;
using farpoint::zbuffer_ref;

namespace {

struct offer {
  index_t pixel;
  float depth;
  std::uint32_t index;
};

__global__ void clear_kernel(zbuffer_ref zbuffer) {
  index_t const pixel = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (pixel < zbuffer.size()) zbuffer.clear(pixel);
}

__global__ void offer_kernel(zbuffer_ref zbuffer, offer const* offers, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    zbuffer.offer(offers[i].pixel, offers[i].depth, offers[i].index);
  }
}

/// One block, whose shared memory is the z-buffer until all points have been offered.
__global__ void offer_in_shared_memory(zbuffer_ref zbuffer, offer const* offers, unsigned count) {
  __shared__ std::uint64_t words[1024];
  zbuffer_ref const own{{words, 1024}, zbuffer.width(), zbuffer.height()};
  for (index_t pixel = threadIdx.x; pixel < own.size(); pixel += blockDim.x) own.clear(pixel);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
    own.offer(offers[i].pixel, offers[i].depth, offers[i].index);
  __syncthreads();
  for (index_t pixel = threadIdx.x; pixel < own.size(); pixel += blockDim.x) {
    auto const front = own.front(pixel);
    if (front.exists()) zbuffer.offer(pixel, front.depth, static_cast<std::uint32_t>(front.index));
  }
}

/// Few depths, so that there are ties, and some that are not to be shown or at the edge of what is.
std::vector<offer> make_offers(std::size_t count, index_t pixels, std::uint64_t seed) {
  float const odd[] = {std::nanf(""), -1.0f, -0.0f, 0.0f, 1e-45f, HUGE_VALF, -HUGE_VALF, 3e38f};
  random_source random{seed};
  std::vector<offer> offers(count);
  for (std::size_t i = 0; i < count; ++i) {
    float const depth = random.below(20) == 0 ? odd[random.below(8)] : static_cast<float>(1 + random.below(50)) * 0.37f;
    offers[i] = {random.below(pixels), depth, static_cast<std::uint32_t>(random.below(2) == 0 ? i : ~i)};
  }
  return offers;
}

void check_image(std::int32_t width, std::int32_t height, std::size_t count, std::uint64_t seed) {
  CAPTURE(width, height, count, seed);
  index_t const pixels = zbuffer_ref::words(width, height);
  auto const offers = make_offers(count, pixels, seed);
  std::vector<std::uint64_t> expected(static_cast<std::size_t>(pixels));
  zbuffer_ref const on_host{{expected.data(), expected.size()}, width, height};
  on_host.clear();
  for (offer const& o : offers) on_host.offer(o.pixel, o.depth, o.index);

  device_array<offer> const copy{offers};
  device_array<std::uint64_t> const words{expected.size()};
  zbuffer_ref const zbuffer{{words.data(), expected.size()}, width, height};
  auto const number = static_cast<unsigned>(count);
  auto const blocks = static_cast<unsigned>(pixels / 256 + 1);
  auto const check = [&](char const* where) {
    REQUIRE_CUDA(cudaGetLastError());
    REQUIRE_CUDA(cudaDeviceSynchronize());
    INFO(where);
    CHECK((words.intact() && words.download() == expected));
  };
  for (unsigned const threads : {32u, 1024u}) {
    clear_kernel<<<blocks, 256>>>(zbuffer);
    offer_kernel<<<40, threads>>>(zbuffer, copy.data(), number);
    check("global memory");
  }
  if (pixels > 1024) return;
  clear_kernel<<<blocks, 256>>>(zbuffer);
  offer_in_shared_memory<<<1, 512>>>(zbuffer, copy.data(), number);
  check("shared memory");
}

}  // namespace

TEST_CASE("zbuffer_ref, device: many threads and few pixels", "[zbuffer][device][sanitize]") {
  std::uint64_t seed = 0;
  for (std::size_t const count : {0u, 1u, 31u, 1000u, 20000u}) {
    check_image(1, 1, count, ++seed);
    check_image(5, 3, count, ++seed);
    check_image(32, 32, count, ++seed);
    check_image(333, 77, count, ++seed);
  }
}
