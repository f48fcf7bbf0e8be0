"""Types of the module: as those of the package, a call on tensors returns tensors, one on arrays or lists arrays of numpy."""

import datetime
from typing import Any, Dict, List, Literal, Optional, Sequence, Tuple, Union, overload

from numpy.typing import NDArray

from . import Array, Neighbors, Numbers, T

__all__: List[str]
Timeout = Union[float, datetime.timedelta]

@overload
def fps(points: T, samples: int, *, first: int = ..., seed: Optional[int] = ..., chosen: Optional[Array] = ...,
        stop_below: float = ..., return_distances: Literal[False] = ..., index_dtype: Any = ..., threads: int = ...,
        group: Any = ..., timeout: Timeout = ...) -> T: ...
@overload
def fps(points: T, samples: int, *, first: int = ..., seed: Optional[int] = ..., chosen: Optional[Array] = ...,
        stop_below: float = ..., return_distances: Literal[True], index_dtype: Any = ..., threads: int = ...,
        group: Any = ..., timeout: Timeout = ...) -> Tuple[T, T]: ...
@overload
def fps(points: Numbers, samples: int, *, first: int = ..., seed: Optional[int] = ..., chosen: Optional[Array] = ...,
        stop_below: float = ..., return_distances: Literal[False] = ..., index_dtype: Any = ..., threads: int = ...,
        group: Any = ..., timeout: Timeout = ...) -> NDArray[Any]: ...
@overload
def fps(points: Numbers, samples: int, *, first: int = ..., seed: Optional[int] = ..., chosen: Optional[Array] = ...,
        stop_below: float = ..., return_distances: Literal[True], index_dtype: Any = ..., threads: int = ...,
        group: Any = ..., timeout: Timeout = ...) -> Tuple[NDArray[Any], NDArray[Any]]: ...
@overload
def fps(points: Array, samples: int, *, first: int = ..., seed: Optional[int] = ..., chosen: Optional[Array] = ...,
        stop_below: float = ..., return_distances: bool = ..., index_dtype: Any = ..., threads: int = ...,
        group: Any = ..., timeout: Timeout = ...) -> Any: ...
@overload
def knn(points: T, k: int, queries: Optional[Array] = ..., *, max_radius: float = ..., exclude_self: bool = ...,
        index_dtype: Any = ..., threads: int = ..., group: Any = ..., timeout: Timeout = ...) -> Neighbors[T]: ...
@overload
def knn(points: Numbers, k: int, queries: Optional[Array] = ..., *, max_radius: float = ..., exclude_self: bool = ...,
        index_dtype: Any = ..., threads: int = ..., group: Any = ..., timeout: Timeout = ...) -> Neighbors[NDArray[Any]]: ...
@overload
def radius(points: T, radius: float, queries: Optional[Array] = ..., *, max_neighbors: int, order: str = ...,
           exclude_self: bool = ..., exclusive: bool = ..., index_dtype: Any = ..., threads: int = ..., group: Any = ...,
           timeout: Timeout = ...) -> Neighbors[T]: ...
@overload
def radius(points: Numbers, radius: float, queries: Optional[Array] = ..., *, max_neighbors: int, order: str = ...,
           exclude_self: bool = ..., exclusive: bool = ..., index_dtype: Any = ..., threads: int = ..., group: Any = ...,
           timeout: Timeout = ...) -> Neighbors[NDArray[Any]]: ...
@overload
def voxelize(points: T, voxel_size: Any, point_range: Sequence[float], *, max_points: Optional[int] = ...,
             max_voxels: Optional[int] = ..., outputs: Optional[Sequence[str]] = ..., columns: str = ..., dtype: Any = ...,
             gather: bool = ..., threads: int = ..., group: Any = ..., timeout: Timeout = ...) -> Dict[str, T]: ...
@overload
def voxelize(points: Numbers, voxel_size: Any, point_range: Sequence[float], *, max_points: Optional[int] = ...,
             max_voxels: Optional[int] = ..., outputs: Optional[Sequence[str]] = ..., columns: str = ..., dtype: Any = ...,
             gather: bool = ..., threads: int = ..., group: Any = ..., timeout: Timeout = ...) -> Dict[str, NDArray[Any]]: ...
