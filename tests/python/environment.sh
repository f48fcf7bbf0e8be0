# Sourced with $source, the checkout. Sets python: the one in build/python, where scripts/need.sh puts packages, or the
# machine's. Ends with exit code 77 where python cannot build an extension.
# shellcheck shell=bash disable=SC2154
python=$source/build/python/bin/python
[ -x "$python" ] || python=python3

missing=$("$python" - << 'TEXT'
import importlib.util
names = ["numpy", "nanobind", "scikit_build_core", "pip", "pytest", "hypothesis"]
print(" ".join(name for name in names if importlib.util.find_spec(name) is None))
TEXT
)
if [ -n "$missing" ]; then
  echo "SKIPPED: the Python package was not built: $python has no $missing. scripts/need.sh python installs them from PyPI."
  exit 77
fi
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
if [ ! -e "$headers/Python.h" ]; then
  echo "SKIPPED: the Python package was not built: there is no $headers/Python.h (python3-dev)."
  exit 77
fi
