"""Arrays of JAX on a GPU."""

from __future__ import annotations

import contextlib
import math
import sys
from typing import Any, Iterable, Optional, Sequence

from . import _core
from ._arrays import Allocator, Array, Numpy, in_host_memory, package_of

#: The handle of CUDA's legacy default stream, and DLPack's number of it.
_LEGACY_STREAM = 1


def is_on_device(value: Any) -> bool:
    """True for an array of JAX on a GPU, and for what stands for an array where JAX traces a function."""
    return package_of(value) in ("jax", "jaxlib") and not in_host_memory(value)


class Scope(contextlib.ExitStack):
    """Context of a call on arrays of JAX. Operations have the types that they name: without `jax_enable_x64`, JAX would halve types of
    64 bits. They are carried out even if JAX traces a function around the call."""

    def __enter__(self) -> Scope:
        jax = sys.modules["jax"]
        super().__enter__()
        self._jax, self._is_wide = jax, bool(jax.config.jax_enable_x64)
        self.enter_context(jax.ensure_compile_time_eval())
        if hasattr(jax, "enable_x64"):
            self.enter_context(jax.enable_x64(True))
        else:
            from jax.experimental import enable_x64  # before JAX 0.8

            self.enter_context(enable_x64(True))
        return self

    def result(self, found: Any) -> Any:
        """Results of a call, with types of 64 bits only if the program has enabled them."""
        if self._is_wide:
            return found
        if isinstance(found, dict):
            return {name: self.result(value) for name, value in found.items()}
        if isinstance(found, tuple):
            values = [self.result(value) for value in found]
            return type(found)(*values) if hasattr(found, "_fields") else tuple(values)
        if isinstance(found, self._jax.Array) and found.dtype.itemsize == 8 and found.dtype.kind in "fiu":
            return found.astype(f"{found.dtype.kind}4")
        return found


def scope_of(values: Iterable[Any]) -> Optional[Scope]:
    """The scope of a call, if one of its arguments is an array of JAX on a GPU."""
    return Scope() if "jax" in sys.modules and any(map(is_on_device, values)) else None


def _refuse_traced(jax: Any, array: Any) -> None:
    if isinstance(array, jax.core.Tracer):
        raise ValueError("within a function that JAX traces, as by jax.jit or jax.grad, arrays have no memory; call farpoint outside "
                         "of it, or by jax.pure_callback")


# See _cupy_allocator().
def _jax_allocator(library: Any, device: Any) -> Allocator:
    return lambda size: library.empty((size,), "uint8", device=device)


class Jax(Numpy):
    """Arrays of JAX on a GPU. JAX does not tell its streams: calls work on the legacy default stream, which waits for the arrays
    (`__dlpack__(stream=1)`), and return once it is done. Outputs are new arrays of JAX, filled before anyone else has them."""

    on_host = False

    def __init__(self, array: Array, stream: Optional[int] = None, workspace: Optional[Allocator] = None, y_first: bool = False):
        jax = sys.modules["jax"]
        _refuse_traced(jax, array)
        if stream is not None:
            raise ValueError("stream is of arrays of torch and CuPy; a call on arrays of JAX is on the default stream, and waits for it")
        if len(array.devices()) != 1:
            raise ValueError(f"an array of JAX is on {len(array.devices())} devices; farpoint works on one")
        self.library, self._jax = jax.numpy, jax
        [self.device] = array.devices()
        _core.connect_exchanged(type(array))
        self.place = self._place_on(array.__dlpack_device__()[1], workspace or _jax_allocator(self.library, self.device), y_first)

    def _place_on(self, number: int, allocate: Allocator, y_first: bool) -> Any:
        return _core.Place(number, _LEGACY_STREAM, 0, allocate, y_first, waits=True)

    def plain_type(self, array: Array) -> Optional[str]:
        return None

    def accepts(self, array: Array) -> bool:
        if isinstance(array, self._jax.core.Tracer):
            return True  # until array() says what is wrong with it
        return isinstance(array, self._jax.Array) and array.devices() == {self.device}

    def array(self, value: Array, dtype: Optional[str] = None) -> Any:
        _refuse_traced(self._jax, value)
        return self.library.asarray(value, dtype=dtype, device=self.device)

    def empty(self, shape: Sequence[int], dtype: str) -> Any:
        return self.library.empty(tuple(shape), dtype, device=self.device)

    def zeros(self, shape: Sequence[int], dtype: str) -> Any:
        return self.library.zeros(tuple(shape), dtype, device=self.device)

    def full(self, shape: Sequence[int], value: float, dtype: str) -> Any:
        return self.library.full(tuple(shape), value, dtype, device=self.device)

    def is_packed(self, array: Any) -> bool:
        return True

    def strides(self, array: Any) -> Optional[Sequence[int]]:
        return [math.prod(array.shape[axis + 1:]) for axis in range(len(array.shape))]

    def packed(self, array: Any) -> Any:
        return array

    def copy(self, array: Any) -> Any:
        return self.library.array(array, copy=True)

    def offsets_of(self, lengths: Array) -> Any:
        ends = self.library.cumsum(self.array(lengths, "int64"))
        return self.library.concatenate([self.zeros((1,), "int64"), ends])

    def where(self, condition: Array, one: Array, other: Array) -> Any:
        return self.library.where(condition, one, other)

    def astype(self, array: Any, dtype: str) -> Any:
        return array.astype(dtype)

    def count(self, number: int, dtype: str) -> Any:
        return self.library.arange(number, dtype=dtype, device=self.device)

    def scattered(self, rows: Array, places: Array, number: int, value: float) -> Any:
        return self.full((number, *rows.shape[1:]), value, self.dtype(rows)).at[places].set(rows)

    def assigned(self, array: Array, values: Array) -> Any:
        return self.astype(values, self.dtype(array))
