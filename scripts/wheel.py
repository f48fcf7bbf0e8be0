#!/usr/bin/env python3
"""Prints the contents of a wheel of the Python package, and fails if it breaks a promise.

    scripts/wheel.py WHEEL [--cuda SM,...] [--max-mb SIZE]

Prints the tags, the size, and the GPUs that it has code for. The promises: one wheel for CPython 3.12 and all later versions;
only libraries of the system, so that it can be imported without a driver; with --cuda, code for these GPUs; with --max-mb, at
most this size. Needs Python 3.8, readelf and, with --cuda, cuobjdump.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

# Libraries of C and of the compiler's runtime, which every Linux with a CPython of the platform has.
SYSTEM = re.compile(r"(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)|ld-linux.*)\.so\.\d+$")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed_by(library):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", str(library)))


def gpus_in(library):
    """Numbers of the architectures with machine code, and numbers of the architectures with PTX."""
    listed = (output_of("cuobjdump", option, str(library)) for option in ("--list-elf", "--list-ptx"))
    return [sorted({int(number) for number in re.findall(r"\.sm_(\d+)", text)}) for text in listed]


def faults(name, needed, machine_code, wanted, size=0.0, max_mb=None):
    """A sentence for each broken promise."""
    python, abi, _ = name[:-len(".whl")].split("-")[-3:]
    version = int(python[len("cp3"):]) if python.startswith("cp3") else 0
    if version >= 12 and (python, abi) != ("cp312", "abi3"):
        yield f"it is for {python} alone: its ABI is {abi}"
    for library in needed:
        if not SYSTEM.match(library):
            yield f"it needs {library}"
    if max_mb is not None and size > max_mb:
        yield f"it has {size:.2f} MB, not {max_mb:g} at most"
    for number in wanted:
        if number not in machine_code:
            yield f"it has no code for sm_{number}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--cuda", default="", metavar="SM,...")
    parser.add_argument("--max-mb", type=float, metavar="SIZE")
    options = parser.parse_args()
    wanted = [int(number) for number in options.cuda.split(",") if number]
    if wanted and not shutil.which("cuobjdump"):
        parser.error("--cuda needs cuobjdump, which the CUDA toolkit has, and nvidia-cuda-cuobjdump on PyPI")
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(options.wheel) as archive:
            archive.extractall(folder)
        libraries = sorted(pathlib.Path(folder).rglob("*.so"))
        needed = sorted({name for library in libraries for name in needed_by(library)})
        machine_code, ptx = gpus_in(libraries[0]) if wanted and libraries else ([], [])
        unpacked = sum(library.stat().st_size for library in libraries)
    size = options.wheel.stat().st_size / 1e6
    print(f"{options.wheel.name}: {size:.1f} MB, its library {unpacked / 1e6:.1f} MB")
    if wanted:
        print("machine code:", ", ".join(f"sm_{number}" for number in machine_code) or "none")
        print("PTX:", ", ".join(f"compute_{number}" for number in ptx) or "none")
    found = list(faults(options.wheel.name, needed, machine_code, wanted, size, options.max_mb)) + ([] if libraries else ["it has no library"])
    for fault in found:
        print(f"wheel: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
