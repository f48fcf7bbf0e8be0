#!/usr/bin/env bash
# `./dev docs`, whole: a warning of Doxygen or Sphinx, such as a dead link, fails. Exit code 77: Doxygen or Sphinx is missing,
# and cannot be installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! scripts/need.sh docs || ! command -v doxygen > /dev/null || ! build/site/bin/python -c 'import breathe, furo' 2> /dev/null; then
  echo "SKIPPED: the site was not made: there is no doxygen or no Sphinx, and scripts/need.sh could not install it."
  exit 77
fi
(cd tests/docs && FARPOINT_SPHINX=$OLDPWD/build/site/bin/sphinx-build python3 -B -m unittest test_site)
exec ./dev docs
