"""Calls on a cloud whose parts are on several ranks, over any transport. `farpoint.distributed` has the transport of torch.

A transport is an object with
- `ranks` and `rank`: the number of ranks, and the number of this rank, from 0;
- `refusal`: a ValueError that all ranks raise because an option of the transport is invalid on this rank, or None;
- `exchange(send, receive)`: takes a writable memoryview of bytes for each rank, the own one empty, sends the first and fills the
  second. It returns when all memory can be used again, or raises an exception, also if other ranks do not arrive in time. A rank
  receives from each other rank exactly the bytes that the other sends. It keeps no reference to the memory;
- `abort()`: makes the exchanges of all ranks fail, in progress and later. May be called repeatedly.

For points on GPUs it also has
- `gpus`: None until the first such call sets it to the rank's `_core.GpuRanks`, which abort() aborts, too;
- `milliseconds`: the longest time that a call on GPUs waits for other ranks;
- `others_failed()`: True if another rank has called abort(). Calls on GPUs ask while they wait.
"""

from __future__ import annotations

import contextlib
import functools
import math
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

import numpy as np

from . import _core
from ._arrays import Array, Torch
from ._call import Call
from ._search import Neighbors, _Search, checked
from ._voxelize import _COLUMNS, _VALUES, _three, _value_type

_FUNCTIONS = ("fps", "knn", "radius", "voxelize", "voxelize of all rows")
_MOST_INT32 = 2**31 - 1
_ROWS = ("coords", "num_points", "voxels", "mean", "max", "first", "centroid")


class _Ranks:
    """The ranks of one call: exchanges arguments before the call, and ends it on all ranks if one fails."""

    def __init__(self, function: str, transport: Any):
        self.function = function
        self.name = "distributed." + function.partition(" ")[0]
        self.transport = transport
        self.first_index = 0  #: index of this rank's first point in the whole cloud
        self.points = 0  #: number of points of all ranks
        self.queries = 0  #: number of queries of all ranks

    @property
    def count(self) -> int:
        return self.transport.ranks

    def fail(self, sentence: str) -> Any:
        raise ValueError(f"{self.name}: {sentence}")

    @contextlib.contextmanager
    def while_others_wait(self) -> Iterator[None]:
        """An exception in the block ends the call of all ranks."""
        try:
            yield
        except BaseException:
            self.transport.abort()
            raise

    def tell(self, numbers: Sequence[int]) -> np.ndarray:
        """Exchanges integers: returns the `numbers` of all ranks, (ranks, numbers)."""
        mine, own = np.array(numbers, np.int64), self.transport.rank
        received = np.empty((self.count, mine.size), np.int64)
        received[own] = mine
        if self.count == 1:
            return received
        nothing = memoryview(bytearray())
        send = [nothing if rank == own else mine.data.cast("B") for rank in range(self.count)]
        receive = [nothing if rank == own else received[rank].data.cast("B") for rank in range(self.count)]
        with self.while_others_wait():
            try:
                self.transport.exchange(send, receive)
            except Exception as error:
                raise RuntimeError("communication failure: ranks could not exchange data") from error
        return received

    def agree(self, check: Callable[[], Request]) -> Request:
        """Returns the result of check(). All ranks raise a ValueError if the check() of one raises, or its transport has a refusal."""
        number, request, refusal = _FUNCTIONS.index(self.function), None, None
        record = [number, 1, 0, 0, 0, 0]
        try:
            if self.transport.refusal is not None:
                raise self.transport.refusal
            request = check()
            record = [number, 0, request.itemsize, request.points.shape[0], request.rows, request.gpu]
        except Exception as error:  # the other ranks wait for this one
            refusal = error
        records = self.tell(record)
        if refusal is not None:
            try:
                raise refusal
            finally:
                refusal = None  # it has this frame
        assert request is not None
        functions, refused, sizes, points, queries, gpus = records.T
        if (functions != number).any():
            self.fail("ranks call different functions: " + ", ".join(_FUNCTIONS[each] for each in sorted(set(functions.tolist()))))
        if refused.any():
            self.fail(f"the arguments of rank {int(refused.argmax())} are refused")
        if (sizes != sizes[0]).any():
            self.fail("points are float32 on some ranks and float64 on others")
        self.first_index = int(points[:self.transport.rank].sum())
        self.points, self.queries = int(points.sum()), int(queries.sum())
        if gpus.any():
            self._connect_gpus(request, gpus.tolist())
        return request

    def _connect_gpus(self, request: Request, gpus: List[int]) -> None:
        """Connects the ranks by NCCL before their first call on GPUs. `gpus` has the number of each rank's GPU, 0 for host memory."""
        if 0 in gpus:
            self.fail("points are in host memory on some ranks and on GPUs on others")
        same = [rank for rank, gpu in enumerate(gpus) if gpus.count(gpu) > 1]
        if same:
            self.fail(f"ranks {', '.join(map(str, same))} have points on GPUs that other ranks have, too; each rank needs a GPU of its "
                      "own, such as device int(os.environ['LOCAL_RANK'])")
        if self.transport.gpus is not None:
            return
        mine = [0] * 16
        with self.while_others_wait():
            if self.transport.rank == 0:
                mine = np.frombuffer(_core.make_nccl_id(), np.int64).tolist()
        ids = self.tell(mine)
        with self.while_others_wait():
            self.transport.gpus = _core.GpuRanks(ids[0].tobytes(), self.count, self.transport.rank, request.call.place,
                                                 self.transport.milliseconds)
        self.tell([0])  # fails if a rank could not connect

    def run(self, name: str, request: Request, *arguments: Any, **named: Any) -> Any:
        """Calls a function of the compiled library on the ranks, in host memory or on GPUs."""
        if not request.gpu:
            return getattr(_core, name)(self.transport, request.threads, *arguments, **named)
        gpus = self.transport.gpus
        try:
            found = getattr(_core, name + "_on_gpus")(gpus, request.call.place, self.transport, *arguments, **named)
        except BaseException as error:
            # All ranks know of the other failures. An interrupt may have come before the first exchange.
            if gpus.has_failed or not isinstance(error, Exception):
                self.transport.abort()
            raise
        # A rank may end, and with it what NCCL sends from its memory, once all ranks have their results.
        self.tell([0])
        return found

    def repeat(self, capacity: int, call: Callable[[int], tuple]) -> Any:
        """Calls with the capacity that the call needs: all ranks call once more if the capacity of one was too small."""
        for _ in range(2):
            fits, needed = call(capacity)
            if fits:
                return
            capacity = max(capacity, needed)
        raise RuntimeError(f"{self.name}: ranks exchange more than they announced")

    def indices(self, request: Request, array: Any) -> Any:
        """Converts indices into the whole cloud to the call's index_dtype."""
        if request.index_type == "int64":
            return array
        if self.points > _MOST_INT32:
            self.fail("index_dtype is int32, and the cloud has more than 2^31 - 1 points")
        return request.call.space.astype(array, request.index_type)


