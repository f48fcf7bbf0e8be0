"""Arrays of numpy, torch, CuPy and other libraries with DLPack: their device, type and layout, and new arrays of the same kind."""

from __future__ import annotations

import atexit
import sys
from typing import Any, Callable, Optional, Sequence

import numpy as np

from . import _core

_core.connect_numpy(np.ndarray)

#: Argument of a function: numpy arrays, torch tensors, CuPy and JAX arrays, others with ``__dlpack__``, and lists.
Array = Any
#: Type of `workspace=`: takes a number of bytes, returns a device address or an array of that size; 256-byte aligned.
Allocator = Callable[[int], Any]


class _Names(dict):
    """Names of the types of numpy, CuPy and torch. They are kept: numpy takes microseconds to make one up."""

    def __missing__(self, dtype: Any) -> str:
        text = str(dtype)
        name = self[dtype] = text[len("torch."):] if text.startswith("torch.") else np.dtype(dtype).name
        return name


class _Types(dict):
    """Types of numpy by name, which are kept, too."""

    def __missing__(self, name: str) -> np.dtype:
        dtype = self[name] = np.dtype(name)
        return dtype


name_of = _Names().__getitem__
_type_of = _Types().__getitem__


class Numpy:
    """Arrays in host memory."""

    on_host = True
    library = np

    def __init__(self, threads: int = 0, y_first: bool = False):
        self.place = _core.Place(-1, 0, threads, None, y_first)

    def plain_type(self, array: Array) -> Optional[str]:
        """The name of the type of an array that is one of this kind and is taken as it is; None of others."""
        if type(array) is not np.ndarray:
            return None
        dtype = array.dtype
        return name_of(dtype) if dtype.isnative else None

    def accepts(self, array: Array) -> bool:
        return isinstance(array, np.ndarray) or not (hasattr(array, "__dlpack_device__") or
                                                     hasattr(array, "__cuda_array_interface__"))

    def loses_gradient(self, value: Array) -> bool:
        """True for a tensor that needs a gradient, while torch records them."""
        return False

    def array(self, value: Array, dtype: Optional[str] = None) -> np.ndarray:
        array = np.asarray(value, dtype=dtype)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        return array

    def dtype(self, array: np.ndarray) -> str:
        return name_of(array.dtype)

    def is_packed(self, array: np.ndarray) -> bool:
        flags = array.flags
        return flags.c_contiguous and flags.aligned

    def empty(self, shape: Sequence[int], dtype: str) -> np.ndarray:
        return np.empty(shape, _type_of(dtype))

    def zeros(self, shape: Sequence[int], dtype: str) -> np.ndarray:
        return np.zeros(shape, dtype)

    def full(self, shape: Sequence[int], value: float, dtype: str) -> np.ndarray:
        return np.full(shape, value, dtype)

    def strides(self, array: np.ndarray) -> Optional[Sequence[int]]:
        # In values, as DLPack has them; None where they are not whole values, as in a field of a record.
        size, strides = array.itemsize, array.strides
        if not array.flags.aligned or any([stride % size for stride in strides]):
            return None
        return [stride // size for stride in strides]

    def imported(self, value: Array) -> Optional[Any]:
        """A view of an array of an unknown library on this device, ordered behind its work; None of any other."""
        return None

    def packed(self, array: np.ndarray) -> np.ndarray:
        return np.asarray(array, order="C")

    def copy(self, array: np.ndarray) -> np.ndarray:
        return np.array(array, order="C")

    def transposed(self, array: np.ndarray, axes: Sequence[int]) -> np.ndarray:
        return array.transpose(axes)

    def offsets_of(self, lengths: Array) -> np.ndarray:
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return offsets

    def where(self, condition: Array, one: Array, other: Array) -> Array:
        return np.where(condition, one, other)

    def at_least(self, array: np.ndarray, least: Any) -> np.ndarray:
        """The larger of each value and a number, or the value of another array."""
        return self.library.maximum(array, least)

    def astype(self, array: np.ndarray, dtype: str) -> np.ndarray:
        return array.astype(dtype, copy=False)

    def count(self, number: int, dtype: str) -> np.ndarray:
        return np.arange(number, dtype=dtype)

    def segments(self, offsets: Array, numbers: Array) -> Any:
        """The segment of each number, between ascending offsets."""
        return self.library.searchsorted(offsets, numbers, side="right") - 1

    def concatenated(self, arrays: Sequence[Array]) -> Any:
        return self.library.concatenate(arrays)

    def cumulative(self, flags: Array) -> Any:
        """The number of flags that are set, up to each."""
        return self.library.cumsum(flags, axis=0, dtype="int64")

    def scattered(self, rows: Array, places: Array, number: int, value: float) -> Any:
        """A new array of `number` rows: `rows` at their places, and `value` elsewhere."""
        array = self.full((number, *rows.shape[1:]), value, self.dtype(rows))
        array[places] = rows
        return array

    def assigned(self, array: Array, values: Array) -> Any:
        """An array with other values: itself, unless its library has no arrays that change."""
        array[...] = values
        return array


# `_core.Place` holds its allocator invisibly to the garbage collector: an allocator that refers to the owner would leak.
def _cupy_allocator(library: Any, device: int) -> Allocator:
    def allocate(size: int) -> Any:
        with library.cuda.Device(device):
            return library.empty(size, library.uint8)

    return allocate


class Torch:
    """Tensors of torch, on a CPU or on the current stream of a CUDA device."""

    def __init__(self, tensor: Array, place: Any):
        self.library = sys.modules["torch"]
        _core.connect_torch(self.library)
        self.device = tensor.device
        self.number = tensor.get_device()  # -1 of the CPU
        self.on_host = self.number < 0
        self.place = place

    def plain_type(self, array: Array) -> Optional[str]:
        return _core.type_if_plain(self.number, array)

    def accepts(self, array: Array) -> bool:
        return isinstance(array, self.library.Tensor) and array.device == self.device

    def loses_gradient(self, value: Array) -> bool:
        return isinstance(value, self.library.Tensor) and _core.loses_gradient(value)

    def array(self, value: Array, dtype: Optional[str] = None) -> Any:
        wanted = getattr(self.library, dtype) if dtype else None
        if isinstance(value, self.library.Tensor):
            plain = value.detach() if value.requires_grad else value
            if plain.layout != self.library.strided:
                raise ValueError(f"tensors are {plain.layout}; farpoint works on dense ones")
            if plain.is_neg() or plain.is_conj():  # memory has the values before
                plain = plain.resolve_neg().resolve_conj()
            return plain if wanted is None else plain.to(wanted)
        return self.library.as_tensor(value, dtype=wanted, device=self.device)

    def dtype(self, array: Any) -> str:
        return name_of(array.dtype)

    def is_packed(self, array: Any) -> bool:
        return array.is_contiguous()

    def empty(self, shape: tuple, dtype: str) -> Any:
        return _core.empty_tensor(self.number, shape, dtype)

    def zeros(self, shape: Sequence[int], dtype: str) -> Any:
        return self.library.zeros(tuple(shape), dtype=getattr(self.library, dtype), device=self.device)

    def full(self, shape: Sequence[int], value: float, dtype: str) -> Any:
        return self.library.full(tuple(shape), value, dtype=getattr(self.library, dtype), device=self.device)

    def strides(self, array: Any) -> Sequence[int]:
        return array.stride()

    def imported(self, value: Array) -> Optional[Any]:
        return self.library.from_dlpack(value) if _is_foreign(value, self.number) else None

    def packed(self, array: Any) -> Any:
        return array.contiguous()

    def copy(self, array: Any) -> Any:
        return array.clone(memory_format=self.library.contiguous_format)

    def transposed(self, array: Any, axes: Sequence[int]) -> Any:
        return array.permute(*axes)

    def offsets_of(self, lengths: Array) -> Any:
        zero = self.library.zeros(1, dtype=self.library.int64, device=self.device)
        return self.library.cat([zero, self.array(lengths, "int64").cumsum(0)])

    def where(self, condition: Array, one: Array, other: Array) -> Any:
        return self.library.where(condition, one, other)

    def at_least(self, array: Any, least: Any) -> Any:
        return self.library.clamp(array, min=least)

    def astype(self, array: Any, dtype: str) -> Any:
        return array.to(getattr(self.library, dtype))

    def count(self, number: int, dtype: str) -> Any:
        return self.library.arange(number, dtype=getattr(self.library, dtype), device=self.device)

    def segments(self, offsets: Array, numbers: Array) -> Any:
        return self.library.searchsorted(offsets, numbers, right=True) - 1

    def concatenated(self, arrays: Sequence[Array]) -> Any:
        return self.library.cat(tuple(arrays))

    def cumulative(self, flags: Array) -> Any:
        return self.library.cumsum(flags, 0)

    def scattered(self, rows: Array, places: Array, number: int, value: float) -> Any:
        return self.full((number, *rows.shape[1:]), value, self.dtype(rows)).index_copy_(0, places, rows)

    def assigned(self, array: Any, values: Any) -> Any:
        return array.copy_(values)


class Cupy(Numpy):
    """Arrays of CuPy, on its current stream."""

    on_host = False

    def __init__(self, array: Array, stream: Optional[int] = None, workspace: Optional[Allocator] = None, y_first: bool = False):
        self.library = sys.modules["cupy"]
        self.device = array.device.id
        with array.device:
            current = self.library.cuda.get_current_stream().ptr
        # As for torch: of the library's own pool for its current stream only.
        allocate = workspace or (_cupy_allocator(self.library, self.device) if stream in (None, current) else None)
        self.place = _core.Place(self.device, current if stream is None else stream, 0, allocate, y_first)

    def plain_type(self, array: Array) -> Optional[str]:
        return None

    def accepts(self, array: Array) -> bool:
        return isinstance(array, self.library.ndarray) and array.device.id == self.device

    def array(self, value: Array, dtype: Optional[str] = None) -> Any:
        with self.library.cuda.Device(self.device):
            return self.library.asarray(value, dtype=dtype)

    def empty(self, shape: Sequence[int], dtype: str) -> Any:
        with self.library.cuda.Device(self.device):
            return self.library.empty(tuple(shape), dtype)

    def zeros(self, shape: Sequence[int], dtype: str) -> Any:
        with self.library.cuda.Device(self.device):
            return self.library.zeros(tuple(shape), dtype)

    def full(self, shape: Sequence[int], value: float, dtype: str) -> Any:
        with self.library.cuda.Device(self.device):
            return self.library.full(tuple(shape), value, dtype)

    def is_packed(self, array: Any) -> bool:
        return array.flags.c_contiguous

    def strides(self, array: Any) -> Optional[Sequence[int]]:
        size = array.itemsize
        return None if any(s % size for s in array.strides) else [s // size for s in array.strides]

    def imported(self, value: Array) -> Optional[Any]:
        return self.library.from_dlpack(value) if _is_foreign(value, self.device) else None

    def packed(self, array: Any) -> Any:
        return self.library.ascontiguousarray(array)

    def copy(self, array: Any) -> Any:
        with self.library.cuda.Device(self.device):
            return self.library.array(array, order="C")

    def offsets_of(self, lengths: Array) -> Any:
        lengths = self.array(lengths, "int64")
        offsets = self.zeros((lengths.shape[0] + 1,), "int64")
        offsets[1:] = lengths.cumsum()
        return offsets

    def where(self, condition: Array, one: Array, other: Array) -> Any:
        return self.library.where(condition, one, other)

    def count(self, number: int, dtype: str) -> Any:
        with self.library.cuda.Device(self.device):
            return self.library.arange(number, dtype=dtype)


_DLPACK_CPU, _DLPACK_CUDA = 1, 2
_KNOWN = ("numpy", "torch", "cupy", "jax", "jaxlib")


def _is_foreign(value: Array, device: int) -> bool:
    """True for an array of an unknown library with DLPack on a device of CUDA."""
    if package_of(value) in _KNOWN or not (hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__")):
        return False
    return tuple(map(int, value.__dlpack_device__())) == (_DLPACK_CUDA, device)


def _imported(array: Array) -> Optional[Any]:
    """A view of an array of an unknown library on a device: of torch or CuPy, whichever the program has imported."""
    if not hasattr(array, "__dlpack__") or int(array.__dlpack_device__()[0]) != _DLPACK_CUDA:
        return None
    for name in ("torch", "cupy"):
        library = sys.modules.get(name)
        if library is not None and library.cuda.is_available():
            return library.from_dlpack(array)
    return None


def package_of(array: Array) -> str:
    return str(type(array).__module__).partition(".")[0]  # of some types it is no string


#: Why masked arrays are refused; an error begins with what is one.
MASKED = "a masked array, and masks are not known; pass the rows that count"


def is_masked(value: Any) -> bool:
    """True for a masked array, and for a list or tuple that holds one: numpy.asarray() would drop the mask."""
    parts = value if isinstance(value, (list, tuple)) else (value,)
    return any(isinstance(part, np.ma.MaskedArray) for part in parts)


def in_host_memory(array: Array) -> bool:
    try:
        return int(array.__dlpack_device__()[0]) == _DLPACK_CPU
    except (AttributeError, RuntimeError, ValueError, BufferError):  # torch raises them for devices that DLPack does not name
        return False


class _Kept(dict):
    """Cache of the state that calls with equal options on one device and stream share."""

    def __setitem__(self, key: Any, space: Any) -> None:
        if len(self) >= 256:  # programs that create streams all the time
            self.clear()
        super().__setitem__(key, space)


_spaces = _Kept()
atexit.register(_spaces.clear)  # before the interpreter ends: its objects are released


def _space_of_tensor(tensor: Any, threads: int, stream: Optional[int], workspace: Optional[Allocator], y_first: bool) -> Torch:
    if tensor.is_cuda:
        torch = sys.modules["torch"]
        device = tensor.get_device()
        current = torch._C._cuda_getCurrentRawStream(device)
        if workspace is not None or (stream is not None and stream != current):
            # Memory of torch belongs to its current stream; another stream gets memory of the device's pool.
            return Torch(tensor, _core.Place(device, current if stream is None else stream, 0, workspace, y_first))
        key = (device, current, y_first)
        space = _spaces.get(key)
        if space is None:
            space = _spaces[key] = Torch(tensor, _core.Place(device, current, 0, None, y_first, torch_memory=True))
        return space
    if not tensor.is_cpu:
        raise ValueError(f"tensors are on {tensor.device}; farpoint works on CPUs and on CUDA devices")
    host_key = (threads, y_first)
    space = _spaces.get(host_key)
    if space is None:
        space = _spaces[host_key] = Torch(tensor, _core.Place(-1, 0, threads, None, y_first))
    return space


def _space_of_host(threads: int, y_first: bool) -> Numpy:
    key = ("numpy", threads, y_first)
    space = _spaces.get(key)
    if space is None:
        space = _spaces[key] = Numpy(threads, y_first)
    return space


def space_of(array: Array, *, threads: int = 0, stream: Optional[int] = None, workspace: Optional[Allocator] = None,
             y_first: bool = False) -> Any:
    """The kind of arrays that a call works on, by its first."""
    if isinstance(array, np.ndarray):
        return _space_of_host(threads, y_first)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return _space_of_tensor(array, threads, stream, workspace, y_first)
    package = package_of(array)
    if package == "cupy":
        return Cupy(array, stream, workspace, y_first)
    if package in ("jax", "jaxlib") and not in_host_memory(array):
        from ._jax import Jax

        return Jax(array, stream, workspace, y_first)
    # Without DLPack an array of a device would be copied to the host by its __array__.
    is_plain = not (hasattr(array, "__dlpack_device__") or hasattr(array, "__cuda_array_interface__"))
    if is_plain or in_host_memory(array):
        return _space_of_host(threads, y_first)
    view = _imported(array)
    if view is not None:
        return space_of(view, threads=threads, stream=stream, workspace=workspace, y_first=y_first)
    raise ValueError(f"arrays of {type(array).__module__} on a device are not known unless the program has imported torch or CuPy; "
                     "pass them as arrays of these (torch.from_dlpack, cupy.from_dlpack)")
