#!/usr/bin/env bash
# The tests in tiers: `./dev check`, `./dev test` and `./dev coverage`. CTest's labels tier0 to tier3 say in which tier a
# test begins; a tier runs those below it, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
Usage: scripts/test.sh check [AREA...]    format, shellcheck, ruff, mypy, clang-tidy of changed files, layers, links of the
                                          documentation, and the host cases of the areas, without real scans; by default,
                                          of those that files changed since HEAD belong to
       scripts/test.sh test               all areas: host, CUDA code (run where there is a GPU), AddressSanitizer,
                                          ThreadSanitizer (areas that start threads), examples, Python
       scripts/test.sh test --quick       the host only, without sanitizers
       scripts/test.sh test --all         all tiers, and the suites lint, torch, release, matrix and fuzz
       scripts/test.sh coverage [AREA...] line coverage of the host tests by folder; pages in build/coverage/html
Options:
  --keep-going        goes on after a red suite. By default it ends the run
  --minutes N         stops the sanitizers N minutes after the start; the summary says SKIP of those that have not ended
  --no-install        fails if something is missing, and names it, instead of installing it
  --also SUITE        runs a suite of --all besides: lint (clang-tidy of everything), torch (Python tests with a torch of PyPI),
                      release (host tests at -O3), matrix or fuzz. May be repeated
  --fuzz-seconds N    of all fuzzers together (default: 600)
Areas: core, fps, voxelize, search, subset, screen, hash_map, splat, scale, runtime, io, compat
TEXT
}

script_name="test"
# shellcheck source=scripts/common.sh
. scripts/common.sh

areas=(core fps voxelize search subset screen hash_map splat scale runtime io compat)
fuzz_targets=6
keep_going=false
quick=false
everything=false
also=()
wanted=()
fuzz_seconds=600
minutes=0

# A file: lanes are processes, and each appends its lines.
summary=build/test.summary
# suite NAME COMMAND...: the summary has a line for each. A red one ends its lane, unless --keep-going.
red=0
suite() {
  local name=$1 start=$SECONDS outcome=PASS code=0
  shift
  say "== $name"
  "$@" || code=$?
  case $code in
    0) ;;
    77) outcome=SKIP ;;
    *) outcome=FAIL red=1 ;;
  esac
  say "$name: $outcome ($((SECONDS - start)) s)" >> "$summary"
  if [ "$outcome" = FAIL ] && ! $keep_going; then exit 1; fi
}

# Each lane is a process group, so that a signal reaches all of its compilers and tests.
lanes=()
timer=
stop_timer() {
  [ -z "$timer" ] || kill -TERM -- "-$timer" 2> /dev/null || true
  timer=
}
stop_lanes() {
  local lane
  stop_timer
  for lane in ${lanes[@]+"${lanes[@]}"}; do kill -TERM -- "-$lane" 2> /dev/null || true; done
  for lane in ${lanes[@]+"${lanes[@]}"}; do wait "$lane" 2> /dev/null || true; done
  lanes=()
}
ended_by() {
  trap '' INT TERM HUP
  stop_lanes
  say "test: ended by SIG$1"
  exit "$((128 + $(kill -l "$1")))"
}
# start FUNCTION LOG: runs it as a lane; its output goes to LOG, or where ours does. Sets lane.
start() {
  set -m
  if [ -n "$2" ]; then
    ("$1" && exit "$red") > "$2" 2>&1 < /dev/null &
  else
    ("$1" && exit "$red") < /dev/null &
  fi
  lane=$!
  set +m
  lanes+=("$lane")
}
# start_timer MINUTES: a process that ends after so many minutes.
start_timer() {
  set -m
  sleep "${1}m" &
  timer=$!
  set +m
}
is_running() { case " ${lanes[*]-} " in *" $1 "*) ;; *) return 1 ;; esac }
# finish LANE: forgets a lane that has ended.
finish() {
  local other left=()
  for other in "${lanes[@]}"; do [ "$other" = "$1" ] || left+=("$other"); done
  lanes=(${left[@]+"${left[@]}"})
}

configure() { cmake --preset "$1" > /dev/null; }
# ctest_of PRESET TIERS [ARGUMENTS...]
ctest_of() { terse ctest --preset "$1" -L "tier[$2]" "${@:3}"; }
build_all() { configure "$1" && terse cmake --build "build/$1"; }

