#!/usr/bin/env bash
# need.sh WHAT...: installs what is missing for `build`, `test`, `bench` or `docs` from the distribution's packages. On a
# machine without a CUDA toolkit `build` also fetches CUDA's headers, into build/cccl, unless CCCL_DIR names them. Starts
# neither apt nor pip when nothing is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'need: %s\n' "$*" >&2
  exit 1
}

# quietly NAME COMMAND...: keeps the output in build/NAME.log and shows it only if the command fails.
quietly() {
  local log=build/$1.log
  shift
  mkdir -p build
  "$@" > "$log" 2>&1 < /dev/null || {
    cat "$log" >&2
    fail "failed: $*"
  }
}

# packages PACKAGE...
packages() {
  command -v dpkg-query > /dev/null || return 0 # not a Debian: CMake will say what it misses
  local package missing=() as_root=()
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q ' installed$' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo > /dev/null || fail "install these packages as root: ${missing[*]}"
    as_root=(sudo)
  fi
  printf 'Installing %s\n' "${missing[*]}"
  quietly apt-update "${as_root[@]}" apt-get update
  quietly apt-install "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# The sanitizers' runtime of clang has the compiler's version in its name.
sanitizer_runtime() {
  # shellcheck source=/dev/null
  case $(. /etc/os-release 2> /dev/null && printf '%s' "${VERSION_CODENAME:-}") in
    bookworm) echo libclang-rt-14-dev ;;
    noble) echo libclang-rt-18-dev ;;
  esac
}

cccl() {
  if nvcc --version > /dev/null 2>&1 || [ -d /usr/local/cuda/lib64/cmake/cccl ]; then return; fi
  if [ -n "${CCCL_DIR:-}" ] || [ -e build/cccl/lib/cmake/cccl/cccl-config.cmake ]; then return; fi
  printf 'No CUDA toolkit found: fetching its headers (PyPI package nvidia-cuda-cccl)\n'
  packages python3-pip unzip
  local wheel=build/cccl-wheel config include
  rm -rf "$wheel" build/cccl
  mkdir -p "$wheel"
  if ! python3 -m pip download -q --disable-pip-version-check --no-deps -d "$wheel" nvidia-cuda-cccl \
    > build/cccl.log 2>&1 || ! unzip -q "$wheel"/*.whl -d "$wheel" >> build/cccl.log 2>&1; then
    cat build/cccl.log >&2
    fail "could not fetch the CCCL headers: install the CUDA toolkit, or set CCCL_DIR to the folder of cccl-config.cmake."
  fi
  # The wheel's config files look for the headers where the wheel does not put them.
  config=$(find "$wheel" -path '*lib/cmake/cccl' -type d | head -n 1)
  include=$(find "$wheel" -path '*include/cccl' -type d | head -n 1)
  if [ -z "$config" ] || [ -z "$include" ]; then fail "nvidia-cuda-cccl has changed its layout: set CCCL_DIR yourself."; fi
  mkdir -p build/cccl/lib
  mv "$(dirname "$config")" build/cccl/lib/cmake
  mv "$(dirname "$include")" build/cccl/include
  rm -rf "$wheel"
}

for what in "$@"; do
  case $what in
    build)
      packages cmake ninja-build g++ catch2 libcli11-dev libfmt-dev libpng-dev ccache
      cccl
      ;;
    test)
      # shellcheck disable=SC2046 # one word or none
      packages clang unzip python3 libeigen3-dev libdlpack-dev libsensor-msgs-dev $(sanitizer_runtime)
      ;;
    bench) packages libbenchmark-dev ;;
    docs) packages doxygen ;;
    *) fail "there is nothing known as \"$what\"; known are build, test, bench and docs." ;;
  esac
done
