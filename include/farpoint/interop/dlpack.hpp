/// @file
/// DLPack tensors of other frameworks as points and outputs, without a copy, and results as DLPack tensors.
///
/// Requires <dlpack/dlpack.h>, version 0.4 or later. A view does not own the tensor, which must outlive it; the owner
/// of a DLManagedTensor calls its deleter.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/status.hpp>

#include <dlpack/dlpack.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

/// True if kernels can access the tensor: memory of a CUDA device, managed or pinned memory.
inline bool is_on_device(DLTensor const& tensor) noexcept {
  // Numeric device types: older versions of DLPack name them differently or lack them.
  int const type = static_cast<int>(tensor.device.device_type);
  return type == 2 || type == 3 || type == 13;
}
/// True if host code can access the tensor: CPU, managed or pinned memory.
inline bool is_on_host(DLTensor const& tensor) noexcept {
  int const type = static_cast<int>(tensor.device.device_type);
  return type == 1 || type == 3 || type == 13;
}

namespace detail {

template <class T>
constexpr DLDataType dlpack_type() noexcept {
  constexpr auto bits = static_cast<std::uint8_t>(8 * sizeof(T));
  if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, float16>) return {kDLFloat, bits, 1};
  return {static_cast<std::uint8_t>(std::is_signed_v<T> ? kDLInt : kDLUInt), bits, 1};
}

template <class T>
bool has_type(DLTensor const& tensor) noexcept {
  constexpr DLDataType type = dlpack_type<T>();
  return tensor.dtype.code == type.code && tensor.dtype.bits == type.bits && tensor.dtype.lanes == 1;
}

/// Stride of an axis in elements. Null strides mean packed rows.
inline std::int64_t dlpack_stride(DLTensor const& tensor, int axis) noexcept {
  if (tensor.strides != nullptr) return tensor.strides[axis];
  std::int64_t stride = 1;
  for (int inner = tensor.ndim - 1; inner > axis; --inner) stride *= tensor.shape[inner];
  return stride;
}

inline void const* dlpack_data(DLTensor const& tensor) noexcept {
  return static_cast<unsigned char const*>(tensor.data) + tensor.byte_offset;
}

/// Views `count` rows of coordinates, which are the last axis, as points; the stride between rows is `stride` elements.
template <class Coord, int Dim>
result view_dlpack_rows(DLTensor const& tensor, index_t count, std::int64_t stride,
                        point_view<Coord, Dim>& points) noexcept {
  int const axis = tensor.ndim - 1;
  if (!has_type<Coord>(tensor)) return reject("DLPack: the tensor's type is not that of the coordinates");
  if (tensor.shape[axis] != Dim) return reject("DLPack: the last axis is not as long as a point has coordinates");
  std::array<int, std::size_t{Dim}> offsets{};
  for (int i = 0; i < Dim; ++i) {
    std::int64_t const offset = i * dlpack_stride(tensor, axis) * std::int64_t{sizeof(Coord)};
    if (offset < std::numeric_limits<int>::min() || offset > std::numeric_limits<int>::max()) {
      return reject("DLPack: the coordinates of a point lie more than 2 GiB apart");
    }
    offsets[static_cast<std::size_t>(i)] = static_cast<int>(offset);
  }
  points = {dlpack_data(tensor), count, stride * index_t{sizeof(Coord)}, offsets};
  return {};
}

}  // namespace detail

/// Views a tensor of shape `[points, Dim]`, with any strides, as points. A channel-first tensor, `[Dim, points]`, has
/// this shape after a transpose, which copies nothing. On failure `points` is unchanged.
template <class Coord, int Dim>
result view_dlpack(DLTensor const& tensor, point_view<Coord, Dim>& points) noexcept {
  if (tensor.ndim != 2) return detail::reject("DLPack: points are a tensor of 2 axes, [points, coordinates]");
  return detail::view_dlpack_rows(tensor, tensor.shape[0], detail::dlpack_stride(tensor, 0), points);
}

