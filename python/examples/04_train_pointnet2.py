"""A small PointNet++ that segments an object into parts: set abstraction, feature propagation, training.

    python 04_train_pointnet2.py [--steps 60] [--compile]

The objects are made here: a ball on a box, turned about the vertical axis. Needs torch.
"""

import argparse
import math

import torch
from torch import Tensor, nn

import farpoint.torch as fpt


class SetAbstraction(nn.Module):
    """Samples centers, and gives each the largest features of the points around it."""

    def __init__(self, samples, radius, neighbors, inputs, outputs):
        super().__init__()
        self.samples, self.radius, self.neighbors = samples, radius, neighbors
        self.mlp = nn.Sequential(nn.Linear(3 + inputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs), nn.ReLU())

    def forward(self, xyz: Tensor, features: Tensor):
        centers = fpt.gather(xyz, fpt.fps(xyz, self.samples))                       # (B, samples, 3)
        groups = fpt.ball_query(self.radius, self.neighbors, xyz, centers)          # (B, samples, neighbors)
        offsets = (fpt.gather(xyz, groups) - centers.unsqueeze(2)) / self.radius
        return centers, self.mlp(torch.cat([offsets, fpt.gather(features, groups)], -1)).amax(2)


class FeaturePropagation(nn.Module):
    """Brings features of centers back to the points that they were sampled from."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU())

    def forward(self, centers: Tensor, center_features: Tensor, xyz: Tensor, features: Tensor):
        spread = fpt.interpolate(centers, center_features, xyz)                     # from the three nearest centers
        return self.mlp(torch.cat([spread, features], -1))


class PointNet2(nn.Module):
    def __init__(self, parts=2):
        super().__init__()
        self.down1 = SetAbstraction(128, 0.3, 16, inputs=3, outputs=32)
        self.down2 = SetAbstraction(32, 0.6, 16, inputs=32, outputs=64)
        self.up2 = FeaturePropagation(64 + 32, 64)
        self.up1 = FeaturePropagation(64 + 3, 32)
        self.head = nn.Linear(32, parts)

    def forward(self, xyz: Tensor) -> Tensor:
        """(B, N, 3) -> (B, N, parts)"""
        centers1, features1 = self.down1(xyz, xyz)
        centers2, features2 = self.down2(centers1, features1)
        features1 = self.up2(centers2, features2, centers1, features1)
        return self.head(self.up1(centers1, features1, xyz, xyz))


def objects(count: int, points: int):
    """Clouds (count, points, 3) and the part of each point: 0 for the ball, 1 for the box below it."""
    part = (torch.arange(points) % 2).expand(count, points)
    ball = nn.functional.normalize(torch.randn(count, points, 3), dim=-1) * 0.5 + torch.tensor([0.0, 0.0, 0.3])
    box = torch.rand(count, points, 3) * torch.tensor([1.2, 0.8, 0.6]) - torch.tensor([0.6, 0.4, 0.7])
    xyz = torch.where((part == 0).unsqueeze(-1), ball, box)
    angle = torch.rand(count) * 2 * math.pi
    zero, one = torch.zeros(count), torch.ones(count)
    turn = torch.stack([angle.cos(), -angle.sin(), zero, angle.sin(), angle.cos(), zero, zero, zero, one], -1).reshape(-1, 3, 3)
    return xyz @ turn.transpose(1, 2), part


def train(steps=60, clouds=8, points=512, compiled=False, backend="inductor"):
    """Returns the model, and the loss of each step."""
    torch.manual_seed(0)
    model = PointNet2()
    forward = torch.compile(model, fullgraph=True, backend=backend) if compiled else model
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        xyz, part = objects(clouds, points)
        loss = nn.functional.cross_entropy(forward(xyz).flatten(0, 1), part.flatten())
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
    xyz, part = objects(8, 512)
    right = (model(xyz).argmax(-1) == part).float().mean().item()
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}; {100 * right:.1f} % of the points of new objects are labeled rightly")


if __name__ == "__main__":
    main()
