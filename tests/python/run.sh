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
export PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1
"$python" -m pytest -q -rs -p no:cacheprovider "$source/python/tests"
# Ranks that are processes need torch: the distribution's, where that is of the same version of Python. Calls on its tensors are
# tested, too; the suite torch of `./dev test --all` tests them by a torch of PyPI.
version='import sys; print(sys.version_info[:2])'
if /usr/bin/python3 -c 'import hypothesis, numpy, pytest, torch.distributed' 2> /dev/null &&
  [ "$(/usr/bin/python3 -c "$version")" = "$("$python" -c "$version")" ] && ! "$python" -c 'import torch' 2> /dev/null; then
  tests=$source/python/tests
  OMP_NUM_THREADS=1 /usr/bin/python3 -m pytest -q -rs -p no:cacheprovider "$tests/test_distributed.py" \
    "$tests"/test_quick.py::test_{answers_are_those_of_arrays,rows_of_any_type,ball_queries}
fi
