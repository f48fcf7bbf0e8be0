"""farpoint.mmcv_ops against mmcv's kernels, restated as loops over all pairs."""

import inspect
import math

import numpy as np
import pytest

import farpoint

torch = pytest.importorskip("torch", reason="torch is not installed: the functions of mmcv are not tested")
mm = pytest.importorskip("farpoint.mmcv_ops")
fpt = pytest.importorskip("farpoint.torch")

DEVICES = ["cpu", *(["cuda"] if farpoint.has_cuda and farpoint.cuda_available() and torch.cuda.is_available() else [])]
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(6)
    return request.param


def lattice(clouds, count, dtype, rng, device="cpu", spread=3):
    """Whole numbers: distances are exact in every type, and many are equal."""
    return torch.from_numpy(rng.integers(-spread, spread + 1, (clouds, count, 3))).to(dtype).to(device)


def array(tensor):
    return tensor.detach().cpu().double().numpy()


def distances(points, queries):
    """Squared distances [queries, points]; a distance to a point that is not finite is no number."""
    with np.errstate(invalid="ignore"):
        return ((array(queries)[:, None] - array(points)[None])**2).sum(2)


def equal(found, expected, dtype=torch.int32):
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.detach().cpu().numpy(), expected)


def test_signatures_are_those_of_mmcv():
    expected = {
        mm.furthest_point_sample: "points_xyz num_points",
        mm.ball_query: "min_radius max_radius sample_num xyz center_xyz xyz_batch_cnt center_xyz_batch_cnt",
        mm.gather_points: "features indices",
        mm.grouping_operation: "features indices features_batch_cnt indices_batch_cnt",
        mm.three_nn: "target source",
        mm.three_interpolate: "features indices weight",
        mm.knn: "k xyz center_xyz transposed",
        mm.QueryAndGroup: "max_radius sample_num min_radius use_xyz return_grouped_xyz normalize_xyz uniform_sample "
                          "return_unique_cnt return_grouped_idx",
        mm.voxelization: "points voxel_size coors_range max_points max_voxels deterministic",
        mm.Voxelization: "voxel_size point_cloud_range max_num_points max_voxels deterministic",
        mm.dynamic_scatter: "feats coors reduce_type",
        mm.DynamicScatter: "voxel_size point_cloud_range average_points",
    }
    for thing, parameters in expected.items():
        assert list(inspect.signature(thing).parameters) == parameters.split(), thing


def farthest(points, samples):
    """The kernel of mmcv: each thread keeps its farthest point, then halves of the block are compared until one is left."""
    points, n = array(points), len(points)
    threads = 1
    while 2 * threads <= min(n, 1024):
        threads *= 2
    nearest, picks = np.full(n, 1e10), [0]
    while len(picks) < samples:
        nearest = np.fmin(nearest, ((points - points[picks[-1]])**2).sum(1))
        best, which = np.full(threads, -1.0), np.zeros(threads, int)
        for k in range(n):
            if nearest[k] > best[k % threads]:
                best[k % threads], which[k % threads] = nearest[k], k
        half = threads // 2
        while half > 0:
            better = best[half:2 * half] > best[:half]
            best[:half] = np.where(better, best[half:2 * half], best[:half])
            which[:half] = np.where(better, which[half:2 * half], which[:half])
            half //= 2
        picks.append(int(which[0]))
    return picks[:samples]


@pytest.mark.parametrize("dtype", FLOATS)
def test_farthest_points(device, dtype, rng):
    for count, samples in ((1, 3), (2, 2), (5, 9), (40, 17), (130, 20), (1100, 6)):
        points = lattice(2, count, dtype, rng, device)
        found = mm.furthest_point_sample(points, samples)
        equal(found, np.array([farthest(cloud, samples) for cloud in points]))
    assert mm.furthest_point_sample(points.requires_grad_(), 0).shape == (2, 0)
    assert not mm.furthest_point_sample(points, 3).requires_grad


def balls(points, queries, least, most, samples):
    """Row by row the first points by index with a squared distance of 0 or from least² to most²; and whether there is one."""
    d = distances(points, queries)
    found, there = np.zeros((len(d), samples), int), np.zeros(len(d), bool)
    for row, near in enumerate((d == 0) | ((d >= least**2) & (d < most**2))):
        which = np.flatnonzero(near)[:samples]
        if len(which) > 0:
            found[row] = which[0]
            found[row, :len(which)], there[row] = which, True
    return found, there


