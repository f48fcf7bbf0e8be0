"""farpoint: point-cloud sampling, voxelization and nearest neighbors on CPU and GPU, identical to the bit.

    import farpoint, numpy as np
    points = np.random.rand(100_000, 3).astype(np.float32)
    picks = farpoint.fps(points, 1024)

Functions take numpy arrays, torch tensors, CuPy and JAX arrays, and return arrays of the same kind on the same device. On a GPU
they work on the current stream, wait for nothing and copy nothing; for arrays of JAX, which has no current stream, they wait.
"""

from . import _core
from ._compat import ball_query, distCUDA2, furthest_point_sample, three_interpolate, three_nn
from ._hash_map import HashMap, Pairs
from ._index import PointIndex
from ._sampling import fps, gather, group
from ._screen import OrganizedCamera, PinholeCamera, ScreenNeighbors, SphericalCamera, screen_knn
from ._search import Neighbors, RadiusRows, interpolate, knn, mean_knn_distance, normals, radius
from ._voxelize import voxelize
from ._window import PointWindow, WindowChange

#: True where the package was built with CUDA; whether there is a GPU, cuda_available() says.
has_cuda: bool = _core.built_with_cuda
cuda_available = _core.cuda_available
release_thread_memory = _core.release_thread_memory

__version__ = "0.1.0"

__all__ = [
    "HashMap", "Neighbors", "OrganizedCamera", "Pairs", "PinholeCamera", "PointIndex", "PointWindow", "RadiusRows",
    "ScreenNeighbors", "SphericalCamera", "WindowChange", "ball_query", "cuda_available", "distCUDA2", "fps",
    "furthest_point_sample", "gather", "group", "has_cuda", "interpolate", "knn", "mean_knn_distance", "normals", "radius",
    "release_thread_memory", "screen_knn", "three_interpolate", "three_nn", "voxelize",
]
