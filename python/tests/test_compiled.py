"""What torch.compile makes of farpoint.torch has the answers of the calls as they are, to the bit: every output by itself.

Run as a program, `python test_compiled.py [cpu|cuda] [default reduce-overhead ...]` prints for each output of each mode whether it
is equal, and how far it is off.
"""

import sys

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: compiled calls are not tested")
fpt = pytest.importorskip("farpoint.torch")


def inputs(device, clouds=2, points=300, channels=6):
    torch.manual_seed(3)
    xyz = torch.rand(clouds, points, 3, device=device) * 20 - 7
    return xyz, torch.randn(clouds, points, channels, device=device)


def layers(xyz, features):
    """Every function of farpoint.torch, on what the ones before it made; nothing but views between them."""
    picks = fpt.fps(xyz, 40)
    new = fpt.gather(xyz, picks)
    indices, squared = fpt.knn(xyz, 5, new)
    own, own_squared = fpt.knn(xyz, 4, None, 2.0, True)
    ball = fpt.ball_query(1.5, 8, xyz, new)
    channels = features.transpose(1, 2).contiguous()
    distances, three = fpt.three_nn(xyz, new)
    sampled = fpt.gather(features, picks)
    return {"fps": picks, "gather of points": new, "knn, indices": indices, "knn, distances": squared, "knn of themselves": own,
            "their distances": own_squared, "ball_query": ball, "group": fpt.group(channels, ball), "three_nn, distances": distances,
            "three_nn, indices": three, "gather": sampled, "gather of groups": fpt.gather(features, indices),
            "three_interpolate": fpt.three_interpolate(sampled.transpose(1, 2), three, distances),
            "interpolate": fpt.interpolate(new, sampled, xyz),
            "voxel_mean": fpt.voxel_mean(xyz[0], indices.flatten()[:xyz.shape[1]], 300)}


def gradients(function, xyz, features):
    """Gradients of a sum of all outputs that have one, by output."""
    xyz, features = xyz.clone().requires_grad_(), features.clone().requires_grad_()
    found = {}
    for name, output in function(xyz, features).items():
        if output.requires_grad:
            weight = torch.linspace(-1, 1, output.numel(), device=output.device).reshape(output.shape)
            weight = torch.where(output < float("inf"), weight, torch.zeros_like(weight))
            each = torch.autograd.grad(output, (xyz, features), weight, retain_graph=True, allow_unused=True, materialize_grads=True)
            found.update({f"gradient of {name} in {of}": gradient for of, gradient in zip(("points", "features"), each)})
    return found


def differences(device, mode, deterministic=True):
    """For each output and gradient: its name, how many values differ, of how many, and by how much at most."""
    torch._dynamo.reset()
    xyz, features = inputs(device)
    before = torch.are_deterministic_algorithms_enabled()
    # Otherwise sums on a GPU differ from run to run.
    torch.use_deterministic_algorithms(deterministic)
    try:
        compiled = torch.compile(layers, fullgraph=True, mode=mode)
        expected = {**layers(xyz, features), **gradients(layers, xyz, features)}
        # Twice and more: a graph is captured, then replayed, and what it returns is overwritten by the next run.
        for _ in range(3):
            found = {name: output.clone() for name, output in compiled(xyz, features).items()}
        found.update({name: gradient.clone() for name, gradient in gradients(compiled, xyz, features).items()})
    finally:
        torch.use_deterministic_algorithms(before)
    assert list(found) == list(expected)
    for name, one in expected.items():
        other = found[name]
        assert one.shape == other.shape and one.dtype == other.dtype, name
        assert name.startswith("gradient") or one.stride() == other.stride(), name
        unequal = (one != other) & ~((one != one) & (other != other))
        most = (one.double() - other.double()).abs()[unequal].max().item() if unequal.any() else 0.0
        yield name, int(unequal.sum()), one.numel(), most


def graphs_of(function, *arguments):
    """The forward and backward graphs that a compiler is handed."""
    from torch._dynamo.backends.common import aot_autograd
    from functorch.compile import make_boxed_func

    graphs = []

    def keep(graph, _):
        graphs.append(graph)
        return make_boxed_func(graph.forward)

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=aot_autograd(fw_compiler=keep, bw_compiler=keep), fullgraph=True)
    outputs = [output for output in compiled(*arguments).values() if output.requires_grad]
    torch.autograd.grad(outputs, arguments, [torch.ones_like(output) for output in outputs])
    return graphs


def test_no_arithmetic_is_left_to_a_compiler():
    # It may fuse a product and a sum, which rounds once instead of twice; copies, casts and sums of two gradients have one way.
    xyz, features = (tensor.requires_grad_() for tensor in inputs("cpu"))
    graphs = graphs_of(layers, xyz, features)
    assert len(graphs) == 2
    called = {str(node.target) for graph in graphs for node in graph.graph.nodes if node.op == "call_function"}
    assert any(name.startswith("farpoint.") for name in called)
    arithmetic = {name for name in called if name.startswith("aten.") and name.split(".")[1] in (
        "mul", "div", "sub", "rsub", "sqrt", "square", "pow", "sum", "mean", "reciprocal", "where", "index_add", "clamp", "addcmul")}
    assert not arithmetic


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU: inductor's kernels for it are not tested")
@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_compiled_for_a_gpu(mode):
    assert [row for row in differences("cuda", mode) if row[1]] == []


def test_compiled_for_the_host():
    # With products and sums fused where inductor's kernels for a GPU have them fused.
    try:
        with torch._inductor.config.patch({"cpp.enable_floating_point_contract_flag": "fast"}):
            found = list(differences("cpu", "default"))
    except Exception as error:
        if "CppCompileError" in repr(error) or "InvalidCxxCompiler" in repr(error):
            pytest.skip("inductor finds no C++ compiler")
        raise
    assert [row for row in found if row[1]] == []


if __name__ == "__main__":
    where = sys.argv[1] if len(sys.argv) > 1 else "cuda" if torch.cuda.is_available() else "cpu"
    for each_mode in sys.argv[2:] or (["default", "reduce-overhead"] if where == "cuda" else ["default"]):
        for what, unequal, count, most in differences(where, each_mode):
            print(f"{each_mode:16} {what:45} {'equal' if not unequal else f'{unequal} of {count} differ, by {most:.3g} at most'}")
