#!/usr/bin/env bash
# packages.sh [PART...]: makes farpoint's packages and uses them. Parts, all by default:
#   deb       Debian packages, in build/package, checked by lintian
#   debian    the Debian packages installed, used and removed in a fresh Debian with g++ and CMake, without CUDA and CCCL
#   versions  this version and one that calls itself the next, in one program
#   vcpkg     the port, by a stand-in for vcpkg (try_port.cmake)
#   conan     the recipe, by Conan from PyPI
#   colcon    a workspace of farpoint and a package that uses it, by colcon from PyPI
#   wheel     the Python package as PyPI takes it (wheels.sh), for all GPUs where there is an nvcc, in a fresh environment
# Works in build/packages. A missing tool is reported as SKIP. Exit code 1: something failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
work=$PWD/build/packages
user=$PWD/tests/build/package/find_library
# shellcheck source=scripts/outcomes.sh
. scripts/outcomes.sh
# shellcheck source=scripts/common.sh
. scripts/common.sh

# The environment of a machine without nvcc: quick to build for, and what most users of these packages have.
without_nvcc() {
  local folder path=
  while read -r folder; do
    if [ ! -e "$folder/nvcc" ]; then path=$path:$folder; fi
  done < <(printf '%s\n' "${PATH//:/$'\n'}")
  env -u CUDACXX PATH="${path#:}" "$@"
}

# from_pypi NAME PACKAGE...: sets tool, the folder of the programs; fails if they cannot be installed.
from_pypi() {
  local folder=$work/$1
  tool=$folder/bin
  [ -x "$tool/$1" ] || { python3 -m venv "$folder" && "$tool/pip" install -q "${@:2}"; } > "$folder.log" 2>&1 || {
    skip "$1: PyPI's could not be installed"
    return 1
  }
}

# build_and_run SOURCE NAME [CMAKE ARGUMENTS...]
build_and_run() {
  rm -rf "${work:?}/$2"
  cmake -S "$1" -B "$work/$2" "${@:3}" && cmake --build "$work/$2" && "$work/$2/consumer"
}

deb() {
  rm -f build/package/*.deb
  try "deb: built" cmake --workflow --preset package
  if command -v lintian > /dev/null; then
    try "deb: lintian" lintian --allow-root --fail-on error,warning build/package/*.deb
  else
    skip "deb: there is no lintian"
  fi
}

# Runs in the fresh Debian, whose /root/packages has the packages and a program.
in_fresh_debian() {
  set -eu
  cd /root/packages
  build() { cmake -S "$1" -B "build-$1" && cmake --build "build-$1" && "build-$1/consumer"; }
  if command -v nvcc || [ -n "$(find / -xdev -name cuda_runtime.h -o -name cub)" ]; then exit 1; fi
  # One file: the headers need nothing.
  apt-get install -y ./farpoint-dev_*.deb
  build find_host
  apt-get install -y ./farpoint*.deb ./libfarpoint*.deb
  build find_library
  test -f /usr/share/doc/farpoint/README.md
  apt-get purge -y farpoint-dev farpoint-doc 'libfarpoint*'
  if find / -xdev -path /root -prune -o -path /var/log -prune -o -name '*farpoint*' -print | grep .; then exit 1; fi
}

debian() {
  local codename root=$work/debian
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  if [ "$(id -u)" != 0 ] || ! command -v debootstrap > /dev/null; then
    skip "debian: needs root and debootstrap"
    return
  fi
  if [ ! -e "$root/complete" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase --include=g++,make,cmake "$codename" "$root" > "$root.log" 2>&1 || {
      skip "debian: debootstrap cannot install $codename; $root.log says why"
      return
    }
    touch "$root/complete"
  fi
  rm -rf "$root/root/packages"
  mkdir -p "$root/root/packages"
  cp -r build/package/*.deb tests/build/package/find_host tests/build/package/find_library "$root/root/packages/"
  # Names are looked up as here.
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  try "debian: installed, found, used and removed in a fresh $codename" \
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
    bash -c "$(declare -f in_fresh_debian); in_fresh_debian"
}

vcpkg() {
  local linkage type package=$work/vcpkg/packages/farpoint
  for linkage in OFF ON; do
    try "vcpkg: the port, BUILD_SHARED_LIBS=$linkage" without_nvcc \
      cmake "-DWORK=$work/vcpkg" "-DSHARED=$linkage" "-DLAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER:-}" -P packaging/vcpkg/try_port.cmake
    for type in Release Debug; do
      try "vcpkg: used in a $type build" \
        build_and_run "$user" vcpkg-user "-DCMAKE_PREFIX_PATH=$package" "-DCMAKE_BUILD_TYPE=$type"
    done
  done
}

conan() {
  local shared
  from_pypi conan conan || return 0
  export CONAN_HOME=$work/conan-home
  [ -f "$CONAN_HOME/profiles/default" ] || "$tool/conan" profile detect > /dev/null 2>&1
  for shared in False True; do
    # The program that uses it is built in the work folder, and the checkout stays as it is.
  local in_work=("tools.cmake.cmake_layout:test_folder=$work/conan-test" "tools.cmake.cmaketoolchain:user_presets=")
  # Without remotes: farpoint requires nothing.
    try "conan: created and used, shared=$shared" without_nvcc "$tool/conan" create packaging/conan --no-remote \
      -o "farpoint/*:shared=$shared" -c "${in_work[0]}" -c "${in_work[1]}"
  done
}

in_colcon() {
  "$tool/colcon" --log-base "$work/colcon-log" build --build-base "$work/colcon-build" --install-base "$work/colcon-install" \
    --base-paths . packaging/colcon/user --event-handlers console_direct+ &&
    "$work/colcon-install/farpoint_user/lib/farpoint_user/consumer"
}

colcon() {
  from_pypi colcon colcon-common-extensions || return 0
  rm -rf "$work"/colcon-{build,install,log}
  try "colcon: a workspace with a package that uses farpoint" without_nvcc bash -c "tool=$tool work=$work; $(declare -f in_colcon); in_colcon"
}

# shared_install SOURCE NAME
shared_install() {
  cmake -S "$1" -B "$work/build-$2" -G Ninja -DFARPOINT_CUDA=OFF -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Debug &&
    cmake --build "$work/build-$2" && cmake --install "$work/build-$2" --prefix "$work/install-$2"
}

# Symbols that both libraries export: functions of farpoint only, and each in a namespace of its version.
same_symbols() {
  local name
  for name in old next; do
    nm -D --defined-only "$work/install-$name"/lib*/libfarpoint.so | awk '{ print $3 }' | sort > "$work/symbols-$name"
  done
  [ -s "$work/symbols-old" ] && ! comm -12 "$work/symbols-old" "$work/symbols-next" | grep .
}

