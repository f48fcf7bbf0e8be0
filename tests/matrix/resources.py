#!/usr/bin/env python3
"""Holds the kernels of a PTX file, as ptxas assembled them, against the limits of an architecture.

    resources.py sm_75 FILE.ptx LOG     LOG is what ptxas -v said about FILE.ptx

Prints a line with the largest figures; each breach is a sentence, and the exit code 1.
"""
import re
import sys

REGISTERS = 65536  # of a multiprocessor, and of a block; a warp's are given out in units of 256
STATIC_SHARED = 48 << 10
# Threads and bytes of shared memory of a multiprocessor (CUDA C++ Programming Guide, "Technical Specifications per
# Compute Capability"). From sm_80 on the system reserves another 1 KiB of shared memory for each block.
MULTIPROCESSORS = {
    "sm_75": (1024, 64 << 10, 0),
    "sm_80": (2048, 164 << 10, 1024),
    "sm_86": (1536, 100 << 10, 1024),
    "sm_87": (1536, 164 << 10, 1024),
    "sm_89": (1536, 100 << 10, 1024),
    "sm_90": (2048, 228 << 10, 1024),
    "sm_100": (2048, 228 << 10, 1024),
    "sm_110": (1536, 228 << 10, 1024),
    "sm_120": (1536, 100 << 10, 1024),
}


def launch_bounds(ptx):
    """{kernel: (most threads of a block, least blocks of a multiprocessor)}"""
    bounds = {}
    for match in re.finditer(r"\.entry\s+([\w$]+)\s*\([^)]*\)([^{;]*)[{;]", ptx):
        directives = match.group(2)
        threads = re.search(r"\.(?:maxntid|reqntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?", directives)
        blocks = re.search(r"\.minnctapersm\s+(\d+)", directives)
        size = 1
        for extent in threads.groups(default="1") if threads else ("1024",):
            size *= int(extent)
        bounds[match.group(1)] = (size, int(blocks.group(1)) if blocks else 1)
    return bounds


def used(log):
    """{kernel: (registers of a thread, bytes of static shared memory, bytes spilled)}"""
    found = {}
    for part in re.split(r"Compiling entry function '", log)[1:]:
        name = part[: part.index("'")]
        registers = re.search(r"Used (\d+) registers", part)
        if registers is None:
            raise ValueError(f"ptxas does not say how many registers {name} has")
        shared = re.search(r"(\d+) bytes smem", part)
        spilled = re.search(r"(\d+) bytes spill stores", part)
        found[name] = (int(registers.group(1)), int(shared.group(1)) if shared else 0, int(spilled.group(1)) if spilled else 0)
    return found


def breaches(architecture, bounds, kernels):
    """Sentences."""
    max_threads, max_shared, reserved = MULTIPROCESSORS[architecture]
    sentences = []
    for name, (threads, blocks) in sorted(bounds.items()):
        if name not in kernels:
            sentences.append(f"{name} was not assembled for {architecture}.")
            continue
        registers, shared, _ = kernels[name]
        warps = -(-threads // 32)
        allocated = blocks * warps * (-(-registers * 32 // 256) * 256)
        if allocated > REGISTERS:
            sentences.append(f"{name} takes {allocated} registers for {blocks} block(s) of {threads} threads; a "
                             f"multiprocessor of {architecture} has {REGISTERS}.")
        if shared > STATIC_SHARED:
            sentences.append(f"{name} takes {shared} bytes of static shared memory; a block may have {STATIC_SHARED}.")
        if blocks * (shared + reserved) > max_shared:
            sentences.append(f"{name} takes {blocks * (shared + reserved)} bytes of shared memory for {blocks} block(s); a "
                             f"multiprocessor of {architecture} has {max_shared}.")
        if blocks * threads > max_threads:
            sentences.append(f"{name} asks for {blocks} block(s) of {threads} threads on a multiprocessor; one of "
                             f"{architecture} has {max_threads} threads.")
    if not bounds:
        sentences.append(f"There are no kernels for {architecture}.")
    return sentences


def main(architecture, ptx_path, log_path):
    with open(ptx_path, encoding="utf-8") as ptx, open(log_path, encoding="utf-8") as log:
        bounds, kernels = launch_bounds(ptx.read()), used(log.read())
    sentences = breaches(architecture, bounds, kernels)
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    largest = [max(column) for column in zip(*kernels.values())] or [0, 0, 0]
    print(f"{len(bounds)} kernels; at most {largest[0]} registers, {largest[1]} bytes of static shared memory, "
          f"{largest[2]} bytes spilled")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
