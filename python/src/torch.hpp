/// @file
/// Tensors of torch: read, and made, through Python's interface alone. Nothing of torch is compiled in or imported.
///
/// Tensors are read by DLPack's C exchange API where torch has one, otherwise by their attributes. Tensors are made by
/// private functions of torch if it has them: the functions that code of torch.compile allocates with, which avoid most
/// of the overhead of torch.empty(). Otherwise the public functions are called.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace farpoint_python {

namespace nb = nanobind;

/// Memory of a tensor with up to four axes; with more axes only the number of values is valid.
struct memory_layout {
  static constexpr std::size_t max_axes = 4;

  void* data = nullptr;
  nb::dlpack::dtype dtype{};
  std::size_t axes = 0;
  std::size_t size = 1;  ///< values
  bool packed = true;    ///< they follow one another in the order of rows
  std::int64_t shape[max_axes] = {};
  std::int64_t strides[max_axes] = {};  ///< in values

  /// Sets all that follows from the axes.
  /// @param extent,stride  callable(axis) -> std::int64_t; strides in values
  template <class Extent, class Stride>
  void set_axes(std::size_t count, Extent const& extent, Stride const& stride) {
    axes = count;
    size = 1;
    packed = true;
    std::int64_t next = 1;
    for (std::size_t axis = count; axis-- > 0;) {
      std::int64_t const length = extent(axis);
      std::int64_t const step = stride(axis);
      if (axis < max_axes) {
        shape[axis] = length;
        strides[axis] = step;
      }
      packed = packed && (length == 1 || step == next);
      size *= static_cast<std::size_t>(length);
      next *= length;
    }
    packed = packed || size == 0;
  }
};

/// The number of a type in the table of torch's types. There are more than have a name here.
enum class tensor_type_id : std::uint8_t { float32, int64, int32, float64, float16, uint8 };

/// A tensor that was made here, and where its memory is.
struct new_tensor {
  nb::object tensor;
  memory_layout layout;
};

/// Makes tensors on a device, each of memory of its own, whose values are not set.
class tensor_maker {
 public:
  /// @param device  of CUDA, -1 for host memory
  explicit tensor_maker(int device);

  new_tensor make(std::int64_t const* shape, std::size_t axes, tensor_type_id type) const;
  /// @param dtype  torch.float32, ...
  nb::object make(std::int64_t const* shape, std::size_t axes, PyObject* dtype) const;

 private:
  int device_;
  PyObject* quick_;  ///< function of torch; null if torch has none for this device, or the device is not current
};

/// "float32", ...
char const* name_of(tensor_type_id type) noexcept;

/// The type of a tensor's values.
tensor_type_id type_id_of(nb::dlpack::dtype dtype) noexcept;

/// The device of a tensor that is dense, and whose values stand in its memory as they are, but that complex ones may be
/// conjugated.
/// @return CUDA's number, -1 for host memory, -2 for what is no such tensor
int device_if_dense(nb::handle tensor) noexcept;

/// True for a tensor whose values are the conjugates of the values in memory.
bool is_conjugated(nb::handle tensor) noexcept;

/// True for a tensor whose derivative would not reach results computed from it: the tensor needs a gradient while torch
/// records gradients, or carries a forward-mode derivative.
bool loses_gradient(nb::handle tensor);

/// The stream that is current in torch.
std::uintptr_t current_stream(int device);

/// Reads the type that a name stands for, as it stands in source code.
/// @return true for one of the types that are `known`
bool read_type(nb::handle name, std::initializer_list<tensor_type_id> known, tensor_type_id& type) noexcept;

inline bool read_index_type(nb::handle name, tensor_type_id& type) noexcept {
  return read_type(name, {tensor_type_id::int64, tensor_type_id::int32}, type);
}

/// True for a tensor, once connect_torch() has been called.
bool is_tensor(nb::handle object) noexcept;

/// Reads a tensor. Raises what torch does for one that has no memory of its own, such as a sparse one.
void read_tensor(nb::handle tensor, memory_layout& layout);

/// Memory of torch's caching allocator, for calls on its current stream of the current device, which is this one.
/// @param owner  set to the tensor that keeps it. It may be let go as soon as the calls are enqueued.
void* memory_of_torch(int device, std::size_t size, nb::object& owner);

}  // namespace farpoint_python
