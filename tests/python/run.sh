#!/usr/bin/env bash
# run.sh SOURCE BUILD: installs the library of a build tree, makes the Python package on it, and runs the package's tests.
# Needs no network: what it needs, scripts/need.sh has put into SOURCE/build/python. Exit code 77: it has not.
set -euo pipefail
source=$1
work=$2/python
# shellcheck source=tests/python/environment.sh
. "$source/tests/python/environment.sh"

mkdir -p "$work"
for component in farpoint_headers farpoint_library; do
  cmake --install "$2" --prefix "$work/prefix" --component "$component" > "$work/install.log"
done
found=$(dirname "$(find "$work/prefix" -name farpoint-config.cmake)")
"$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation --upgrade \
  --target "$work/site" "$source/python" --config-settings "build-dir=$work/build" \
  --config-settings "cmake.define.farpoint_DIR=$found"
cd "$work"
PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -rs -p no:cacheprovider "$source/python/tests"
