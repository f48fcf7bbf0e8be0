#!/usr/bin/env bash
# need.sh WHAT...: installs what is missing for `build`, `test`, `bench`, `aarch64`, `docs` or `packages` from the
# distribution's packages, and for `python` from PyPI. Does not start apt when nothing is missing.
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

# What the Python package is built and tested with, in build/python. Nothing else needs it: where there is no network, its
# tests are skipped, and say so.
python_environment() {
  local environment=build/python
  mkdir -p build
  if "$environment/bin/python" -c 'import numpy, nanobind, scikit_build_core, pytest, hypothesis' 2> /dev/null; then return 0; fi
  python3 -c 'import ensurepip, venv' 2> /dev/null || packages python3-venv
  [ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" ] || packages python3-dev
  printf 'Installing the Python package'"'"'s tools in %s\n' "$environment"
  if ! { python3 -m venv "$environment" && "$environment/bin/pip" install --quiet --disable-pip-version-check --timeout 15 \
    --retries 1 numpy nanobind scikit-build-core pytest hypothesis; } > build/python.log 2>&1 < /dev/null; then
    printf 'need: the Python package will not be tested: PyPI cannot be reached (build/python.log)\n' >&2
  fi
}

wanted=()
wants_python=false
for what in "$@"; do
  case $what in
    build) wanted+=(cmake ninja-build g++ catch2 libcli11-dev libfmt-dev libpng-dev ccache) ;;
    test)
      # shellcheck disable=SC2207 # one word or none
      wanted+=(clang unzip python3 pkg-config libeigen3-dev libdlpack-dev libsensor-msgs-dev $(sanitizer_runtime))
      ;;
    python) wants_python=true ;;
    bench) wanted+=(libbenchmark-dev libnanoflann-dev) ;;
    aarch64)
      # On such a machine the compiler is the usual one.
      [ "$(uname -m)" = aarch64 ] || wanted+=(g++-aarch64-linux-gnu qemu-user)
      ;;
    docs) wanted+=(doxygen python3) ;;
    packages) wanted+=(lintian debootstrap dpkg-dev python3-venv) ;;
    *) fail "there is nothing known as \"$what\"; known are build, test, python, bench, aarch64, docs and packages." ;;
  esac
done
# All at once: starting apt takes as long as some packages.
packages "${wanted[@]}"
if $wants_python; then python_environment; fi
