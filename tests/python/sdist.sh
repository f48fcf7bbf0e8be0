#!/usr/bin/env bash
# sdist.sh SOURCE BUILD: test_sdist.py, with the Python that has what the package is built with. Needs no network.
set -euo pipefail
source=$1
# shellcheck source=tests/python/environment.sh
. "$source/tests/python/environment.sh"
WORK=$2/sdist exec "$python" -B "$source/tests/python/test_sdist.py"
