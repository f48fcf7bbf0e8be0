"""Runs four ranks of MPI, of which rank 1 kills itself: python killed.py MPIEXEC... PROGRAM --die

The other ranks report a failed exchange within their time-out of five seconds, or mpiexec ends them and reports the signal. No process
remains.
"""

import os
import pathlib
import re
import subprocess
import sys
import time
import uuid

TIMEOUT_MS = 5000


def processes_with(mark):
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:  # it has ended, or belongs to another user
            continue
    return found


def main(command):
    mark = uuid.uuid4().hex
    # Where a rank dies, mpiexec ends the others, unless it is told to recover, which Open MPI 4 can.
    variables = {**os.environ, "FARPOINT_TEST_MARK": mark, "OMPI_MCA_orte_enable_recovery": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=variables, check=False)
    print(done.stdout, done.stderr, sep="", flush=True)
    errors = []
    if "wrong:" in done.stderr:
        errors.append("a rank found an error")
    survivors = re.findall(r"survivor (\d+): .+ after (\d+) ms", done.stdout)
    recovers = "OpenRTE" in subprocess.run([command[0], "--version"], capture_output=True, text=True, check=False).stdout
    if recovers or survivors:
        if sorted(rank for rank, _ in survivors) != ["0", "2", "3"]:
            errors.append("not each of the ranks 0, 2 and 3 reports a failed exchange, or rank 1 does")
    elif done.returncode == 0 or not re.search(r"signal:? 9|SIGKILL", done.stdout + done.stderr, flags=re.IGNORECASE):
        errors.append("mpiexec does not report the signal")
    # Ranks look at their clock between calls of MPI.
    if any(int(ms) > TIMEOUT_MS + 2000 for _, ms in survivors):
        errors.append("a rank waited beyond its time-out")
    end = time.monotonic() + 5
    while processes_with(mark) and time.monotonic() < end:
        time.sleep(0.05)
    if left := processes_with(mark):
        errors.append(f"processes remain: {left}")
    for error in errors:
        print("killed.py:", error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
