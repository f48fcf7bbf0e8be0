"""A program with types that mypy --strict accepts, by what the package says of its own. It is checked, and not run."""

from typing import Any, List, Tuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import farpoint
import farpoint.distributed


class Tensor:
    """As the type checker sees a tensor of torch, which need not be there."""

    requires_grad: bool

    def data_ptr(self) -> int:
        return 0


def of_arrays(points: NDArray[np.float32]) -> NDArray[np.int64]:
    picks: NDArray[np.int64] = farpoint.fps(points, 16)
    assert_type(farpoint.fps(points, 16, return_distances=True), Tuple[NDArray[Any], NDArray[Any]])
    found = farpoint.knn(points, 4, points[:2])
    assert_type(found, farpoint.Neighbors[NDArray[Any]])
    assert_type(found.distances, NDArray[Any])
    indices, _ = found
    assert_type(indices, NDArray[Any])
    assert_type(farpoint.radius(points, 0.5), farpoint.RadiusRows[NDArray[Any]])
    assert_type(farpoint.radius(points, 0.5, edge_index=True), NDArray[Any])
    assert_type(farpoint.normals(points), NDArray[Any])
    assert_type(farpoint.normals(points, return_covariances=True), Tuple[NDArray[Any], NDArray[Any]])
    assert_type(farpoint.normals(points, return_curvature=True, return_covariances=True), Tuple[NDArray[Any], NDArray[Any], NDArray[Any]])
    assert_type(farpoint.voxelize(points, 0.5, (0, 0, 0, 1, 1, 1))["mean"], NDArray[Any])
    assert_type(farpoint.three_nn(points, points), Tuple[NDArray[Any], NDArray[Any]])
    camera = farpoint.PinholeCamera(8, 8, (1.0, 1.0), (4.0, 4.0))
    assert_type(farpoint.screen_knn(points, 2, camera).visible, NDArray[Any])
    index = farpoint.PointIndex(points)
    assert_type(index.knn(3, points), farpoint.Neighbors[NDArray[Any]])
    assert_type(index.radius(0.5, points), farpoint.RadiusRows[NDArray[Any]])
    assert_type(index.radius(0.5, points, 8), farpoint.Neighbors[NDArray[Any]])
    assert_type(len(index), int)
    window = farpoint.PointWindow(100)
    assert_type(window.append(points, (0, 0, 0, 1, 1, 1)).kept, Any)
    assert_type(window.knn(3, points), farpoint.Neighbors[NDArray[Any]])
    assert_type(window.radius(0.5, points), farpoint.RadiusRows[NDArray[Any]])
    table = farpoint.HashMap(10)
    table.insert([1], [2])
    assert_type(table.extract().keys, Any)
    return picks


def of_ranks(points: NDArray[np.float32], tensor: Tensor) -> NDArray[np.int64]:
    assert_type(farpoint.distributed.fps(points, 16, timeout=5.0, return_distances=True), Tuple[NDArray[Any], NDArray[Any]])
    assert_type(farpoint.distributed.knn(tensor, 4, group=None), farpoint.Neighbors[Tensor])
    assert_type(farpoint.distributed.radius(points, 0.5, max_neighbors=4), farpoint.Neighbors[NDArray[Any]])
    assert_type(farpoint.distributed.voxelize(points, 0.5, (0, 0, 0, 1, 1, 1))["numbers"], NDArray[Any])
    farpoint.distributed.radius(points, 0.5)  # type: ignore[call-overload]
    return farpoint.distributed.fps(points, 16)


def of_tensors(points: Tensor) -> Tensor:
    assert_type(farpoint.knn(points, 3), farpoint.Neighbors[Tensor])
    assert_type(farpoint.voxelize(points, 0.5, (0, 0, 0, 1, 1, 1))["coords"], Tensor)
    assert_type(farpoint.PointIndex(points).radius(0.5, points), farpoint.RadiusRows[Tensor])
    window = farpoint.PointWindow(100, like=points)
    assert_type(window.append(points), farpoint.WindowChange[Tensor])
    assert_type(window.knn(3, points).indices, Tensor)
    return farpoint.gather(points, farpoint.fps(points, 4))


def of_lists(points: List[List[float]]) -> NDArray[Any]:
    return farpoint.mean_knn_distance(points)


def wrong(points: NDArray[np.float32], tensor: Tensor) -> None:
    # Each of these must be an error: --strict reports a remark that has nothing to silence.
    farpoint.fps(points)  # type: ignore[call-overload]
    farpoint.fps(points, 4, samples_of="each")  # type: ignore[call-overload]
    farpoint.knn(points, "four")  # type: ignore[call-overload]
    farpoint.voxelize(4, 0.5, (0, 0, 0, 1, 1, 1))  # type: ignore[call-overload]
    name: str = farpoint.fps(tensor, 4)  # type: ignore[assignment]
    array: NDArray[Any] = farpoint.gather(tensor, [1])  # type: ignore[assignment]
    print(name, array)
