#!/usr/bin/env bash
# Formats the sources, or with --check fails if that would change any. Versions of clang-format disagree, so it is always
# 14: the distribution's, or the wheel that PyPI has. Exit code 77: there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

is_14() { "$1" --version 2> /dev/null | grep -q 'version 14\.'; }

formatter=
wheel=build/clang-format
for candidate in clang-format-14 clang-format "$wheel/bin/clang-format"; do
  if command -v "$candidate" > /dev/null && is_14 "$candidate"; then
    formatter=$candidate
    break
  fi
done
if [ -z "$formatter" ]; then
  if python3 -m pip install -q --disable-pip-version-check --target "$wheel" clang-format==14.0.6 &&
    is_14 "$wheel/bin/clang-format"; then
    formatter=$wheel/bin/clang-format
  else
    echo "SKIPPED: formatting was not checked: there is no clang-format 14, and PyPI's could not be installed."
    exit 77
  fi
fi

arguments=(-i)
if [ "${1:-}" = --check ]; then arguments=(--dry-run --Werror); fi
find include src python tests bench examples tools \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cuh' -o -name '*.cu' -o -name '*.inc' \) \
  -print0 | xargs -0 "$formatter" --style=file "${arguments[@]}"
