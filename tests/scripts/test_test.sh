#!/usr/bin/env bash
# scripts/test.sh: what ends a run, what is left running, and what is installed. Fake compilers, tests and packages.
#   test_test.sh SCRIPTS     (the folder that has test.sh)
set -uo pipefail
scripts=$(cd "$1" && pwd)
# shellcheck source=tests/scripts/fakes.sh
. "$(dirname "${BASH_SOURCE[0]}")/fakes.sh"
bin=$work/bin
mkdir -p "$work/tree/scripts"
cp "$scripts"/{test,common}.sh "$work/tree/scripts/"
fake "$work/tree/scripts/need.sh" 'exit 0'
fake "$work/tree/scripts/lint.sh" "echo lint"
# A step, as build.asan, does what the file of its name says, which is a line of bash.
# shellcheck disable=SC2016 # expanded by the fakes
step='step() { echo "$1" >> "$WORK/steps"; if [ -f "$WORK/do/$1" ]; then . "$WORK/do/$1"; fi; exit 0; }'
# shellcheck disable=SC2016
fake "$bin/cmake" "$step" 'case $1 in' \
  '--preset) step "configure.$2" ;;' \
  '--build) if [ "$2" = --preset ]; then step "build.$3"; else step "build.${2#build/}"; fi ;;' 'esac'
# shellcheck disable=SC2016
fake "$bin/ctest" "$step" 'case " $* " in' '*" -N "*) echo "  Test #1: host.fps"; exit 0 ;;' 'esac' 'step "test.$2"'
fake "$bin/nvcc" 'exit 1'
fake "$bin/nvidia-smi" 'exit 1'
fake "$bin/ccache" 'exit 0'

without_cuda "$work/tree/scripts/common.sh"
export WORK=$work PATH=$bin:$PATH

failures=0
complain() {
  printf 'test_test.sh: %s\n' "$*"
  cat "$work/output"
  failures=$((failures + 1))
}
rm_steps() {
  rm -rf "$work/do" && mkdir -p "$work/do"
  : > "$work/steps"
  : > "$work/pids"
}
# does STEP LINE: what a step does from here on.
does() { printf '%s\n' "$2" > "$work/do/$1"; }
# `hangs` leaves the ids of its processes; `when_one_hangs` waits for that.
# shellcheck disable=SC2016
when_one_hangs='while [ ! -s "$WORK/pids" ]; do sleep 0.05; done;'
# shellcheck disable=SC2016
hangs='sleep 300 & echo "$$ $!" >> "$WORK/pids"; wait'
# Zombies of this container's init are gone, too.
is_alive() { [ -d "/proc/$1" ] && ! grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2> /dev/null; }
# none_left: of the processes of steps that hang. They get some moments to end.
none_left() {
  local pid child left
  for _ in $(seq 50); do
    left=
    while read -r pid child; do
      if is_alive "$pid" || is_alive "$child"; then left+=" $pid"; fi
    done < "$work/pids"
    [ -n "$left" ] || return 0
    sleep 0.1
  done
  return 1
}
# expect CODE WORDS ARGUMENTS...: within a minute.
expect() {
  timeout 60 "$work/tree/scripts/test.sh" "${@:3}" > "$work/output" 2>&1
  local code=$?
  [ "$code" = "$1" ] && grep -qF -- "$2" "$work/output" && return
  complain "${*:3}: exit code $code, not $1 with \"$2\""
}
has_step() { grep -qx "$1" "$work/steps" || complain "no step $1"; }
has_no_step() { ! grep -qx "$1" "$work/steps" || complain "there was a step $1"; }

# Arguments.
rm_steps
expect 1 'unknown argument "--wrong"' test --wrong
expect 1 'unknown argument "fps"' test fps
expect 1 'there is no area "fsp"' check fsp
expect 1 'no option --quick' check --quick
expect 1 'there is no suite "tables"' test --also tables
expect 1 'found "1x"' test --fuzz-seconds 1x
expect 1 'found "1x"' test --minutes 1x
expect 1 'no option --minutes' check --minutes 1
expect 1 'exclude each other' test --quick --all
expect 1 'there is no command "tset"' tset
[ ! -s "$work/steps" ] || complain "a wrong argument has started something"