@functools.lru_cache(maxsize=None)
def _gpu_number(device: int) -> int:
    return _core.gpu_number(device)


class Request:
    """The arrays of a call, checked. Attributes of a function's own are added to it."""

    def __init__(self, ranks: _Ranks, points: Array, queries: Optional[Array], threads: Any, index_dtype: Any = "int64",
                 only_indices: bool = False, more_columns: bool = False):
        call = self.call = Call(ranks.name, points, threads, only_indices=only_indices)
        #: number of the GPU that has the points, 0 for host memory
        self.gpu = 0 if call.space.on_host else self._gpu_of(ranks.transport)
        self.threads = max(-1, call.integer(threads, "threads", 2**31))
        self.index_type = call.index_type(index_dtype)
        if more_columns:
            self.points, self.queries = call.points(points, more_columns=True), None
        else:
            search = _Search(call, *checked(call, points, queries))
            self.points, self.queries = search.points, search.queries
        if len(self.points.shape) != 2:
            call.fail(f"points have the shape {tuple(self.points.shape)}; those of a rank are (N, {'F' if more_columns else 3})")
        self.scalar = call.space.dtype(self.points)
        self.itemsize = 8 if self.scalar == "float64" else 4
        if self.gpu and self.scalar != "float32":
            call.fail(f"points are {self.scalar}; on GPUs ranks exchange float32")
        self.rows = (self.points if self.queries is None else self.queries).shape[0]

    def _gpu_of(self, transport: Any) -> int:
        call, space = self.call, self.call.space
        if not hasattr(transport, "gpus"):
            call.fail("points are on a device; these ranks exchange points that are in host memory")
        if not isinstance(space, Torch):
            call.fail("points on a device are tensors of torch; pass them by torch.from_dlpack")
        if space.library.cuda.is_current_stream_capturing():
            call.fail("the stream is being captured in a graph; calls on ranks wait for it")
        _core.load_nccl()
        if transport.gpus is not None and transport.gpus.device != space.number:
            call.fail(f"points are on cuda:{space.number}; the first call on this group was on cuda:{transport.gpus.device}")
        return _gpu_number(space.number)

    def output(self, shape: Sequence[int], dtype: str) -> Any:
        return self.call.space.empty(tuple(shape), dtype)