@pytest.mark.parametrize("dtype", FLOATS)
def test_balls(device, dtype, rng):
    points, centers = lattice(3, 60, dtype, rng, device), lattice(3, 9, dtype, rng, device, spread=5)
    for least, most, samples in ((0, 2.0, 5), (0, 2.0, 1), (0.0, 3.0, 64), (1.0, 2.0, 5), (2.0, 3.0, 7), (0.5, 9.0, 1100),
                                 (0, 9.0, 1100), (0, 1e-30, 4), (0, np.inf, 4), (3, np.inf, 4)):
        found = mm.ball_query(least, most, samples, points, centers)
        equal(found, np.stack([balls(p, c, least, most, samples)[0] for p, c in zip(points, centers)]))
    for value in (float("nan"), float("inf")):
        points[0, 4, 1] = centers[1, 2, 0] = value
        for least in (0, 1.0):
            equal(mm.ball_query(least, 3.0, 6, points, centers),
                  np.stack([balls(p, c, least, 3.0, 6)[0] for p, c in zip(points, centers)]))


def test_balls_of_clouds_one_after_another(device, rng):
    sizes, asked = [5, 0, 20, 1], [4, 3, 6, 0]
    for dtype in (torch.float32, torch.float64):
        points, centers = lattice(1, 26, dtype, rng, device)[0], lattice(1, 13, dtype, rng, device, spread=4)[0]
        for count_type in (torch.int32, torch.int64):
            counts, center_counts = (torch.tensor(c, dtype=count_type, device=device) for c in (sizes, asked))
            for samples in (1, 4, 1200):
                found = mm.ball_query(1.0, 2.5, samples, points, centers, counts, center_counts)
                expected = []
                for cloud, rows in zip(points.split(sizes), centers.split(asked)):
                    which, there = balls(cloud, rows, 0, 2.5, samples)
                    which[~there] = 0
                    which[~there, :1] = -1
                    expected.append(which)
                equal(found, np.concatenate(expected))


