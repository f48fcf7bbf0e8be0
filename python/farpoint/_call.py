"""A call: its arrays and numbers, checked, and its stream. The first array determines the library and the device of the outputs."""

from __future__ import annotations

import contextlib
import functools
import operator
import sys
from typing import Any, Callable, ContextManager, NoReturn, Optional, Sequence, TypeVar

import numpy as np

from ._arrays import MASKED, Allocator, Array, in_host_memory, is_masked, name_of, package_of, space_of
from ._jax import Scope, scope_of

_FLOATS = ("float32", "float64")
#: Types of coordinates that are converted, and the type that has their values: of 64-bit integers those up to 2^53.
_TAKEN_AS = {"float16": "float32", "bfloat16": "float32", "int8": "float64", "int16": "float64", "int32": "float64",
             "int64": "float64", "uint8": "float64", "uint16": "float64", "uint32": "float64", "uint64": "float64"}
#: Functions that farpoint.torch has with gradients.
_WITH_GRADIENTS = ("PointIndex", "gather", "group", "interpolate", "knn", "radius", "three_interpolate", "three_nn", "voxelize")


def _stream_of(first: Array, stream: int) -> ContextManager[Any]:
    """Makes a stream the current one of the library of an array on a device."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(first, torch.Tensor):
        if not first.is_cuda or torch.cuda.current_stream(first.device).cuda_stream == stream:
            return contextlib.nullcontext()
        return torch.cuda.stream(torch.cuda.ExternalStream(stream, device=first.device))
    if package_of(first) == "cupy":
        return sys.modules["cupy"].cuda.ExternalStream(stream, first.device.id)
    return contextlib.nullcontext()


def current_stream(name: str, stream: Optional[int], values: Sequence[Any]) -> ContextManager[Any]:
    """Makes the stream of a call, if it names one, the current one of the library of the first array among values.

    Then outputs are allocated and filled in the order of that stream, too, and what is read is read behind it. A call on arrays of
    JAX gets their scope.
    """
    if "jax" in sys.modules:
        scope = scope_of(values)
        if scope is not None:
            return scope
    if stream is None:
        return contextlib.nullcontext()
    if not hasattr(stream, "__index__"):
        raise ValueError(f"{name}: stream is {stream!r}; it must be an address")
    return _stream_of(next((value for value in values if hasattr(value, "__dlpack_device__")), None), operator.index(stream))


def result_in(scope: Any, found: Any) -> Any:
    """What a call returns that ran under current_stream(), which made `scope`."""
    return scope.result(found) if isinstance(scope, Scope) else found


Function = TypeVar("Function", bound=Callable[..., Any])


def follows_stream(function: Function) -> Function:
    """With `stream=`, the function runs under current_stream() of its arguments.

    A map among them stands for what it is like.
    """

    @functools.wraps(function)
    def call(*arguments: Any, stream: Optional[int] = None, **options: Any) -> Any:
        if stream is None and "jax" not in sys.modules:
            return function(*arguments, **options)
        like = getattr(arguments[0], "_like", None) if arguments else None
        with current_stream(function.__name__, stream, (*arguments, *options.values(), like)) as scope:
            return result_in(scope, function(*arguments, stream=stream, **options))

    return call  # type: ignore[return-value]


class Call:
    """One call: its arrays, checked, and its outputs.

    Tensors that need a gradient are refused where it would be lost, but for a call that returns only indices and counts.
    """

    def __init__(self, name: str, first: Array, threads: int = 0, stream: Optional[int] = None,
                 workspace: Optional[Allocator] = None, y_first: bool = False, only_indices: bool = False):
        self.name = name
        self.only_indices = only_indices
        self.converts = False  # True once an array had another type than the library takes
        if type(threads) is not int or not -1 <= threads < 2**31:
            threads = max(-1, self.integer(threads, "threads", 2**31))
        self.space = space_of(first, threads=threads, stream=stream, workspace=workspace, y_first=y_first)
        self.place = self.space.place
        if workspace is not None and self.space.on_host:
            self.fail("workspace is memory of a device; on the host a call allocates by itself")

    def fail(self, sentence: str) -> NoReturn:
        raise ValueError(f"{self.name}: {sentence}")

    def integer(self, value: Any, what: str, end: int = 2**63) -> int:
        """A whole number of any integer type, of 64 bits, below `end`."""
        try:
            number = operator.index(value)
        except (TypeError, ValueError):
            self.fail(f"{what} is {value!r}; it must be a whole number")
        if not -2**63 <= number < end:
            self.fail(f"{what} is {number}, which is too {'small' if number < 0 else 'large'}")
        return number

    def number(self, value: Any, what: str) -> float:
        """A number of any type."""
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            self.fail(f"{what} is {value!r}; it must be a number")

    def neighbors(self, value: Any, what: str = "k", least: int = 1) -> int:
        number = self.integer(value, what)
        if not least <= number <= 1024:
            self.fail(f"{what} is {number}; it must be {least} to 1,024")
        return number

    def seed(self, value: Any) -> Optional[int]:
        number = None if value is None else self.integer(value, "seed", 2**64)
        if number is not None and number < 0:
            self.fail("seed is negative")
        return number

    def numbers(self, values: Any, count: int, what: str) -> tuple:
        """Exactly `count` numbers of a sequence or an array, as floats."""
        word = {3: "three", 6: "six"}[count]
        try:
            found = tuple(map(float, values))
        except (TypeError, ValueError):
            self.fail(f"{what} is {values!r}; it must be {word} numbers")
        if len(found) != count:
            self.fail(f"{what} has {len(found)} numbers; it must have {word}")
        return found

    def array(self, value: Array, what: str, dtype: Optional[str] = None) -> Any:
        if is_masked(value):
            self.fail(f"{what} are {MASKED}")
        if not self.space.accepts(value) and (hasattr(value, "__dlpack_device__") or hasattr(value, "__cuda_array_interface__")):
            if self.space.on_host and in_host_memory(value):
                value = _host_array(value)
            else:
                value = self.space.imported(value)
                if value is None:
                    self.fail(f"{what} are in another memory or of another library than the first array")
        if not self.only_indices and self.space.loses_gradient(value):
            instead = f"call farpoint.torch.{self.name}, which keeps it, or " if self.name in _WITH_GRADIENTS else ""
            self.fail(f"the gradient of {what} would be lost; {instead}pass {what}.detach()")
        try:
            return self.space.array(value, dtype)
        except (TypeError, ValueError) as error:
            if hasattr(value, "dtype"):
                raise
            self.fail(f"{what} are no array: {error}")

    def typed(self, value: Array, what: str) -> tuple:
        """An array of the call's kind, and the name of its type."""
        dtype = self.space.plain_type(value)
        if dtype is not None:
            return value, dtype
        array = self.array(value, what)
        return array, self.space.dtype(array)

    def floats(self, value: Array, what: str, types: Sequence[str] = _FLOATS, like: Optional[str] = None) -> Any:
        """An array of one of `types`. Another type is converted to one that represents all of its values, if there is one.

        `like` is the type of the array that this one is compared with. Lists have no type: they get `like`, or the widest.
        """
        if isinstance(value, (list, tuple)):
            self.converts = True
            array, dtype = self.array(value, what), ""
            if self.space.dtype(array) in (*_TAKEN_AS, *_FLOATS):
                return self.array(value, what, like or types[-1])
        else:
            array, dtype = self.typed(value, what)
            if dtype in types:
                return array
        wide = _TAKEN_AS.get(dtype)
        if wide not in types:
            self.fail(f"{what} are {dtype or self.space.dtype(array)}; they must be {' or '.join(types)}")
        self.converts = True
        return self.space.astype(array, "float64" if like == "float64" else wide)

    def points(self, value: Array, what: str = "points", types: Sequence[str] = _FLOATS, more_columns: bool = False,
               like: Optional[str] = None) -> Any:
        """[N, 3] or [B, N, 3], as the library takes it: copied only where it has another type, and where no one stride covers
        all points. See floats() for `like`."""
        array = self.floats(value, what, types, like)
        shape = array.shape
        right = len(shape) in (2, 3) and (shape[-1] == 3 or (more_columns and shape[-1] > 3))
        if not right:
            self.fail(f"{what} have the shape {tuple(shape)}; they must be (N, 3) or (B, N, 3)")
        if self.space.is_packed(array):
            return array
        strides = self.space.strides(array)
        if strides is None or (len(shape) == 3 and shape[0] > 1 and shape[1] > 1 and strides[0] != shape[1] * strides[1]):
            array = self.space.packed(array)
        return array

    def offsets(self, of: Any, offsets: Optional[Array], lengths: Optional[Array], what: str = "") -> Any:
        """int64 offsets that cut the rows of an array into ragged clouds; None where clouds are regular."""
        if offsets is None and lengths is None:
            return None
        if offsets is not None and lengths is not None:
            self.fail(f"pass either {what}offsets or {what}lengths")
        if len(of.shape) == 0 or (not what.startswith("index") and len(of.shape) != 2):
            self.fail(f"{what}offsets and {what}lengths are of points (N, 3) that lie one after another")
        if offsets is None:
            lengths = self.indices(lengths, f"{what}lengths")
            if len(lengths.shape) != 1:
                self.fail(f"{what}lengths have the shape {tuple(lengths.shape)}; they must be (clouds,)")
            array = self.space.offsets_of(lengths)
        else:
            array = self.space.astype(self.indices(offsets, f"{what}offsets"), "int64")
        if len(array.shape) != 1 or array.shape[0] == 0:
            self.fail(f"{what}offsets have the shape {tuple(array.shape)}; they must be (clouds + 1,)")
        if self.space.on_host:
            numbers = np.asarray(array)
            if numbers[0] < 0 or numbers[-1] > of.shape[0] or (numbers[1:] < numbers[:-1]).any():
                self.fail(f"{what}offsets do not ascend, or leave the points")
        return array

    def indices(self, value: Array, what: str) -> Any:
        """int32 or int64, contiguous."""
        array, dtype = self.typed(value, what)
        if dtype not in ("int32", "int64"):
            if not dtype.startswith(("int", "uint")) and 0 not in tuple(array.shape):
                self.fail(f"{what} are {dtype}; they must be int32 or int64")
            array = self.space.astype(array, "int64")
        return array if self.space.is_packed(array) else self.space.packed(array)

    def index_type(self, dtype: Any) -> str:
        return self.type_name(dtype, ("int32", "int64"), "index_dtype")

    def type_name(self, dtype: Any, known: Sequence[str], what: str) -> str:
        """The name of a type that is given by name or as numpy, CuPy or torch has it."""
        try:
            name = dtype if type(dtype) is str else name_of(dtype)
        except TypeError:
            name = repr(dtype)
        if name not in known:
            self.fail(f"{what} is {name}; it must be {' or '.join(known)}")
        return name


def _host_array(value: Array) -> np.ndarray:
    """An array of another library in host memory."""
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError):  # a type that numpy does not know by DLPack, such as JAX's bfloat16
        return np.asarray(value)


def cloud_shape(points: Any, offsets: Optional[Any]) -> tuple:
    """Shape of an output with one row for each cloud: (B,), or () for a single cloud."""
    if offsets is not None:
        return (offsets.shape[0] - 1,)
    return tuple(points.shape[:-2])
