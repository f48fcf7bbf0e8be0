#!/usr/bin/env python3
"""Holds the headers against the architecture that docs/architecture.md shows.

usage: layers.py INCLUDE_DIR      (the folder that holds farpoint's headers, include/farpoint)

Prints each breach, a line each, and exits with 1 if there is one:
  up        a header includes one of a higher layer
  sibling   a folder of detail/ includes one that it does not stand on
  dangling  an include names a header that is not there
  unknown   a folder has no layer
  crowded   a folder has more than 30 headers
  long      a header has more than 450 lines
"""
import collections
import pathlib
import re
import sys

# From the bottom up: a header includes its own layer and those before it.
ORDER = [
    "core", "tuning", "geometry", "container", "host", "warp", "block", "grid", "spatial", "types",
    "detail/bvh", "detail/search", "detail/screen", "detail/fps", "detail/voxelize", "detail/hash_map", "detail/gather",
    "public", "reference", "interop",
]
# Of the folders of detail/ only these stand on others.
STANDS_ON = {
    "detail/search": {"detail/bvh"},
    "detail/screen": {"detail/bvh", "detail/search"},
}
MOST_HEADERS = 30
MOST_LINES = 450

INCLUDE = re.compile(r"\s*#\s*include\s*[<\"]farpoint/([\w/.]+\.\w+)[>\"]")


def layer_of(header):
    """Layer of a header, by its folder; the top folder holds the public functions."""
    folder = header.parent.as_posix()
    return "public" if folder == "." else folder


def breaches(root):
    """Sentences, one for each breach of the rules below `root`."""
    rank = {layer: place for place, layer in enumerate(ORDER)}
    headers = sorted(p.relative_to(root) for p in root.rglob("*") if p.suffix in (".hpp", ".cuh"))
    found = []
    crowd = collections.Counter(layer_of(header) for header in headers)
    for layer, count in sorted(crowd.items()):
        if layer not in rank:
            found.append(f"unknown: {layer}")
        if count > MOST_HEADERS:
            found.append(f"crowded: {layer}: {count} headers")
    for header in headers:
        lines = (root / header).read_text(encoding="utf-8").splitlines()
        if len(lines) > MOST_LINES:
            found.append(f"long: {header}: {len(lines)} lines")
        here = layer_of(header)
        for included in (pathlib.PurePosixPath(m.group(1)) for m in map(INCLUDE.match, lines) if m):
            there = layer_of(included)
            if not (root / included).exists():
                found.append(f"dangling: {header} -> {included}")
            elif here not in rank or there not in rank:
                continue
            elif rank[there] > rank[here]:
                found.append(f"up: {header} -> {included}")
            elif here != there and here.startswith("detail/") and there.startswith("detail/"):
                if there not in STANDS_ON.get(here, set()):
                    found.append(f"sibling: {header} -> {included}")
    if not headers:
        found.append(f"unknown: no headers in {root}")
    return found


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    found = breaches(pathlib.Path(sys.argv[1]))
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
