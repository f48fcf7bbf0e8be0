#include "array.hpp"

#include "module.hpp"

namespace farpoint_python {
namespace {

/// The type of numpy's arrays. Kept until the process ends.
PyTypeObject* numpy_array = nullptr;

bool is_of_numpy(nb::handle object) noexcept {
  return numpy_array != nullptr && PyObject_TypeCheck(object.ptr(), numpy_array) != 0;
}

/// The object that nanobind reads. Without stream = -1, the array's library would synchronize with the legacy stream,
/// which cannot be captured; our work is on the array's stream and needs no synchronization. The buffer protocol does
/// not imply host memory: CuPy's arrays have it, too.
nb::object exported(nb::handle object) {
  if (is_of_numpy(object) || !nb::hasattr(object, "__dlpack__")) return nb::borrow(object);
  return object.attr("__dlpack__")(nb::arg("stream") = -1);
}

}  // namespace

bool array::read(nb::handle object) noexcept {
  try {
    if (is_tensor(object)) {
      owner_ = nb::borrow(object);
      read_tensor(object, layout_);
    } else {
      read_others(object);
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  return failure_ == nullptr;
}

void array::read_others(nb::handle object) {
  if (!nb::try_cast(exported(object), others_)) throw nb::type_error("an argument is no array");
  layout_.data = const_cast<void*>(static_cast<void const*>(others_.data()));
  layout_.dtype = others_.dtype();
  layout_.set_axes(
      others_.ndim(), [this](std::size_t axis) { return static_cast<std::int64_t>(others_.shape(axis)); },
      [this](std::size_t axis) { return static_cast<std::int64_t>(others_.stride(axis)); });
}

void add_array(nb::module_& m) {
  m.def(
      "connect_numpy", [](nb::handle type) { numpy_array = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()); },
      nb::arg("type"), "Has arrays of this type taken without a question about streams.");
}

}  // namespace farpoint_python