versions() {
  local next=$work/next major minor old
  rm -rf "$next" "$work"/install-{old,next}
  mkdir -p "$next"
  cp -r CMakeLists.txt ./*.md LICENSE package.xml cmake docs examples include packaging src "$next/"
  IFS=. read -r major old _ <<< "$(scripts/versions.py)"
  minor=$((old + 1))
  sed -i "s/v${major}_$old/v${major}_$minor/; s/VERSION_MINOR $old/VERSION_MINOR $minor/" "$next/include/farpoint/core/config.hpp"
  find "$next/include" "$next/src" -type f -exec sed -i 's/"fps: /"fps in the next version: /' {} +
  try "versions: this one" shared_install . old
  try "versions: the next one" shared_install "$next" next
  try "versions: nothing that both export" same_symbols
  try "versions: both in one program" \
    build_and_run tests/build/package/two_versions versions-user "-DOLD=$work/install-old" "-DNEXT=$work/install-next"
}

# In a fresh environment: the first lines of the page, and no driver.
# shellcheck disable=SC2016 # backquotes of Markdown
first_lines() {
  rm -rf "$work/wheel-user"
  "$(python_of_wheels)" -m venv "$work/wheel-user" && "$work/wheel-user/bin/pip" install -q "$1" &&
    sed -n '/^```python$/,/^```$/p' docs/python.md | sed '/^```/d; /farpoint.torch/,$d' | (cd / && "$work/wheel-user/bin/python" -)
}

# The toolkit's is a package of its own, which need not be there: then PyPI's, which does not put it among the programs.
with_cuobjdump() {
  if command -v cuobjdump > /dev/null; then return; fi
  from_pypi cuobjdump nvidia-cuda-cuobjdump || return
  [ -x "$tool/cuobjdump" ] || ln -sf "$(find "$work/cuobjdump/lib" -name cuobjdump -type f)" "$tool/cuobjdump"
  PATH=$PATH:$tool
  command -v cuobjdump > /dev/null
}

wheel() {
  local package wheels promises
  rm -rf "$work/wheel"
  scripts/need.sh wheels > "$work/wheel.log" 2>&1
  if [ ! -x build/wheel_tools/bin/twine ]; then
    skip "wheel: PyPI cannot be reached"
    return
  fi
  have_nvcc || skip "wheel: without nvcc there is the host half alone"
  try "wheel: sdists, and wheels from them" scripts/wheels.sh --output "$work/wheel"
  for package in farpoint_cpu farpoint; do
    wheels=("$work/wheel/$package"-*.whl)
    [ -e "${wheels[0]}" ] || continue
    promises=(--max-mb 1)
    if [ "$package" = farpoint ]; then
      promises=(--max-mb 100) # PyPI's limit
      if with_cuobjdump; then
        promises+=(--cuda "75,80,86,89,90,100,120")
      else
        skip "wheel: its list of GPUs is not checked without cuobjdump"
      fi
    fi
    try "wheel: what is in $package" scripts/wheel.py "${wheels[0]}" "${promises[@]}"
    head -n 3 "$work/wheel__what_is_in_$package.log"
    try "wheel: the page's first lines with $package" first_lines "${wheels[0]}"
  done
}

mkdir -p "$work"
[ $# -gt 0 ] || set -- deb debian versions vcpkg conan colcon wheel
for part in "$@"; do
  printf '== %s\n' "$part"
  case $part in
    deb | debian | versions | vcpkg | conan | colcon | wheel) "$part" ;;
    *)
      printf 'packages: there is no part "%s"; parts are deb, debian, versions, vcpkg, conan, colcon and wheel.\n' "$part" >&2
      exit 2
      ;;
  esac
done
conclude
