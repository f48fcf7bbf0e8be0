# Sourced by `dev` and by other scripts: the tools of this machine, what to install, how presets are built.
# shellcheck shell=bash

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s: %s\n' "${script_name:-dev}" "$*" >&2
  exit 1
}

# True if nvcc runs: a wrapper may outlive its toolkit.
have_nvcc() { nvcc --version > /dev/null 2>&1; }
have_gpu() { have_nvcc && nvidia-smi -L 2> /dev/null | grep -q '^GPU'; }

# The toolkit's own installer does not put nvcc on PATH.
if ! have_nvcc && [ -x /usr/local/cuda/bin/nvcc ]; then PATH=/usr/local/cuda/bin:$PATH; fi

# The first Python whose wheel is for later ones, too; else the one there is.
python_of_wheels() {
  local python
  for python in python3 python3.12 python3.13 python3.14; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2> /dev/null; then break; fi
    python=python3
  done
  echo "$python"
}

# is_14 PROGRAM: true for a clang tool of version 14, whose answers other versions do not give.
is_14() { command -v "$1" > /dev/null && "$1" --version 2> /dev/null | grep -q 'version 14\.'; }

# no_install: from here on nothing is installed. A command fails if something it needs is missing; pip finds nothing.
no_install() { export FARPOINT_NO_INSTALL=1 PIP_NO_INDEX=1; }

# need WHAT...: installs it, and sets CMake's and CTest's variables for this machine.
need() {
  scripts/need.sh "$@"
  if [ -d build/cccl/lib ] && ! have_nvcc; then export CCCL_DIR=${CCCL_DIR:-$PWD/build/cccl/lib/cmake/cccl}; fi
  if command -v ccache > /dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache; fi
  # Without it ccache preprocesses twice each file that it has not cached.
  export CCACHE_DEPEND=1
  # Most tests are one thread long, and those that are not measure nothing.
  : "${CTEST_PARALLEL_LEVEL:=$(nproc)}"
  export CTEST_PARALLEL_LEVEL
  # Ninja would start more compilers than there are cores, which then evict each other's caches.
  : "${CMAKE_BUILD_PARALLEL_LEVEL:=$(nproc)}"
  export CMAKE_BUILD_PARALLEL_LEVEL
}

# terse COMMAND...: shows a command's progress in a terminal only; failures always.
terse() {
  if [ -t 1 ]; then "$@"; else "$@" | { grep --line-buffered -Ev '^(\[[0-9]+/[0-9]+\] |-- |Preset |  [A-Z_]+=|$)' || true; }; fi
}

# build PRESET "TARGETS" [CMAKE ARGUMENTS...]
build() {
  say "Building build/$1"
  # Bash ignores errexit in a function whose exit code is tested.
  cmake --preset "$1" "${@:3}" > /dev/null || return
  # shellcheck disable=SC2086 # a list
  terse cmake --build "build/$1" --target $2
}
