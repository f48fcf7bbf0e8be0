#!/usr/bin/env bash
# coverage.sh [AREA...]: lines of include/farpoint, src and tools that the host tests of all areas, or of some, reach. Builds
# without optimization in build/coverage; pages in build/coverage/html.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tree=build/coverage
targets=()
for area in "$@"; do targets+=("farpoint_${area}_tests"); done
chosen=(-L '^host$')
[ $# -eq 0 ] || chosen+=(-R "^host\\.($(IFS='|' && echo "$*"))\$")
# Threads count in the same counters.
cmake -S . -B $tree -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=g++ \
  -DCMAKE_CXX_FLAGS="--coverage -O0 -fprofile-update=atomic" -DFARPOINT_CUDA=OFF -DFARPOINT_BUILD_TESTS=ON \
  -DFARPOINT_BUILD_PROGRAM=ON > /dev/null
cmake --build $tree --target "${targets[@]:-farpoint_host_tests}"
find $tree -name '*.gcda' -delete
ctest --test-dir $tree --output-on-failure --no-tests=error "${chosen[@]}"
mkdir -p $tree/html
gcovr --root . --object-directory $tree --filter 'include/farpoint/' --filter 'src/' --filter 'tools/' \
  --exclude-directories ".*/CompilerIdCXX" --gcov-ignore-parse-errors -j "$(nproc)" --json-summary $tree/summary.json \
  --html-details $tree/html/index.html $tree
python3 - $tree/summary.json << 'TEXT'
import collections
import json
import pathlib
import sys

lines = collections.defaultdict(lambda: [0, 0])
for file in json.load(open(sys.argv[1], encoding="utf-8"))["files"]:
    folder = pathlib.PurePosixPath(file["filename"]).parent.as_posix()
    for name in (folder, folder.split("/")[0] + ", all"):
        lines[name][0] += file["line_covered"]
        lines[name][1] += file["line_total"]
print(f"{'folder':40} {'lines':>7} {'reached':>8}")
for name, (reached, total) in sorted(lines.items()):
    print(f"{name:40} {total:7} {100 * reached / max(total, 1):6.1f} %")
TEXT
echo "$tree/html/index.html"
