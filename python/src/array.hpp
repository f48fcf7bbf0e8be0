/// @file
/// An argument or output of a call: an array of any library, its memory, and the object that owns the memory.
#pragma once

#include "torch.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <exception>

namespace farpoint_python {

namespace nb = nanobind;

/// An array of any library, type and strides. Tensors of torch are read by their attributes, all others by DLPack or as
/// buffers.
class array {
 public:
  nb::dlpack::dtype dtype() const { return layout().dtype; }
  std::size_t itemsize() const { return (dtype().bits + 7U) / 8U; }
  std::size_t ndim() const { return layout().axes; }
  std::size_t size() const { return layout().size; }
  std::size_t nbytes() const { return size() * itemsize(); }
  void* data() const { return layout().data; }
  /// True where values follow one another in the order of rows.
  bool is_packed() const { return layout().packed; }
  /// Length of an axis, 0 to 3.
  std::int64_t shape(std::size_t axis) const { return layout().shape[axis]; }
  std::int64_t stride(std::size_t axis) const { return layout().strides[axis]; }

  array() = default;
  /// Refers to memory that another object owns.
  explicit array(memory_layout const& layout) : layout_{layout} {}

  /// Returns false if `object` cannot be read. Other members then throw the reason: the exception of the array's
  /// library, or a TypeError if `object` is no array.
  bool read(nb::handle object) noexcept;

 private:
  void read_others(nb::handle object);
  memory_layout const& layout() const {
    if (failure_) std::rethrow_exception(failure_);
    return layout_;
  }

  memory_layout layout_;
  nb::object owner_;
  nb::ndarray<nb::ro> others_;
  std::exception_ptr failure_;
};

class input : public array {
  using array::array;
};
class output : public array {
  using array::array;
};

}  // namespace farpoint_python

namespace nanobind::detail {

/// Takes any object: a function that nanobind does not call is a TypeError about its arguments, whatever a library said
/// of its array. `Flags`: they have another width with another nanobind.
template <class Array>
struct farpoint_array_caster {
  NB_TYPE_CASTER(Array, const_name("object"))

  template <class Flags>
  bool from_python(handle source, Flags, cleanup_list*) noexcept {
    static_cast<void>(value.read(source));
    return true;
  }
};
template <>
struct type_caster<farpoint_python::input> : farpoint_array_caster<farpoint_python::input> {};
template <>
struct type_caster<farpoint_python::output> : farpoint_array_caster<farpoint_python::output> {};

}  // namespace nanobind::detail
