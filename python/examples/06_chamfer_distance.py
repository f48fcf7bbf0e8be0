"""A cloud is moved onto another by the gradient of their Chamfer distance, which is made of distances to nearest neighbors.

    python 06_chamfer_distance.py [--steps 200]

Needs torch.
"""

import argparse

import torch
from torch import Tensor, nn

import farpoint.torch as fpt


def chamfer(points: Tensor, target: Tensor) -> Tensor:
    """Mean squared distance to the nearest point of the other cloud, both ways; differentiable in both."""
    _, to_target = fpt.knn(target, 1, points)
    _, to_points = fpt.knn(points, 1, target)
    return to_target.mean() + to_points.mean()


def cube(points: int) -> Tensor:
    directions = nn.functional.normalize(torch.randn(points, 3), dim=-1)
    return directions / directions.abs().amax(-1, keepdim=True)


def fit(steps=200, points=400, compiled=False, backend="inductor"):
    """Moves points of a sphere onto a cube; returns them, the cube, and the distance before each step."""
    torch.manual_seed(0)
    target = cube(points)
    moved = nn.functional.normalize(torch.randn(points, 3), dim=-1).requires_grad_()
    distance = torch.compile(chamfer, fullgraph=True, backend=backend) if compiled else chamfer
    optimizer = torch.optim.Adam([moved], lr=0.02)
    losses = []
    for _ in range(steps):
        loss = distance(moved, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return moved.detach(), target, losses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    _, _, losses = fit(parser.parse_args().steps)
    print(f"Chamfer distance {losses[0]:.4f} -> {losses[-1]:.4f}")


if __name__ == "__main__":
    main()