# Targets of ThreadSanitizer's build: the areas whose tests are labeled `threads`.
build_threads() {
  configure tsan || return
  local targets=()
  while IFS= read -r area; do targets+=("farpoint_${area}_tests"); done \
    < <(ctest --preset tsan -N -L '^threads$' | sed -n 's/^ *Test *#[0-9]*: host\.\([a-z_]*\)$/\1/p')
  [ ${#targets[@]} -gt 0 ] || {
    say "no test of build/tsan is labeled threads"
    return 1
  }
  terse cmake --build build/tsan --target "${targets[@]}"
}
build_asan() { configure asan && terse cmake --build --preset asan; }

# The sanitizers run niced and fill cores that the main lane leaves idle while it links or runs a last long test. Without
# nice, two compilers per core take 10 to 20 % more time in all.
sanitizers() {
  renice -n 19 -p "$BASHPID" > /dev/null || true
  suite "asan, build" build_asan
  suite asan ctest_of asan "$tiers"
  suite "tsan, build" build_threads
  suite tsan ctest_of tsan "$tiers" -L '^threads$'
}
# skip_sanitizers: lines of the summary for the sanitizers' suites that it does not have.
skip_sanitizers() {
  local name
  for name in "asan, build" asan "tsan, build" tsan; do
    grep -q "^$name: " "$summary" || say "$name: SKIP (not ended after $minutes minutes)" >> "$summary"
  done
}

# The argument of `./dev fuzz` is seconds per target.
fuzz() { ./dev fuzz "$(((fuzz_seconds + fuzz_targets - 1) / fuzz_targets))"; }
# Links the test programs of a GPU, whose sources the preset cuda only parses.
device_programs() {
  local folder=build/device-programs
  cmake --preset cuda -B "$folder" -DFARPOINT_TESTS_ON_GPU=ON > /dev/null &&
    terse cmake --build "$folder" --target farpoint_device_tests
}
release() { configure release && terse cmake --build build/release --target farpoint_host_tests && terse ctest --preset release; }

# Python's tests with a torch of PyPI, which takes 3 GB, on the package that the suite before has made.
torch_tests() {
  local python=build/torch/bin/python site=$PWD/build/$preset/python/site
  if [ ! -d "$site" ] || ! "$python" -c 'import torch' 2> /dev/null; then
    say "SKIPPED: there is no torch in build/torch, or no package in $site"
    return 77
  fi
  OMP_NUM_THREADS=1 PYTHONPATH=$site terse "$python" -P -m pytest -q -rs -p no:cacheprovider python/tests
}

test_lane() {
  local lint=(scripts/lint.sh)
  case " ${also[*]-} " in *" lint "*) lint+=(--all) ;; esac
  suite lint "${lint[@]}"
  suite "$preset, build" build_all "$preset"
  suite "$preset" ctest_of "$preset" "$tiers"
  if $everything && [ "$preset" = cuda ]; then suite "device programs" device_programs; fi
  for name in torch release matrix fuzz; do
    case " ${also[*]-} " in
      *" $name "*)
        case $name in
          matrix) suite matrix scripts/matrix.sh ;;
          torch) suite torch torch_tests ;;
          *) suite "$name" "$name" ;;
        esac
        ;;
    esac
  done
}

# end CODE: the summary.
end() {
  say
  cat "$summary"
  if [ "$1" != 0 ] || grep -q ': FAIL ' "$summary"; then exit 1; fi
}

