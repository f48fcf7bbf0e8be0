#!/usr/bin/env python3
"""Predicts the times of more GPUs: a table from the times of two GPUs, and the exchanges of more ranks.

usage: model.py RANKS.json SIMULATED.json

RANKS.json has the rows of farpoint_bench_ranks on two GPUs, SIMULATED.json those of farpoint_bench_ranks_simulated. No row is
measured: the prediction assumes that exchanges cost what they cost between two GPUs. A call of r ranks takes

    F * rounds(r) / rounds(2) + V / r + X(r)

- X(r): time of its exchanges, at their cost on two GPUs. An all-gather costs a small all-gather, a message of kernels for each rank
  beyond the second, and its bytes; an all-to-all a small all-to-all, and its bytes. fps_shard() in one kernel, for up to 16 ranks,
  costs two messages of kernels per round.
- V: time that shrinks with the points of a rank; F: constant time. They follow from the times of one and two GPUs: T(1) = F + V,
  and T(2) = F + V / 2 + X(2).

Needs Python 3.8, and nothing else.
"""

import json
import pathlib
import sys

# Row of two GPUs, row of the simulation, and by which messages.
CALLS = [
    ("fps_shard/1000000_to_1000", "fps_shard/1000000_to_1000", "kernels"),
    ("fps_shard/1000000_to_10000", "fps_shard/1000000_to_10000", "kernels"),
    ("fps_shard/10000000_to_10000", "fps_shard/1000000_to_10000", "kernels"),
    ("fps_shard/10000000_to_10000/no_window", "fps_shard/1000000_to_10000", "exchanges"),
    ("voxelize_shard/100000000/dynamic", "voxelize_shard/1000000/dynamic", "exchanges"),
    ("knn_shard/20000000_k8/tiles", "knn_shard/1000000_k8/tiles", "exchanges"),
]
RANKS = [4, 8, 64]
MOST_OF_A_KERNEL = 16


def rows(path):
    """The rows of a run, by name without how they were timed."""
    found = {}
    for row in json.loads(path.read_text())["benchmarks"]:
        found["/".join(part for part in row["name"].split("/") if ":" not in part and part != "manual_time")] = row
    return found


class Exchanges:
    """Costs of exchanges (us)."""

    def __init__(self, measured):
        def of(name):
            return measured[f"exchange/{name}/gpus_2"]["p50_us"]
        self.message = of("messages_of_kernels")
        self.gather = of("all_gather_16")
        self.gather_byte = (of("all_gather_53248") - self.gather) / (53248 - 16)
        self.all_to_all = of("all_to_all_1048576")
        self.all_to_all_byte = (of("all_to_all_67108864") - self.all_to_all) / ((1 << 26) - (1 << 20))

    def of(self, row, ranks, scale, by):
        """Cost of a simulated call's exchanges with `scale` times the points."""
        if by == "kernels":
            return 2 * row["all_gathers"] * self.message
        gathers = row["all_gathers"] * (self.gather + (ranks - 2) * self.message)
        return (gathers + max(0, self.gather_byte) * row["all_gather_bytes"] +
                row["all_to_alls"] * self.all_to_all + self.all_to_all_byte * scale * row["all_to_all_bytes"])


def share_of(points, name):
    """Factor of the bytes: grows with the number of points that are dealt out, or with the area of the tiles' borders."""
    simulated = float(name.split("/")[1].split("_")[0])
    return points / simulated if "voxelize" in name else (points / simulated) ** (2 / 3)


def model(measured, simulated):
    exchanges = Exchanges(measured)
    for name, simulation, by in CALLS:
        one, two = measured[f"{name}/one_gpu"], measured[f"{name}/gpus_2"]
        scale = share_of(two["n"], simulation)
        first = simulated[f"{simulation}/ranks_2"]
        own = exchanges.of(first, 2, scale, by)
        varies = min(one["p50_us"], max(0, 2 * (one["p50_us"] - two["p50_us"] + own)))
        fixed = max(0, two["p50_us"] - own - varies / 2)
        for ranks in RANKS:
            if by == "kernels" and ranks > MOST_OF_A_KERNEL:
                continue
            row = simulated[f"{simulation}/ranks_{ranks}"]
            rounds = row["all_gathers"] / first["all_gathers"] if "fps" in name else 1
            parts = {"what does not shrink": fixed * rounds, "points": varies / ranks,
                     "exchanges": exchanges.of(row, ranks, scale, by)}
            time = sum(parts.values())
            yield (name, ranks, one["p50_us"], time, max(parts, key=parts.get), parts)


def table(measured, simulated):
    lines = ["| call | GPUs | ms | of one GPU | exchanges, ms | what limits it |", "|---|--:|--:|--:|--:|---|"]
    for name, ranks, one, time, limit, parts in model(measured, simulated):
        lines.append(f"| `{name}` | {ranks} | {time / 1000:.3g} | {one / time:.2f} times as fast | {parts['exchanges'] / 1000:.2g} | {limit} |")
    return lines


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    print("\n".join(table(*(rows(pathlib.Path(path)) for path in arguments))))


if __name__ == "__main__":
    main(sys.argv[1:])
