#!/usr/bin/env python3
"""Compiles and runs the programs of pages: what newcomers paste must compile alone, and print what the page says.

    scripts/blocks.py [PAGE...]   all pages of README.md and docs by default

A program is a fenced block of C++ with an `int main`. A block of text that follows it is what it prints. $CXX compiles it
(c++ by default), behind $CMAKE_CXX_COMPILER_LAUNCHER. Needs Python 3.8, and nothing else.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from typing import NamedTuple, Optional

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Wconversion", "-Werror"]


class Block(NamedTuple):
    """A program of a page: the line of its fence, and what it prints, or None if the page does not say so."""
    line: int
    code: str
    prints: Optional[str]


def complete(text):
    """The programs of a page."""
    found, fenced = [], list(FENCED.finditer(text))
    for number, match in enumerate(fenced):
        if match.group(1) != "cpp" or not re.search(r"^int main\(", match.group(2), re.MULTILINE):
            continue
        after = fenced[number + 1] if number + 1 < len(fenced) else None
        follows = after and after.group(1) == "text" and not text[match.end():after.start()].strip()
        found.append(Block(text.count("\n", 0, match.start()) + 1, match.group(2), after.group(2) if follows else None))
    return found


def problem_of(root, block, folder):
    """Why the program of a block does not do what the page says, or None."""
    (folder / "block.cpp").write_text(block.code, encoding="utf-8")
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    launcher = shlex.split(os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", ""))
    # Compiled and linked apart, by names that do not change: a cache of compilations knows them again.
    for command in ([*launcher, *compiler, *FLAGS, f"-I{root / 'include'}", "-c", "block.cpp", "-o", "block.o"],
                    [*compiler, "block.o", "-pthread", "-o", "block"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode != 0:
            return done.stderr
    done = subprocess.run([str(folder / "block")], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        return f"the program ended with {done.returncode}"
    if block.prints is not None and done.stdout != block.prints:
        return f"the page says that it prints\n{block.prints}and it prints\n{done.stdout}"
    return None


def main(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent
    if any(argument.startswith("-") for argument in arguments):
        sys.exit(__doc__)
    pages = [pathlib.Path(page).resolve() for page in arguments]
    pages = pages or [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    failed, seen = 0, set()
    for page in pages:
        for block in complete(page.read_text(encoding="utf-8")):
            if (block.code, block.prints) in seen:
                continue
            seen.add((block.code, block.prints))
            with tempfile.TemporaryDirectory() as folder:
                problem = problem_of(root, block, pathlib.Path(folder))
            if problem:
                failed += 1
                print(f"{page.name}:{block.line}: {problem}")
    print(f"{len(seen)} programs, {failed} of them wrong")
    return 1 if failed or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
