/// @file
/// What a call reads and writes: an array of any library, where its memory is, and what keeps it.
#pragma once

#include "torch.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>

namespace farpoint_python {

namespace nb = nanobind;

/// An array of any library, type and strides. Tensors of torch are read by their attributes, all others by DLPack or as
/// buffers.
class array {
 public:
  nb::dlpack::dtype dtype() const { return layout_.dtype; }
  std::size_t itemsize() const { return (layout_.dtype.bits + 7U) / 8U; }
  std::size_t ndim() const { return layout_.axes; }
  std::size_t size() const { return layout_.size; }
  std::size_t nbytes() const { return size() * itemsize(); }
  void* data() const { return layout_.data; }
  /// True where values follow one another in the order of rows.
  bool is_packed() const { return layout_.packed; }
  /// Of one of the first four axes.
  std::int64_t shape(std::size_t axis) const { return layout_.shape[axis]; }
  std::int64_t stride(std::size_t axis) const { return layout_.strides[axis]; }

  array() = default;
  /// Of memory that another keeps.
  explicit array(memory_layout const& layout) : layout_{layout} {}

  /// False, without an exception, for what is no array.
  bool read(nb::handle object) noexcept {
    if (!is_tensor(object)) return read_others(object);
    owner_ = nb::borrow(object);
    return read_tensor(object, layout_);
  }

 private:
  bool read_others(nb::handle object) noexcept;

  memory_layout layout_;
  nb::object owner_;
  nb::ndarray<nb::ro> others_;
};

class input : public array {
  using array::array;
};
class output : public array {
  using array::array;
};

}  // namespace farpoint_python

namespace nanobind::detail {

/// `Flags`: they have another width with another nanobind.
template <class Array>
struct farpoint_array_caster {
  NB_TYPE_CASTER(Array, const_name("object"))

  template <class Flags>
  bool from_python(handle source, Flags, cleanup_list*) noexcept {
    return value.read(source);
  }
};
template <>
struct type_caster<farpoint_python::input> : farpoint_array_caster<farpoint_python::input> {};
template <>
struct type_caster<farpoint_python::output> : farpoint_array_caster<farpoint_python::output> {};

}  // namespace nanobind::detail
