// The public calls, compiled for another architecture than the GPU's, against the host: one source for both sides.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/cuda_exec.cuh>

#include <array>
#include <cstring>

#include "../support/catch.hpp"
#include "../support/device/cuda_check.hpp"
#include "../support/host_array.hpp"
#include "../support/random.hpp"

namespace farpoint_tests {

using farpoint::index_t;
using farpoint::span;
using view = farpoint::point_view<float>;

/// Memory and execution on the host.
struct host_side {
  template <class T>
  using array = host_array<T>;

  static farpoint::host_exec exec() { return {}; }
  static void wait() {}
};

/// Memory on the device, and a stream.
class device_side {
 public:
  template <class T>
  using array = device_array<T>;

  farpoint::cuda_exec exec() const { return {stream_.get()}; }
  void wait() const { REQUIRE_CUDA(cudaStreamSynchronize(stream_.get())); }

 private:
  test_stream stream_;
};

template <class Array>
auto all_of(Array const& array) {
  return span<std::remove_pointer_t<decltype(array.data())>>{array.data(), array.size()};
}

/// The bytes that a call wrote, one output after another.
using written_bytes = std::vector<unsigned char>;

template <class... Array>
written_bytes written_to(Array const&... outputs) {
  written_bytes bytes;
  auto const append = [&bytes](auto const& array) {
    CHECK(array.intact());
    auto const values = array.download();
    auto const* const first = reinterpret_cast<unsigned char const*>(values.data());
    bytes.insert(bytes.end(), first, first + values.size() * sizeof values[0]);
  };
  (append(outputs), ...);
  return bytes;
}

/// Makes a call on both sides: `call(side)` returns what it wrote, which must be equal to the last bit.
template <class Call>
void check_both_sides(Call const& call) {
  written_bytes const expected = call(host_side{});
  written_bytes const found = call(device_side{});
  REQUIRE(found.size() == expected.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < found.size(); ++i) different += found[i] != expected[i] ? 1 : 0;
  INFO(different << " of " << found.size() << " bytes differ");
  CHECK(different == 0);
}

/// Points of a cube of 40 m.
inline std::vector<float> cube_of(index_t points, std::uint64_t seed = 1) {
  random_source random{seed};
  std::vector<float> xyz(static_cast<std::size_t>(3 * points));
  for (float& x : xyz) x = 40 * (random.uniform() - 0.5f);
  return xyz;
}

/// Clouds of equal size in an array of coordinates.
template <class Array>
farpoint::batch<view> clouds_in(Array const& xyz, index_t clouds = 1) {
  return farpoint::batch<view>::regular(view{xyz.data(), static_cast<index_t>(xyz.size()) / 3}, clouds);
}

}  // namespace farpoint_tests
