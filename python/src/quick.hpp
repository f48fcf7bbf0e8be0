/// @file
/// Calls on tensors of torch that are taken as they are, in one step: checked, with outputs, made.
///
/// These are the calls of loops over small clouds, in which the time until the work is enqueued counts. A function here
/// answers None where anything is out of the ordinary: then the Python half makes the call, or says what is wrong.
#pragma once

#include "arrays.hpp"

#include <initializer_list>
#include <optional>
#include <utility>

namespace farpoint_python {

/// A whole number of Python's own type.
inline bool read_number(nb::handle from, index_t& number) noexcept {
  if (!PyLong_CheckExact(from.ptr())) return false;
  number = PyLong_AsLongLong(from.ptr());
  if (number != -1 || PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  return false;
}

/// A float of Python's own type.
inline bool read_number(nb::handle from, double& number) noexcept {
  if (!PyFloat_CheckExact(from.ptr())) return false;
  number = PyFloat_AsDouble(from.ptr());
  return true;
}

/// The tensors of a call and where it is made: on the current stream of the first one's device.
class tensor_call {
 public:
  /// @param threads  on the host; an int
  tensor_call(nb::handle first, nb::handle threads, bool y_first = false) {
    place_.device = device_if_dense(first);
    index_t wanted = 0;
    if (place_.device < -1 || !read_number(threads, wanted) || wanted < 0 || wanted > INT_MAX) return;
    if (!place_.on_host()) place_.stream = current_stream(place_.device);
    place_.threads = static_cast<int>(wanted);
    place_.allocate = nb::none();
    place_.y_first = y_first;
    place_.torch_memory = true;
    maker_.emplace(place_.device);
    read(first, first_);
  }

  /// False: leave the call to the Python half.
  explicit operator bool() const { return good_; }
  place const& where() const { return place_; }
  /// The first tensor.
  input const& first() const { return first_; }

  /// Reads a tensor, which must be on the device of the first.
  bool add(nb::handle tensor, input& array) {
    good_ = good_ && device_if_dense(tensor) == place_.device;
    if (good_) read(tensor, array);
    return good_;
  }

  /// An output.
  output make(nb::object& tensor, std::initializer_list<index_t> shape, tensor_type_id type) const {
    return make(tensor, shape.begin(), shape.size(), type);
  }
  output make(nb::object& tensor, index_t const* shape, std::size_t axes, tensor_type_id type) const {
    new_tensor made = maker_->make(shape, axes, type);
    tensor = std::move(made.tensor);
    return output{made.layout};
  }
  /// An output with `columns` values for each of `points`.
  output make_rows(nb::object& tensor, input const& points, index_t columns, tensor_type_id type) const {
    if (points.ndim() == 2) return make(tensor, {points.shape(0), columns}, type);
    return make(tensor, {points.shape(0), points.shape(1), columns}, type);
  }

 private:
  void read(nb::handle tensor, input& array) {
    // Calls that return indices only are for the Python half then, too.
    good_ = !loses_gradient(tensor) && array.read(tensor);
    if (!good_) return;
    bool const is_complex = array.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Complex);
    good_ = !(is_complex && is_conjugated(tensor));
  }

  place place_;
  input first_;
  std::optional<tensor_maker> maker_;
  bool good_ = false;
};

/// True for points of `[N, 3]` or `[B, N, 3]`, or of more columns, as the library takes them.
inline bool are_points(input const& array, bool more_columns = false) {
  std::size_t const axes = array.ndim();
  if (axes != 2 && axes != 3) return false;
  if (!holds<float>(array) && !holds<double>(array)) return false;
  index_t const columns = extent_of(array, axes - 1);
  if (columns != 3 && !(more_columns && columns > 3)) return false;
  if (array.is_packed() || axes == 2) return true;
  index_t const rows = extent_of(array, 1);
  return extent_of(array, 0) <= 1 || rows <= 1 || stride_of(array, 0) == rows * stride_of(array, 1);
}

/// The points of all clouds.
inline index_t rows_of(input const& points) {
  return points.ndim() == 2 ? points.shape(0) : points.shape(0) * points.shape(1);
}

/// Queries of a search, or the points themselves.
struct quick_queries {
  optional_input given;

  /// False where they do not suit the points.
  bool read(tensor_call& call, nb::handle queries) {
    if (queries.is_none()) return true;
    input array;
    input const& points = call.first();
    if (!call.add(queries, array) || !are_points(array) || array.ndim() != points.ndim()) return false;
    if (!(array.dtype() == points.dtype()) || (array.ndim() == 3 && array.shape(0) != points.shape(0))) return false;
    given = std::move(array);
    return true;
  }
  input const& or_points(tensor_call const& call) const { return given ? *given : call.first(); }
};

/// k of a search.
inline bool read_neighbors(nb::handle from, index_t& number) noexcept {
  return read_number(from, number) && number >= 1 && number <= 1024;
}

}  // namespace farpoint_python
