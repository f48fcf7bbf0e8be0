"""Runs ranks of torch.distributed, which are forks of this process: python ranks_of_torch.py FOLDER SCENARIO:RANKS...

Each rank asserts what its scenario says. For each scenario a line is printed, when all ranks have ended: `SCENARIO:RANKS`, and how each
rank did, by its exit code or the signal that killed it (-9). torch is imported once for all.
"""

import datetime
import faulthandler
import os
import signal
import sys
import time
import traceback
from types import SimpleNamespace

import numpy as np
import sharded
import torch
import torch.distributed as dist

import farpoint
import farpoint.distributed as fpd

CLOUD = np.random.default_rng(3).uniform(-5, 5, (4000, 3)).astype(np.float32)


def part(rank, ranks):
    return CLOUD[rank::ranks]


def whole(ranks):
    return np.concatenate([part(r, ranks) for r in range(ranks)])


class Of:
    """The functions on a group."""

    def __init__(self, group):
        self.group = group

    def __getattr__(self, name):
        return lambda *arguments, **options: getattr(fpd, name)(*arguments, group=self.group, timeout=30, threads=1, **options)


def fails(kind, call, least=0.0, most=20.0):
    """The exception that a call ends with, within a time."""
    start = time.monotonic()
    try:
        call()
    except kind as error:
        took = time.monotonic() - start
        assert least <= took <= most, f"{took} s: {error}"
        return error
    raise AssertionError(f"no {kind.__name__}")


def same_bits(rank, ranks):
    # Threads check the other clouds, in less time.
    sharded.check_all(Of(None), rank, ranks, only=("random", "ties", "not finite", "all on the last rank", "no point"))
    tensors = fpd.knn(torch.from_numpy(part(rank, ranks)), 3)
    assert isinstance(tensors.indices, torch.Tensor)
    for one, other in zip(tensors, fpd.knn(part(rank, ranks), 3)):
        sharded.same(one.numpy(), other, "tensors")
    picks = fpd.fps(torch.from_numpy(part(rank, ranks)).requires_grad_(), 9)
    sharded.same(picks.numpy(), farpoint.fps(whole(ranks), 9), "fps of a tensor with a gradient")
    if ranks < 3:
        return
    # Groups of some ranks, in the midst of calls on all; what one rank has to itself.
    for members in ([1, 2], [2], [0, 2]):
        group = dist.new_group(members)
        if rank not in members:
            fails(ValueError, lambda: fpd.fps(CLOUD, 3, group=group))  # noqa: B023
            continue
        sharded.check_all(Of(group), members.index(rank), len(members), only=("not finite",))
    sharded.same(fpd.fps(part(rank, ranks), 50), farpoint.fps(whole(ranks), 50), "on all ranks, after calls on some")


def wrong_arguments(rank, ranks):
    mine = part(rank, ranks)
    odd = rank == ranks - 1
    calls = {"samples is negative": lambda: fpd.fps(mine, -1 if odd else 5),
             r"must be \(N, 3\)": lambda: fpd.knn(mine[:, :2] if odd else mine, 3),
             "k is 0": lambda: fpd.knn(mine, 0 if odd else 3),
             "there is no order": lambda: fpd.radius(mine, 1.0, max_neighbors=3, order="none" if odd else "index"),
             "is no output of ranks": lambda: fpd.voxelize(mine, 1.0, sharded.BOX, outputs=["point_voxel" if odd else "coords"]),
             "they must be float": lambda: fpd.fps(mine > 0 if odd else mine, 5),
             "voxel size": lambda: fpd.voxelize(mine, -1.0 if odd else 1.0, sharded.BOX)}
    for call in calls.values():
        error = fails(ValueError, call)
        assert odd or "of rank" in str(error) or "of another rank" in str(error), error
    different = (lambda: fpd.fps(mine, 5 + odd), lambda: fpd.knn(mine, 3 + odd), lambda: fpd.fps(mine, 5, first=4 * odd),
                 lambda: fpd.fps(mine.astype(np.float64) if odd else mine, 5), lambda: fpd.fps(mine, 5, chosen=[1, 2 + odd]),
                 lambda: fpd.voxelize(mine, 1.0 + odd, sharded.BOX), lambda: fpd.voxelize(mine, 1.0, sharded.BOX, gather=odd),
                 lambda: fpd.radius(mine, 1.0 + odd, max_neighbors=3), lambda: fpd.fps(mine, 5) if odd else fpd.knn(mine, 5),
                 lambda: fpd.fps(mine, 5, first=len(CLOUD)))
    for call in different:
        fails(ValueError, call)
    for timeout in ("soon", None, float("nan")):
        error = fails(ValueError, lambda: fpd.fps(mine, 5, timeout=timeout if odd else 30), most=10.0)  # noqa: B023
        assert ("timeout is" if odd else f"arguments of rank {ranks - 1} are refused") in str(error), error
    # In the first call on a group, which connects its ranks, too.
    group = dist.new_group()
    fails(ValueError, lambda: fpd.knn(mine, 3, group=group, timeout="soon" if odd else 30), most=10.0)
    # None of that is the end of the group.
    sharded.same(fpd.fps(mine, 50), farpoint.fps(whole(ranks), 50), "after refusals")


def die_in_exchange(number):
    """This process kills itself by SIGKILL in exchange `number` from here on of the default group, which is connected."""
    connection = fpd._connections[dist.group.WORLD]
    exchange, exchanges = connection.exchange, []

    def dies(*arguments):
        exchanges.append(1)
        if len(exchanges) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        exchange(*arguments)

    connection.exchange = dies


