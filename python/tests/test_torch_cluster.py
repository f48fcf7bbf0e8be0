"""farpoint.torch_cluster against torch_cluster's definitions, restated as loops over all pairs."""

import inspect
from typing import Any

import numpy as np
import pytest

import farpoint

torch = pytest.importorskip("torch", reason="torch is not installed: the functions of torch_cluster are not tested")
tc = pytest.importorskip("farpoint.torch_cluster")

DEVICES = ["cpu", *(["cuda"] if farpoint.has_cuda and farpoint.cuda_available() and torch.cuda.is_available() else [])]
TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64]


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(3)
    return request.param


def lattice(count, dimensions, dtype, rng, device="cpu"):
    """Whole numbers: distances are exact in every type, and many are equal."""
    return torch.from_numpy(rng.integers(-3, 4, (count, dimensions))).to(dtype).to(device)


def batch_of(*sizes, dtype=torch.int64, device="cpu"):
    return torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes)).to(dtype).to(device)


def squared(a, b):
    return float(((a - b) ** 2).sum())


def cosine(a, b):
    return 1 - float(a @ b) / (np.sqrt(float(a @ a)) * np.sqrt(float(b @ b)))


def pairs(x, y, batch_x=None, batch_y=None, k=None, r=None, distance=squared, skip=False):
    """Of each row of y the rows of x in its cloud, ascending by (distance, index), nearer than r and at most k."""
    x, y = x.cpu().double().numpy(), y.cpu().double().numpy()
    batch_x = np.zeros(len(x)) if batch_x is None else batch_x.cpu().numpy()
    batch_y = np.zeros(len(y)) if batch_y is None else batch_y.cpu().numpy()
    found = []
    for i, query in enumerate(y):
        near = []
        for j, point in enumerate(x):
            if batch_x[j] == batch_y[i] and not (skip and i == j) and np.isfinite(point).all() and np.isfinite(query).all():
                d = distance(point, query)
                if r is None or d < r * r:
                    near.append((d, j))
        found += [(i, j) for _, j in sorted(near)[:k]]
    return torch.tensor(found, dtype=torch.int64).reshape(-1, 2).T


def equal(found, expected):
    assert found.dtype == torch.int64 and found.dim() == expected.dim()
    assert torch.equal(found.cpu(), expected), (found, expected)


def farthest(x, samples, first):
    """Rows in the order of selection; none twice."""
    x = x.cpu().double().numpy()
    picks, nearest = [first], np.array([squared(point, x[first]) for point in x])
    while len(picks) < samples:
        nearest[picks] = -1
        picks.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, [squared(point, x[picks[-1]]) for point in x])
    return picks[:samples]


def test_signatures_are_those_of_torch_cluster():
    expected = {
        "fps": "src batch ratio random_start batch_size ptr",
        "knn": "x y k batch_x batch_y cosine num_workers batch_size",
        "knn_graph": "x k batch loop flow cosine num_workers batch_size",
        "radius": "x y r batch_x batch_y max_num_neighbors num_workers batch_size ignore_same_index",
        "radius_graph": "x r batch loop max_num_neighbors flow num_workers batch_size",
        "nearest": "x y batch_x batch_y",
        "grid_cluster": "pos size start end",
    }
    for name, parameters in expected.items():
        signature = inspect.signature(getattr(tc, name))
        assert [p.name for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY] == parameters.split(), name
    defaults = {name: p.default for name, p in inspect.signature(tc.radius_graph).parameters.items()}
    assert defaults["max_num_neighbors"] == 32 and defaults["flow"] == "source_to_target" and defaults["loop"] is False


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("dtype", TYPES)
def test_neighbors_in_batches(device, dimensions, dtype, rng):
    # Empty clouds first, in the middle and last; clouds of one point; more neighbors wanted than there are points.
    sizes_x, sizes_y = (0, 9, 1, 0, 14, 3), (0, 4, 2, 3, 5, 0)
    x, y = lattice(sum(sizes_x), dimensions, dtype, rng, device), lattice(sum(sizes_y), dimensions, dtype, rng, device)
    for index_type in (torch.int32, torch.int64):
        bx, by = batch_of(*sizes_x, dtype=index_type, device=device), batch_of(*sizes_y, dtype=index_type, device=device)
        for k in (1, 5):
            equal(tc.knn(x, y, k, bx, by), pairs(x, y, bx, by, k=k))
        for most in (2, 32, 100):
            equal(tc.radius(x, y, 2.0, bx, by, most), pairs(x, y, bx, by, k=most, r=2.0))
            equal(tc.radius(x, y, 2.0, bx, by, most, ignore_same_index=True),
                  pairs(x, y, bx, by, k=most, r=2.0, skip=True))
        for loop in (False, True):
            graph = pairs(x, x, bx, bx, k=4, skip=not loop)
            equal(tc.knn_graph(x, 4, bx, loop), graph.flip(0))
            equal(tc.knn_graph(x, 4, bx, loop, "target_to_source"), graph)
            for most in (3, 80):
                graph = pairs(x, x, bx, bx, k=most, r=1.5, skip=not loop)
                equal(tc.radius_graph(x, 1.5, bx, loop, most), graph.flip(0))
                equal(tc.radius_graph(x, 1.5, bx, loop, most, "target_to_source"), graph)
    equal(tc.knn(x, y, 3), pairs(x, y, k=3))
    equal(tc.radius(x, y, 2.0), pairs(x, y, k=32, r=2.0))
    equal(tc.knn(x, y, 3, torch.zeros_like(bx), torch.zeros_like(by), batch_size=4), pairs(x, y, k=3))


