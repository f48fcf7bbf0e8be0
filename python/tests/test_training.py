"""The examples that train: losses fall, the same compiled as one graph, and coordinates get the right gradients."""

import importlib.util
import pathlib
import sys

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: training is not tested")

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"
#: The graph is traced as a whole and differentiated, and not handed to a C++ compiler, which would take a minute.
COMPILED = {"compiled": True, "backend": "aot_eager"}


@pytest.fixture(autouse=True)
def reset():
    torch._dynamo.reset()
    torch.manual_seed(11)


def example(name):
    """Everything that the example defines. torch.compile looks its functions' module up by name."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return vars(module)


@pytest.fixture(scope="module")
def pointnet2():
    return example("04_train_pointnet2")


@pytest.fixture(scope="module")
def dgcnn():
    return example("05_train_dgcnn")


@pytest.fixture(scope="module")
def chamfer():
    return example("06_chamfer_distance")


def fell(losses, factor):
    return sum(losses[-5:]) / 5 < factor * sum(losses[:5]) / 5


def test_pointnet2_learns_to_tell_parts(pointnet2):
    model, losses = pointnet2["train"](steps=30, clouds=4, points=256)
    assert fell(losses, 0.7), losses
    xyz, part = pointnet2["objects"](4, 256)
    assert (model(xyz).argmax(-1) == part).float().mean() > 0.8  # one half would be chance
    assert all(parameter.grad.any() for parameter in model.parameters())


def test_dgcnn_learns_to_tell_shapes(dgcnn):
    model, losses = dgcnn["train"](steps=40, points=96)
    assert fell(losses, 0.7), losses
    xyz, kind = dgcnn["shapes"](60, 96)
    assert (model(xyz).argmax(-1) == kind).float().mean() > 0.7  # a third would be chance
    assert all(parameter.grad.any() for parameter in model.parameters())


@pytest.mark.parametrize("name, small", [("pointnet2", {"clouds": 2, "points": 256}), ("dgcnn", {"points": 64})])
def test_one_graph_trains_as_eager_code_does(name, small, request):
    train = request.getfixturevalue(name)["train"]
    eager, expected = train(steps=3, **small)
    compiled, found = train(steps=3, **small, **COMPILED)
    assert found == expected
    for one, other in zip(eager.parameters(), compiled.parameters()):
        assert torch.equal(one, other)


def numeric_gradient(function, xyz, places, step):
    for place in places:
        ahead, behind = xyz.detach().clone(), xyz.detach().clone()
        ahead[place] += step
        behind[place] -= step
        yield ((function(ahead) - function(behind)) / (2 * step)).item()


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", ["pointnet2", "dgcnn"])
def test_gradients_of_coordinates(name, compiled, request):
    # Samples and neighbors are the same under a step this small; a smooth loss is then differentiable almost everywhere.
    space = request.getfixturevalue(name)
    model = (space["PointNet2"] if name == "pointnet2" else space["DGCNN"])()
    xyz = (space["objects"] if name == "pointnet2" else space["shapes"])(2, 256)[0]

    def loss(points):
        return torch.tanh(model(points)).square().sum()

    called = torch.compile(loss, fullgraph=True, backend="aot_eager") if compiled else loss
    if name == "dgcnn":
        # In double the quotients are exact enough for each entry.
        model.double()
        xyz = xyz.double()
    xyz.requires_grad_()
    (found,) = torch.autograd.grad(called(xyz), xyz)
    assert torch.isfinite(found).all() and found.flatten(1).any(1).all()
    largest = found.abs().flatten().topk(12).indices
    places = [tuple(int(i) for i in torch.unravel_index(flat, xyz.shape)) for flat in largest]
    with torch.no_grad():
        expected = torch.tensor(list(numeric_gradient(loss, xyz, places, 1e-6 if name == "dgcnn" else 1e-3)))
    close = (found[tuple(zip(*places))].float() - expected).abs() <= 0.05 * expected.abs() + 1e-3
    # A step may cross the edge of a ball or of a ReLU.
    assert close.sum() >= (12 if name == "dgcnn" else 10), (found[tuple(zip(*places))], expected)


def test_chamfer_distance_converges(chamfer):
    moved, target, losses = chamfer["fit"](steps=150, points=200)
    assert losses[-1] < 0.1 * losses[0], losses[::30]
    # The loss equals the definition of the Chamfer distance.
    squares = torch.cdist(moved.double(), target.double()).square()
    plain = squares.amin(0).mean() + squares.amin(1).mean()
    torch.testing.assert_close(chamfer["chamfer"](moved, target).double(), plain, rtol=1e-4, atol=1e-7)


def test_chamfer_distance_as_one_graph(chamfer):
    eager, _, expected = chamfer["fit"](steps=5, points=100)
    compiled, _, found = chamfer["fit"](steps=5, points=100, **COMPILED)
    assert found == expected and torch.equal(compiled, eager)


def test_gradients_of_the_chamfer_distance(chamfer):
    points, target = (torch.randn(20, 3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(chamfer["chamfer"], (points, target))