def killed(rank, ranks):
    """One rank is killed in the middle of a call."""
    mine = part(rank, ranks)
    sharded.same(fpd.fps(mine, 5), farpoint.fps(whole(ranks), 5), "before")
    if rank == 1:
        die_in_exchange(6)
    # More than one call, as a rank may have what it needs of the one in which another ends.
    error = fails(RuntimeError, lambda: [fpd.fps(mine, 2000, timeout=15) for _ in range(5)])
    assert "communication failure" in str(error) and error.__cause__ is not None
    error = fails(RuntimeError, lambda: fpd.fps(mine, 5), most=1.0)
    assert "make a new group" in str(error.__cause__)


def fails_in_the_middle(rank, ranks):
    """A rank that has no memory ends the others at once, and not after the time-out; so does one that is interrupted."""
    mine = part(rank, ranks)
    for kind in (MemoryError, KeyboardInterrupt):
        group = dist.new_group()
        sharded.same(fpd.fps(mine, 5, group=group), farpoint.fps(whole(ranks), 5), "before")
        rows_of = fpd._ranks._Voxels.rows_of

        def raises(*arguments):
            raise kind("of rank 2")  # noqa: B023

        if rank == 2:
            fpd._ranks._Voxels.rows_of = raises
        fails(kind if rank == 2 else RuntimeError, lambda: fpd.voxelize(mine, 1.0, sharded.BOX, group=group, timeout=60))  # noqa: B023
        fpd._ranks._Voxels.rows_of = rows_of
        fails(RuntimeError, lambda: fpd.fps(mine, 5, group=group), most=1.0)  # noqa: B023
        dist.barrier()  # the default group is as it was


def does_not_come(rank, ranks):
    mine = part(rank, ranks)
    group = dist.new_group()
    fpd.fps(mine, 5, group=group)
    if rank != 0:
        fails(RuntimeError, lambda: fpd.fps(mine, 5, group=group, timeout=1.0), least=0.0 if ranks > 2 else 0.9, most=10.0)
    dist.barrier()
    # Nor to the first call, in which ranks are connected.
    group = dist.new_group()
    if rank != 0:
        error = fails(RuntimeError, lambda: fpd.fps(mine, 5, group=group, timeout=1.0), most=10.0)
        assert "communication failure" in str(error)
    dist.barrier()
    group = dist.new_group()
    sharded.same(fpd.fps(mine, 50, group=group), farpoint.fps(whole(ranks), 50), "on a new group")


def tells_of_a_failure(rank, ranks):
    """Ranks that wait on their GPUs learn of a failure by the store of their group. The connection of the GPUs is a stand-in."""
    group, ended = dist.new_group(), []
    fpd.fps(part(rank, ranks), 5, group=group)
    connection = fpd._connections[group]
    connection.gpus = SimpleNamespace(abort=lambda: ended.append(rank))
    assert not connection.others_failed()
    dist.barrier()
    if rank == 1:
        connection.abort()
        connection.abort()
        assert ended == [1] and connection.gpus is None
    dist.barrier()
    assert connection.others_failed()
    fails(RuntimeError, lambda: fpd.fps(part(rank, ranks), 5, group=group), most=10.0)
    assert ended == [rank]
    # Other groups, and a new group of the same ranks, are not affected.
    group = dist.new_group()
    sharded.same(fpd.fps(part(rank, ranks), 50, group=group), farpoint.fps(whole(ranks), 50), "on a new group")
    assert not fpd._connections[group].others_failed()


def without_a_group(rank, ranks):
    dist.barrier()  # all have been connected
    dist.destroy_process_group()
    assert "init_process_group" in str(fails(ValueError, lambda: fpd.fps(CLOUD, 3)))
    # A group that is made again.
    dist.init_process_group("gloo", init_method=f"file://{sys.argv[1]}/again", rank=rank, world_size=ranks)
    sharded.same(fpd.fps(part(rank, ranks), 50), farpoint.fps(whole(ranks), 50), "on a group that was made again")
    forever = datetime.timedelta(days=3650)
    for timeout in (0, -1.0, float("inf"), 1e30, datetime.timedelta(0), datetime.timedelta.max):
        assert fpd._seconds_of(timeout) == forever, timeout
    assert fpd._seconds_of(0.5) == fpd._seconds_of(datetime.timedelta(seconds=0.5)) == datetime.timedelta(seconds=0.5)
    assert fpd._seconds_of(1e-9) == datetime.timedelta(microseconds=1)
    for timeout in ("soon", None, float("nan")):
        fails(ValueError, lambda: fpd.fps(CLOUD, 3, timeout=timeout))  # noqa: B023


def rank_of(scenario, rank, ranks, store):
    faulthandler.dump_traceback_later(60, exit=True)  # a rank that hangs says where
    try:
        dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks,
                                timeout=datetime.timedelta(seconds=40))
        scenario(rank, ranks)
        if scenario is not killed:
            dist.barrier()
        return 0
    except BaseException:
        traceback.print_exc()
        print(f"^ rank {rank} of {scenario.__name__}", file=sys.stderr, flush=True)
        return 1


def run(name, ranks, store):
    children = []
    for rank in range(ranks):
        child = os.fork()
        if child == 0:
            os._exit(rank_of(globals()[name], rank, ranks, store))
        children.append(child)
    ends = [os.waitpid(child, 0)[1] for child in children]
    codes = [os.WEXITSTATUS(end) if os.WIFEXITED(end) else -os.WTERMSIG(end) for end in ends]
    print(f"{name}:{ranks}", *codes, flush=True)


def main(folder, *scenarios):
    for each in scenarios:
        name, ranks = each.split(":")
        run(name, int(ranks), f"{folder}/{name}.{ranks}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(*sys.argv[1:])
