"""Samples a cloud of 100 million points, half of which are on each of two GPUs: every rank gets all samples.

    torchrun --nproc-per-node 2 09_sample_a_cloud_on_gpus.py

Needs torch, and a GPU for each rank.
"""

import os

import torch
import torch.distributed as dist

import farpoint.distributed as fpd

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
rank, ranks = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)
part = torch.rand(100_000_000 // ranks, 3, device="cuda") * 100

picks, distances = fpd.fps(part, 10_000, return_distances=True)     # on every GPU, indices into the parts of all ranks
voxels = fpd.voxelize(part, 1.0, (0, 0, 0, 100, 100, 100))["mean"]  # of the voxels that this GPU owns
mine = part[picks[picks // len(part) == rank] - rank * len(part)]   # the samples that this rank has
print(f"GPU {rank} of {ranks} has {len(mine)} of {len(picks)} samples, the last {distances[-1].sqrt():.3f} m from the others,",
      f"and {len(voxels)} voxels")
dist.destroy_process_group()
