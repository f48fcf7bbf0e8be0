#!/usr/bin/env bash
# lint.sh [--all] [PART...]: reads the sources and builds nothing. Parts, all by default:
#   format  clang-format 14
#   shell   shellcheck
#   python  ruff and mypy (ruff.toml, python/pyproject.toml)
#   prose   phrases in comments and pages that scripts/prose.py lists
#   tidy    clang-tidy 14 (.clang-tidy) on host code: reads files that differ from the merge base with main;
#           with --all, include/, src/ and tools/. Takes the compile commands of build/host
# Exit code 1: a part found something. A tool that is not installed is reported as SKIP.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

work=build/lint-logs
# shellcheck source=scripts/outcomes.sh
. scripts/outcomes.sh
# shellcheck source=scripts/common.sh
. scripts/common.sh

format() {
  local code=0
  scripts/format.sh --check > "$work/format.log" 2>&1 || code=$?
  if [ "$code" = 77 ]; then skip "format: there is no clang-format 14"; else outcome "$code" format "$work/format.log"; fi
}

shell() {
  command -v shellcheck > /dev/null || { skip "shellcheck: not installed" && return; }
  local files=(dev)
  [ ! -f .ci/run ] || files+=(.ci/run)
  while IFS= read -r -d '' file; do files+=("$file"); done < <(find scripts tests packaging -name '*.sh' -print0)
  try "shellcheck" shellcheck -x "${files[@]}"
}

python() {
  local tools=build/lint/bin folders=(python scripts bench tests packaging)
  [ -x "$tools/mypy" ] || { skip "ruff and mypy: not installed (scripts/need.sh lint)" && return; }
  try ruff "$tools/ruff" check -q "${folders[@]}"
  try "mypy, the package" env -C python "$PWD/$tools/mypy" --cache-dir "$PWD/build/mypy"
  # Scripts find each other by sys.path, and tests the package by its sources.
  try "mypy, scripts and tests" env MYPYPATH=python "$tools/mypy" --cache-dir build/mypy --config-file python/pyproject.toml \
    --ignore-missing-imports --explicit-package-bases scripts bench tests python/tests packaging
  try "mypy --strict, a program that uses the package" env MYPYPATH=python "$tools/mypy" --strict \
    --cache-dir build/mypy-strict python/tests/typed_program.py
}

prose() { try "prose of comments and pages" python3 scripts/prose.py --check; }

# Files that differ from the merge base with main (without one, from HEAD), and new files.
changed_files() {
  local base
  base=$(git merge-base HEAD origin/main 2> /dev/null || git merge-base HEAD main 2> /dev/null || echo HEAD)
  { git diff --name-only --diff-filter=d "$base" && git ls-files --others --exclude-standard; } | sort -u
}

# The include folder of CCCL: the toolkit's, PyPI's in build/cccl, or the one that CCCL_DIR names.
cccl_headers() {
  local folder
  for folder in /usr/local/cuda/include/cccl build/cccl/include/cccl build/cccl/include; do
    if [ -d "$folder/cuda/std" ]; then echo "$folder" && return; fi
  done
  sed -n 's/^CCCL_DIR:PATH=\(.*\)\/lib\/cmake\/cccl$/\1\/include/p' build/host/CMakeCache.txt
}

tidy() {
  local clang_tidy files=() headers=() file
  for clang_tidy in clang-tidy-14 clang-tidy ''; do
    if is_14 "$clang_tidy"; then break; fi
  done
  if [ -z "$clang_tidy" ]; then
    skip "clang-tidy 14: not installed (scripts/need.sh tidy)"
    return
  fi
  if ! cmake --preset host > "$work/configure.log" 2>&1; then
    outcome 1 "clang-tidy: build/host is configured" "$work/configure.log"
    return
  fi
  while IFS= read -r file; do
    case $file in
      # These headers need another library; tests/interop and tests/scale/mpi compile them.
      include/farpoint/interop/dlpack* | include/farpoint/interop/eigen* | include/farpoint/interop/pcl*) ;;
      include/farpoint/scale/mpi_communicator.hpp) ;;
      include/*.hpp) headers+=("$file") ;;
      src/*.cpp | tools/*.cpp) if grep -qF "/$file\"" build/host/compile_commands.json; then files+=("$file"); fi ;;
    esac
  done < <(if $all; then find include src tools -type f | LC_ALL=C sort; else changed_files; fi)
  if [ ${#headers[@]} -gt 0 ]; then
    printf '#include <%s>\n' "${headers[@]#include/}" > "$work/headers.cpp"
    files=("$work/headers.cpp" "${files[@]}")
  fi
  if [ ${#files[@]} -eq 0 ]; then
    pass "clang-tidy: no host code of the library or its programs has changed"
    return
  fi
  local code=0 cccl
  cccl=$(cccl_headers)
  # The compile commands have no entry for headers.cpp: its options are given here.
  # shellcheck disable=SC2016 # expanded by the inner bash
  printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c '
    case $2 in
      */lint-logs/headers.cpp) set -- "$1" "$2" -- -std=c++17 -Iinclude -isystem "$0" ;;
      *) set -- "$1" "$2" -p build/host ;;
    esac
    exec "$1" --quiet --warnings-as-errors="*" "${@:2}" 2> "build/lint-logs/tidy-$$.err"' "$cccl" "$clang_tidy" \
    > "$work/tidy.log" || code=$?
  outcome "$code" "clang-tidy of ${#files[@]} files" "$work/tidy.log"
}

all=false
parts=()
for argument in "$@"; do
  case $argument in
    --all) all=true ;;
    format | shell | python | prose | tidy) parts+=("$argument") ;;
    *)
      printf 'lint: there is no part "%s"; parts are format, shell, python, prose and tidy.\n' "$argument" >&2
      exit 2
      ;;
  esac
done
mkdir -p "$work"
[ ${#parts[@]} -gt 0 ] || parts=(format shell python prose tidy)
for part in "${parts[@]}"; do "$part"; done
conclude
