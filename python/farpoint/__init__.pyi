"""Types of the package: a call returns arrays of the kind of its first, tensors of torch for a tensor and arrays of numpy for
arrays in host memory and lists."""

from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, List, Literal, NamedTuple, Optional, Protocol, Sequence, Tuple, TypeVar, Union, overload

from numpy.typing import NDArray

from . import _core as _core

class _Tensor(Protocol):
    """What is asked of torch.Tensor, so that torch need not be there."""
    @property
    def requires_grad(self) -> bool: ...
    def data_ptr(self) -> int: ...

class _OfDLPack(Protocol):
    """An array of a library that is not known here, in host memory. CuPy's and JAX's arrays on a GPU look like one, too, but
    what a call returns is then theirs: cast it."""
    def __dlpack__(self) -> Any: ...

T = TypeVar("T", bound=_Tensor)
A = TypeVar("A")
Numbers = Union[NDArray[Any], Sequence[Any], _OfDLPack]
#: An array of the first one's kind, or a list.
Array = Any
Allocator = Callable[[int], Any]

__version__: str
__all__: List[str]
has_cuda: bool
def cuda_available() -> bool: ...
def release_thread_memory() -> None: ...

class Neighbors(NamedTuple, Generic[A]):
    indices: A
    distances: A

class RadiusRows(NamedTuple, Generic[A]):
    offsets: A
    indices: A
    distances: A

class Pairs(NamedTuple, Generic[A]):
    keys: A
    values: A
    count: A  # type: ignore[assignment]  # a tuple has a method of that name

class ScreenNeighbors(NamedTuple, Generic[A]):
    indices: A
    distances: A
    pixels: A
    visible: A
    visible_count: A

@dataclass(frozen=True)
class PinholeCamera:
    width: int
    height: int
    focal: Tuple[float, float]
    center: Tuple[float, float]
    rotation: Sequence[Sequence[float]] = ...
    translation: Sequence[float] = ...
    near: float = ...
    far: float = ...

@dataclass(frozen=True)
class SphericalCamera:
    width: int
    height: int
    top: float
    bottom: float
    near: float = ...
    far: float = ...

@dataclass(frozen=True)
class OrganizedCamera:
    width: int
    height: int
    depth: str = ...
    near: float = ...
    far: float = ...

