/// @file
/// Tensors of PyTorch for peers that need it. Calls are enqueued on PyTorch's current stream, the default stream.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace farpoint_bench {

/// A tensor of floats in device memory of others.
inline at::Tensor tensor_of(float const* data, at::IntArrayRef sizes) {
  // A tensor's memory is never constant.
  return at::from_blob(const_cast<float*>(data), sizes, at::TensorOptions{}.dtype(at::kFloat).device(at::kCUDA, 0));
}

/// `[size]` 64-bit integers on the device, all with this value.
inline at::Tensor integers(std::int64_t size, std::int64_t value) {
  return at::full({size}, value, at::TensorOptions{}.dtype(at::kLong).device(at::kCUDA, 0));
}

/// `[clouds + 1]` offsets of clouds of one size, on the device.
inline at::Tensor offsets_of(std::int64_t clouds, std::int64_t size) {
  return at::arange(clouds + 1, at::TensorOptions{}.dtype(at::kLong).device(at::kCUDA, 0)) * size;
}

/// The elements in host memory; waits for the device.
inline std::vector<std::int32_t> download(at::Tensor const& integers) {
  at::Tensor const host = integers.to(at::kInt).contiguous().cpu();
  auto const* const data = host.data_ptr<std::int32_t>();
  return {data, data + host.numel()};
}

}  // namespace farpoint_bench
