#!/usr/bin/env bash
# gpu_test.sh [--jobs N] [FOLDER]: runs the tests that need a GPU, from a folder of programs (default: the folder of this
# script) or a build tree. The end of the output has a line for each suite. Exits with 1 if a suite failed, if its program
# is missing, or without a GPU. Suites that need several GPUs and NCCL are skipped, with a line, where these are
# missing. FARPOINT_DATA_DIR names a folder of real scans.
# --jobs N runs N suites at a time, on the GPUs in turn, or on those that CUDA_VISIBLE_DEVICES lists; long ones are split where
# Catch2 (version 3) can. Output comes when a suite ends.
# Needs nothing but bash, a driver and, for the last suites, compute-sanitizer.
set -uo pipefail
jobs=1
if [ "${1:-}" = --jobs ]; then
  jobs=${2:-}
  [[ $jobs =~ ^[1-9][0-9]*$ ]] || {
    echo "gpu-test: --jobs takes a number from 1 on" >&2
    exit 1
  }
  shift 2
fi
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

mapfile -t devices < <(tr , '\n' <<< "${CUDA_VISIBLE_DEVICES:-$(sed -n 's/^GPU \([0-9]*\):.*/\1/p' <<< "$gpus" | paste -sd ,)}")
gpu_count=${#devices[@]}

# Each suite writes its line and its output to files of its own; suites are numbered.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Each job is a process group, so that a signal reaches its program.
started=()
stop_jobs() {
  local job
  for job in ${started[@]+"${started[@]}"}; do kill -TERM -- "-$job" 2> /dev/null || true; done
  exit 143
}
trap stop_jobs INT TERM
suites=0
running=0
mapfile -t programs < <(find "$folder" -type f -perm -u+x 2> /dev/null)
# path_of PROGRAM: nothing if it is not there.
path_of() {
  local path
  for path in ${programs[@]+"${programs[@]}"}; do
    if [ "${path##*/}" = "$1" ]; then echo "$path" && return; fi
  done
}
# run_suite NUMBER NAME PROGRAM COMMAND...
run_suite() {
  local number=$1 name=$2 program start=$SECONDS outcome=PASS argument command=()
  program=$(path_of "$3")
  for argument in "${@:4}"; do command+=("${argument/\{\}/$program}"); done
  echo "== $name"
  if [ -z "$program" ]; then
    echo "there is no $3 in $folder"
    outcome=FAIL
  elif ! command -v "${command[0]}" > /dev/null; then
    echo "there is no ${command[0]}"
    outcome=SKIP
  elif ! "${command[@]}"; then
    # Exit code 77, no GPU found, fails too: the driver lists a GPU, so the program's runtime is broken.
    outcome=FAIL
  fi
  echo "$name: $outcome ($((SECONDS - start)) s)" > "$work/$number.line"
}
# note_suite LINE: a line of the summary without a run.
note_suite() {
  suites=$((suites + 1))
  echo "$1" > "$work/$suites.line"
}
# suite NAME PROGRAM COMMAND...: runs COMMAND with the path of PROGRAM in place of {}, now or as one of the jobs. Jobs see one
# GPU, or all where all_gpus is set.
all_gpus=
suite() {
  suites=$((suites + 1))
  if [ "$jobs" = 1 ]; then
    run_suite "$suites" "$@"
    return
  fi
  while [ "$running" -ge "$jobs" ]; do
    wait -n || true
    running=$((running - 1))
  done
  set -m
  (
    [ -n "$all_gpus" ] || export CUDA_VISIBLE_DEVICES=${devices[suites % gpu_count]}
    run_suite "$suites" "$@" > "$work/$suites.output" 2>&1
    cat "$work/$suites.output"
  ) < /dev/null &
  started+=("$!")
  set +m
  running=$((running + 1))
}
# wait_for_suites: a suite that takes times or needs the whole machine waits for the others before it.
wait_for_suites() {
  wait
  running=0
}

# device_suites NAME TAGS COMMAND...: a suite for each area that has device tests of these tags; without tags, of all tests.
# Prints the seconds of cases that take 10 or more.
# Areas with long tests come first, and in parts if several jobs run.
areas=(voxelize search subset fps scale core hash_map screen splat compat runtime)
device_suites() {
  local area program part parts
  for area in "${areas[@]}"; do
    program=$(path_of "farpoint_${area}_device_tests")
    if [ -n "$2" ] && [ -n "$program" ] && "$program" --list-tests "$2" | grep -q '^0 matching test cases'; then continue; fi
    parts=1
    if [ "$jobs" -gt 1 ] && [[ " voxelize search fps scale core " == *" $area "* ]] && [ -n "$program" ] &&
      "$program" --help 2> /dev/null | grep -q -e --shard-count; then
      parts=4
    fi
    if [ "$parts" = 1 ]; then
      suite "$1: $area" "farpoint_${area}_device_tests" "${@:3}" {} ${2:+"$2"} --min-duration 10
      continue
    fi
    for ((part = 0; part < parts; ++part)); do
      suite "$1: $area, part $((part + 1)) of $parts" "farpoint_${area}_device_tests" "${@:3}" {} ${2:+"$2"} --min-duration 10 \
        --shard-count "$parts" --shard-index "$part" --allow-running-no-tests
    done
  done
}

# nccl_suite NAME PROGRAM [COMMAND...]: a program that needs two GPUs and NCCL, after the words of COMMAND. NCCL's
# multicast is left off: not every machine allows it.
nccl_suite() {
  local program why=""
  program=$(path_of "$2")
  if [ "$gpu_count" -lt 2 ]; then
    why="it needs two GPUs, and there is one"
  elif [ -z "$program" ]; then
    why="there is no $2 in $folder: NCCL was not found when the programs were built"
  elif ldd "$program" 2> /dev/null | grep -q 'libnccl.*not found'; then
    why="there is no libnccl.so.2 here (LD_LIBRARY_PATH may name its folder)"
  fi
  if [ -z "$why" ]; then
    NCCL_NVLS_ENABLE=0 all_gpus=1 suite "$1" "$2" "${@:3}" {}
    return
  fi
  printf '== %s\nSKIPPED: %s\n' "$1" "$why"
  note_suite "$1: SKIP ($why)"
}

# All cases, including [large]: a case without the tens of gigabytes that it needs prints a line and is skipped.
device_suites "device tests" ""
# Compiled for other architectures than this GPU's: the driver compiles their PTX, which takes minutes the first time.
for architecture in 75 80; do
  suite "compiled for $architecture" "farpoint_tests_for_$architecture" {}
done
device_suites "graph capture" "[graph]"
# Calls next to other kernels, in green contexts, in threads, graphs and processes.
suite "stress" farpoint_stress timeout 600 {} --brief --minutes 0.1 --output "${TMPDIR:-/tmp}/farpoint_stress.json"
# Each run has a new seed, which a failing call prints.
suite "random calls" farpoint_device_fuzz {} --seconds 15
# NCCL connects GPUs whose memory is free: other suites take tens of gigabytes.
wait_for_suites
nccl_suite "ranks by NCCL" farpoint_nccl_tests
wait_for_suites
for example in 02_block_argmax 04_knn_on_a_stream 05_cuda_graph 08_tensorrt_plugin 10_hash_map 12_library; do
  suite "example $example" "example_$example" {}
done
suite "demo" farpoint {} demo --backend cuda --check --output "${TMPDIR:-/tmp}/farpoint_demo.png"
suite "splats" farpoint {} splat --backend cuda --check --size 512 --views 1 --output "${TMPDIR:-/tmp}/farpoint_splat.png"
sanitize=(compute-sanitizer --error-exitcode 1)
# Random problems of several ranks are fewer.
export FARPOINT_SANITIZED=1
device_suites "memcheck" "[sanitize]" "${sanitize[@]}" --tool memcheck --leak-check full
# NCCL tries calls of CUDA that may fail, and goes on without them, so errors of calls are not counted. NCCL's kernels wait
# for one another, so they are excluded, and loaded eagerly.
FARPOINT_DATA_DIR="" CUDA_MODULE_LOADING=EAGER \
  nccl_suite "memcheck of ranks" farpoint_nccl_tests "${sanitize[@]}" --tool memcheck --report-api-errors no \
  --kernel-regex-exclude kns=ncclDevKernel
suite "memcheck of random calls" farpoint_device_fuzz "${sanitize[@]}" --tool memcheck --leak-check full {} --seconds 20
# Where only some warps of a block met at another barrier before, racecheck (CUDA 13.0) takes accesses on both sides of
# a __syncthreads() for accesses without one. Cases of such kernels are tagged [no_racecheck]; the source of the kernels
# is checked with lists that keep all warps busy.
# It also takes st.relaxed for a plain store, so cases that store words of shared memory by it are tagged, too.
device_suites "racecheck" "[sanitize]~[no_racecheck]" "${sanitize[@]}" --tool racecheck
device_suites "synccheck" "[sanitize]" "${sanitize[@]}" --tool synccheck
device_suites "initcheck" "[sanitize]" "${sanitize[@]}" --tool initcheck
wait_for_suites

echo
for ((number = 1; number <= suites; ++number)); do
  cat "$work/$number.line" 2> /dev/null || echo "suite $number: FAIL (it did not end)"
done | tee "$work/summary"
! grep -q ': FAIL (' "$work/summary"
