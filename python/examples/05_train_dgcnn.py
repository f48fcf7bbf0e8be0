"""A small DGCNN that classifies shapes: neighbors of a layer are nearest in its features, not in coordinates.

    python 05_train_dgcnn.py [--steps 60] [--compile]

The shapes are made here: spheres, cubes and tori. Needs torch.
"""

import argparse
import math

import torch
from torch import Tensor, nn

import farpoint.torch as fpt
from farpoint.pytorch3d_ops import knn_points


# An operator of its own: torch.compile does not look into the search, which has loops for more than three dimensions.
@torch.library.custom_op("dgcnn::neighbors", mutates_args=())
def neighbors(features: Tensor, k: int) -> Tensor:
    """Indices (B, N, k) of the nearest rows of (B, N, C)."""
    return knn_points(features, features, K=k).idx


@neighbors.register_fake
def _(features: Tensor, k: int) -> Tensor:
    return features.new_empty((*features.shape[:2], k), dtype=torch.int64)


class EdgeConv(nn.Module):
    """The largest of a function of each point and the differences to its neighbors, in the space of the features."""

    def __init__(self, k, inputs, outputs):
        super().__init__()
        self.k = k
        self.mlp = nn.Sequential(nn.Linear(2 * inputs, outputs), nn.LeakyReLU(0.2), nn.Linear(outputs, outputs))

    def forward(self, features: Tensor) -> Tensor:
        edges = neighbors(features.detach(), self.k)
        center = features.unsqueeze(2).expand(-1, -1, self.k, -1)
        return self.mlp(torch.cat([center, fpt.gather(features, edges) - center], -1)).amax(2)


class DGCNN(nn.Module):
    def __init__(self, classes=3, k=10):
        super().__init__()
        self.layers = nn.ModuleList([EdgeConv(k, 3, 16), EdgeConv(k, 16, 32)])
        self.head = nn.Sequential(nn.Linear(16 + 32, 32), nn.ReLU(), nn.Linear(32, classes))

    def forward(self, xyz: Tensor) -> Tensor:
        """(B, N, 3) -> (B, classes)"""
        found = [xyz]
        for layer in self.layers:
            found.append(layer(found[-1]))
        return self.head(torch.cat(found[1:], -1).amax(1))


def shapes(count: int, points: int):
    """Clouds (count, points, 3) in random poses, and their classes: sphere, cube, torus."""
    kind = torch.arange(count) % 3
    directions = nn.functional.normalize(torch.randn(count, points, 3), dim=-1)
    cube = directions / directions.abs().amax(-1, keepdim=True)
    u, v = torch.rand(2, count, points) * 2 * math.pi
    around = 0.75 + 0.25 * v.cos()
    torus = torch.stack([around * u.cos(), around * u.sin(), 0.25 * v.sin()], -1)
    xyz = torch.stack([directions, cube, torus])[kind, torch.arange(count)]
    turn, _ = torch.linalg.qr(torch.randn(count, 3, 3))
    return xyz @ turn, kind


def train(steps=60, clouds=12, points=128, compiled=False, backend="inductor"):
    """Returns the model, and the loss of each step."""
    torch.manual_seed(0)
    model = DGCNN()
    forward = torch.compile(model, fullgraph=True, backend=backend) if compiled else model
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        xyz, kind = shapes(clouds, points)
        loss = nn.functional.cross_entropy(forward(xyz), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, losses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    model, losses = train(options.steps, compiled=options.compile)
    xyz, kind = shapes(60, 128)
    right = (model(xyz).argmax(-1) == kind).float().mean().item()
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}; {100 * right:.1f} % of new shapes are recognized")


if __name__ == "__main__":
    main()