def test_more_neighbors_than_a_row_has(device, rng):
    x, y = torch.from_numpy(rng.standard_normal((1500, 3))).to(device), torch.from_numpy(rng.standard_normal((3, 3))).to(device)
    equal(tc.knn(x, y, 1300), pairs(x, y, k=1300))
    equal(tc.radius(x, y, 9.0, max_num_neighbors=1400), pairs(x, y, k=1400, r=9.0))


def test_the_nearest_are_kept_on_every_device_and_in_every_number_of_dimensions(device, rng):
    x = torch.from_numpy(rng.standard_normal((300, 3)).astype(np.float32)).to(device)
    wide = torch.cat([x, torch.zeros_like(x)], 1)  # by brute force
    batch = batch_of(100, 50, 150, device=device)
    for most in (1, 7, 65):
        assert torch.equal(tc.radius_graph(x, 1.2, batch, max_num_neighbors=most),
                           tc.radius_graph(wide, 1.2, batch, max_num_neighbors=most))
        assert torch.equal(tc.knn_graph(x, most, batch), tc.knn_graph(wide, most, batch))
    assert torch.equal(tc.nearest(x, x[::9], batch, batch[::9]), tc.nearest(wide, wide[::9], batch, batch[::9]))
    assert torch.equal(tc.fps(x, batch, 0.3, False), tc.fps(wide, batch, 0.3, False))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("scale, shift", [(1.0, 0.0), (1e-3, 1e4), (1e-25, 0.0), (1e15, 0.0)])
def test_features_are_compared_by_their_exact_distances(device, dtype, scale, shift, rng):
    # A matrix product finds what may be near: where products cancel or squares are no normal numbers, it must leave out nothing.
    numbers = rng.integers(-2, 3, (400, 16)) + rng.standard_normal((400, 1)) * 1e-3
    x = torch.from_numpy(numbers * scale + shift).to(dtype).to(device)
    x[::50], x[7] = x[3].clone(), float("nan")
    total = torch.zeros(400, 400, dtype=dtype, device=device)
    for column in x.T:
        total += (column.unsqueeze(1) - column).square()
    for skip in (True, False):
        near = torch.where(total.isnan() | (torch.eye(400, device=device) > 0 if skip else total.isnan()), np.inf, total)
        order = near.sort(dim=1, stable=True)[1][:, :6]
        found = tc.knn_graph(x, 6, loop=not skip)
        expected = torch.stack([order.flatten(), torch.arange(400, device=device).repeat_interleave(6)])
        assert torch.equal(found, expected[:, expected[1] != 7])
    middle = float(total[total.isfinite()].median().sqrt())
    found = tc.radius(x, x.clone(), middle, max_num_neighbors=400)
    square = float(torch.tensor(middle * middle, dtype=torch.float64).to(dtype))
    assert sorted(map(tuple, found.T.tolist())) == sorted(map(tuple, (total < square).nonzero().tolist()))


