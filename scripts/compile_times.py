#!/usr/bin/env python3
"""Measures what a call of farpoint costs to compile, for docs/install.md.

    scripts/compile_times.py [--without-cuda]

Compiles files with one call each, by g++ and, for sm_90, by nvcc, without other files and without a cache; writes the seconds of
processor time and the sizes of the objects to bench/compile_times.json. scripts/docs.py fill makes the table. The machine should be
idle. `--without-cuda` keeps the figures of CUDA that are there. Needs Python 3.8.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "bench/compile_times.json"
#: Parameters of a file's function beside the execution, the clouds and the workspace, and the arguments of its call.
CALLS = {
    "fps": ("fps_params const& params, fps_output<float> const& output", "params, output"),
    "knn": ("exact const& method, knn_output<float> const& output", "method, 8, output"),
    "voxelize": ("voxelize_params<float> const& params, voxelize_output<float> const& output", "params, output"),
}
HEADERS = """#include <farpoint/{function}.{ending}>
using namespace farpoint;
result one_call({execution} exec, batch<point_view<float>> const& clouds, {parameters}, bytes workspace) {{
  return {function}(exec, clouds, {arguments}, workspace);
}}
"""
LIBRARY = """#include <farpoint/runtime.hpp>
using namespace farpoint;
result one_call(batch<point_view<float>> const& clouds, exact const& method, knn_output<float> const& output) {
  return runtime::knn(clouds, method, 8, output);
}
"""
CPP = ["g++", "-std=c++17", "-O2", "-c"]
CUDA = ["nvcc", "-std=c++17", "-O2", "-arch=sm_90", "-c"]
#: Compilations by g++ are short: the least time of so many counts.
REPEATS = 3


def source(function, is_cuda):
    parameters, arguments = CALLS[function]
    return HEADERS.format(function=function, ending="cuh" if is_cuda else "hpp", execution="cuda_exec" if is_cuda else "host_exec",
                          parameters=parameters, arguments=arguments)


def compiled(command, text, name, repeats=1):
    """Least seconds of processor time of a compilation, and the bytes of the object."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder) / name, pathlib.Path(folder) / "one_call.o"
        path.write_text(text, encoding="utf-8")
        seconds = []
        for _ in range(repeats):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run([*command, "-I", ROOT / "include", path, "-o", out], check=True, env={**os.environ, "CCACHE_DISABLE": "1"})
            seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        return {"seconds": round(min(seconds), 2), "bytes": out.stat().st_size}


def version(command, pattern):
    shown = subprocess.run([command, "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(pattern, shown).group(1)


def processor():
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    return "unknown"


def commit():
    return subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=12"], check=True, capture_output=True,
                          text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without-cuda", action="store_true")
    options = parser.parse_args()
    found = {"commit": commit(), "date": time.strftime("%Y-%m-%d"), "processor": processor(), "g++": version("g++", r"(\d+\.\d+)\.\d+")}
    found["cpp"] = {function: compiled(CPP, source(function, False), "one_call.cpp", REPEATS) for function in CALLS}
    found["library"] = compiled(CPP, LIBRARY, "one_call.cpp", REPEATS)
    if options.without_cuda:
        kept = json.loads(FILE.read_text(encoding="utf-8"))
        found.update({key: kept[key] for key in ("nvcc", "cuda")})
    else:
        found["nvcc"] = version("nvcc", r"release (\d+\.\d+)")
        found["cuda"] = {function: compiled(CUDA, source(function, True), "one_call.cu") for function in CALLS}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(FILE.read_text(encoding="utf-8"), end="")


if __name__ == "__main__":
    main()