def fps(transport: Any, points: Array, samples: int, *, first: int = 0, seed: Optional[int] = None, chosen: Optional[Array] = None,
        stop_below: float = 0.0, return_distances: bool = False, index_dtype: Any = "int64", threads: int = 0) -> Any:
    ranks = _Ranks("fps", transport)
    rules: Dict[str, Any] = {}
    outputs: List[Any] = []

    def check() -> Request:
        request = Request(ranks, points, None, threads, index_dtype, only_indices=not return_distances)
        call = request.call
        count = call.integer(samples, "samples")
        if count < 0:
            call.fail("samples is negative")
        rules.update(samples=count, first=call.integer(first, "first"), stop_below=call.number(stop_below, "stop_below"),
                     seed=call.seed(seed), chosen=None if chosen is None else call.indices(chosen, "chosen"))
        if chosen is not None and len(rules["chosen"].shape) != 1:
            call.fail(f"chosen has the shape {tuple(rules['chosen'].shape)}; it must be (K,)")
        outputs[:] = [request.output((count,), "int64"), request.output((count,), request.scalar)]
        return request

    request = ranks.agree(check)
    indices, distances = outputs
    ranks.run("fps_shard", request, request.points, ranks.first_index, **rules, indices=indices, distances=distances)
    indices = ranks.indices(request, indices)
    return (indices, distances) if return_distances else indices


def knn(transport: Any, points: Array, k: int, queries: Optional[Array] = None, *, max_radius: float = math.inf,
        exclude_self: bool = False, index_dtype: Any = "int64", threads: int = 0) -> Neighbors:
    ranks = _Ranks("knn", transport)
    rules: List[Any] = []
    outputs: List[Any] = []

    def check() -> Request:
        request = Request(ranks, points, queries, threads, index_dtype)
        call = request.call
        rules[:] = [call.neighbors(k), call.number(max_radius, "max_radius"), bool(exclude_self)]
        shape = (request.rows, rules[0])
        outputs[:] = [request.output(shape, "int64"), request.output(shape, request.scalar)]
        return request

    request = ranks.agree(check)
    ranks.run("knn_shard", request, request.points, ranks.first_index, request.queries, *rules, *outputs)
    return Neighbors(ranks.indices(request, outputs[0]), outputs[1])


def radius(transport: Any, points: Array, radius: float, queries: Optional[Array] = None, *, max_neighbors: int,
           order: str = "nearest", exclude_self: bool = False, exclusive: bool = False, index_dtype: Any = "int64",
           threads: int = 0) -> Neighbors:
    ranks = _Ranks("radius", transport)
    rules: List[Any] = []
    outputs: List[Any] = []

    def check() -> Request:
        request = Request(ranks, points, queries, threads, index_dtype)
        call = request.call
        if order not in ("index", "nearest"):
            call.fail(f"there is no order {order!r}")
        rules[:] = [call.number(radius, "radius"), order == "nearest", bool(exclude_self), bool(exclusive),
                    call.neighbors(max_neighbors, "max_neighbors")]
        shape = (request.rows, rules[-1])
        outputs[:] = [request.output(shape, "int64"), request.output(shape, request.scalar), request.output(shape[:1], "int64")]
        return request

    request = ranks.agree(check)
    ranks.run("radius_shard", request, request.points, ranks.first_index, request.queries, *rules, *outputs)
    return Neighbors(ranks.indices(request, outputs[0]), outputs[1])


