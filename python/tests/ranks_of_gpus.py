"""Runs ranks of torch.distributed that are GPUs: python ranks_of_gpus.py FOLDER SCENARIO:RANKS...

As ranks_of_torch.py, whose rules it has: each rank is a fork of this process, which never starts CUDA, and a line for each scenario says
how the ranks have ended.
"""

import functools
import os
import signal
import sys
import threading
import time

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")  # needs rights that containers do not have
os.environ.setdefault("NCCL_SOCKET_IFNAME", "lo")

import numpy as np
import ranks_of_torch
import sharded
import torch
import torch.distributed as dist
from ranks_of_torch import fails

import farpoint
import farpoint.distributed as fpd
from farpoint import _core

SEED = int(os.environ.get("FARPOINT_SEED", "7"))


def on_gpu(value):
    return torch.from_numpy(np.ascontiguousarray(value)).cuda() if isinstance(value, np.ndarray) else value


def on_host(value):
    if isinstance(value, torch.Tensor):
        assert value.is_cuda and value.get_device() == torch.cuda.current_device()
        return value.cpu().numpy()
    if isinstance(value, dict):
        return {name: on_host(each) for name, each in value.items()}
    return type(value)(*map(on_host, value)) if hasattr(value, "_fields") else type(value)(map(on_host, value))


class OfGpus:
    """The functions with arrays of numpy, on the rank's GPU."""

    def __init__(self, **options):
        self.options = {"timeout": 30, **options}

    def __getattr__(self, name):
        def call(*arguments, **options):
            return on_host(getattr(fpd, name)(*map(on_gpu, arguments), **self.options, **options))

        return call


def part(rank, ranks):
    return on_gpu(ranks_of_torch.part(rank, ranks))


def whole(ranks):
    return on_gpu(ranks_of_torch.whole(ranks))


def same(found, expected, what):
    assert found.is_cuda
    sharded.same(found.cpu().numpy(), expected.cpu().numpy(), what)


def same_bits(rank, ranks):
    """The host's bits, of small clouds."""
    call = OfGpus()
    for what, cloud, lengths in sharded.whole_clouds(ranks):
        cloud = cloud.astype(np.float32)
        mine = cloud[sum(lengths[:rank]):sum(lengths[:rank + 1])]
        sharded.check_fps(call, mine, cloud, what)
        sharded.check_searches(call, mine, cloud, lengths, rank, what)
        sharded.check_voxels(call, mine, cloud, what)


