#!/usr/bin/env bash
# ship.sh SOURCE BUILD: makes the sdist of the Python package, a wheel of the host half from it, and installs the wheel in a fresh
# environment. Neither the wheel nor the environment sees the checkout. Needs no network: numpy is copied. -O1 compiles in half the
# time of a release.
set -euo pipefail
source=$1
work=$2/ship
# shellcheck source=tests/python/environment.sh
. "$source/tests/python/environment.sh"

rm -rf "$work" && mkdir -p "$work"
(cd "$source/python" && "$python" -c "from scikit_build_core.build import build_sdist; build_sdist('$work')")
cd "$work"
# A folder of the same name in each run, unlike pip's own, so that ccache knows the objects.
mkdir sources && tar -xzf farpoint-*.tar.gz -C sources --strip-components 1
FARPOINT_CUDA=OFF "$python" -m pip wheel --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation \
  --config-settings "build-dir=$work/build" --config-settings "cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" \
  -w "$work" ./sources
"$source/scripts/wheel.py" "$work"/farpoint-*.whl

"$python" -m venv --without-pip "$work/user"
site=$("$work/user/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
numpy=$("$python" -c 'import numpy, pathlib; print(pathlib.Path(numpy.__file__).parents[1])')
cp -r "$numpy"/numpy* "$site/"
"$python" -m pip --python "$work/user/bin/python" install --quiet --disable-pip-version-check --no-index "$work"/farpoint-*.whl
cat > user.py << 'TEXT'
import importlib.metadata
import re
import sys

import farpoint
import numpy as np

assert farpoint.__file__.startswith(sys.prefix), farpoint.__file__
assert not farpoint.has_cuda
about = importlib.metadata.distribution("farpoint")
assert about.version == farpoint.__version__
names = {str(name) for name in about.files}
assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names), names
assert {"farpoint/py.typed", "farpoint/_core.pyi"} <= names and not any("tests" in name or "library" in name for name in names)

# The page that PyPI shows.
(code,) = re.findall(r"```python\n(.*?)```", about.metadata.get_payload(), flags=re.DOTALL)
space = {}
exec(code, space)
points, sample = space["points"], space["sample"]
assert space["picks"].shape == (1024,) and np.array_equal(sample, points[space["picks"]])
for row in (0, 500, 1023):
    squares = ((points - sample[row]) ** 2).sum(1, dtype=np.float64)
    assert set(np.argsort(squares, kind="stable")[:8]) == set(space["indices"][row])
TEXT
env -i PATH=/usr/bin:/bin "$work/user/bin/python" user.py