# run_lanes LANE [LANE2]: runs both in parallel. The output of LANE2 is shown when it ends.
run_lanes() {
  local log=build/sanitizers.log main='' beside='' code ended
  mkdir -p build
  : > "$summary"
  trap 'ended_by INT' INT
  trap 'ended_by TERM' TERM
  trap 'ended_by HUP' HUP
  # Compilers allocate much: on large pages they take a tenth less time.
  export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}
  start "$1" ""
  main=$lane
  if [ -n "${2:-}" ]; then
    start "$2" "$log"
    beside=$lane
    [ "$minutes" = 0 ] || start_timer "$minutes"
  fi
  local result=0
  while [ ${#lanes[@]} -gt 0 ]; do
    code=0
    wait -n -p ended "${lanes[@]}" ${timer:+"$timer"} || code=$?
    if [ "$ended" = "$timer" ]; then
      timer=
      if is_running "$beside"; then
        kill -TERM -- "-$beside" 2> /dev/null || true
        wait "$beside" 2> /dev/null || true
        skip_sanitizers
        ended=$beside
      fi
      code=0
    fi
    finish "$ended"
    if [ "$ended" = "$beside" ] && { [ "$code" != 0 ] || [ ${#lanes[@]} -eq 0 ]; }; then
      say "The sanitizers, in $log:"
      cat "$log"
      beside=
    elif [ "$ended" = "$main" ] && [ "$code" = 0 ] && [ -n "$beside" ] && [ ${#lanes[@]} -gt 0 ]; then
      say "Waiting for the sanitizers, whose output is in $log"
    fi
    if [ "$code" != 0 ]; then
      result=1
      if ! $keep_going && [ ${#lanes[@]} -gt 0 ]; then
        stop_lanes
        say "The run ends at the first red suite; --keep-going runs the others, too."
      fi
    fi
  done
  stop_timer
  end "$result"
}

run_test() {
  local needs=(build test docs python lint format)
  preset=host
  tiers=0-2
  if $quick; then
    tiers=01
  elif have_gpu; then
    preset=cuda-native
  elif have_nvcc; then
    preset=cuda
    say "no GPU found: CUDA code is compiled, its tests are skipped"
  else
    say "no nvcc found: testing the host half"
  fi
  if $everything; then
    tiers=0-3
    also=(lint torch release matrix fuzz)
  fi
  case " ${also[*]-} " in *" lint "*) needs+=(tidy) ;; esac
  case " ${also[*]-} " in *" torch "*) needs+=(torch) ;; esac
  need "${needs[@]}"
  if $quick; then run_lanes test_lane; else run_lanes test_lane sanitizers; fi
}

# areas_of_paths: reads paths, writes the areas that they belong to.
areas_of_paths() {
  local path
  while IFS= read -r path; do
    case $path in
      tests/*/*)
        path=${path#tests/}
        echo "${path%%/*}"
        ;;
      include/farpoint/detail/gather/*) echo core ;;
      include/farpoint/detail/bvh/*) echo search ;;
      include/farpoint/detail/*/*)
        path=${path#include/farpoint/detail/}
        echo "${path%%/*}"
        ;;
      include/farpoint/container/*) echo hash_map ;;
      include/farpoint/spatial/*) echo search ;;
      include/farpoint/scale/* | include/farpoint/splat/* | include/farpoint/subset/* | include/farpoint/runtime/* | include/farpoint/compat/*)
        path=${path#include/farpoint/}
        echo "${path%%/*}"
        ;;
      include/farpoint/*fps* | include/farpoint/*poisson*) echo fps ;;
      include/farpoint/*voxel*) echo voxelize ;;
      include/farpoint/*screen* | include/farpoint/*camera*) echo screen ;;
      include/farpoint/*hash_map*) echo hash_map ;;
      include/farpoint/*splat*) echo splat ;;
      include/farpoint/*knn* | include/farpoint/*radius* | include/farpoint/*neighbo* | include/farpoint/*bvh* | \
        include/farpoint/*interpolate* | include/farpoint/*normals* | include/farpoint/*mean_* | include/farpoint/*search*) echo search ;;
      include/farpoint/*) echo core ;;
      src/*) echo runtime ;;
      tools/splat/*) echo splat ;;
      tools/cloud_io/* | tools/files/*) echo io ;;
    esac
  done | LC_ALL=C sort -u | grep -Fx "$(printf '%s\n' "${areas[@]}")" || true
}
changed_areas() { { git diff --name-only HEAD && git ls-files --others --exclude-standard; } | areas_of_paths; }

# check_areas AREA...: without the real scans, which take most of the time of some areas.
check_areas() {
  local area targets=() names
  for area in "$@"; do targets+=("farpoint_${area}_tests"); done
  names=$(IFS='|' && echo "$*")
  terse cmake --build build/host --target "${targets[@]}" && FARPOINT_DATA_DIR='' terse ctest --preset host -R "^host\\.($names)\$"
}
check_lane() {
  suite lint scripts/lint.sh
  suite "host, configure" configure host
  suite "tier 0" ctest_of host 0
  if [ ${#wanted[@]} -gt 0 ]; then suite "host: ${wanted[*]}" check_areas "${wanted[@]}"; fi
}
run_check() {
  if [ ${#wanted[@]} -eq 0 ]; then
    mapfile -t wanted < <(changed_areas)
    say "areas that changed files belong to: ${wanted[*]:-none}"
  fi
  need build lint format
  run_lanes check_lane
}

coverage_lane() { suite coverage scripts/coverage.sh ${wanted[@]+"${wanted[@]}"}; }
run_coverage() {
  need build coverage
  run_lanes coverage_lane
}

is_area() { case " ${areas[*]} " in *" $1 "*) ;; *) return 1 ;; esac }

command=${1:-}
case $command in
  check | test | coverage) shift ;;
  -h | --help) usage && exit ;;
  *)
    usage >&2
    fail "there is no command \"$command\"."
    ;;
esac
while [ $# -gt 0 ]; do
  case $1 in
    --no-install) no_install ;;
    --keep-going) keep_going=true ;;
    -h | --help) usage && exit ;;
    --quick | --all | --also | --fuzz-seconds | --minutes)
      [ "$command" = test ] || fail "$command has no option $1."
      case $1 in
        --quick) quick=true ;;
        --all) everything=true ;;
        --also)
          case ${2:-} in
            lint | torch | release | matrix | fuzz) also+=("$2") ;;
            *) fail "--also: there is no suite \"${2:-}\"; there are lint, torch, release, matrix and fuzz." ;;
          esac
          shift
          ;;
        --fuzz-seconds)
          case ${2:-} in '' | *[!0-9]* | 0*) fail "--fuzz-seconds: expected a number of seconds, found \"${2:-}\"." ;; esac
          fuzz_seconds=$2
          shift
          ;;
        --minutes)
          [[ ${2:-} =~ ^[0-9]*\.?[0-9]+$ ]] || fail "--minutes: expected a number of minutes, found \"${2:-}\"."
          minutes=$2
          shift
          ;;
      esac
      ;;
    *)
      if [ "$command" = test ] || [[ $1 == -* ]]; then fail "unknown argument \"$1\"."; fi
      is_area "$1" || fail "there is no area \"$1\"; there are ${areas[*]}."
      wanted+=("$1")
      ;;
  esac
  shift
done
if $quick && $everything; then fail "--quick and --all exclude each other."; fi
"run_$command"
