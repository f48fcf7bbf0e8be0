#!/usr/bin/env bash
# gpu_test.sh must not pass where nothing was tested: fake programs and a fake driver, no GPU.
#   test_gpu_test.sh GPU_TEST AREA...     (the areas that have device tests)
set -uo pipefail
gpu_test=$1
areas=("${@:2}")
# shellcheck source=tests/scripts/fakes.sh
. "$(dirname "${BASH_SOURCE[0]}")/fakes.sh"
fake "$work/sound/nvidia-smi" 'echo "GPU 0: NVIDIA H100 (UUID: GPU-0)"'
fake "$work/two/nvidia-smi" 'echo "GPU 0: NVIDIA H100 (UUID: GPU-0)"; echo "GPU 1: NVIDIA H100 (UUID: GPU-1)"'
fake "$work/broken/nvidia-smi" 'echo "NVIDIA-SMI has failed because it could not communicate with the driver."; exit 9'
fake "$work/none/nvidia-smi" 'echo "No devices were found"'
programs=("${areas[@]/#/farpoint_}")
programs=("${programs[@]/%/_device_tests}" farpoint_device_fuzz farpoint_stress farpoint
  example_02_block_argmax example_04_knn_on_a_stream example_05_cuda_graph example_08_tensorrt_plugin example_10_hash_map
  example_12_library farpoint_tests_for_75 farpoint_tests_for_80)
# Under compute-sanitizer, which a machine may have, they do nothing either.
for driver in sound two broken none; do fake "$work/$driver/compute-sanitizer" 'exit 0'; done
for program in "${programs[@]}"; do
  fake "$work/passing/$program" 'exit 0'
  fake "$work/skipping/$program" 'exit 77'
done
cp -r "$work/passing" "$work/one_missing"
rm "$work/one_missing/farpoint"
cp -r "$work/passing" "$work/one_failing"
fake "$work/one_failing/farpoint" 'exit 3'
# Builds with tests that need two GPUs and NCCL.
for folder in nccl_passing nccl_failing nccl_skipping; do cp -r "$work/passing" "$work/$folder"; done
fake "$work/nccl_passing/farpoint_nccl_tests" "echo multicast is \$NCCL_NVLS_ENABLE"
fake "$work/nccl_failing/farpoint_nccl_tests" 'exit 3'
fake "$work/nccl_skipping/farpoint_nccl_tests" 'exit 77'
# Without a case of a tag an area has no suite of the tag.
cp -r "$work/passing" "$work/untagged"
# shellcheck disable=SC2016 # expanded by the fake
fake "$work/untagged/farpoint_fps_device_tests" 'if [ "$1" = --list-tests ]; then echo "0 matching test cases"; fi'
mkdir "$work/empty"

failures=0
# expect CODE DRIVER FOLDER [WORDS]: the words are somewhere in the output. Arguments of `options` come first.
options=()
expect() {
  PATH=$work/$2:$PATH "$gpu_test" ${options[@]+"${options[@]}"} "$work/$3" > "$work/output" 2>&1
  local code=$?
  [ "$code" = "$1" ] && grep -qF -- "${4:-}" "$work/output" && return
  printf 'driver %s, folder %s: exit code %s, not %s with "%s"\n' "$2" "$3" "$code" "$1" "${4:-}"
  cat "$work/output"
  failures=$((failures + 1))
}
expect 0 sound passing
for area in "${areas[@]}"; do
  grep -qF "device tests: $area: PASS" "$work/output" && continue
  echo "no suite for the device tests of $area"
  failures=$((failures + 1))
done
expect 1 sound empty
expect 1 sound no_such_folder
expect 1 sound one_missing
expect 1 sound one_failing
expect 1 sound skipping
expect 1 broken passing
expect 1 none passing
expect 0 sound passing "ranks by NCCL: SKIP (it needs two GPUs, and there is one)"
expect 0 two passing "ranks by NCCL: SKIP (there is no farpoint_nccl_tests in"
expect 0 sound nccl_failing "ranks by NCCL: SKIP"
expect 0 two nccl_passing "multicast is 0"
expect 0 two nccl_passing "ranks by NCCL: PASS"
expect 1 two nccl_failing "ranks by NCCL: FAIL"
expect 1 two nccl_skipping "ranks by NCCL: FAIL"
expect 0 sound untagged "device tests: fps: PASS"
expect 0 sound untagged "memcheck: core: PASS"
if grep -qF "memcheck: fps" "$work/output"; then
  echo "memcheck of an area without a case of its tag"
  failures=$((failures + 1))
fi
# Several at a time: the same answers. Programs of Catch2 3 run in parts, each on one GPU.
# shellcheck disable=SC2016 # expanded by the fake
fake "$work/nccl_passing/farpoint_fps_device_tests" 'case $1 in --help) echo "--shard-count"; exit ;; --list-tests) exit ;; esac
echo "fps on GPU $CUDA_VISIBLE_DEVICES: $*"'
options=(--jobs 3)
expect 0 two nccl_passing "device tests: fps, part 4 of 4: PASS"
expect 0 two nccl_passing "fps on GPU 1: "
expect 0 two nccl_passing "--shard-count 4 --shard-index 3"
expect 0 two nccl_passing "multicast is 0"
expect 0 sound passing "device tests: fps: PASS"
expect 1 sound one_failing "demo: FAIL"
expect 1 sound one_missing "demo: FAIL"
expect 1 sound empty
for options in "--jobs 0" "--jobs" "--jobs x"; do
  read -ra options <<< "$options"
  expect 1 sound passing "takes a number"
done
[ "$failures" = 0 ]
