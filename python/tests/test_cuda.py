"""Calls on a GPU: results equal to the host's in every bit, the current stream, no synchronization, no copies. Skipped without a GPU."""

import gc
import os
import time

import numpy as np
import pytest

import farpoint

if not (farpoint.has_cuda and farpoint.cuda_available()):
    pytest.skip("there is no usable GPU, or farpoint is built without CUDA", allow_module_level=True)
torch = pytest.importorskip("torch", reason="GPU arrays are tested with torch's tensors")
if not torch.cuda.is_available():
    pytest.skip("torch has no GPU", allow_module_level=True)

BOX = (-3, -3, -3, 3, 3, 3)


def calls(points, queries, features, channels):
    """Yields the name and the results of a call of each function, for tensors or arrays."""
    camera = farpoint.PinholeCamera(32, 24, (16, 16), (16, 12), translation=(0, 0, 5))
    picks = farpoint.fps(points, 20)
    groups = farpoint.ball_query(0.8, 6, points, queries)
    dist, idx = farpoint.three_nn(queries, points)
    index = farpoint.PointIndex(points)
    yield "fps", (picks,)
    yield "fps from a seed", farpoint.fps(points, 20, seed=9, return_distances=True)
    yield "gather", (farpoint.gather(points, picks),)
    yield "group", (farpoint.group(channels, groups),)
    yield "knn", farpoint.knn(points, 5)
    yield "knn of queries", farpoint.knn(points, 5, queries, max_radius=1.0)
    yield "radius", farpoint.radius(points, 0.5, queries)
    yield "edges", (farpoint.radius(points, 0.5, edge_index=True),)
    yield "normals", farpoint.normals(points, 8, return_curvature=True, return_covariances=True)
    yield "means", (farpoint.mean_knn_distance(points, 4),)
    yield "interpolate", (farpoint.interpolate(points, features, queries),)
    yield "furthest", (farpoint.furthest_point_sample(points, 20, rules="openpcdet"),)
    yield "ball query", (groups,)
    yield "three_nn", (dist, idx)
    yield "distCUDA2", (farpoint.distCUDA2(points[0]),)
    yield "index", index.knn(4, queries)
    yield "index within", index.radius(0.7, queries, 8)
    yield "index itself", index.knn(3)
    yield "index lists", index.radius(0.5, queries)
    yield "index lists of itself", index.radius(0.3, exclude_self=True)
    yield "index lists by distance", index.radius(0.6, queries, order="nearest", exclusive=True, index_dtype="int32")
    yield "index between", (index.interpolate(features, queries),)
    yield "screen", farpoint.screen_knn(points[0], 3, camera, rows="input")[:3]
    voxels = farpoint.voxelize(points, 0.5, BOX, max_points=4, max_voxels=100)
    count = int(voxels["voxel_count"][0])
    yield "voxels", tuple(voxels[name][:count] for name in ("coords", "num_points", "voxels", "mean"))
    bounded = farpoint.voxelize(points, 0.5, outputs=["coords", "mean"])
    count = int(bounded["voxel_count"][0])
    yield "voxels within their bounds", (bounded["coords"][:count], bounded["mean"][:count], bounded["point_range"])
    flat, cut = points.reshape(-1, 3), {"lengths": [points.shape[1]] * points.shape[0]}
    yield "ragged", farpoint.knn(flat, 3, **cut)
    yield "lists of a ragged index", farpoint.PointIndex(flat, **cut).radius(0.4, order="nearest")
    gaps = {"offsets": [3, 500, 900, 1400], "query_offsets": [0, 70, 150, 230]}
    yield "ragged balls", (farpoint.ball_query(0.8, 6, flat, queries.reshape(-1, 3), **gaps),)
    yield "ragged three_nn", farpoint.three_nn(queries.reshape(-1, 3), flat, **gaps)
    yield "ragged furthest", (farpoint.furthest_point_sample(flat, 20, offsets=gaps["offsets"]),)
    yield "edges that fit", (farpoint.radius(flat, 0.5, edge_index=True, capacity=3000, offsets=gaps["offsets"]),)