/// Views a tensor of shape `[clouds, points, Dim]` as a regular batch. The clouds must follow each other at the stride
/// of the points; other strides are arbitrary. On failure `clouds` is unchanged.
template <class Coord, int Dim>
result view_dlpack(DLTensor const& tensor, batch<point_view<Coord, Dim>>& clouds) noexcept {
  if (tensor.ndim != 3) return detail::reject("DLPack: a batch is a tensor of 3 axes, [clouds, points, coordinates]");
  std::int64_t const number = tensor.shape[0];
  std::int64_t const each = tensor.shape[1];
  // The stride of an axis of length 1 is meaningless: torch sets it to 1.
  std::int64_t const stride = detail::dlpack_stride(tensor, each == 1 ? 0 : 1);
  if (number > 1 && each > 1 && detail::dlpack_stride(tensor, 0) != each * stride) {
    return detail::reject("DLPack: the clouds of a batch do not follow one another; make the tensor contiguous");
  }
  point_view<Coord, Dim> points;
  if (result const viewed = detail::view_dlpack_rows(tensor, number * each, stride, points); !viewed) return viewed;
  clouds = batch<point_view<Coord, Dim>>::regular(points, number);
  return {};
}

/// Views a packed tensor of any shape as a range: an output, offsets, a workspace. On failure `elements` is unchanged.
template <class T>
result view_dlpack(DLTensor const& tensor, span<T>& elements) noexcept {
  using value_type = std::remove_cv_t<T>;
  if (!detail::has_type<value_type>(tensor)) return detail::reject("DLPack: the tensor has elements of another type");
  std::int64_t size = 1;
  bool is_packed = true;
  for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
    is_packed = is_packed && (tensor.shape[axis] == 1 || detail::dlpack_stride(tensor, axis) == size);
    size *= tensor.shape[axis];
  }
  // Strides of a tensor without elements are meaningless.
  if (!is_packed && size != 0) {
    return detail::reject("DLPack: the tensor's elements are not packed; make it contiguous");
  }
  auto* const data = static_cast<unsigned char*>(tensor.data) + tensor.byte_offset;
  elements = span<T>{reinterpret_cast<T*>(data), static_cast<std::size_t>(size)};
  return {};
}

/// Creates a tensor of packed elements for another framework, which calls its deleter when it is done. Allocates.
/// @param data    first element
/// @param shape   number of elements along each axis
/// @param device  location of the memory: `{kDLCPU, 0}`, or `{kDLCUDA, ordinal}`
/// @param owner   object that keeps the memory alive, moved into the tensor: a vector, a std::shared_ptr, ...
/// @throws std::bad_alloc
template <class T, std::size_t Axes, class Owner>
DLManagedTensor* make_dlpack(T* data, std::array<std::int64_t, Axes> const& shape, DLDevice device, Owner owner) {
  struct holder {
    DLManagedTensor tensor;
    std::array<std::int64_t, Axes> shape;
    std::array<std::int64_t, Axes> strides;
    Owner owner;
  };
  auto held = std::make_unique<holder>(holder{{}, shape, {}, std::move(owner)});
  std::int64_t stride = 1;
  for (std::size_t axis = Axes; axis-- > 0;) {
    held->strides[axis] = stride;
    stride *= shape[axis];
  }
  DLTensor& tensor = held->tensor.dl_tensor;
  tensor.data = const_cast<std::remove_cv_t<T>*>(data);
  tensor.device = device;
  tensor.ndim = static_cast<int>(Axes);
  tensor.dtype = detail::dlpack_type<std::remove_cv_t<T>>();
  tensor.shape = held->shape.data();
  tensor.strides = held->strides.data();
  tensor.byte_offset = 0;
  held->tensor.manager_ctx = held.get();
  held->tensor.deleter = [](DLManagedTensor* self) { delete static_cast<holder*>(self->manager_ctx); };
  return &held.release()->tensor;
}

FARPOINT_END_NAMESPACE
