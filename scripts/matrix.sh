#!/usr/bin/env bash
# matrix.sh [PART...]: compiles farpoint for what one machine does not run. Nothing runs but the part aarch64, under QEMU.
# Parts, all by default:
#   device   the kernels of the public calls, by each nvcc found, for each architecture, compared with its limits
#   host     the headers, and calls of them, by g++ and clang++, in C++17, C++20 and C++23
#   cccl     the same with the CCCL headers of CUDA 12, from PyPI
#   cmake    CMake 3.22, from PyPI: configured with CUDA, built, installed, found and used without
#   aarch64  64-bit ARM: library and examples by the cross compiler, the examples run, answers compared bit by bit
# Works in build/matrix. A missing compiler or package is reported as SKIP. Exit code 1: something does not compile.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

work=build/matrix
# The program that prints checksums of answers.
bits=tests/build/bits
architectures=(75 80 86 87 89 90 100 110 120)
standards=(17 20 2b)
# The oldest CCCL of PyPI that has all headers, and the last of CUDA 12. A std::vector is a span from 12.8 on.
cccl_headers=12.3.101.post1
cccl_calls=12.9.27
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
# shellcheck source=scripts/outcomes.sh
. scripts/outcomes.sh

# kernels NVCC ARCHITECTURE SOURCE: in a process of its own, one a core. Assembled by hand, so that ptxas says what each
# kernel takes.
kernels() {
  local nvcc=$1 architecture=$2 source=$3 file log code=0 figures
  file=$work/$(basename "$(dirname "$(dirname "$nvcc")")")_sm_${architecture}_$(basename "$source" .cu)
  log=$file.log
  "$nvcc" -std=c++17 "-arch=compute_$architecture" -Werror=all-warnings -Iinclude -ptx "$source" -o "$file.ptx" > "$log" 2>&1 &&
    "$(dirname "$nvcc")/ptxas" "-arch=sm_$architecture" -v "$file.ptx" -o "$file.cubin" > "$file.ptxas" 2>&1 || code=$?
  if [ "$code" != 0 ]; then
    cat "$file.ptxas" >> "$log" 2> /dev/null
  else
    figures=$(python3 -B tests/matrix/resources.py "sm_$architecture" "$file.ptx" "$file.ptxas" 2> "$log") || code=$?
  fi
  outcome "$code" "sm_$architecture $(basename "$source"): ${figures:-}" "$log"
  rm -f "$file.ptx" "$file.cubin"
  exit "$failures"
}

compilers_of_cuda() {
  local nvcc
  for nvcc in "$(command -v nvcc)" /usr/local/cuda-*/bin/nvcc; do
    if [ -x "$nvcc" ]; then realpath "$nvcc"; fi
  done | sort -u
}

device() {
  local nvcc version=() code
  try "tests of resources.py" python3 -B -m unittest discover -q -s tests/matrix
  for nvcc in $(compilers_of_cuda); do
    version+=("$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')")
    printf '      nvcc %s\n' "${version[-1]}"
    for architecture in "${architectures[@]}"; do
      for source in tests/matrix/*.cu; do printf '%s\n' "$nvcc" "$architecture" "$source"; done
    done | xargs -n 3 -P "$(nproc)" scripts/matrix.sh --kernels
    code=$?
    [ "$code" = 0 ] || failures=$((failures + 1))
  done
  case " ${version[*]:-none} " in
    " none ") skip "the device half: there is no nvcc" ;;
    *" 12."*) ;;
    *) skip "nvcc 12: not installed, and PyPI's nvidia-cuda-nvcc-cu12 has ptxas, but no nvcc" ;;
  esac
}

# cccl_of VERSION: its include folder; nothing if it cannot be had.
cccl_of() {
  local folder=$work/cccl-$1
  if [ ! -d "$folder" ]; then
    python3 -m pip install -q --disable-pip-version-check --no-deps --target "$folder" "nvidia-cuda-cccl-cu12==$1" \
      > "$folder.log" 2>&1 || return 0
  fi
  dirname "$(find "$folder" -path '*/include/cub' -type d | head -n 1)"
}

# All headers in one file, except headers that need another library, which tests/interop compiles.
all_headers() {
  find include/farpoint -name '*.hpp' -printf '#include <farpoint/%P>\n' | LC_ALL=C sort |
    grep -Ev '/interop/(dlpack|eigen|pcl)|/scale/mpi_communicator' > "$work/all.cpp"
}