def test_a_point_at_the_radius_is_no_neighbor(device):
    x = torch.tensor([[0.0, 0, 0], [1, 0, 0], [0, 3, 4], [0, 0, 0.3]], device=device)
    y = x[:1]
    for most in (32, 100):
        assert tc.radius(x, y, 1.0, max_num_neighbors=most)[1].tolist() == [0, 3]
        assert tc.radius(x, y, 5.0, max_num_neighbors=most)[1].tolist() == [0, 3, 1]
        assert tc.radius(x, y, 0.0, max_num_neighbors=most).shape == (2, 0)
        assert tc.radius(x, y, float("inf"), max_num_neighbors=most)[1].tolist() == [0, 3, 1, 2]
        above = float(np.nextafter(np.float32(1), np.float32(2)))
        assert tc.radius(x, y, above, max_num_neighbors=most)[1].tolist() == [0, 3, 1]
    assert tc.radius(x, y, 5.0, max_num_neighbors=0).shape == (2, 0)
    wide = torch.nn.functional.pad(x, (0, 2))
    assert tc.radius(wide, wide[:1], 1.0)[1].tolist() == [0, 3]


def test_cosine_distances(device, rng):
    x = torch.from_numpy(rng.standard_normal((60, 4))).to(device)
    y = torch.from_numpy(rng.standard_normal((11, 4))).to(device)
    bx, by = batch_of(30, 30, device=device), batch_of(5, 6, device=device)
    equal(tc.knn(x, y, 4, bx, by, cosine=True), pairs(x, y, bx, by, k=4, distance=cosine))
    equal(tc.knn(x[:, :3], y[:, :3], 4, cosine=True), pairs(x[:, :3], y[:, :3], k=4, distance=cosine))
    equal(tc.knn_graph(x, 3, bx, cosine=True), pairs(x, x, bx, bx, k=3, distance=cosine, skip=True).flip(0))


def test_duplicates_are_neighbors_of_one_another(device):
    # torch_cluster takes k + 1 and drops the point itself, which need not be among them: of 5 equal points it has k + 1 for some.
    x = torch.zeros(5, 3, device=device)
    assert tc.knn_graph(x, 2).tolist() == [[1, 2, 0, 2, 0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]]


def test_nearest(device, rng):
    for dimensions in (1, 2, 3, 6):
        x, y = lattice(40, dimensions, torch.float32, rng, device), lattice(13, dimensions, torch.float32, rng, device)
        bx, by = batch_of(0, 15, 25, device=device), batch_of(2, 5, 6, device=device)
        equal(tc.nearest(x, y, bx, by), pairs(y, x, by, bx, k=1)[1])
        equal(tc.nearest(x, y), pairs(y, x, k=1)[1])
        equal(tc.nearest(x, y, None, by.clone().zero_()), pairs(y, x, k=1)[1])
        with pytest.raises(ValueError, match="a cloud that batch_y has not"):
            tc.nearest(x, y, bx, batch_of(0, 0, 13, device=device))
        with pytest.raises(ValueError, match="batch_x is not sorted"):
            tc.nearest(x, y, bx.flip(0), by)
        x = x.clone()
        x[3] = float("nan")
        found = tc.nearest(x, y)
        assert found[3] == -1 and (found >= 0).sum() == 39
    assert tc.nearest(x[:0], y).shape == (0,)
    with pytest.raises(ValueError, match="y is empty"):
        tc.nearest(x, y[:0])