# Tiers.
expect 0 'host: PASS' test
for step in build.host test.host build.asan test.asan build.tsan test.tsan; do has_step "$step"; done
has_no_step build.release
rm_steps
expect 0 'host: PASS' test --quick
has_no_step build.asan
rm_steps
expect 0 'release: PASS' test --also release
has_step build.release
rm_steps
expect 0 'host: fps: PASS' check fps
has_step build.host

# The first red suite ends the run; with --keep-going the others run.
rm_steps
does test.host "$when_one_hangs echo three of four; exit 8"
does build.asan "$hangs"
expect 1 'host: FAIL' test
none_left || complain "the sanitizers run after a red suite"
rm_steps
does build.asan "$when_one_hangs echo no such header; exit 1"
does build.host "$hangs"
expect 1 'no such header' test
none_left || complain "compilers run after a red sanitizer"
has_no_step test.asan
has_no_step test.host
rm_steps
does build.host 'exit 1'
does test.asan 'exit 8'
expect 1 'asan: FAIL' test --keep-going
for step in test.host test.tsan; do has_step "$step"; done
rm_steps
does test.tsan 'exit 77'
expect 0 'tsan: SKIP' test

# Sanitizers that have not ended in time are skipped, and all others run to their end.
rm_steps
does build.host 'sleep 4'
does test.asan "$hangs"
expect 0 'asan: SKIP (not ended after 0.05 minutes)' test --minutes 0.05
none_left || complain "a sanitizer runs after its time"
for line in 'host: PASS' 'asan, build: PASS' 'tsan: SKIP'; do
  grep -qF "$line" "$work/output" || complain "no line $line"
done
rm_steps
does test.host 'sleep 0.5; exit 8'
expect 1 'host: FAIL' test --keep-going --minutes 0.001
rm_steps
expect 0 'tsan: PASS' test --minutes 100

# A signal to the script alone ends what it started.
for signal in TERM INT; do
  rm_steps
  does build.host "$hangs"
  does build.asan "$hangs"
  # With job control the script does not inherit that INT is ignored.
  set -m
  "$work/tree/scripts/test.sh" test > "$work/output" 2>&1 &
  script=$!
  set +m
  for _ in $(seq 300); do
    if [ "$(wc -l < "$work/pids")" = 2 ]; then break; fi
    sleep 0.1
  done
  kill -s "$signal" "$script"
  wait "$script"
  code=$?
  [ "$code" = $((128 + $(kill -l "$signal"))) ] || complain "SIG$signal: exit code $code"
  none_left || complain "SIG$signal left processes"
  has_no_step test.host
done

# need.sh names packages before it installs them; with --no-install it names them and installs nothing.
cp "$scripts/need.sh" "$work/tree/scripts/need.sh"
fake "$bin/dpkg-query" 'exit 1'
fake "$bin/id" 'echo 0'
# shellcheck disable=SC2016
fake "$bin/apt-get" 'echo "$1" >> "$WORK/steps"; cp "$WORK/output" "$WORK/said"'
rm_steps
expect 1 'missing from the distribution: cmake' test --no-install
[ ! -s "$work/steps" ] || complain "--no-install has installed something"
FARPOINT_NO_INSTALL=1 expect 1 'missing from the distribution: cmake' test
"$work/tree/scripts/need.sh" bench > "$work/output" 2>&1
has_step install
grep -q '^Installing from the distribution: libbenchmark-dev' "$work/said" || complain "need.sh did not say what it installs"
# Each area of the tests' CMakeLists.txt is an area of test.sh.
areas_of_tests=$(sed -n 's/^farpoint_add_tests(\([a-z_]*\).*/\1/p' "$scripts/../tests/CMakeLists.txt" | sort)
areas_of_script=$(sed -n 's/^areas=(\(.*\))$/\1/p' "$scripts/test.sh" | tr ' ' '\n' | sort)
[ "$areas_of_tests" = "$areas_of_script" ] || complain "the areas of scripts/test.sh are not those of tests/CMakeLists.txt"
[ "$failures" = 0 ]
