#include "array.hpp"

namespace farpoint_python {

bool array::read_others(nb::handle object) noexcept {
  nb::object given = nb::borrow(object);
  // Of a device. The order of streams is not its library's affair: the work is on the array's.
  if (PyObject_CheckBuffer(object.ptr()) == 0 && nb::hasattr(object, "__dlpack__")) {
    try {
      given = object.attr("__dlpack__")(nb::arg("stream") = -1);
    } catch (nb::python_error const&) {
      return false;
    }
  }
  if (!nb::try_cast(given, others_)) return false;
  layout_.data = const_cast<void*>(static_cast<void const*>(others_.data()));
  layout_.dtype = others_.dtype();
  layout_.set_axes(
      others_.ndim(), [this](std::size_t axis) { return static_cast<std::int64_t>(others_.shape(axis)); },
      [this](std::size_t axis) { return static_cast<std::int64_t>(others_.stride(axis)); });
  return true;
}

}  // namespace farpoint_python
