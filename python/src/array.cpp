#include "array.hpp"

#include "module.hpp"

#include <algorithm>
#include <vector>

namespace farpoint_python {
namespace {

/// The type of numpy's arrays. Kept until the process ends.
PyTypeObject* numpy_array = nullptr;

bool is_of_numpy(nb::handle object) noexcept {
  return numpy_array != nullptr && PyObject_TypeCheck(object.ptr(), numpy_array) != 0;
}

/// Types of arrays without a stream attribute, such as JAX arrays. Kept until the process ends; the GIL guards it.
std::vector<PyTypeObject*>& exchanged_types() {
  static std::vector<PyTypeObject*> all;
  return all;
}

bool is_exchanged(nb::handle object) noexcept {
  for (PyTypeObject* type : exchanged_types()) {
    if (PyObject_TypeCheck(object.ptr(), type) != 0) return true;
  }
  return false;
}

/// The object that nanobind reads. Without stream = -1, the array's library would synchronize with the legacy stream,
/// which cannot be captured; our work is on the array's stream and needs no synchronization. For arrays of
/// exchanged_types(), the legacy stream waits for the array, and calls are on that stream. The buffer protocol does not
/// imply host memory: CuPy's arrays have it, too.
nb::object exported(nb::handle object) {
  if (is_of_numpy(object) || !nb::hasattr(object, "__dlpack__")) return nb::borrow(object);
  constexpr int no_order = -1;
  constexpr int legacy_stream = 1;
  return object.attr("__dlpack__")(nb::arg("stream") = is_exchanged(object) ? legacy_stream : no_order);
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
  m.def(
      "connect_exchanged",
      [](nb::handle type) {
        auto* const added = reinterpret_cast<PyTypeObject*>(type.ptr());
        auto& all = exchanged_types();
        if (std::find(all.begin(), all.end(), added) == all.end()) {
          all.push_back(reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()));
        }
      },
      nb::arg("type"), "Has the legacy default stream wait for arrays of this type.");
}

}  // namespace farpoint_python
