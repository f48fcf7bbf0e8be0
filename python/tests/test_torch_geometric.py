"""Models of torch_geometric train on farpoint.torch_cluster: one line of imports names it."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: models of torch_geometric are not tested")
pytest.importorskip("torch_geometric", reason="torch_geometric is not installed: its models are not tested")

from torch_geometric.nn import EdgeConv, PointNetConv, global_max_pool  # noqa: E402

from farpoint.torch_cluster import fps, knn_graph, radius  # noqa: E402  was: from torch_geometric.nn or torch_cluster

Module: Any = torch.nn.Module


def mlp(*sizes):
    layers = [layer for one, other in zip(sizes, sizes[1:]) for layer in (torch.nn.Linear(one, other), torch.nn.ReLU())]
    return torch.nn.Sequential(*layers)


class PointNet2(Module):
    """A layer of set abstraction, as in torch_geometric's example of PointNet++."""

    def __init__(self):
        super().__init__()
        self.conv = PointNetConv(mlp(3, 16, 32), global_nn=mlp(32, 32), add_self_loops=False)
        self.head = torch.nn.Linear(32, 2)

    def forward(self, pos, batch):
        picks = fps(pos, batch, ratio=0.25)
        row, col = radius(pos, pos[picks], 0.5, batch, batch[picks], max_num_neighbors=16)
        features = self.conv((None, None), (pos, pos[picks]), torch.stack([col, row]))
        return self.head(global_max_pool(features, batch[picks]))


class DynamicGraph(Module):
    """Two dynamic edge convolutions: the graph of each is that of its inputs."""

    def __init__(self):
        super().__init__()
        self.convs = torch.nn.ModuleList([EdgeConv(mlp(6, 16)), EdgeConv(mlp(32, 16))])
        self.head = torch.nn.Linear(16, 2)

    def forward(self, pos, batch):
        features = pos
        for conv in self.convs:
            features = conv(features, knn_graph(features, 8, batch, loop=True))
        return self.head(global_max_pool(features, batch))


def clouds(count, points):
    """Spheres and flat ellipsoids, one after another."""
    kind = torch.arange(count) % 2
    pos = torch.nn.functional.normalize(torch.randn(count, points, 3), dim=-1)
    flat = torch.where(kind == 0, 1.0, 0.1)
    return torch.cat([pos[..., :2], pos[..., 2:] * flat[:, None, None]], -1).flatten(0, 1), torch.arange(count).repeat_interleave(points), kind


@pytest.mark.parametrize("model", [PointNet2, DynamicGraph])
def test_models_train(model):
    torch.manual_seed(3)
    net = model()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    losses = []
    for _ in range(40):
        pos, batch, kind = clouds(8, 64)
        pos.requires_grad_()
        loss = torch.nn.functional.cross_entropy(net(pos, batch), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        assert torch.isfinite(pos.grad).all() and pos.grad.any()
        losses.append(loss.item())
    assert sum(losses[-5:]) < 0.6 * sum(losses[:5]), losses
