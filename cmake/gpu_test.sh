#!/usr/bin/env bash
# Runs all that needs a GPU, from the folder of binaries given (default: the folder of this script) or a build tree.
# One line for each suite at the end; exit code 1 if one failed. FARPOINT_DATA_DIR names a folder of real scans.
# Needs nothing but bash, a driver and, for the last suites, compute-sanitizer.
set -uo pipefail
folder=${1:-$(dirname "${BASH_SOURCE[0]}")}
[ -d "$folder" ] || {
  echo "gpu-test: there is no folder $folder" >&2
  exit 1
}
PATH=$PATH:/usr/local/cuda/bin

summary=()
failures=0
gpu_is_missing=false
# suite NAME PROGRAM COMMAND...: COMMAND runs with the path of PROGRAM in place of {}.
suite() {
  local name=$1 program start=$SECONDS outcome code argument command=()
  program=$(find "$folder" -type f -name "$2" -perm -u+x 2> /dev/null | head -n 1)
  shift 2
  echo "== $name"
  if [ -z "$program" ]; then
    echo "not in $folder"
    outcome=SKIP
  elif $gpu_is_missing; then
    echo "there is no usable GPU"
    outcome=SKIP
  elif ! command -v "$1" > /dev/null && [ "$1" != "{}" ]; then
    echo "there is no $1"
    outcome=SKIP
  else
    for argument in "$@"; do command+=("${argument/\{\}/$program}"); done
    "${command[@]}"
    code=$?
    case $code in
      0) outcome=PASS ;;
      77)
        # The tests and examples say so that they found no GPU. The demo, which is asked for one, would call it an error.
        gpu_is_missing=true
        outcome=SKIP
        ;;
      *)
        outcome=FAIL
        failures=$((failures + 1))
        ;;
    esac
  fi
  summary+=("$name: $outcome ($((SECONDS - start)) s)")
}

# All cases, [large] among them: one that does not find the tens of gigabytes it needs says so and is passed over.
suite "device tests" farpoint_device_tests {}
suite "graph capture" farpoint_device_tests {} "[graph]"
suite "block_argmax in your kernel" example_02_block_argmax {}
suite "demo" farpoint_demo {} --backend cuda --check --output "${TMPDIR:-/tmp}/farpoint_demo.png"
suite "splats" farpoint_splat {} --backend cuda --check --size 512 --views 1 --output "${TMPDIR:-/tmp}/farpoint_splat.png"
sanitize=(compute-sanitizer --error-exitcode 1)
suite "memcheck" farpoint_device_tests "${sanitize[@]}" --tool memcheck --leak-check full {} "[sanitize]"
# Racecheck (CUDA 13.0) takes the shared memories of a cluster's blocks for one: it reports pairs of accesses that have a
# __syncthreads() between them. The same source is checked as a block's and as a grid's team.
suite "racecheck" farpoint_device_tests "${sanitize[@]}" --tool racecheck {} "[sanitize]~[cluster]"
suite "synccheck" farpoint_device_tests "${sanitize[@]}" --tool synccheck {} "[sanitize]"
suite "initcheck" farpoint_device_tests "${sanitize[@]}" --tool initcheck {} "[sanitize]"

echo
printf '%s\n' "${summary[@]}"
[ "$failures" = 0 ]