def test_points_that_are_not_finite(device, rng):
    for dimensions in (3, 5):
        x = lattice(20, dimensions, torch.float32, rng, device)
        x[4, 1], x[9, 2], x[11, 0] = float("nan"), float("inf"), -float("inf")
        batch = batch_of(6, 14, device=device)
        equal(tc.knn_graph(x, 3, batch), pairs(x, x, batch, batch, k=3, skip=True).flip(0))
        equal(tc.radius_graph(x, 3.0, batch), pairs(x, x, batch, batch, k=32, r=3.0, skip=True).flip(0))
        equal(tc.radius_graph(x, 3.0, batch, max_num_neighbors=90), pairs(x, x, batch, batch, k=90, r=3.0, skip=True).flip(0))
        picks = tc.fps(x, batch, 1.0, False)
        # The first sample of a cloud fills up.
        assert sorted(set(picks.tolist())) == [i for i in range(20) if i not in (4, 9, 11)]
        assert picks[5:6].tolist() == [0] and picks[-2:].tolist() == [6, 6] and len(picks) == 20
        assert tc.fps(torch.full((4, dimensions), float("nan"), device=device), random_start=False).tolist() == [0, 0]


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
@pytest.mark.parametrize("dtype", TYPES)
def test_farthest_points(device, dimensions, dtype, rng):
    sizes = (0, 9, 1, 14, 0)
    src, batch = lattice(24, dimensions, dtype, rng, device), batch_of(*sizes, device=device)
    starts = np.cumsum((0, *sizes))
    ratio_type = dtype if dtype.is_floating_point else torch.float32
    for ratio in (None, 0.1, 0.25, 1.0, torch.tensor(0.3)):
        number = 0.5 if ratio is None else ratio
        scale = torch.tensor(number, dtype=ratio_type) if isinstance(number, float) else number
        expected = []
        for start, size in zip(starts, sizes):
            samples = int(torch.ceil(torch.tensor([size]).float() * scale)) if size else 0
            expected += [start + i for i in farthest(src[start:start + size], samples, 0)] if size else []
        for cut in ({"batch": batch}, {"batch": batch.int()}, {"ptr": torch.from_numpy(starts)}, {"ptr": starts.tolist()},
                    {"batch": batch, "batch_size": 5}):
            found = tc.fps(src, ratio=ratio, random_start=False, **cut)
            assert found.tolist() == expected and found.dtype == torch.int64 and found.device == src.device
    assert tc.fps(src, None, 0.25, False).tolist() == farthest(src, 6, 0)
    assert tc.fps(src, ratio=1, random_start=False).tolist() == farthest(src, 24, 0)
    picks = tc.fps(src, batch, num_points=3, random_start=False).tolist()
    assert picks == [*farthest(src[:9], 3, 0), 9, *(10 + i for i in farthest(src[10:], 3, 0))]
    counts = tc.fps(src, batch, num_points=torch.tensor([3, 2, 0, 4], device=device), random_start=False).tolist()
    assert counts == [*farthest(src[:9], 2, 0), *(10 + i for i in farthest(src[10:], 4, 0))]
    each = tc.fps(src, ptr=[0, 10, 24], ratio=torch.tensor([0.2, 0.5], device=device), random_start=False).tolist()
    assert each == [*farthest(src[:10], 2, 0), *(10 + i for i in farthest(src[10:], 7, 0))]
    for one in ({"ratio": torch.tensor([0.5])}, {"num_points": torch.tensor([7])}):  # a tensor of one number is of all clouds
        every = tc.fps(src, ptr=[0, 10, 24], random_start=False, **one).tolist()
        assert every == [*farthest(src[:10], 5 if "ratio" in one else 7, 0), *(10 + i for i in farthest(src[10:], 7, 0))]


def test_the_first_sample_is_drawn_from_the_generator_of_torch(device):
    src, batch = torch.rand(60, 3, device=device), batch_of(20, 40, device=device)
    firsts = set()
    for seed in range(20):
        torch.manual_seed(seed)
        picks = tc.fps(src, batch, 0.1)
        torch.manual_seed(seed)
        assert torch.equal(picks, tc.fps(src, batch, 0.1))
        one, other = int(picks[0]), int(picks[2]) - 20
        assert picks.tolist() == [*farthest(src[:20], 2, one), *(20 + i for i in farthest(src[20:], 4, other))]
        firsts.add((one, other))
        assert tc.fps(src).unique().numel() == 30
    assert len(firsts) > 10


def test_grid_cells(device, rng):
    for dimensions in (1, 2, 3, 4):
        pos = torch.from_numpy(rng.uniform(-4, 9, (50, dimensions))).to(device)
        size = torch.from_numpy(rng.uniform(0.5, 2, dimensions)).to(device)
        start, end = torch.full_like(size, -2), torch.full_like(size, 5)
        for low, high in ((None, None), (start, None), (None, end), (start, end)):
            array, cell = pos.cpu().numpy(), size.cpu().numpy()
            least = array.min(0) if low is None else low.cpu().numpy()
            most = array.max(0) if high is None else high.cpu().numpy()
            expected = []
            for point in array:
                number, stride = 0, 1
                for d in range(dimensions):
                    number += int((point[d] - least[d]) / cell[d]) * stride
                    stride *= int((most[d] - least[d]) / cell[d]) + 1
                expected.append(number)
            equal(tc.grid_cluster(pos, size, low, high), torch.tensor(expected))
    pos = torch.tensor([[0, 0], [11, 9], [2, 8], [2, 2], [8, 3]], dtype=torch.float32, device=device)
    assert tc.grid_cluster(pos, torch.tensor([5.0, 5.0], device=device)).tolist() == [0, 5, 3, 0, 1]
    assert tc.grid_cluster(pos.half(), torch.tensor([5.0, 5.0], device=device)).tolist() == [0, 5, 3, 0, 1]
    assert tc.grid_cluster(pos.long(), [5, 5]).tolist() == [0, 5, 3, 0, 1]
    pos = torch.cat([pos, torch.tensor([[float("nan"), 1], [1, float("inf")]], device=device)])
    assert tc.grid_cluster(pos, [5, 5]).tolist() == [0, 5, 3, 0, 1, -1, -1]
    assert tc.grid_cluster(pos[:0], [5, 5]).shape == (0,)
    with pytest.raises(ValueError, match="size has 3 numbers"):
        tc.grid_cluster(pos, [5, 5, 5])