class _Voxels:
    """Parameters and outputs of a call of voxelize()."""

    def __init__(self, request: Request, voxel_size: Any, point_range: Sequence[float], max_points: Optional[int],
                 max_voxels: Optional[int], outputs: Optional[Sequence[str]], columns: str, dtype: Any):
        call = request.call
        if (max_points is None) != (max_voxels is None):
            call.fail("pass both max_points and max_voxels, or neither")
        self.max_points = self.max_voxels = None
        if max_points is not None:
            self.max_points, self.max_voxels = call.integer(max_points, "max_points"), call.integer(max_voxels, "max_voxels")
            if self.max_points < 1 or self.max_voxels < 1:
                call.fail("max_points and max_voxels must be positive")
        bounds = call.numbers(point_range, 6, "point_range")
        self.grid = (bounds[:3], bounds[3:], _three(call, voxel_size, "voxel_size"))
        if columns not in ("xyz", "zyx"):
            call.fail(f"columns are {columns!r}; they must be 'xyz' or 'zyx'")
        self.zyx = _COLUMNS[columns][1]
        self.request = request
        self.names = self._named(outputs)
        self.dtype = self._type_of_values(dtype)

    def _named(self, outputs: Optional[Sequence[str]]) -> tuple:
        hard, call = self.max_points is not None, self.request.call
        if outputs is None:
            return ("coords", "num_points", *(["voxels"] if hard else []), "mean")
        try:
            names = tuple(outputs)
        except TypeError:
            call.fail(f"outputs are {outputs!r}; they must be names of outputs")
        for name in names:
            if name not in _ROWS:
                call.fail(f"{name!r} is no output of ranks; there are {', '.join(_ROWS)}")
        if "voxels" in names and not hard:
            call.fail("voxels are an output of hard voxelization: pass max_points and max_voxels")
        return names

    def _type_of_values(self, dtype: Any) -> str:
        """Type of the outputs made of features, which travel as float32."""
        scalar, call = self.request.scalar, self.request.call
        name = _value_type(call, dtype, scalar)
        if scalar == "float64" and set(self.names) & {"voxels", "mean", "max", "first"}:
            if "mean" in self.names:
                call.fail("points are float64, whose mean ranks do not have; name outputs without it (centroid is float64)")
            if name != "float32":
                call.fail("points are float64, whose features travel as float32; pass dtype='float32'")
        return name

    def arguments(self) -> tuple:
        return (*self.grid, self.max_voxels, self.max_points, self.zyx)

    def rows_of(self, points: int) -> Dict[str, Any]:
        """Outputs for the voxels of `points` points, and the numbers of these voxels."""
        request = self.request
        shapes = _core.voxelize_shapes((points, request.points.shape[1]), 1, self.max_points, self.max_voxels, None, False,
                                       request.scalar, self.dtype)
        rows = {name: request.output(*shapes[name]) for name in (*self.names, "voxel_count")}
        rows["numbers"] = request.output(shapes["num_points"][0], "int64")
        return rows


def voxelize(transport: Any, points: Array, voxel_size: Any, point_range: Sequence[float], *, max_points: Optional[int] = None,
             max_voxels: Optional[int] = None, outputs: Optional[Sequence[str]] = None, columns: str = "xyz", dtype: Any = None,
             gather: bool = False, threads: int = 0) -> Dict[str, Any]:
    ranks = _Ranks("voxelize of all rows" if gather else "voxelize", transport)
    asked: List[_Voxels] = []
    own: Dict[str, Any] = {}

    def check() -> Request:
        # Tensors that need a gradient are taken where no output has it.
        only_indices = isinstance(outputs, (list, tuple)) and not any(name in outputs for name in _VALUES)
        request = Request(ranks, points, None, threads, more_columns=True, only_indices=only_indices)
        asked[:] = [_Voxels(request, voxel_size, point_range, max_points, max_voxels, outputs, columns, dtype)]
        return request

    request = ranks.agree(check)
    voxels = asked[0]

    def call(capacity: int) -> tuple:
        with ranks.while_others_wait():
            own.clear()
            own.update(voxels.rows_of(capacity))
        return ranks.run("voxelize_shard", request, request.points, ranks.first_index, *voxels.arguments(), own, own["numbers"],
                         capacity)

    # Voxels are spread evenly by a hash, and their points nearly so.
    ranks.repeat(min(ranks.points, 1024 + ranks.points // ranks.count * 5 // 4), call)
    count = own["voxel_count"].item()
    if gather:
        total = int(ranks.tell([count]).sum())
        with ranks.while_others_wait():
            rows = voxels.rows_of(total)
        if not ranks.run("gather_voxels", request, request.points, *voxels.arguments(), own, own["numbers"], rows, total):
            raise RuntimeError(f"{ranks.name}: ranks have more rows than they announced")
        del rows["numbers"]
        own, count = rows, total
    return {name: array if name == "voxel_count" else array[:count] for name, array in own.items()}