@overload
def fps(points: T, samples: int, *, first: Any = ..., seed: Optional[int] = ..., chosen: Optional[Array] = ...,
        stop_below: float = ..., sample_counts: Optional[Array] = ..., offsets: Optional[Array] = ...,
        lengths: Optional[Array] = ..., return_distances: Literal[False] = ..., index_dtype: Any = ..., threads: int = ...,
        stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> T: ...
@overload
def fps(points: T, samples: int, *, first: Any = ..., seed: Optional[int] = ..., chosen: Optional[Array] = ...,
        stop_below: float = ..., sample_counts: Optional[Array] = ..., offsets: Optional[Array] = ...,
        lengths: Optional[Array] = ..., return_distances: Literal[True], index_dtype: Any = ..., threads: int = ...,
        stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> Tuple[T, T]: ...
@overload
def fps(points: Numbers, samples: int, *, first: Any = ..., seed: Optional[int] = ..., chosen: Optional[Array] = ...,
        stop_below: float = ..., sample_counts: Optional[Array] = ..., offsets: Optional[Array] = ...,
        lengths: Optional[Array] = ..., return_distances: Literal[False] = ..., index_dtype: Any = ..., threads: int = ...,
        stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> NDArray[Any]: ...
@overload
def fps(points: Numbers, samples: int, *, first: Any = ..., seed: Optional[int] = ..., chosen: Optional[Array] = ...,
        stop_below: float = ..., sample_counts: Optional[Array] = ..., offsets: Optional[Array] = ...,
        lengths: Optional[Array] = ..., return_distances: Literal[True], index_dtype: Any = ..., threads: int = ...,
        stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> Tuple[NDArray[Any], NDArray[Any]]: ...
@overload
def fps(points: Array, samples: int, *, first: Any = ..., seed: Optional[int] = ..., chosen: Optional[Array] = ...,
        stop_below: float = ..., sample_counts: Optional[Array] = ..., offsets: Optional[Array] = ...,
        lengths: Optional[Array] = ..., return_distances: bool = ..., index_dtype: Any = ..., threads: int = ...,
        stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> Any: ...
@overload
def gather(features: T, indices: Array, *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ...,
           index_offsets: Optional[Array] = ..., index_lengths: Optional[Array] = ..., channels_first: bool = ...,
           threads: int = ..., stream: Optional[int] = ...) -> T: ...
@overload
def gather(features: Numbers, indices: Array, *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ...,
           index_offsets: Optional[Array] = ..., index_lengths: Optional[Array] = ..., channels_first: bool = ...,
           threads: int = ..., stream: Optional[int] = ...) -> NDArray[Any]: ...
@overload
def group(features: T, indices: Array, *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ...,
          index_offsets: Optional[Array] = ..., index_lengths: Optional[Array] = ..., threads: int = ...,
          stream: Optional[int] = ...) -> T: ...
@overload
def group(features: Numbers, indices: Array, *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ...,
          index_offsets: Optional[Array] = ..., index_lengths: Optional[Array] = ..., threads: int = ...,
          stream: Optional[int] = ...) -> NDArray[Any]: ...
@overload
def knn(points: T, k: int, queries: Optional[Array] = ..., *, max_radius: float = ..., exclude_self: bool = ...,
        offsets: Optional[Array] = ..., lengths: Optional[Array] = ..., query_offsets: Optional[Array] = ...,
        query_lengths: Optional[Array] = ..., index_dtype: Any = ..., threads: int = ..., stream: Optional[int] = ...,
        workspace: Optional[Allocator] = ...) -> Neighbors[T]: ...
@overload
def knn(points: Numbers, k: int, queries: Optional[Array] = ..., *, max_radius: float = ..., exclude_self: bool = ...,
        offsets: Optional[Array] = ..., lengths: Optional[Array] = ..., query_offsets: Optional[Array] = ...,
        query_lengths: Optional[Array] = ..., index_dtype: Any = ..., threads: int = ..., stream: Optional[int] = ...,
        workspace: Optional[Allocator] = ...) -> Neighbors[NDArray[Any]]: ...
@overload
def radius(points: T, radius: float, queries: Optional[Array] = ..., *, order: str = ..., exclude_self: bool = ...,
           exclusive: bool = ..., edge_index: Literal[False] = ..., capacity: Optional[int] = ..., offsets: Optional[Array] = ...,
           lengths: Optional[Array] = ..., query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ...,
           index_dtype: Any = ..., threads: int = ..., stream: Optional[int] = ...,
           workspace: Optional[Allocator] = ...) -> RadiusRows[T]: ...
@overload
def radius(points: T, radius: float, queries: Optional[Array] = ..., *, order: str = ..., exclude_self: bool = ...,
           exclusive: bool = ..., edge_index: Literal[True], capacity: Optional[int] = ..., offsets: Optional[Array] = ...,
           lengths: Optional[Array] = ..., query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ...,
           index_dtype: Any = ..., threads: int = ..., stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> T: ...
@overload
def radius(points: Numbers, radius: float, queries: Optional[Array] = ..., *, order: str = ..., exclude_self: bool = ...,
           exclusive: bool = ..., edge_index: Literal[False] = ..., capacity: Optional[int] = ..., offsets: Optional[Array] = ...,
           lengths: Optional[Array] = ..., query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ...,
           index_dtype: Any = ..., threads: int = ..., stream: Optional[int] = ...,
           workspace: Optional[Allocator] = ...) -> RadiusRows[NDArray[Any]]: ...
@overload
def radius(points: Numbers, radius: float, queries: Optional[Array] = ..., *, order: str = ..., exclude_self: bool = ...,
           exclusive: bool = ..., edge_index: Literal[True], capacity: Optional[int] = ..., offsets: Optional[Array] = ...,
           lengths: Optional[Array] = ..., query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ...,
           index_dtype: Any = ..., threads: int = ..., stream: Optional[int] = ...,
           workspace: Optional[Allocator] = ...) -> NDArray[Any]: ...
@overload
def radius(points: Array, radius: float, queries: Optional[Array] = ..., *, order: str = ..., exclude_self: bool = ...,
           exclusive: bool = ..., edge_index: bool = ..., capacity: Optional[int] = ..., offsets: Optional[Array] = ...,
           lengths: Optional[Array] = ..., query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ...,
           index_dtype: Any = ..., threads: int = ..., stream: Optional[int] = ...,
           workspace: Optional[Allocator] = ...) -> Any: ...
@overload
def normals(points: T, k: int = ..., *, max_radius: float = ..., viewpoint: Sequence[float] = ...,
            return_curvature: Literal[False] = ..., return_covariances: Literal[False] = ..., offsets: Optional[Array] = ...,
            lengths: Optional[Array] = ..., threads: int = ..., stream: Optional[int] = ...,
            workspace: Optional[Allocator] = ...) -> T: ...
@overload
def normals(points: T, k: int = ..., *, max_radius: float = ..., viewpoint: Sequence[float] = ...,
            return_curvature: Literal[False] = ..., return_covariances: Literal[True], offsets: Optional[Array] = ...,
            lengths: Optional[Array] = ..., threads: int = ..., stream: Optional[int] = ...,
            workspace: Optional[Allocator] = ...) -> Tuple[T, T]: ...
@overload
def normals(points: T, k: int = ..., *, max_radius: float = ..., viewpoint: Sequence[float] = ...,
            return_curvature: Literal[True], return_covariances: Literal[False] = ..., offsets: Optional[Array] = ...,
            lengths: Optional[Array] = ..., threads: int = ..., stream: Optional[int] = ...,
            workspace: Optional[Allocator] = ...) -> Tuple[T, T]: ...
@overload
def normals(points: T, k: int = ..., *, max_radius: float = ..., viewpoint: Sequence[float] = ...,
            return_curvature: Literal[True], return_covariances: Literal[True], offsets: Optional[Array] = ...,
            lengths: Optional[Array] = ..., threads: int = ..., stream: Optional[int] = ...,
            workspace: Optional[Allocator] = ...) -> Tuple[T, T, T]: ...
@overload
def normals(points: Numbers, k: int = ..., *, max_radius: float = ..., viewpoint: Sequence[float] = ...,
            return_curvature: Literal[False] = ..., return_covariances: Literal[False] = ..., offsets: Optional[Array] = ...,
            lengths: Optional[Array] = ..., threads: int = ..., stream: Optional[int] = ...,
            workspace: Optional[Allocator] = ...) -> NDArray[Any]: ...
@overload
def normals(points: Numbers, k: int = ..., *, max_radius: float = ..., viewpoint: Sequence[float] = ...,
            return_curvature: Literal[False] = ..., return_covariances: Literal[True], offsets: Optional[Array] = ...,
            lengths: Optional[Array] = ..., threads: int = ..., stream: Optional[int] = ...,
            workspace: Optional[Allocator] = ...) -> Tuple[NDArray[Any], NDArray[Any]]: ...
@overload
def normals(points: Numbers, k: int = ..., *, max_radius: float = ..., viewpoint: Sequence[float] = ...,
            return_curvature: Literal[True], return_covariances: Literal[False] = ..., offsets: Optional[Array] = ...,
            lengths: Optional[Array] = ..., threads: int = ..., stream: Optional[int] = ...,
            workspace: Optional[Allocator] = ...) -> Tuple[NDArray[Any], NDArray[Any]]: ...
@overload
def normals(points: Numbers, k: int = ..., *, max_radius: float = ..., viewpoint: Sequence[float] = ...,
            return_curvature: Literal[True], return_covariances: Literal[True], offsets: Optional[Array] = ...,
            lengths: Optional[Array] = ..., threads: int = ..., stream: Optional[int] = ...,
            workspace: Optional[Allocator] = ...) -> Tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...
@overload
def normals(points: Array, k: int = ..., *, max_radius: float = ..., viewpoint: Sequence[float] = ...,
            return_curvature: bool = ..., return_covariances: bool = ..., offsets: Optional[Array] = ...,
            lengths: Optional[Array] = ..., threads: int = ..., stream: Optional[int] = ...,
            workspace: Optional[Allocator] = ...) -> Any: ...
@overload
def mean_knn_distance(points: T, k: int = ..., *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ...,
                      threads: int = ..., stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> T: ...
@overload
def mean_knn_distance(points: Numbers, k: int = ..., *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ...,
                      threads: int = ..., stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> NDArray[Any]: ...
@overload
def interpolate(points: T, features: Array, queries: Array, *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ...,
                query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ..., threads: int = ...,
                stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> T: ...
@overload
def interpolate(points: Numbers, features: Array, queries: Array, *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ...,
                query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ..., threads: int = ...,
                stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> NDArray[Any]: ...
@overload
def screen_knn(points: T, k: int, camera: Union[PinholeCamera, SphericalCamera, OrganizedCamera], *, rounds: int = ..., candidates: int = ..., max_radius: float = ...,
               exclude_self: bool = ..., rows: str = ..., layers: int = ..., index_dtype: Any = ..., threads: int = ...,
               stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> ScreenNeighbors[T]: ...
@overload
def screen_knn(points: Numbers, k: int, camera: Union[PinholeCamera, SphericalCamera, OrganizedCamera], *, rounds: int = ..., candidates: int = ..., max_radius: float = ...,
               exclude_self: bool = ..., rows: str = ..., layers: int = ..., index_dtype: Any = ..., threads: int = ...,
               stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> ScreenNeighbors[NDArray[Any]]: ...
@overload
def voxelize(points: T, voxel_size: Any, point_range: Optional[Sequence[float]] = ..., *, max_points: Optional[int] = ...,
             max_voxels: Optional[int] = ..., outputs: Optional[Sequence[str]] = ..., capacity: Optional[int] = ...,
             order: str = ..., columns: str = ..., seed: Optional[int] = ..., dtype: Any = ..., offsets: Optional[Array] = ...,
             lengths: Optional[Array] = ..., threads: int = ..., stream: Optional[int] = ...,
             workspace: Optional[Allocator] = ...) -> Dict[str, T]: ...
@overload
def voxelize(points: Numbers, voxel_size: Any, point_range: Optional[Sequence[float]] = ..., *, max_points: Optional[int] = ...,
             max_voxels: Optional[int] = ..., outputs: Optional[Sequence[str]] = ..., capacity: Optional[int] = ...,
             order: str = ..., columns: str = ..., seed: Optional[int] = ..., dtype: Any = ..., offsets: Optional[Array] = ...,
             lengths: Optional[Array] = ..., threads: int = ..., stream: Optional[int] = ...,
             workspace: Optional[Allocator] = ...) -> Dict[str, NDArray[Any]]: ...
@overload
def furthest_point_sample(xyz: T, npoint: int, *, rules: Optional[str] = ..., offsets: Optional[Array] = ...,
                          lengths: Optional[Array] = ..., index_dtype: Any = ..., threads: int = ..., stream: Optional[int] = ...,
                          workspace: Optional[Allocator] = ...) -> T: ...
@overload
def furthest_point_sample(xyz: Numbers, npoint: int, *, rules: Optional[str] = ..., offsets: Optional[Array] = ...,
                          lengths: Optional[Array] = ..., index_dtype: Any = ..., threads: int = ..., stream: Optional[int] = ...,
                          workspace: Optional[Allocator] = ...) -> NDArray[Any]: ...
@overload
def ball_query(radius: float, nsample: int, xyz: T, new_xyz: Array, *, offsets: Optional[Array] = ...,
               lengths: Optional[Array] = ..., query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ...,
               index_dtype: Any = ..., threads: int = ..., stream: Optional[int] = ...,
               workspace: Optional[Allocator] = ...) -> T: ...
@overload
def ball_query(radius: float, nsample: int, xyz: Numbers, new_xyz: Array, *, offsets: Optional[Array] = ...,
               lengths: Optional[Array] = ..., query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ...,
               index_dtype: Any = ..., threads: int = ..., stream: Optional[int] = ...,
               workspace: Optional[Allocator] = ...) -> NDArray[Any]: ...
@overload
def three_nn(unknown: T, known: Array, *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ...,
             query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ..., index_dtype: Any = ..., threads: int = ...,
             stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> Tuple[T, T]: ...
@overload
def three_nn(unknown: Numbers, known: Array, *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ...,
             query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ..., index_dtype: Any = ..., threads: int = ...,
             stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> Tuple[NDArray[Any], NDArray[Any]]: ...
@overload
def three_interpolate(features: T, idx: Array, weight: Array, *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ...,
                      index_offsets: Optional[Array] = ..., index_lengths: Optional[Array] = ..., threads: int = ...,
                      stream: Optional[int] = ...) -> T: ...
@overload
def three_interpolate(features: Numbers, idx: Array, weight: Array, *, offsets: Optional[Array] = ...,
                      lengths: Optional[Array] = ..., index_offsets: Optional[Array] = ..., index_lengths: Optional[Array] = ...,
                      threads: int = ..., stream: Optional[int] = ...) -> NDArray[Any]: ...
@overload
def distCUDA2(points: T, *, threads: int = ..., stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> T: ...
@overload
def distCUDA2(points: Numbers, *, threads: int = ..., stream: Optional[int] = ...,
              workspace: Optional[Allocator] = ...) -> NDArray[Any]: ...

class _Searches:
    """What can be searched."""
    @overload
    def knn(self, k: int, queries: T, *, max_radius: float = ..., exclude_self: bool = ..., query_offsets: Optional[Array] = ...,
            query_lengths: Optional[Array] = ..., index_dtype: Any = ..., stream: Optional[int] = ...,
            workspace: Optional[Allocator] = ...) -> Neighbors[T]: ...
    @overload
    def knn(self, k: int, queries: Numbers, *, max_radius: float = ..., exclude_self: bool = ...,
            query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ..., index_dtype: Any = ...,
            stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> Neighbors[NDArray[Any]]: ...
    @overload
    def knn(self, k: int, queries: None = ..., *, max_radius: float = ..., exclude_self: bool = ...,
            query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ..., index_dtype: Any = ...,
            stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> Neighbors[Any]: ...
    @overload
    def radius(self, radius: float, queries: T, max_neighbors: None = ..., *, order: Optional[str] = ...,
               exclude_self: bool = ..., exclusive: bool = ..., capacity: Optional[int] = ...,
               query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ..., index_dtype: Any = ...,
               stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> RadiusRows[T]: ...
    @overload
    def radius(self, radius: float, queries: Numbers, max_neighbors: None = ..., *, order: Optional[str] = ...,
               exclude_self: bool = ..., exclusive: bool = ..., capacity: Optional[int] = ...,
               query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ..., index_dtype: Any = ...,
               stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> RadiusRows[NDArray[Any]]: ...
    @overload
    def radius(self, radius: float, queries: T, max_neighbors: int, *, order: Optional[str] = ..., exclude_self: bool = ...,
               exclusive: bool = ..., capacity: None = ..., query_offsets: Optional[Array] = ...,
               query_lengths: Optional[Array] = ..., index_dtype: Any = ..., stream: Optional[int] = ...,
               workspace: Optional[Allocator] = ...) -> Neighbors[T]: ...
    @overload
    def radius(self, radius: float, queries: Numbers, max_neighbors: int, *, order: Optional[str] = ...,
               exclude_self: bool = ..., exclusive: bool = ..., capacity: None = ..., query_offsets: Optional[Array] = ...,
               query_lengths: Optional[Array] = ..., index_dtype: Any = ..., stream: Optional[int] = ...,
               workspace: Optional[Allocator] = ...) -> Neighbors[NDArray[Any]]: ...
    @overload
    def radius(self, radius: float, queries: Optional[Array] = ..., max_neighbors: Optional[int] = ..., *,
               order: Optional[str] = ..., exclude_self: bool = ..., exclusive: bool = ..., capacity: Optional[int] = ...,
               query_offsets: Optional[Array] = ..., query_lengths: Optional[Array] = ..., index_dtype: Any = ...,
               stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> Any: ...
    @overload
    def interpolate(self, features: Array, queries: T, *, query_offsets: Optional[Array] = ...,
                    query_lengths: Optional[Array] = ..., stream: Optional[int] = ...,
                    workspace: Optional[Allocator] = ...) -> T: ...
    @overload
    def interpolate(self, features: Array, queries: Numbers, *, query_offsets: Optional[Array] = ...,
                    query_lengths: Optional[Array] = ..., stream: Optional[int] = ...,
                    workspace: Optional[Allocator] = ...) -> NDArray[Any]: ...

class PointIndex(_Searches):
    def __init__(self, points: Array, *, offsets: Optional[Array] = ..., lengths: Optional[Array] = ..., threads: int = ...,
                 stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> None: ...
    def __len__(self) -> int: ...

class WindowChange(NamedTuple, Generic[A]):
    sources: A
    kept: Any
    erased: Any
    appended: Any
    outside: Any
    non_finite: Any
    dropped: Any

class PointWindow(_Searches):
    def __init__(self, capacity: int, *, like: Optional[Array] = ..., dtype: Any = ..., threads: int = ...,
                 stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> None: ...
    @property
    def capacity(self) -> int: ...
    @property
    def points(self) -> Any: ...
    @property
    def offsets(self) -> Any: ...
    def __len__(self) -> int: ...
    @overload
    def append(self, points: T, box: Optional[Sequence[float]] = ..., *, origin: Optional[Array] = ...,
               stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> WindowChange[T]: ...
    @overload
    def append(self, points: Numbers, box: Optional[Sequence[float]] = ..., *, origin: Optional[Array] = ...,
               stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> WindowChange[Any]: ...
    def keep(self, box: Sequence[float], *, origin: Optional[Array] = ..., stream: Optional[int] = ...,
             workspace: Optional[Allocator] = ...) -> WindowChange[Any]: ...
    def clear(self, *, stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> None: ...

class HashMap:
    def __init__(self, keys: int, *, like: Optional[Array] = ..., key_dtype: Any = ..., value_dtype: Any = ..., load: float = ...,
                 threads: int = ..., stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> None: ...
    @property
    def capacity(self) -> int: ...
    def insert(self, keys: Array, values: Array, *, stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> None: ...
    def insert_or_min(self, keys: Array, values: Array, *, stream: Optional[int] = ...,
                      workspace: Optional[Allocator] = ...) -> None: ...
    def insert_keys(self, keys: Array, *, stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> None: ...
    @overload
    def find(self, keys: T, missing: int = ..., *, stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> T: ...
    @overload
    def find(self, keys: Numbers, missing: int = ..., *, stream: Optional[int] = ...,
             workspace: Optional[Allocator] = ...) -> Any: ...
    @overload
    def find_slots(self, keys: T, *, stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> T: ...
    @overload
    def find_slots(self, keys: Numbers, *, stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> Any: ...
    @overload
    def find_or_insert(self, keys: T, *, stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> T: ...
    @overload
    def find_or_insert(self, keys: Numbers, *, stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> Any: ...
    def extract(self, *, stream: Optional[int] = ..., workspace: Optional[Allocator] = ...) -> Pairs[Any]: ...
