#!/usr/bin/env bash
# Formats the sources, or with --check fails if that would change any. Versions of clang-format disagree, so it is always
# 14: the distribution's, or the wheel that PyPI has. Exit code 77: there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck source=scripts/common.sh
. scripts/common.sh

wheel=build/clang_format/bin/clang-format
formatter=
find_formatter() {
  for formatter in clang-format-14 clang-format "$wheel"; do
    if is_14 "$formatter"; then return; fi
  done
  return 1
}
if ! find_formatter; then
  if ! scripts/need.sh format || ! find_formatter; then
    echo "SKIPPED: formatting was not checked: there is no clang-format 14, and PyPI's could not be installed."
    exit 77
  fi
fi

arguments=(-i)
if [ "${1:-}" = --check ]; then arguments=(--dry-run --Werror); fi
find include src python tests bench examples tools \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cuh' -o -name '*.cu' -o -name '*.inc' \) \
  -print0 | xargs -0 -n 32 -P "$(nproc)" "$formatter" --style=file "${arguments[@]}"
