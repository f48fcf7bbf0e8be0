#!/usr/bin/env bash
# gpu_test.sh [FOLDER]: runs all that needs a GPU, from a folder of programs (default: that of this script) or a build
# tree. A line for each suite at the end. Exits with 1 if a suite failed, if its program is not there, or if there is no
# GPU. What needs several GPUs and NCCL is passed over where they are missing, aloud. FARPOINT_DATA_DIR names a folder of
# real scans.
# Needs nothing but bash, a driver and, for the last suites, compute-sanitizer.
set -uo pipefail
folder=${1:-$(dirname "${BASH_SOURCE[0]}")}
[ -d "$folder" ] || {
  echo "gpu-test: there is no folder $folder" >&2
  exit 1
}
# A driver that does not answer must not look like a machine on which all is well.
if ! gpus=$(nvidia-smi -L 2>&1) || [[ $gpus != *"GPU "* ]]; then
  printf 'gpu-test: there is no usable GPU: nvidia-smi -L says\n%s\n' "$gpus" >&2
  exit 1
fi
PATH=$PATH:/usr/local/cuda/bin

summary=()
failures=0
mapfile -t programs < <(find "$folder" -type f -perm -u+x 2> /dev/null)
# path_of PROGRAM: nothing if it is not there.
path_of() {
  local path
  for path in ${programs[@]+"${programs[@]}"}; do
    if [ "${path##*/}" = "$1" ]; then echo "$path" && return; fi
  done
}
# suite NAME PROGRAM COMMAND...: COMMAND runs with the path of PROGRAM in place of {}.
suite() {
  local name=$1 program start=$SECONDS outcome=PASS argument command=()
  program=$(path_of "$2")
  for argument in "${@:3}"; do command+=("${argument/\{\}/$program}"); done
  echo "== $name"
  if [ -z "$program" ]; then
    echo "there is no $2 in $folder"
    outcome=FAIL
  elif ! command -v "${command[0]}" > /dev/null; then
    echo "there is no ${command[0]}"
    outcome=SKIP
  elif ! "${command[@]}"; then
    # 77 too: a program that finds no GPU beside a driver that lists one has a broken runtime.
    outcome=FAIL
  fi
  [ $outcome != FAIL ] || failures=$((failures + 1))
  summary+=("$name: $outcome ($((SECONDS - start)) s)")
}

# device_suites NAME TAGS COMMAND...: a suite for each area that has device tests of these tags; all if there are none.
areas=(core fps voxelize search screen hash_map splat scale compat runtime)
device_suites() {
  local area program
  for area in "${areas[@]}"; do
    program=$(path_of "farpoint_${area}_device_tests")
    if [ -n "$2" ] && [ -n "$program" ] && "$program" --list-tests "$2" | grep -q '^0 matching test cases'; then continue; fi
    suite "$1: $area" "farpoint_${area}_device_tests" "${@:3}" {} ${2:+"$2"}
  done
}

# nccl_suite NAME PROGRAM [COMMAND...]: a program that needs two GPUs and NCCL, after the words of COMMAND. NCCL's
# multicast is left off: not every machine allows it.
nccl_suite() {
  local program why=""
  program=$(path_of "$2")
  if [ "$(grep -c '^GPU ' <<< "$gpus")" -lt 2 ]; then
    why="it needs two GPUs, and there is one"
  elif [ -z "$program" ]; then
    why="there is no $2 in $folder: NCCL was not found when the programs were built"
  elif ldd "$program" 2> /dev/null | grep -q 'libnccl.*not found'; then
    why="there is no libnccl.so.2 here (LD_LIBRARY_PATH may name its folder)"
  fi
  if [ -z "$why" ]; then
    NCCL_NVLS_ENABLE=0 suite "$1" "$2" "${@:3}" {}
    return
  fi
  printf '== %s\nSKIPPED: %s\n' "$1" "$why"
  summary+=("$1: SKIP ($why)")
}

# All cases, [large] among them: one that does not find the tens of gigabytes it needs says so and is passed over.
device_suites "device tests" ""
# Compiled for other architectures than this GPU's: the driver compiles their PTX, which takes minutes the first time.
for architecture in 75 80; do
  suite "compiled for $architecture" "farpoint_tests_for_$architecture" {}
done
device_suites "graph capture" "[graph]"
# Beside kernels of somebody else, in green contexts, in threads, graphs and processes.
suite "stress" farpoint_stress timeout 600 {} --brief --minutes 0.1 --output "${TMPDIR:-/tmp}/farpoint_stress.json"
# A seed of its own each time; a call that fails says which.
suite "random calls" farpoint_device_fuzz {} --seconds 15
nccl_suite "ranks by NCCL" farpoint_nccl_tests
for example in 02_block_argmax 04_knn_on_a_stream 05_cuda_graph 08_tensorrt_plugin 10_hash_map 12_library; do
  suite "example $example" "example_$example" {}
done
suite "demo" farpoint {} demo --backend cuda --check --output "${TMPDIR:-/tmp}/farpoint_demo.png"
suite "splats" farpoint {} splat --backend cuda --check --size 512 --views 1 --output "${TMPDIR:-/tmp}/farpoint_splat.png"
sanitize=(compute-sanitizer --error-exitcode 1)
# Random problems of several ranks are fewer.
export FARPOINT_SANITIZED=1
device_suites "memcheck" "[sanitize]" "${sanitize[@]}" --tool memcheck --leak-check full
# NCCL asks CUDA for what it does without if it is refused: errors of calls are not counted. Its kernels are left out:
# they wait for one another, and are loaded before they do.
FARPOINT_DATA_DIR="" CUDA_MODULE_LOADING=EAGER \
  nccl_suite "memcheck of ranks" farpoint_nccl_tests "${sanitize[@]}" --tool memcheck --report-api-errors no \
  --kernel-regex-exclude kns=ncclDevKernel
suite "memcheck of random calls" farpoint_device_fuzz "${sanitize[@]}" --tool memcheck --leak-check full {} --seconds 20
# Where only some warps of a block met at another barrier before, racecheck (CUDA 13.0) takes accesses on both sides of
# a __syncthreads() for accesses without one. Cases of such kernels are tagged [no_racecheck]; the source of the kernels
# is checked with lists that keep all warps busy.
device_suites "racecheck" "[sanitize]~[no_racecheck]" "${sanitize[@]}" --tool racecheck
device_suites "synccheck" "[sanitize]" "${sanitize[@]}" --tool synccheck
device_suites "initcheck" "[sanitize]" "${sanitize[@]}" --tool initcheck

echo
printf '%s\n' "${summary[@]}"
[ "$failures" = 0 ]