def made(dtype=torch.float32):
    torch.manual_seed(1)
    points, queries = torch.randn(3, 500, 3, dtype=dtype), torch.randn(3, 80, 3, dtype=dtype)
    points[0, 7] = float("nan")
    features = torch.randn(3, 500, 6)
    return points, queries, features, features.transpose(1, 2).contiguous()


def host(array):
    return array.cpu().numpy() if isinstance(array, torch.Tensor) else np.asarray(array)


def test_bits_are_those_of_the_host():
    tensors = made()
    on_gpu = list(calls(*(tensor.cuda() for tensor in tensors)))
    on_host = list(calls(*(tensor.numpy() for tensor in tensors)))
    assert len(on_gpu) == len(on_host)
    for (name, found), (_, expected) in zip(on_gpu, on_host):
        for one, other in zip(found, expected):
            assert one.is_cuda, name
            np.testing.assert_array_equal(host(one), other, err_msg=name)


def test_a_map_on_the_gpu():
    like = torch.zeros(1, device="cuda")
    table = farpoint.HashMap(1000, like=like)
    keys = torch.randint(0, 500, (2000,), device="cuda")
    values = torch.randint(0, 10**6, (2000,), device="cuda")
    table.insert_or_min(keys, values)
    smallest = torch.full((500,), 2**40, device="cuda").scatter_reduce(0, keys, values, "amin")
    assert torch.equal(table.find(keys), smallest[keys])
    pairs = table.extract()
    assert torch.equal(pairs.keys[:int(pairs.count)], keys.unique())


def test_a_capture_shows_that_nothing_waits():
    points, queries, features, channels = (tensor.cuda() for tensor in made())
    farpoint.knn(points, 5, queries)  # initializes the library before the capture
    table = farpoint.HashMap(100, like=points)
    keys = torch.arange(50, device="cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        picks = farpoint.fps(points, 20)
        sampled = farpoint.gather(points, picks)
        found = farpoint.knn(points, 5, queries)
        rows = farpoint.radius(points, 0.5, queries, capacity=4000)
        groups = farpoint.ball_query(0.8, 6, points, queries)
        grouped = farpoint.group(channels, groups)
        normals = farpoint.normals(points, 8)
        means = farpoint.mean_knn_distance(points)
        between = farpoint.interpolate(points, features, queries)
        voxels = farpoint.voxelize(points, 0.5, BOX, max_points=4, max_voxels=100)
        table.insert(keys, keys)
    other = torch.randn_like(points)
    points.copy_(other)
    graph.replay()
    torch.cuda.synchronize()
    expected = farpoint.fps(other, 20)
    assert torch.equal(picks, expected) and torch.equal(sampled, farpoint.gather(other, expected))
    assert torch.equal(found.indices, farpoint.knn(other, 5, queries).indices)
    assert torch.equal(rows.offsets, farpoint.radius(other, 0.5, queries).offsets)
    assert torch.equal(groups, farpoint.ball_query(0.8, 6, other, queries)) and torch.equal(grouped, farpoint.group(channels, groups))
    assert torch.equal(normals, farpoint.normals(other, 8)) and torch.equal(means, farpoint.mean_knn_distance(other))
    assert torch.equal(between, farpoint.interpolate(other, features, queries))
    assert torch.equal(voxels["coords"], farpoint.voxelize(other, 0.5, BOX, max_points=4, max_voxels=100)["coords"])
    assert torch.equal(table.find(keys), keys)


def test_the_current_stream_is_used():
    points = torch.zeros(2000, 3, device="cuda")
    other = torch.randn(2000, 3, device="cuda")
    expected = farpoint.fps(other, 50)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # later work on this stream waits; a call on another stream would read zeros
        points.copy_(other)
        start = time.perf_counter()
        picks = farpoint.fps(points, 50)
        assert not stream.query(), "the call waited for its stream"
        assert time.perf_counter() - start < 0.05
    stream.synchronize()
    assert torch.equal(picks, expected)
    assert torch.equal(farpoint.fps(other, 50, stream=torch.cuda.current_stream().cuda_stream), expected)


def test_all_of_a_call_follows_the_stream_that_is_given():
    torch.manual_seed(3)
    other = torch.randn(3000, 3, device="cuda")
    gaps = torch.tensor([5, 1000, 2000, 2900], device="cuda")
    keys = torch.arange(3000, device="cuda")

    def answers(points, key, table, **options):
        found = [farpoint.radius(points, 0.3, edge_index=True, **options), farpoint.radius(points, 0.3, **options).indices]
        found += [*farpoint.knn(points, 4, offsets=gaps, **options), farpoint.normals(points, 5, offsets=gaps, **options)]
        found += [farpoint.ball_query(0.4, 5, points, points, **options), farpoint.distCUDA2(points, **options)]
        found += [*farpoint.three_nn(points, points, **options)]
        found += [farpoint.furthest_point_sample(points, 30, rules="pointnet2_ops", **options)]
        found += [farpoint.PointIndex(points, **options).knn(3, points, **options).indices]
        table.insert(key, key, **options)
        found += [table.find(key, **options)]
        return found + list(farpoint.voxelize(points, 0.5, BOX, max_points=3, max_voxels=2000, offsets=gaps, **options).values())

    expected = answers(other, keys, farpoint.HashMap(4000, like=other))
    points, key, table = torch.zeros_like(other), torch.zeros_like(keys), farpoint.HashMap(4000, like=other)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)  # a read or a fill on the current stream would come too early
        points.copy_(other)
        key.copy_(keys)
    found = answers(points, key, table, stream=stream.cuda_stream)
    stream.synchronize()
    for number, (one, wanted) in enumerate(zip(found, expected)):
        assert torch.equal(one, wanted), number
    assert torch.cuda.current_stream() != stream


