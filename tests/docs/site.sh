#!/usr/bin/env bash
# `./dev docs`, whole: warnings of Doxygen and dead links of the site fail. Exit code 77: there is no Doxygen, and none can
# be installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! scripts/need.sh docs || ! command -v doxygen > /dev/null; then
  echo "SKIPPED: the site was not made: there is no doxygen, and scripts/need.sh could not install it."
  exit 77
fi
exec ./dev docs