def test_layouts_and_gradients(device, rng):
    x = lattice(40, 3, torch.float32, rng, device)
    batch = batch_of(15, 25, device=device)
    wide = torch.zeros(80, 7, device=device)
    wide[::2, 2:5] = x
    columns = x.T.contiguous().T
    for view in (wide[::2, 2:5], columns, x.clone().requires_grad_()):
        assert not view.is_contiguous() or view.requires_grad
        for call in (lambda p: tc.knn_graph(p, 3, batch), lambda p: tc.radius_graph(p, 2.0, batch),
                     lambda p: tc.fps(p, batch, random_start=False), lambda p: tc.nearest(p, p[::3], batch, batch[::3]),
                     lambda p: tc.grid_cluster(p, [1, 1, 1]), lambda p: tc.knn(p, p[::2], 3, batch, batch[::2])):
            found = call(view)
            assert torch.equal(found, call(x)) and not found.requires_grad
    strided = torch.stack([batch, batch], 1)[:, 0]
    assert torch.equal(tc.knn_graph(x, 3, strided), tc.knn_graph(x, 3, batch))
    # Points and queries of two types meet in the wider one.
    assert torch.equal(tc.knn(x.half(), x.double(), 3), tc.knn(x, x.clone(), 3))


def test_nothing(device):
    none, x = torch.zeros(0, 3, device=device), torch.zeros(4, 3, device=device)
    batch, empty = batch_of(1, 3, device=device), batch_of(0, device=device)
    for edges in (tc.knn(none, x, 3), tc.knn(x, none, 3), tc.knn(x, none, 3, batch, empty), tc.radius(none, x, 1.0),
                  tc.radius(none, none, 1.0), tc.knn_graph(none, 3), tc.radius_graph(none, 1.0, empty), tc.knn_graph(x[:1], 3)):
        assert edges.shape == (2, 0) and edges.dtype == torch.int64
    for picks in (tc.fps(none), tc.fps(none, empty), tc.fps(none, ptr=[0, 0, 0]), tc.fps(none, ptr=[0]),
                  tc.fps(x, num_points=0), tc.fps(x, batch, num_points=0)):
        assert picks.shape == (0,) and picks.dtype == torch.int64
    assert tc.fps(x[:1]).tolist() == [0] and tc.fps(x[0, :1]).tolist() == [0]
    assert tc.knn_graph(torch.tensor([0.0, 1, 5], device=device), 1).tolist() == [[1, 0, 1], [0, 1, 2]]