def test_allocators_that_give_no_memory():
    points = torch.randn(3000, 3, device="cuda")
    for wrong, sentence in ((lambda size: None, "neither an address nor an array"), (lambda size: "memory", "neither an address"),
                            (lambda size: torch.empty(1, device="cuda"), "smaller than"), (lambda size: 257, "256-byte")):
        with pytest.raises(ValueError, match=sentence):
            farpoint.knn(points, 3, workspace=wrong)


def test_no_copies_of_what_is_strided():
    wide = torch.randn(1_000_000, 8, device="cuda")
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    used = []

    def allocate(size):
        used.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
        return used[-1]

    found = farpoint.mean_knn_distance(wide[:, 2:5], 3, workspace=allocate)
    grown = torch.cuda.max_memory_allocated() - before - sum(one.numel() for one in used)
    assert grown < found.numel() * 4 + (1 << 21), "the points were copied"
    assert torch.equal(found, farpoint.mean_knn_distance(wide[:, 2:5].contiguous(), 3))
    addresses = farpoint.mean_knn_distance(wide[:, 2:5], 3, workspace=lambda size: used[0].data_ptr())
    assert torch.equal(addresses, found)


def test_outputs_and_workspaces_are_of_torchs_allocator():
    points = torch.rand(5000, 3, device="cuda")
    farpoint.knn(points, 8)
    gc.collect()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    found = farpoint.knn(points, 8)
    grown = torch.cuda.memory_allocated() - before
    assert grown == sum(-(-one.numel() * one.element_size() // 512) * 512 for one in found), "a workspace is still there"
    assert torch.cuda.max_memory_allocated() > before + grown, "the workspace is of another allocator"

    # Memory that another stream uses is not reused until that stream is done.
    expected, address = found.distances.clone(), found.distances.data_ptr()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        read = found.distances.clone()
    found.distances.record_stream(stream)
    shape = found.distances.shape
    del found
    fresh = [torch.full(shape, -1.0, device="cuda") for _ in range(3)]
    assert all(one.data_ptr() != address for one in fresh)
    stream.synchronize()
    assert torch.equal(read, expected)


def test_rows_of_voxels_that_are_none_are_zeros():
    points = torch.rand(2, 300, 5, device="cuda")
    every = ["coords", "num_points", "voxels", "mean", "max", "first", "centroid", "list_points"]
    for dtype in ("float32", "float16", "float64"):
        cloud = points.double() if dtype == "float64" else points
        for options in ({"max_points": 3, "max_voxels": 250}, {}, {"outputs": ["coords", "mean"], "capacity": 211},
                        {"max_points": 3, "max_voxels": 250, "outputs": every}, {"outputs": ["max", "list_points"], "capacity": 20}):
            torch.full((1 << 16,), 7.0, device="cuda")  # leaves nonzero memory in the pool
            found = farpoint.voxelize(cloud, 0.4, (0, 0, 0, 1, 1, 1), dtype=dtype, **options)
            count = int(found["voxel_count"])
            for name in set(every[:-1]) & set(found):
                assert len(found[name]) >= count and not found[name][count:].any(), name
                kind = torch.int32 if name in ("coords", "num_points") else cloud.dtype if name == "centroid" else getattr(torch, dtype)
                assert found[name].dtype == kind
            expected = farpoint.voxelize(cloud.cpu(), 0.4, (0, 0, 0, 1, 1, 1), dtype=dtype, **options)
            for name in set(every) & set(expected):
                assert torch.equal(found[name][:len(expected[name])].cpu(), expected[name]), name
            if "list_offsets" in found:
                ends, listed = found["list_offsets"].cpu(), len(expected["list_points"])
                assert torch.equal(ends[:count + 1], expected["list_offsets"]) and (ends[count:] == listed).all()
                assert (found["list_points"][listed:] == -1).all() and len(found["list_points"]) == 600


def test_means_of_float64_points_are_added_in_float64():
    # From few points in a voxel to numbers that a warp or a block adds; features follow the coordinates.
    for count in (3, 40, 700, 20000):
        points = torch.rand(count, 5, dtype=torch.float64, device="cuda") + torch.tensor([5e5, 5.4e6, 100, 1e9, 0], device="cuda")
        box = (5e5, 5.4e6, 100, 500001, 5400001, 101)
        outputs = ["voxels", "mean", "max", "first", "centroid"]
        for dtype in (None, "float32"):
            found = farpoint.voxelize(points, 1.0, box, outputs=outputs, max_points=count, max_voxels=1, dtype=dtype)
            expected = farpoint.voxelize(points.cpu(), 1.0, box, outputs=outputs, max_points=count, max_voxels=1, dtype=dtype)
            assert all(torch.equal(found[name].cpu(), expected[name]) for name in outputs)
        torch.testing.assert_close(found["centroid"][0], points[:, :3].mean(0), rtol=1e-12, atol=0)


def test_memory_of_two_kinds_does_not_mix():
    points = torch.zeros(4, 3, device="cuda")
    for queries in (torch.zeros(4, 3), np.zeros((4, 3), np.float32)):
        with pytest.raises(ValueError, match="another memory or of another library"):
            farpoint.knn(points, 1, queries)
    with pytest.raises(ValueError, match="another device than the index"):
        farpoint.PointIndex(points).knn(1, torch.zeros(1, 3))


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="there is one GPU")
def test_the_tensors_device_is_used():
    points = torch.randn(500, 3, device="cuda:1")
    assert torch.cuda.current_device() == 0
    found = farpoint.knn(points, 3).indices
    assert found.device == points.device and torch.cuda.current_device() == 0
    np.testing.assert_array_equal(host(found), farpoint.knn(host(points), 3).indices)


@pytest.fixture
def cupy():
    library = pytest.importorskip("cupy", reason="CuPy is not installed: its arrays are not tested")
    if library.cuda.runtime.getDeviceCount() == 0:
        pytest.skip("CuPy has no GPU: its arrays are not tested")
    return library


def test_arrays_of_cupy_have_the_bits_of_the_host(cupy):
    arrays = [tensor.numpy() for tensor in made()]
    with cupy.cuda.Stream(non_blocking=True) as stream:
        on_gpu = list(calls(*(cupy.asarray(array) for array in arrays)))
    stream.synchronize()
    for (name, found), (_, expected) in zip(on_gpu, calls(*arrays)):
        for one, other in zip(found, expected):
            assert isinstance(one, cupy.ndarray), name
            np.testing.assert_array_equal(one.get(), other, err_msg=name)


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_calls_leave_nothing_behind(library, request):
    points = torch.rand(100, 3, device="cuda")
    if library == "cupy":
        points = request.getfixturevalue("cupy").asarray(points)

    def alive():
        gc.collect()
        # The attribute __module__ of some types is a descriptor and not a string.
        return sum(str(type(one).__module__).startswith("farpoint") for one in gc.get_objects())

    farpoint.fps(points, 5)
    before = alive()
    for _ in range(20):
        farpoint.fps(points, 5)
        farpoint.knn(points, 3)
    assert alive() == before


def test_cupys_current_stream_is_used(cupy):
    spin = cupy.RawKernel("""
        extern "C" __global__ void spin(long long ticks) {
          long long const begin = clock64();
          while (clock64() - begin < ticks) {}
        }""", "spin")
    other = cupy.asarray(np.random.default_rng(6).standard_normal((2000, 3)).astype(np.float32))
    points, expected = cupy.zeros_like(other), farpoint.fps(other, 50)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        spin((1,), (1,), (1,))
        farpoint.fps(other, 50)  # initializes the library before the measurement
        stream.synchronize()
        spin((1,), (1,), (200_000_000,))  # later work on this stream waits; a call on another stream would read zeros
        points[...] = other
        picks = farpoint.fps(points, 50)
        assert not stream.done, "the call waited for its stream"
    stream.synchronize()
    assert (picks == expected).all()
    address = cupy.cuda.Stream(non_blocking=True)
    picks = farpoint.fps(points, 50, stream=address.ptr)
    address.synchronize()
    assert (picks == expected).all()


def test_cupy_captures_calls(cupy):
    given = cupy.asarray(np.random.default_rng(7).standard_normal((2, 400, 3)).astype(np.float32))
    other = cupy.asarray(np.random.default_rng(8).standard_normal((2, 400, 3)).astype(np.float32))
    expected = [farpoint.fps(other, 20), *farpoint.knn(other, 5), farpoint.mean_knn_distance(other)]
    points = given.copy()

    def enqueue():
        return [farpoint.fps(points, 20), *farpoint.knn(points, 5), farpoint.mean_knn_distance(points)]

    with cupy.cuda.Stream(non_blocking=True) as stream:
        enqueue()  # initializes the library, and leaves its memory in the pool
        stream.synchronize()
        stream.begin_capture()
        found = enqueue()
        graph = stream.end_capture()
        points[...] = other
        graph.launch(stream)
        stream.synchronize()
    for one, wanted in zip(found, expected):
        assert (one == wanted).all()


def test_cupys_strides_and_allocators(cupy):
    wide = cupy.asarray(np.random.default_rng(9).standard_normal((3000, 8)).astype(np.float32))
    expected = farpoint.mean_knn_distance(wide[:, 2:5].get(), 3)
    kept = []

    def allocate(size):
        kept.append(cupy.empty(size, cupy.uint8))
        return kept[-1].data.ptr

    for options in ({}, {"workspace": allocate}, {"workspace": lambda size: cupy.empty(size, cupy.uint8)}):
        found = farpoint.mean_knn_distance(wide[:, 2:5], 3, **options)
        np.testing.assert_array_equal(found.get(), expected)
    assert kept
    backwards = farpoint.fps(wide[::-1, 2:5], 40)
    np.testing.assert_array_equal(backwards.get(), farpoint.fps(wide[::-1, 2:5].get(), 40))


@pytest.fixture(params=[False, True], ids=["32 bits", "64 bits"])
def jax(request):
    """JAX with a GPU, and functions from and to arrays of numpy."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    library = pytest.importorskip("jax", reason="JAX is not installed: its arrays are not tested")
    try:
        device = library.devices("gpu")[0]
    except RuntimeError:
        pytest.skip("JAX has no GPU: its arrays on one are not tested")
    before = library.config.jax_enable_x64
    library.config.update("jax_enable_x64", request.param)
    yield library, lambda array: library.device_put(array, device)
    library.config.update("jax_enable_x64", before)


def test_arrays_of_jax_in_host_memory():
    jax = pytest.importorskip("jax", reason="JAX is not installed: its arrays are not tested")
    points = np.random.default_rng(10).standard_normal((400, 3)).astype(np.float32)
    found = farpoint.fps(jax.device_put(points, jax.devices("cpu")[0]), 20)
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, farpoint.fps(points, 20))


def test_arrays_of_jax_have_the_bits_of_the_host(jax):
    library, there = jax
    points, queries = (np.random.default_rng(10).standard_normal((n, 3)).astype(np.float32) for n in (4000, 700))
    lengths = np.array([1000, 0, 3000], np.int32)

    def calls(points, queries, lengths):
        yield from farpoint.knn(points, 5, queries)
        yield from farpoint.radius(points, 0.3, queries)
        yield farpoint.radius(points, 0.2, edge_index=True)
        yield from farpoint.fps(points, 30, return_distances=True)
        yield from farpoint.knn(points, 5, lengths=lengths)
        yield from farpoint.normals(points, return_curvature=True)
        yield farpoint.furthest_point_sample(points, 30, rules="openpcdet")
        yield farpoint.voxelize(points, 0.3, (-3, -3, -3, 3, 3, 3))["point_voxel"]
        index = farpoint.PointIndex(points)
        yield from index.knn(3, queries)
        yield from index.radius(0.3, queries)
        window = farpoint.PointWindow(3000, like=points)
        change = window.append(points, (-1, -1, -1, 1, 1, 1))
        yield change.sources
        yield from window.knn(3, queries)

    expected = calls(points, queries, lengths)
    for one, other in zip(calls(*map(there, (points, queries, lengths))), expected):
        assert isinstance(one, library.Array) and one.devices() == there(points).devices()
        np.testing.assert_array_equal(np.asarray(one), other)
        assert library.config.jax_enable_x64 or one.dtype.itemsize == 4
    table = farpoint.HashMap(9, like=there(points), key_dtype="int32", value_dtype="int32")
    table.insert(there(np.int32([4, 2])), there(np.int32([40, 20])))
    assert table.find(there(np.int32([2, 3, 4]))).tolist() == [20, -1, 40]


def test_jax_and_a_call_wait_for_each_other(jax):
    library, there = jax
    points = np.random.default_rng(11).standard_normal((2000, 3)).astype(np.float32)
    expected = farpoint.fps(points, 50)

    @library.jit
    def late(points):  # by work that takes much longer than the call's enqueueing
        return points + library.lax.fori_loop(0, 2000, lambda _, zero: zero @ zero, library.numpy.zeros((2048, 2048)))[0, 0]

    for _ in range(5):
        given = late(there(points))
        found = farpoint.fps(given, 50)
        del given
        np.testing.assert_array_equal(np.asarray(found + 0), expected)


def test_what_jax_traces_and_streams_are_refused(jax):
    library, there = jax
    points = there(np.zeros((9, 3), np.float32))
    with pytest.raises(ValueError, match="jax.pure_callback"):
        library.jit(lambda given: farpoint.knn(given, 1).indices)(points)
    with pytest.raises(ValueError, match="stream is of arrays of torch and CuPy"):
        farpoint.knn(points, 1, stream=torch.cuda.current_stream().cuda_stream)
    with pytest.raises(ValueError, match="another library"):
        farpoint.knn(points, 1, torch.zeros(2, 3, device="cuda"))


class OfAnUnknownLibrary:
    """An array on a GPU of which only DLPack is known."""

    def __init__(self, tensor):
        self.tensor, self.streams = tensor, []

    def __dlpack__(self, *, stream=None, **options):
        self.streams.append(stream)
        return self.tensor.__dlpack__(stream=stream, **options)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


def test_arrays_of_an_unknown_library():
    points = torch.randn(500, 3, device="cuda")
    expected = farpoint.knn(points, 3)
    with torch.cuda.stream(torch.cuda.Stream()) as _:
        stream, given = torch.cuda.current_stream(), OfAnUnknownLibrary(points)
        stream.wait_stream(torch.cuda.default_stream())
        for found in (farpoint.knn(given, 3), farpoint.knn(points, 3, given)):
            assert isinstance(found.indices, torch.Tensor) and torch.equal(found.indices, expected.indices)
    assert set(given.streams) == {stream.cuda_stream}  # which the library has wait for the array


def test_cupy_and_torch_do_not_mix(cupy):
    points = cupy.zeros((4, 3), cupy.float32)
    for queries in (torch.zeros(4, 3, device="cuda"), np.zeros((4, 3), np.float32)):
        with pytest.raises(ValueError, match="another memory or of another library"):
            farpoint.knn(points, 1, queries)


def test_an_index_is_let_go_while_another_stream_searches_it():
    points, queries = torch.rand(200_000, 3, device="cuda"), torch.rand(50_000, 3, device="cuda")
    expected = farpoint.knn(points, 4, queries)
    build, search = torch.cuda.Stream(), torch.cuda.Stream()
    pool = {"workspace": lambda size: torch.empty(size, dtype=torch.uint8, device="cuda")}
    for options in ({}, pool, {"stream": build.cuda_stream}):
        torch.cuda.synchronize()
        with torch.cuda.stream(build):
            index = farpoint.PointIndex(points, **options)
        search.wait_stream(build)
        with torch.cuda.stream(search):
            torch.cuda._sleep(200_000_000)  # longer than the enqueueing below takes
            found = index.knn(4, queries)
        del index
        with torch.cuda.stream(build):  # the index's memory is in the pool of this stream
            spoiled = [torch.full((size,), 0xFF, dtype=torch.uint8, device="cuda") for size in (1 << 20, 1 << 23, 1 << 25) for _ in range(8)]
        torch.cuda.synchronize()
        assert torch.equal(found.indices, expected.indices) and torch.equal(found.distances, expected.distances)
        del spoiled, found


def test_a_pickle_of_an_index_is_of_its_device():
    import pickle

    points = torch.rand(500, 3, device="cuda")
    index = farpoint.PointIndex(points)
    other = pickle.loads(pickle.dumps(index))
    assert repr(other) == repr(index) == "PointIndex(500 points, float32, cuda:0)"
    assert torch.equal(other.knn(3).indices, index.knn(3).indices)


def slides():
    """Scans, boxes and origins for a window that overflows, empties and fills."""
    rng = np.random.default_rng(12)
    for second in range(6):
        scan = rng.standard_normal((400, 3)).astype(np.float32) * 3
        scan[::50] = np.nan
        yield scan, (None if second == 2 else (-4, -4, -4, 4, 4, 4)), np.float32([second, 0, 0])


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_a_window_is_that_of_the_host(library, request):
    here, there = (host, lambda array: torch.from_numpy(array).cuda())
    if library == "cupy":
        found = request.getfixturevalue("cupy")
        here, there = found.asnumpy, found.asarray
    queries = np.random.default_rng(13).standard_normal((50, 3)).astype(np.float32)
    ours, theirs = farpoint.PointWindow(700), farpoint.PointWindow(700, like=there(queries))
    for scan, box, origin in slides():
        origin = None if box is None else origin
        expected = ours.append(scan, box, origin=origin)
        change = theirs.append(there(scan), box, origin=None if origin is None else there(origin))
        assert [int(count) for count in change[1:]] == list(expected[1:]) and len(theirs) == len(ours)
        np.testing.assert_array_equal(here(change.sources), expected.sources)
        np.testing.assert_array_equal(here(theirs.points)[:len(ours)], ours.points)
        for one, other in ((theirs.knn(5, there(queries)), ours.knn(5, queries)),
                           (theirs.radius(1.0, there(queries)), ours.radius(1.0, queries)),
                           (theirs.radius(1.0, there(queries), 8), ours.radius(1.0, queries, 8))):
            for found, wanted in zip(one, other):
                np.testing.assert_array_equal(here(found), wanted)
        np.testing.assert_array_equal(here(theirs.knn(4).indices)[:len(ours)], ours.knn(4).indices)
    theirs.clear()
    assert len(theirs) == 0


def test_a_graph_slides_a_window_on():
    box = (-4, -4, -4, 4, 4, 4)
    scan, origin = torch.zeros(400, 3, device="cuda"), torch.zeros(3, device="cuda")
    queries = torch.randn(50, 3, device="cuda")
    ours, theirs = farpoint.PointWindow(700), farpoint.PointWindow(700, like=scan)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        theirs.append(scan, box, origin=origin)
        theirs.knn(5, queries)
        theirs.clear()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        change = theirs.append(scan, box, origin=origin)
        found = theirs.knn(5, queries)
    theirs.clear()
    for points, _, place in slides():
        scan.copy_(torch.from_numpy(points))
        origin.copy_(torch.from_numpy(place))
        graph.replay()
        expected = ours.append(points, box, origin=place)
        assert [int(count) for count in change[1:]] == list(expected[1:])
        for one, other in zip(found, ours.knn(5, host(queries))):
            np.testing.assert_array_equal(host(one), other)