def one_gpu_s_bits(rank, ranks):
    """The bits of a call on one GPU that has the whole cloud: strided points, some of them not finite, in parts of several sizes."""
    print(f"seed {SEED}", file=sys.stderr)
    rng = np.random.default_rng(SEED)
    cloud = rng.uniform(-7, 7, (200_000, 5)).astype(np.float32)
    cloud[rng.integers(0, len(cloud), 500), rng.integers(0, 3, 500)] = rng.choice([np.nan, np.inf, -np.inf], 500)
    everything = on_gpu(cloud)
    xyz = everything[:, :3]
    picks = farpoint.fps(xyz, 3000, return_distances=True)
    neighbors = farpoint.knn(xyz, 8)
    near = farpoint.PointIndex(xyz).radius(0.3, xyz, 16)
    rules = dict(max_points=3, max_voxels=5000)
    boxes = {name: farpoint.voxelize(everything, 0.5, sharded.BOX, **options) for name, options in (("all", {}), ("hard", rules))}
    for cuts in ([len(cloud) * r // ranks for r in range(ranks + 1)], [0] + [len(cloud)] * ranks, [0] * ranks + [len(cloud)],
                 [0] + sorted(rng.integers(0, len(cloud), ranks - 1).tolist()) + [len(cloud)]):
        rows = slice(cuts[rank], cuts[rank + 1])
        with torch.cuda.stream(torch.cuda.Stream()):
            mine = everything[rows].clone()
            for one, other in zip(fpd.fps(mine[:, :3], 3000, return_distances=True), picks):
                same(one, other, f"fps {cuts}")
            for one, other in zip(fpd.knn(mine[:, :3], 8), neighbors):
                same(one, other[rows], f"knn {cuts}")
            for one, other in zip(fpd.radius(mine[:, :3], 0.3, max_neighbors=16), near):
                same(one, other[rows], f"radius {cuts}")
            for name, options in (("all", {}), ("hard", rules)):
                expected, found = boxes[name], fpd.voxelize(mine, 0.5, sharded.BOX, gather=True, **options)
                count = expected["voxel_count"].item()
                assert found["voxel_count"].item() == count > 1000
                for key in {*found} - {"voxel_count"}:
                    same(found[key], expected[key][:count], f"{key} of {name} {cuts}")
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for _ in range(5):
        fpd.knn(everything[:1000, :3], 3)
    assert torch.cuda.memory_allocated() == before
    if ranks == 1:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            assert "captured" in str(fails(ValueError, lambda: fpd.fps(xyz, 5)))


def other_groups(rank, ranks):
    """Groups of NCCL, too, and calls on GPUs and in host memory on one group."""
    expected = farpoint.fps(whole(ranks), 50)
    for backend in ("gloo", "nccl"):
        group = dist.new_group(backend=backend)
        same(fpd.fps(part(rank, ranks), 50, group=group, timeout=30), expected, backend)
        sharded.same(fpd.fps(ranks_of_torch.part(rank, ranks), 50, group=group), expected.cpu().numpy(), "in host memory")
        same(fpd.fps(part(rank, ranks), 50, group=group, timeout=30), expected, f"{backend} once more")
    # Threads of rank 1, whose current device is another one, call one after another.
    mine, outcomes = part(rank, ranks), []
    threads = [threading.Thread(target=lambda: outcomes.append(fpd.fps(mine, 50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 4
    for each in outcomes:
        same(each, expected, "by a thread")


def wrong_arguments(rank, ranks):
    mine = part(rank, ranks)
    odd = rank == ranks - 1
    expected = farpoint.fps(whole(ranks), 50)
    for call, sentence in ((lambda: fpd.fps(mine, -1 if odd else 5), "samples is negative"),
                           (lambda: fpd.fps(mine.double() if odd else mine, 5), "ranks exchange float32"),
                           (lambda: fpd.knn(mine, 0 if odd else 3), "k is 0"),
                           (lambda: fpd.knn(mine, 3, mine.cpu() if odd else mine), "another memory"),
                           (lambda: fpd.voxelize(mine, 1.0, sharded.BOX, outputs=["point_voxel" if odd else "coords"]), "no output")):
        error = str(fails(ValueError, call, most=5.0))
        assert (sentence if odd else f"arguments of rank {ranks - 1} are refused") in error, error
    for call in (lambda: fpd.fps(mine, 5 + odd), lambda: fpd.knn(mine, 3 + odd), lambda: fpd.fps(mine, 5, first=4 * odd),
                 lambda: fpd.fps(mine, 5, chosen=[1, 2 + odd]), lambda: fpd.voxelize(mine, 1.0 + odd, sharded.BOX),
                 lambda: fpd.voxelize(mine, 1.0, sharded.BOX, gather=odd), lambda: fpd.radius(mine, 1.0 + odd, max_neighbors=3),
                 lambda: fpd.voxelize(mine, 0.0 if odd else 1.0, sharded.BOX)):
        fails(ValueError, call, most=5.0)
    error = str(fails(ValueError, lambda: fpd.fps(mine.cpu() if odd else mine, 5), most=5.0))
    assert "in host memory on some ranks and on GPUs on others" in error, error
    same(fpd.fps(mine, 50), expected, "after refusals")


def one_gpu_for_all(rank, ranks):
    """Ranks that forgot to choose a GPU of their own."""
    torch.cuda.set_device(0)
    for _ in range(2):
        error = str(fails(ValueError, lambda: fpd.fps(part(rank, ranks), 5), most=20.0))
        assert "each rank needs a GPU of its own" in error, error


class InTheMiddle:
    """Rank 1 does something else when all ranks have agreed on a call, and the others wait on their GPUs."""

    def __init__(self, rank, act):
        self.rank, self.act = rank, act

    def __enter__(self):
        self.function = _core.fps_shard_on_gpus

        def function(*arguments, **named):
            self.act()
            return self.function(*arguments, **named)

        if self.rank == 1:
            _core.fps_shard_on_gpus = function

    def __exit__(self, *_):
        _core.fps_shard_on_gpus = self.function


def killed(rank, ranks):
    same(fpd.fps(part(rank, ranks), 50), farpoint.fps(whole(ranks), 50), "before")
    with InTheMiddle(rank, lambda: os.kill(os.getpid(), signal.SIGKILL)):
        error = fails(RuntimeError, lambda: fpd.fps(part(rank, ranks), 50, timeout=3.0), most=10.0)
    assert "communication failure" in str(error), error
    error = fails(RuntimeError, lambda: fpd.fps(part(rank, ranks), 5), most=1.0)
    assert "make a new group" in str(error.__cause__)
    assert torch.ones(5, device="cuda").sum().item() == 5  # the GPU and its stream work on


def fails_in_the_middle(rank, ranks):
    """A rank that has no memory or is interrupted ends the others soon, and not after the time-out."""
    mine = torch.zeros(2_000_000, 3, device="cuda")
    total = torch.cuda.get_device_properties(rank).total_memory
    group = dist.new_group()
    fpd.fps(mine, 5, group=group, timeout=60)
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    if rank == 1:
        torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + 2**23) / total)
    kind = torch.cuda.OutOfMemoryError if rank == 1 else RuntimeError
    error = fails(kind, lambda: fpd.fps(mine, 5, group=group, timeout=60), most=10.0)
    assert rank == 1 or "communication failure" in str(error), error
    torch.cuda.set_per_process_memory_fraction(1.0)
    fails(RuntimeError, lambda: fpd.fps(mine, 5, group=group), most=1.0)
    # Rank 0 is interrupted in its wait, which holds no lock of Python.
    group = dist.new_group()
    fpd.fps(mine, 5, group=group, timeout=60)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    turns = []

    def interrupt():
        for _ in range(20):
            time.sleep(0.05)
            turns.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    if rank == 0:
        thread.start()
    with InTheMiddle(rank, lambda: time.sleep(4)):
        fails(KeyboardInterrupt if rank == 0 else RuntimeError, lambda: fpd.fps(mine, 5, group=group, timeout=60), most=12.0)
    if rank == 0:
        thread.join()
        assert np.diff(turns).max() < 1.0
    group = dist.new_group()
    same(fpd.fps(part(rank, ranks), 50, group=group), farpoint.fps(whole(ranks), 50), "on a new group")


def does_not_come(rank, ranks):
    mine = part(rank, ranks)
    group = dist.new_group()
    fpd.fps(mine, 5, group=group)
    if rank != 0:
        fails(RuntimeError, lambda: fpd.fps(mine, 5, group=group, timeout=1.0), most=10.0)
    dist.barrier()
    # Nor into the exchange of the GPUs.
    group = dist.new_group()
    fpd.fps(mine, 5, group=group)
    with InTheMiddle(rank, lambda: time.sleep(4)):
        fails(RuntimeError, lambda: fpd.fps(mine, 5, group=group, timeout=1.0), most=10.0)


def main(folder, *scenarios):
    own = (same_bits, one_gpu_s_bits, other_groups, wrong_arguments, one_gpu_for_all, killed, fails_in_the_middle, does_not_come)

    def on_its_gpu(scenario):
        @functools.wraps(scenario)
        def run(rank, ranks):
            torch.cuda.set_device(rank % torch.cuda.device_count())
            scenario(rank, ranks)
            torch.cuda.synchronize()

        return run

    for scenario in own:
        setattr(ranks_of_torch, scenario.__name__, on_its_gpu(scenario))
    ranks_of_torch.main(folder, *scenarios)


if __name__ == "__main__":
    main(*sys.argv[1:])