def test_the_bounds_of_a_shell(device):
    points = torch.tensor([[[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [3, 4, 0]]], device=device)
    centers = points[:, :1]
    for least, most, expected in ((0, 1, [0, 0, 0, 0]), (0, 2, [0, 1, 0, 0]), (1, 2, [0, 1, 0, 0]), (2, 5, [0, 2, 0, 0]),
                                  (1.5, 5.1, [0, 2, 3, 0])):
        assert mm.ball_query(least, most, 4, points, centers)[0, 0].tolist() == expected


@pytest.mark.parametrize("dtype", FLOATS)
def test_nearest_points(device, dtype, rng):
    points, centers = lattice(3, 30, dtype, rng, device), lattice(3, 7, dtype, rng, device)
    for k in (1, 5, 40):
        expected = np.zeros((3, k, 7), int)
        itself = np.zeros((3, k, 30), int)
        for b in range(3):
            near = distances(points[b], centers[b]).argsort(1, kind="stable")[:, :k]
            expected[b, :near.shape[1]] = near.T
            near = distances(points[b], points[b]).argsort(1, kind="stable")[:, :k]
            itself[b, :near.shape[1]] = near.T
        equal(mm.knn(k, points, centers), expected)
        equal(mm.knn(k, points.transpose(1, 2).contiguous(), centers.transpose(1, 2).contiguous(), True), expected)
        equal(mm.knn(k, points), itself)
    points[1, 3, 0] = float("nan")
    assert not (mm.knn(5, points, centers)[1] == 3).any()
    assert not mm.knn(2, points[:, :0], centers).any()


@pytest.mark.parametrize("dtype", FLOATS)
def test_three_nearest_points(device, dtype, rng):
    target, source = lattice(2, 9, dtype, rng, device), lattice(2, 12, dtype, rng, device)
    for m in (12, 2, 0):
        dist, idx = mm.three_nn(target, source[:, :m])
        assert dist.dtype == dtype and dist.shape == (2, 9, 3)
        expected, which = np.full((2, 9, 3), np.inf), np.zeros((2, 9, 3), int)
        for b in range(2):
            d = distances(source[b, :m], target[b])
            near = d.argsort(1, kind="stable")[:, :3]
            expected[b, :, :near.shape[1]], which[b, :, :near.shape[1]] = np.sqrt(np.take_along_axis(d, near, 1)), near
        equal(idx, which)
        if dtype == torch.float64:
            np.testing.assert_allclose(array(dist), expected, rtol=3e-16)  # torch's own root
        else:
            assert torch.equal(dist.cpu(), torch.from_numpy(expected).float().to(dtype))
    assert not mm.three_nn(target.requires_grad_(), source)[0].requires_grad


def test_gathering_and_grouping(device, rng):
    features = torch.from_numpy(rng.standard_normal((2, 4, 9))).to(device).requires_grad_()
    indices = torch.from_numpy(rng.integers(0, 9, (2, 5))).to(device)
    groups = torch.from_numpy(rng.integers(0, 9, (2, 5, 3))).to(device)
    for index_type in (torch.int32, torch.int64):
        found = mm.gather_points(features, indices.to(index_type))
        assert torch.equal(found, torch.stack([f[:, i] for f, i in zip(features, indices)]))
        found = mm.grouping_operation(features, groups.to(index_type))
        assert torch.equal(found, torch.stack([f[:, i] for f, i in zip(features, groups)]))
    weight = torch.rand(2, 5, 3, dtype=torch.float64, device=device).requires_grad_()
    found = mm.three_interpolate(features, groups, weight)
    torch.testing.assert_close(found, (torch.stack([f[:, i] for f, i in zip(features, groups)]) * weight[:, None]).sum(-1))
    for call in (lambda f: mm.gather_points(f, indices), lambda f: mm.grouping_operation(f, groups),
                 lambda f: mm.three_interpolate(f, groups, weight)):
        assert torch.autograd.gradcheck(call, features, nondet_tol=1e-9)
    mm.three_interpolate(features, groups, weight).sum().backward()
    assert features.grad is not None and weight.grad is None
    half = features.detach().half().transpose(1, 2).contiguous().transpose(1, 2)
    assert not half.is_contiguous() and mm.grouping_operation(half, groups).dtype == torch.float16


def test_grouping_of_clouds_one_after_another(device, rng):
    sizes, asked = [5, 0, 20, 1], [4, 3, 6, 0]
    features = torch.from_numpy(rng.standard_normal((26, 4))).to(device).requires_grad_()
    indices = torch.from_numpy(rng.integers(-1, 7, (13, 3))).to(device)
    expected = []
    for cloud, rows in zip(features.split(sizes), indices.split(asked)):
        group = torch.zeros(len(rows), 4, 3, dtype=torch.float64, device=device)
        for m, k in np.ndindex(len(rows), 3):
            if 0 <= rows[m, k] < len(cloud):
                group[m, :, k] = cloud[rows[m, k]].detach()
        expected.append(group)
    for count_type in (torch.int32, torch.int64):
        counts, index_counts = (torch.tensor(c, dtype=count_type, device=device) for c in (sizes, asked))
        assert torch.equal(mm.grouping_operation(features, indices.int(), counts, index_counts), torch.cat(expected))
    assert torch.autograd.gradcheck(lambda f: mm.grouping_operation(f, indices, counts, index_counts), features, nondet_tol=1e-9)


def test_query_and_group(device, rng):
    points, centers = lattice(2, 30, torch.float32, rng, device), lattice(2, 6, torch.float32, rng, device)
    features = torch.rand(2, 5, 30, device=device)
    for radius in (2.5, None):
        idx = (mm.ball_query(0.0, radius, 8, points, centers) if radius else mm.knn(8, points, centers).transpose(1, 2)).long()
        grouped = torch.stack([p[i] for p, i in zip(points, idx)])
        relative = (grouped - centers.unsqueeze(2)).permute(0, 3, 1, 2)
        of_features = torch.stack([f[:, i] for f, i in zip(features, idx)])
        found = mm.QueryAndGroup(radius, 8, return_grouped_xyz=True, return_grouped_idx=True)(points, centers, features)
        assert torch.equal(found[0], torch.cat([relative, of_features], 1))
        assert torch.equal(found[1], grouped.permute(0, 3, 1, 2)) and torch.equal(found[2].long(), idx)
        assert torch.equal(mm.QueryAndGroup(radius, 8, use_xyz=False)(points, centers, features), of_features)
        assert torch.equal(mm.QueryAndGroup(radius, 8)(points, centers), relative)
    shell = mm.ball_query(1.5, 2.5, 8, points, centers)
    assert torch.equal(mm.QueryAndGroup(2.5, 8, 1.5, return_grouped_idx=True)(points, centers)[1], shell)
    idx = mm.ball_query(0.0, 2.5, 8, points, centers).long()
    relative = (torch.stack([p[i] for p, i in zip(points, idx)]) - centers.unsqueeze(2)).permute(0, 3, 1, 2)
    assert torch.equal(mm.QueryAndGroup(2.5, 8, normalize_xyz=True)(points, centers), relative / 2.5)
    # The distinct points in ascending order, then draws from them.
    group = mm.QueryAndGroup(2.5, 8, uniform_sample=True, return_unique_cnt=True, return_grouped_idx=True)
    _, count, drawn = group(points, centers)
    for b, m in np.ndindex(2, 6):
        distinct = sorted(set(idx[b, m].tolist()))
        assert count[b, m] == len(distinct) and drawn[b, m, :len(distinct)].tolist() == distinct
        assert set(drawn[b, m].tolist()) == set(distinct)
    points, centers, features = (torch.randn(shape, dtype=torch.float64, device=device, requires_grad=True)
                                 for shape in ((2, 12, 3), (2, 4, 3), (2, 5, 12)))
    for group in (mm.QueryAndGroup(1.5, 3, normalize_xyz=True), mm.QueryAndGroup(None, 3)):
        assert torch.autograd.gradcheck(group, (points, centers, features), nondet_tol=1e-9, fast_mode=True)


def cell_of(point, size, bounds):
    """Voxel (z, y, x) of a point, by mmcv's steps in the points' type; None outside of the grid."""
    size, bounds = np.float32(size), np.float32(bounds)
    grid = np.floor((bounds[3:] - bounds[:3]) / size + np.float32(0.5))
    place = np.floor((point[:3] - bounds[:3].astype(point.dtype)) / size.astype(point.dtype))
    return tuple(int(c) for c in place[::-1]) if np.isfinite(point[:3]).all() and ((place >= 0) & (place < grid)).all() else None


def voxels_of(points, size, bounds, max_points, max_voxels):
    rows, lists = {}, []
    for point in points:
        cell = cell_of(point, size, bounds)
        if cell is None:
            continue
        if cell not in rows:
            if len(lists) >= max_voxels:
                continue
            rows[cell] = len(lists)
            lists.append([])
        if len(lists[rows[cell]]) < max_points:
            lists[rows[cell]].append(point)
    voxels = np.zeros((len(lists), max_points, points.shape[1]), points.dtype)
    for row, kept in enumerate(lists):
        voxels[row, :len(kept)] = kept
    return voxels, np.array(list(rows), np.int32).reshape(-1, 3), np.array([len(kept) for kept in lists], np.int32)


@pytest.mark.parametrize("dtype", FLOATS)
def test_voxels(device, dtype, rng):
    points = torch.from_numpy(rng.uniform(-1.2, 1.2, (400, 5))).to(dtype).to(device)
    points[7, 1], points[19, 2] = float("nan"), float("inf")
    size, bounds = [0.4, 0.3, 0.5], [-1.0, -1, -1, 1, 1, 1.1]
    wide = points.cpu().to(torch.float64 if dtype == torch.float64 else torch.float32).numpy()
    for max_points, max_voxels in ((5, 1000), (2, 30), (35, 7)):
        found = mm.voxelization(points, size, bounds, max_points, max_voxels)
        voxels, coors, counts = voxels_of(wide, size, bounds, max_points, max_voxels)
        assert found[0].dtype == dtype
        np.testing.assert_array_equal(array(found[0]), voxels)
        equal(found[1], coors)
        equal(found[2], counts)
    cells = [cell_of(point, size, bounds) or (-1, -1, -1) for point in wide]
    for most in ((-1, 20), (20, -1)):
        equal(mm.voxelization(points, size, bounds, *most), np.array(cells))
    strided = torch.zeros(800, 9, dtype=dtype, device=device)
    strided[::2, 2:7] = points
    for one, other in zip(mm.voxelization(strided[::2, 2:7], size, bounds, 5, 100), mm.voxelization(points, size, bounds, 5, 100)):
        assert torch.equal(one, other)


def test_roots_of_distances_are_rounded_to_the_nearest(device):
    # The last bit of sqrt() of torch on a CPU is wrong for some numbers.
    target, source = torch.rand(2, 500, 3, device=device).double(), torch.rand(2, 60, 3, device=device).double()
    dist, idx = mm.three_nn(target, source)
    expected, nearest = farpoint.three_nn(array(target), array(source))
    np.testing.assert_array_equal(array(dist), expected)
    equal(idx, nearest)


def test_half_a_voxel_at_the_end_counts_as_one(device):
    # 1 / float32(0.4) is 2.5 in float32 and less in double.
    points = torch.rand(200, 4, device=device) * torch.tensor([2, 2, 1.2, 1], device=device)
    for size, bounds in (([0.3, 0.7, 0.4], [-2, -1.5, 0, 2, 1.5, 1]), ([1, 1, 0.4], [0, 0, 0, 2, 2, 1]), ([1, 1, 2], [0, 0, 0, 2, 2, 1])):
        bounds = [float(end) for end in bounds]
        cells = [cell_of(point, size, bounds) for point in points.cpu().numpy()]
        equal(mm.voxelization(points, size, bounds, -1), np.array([cell or (-1, -1, -1) for cell in cells]))
        for points_of_type in (points, points.double()):
            found = mm.voxelization(points_of_type, size, bounds, 9, 500)
            equal(found[1], voxels_of(points_of_type.cpu().numpy(), size, bounds, 9, 500)[1])
        assert 2 in found[1][:, 0] or size[2] == 2


def test_the_module_of_voxels(device):
    points = torch.rand(300, 4, device=device)
    module = mm.Voxelization([0.2, 0.25, 0.5], [0, 0, 0, 1, 1, 1], 5, (10, 20))
    assert module.grid_size.tolist() == [5, 4, 2] and [int(n) for n in module.pcd_shape] == [1, 4, 5]
    assert module.training and len(module(points)[0]) == 10 and len(module.eval()(points)[0]) == 20
    assert mm.Voxelization([0.2, 0.25, 0.5], [0, 0, 0, 1, 1, 1], 5, 3).max_voxels == (3, 3)
    assert mm.Voxelization([0.2, 0.25, 0.5], [0, 0, 0, 1, 1, 1], 5, [10, 20]).max_voxels == (10, 20)
    assert "max_num_points=5" in repr(module) and "average_points=True" in repr(mm.DynamicScatter([1] * 3, [0] * 6, True))
    assert mm.Voxelization([0.2, 0.25, 0.5], [0, 0, 0, 1, 1, 1], -1)(points).shape == (300, 3)
    for one, shape in zip(module(points[:0]), ((0, 5, 4), (0, 3), (0,))):
        assert one.shape == shape
    assert mm.voxelization(points[:0], [1, 1, 1], [0, 0, 0, 1, 1, 1], -1).shape == (0, 3)
    with pytest.raises(ValueError, match="the gradient of points would be lost"):
        module(points.requires_grad_())


def reduced(feats, coors, kind):
    """Features of each voxel, by ascending coordinates, and for each maximum its first point."""
    groups = {}
    for row, cell in enumerate(coors.tolist()):
        if min(cell) >= 0:
            groups.setdefault(tuple(cell), []).append(row)
    cells = sorted(groups)
    call = {"max": lambda f: f.max(0), "mean": lambda f: f.mean(0), "sum": lambda f: f.sum(0)}[kind]
    values = np.stack([call(feats[groups[cell]]) for cell in cells])
    first = np.stack([np.array(groups[cell])[feats[groups[cell]].argmax(0)] for cell in cells])
    return values, np.array(cells), first


@pytest.mark.parametrize("kind", ["max", "mean", "sum"])
@pytest.mark.parametrize("columns", [3, 4])
def test_scattering(device, kind, columns, rng):
    coors = torch.from_numpy(rng.integers(-1, 3, (120, columns))).int().to(device)
    if columns == 4:
        coors[:, 0] = torch.arange(120) // 50
    for dtype in (torch.float32, torch.float64, torch.float16):
        feats = torch.from_numpy(rng.integers(-3, 4, (120, 6))).to(dtype).to(device).requires_grad_()
        values, cells, first = reduced(array(feats), coors, kind)
        found, found_coors = mm.dynamic_scatter(feats, coors, kind)
        assert found.dtype == dtype and torch.equal(found_coors.cpu(), torch.from_numpy(cells).int())
        np.testing.assert_allclose(array(found), values, rtol=1e-3 if dtype == torch.float16 else 1e-6)
        weight = torch.from_numpy(rng.standard_normal(values.shape)).to(dtype).to(device)
        (gradient,) = torch.autograd.grad(found, feats, weight)
        expected = np.zeros((120, 6))
        for row, cell in enumerate(coors.tolist()):
            if min(cell) >= 0:
                v = int(np.flatnonzero((cells == cell).all(1))[0])
                share = {"max": first[v] == row, "sum": 1.0, "mean": 1 / sum(other == cell for other in coors.tolist())}[kind]
                expected[row] = array(weight)[v] * share
        np.testing.assert_allclose(array(gradient), expected, rtol=1e-3 if dtype == torch.float16 else 1e-5)
        large = coors.long() * 2**40  # more cells than 64 bits count
        assert torch.equal(mm.dynamic_scatter(feats, large, kind)[0], found)
        if kind != "sum":
            module = mm.DynamicScatter([1, 1, 1], [0, 0, 0, 9, 9, 9], kind == "mean")
            for one, other in zip(module(feats, coors), (found, found_coors)):
                assert torch.equal(one, other)
    feats = torch.randn(120, 2, dtype=torch.float64, device=device, requires_grad=True)
    assert torch.autograd.gradcheck(lambda f: mm.dynamic_scatter(f, coors, kind)[0], feats, nondet_tol=1e-9, fast_mode=True)


def test_scattering_of_many_halves(device):
    # A sum of bfloat16 in bfloat16 ends at 256, one of float16 at 2,048.
    coors = torch.zeros((4096, 3), dtype=torch.int32, device=device)
    for dtype in (torch.float16, torch.bfloat16):
        feats = torch.full((4096, 2), 1.25, dtype=dtype, device=device, requires_grad=True)
        for kind, value, gradient in (("sum", 5120.0, 1.0), ("mean", 1.25, 1 / 4096)):
            found, _ = mm.dynamic_scatter(feats, coors, kind)
            assert found.dtype == dtype and found.tolist() == [[value] * 2]
            (pulled,) = torch.autograd.grad(found.sum(), feats)
            assert pulled.dtype == dtype and bool((pulled == gradient).all())


def test_scattering_of_little(device):
    feats, coors = torch.rand(5, 4, device=device), torch.full((5, 3), -1, dtype=torch.int32, device=device)
    for kind in ("max", "mean", "sum"):
        for cut in (0, 5):
            found, found_coors = mm.dynamic_scatter(feats[:cut], coors[:cut], kind)
            assert found.shape == (0, 4) and found_coors.shape == (0, 3) and found_coors.dtype == torch.int32
        found, found_coors = mm.dynamic_scatter(feats[:1], coors[:1] + 3, kind)
        assert torch.equal(found, feats[:1]) and found_coors.tolist() == [[2, 2, 2]]
    feats[1, 2] = float("nan")
    found, _ = mm.dynamic_scatter(feats, coors * 0)
    assert torch.equal(found[0, 2], feats[[0, 2, 3, 4], 2].max())  # as fmax() has it


def test_nothing(device):
    for count, asked in ((0, 4), (4, 0)):
        points, centers = torch.rand(2, count, 3, device=device), torch.rand(2, asked, 3, device=device)
        for least in (0, 0.5):
            found = mm.ball_query(least, 1.0, 3, points, centers)
            assert found.shape == (2, asked, 3) and not found.any()
        assert mm.knn(2, points, centers).shape == (2, 2, asked)
        assert mm.three_nn(centers, points)[1].shape == (2, asked, 3)
        assert mm.QueryAndGroup(1.0, 3)(points, centers).shape == (2, 3, asked, 3)
        assert mm.furthest_point_sample(points, 2).shape == (2, 2)
    assert mm.gather_points(torch.rand(0, 4, 9, device=device), torch.zeros(0, 5, dtype=torch.int32, device=device)).shape == (0, 4, 5)


def test_wrong_arguments(device):
    points, centers = torch.rand(2, 9, 3, device=device), torch.rand(2, 4, 3, device=device)
    index = torch.zeros(2, 4, 3, dtype=torch.int32, device=device)
    for sentence, call in {
        "radii are 2 and 1": lambda: mm.ball_query(2, 1, 3, points, centers),
        "radii are -1 and 1": lambda: mm.ball_query(-1, 1, 3, points, centers),
        "sample_num is 0": lambda: mm.ball_query(0, 1, 0, points, centers),
        r"xyz must be a tensor \(B, N, 3\)": lambda: mm.ball_query(0, 1, 3, points[0], centers),
        "different numbers of clouds": lambda: mm.ball_query(0, 1, 3, points, centers[:1]),
        "floating point": lambda: mm.knn(3, points.int()),
        "k is 0": lambda: mm.knn(0, points),
        "k is 1025": lambda: mm.knn(1025, points),
        r"points_xyz must be a tensor": lambda: mm.furthest_point_sample(points[0], 3),
        "indices and weight": lambda: mm.three_interpolate(points.transpose(1, 2), index, torch.rand(2, 4, 2, device=device)),
        r"indices must be a tensor \(B, M\)": lambda: mm.gather_points(points, index),
        "needs uniform_sample": lambda: mm.QueryAndGroup(1, 3, return_unique_cnt=True),
        "needs max_radius": lambda: mm.QueryAndGroup(None, 3, normalize_xyz=True),
        "there must be features": lambda: mm.QueryAndGroup(1, 3, use_xyz=False)(points, centers),
        "voxel_size has 2 numbers": lambda: mm.voxelization(points[0], [1, 1], [0, 0, 0, 1, 1, 1]),
        "coors_range has 5 numbers": lambda: mm.voxelization(points[0], [1, 1, 1], [0, 0, 0, 1, 1]),
        "voxel_size is .1.0, 0.0, 1.0.": lambda: mm.voxelization(points[0], [1, 0, 1], [0, 0, 0, 1, 1, 1], -1),
        "coors_range is .*inf": lambda: mm.voxelization(points[0], [1, 1, 1], [0, 0, 0, 1, 1, math.inf], -1),
        "three or more": lambda: mm.voxelization(points[0, :, :2], [1, 1, 1], [0, 0, 0, 1, 1, 1]),
        "no reduce_type 'min'": lambda: mm.dynamic_scatter(points[0, :4], index[0], "min"),
        "as many rows": lambda: mm.dynamic_scatter(points[0], index[0]),
    }.items():
        with pytest.raises(ValueError, match=sentence):
            call()


def test_a_set_abstraction_and_a_propagation_layer_train(device):
    target = torch.rand(2, 1, 64, device=device)
    points = torch.rand(2, 64, 3, device=device)
    group = mm.QueryAndGroup(0.4, 8, normalize_xyz=True)
    down = torch.nn.Sequential(torch.nn.Conv2d(4, 16, 1), torch.nn.ReLU(), torch.nn.Conv2d(16, 16, 1)).to(device)
    up = torch.nn.Sequential(torch.nn.Conv1d(17, 16, 1), torch.nn.ReLU(), torch.nn.Conv1d(16, 1, 1)).to(device)
    optimizer = torch.optim.Adam([*down.parameters(), *up.parameters()], 0.02)
    losses = []
    for _ in range(60):
        picks = mm.furthest_point_sample(points, 16)
        centers = mm.gather_points(points.transpose(1, 2), picks).transpose(1, 2)
        features = down(group(points, centers, target)).amax(3)
        dist, idx = mm.three_nn(points, centers)
        weight = 1 / (dist + 1e-8)
        back = mm.three_interpolate(features, idx, weight / weight.sum(2, keepdim=True))
        loss = (up(torch.cat([back, target.roll(1, 2)], 1)) - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert all(torch.isfinite(p.grad).all() and p.grad.any() for p in down.parameters())
    assert np.mean(losses[-5:]) < 0.5 * np.mean(losses[:5])
