import numpy as np
import oracle
import pytest
from clouds import clouds
from hypothesis import given
from hypothesis import strategies as st

import farpoint

CAMERA = farpoint.PinholeCamera(6, 4, (4.0, 4.0), (3.0, 2.0))


def seen(points, camera, layers):
    """Indices of the visible points by a z-buffer, and the pixel of each."""
    pixels = {}
    for i, point in enumerate(points):
        if not np.isfinite(point).all() or not point[2] > 0:
            continue
        x, y = (int(np.floor(camera.focal[a] * (point[a] / point[2]) + camera.center[a])) for a in range(2))
        if 0 <= x < camera.width and 0 <= y < camera.height:
            pixels.setdefault(y * camera.width + x, []).append((point[2], i))
    return {i: pixel for pixel, found in pixels.items() for _, i in sorted(found)[:layers]}


@given(clouds(dtype=np.float64, most=40), st.integers(1, 4), st.integers(1, 3), st.booleans())
def test_neighbors_are_those_that_the_camera_sees(points, k, layers, exclude_self):
    points[:, :2] *= 0.25  # in the middle of pixels' sides no rounding decides
    pixel_of = seen(points, CAMERA, layers)
    visible = np.array(sorted(pixel_of), int)
    found = farpoint.screen_knn(points, k, CAMERA, layers=layers, exclude_self=exclude_self)
    np.testing.assert_array_equal(found.visible, visible)
    np.testing.assert_array_equal(found.pixels, [pixel_of[i] for i in visible])
    near, distances = oracle.knn(points[visible], points[visible], k, exclude_self=exclude_self)
    if len(visible):
        near = np.where(near >= 0, visible[near], -1)
    np.testing.assert_array_equal(found.indices, near)
    np.testing.assert_array_equal(found.distances, distances)
    every = farpoint.screen_knn(points, k, CAMERA, layers=layers, exclude_self=exclude_self, rows="input")
    np.testing.assert_array_equal(every.indices[visible], near)
    hidden = np.setdiff1d(np.arange(len(points)), visible)
    assert (every.indices[hidden] == -1).all() and (every.pixels[hidden] == -1).all()


def test_other_cameras(rng):
    points = rng.standard_normal((12, 3)).astype(np.float32)
    points[5] = 0
    found = farpoint.screen_knn(points, 2, farpoint.OrganizedCamera(4, 3))
    assert found.visible.tolist() == [i for i in range(12) if i != 5] and (found.pixels == found.visible).all()
    ahead = np.array([[1, 0, 0], [2, 0, 0], [-1, 0, 0], [0, 0, 5]], np.float32)
    found = farpoint.screen_knn(ahead, 1, farpoint.SphericalCamera(8, 2, 0.5, -0.5))
    assert found.visible.tolist() == [0, 2]
    # The camera turned round its y axis sees what lies behind.
    behind = farpoint.PinholeCamera(2, 2, (1, 1), (1, 1), rotation=np.diag([-1.0, 1, -1]), translation=(0, 0, 0))
    assert farpoint.screen_knn(np.array([[0, 0, 1], [0, 0, -1]], np.float32), 1, behind).visible.tolist() == [1]
    assert len(farpoint.screen_knn(points, 2, CAMERA, rounds=3).visible) <= 12


def test_screen_knn_says_what_is_wrong():
    points = np.zeros((4, 3), np.float32)
    for arguments, sentence in [({"camera": None}, "camera is no"), ({"rows": "all"}, "no rows 'all'"), ({"k": 0}, "k is 0"),
                                ({"layers": 17}, "layers"), ({"camera": farpoint.PinholeCamera(0, 4, (1, 1), (1, 1))}, "width"),
                                ({"points": points[None]}, r"\(N, 3\)"), ({"camera": farpoint.OrganizedCamera(1, 1, "far")}, "depth"),
                                ({"camera": farpoint.PinholeCamera(4, 4, (1,), (1, 1))}, "parameters")]:
        with pytest.raises(ValueError, match=sentence):
            farpoint.screen_knn(**{"points": points, "k": 1, "camera": CAMERA, **arguments})