def test_wrong_arguments(device):
    x, y = torch.rand(6, 3, device=device), torch.rand(4, 3, device=device)
    batch = torch.tensor([0, 0, 1, 1, 1, 2], device=device)
    unsorted, negative = torch.tensor([0, 1, 0, 1, 1, 2], device=device), batch - 1
    for sentence, call in {
        "batch is not sorted": lambda: tc.fps(x, unsorted),
        "batch_x is not sorted": lambda: tc.knn_graph(x, 2, unsorted),
        "batch_y is not sorted": lambda: tc.radius(x, x, 1.0, batch, unsorted),
        "negative number": lambda: tc.radius_graph(x, 1.0, negative),
        r"has the shape \(6,\); it must be \(4,\)": lambda: tc.knn(x, y, 2, batch, batch),
        "int32 or int64": lambda: tc.fps(x, batch.float()),
        "both batch_x and batch_y": lambda: tc.knn(x, y, 2, batch),
        "batch_size is 2": lambda: tc.knn_graph(x, 2, batch, batch_size=2),
        "columns must be as many": lambda: tc.knn(x, y[:, :2], 2),
        "k is 0": lambda: tc.knn(x, y, 0),
        "r is -1": lambda: tc.radius(x, y, -1),
        "r is nan": lambda: tc.radius(x, y, float("nan")),
        "max_num_neighbors is negative": lambda: tc.radius(x, y, 1, max_num_neighbors=-1),
        "no flow": lambda: tc.knn_graph(x, 2, flow="sideways"),
        "ratio is 0": lambda: tc.fps(x, ratio=0.0),
        "ratio is 1.5": lambda: tc.fps(x, batch, ratio=1.5),
        "either ratio or num_points": lambda: tc.fps(x, ratio=0.5, num_points=2),
        "num_points is negative": lambda: tc.fps(x, num_points=-2),
        "does not ascend": lambda: tc.fps(x, ptr=[0, 5, 3]),
        "leaves the points": lambda: tc.fps(x, ptr=[0, 7]),
        "there are 3 clouds": lambda: tc.fps(x, batch, torch.tensor([0.5, 0.5], device=device)),
        "must be a tensor": lambda: tc.knn(x.tolist(), y, 2),
        "real numbers": lambda: tc.fps(x.to(torch.complex64)),
    }.items():
        with pytest.raises(ValueError, match=sentence):
            call()


def perceptron(*widths):
    layers = []
    for one, other in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(one, other), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def largest_by_target(messages, target, count):
    index = target.unsqueeze(1).expand_as(messages)
    return messages.new_zeros(count, messages.shape[1]).scatter_reduce(0, index, messages, "amax", include_self=False)


Module: Any = torch.nn.Module


class Classifier(Module):
    """A layer like PyG's DynamicEdgeConv, one like its PointNetConv behind fps() and radius(), and a pool over each cloud."""

    def __init__(self):
        super().__init__()
        self.edge, self.local, self.head = perceptron(6, 16, 16), perceptron(16 + 3, 16, 16), perceptron(16, 16, 3)
        self.again = perceptron(32, 16)

    def forward(self, pos, batch):
        count = pos.shape[0]
        source, target = tc.knn_graph(pos, 6, batch)
        x = largest_by_target(self.edge(torch.cat([pos[target], pos[source] - pos[target]], 1)), target, count)
        source, target = tc.knn_graph(x, 6, batch)  # in feature space, of 16 dimensions
        x = largest_by_target(self.again(torch.cat([x[target], x[source] - x[target]], 1)), target, count).relu()
        picks = tc.fps(pos, batch, 0.25)
        target, source = tc.radius(pos, pos[picks], 0.6, batch, batch[picks], max_num_neighbors=16)
        messages = self.local(torch.cat([x[source], pos[source] - pos[picks][target]], 1))
        x = largest_by_target(messages, target, len(picks))
        return self.head(largest_by_target(x, batch[picks], int(batch[-1]) + 1))


def shapes(clouds, generator):
    """Spheres, cubes and planes of 24 to 39 points, and which each is."""
    pos, sizes, labels = [], [], []
    for _ in range(clouds):
        label, size = int(torch.randint(3, (), generator=generator)), int(torch.randint(24, 40, (), generator=generator))
        points = torch.randn(size, 3, generator=generator)
        if label == 0:
            points = points / points.norm(dim=1, keepdim=True)
        elif label == 1:
            points = points / points.abs().amax(1, keepdim=True)
        else:
            points[:, 2] = 0
        pos, sizes, labels = [*pos, points], [*sizes, size], [*labels, label]
    return torch.cat(pos), batch_of(*sizes), torch.tensor(labels)


@pytest.fixture
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_a_network_of_pyg_trains(device, one_thread):
    torch.manual_seed(11)
    network = Classifier().to(device)
    optimizer = torch.optim.Adam(network.parameters(), 1e-2)
    pos, batch, labels = (tensor.to(device) for tensor in shapes(18, torch.Generator().manual_seed(11)))
    pos.requires_grad_()
    losses = []
    for _ in range(40):
        loss = torch.nn.functional.cross_entropy(network(pos, batch), labels)
        optimizer.zero_grad()
        loss.backward()
        assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in network.parameters())
        assert torch.isfinite(pos.grad).all() and pos.grad.any()
        optimizer.step()
        losses.append(loss.item())
    assert np.mean(losses[-5:]) < 0.5 * np.mean(losses[:5]), losses
    with torch.no_grad():
        assert (network(pos, batch).argmax(1) == labels).float().mean() > 0.8
