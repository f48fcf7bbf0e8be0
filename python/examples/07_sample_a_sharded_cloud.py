"""Samples a cloud whose parts are on several ranks: every rank gets all samples, equal to one call for the whole cloud.

    torchrun --nproc-per-node 2 07_sample_a_sharded_cloud.py

Needs torch.
"""

import torch
import torch.distributed as dist

import farpoint.distributed as fpd

dist.init_process_group("gloo")
rank, ranks = dist.get_rank(), dist.get_world_size()
part = torch.rand(50_000, 3, generator=torch.Generator().manual_seed(rank)) + torch.tensor([float(rank), 0, 0])

picks, distances = fpd.fps(part, 1000, return_distances=True)  # indices into the parts of all ranks, one after another
indices, _ = fpd.knn(part, 8)                                  # of this rank's points, in the whole cloud
mine = (picks // len(part) == rank).sum().item()
print(f"rank {rank} of {ranks} has {mine} of {len(picks)} samples, the last {distances[-1].sqrt():.3f} m from the others;",
      f"{(indices // len(part) != rank).any(1).sum().item()} of its points have neighbors on another rank")
dist.destroy_process_group()