host() {
  local compiler found standard cccl source
  cccl=$(for candidate in /usr/local/cuda/include/cccl build/cccl/include/cccl build/cccl/include; do
    if [ -d "$candidate/cuda/std" ]; then echo "$candidate" && break; fi
  done)
  [ -n "$cccl" ] || cccl=$(cccl_of "$cccl_calls")
  all_headers
  for compiler in g++-12 clang++-14; do
    found=$(command -v "$compiler" || command -v "${compiler%-*}")
    if [ -z "$found" ]; then
      skip "$compiler: not installed"
      continue
    fi
    for standard in "${standards[@]}"; do
      for source in "$work/all.cpp" tests/build/bits/{fps,knn,knn_screen,voxelize}.cpp; do
        try "$(basename "$found") $("$found" -dumpversion), C++$standard, $(basename "$source")" \
          "$found" "-std=c++$standard" -fsyntax-only "${warnings[@]}" -Iinclude -isystem "$cccl" "$source"
      done
    done
  done
}

cccl() {
  local old new source folder version nvcc
  old=$(cccl_of "$cccl_headers")
  new=$(cccl_of "$cccl_calls")
  if [ ! -d "$old" ] || [ ! -d "$new" ]; then
    skip "CCCL of CUDA 12: PyPI's nvidia-cuda-cccl-cu12 could not be installed"
    return
  fi
  all_headers
  try "CCCL of CUDA $cccl_headers: all headers, g++" g++ -std=c++17 -fsyntax-only -Iinclude -isystem "$old" "$work/all.cpp"
  for source in tests/build/bits/{fps,knn,knn_screen,voxelize}.cpp; do
    try "CCCL of CUDA $cccl_calls: $(basename "$source"), g++" \
      g++ -std=c++17 -fsyntax-only -Iinclude -isystem "$new" "$source"
  done
  nvcc=$(compilers_of_cuda | head -n 1)
  if [ -z "$nvcc" ]; then
    skip "kernels with the CCCL of CUDA 12: there is no nvcc"
    return
  fi
  # -w: old headers use what a newer toolkit calls deprecated.
  for source in tests/matrix/*.cu; do
    for folder in "$old" "$new"; do
      version=${folder#*cccl-}
      try "CCCL of CUDA ${version%%/*}: $(basename "$source"), nvcc" \
        "$nvcc" -std=c++17 -arch=compute_90 --fdevice-syntax-only -w -Iinclude "-I$folder" -c "$source" -o "$work/none.o"
    done
  done
}

cmake_322() {
  local folder=$work/cmake-3.22 bin tree=$work/with-cmake-3.22
  if [ ! -d "$folder" ]; then
    python3 -m pip install -q --disable-pip-version-check --no-deps --target "$folder" 'cmake==3.22.*' \
      > "$folder.log" 2>&1
  fi
  bin=$folder/cmake/data/bin
  if [ ! -x "$bin/cmake" ]; then
    skip "CMake 3.22: PyPI's could not be installed"
    return
  fi
  bin=$(realpath "$bin")
  # From nothing: what is in a cache was not tried.
  rm -rf "$tree" "$tree-cuda"
  local options=(-DFARPOINT_BUILD_TESTS=ON -DFARPOINT_BUILD_EXAMPLES=ON -G Ninja)
  if [ -n "$(compilers_of_cuda)" ]; then
    try "CMake 3.22: configured with CUDA" "$bin/cmake" -S . -B "$tree-cuda" -DFARPOINT_CUDA=ON "${options[@]}" \
      "-DCMAKE_CUDA_COMPILER=$(compilers_of_cuda | head -n 1)"
  else
    skip "CMake 3.22 with CUDA: there is no nvcc"
  fi
  try "CMake 3.22: configured" "$bin/cmake" -S . -B "$tree" -DFARPOINT_CUDA=OFF "${options[@]}"
  try "CMake 3.22: built" "$bin/cmake" --build "$tree" --target farpoint example_01_three_lines_of_fps
  try "CMake 3.22: installed, found and used" "$bin/ctest" --test-dir "$tree" --output-on-failure -R '^package\.'
}

# bits_object here|aarch64 SOURCE: compiled in a process of its own, one a core. By default g++ fuses products with sums for
# aarch64, and the optimizer runs as in a release; the reference has no such instructions.
bits_object() {
  local folder=$work/bits-$1 compiler=(aarch64-linux-gnu-g++ -O3) object log code=0
  if [ "$1" = here ]; then compiler=(g++ -O1 -DFARPOINT_FEW_INLINE -DFARPOINT_NO_ISA_DISPATCH -ffp-contract=off); fi
  object=$folder/$(basename "$2" .cpp).o
  log=$object.log
  # shellcheck disable=SC2086 # a launcher or none
  ${CMAKE_CXX_COMPILER_LAUNCHER:-} "${compiler[@]}" -std=c++17 -Wall -Wextra -Werror -Iinclude -c "$2" -o "$object" > "$log" 2>&1 ||
    code=$?
  outcome "$code" "${compiler[0]} ${compiler[1]}: $2" "$log"
  exit "$failures"
}

# same_bits PART: the program prints the same under QEMU as it does here.
same_bits() {
  "$work/bits-here/bits" "$1" > "$work/bits-here/$1.txt" &&
    "${qemu[@]}" "$work/bits-aarch64/bits" "$1" > "$work/bits-aarch64/$1.txt" &&
    [ -s "$work/bits-here/$1.txt" ] && diff "$work/bits-here/$1.txt" "$work/bits-aarch64/$1.txt"
}

aarch64() {
  local qemu=() tree=$work/aarch64 sources=(tests/matrix/more_bits.cpp) source processor parts part
  if [ "$(uname -m)" = aarch64 ]; then
    skip "aarch64: this machine is one, and its tests say more"
    return
  fi
  qemu=("$(command -v qemu-aarch64 || command -v qemu-aarch64-static)" -L /usr/aarch64-linux-gnu)
  if ! command -v aarch64-linux-gnu-g++ > /dev/null || [ -z "${qemu[0]}" ]; then
    skip "aarch64: g++-aarch64-linux-gnu or qemu-user is not installed"
    return
  fi
  rm -rf "$tree" "$work"/bits-{here,aarch64}
  mkdir -p "$work"/bits-{here,aarch64}
  try "aarch64: configured" cmake -S . -B "$tree" -G Ninja -DFARPOINT_CUDA=OFF -DFARPOINT_BUILD_EXAMPLES=ON \
    -DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/aarch64-linux-gnu.cmake
  try "aarch64: library and examples built" cmake --build "$tree"
  try "aarch64: examples under QEMU" ctest --test-dir "$tree" --output-on-failure --no-tests=error

  for source in "$bits"/*.cpp; do
    # A program of its own, about registers of x86-64.
    [ "$(basename "$source")" = register_state.cpp ] || sources+=("$source")
  done
  for source in "${sources[@]}"; do
    for processor in aarch64 here; do printf '%s\n' "$processor" "$source"; done
  done | xargs -n 2 -P "$(nproc)" scripts/matrix.sh --bits-object || failures=$((failures + 1))
  try "bits of this machine" g++ "$work"/bits-here/*.o -pthread -o "$work/bits-here/bits"
  try "bits of aarch64" aarch64-linux-gnu-g++ "$work"/bits-aarch64/*.o -pthread -o "$work/bits-aarch64/bits"
  parts=$(sed -n 's/^\(farpoint_tests::\)\?bits_part const [a-z_]*{"\([a-z_]*\)".*/\2/p' "${sources[@]}")
  try "bits: parts found" test -n "$parts"
  for part in $parts; do try "the same bits under QEMU: $part" same_bits "$part"; done
}

case ${1:-} in
  --kernels) kernels "${@:2}" ;;
  --bits-object) bits_object "${@:2}" ;;
esac
mkdir -p "$work"
[ $# -gt 0 ] || set -- device host cccl cmake aarch64
for part in "$@"; do
  printf '== %s\n' "$part"
  case $part in
    device | host | cccl | aarch64) "$part" ;;
    cmake) cmake_322 ;;
    *)
      printf 'matrix: there is no part "%s"; parts are device, host, cccl, cmake and aarch64.\n' "$part" >&2
      exit 2
      ;;
  esac
done
conclude
