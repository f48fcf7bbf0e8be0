"""A rank that torchrun starts, one of three: python -m torch.distributed.run --standalone --nproc_per_node 3 killed_rank.py

Rank 1 is killed by SIGKILL in the midst of a call. Each rank prints its process number first; each other rank prints how its call has
ended, and after how many seconds.
"""

import os
import signal
import time

import numpy as np
import torch.distributed as dist
from ranks_of_torch import die_in_exchange

import farpoint.distributed as fpd

TIMEOUT = 20.0


def main():
    # torchrun ends the other ranks as soon as it sees that one is dead; here they shall end by themselves.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    print(f"process {os.getpid()}", flush=True)
    points = np.random.default_rng(rank).uniform(-5, 5, (2000, 3)).astype(np.float32)
    fpd.fps(points, 5, timeout=TIMEOUT)
    if rank == 1:
        die_in_exchange(6)
    start = time.monotonic()
    try:
        # More than one call, because the call in which rank 1 dies may need no more of it.
        for _ in range(5):
            fpd.fps(points, 1000, timeout=TIMEOUT)
        ended = "no exception"
    except Exception as error:
        ended = f"{type(error).__name__}: {error}"
    print(f"rank {rank} after {time.monotonic() - start:.3f} s: {ended}", flush=True)
    os._exit(3)


if __name__ == "__main__":
    main()
