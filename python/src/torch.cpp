#include "torch.hpp"

#include "module.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace farpoint_python {
namespace {

struct tensor_type {
  char const* name;
  nb::dlpack::dtype_code code;
  std::uint8_t bits;
  PyObject* object = nullptr;  ///< torch.float32, ...; null if this torch has none
  PyObject* text = nullptr;    ///< its name
};

using code = nb::dlpack::dtype_code;
/// The frequent ones come first, as tensor_type_id has them.
tensor_type types[] = {
    {"float32", code::Float, 32},     {"int64", code::Int, 64},         {"int32", code::Int, 32},
    {"float64", code::Float, 64},     {"float16", code::Float, 16},     {"uint8", code::UInt, 8},
    {"bfloat16", code::Bfloat, 16},   {"int8", code::Int, 8},           {"int16", code::Int, 16},
    {"bool", code::Bool, 8},          {"complex64", code::Complex, 64}, {"complex128", code::Complex, 128},
    {"complex32", code::Complex, 32}, {"uint16", code::UInt, 16},       {"uint32", code::UInt, 32},
    {"uint64", code::UInt, 64},
};

/// DLPack's C exchange API, version 1: what a library lets others call without Python.
struct exchange_api {
  std::uint32_t major;
  std::uint32_t minor;
  void* older;
  void* unused[3];  ///< makes tensors and hands them over
  /// A view that lives as long as the tensor; null where the library has none.
  int (*view)(void* tensor, nb::dlpack::dltensor* view);
  int (*current_stream)(std::int32_t device_type, std::int32_t device, void** stream);
};

/// Objects of torch that are used. The references are kept until the process ends, as torch itself is.
struct torch_parts {
  PyTypeObject* tensor = nullptr;
  PyObject* strided = nullptr;
  PyObject* empty = nullptr;
  PyObject* is_grad_enabled = nullptr;
  PyObject* forward_mode = nullptr;  ///< the module torch.autograd.forward_ad
  PyObject* current_device = nullptr;
  PyObject* current_stream = nullptr;
  PyObject* empty_on_host = nullptr;
  PyObject* empty_on_device = nullptr;
  exchange_api const* exchange = nullptr;  ///< null if this torch has none
};
torch_parts torch;

/// Names of attributes, made once.
struct attribute_names {
  PyObject* shape = PyUnicode_InternFromString("shape");
  PyObject* stride = PyUnicode_InternFromString("stride");
  PyObject* dtype = PyUnicode_InternFromString("dtype");
  PyObject* data_ptr = PyUnicode_InternFromString("data_ptr");
  PyObject* layout = PyUnicode_InternFromString("layout");
  PyObject* get_device = PyUnicode_InternFromString("get_device");
  PyObject* is_cuda = PyUnicode_InternFromString("is_cuda");
  PyObject* is_cpu = PyUnicode_InternFromString("is_cpu");
  PyObject* requires_grad = PyUnicode_InternFromString("requires_grad");
  PyObject* current_level = PyUnicode_InternFromString("_current_level");
  PyObject* is_neg = PyUnicode_InternFromString("is_neg");
  PyObject* is_conj = PyUnicode_InternFromString("is_conj");
};

attribute_names const& names() {
  static attribute_names const all;
  return all;
}

/// An attribute; null, with Python's exception set, if it is missing.
nb::object attribute(nb::handle object, PyObject* name) noexcept {
  return nb::steal(PyObject_GetAttr(object.ptr(), name));
}

nb::object called(nb::handle object, PyObject* method) noexcept {
  PyObject* arguments[] = {object.ptr()};
  return nb::steal(PyObject_VectorcallMethod(method, arguments, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
}

/// A function's answer; raises what it raises.
nb::object call_of(PyObject* function, std::initializer_list<PyObject*> arguments) {
  PyObject* answer = PyObject_Vectorcall(function, arguments.begin(), arguments.size(), nullptr);
  if (answer == nullptr) nb::raise_python_error();
  return nb::steal(answer);
}

/// nb::object::attr() along a path of names, as a reference that is never released; null if a name is missing.
PyObject* found(nb::handle from, std::initializer_list<char const*> path) noexcept {
  nb::object now = nb::borrow(from);
  for (char const* name : path) {
    now = nb::steal(PyObject_GetAttrString(now.ptr(), name));
    if (!now) {
      PyErr_Clear();
      return nullptr;
    }
  }
  return now.release().ptr();
}

tensor_type const* type_of(PyObject* dtype) noexcept {
  for (auto const& type : types) {
    if (type.object == dtype) return &type;
  }
  return nullptr;
}

tensor_type const* type_of(nb::dlpack::dtype dtype) noexcept {
  for (auto const& type : types) {
    if (static_cast<std::uint8_t>(type.code) == dtype.code && type.bits == dtype.bits && dtype.lanes == 1) return &type;
  }
  return nullptr;
}

tensor_type const& type_named(nb::handle name) {
  for (auto const& type : types) {
    if (type.text == name.ptr()) return type;  // names are interned
  }
  for (auto const& type : types) {
    if (type.object != nullptr && nb::borrow<nb::str>(name).equal(nb::borrow<nb::str>(type.text))) return type;
  }
  throw nb::value_error("torch has no such type");
}

bool is_current(int device) {
  return torch.current_device != nullptr && nb::cast<int>(call_of(torch.current_device, {})) == device;
}

nb::object numbers(std::size_t count) {
  return nb::steal(PyTuple_New(static_cast<Py_ssize_t>(count)));
}

/// Arguments of torch's functions that make tensors: a shape, the strides of a packed tensor, and a type.
nb::object new_arguments(std::int64_t const* shape, std::size_t axes, PyObject* dtype) {
  nb::object const lengths = numbers(axes);
  nb::object const strides = numbers(axes);
  std::int64_t next = 1;
  for (std::size_t axis = axes; axis-- > 0;) {
    auto const at = static_cast<Py_ssize_t>(axis);
    PyTuple_SetItem(lengths.ptr(), at, PyLong_FromLongLong(shape[axis]));
    PyTuple_SetItem(strides.ptr(), at, PyLong_FromLongLong(next));
    if (shape[axis] > 1) next *= shape[axis];
  }
  return nb::make_tuple(lengths, strides, nb::handle(dtype));
}

struct kept_arguments {
  static constexpr std::size_t most = 5;

  PyObject* dtype = nullptr;
  std::size_t axes = 0;
  std::int64_t shape[most] = {};
  nb::object arguments;

  bool are_of(std::int64_t const* lengths, std::size_t count, PyObject* type) const noexcept {
    return dtype == type && axes == count && std::equal(lengths, lengths + count, shape);
  }
};

/// new_arguments(), cached: the calls of a loop have equal shapes.
nb::object arguments_of(std::int64_t const* shape, std::size_t axes, PyObject* dtype) {
  // Four to a slot, the newest first: with one, two outputs that share a slot push each other out in every call.
  using slot = std::array<kept_arguments, 4>;
  // Never destroyed: at the end of the process, Python cannot free the tuples any more.
  static auto& all = *new std::array<slot, 64>;
  if (axes > kept_arguments::most) return new_arguments(shape, axes, dtype);
  auto hash = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(dtype) / alignof(std::max_align_t) + axes);
  for (std::size_t axis = 0; axis < axes; ++axis) hash = 31 * hash + static_cast<std::uint64_t>(shape[axis]);
  slot& kept = all[hash % all.size()];
  auto const found = std::find_if(kept.begin(), kept.end(),
                                  [&](kept_arguments const& each) { return each.are_of(shape, axes, dtype); });
  if (found != kept.end()) return found->arguments;
  std::move_backward(kept.begin(), kept.end() - 1, kept.end());
  kept_arguments& first = kept.front();
  first.arguments = new_arguments(shape, axes, dtype);
  first.dtype = dtype;
  first.axes = axes;
  std::copy(shape, shape + axes, first.shape);
  return first.arguments;
}

/// A tensor; made by torch.empty() where torch has no quick function for the device.
/// @param quick  of torch, or null
nb::object made_of(nb::object const& arguments, PyObject* quick, int device) {
  if (quick == nullptr) {
    nb::object const place = device < 0 ? nb::object(nb::str("cpu")) : nb::object(nb::int_(device));
    return nb::borrow(torch.empty)(arguments[0], nb::arg("dtype") = arguments[2], nb::arg("device") = place);
  }
  nb::object made = nb::steal(PyObject_Call(quick, arguments.ptr(), nullptr));
  if (!made) nb::raise_python_error();
  return made;
}

nb::object empty_tensor(int device, nb::tuple const& shape, nb::str const& dtype) {
  std::vector<std::int64_t> lengths;
  for (nb::handle const length : shape) lengths.push_back(nb::cast<std::int64_t>(length));
  return tensor_maker{device}.make(lengths.data(), lengths.size(), type_named(dtype).object);
}

/// A tensor's memory, type and axes, without calls of Python; false if torch does not support it.
bool view_of(nb::handle tensor, nb::dlpack::dltensor& view) noexcept {
  if (torch.exchange == nullptr) return false;
  if (torch.exchange->view(tensor.ptr(), &view) == 0) return true;
  PyErr_Clear();
  return false;
}

void* address_of(nb::dlpack::dltensor const& view) {
  return static_cast<char*>(view.data) + view.byte_offset;
}

void* address_of(nb::handle tensor) {
  nb::dlpack::dltensor view;
  if (view_of(tensor, view)) return address_of(view);
  nb::object const address = called(tensor, names().data_ptr);
  if (!address) nb::raise_python_error();
  return PyLong_AsVoidPtr(address.ptr());
}

bool is_true(nb::object const& answer) noexcept {
  return answer.ptr() == Py_True;
}

/// CUDA's number, -1 for host memory, -2 for another device.
int device_of(nb::handle tensor) noexcept {
  nb::dlpack::dltensor view;
  if (view_of(tensor, view)) {
    if (view.device.device_type == nb::device::cuda::value) return view.device.device_id;
    return view.device.device_type == nb::device::cpu::value ? -1 : -2;
  }
  nb::object const number = called(tensor, names().get_device);
  long const device = number ? PyLong_AsLong(number.ptr()) : -2;
  // Other devices than CUDA's have such numbers, too.
  return number && is_true(attribute(tensor, device < 0 ? names().is_cpu : names().is_cuda)) ? static_cast<int>(device)
                                                                                             : -2;
}

/// True for a tensor that carries a derivative of forward-mode differentiation.
bool is_dual(nb::handle tensor) {
  if (torch.forward_mode == nullptr) return false;
  // -1 outside of it: most calls end here.
  nb::object const level = attribute(torch.forward_mode, names().current_level);
  if (!level || PyLong_AsLong(level.ptr()) < 0) {
    PyErr_Clear();
    return false;
  }
  return !nb::borrow(torch.forward_mode).attr("unpack_dual")(tensor)[1].is_none();
}

/// The name of a tensor's type, if its memory can be taken as it is: dense, on the device, without a gradient, and its
/// values as they stand there. None otherwise.
nb::object type_if_plain(int device, nb::handle tensor) {
  if (device_if_dense(tensor) != device || is_true(attribute(tensor, names().requires_grad)) || is_dual(tensor)) {
    return nb::none();
  }
  nb::object const dtype = attribute(tensor, names().dtype);
  auto const* const type = dtype ? type_of(dtype.ptr()) : nullptr;
  if (PyErr_Occurred() != nullptr) nb::raise_python_error();
  if (type == nullptr || (type->code == code::Complex && is_conjugated(tensor))) return nb::none();
  return nb::borrow(type->text);
}

exchange_api const* exchange_of(PyObject* capsule) noexcept {
  if (capsule == nullptr) return nullptr;
  auto const* const api = static_cast<exchange_api const*>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  if (api == nullptr) PyErr_Clear();
  return api != nullptr && api->major == 1 && api->view != nullptr ? api : nullptr;
}

void connect_torch(nb::handle module) {
  if (torch.tensor != nullptr) return;
  for (auto& type : types) {
    type.object = found(module, {type.name});
    type.text = PyUnicode_InternFromString(type.name);
  }
  torch.strided = found(module, {"strided"});
  torch.empty = found(module, {"empty"});
  torch.is_grad_enabled = found(module, {"is_grad_enabled"});
  torch.forward_mode = found(module, {"autograd", "forward_ad"});
  torch.current_device = found(module, {"_C", "_cuda_getDevice"});
  torch.current_stream = found(module, {"_C", "_cuda_getCurrentRawStream"});
  torch.empty_on_host = found(module, {"_C", "_dynamo", "guards", "_empty_strided_cpu"});
  torch.empty_on_device = found(module, {"_C", "_dynamo", "guards", "_empty_strided_cuda"});
  torch.exchange = exchange_of(found(module, {"Tensor", "__dlpack_c_exchange_api__"}));
  torch.tensor = reinterpret_cast<PyTypeObject*>(found(module, {"Tensor"}));
}

[[noreturn]] void refuse_type() {
  throw nb::type_error("farpoint does not know the type of a tensor's values");
}

/// read_tensor() by calls of Python.
void read_attributes(nb::handle tensor, memory_layout& layout) {
  nb::object const shape = attribute(tensor, names().shape);
  nb::object const strides = shape ? called(tensor, names().stride) : nb::object();
  nb::object const dtype = strides ? attribute(tensor, names().dtype) : nb::object();
  nb::object const address = dtype ? called(tensor, names().data_ptr) : nb::object();
  if (!address) nb::raise_python_error();
  auto const* const type = type_of(dtype.ptr());
  if (type == nullptr) refuse_type();
  layout.data = PyLong_AsVoidPtr(address.ptr());
  layout.dtype = {static_cast<std::uint8_t>(type->code), type->bits, 1};
  auto const number = [](nb::object const& tuple) {
    return [&tuple](std::size_t axis) {
      return PyLong_AsLongLong(PyTuple_GetItem(tuple.ptr(), static_cast<Py_ssize_t>(axis)));
    };
  };
  layout.set_axes(static_cast<std::size_t>(PyTuple_Size(shape.ptr())), number(shape), number(strides));
  if (PyErr_Occurred() != nullptr) nb::raise_python_error();
}

}  // namespace

bool is_tensor(nb::handle object) noexcept {
  return torch.tensor != nullptr && PyObject_TypeCheck(object.ptr(), torch.tensor) != 0;
}

int device_if_dense(nb::handle tensor) noexcept {
  if (!is_tensor(tensor)) return -2;
  int const device = device_of(tensor);
  bool const dense = device >= -1 && attribute(tensor, names().layout).ptr() == torch.strided &&
                     !is_true(called(tensor, names().is_neg));
  if (PyErr_Occurred() == nullptr) return dense ? device : -2;
  PyErr_Clear();
  return -2;
}

bool is_conjugated(nb::handle tensor) noexcept {
  return is_true(called(tensor, names().is_conj));
}

bool loses_gradient(nb::handle tensor) {
  if (is_true(attribute(tensor, names().requires_grad))) return is_true(call_of(torch.is_grad_enabled, {}));
  return is_dual(tensor);
}

std::uintptr_t current_stream(int device) {
  if (device < 0) return 0;
  void* stream = nullptr;
  if (torch.exchange != nullptr && torch.exchange->current_stream(nb::device::cuda::value, device, &stream) == 0) {
    return reinterpret_cast<std::uintptr_t>(stream);
  }
  PyErr_Clear();
  nb::object const number = nb::int_(device);
  return nb::cast<std::uintptr_t>(call_of(torch.current_stream, {number.ptr()}));
}

bool read_type(nb::handle name, std::initializer_list<tensor_type_id> known, tensor_type_id& type) noexcept {
  for (auto const each : known) {
    type = each;
    if (types[static_cast<std::size_t>(each)].text == name.ptr()) return true;
  }
  return false;
}

char const* name_of(tensor_type_id type) noexcept {
  return types[static_cast<std::size_t>(type)].name;
}

tensor_type_id type_id_of(nb::dlpack::dtype dtype) noexcept {
  return static_cast<tensor_type_id>(type_of(dtype) - types);
}

// torch.empty_on_device allocates on the current device only.
tensor_maker::tensor_maker(int device)
    : device_{device},
      quick_{device < 0 ? torch.empty_on_host : (is_current(device) ? torch.empty_on_device : nullptr)} {}

nb::object tensor_maker::make(std::int64_t const* shape, std::size_t axes, PyObject* dtype) const {
  return made_of(arguments_of(shape, axes, dtype), quick_, device_);
}

new_tensor tensor_maker::make(std::int64_t const* shape, std::size_t axes, tensor_type_id id) const {
  auto const& type = types[static_cast<std::size_t>(id)];
  new_tensor made{make(shape, axes, type.object), {}};
  made.layout.data = address_of(made.tensor);
  made.layout.dtype = {static_cast<std::uint8_t>(type.code), type.bits, 1};
  made.layout.axes = axes;
  made.layout.size = 1;
  for (std::size_t axis = 0; axis < axes; ++axis) made.layout.size *= static_cast<std::size_t>(shape[axis]);
  return made;
}

void read_tensor(nb::handle tensor, memory_layout& layout) {
  nb::dlpack::dltensor view;
  if (!view_of(tensor, view)) return read_attributes(tensor, layout);
  if (type_of(view.dtype) == nullptr) refuse_type();
  layout.data = address_of(view);
  layout.dtype = view.dtype;
  layout.set_axes(
      static_cast<std::size_t>(view.ndim), [&](std::size_t axis) { return view.shape[axis]; },
      [&](std::size_t axis) { return view.strides[axis]; });
}

void* memory_of_torch(int device, std::size_t size, nb::object& owner) {
  PyObject* const byte = types[static_cast<std::size_t>(tensor_type_id::uint8)].object;
  auto const length = static_cast<std::int64_t>(size);
  owner = made_of(arguments_of(&length, 1, byte), torch.empty_on_device, device);
  return address_of(owner);
}

void add_torch(nb::module_& m) {
  m.def("connect_torch", &connect_torch, nb::arg("module"),
        "Has tensors of torch taken by their attributes, rather than by DLPack.");
  m.def("empty_tensor", &empty_tensor, nb::arg("device"), nb::arg("shape"), nb::arg("dtype"));
  m.def("loses_gradient", &loses_gradient, nb::arg("tensor"));
  m.def("type_if_plain", &type_if_plain, nb::arg("device"), nb::arg("tensor"));
}

}  // namespace farpoint_python
