# Sourced by tests of scripts: a folder of their own, $work, and programs in it that only look like the real ones.
# shellcheck shell=bash
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fake FILE LINE...: a program made of these lines.
fake() {
  mkdir -p "$(dirname "$1")"
  printf '%s\n' '#!/usr/bin/env bash' "${@:2}" > "$1"
  chmod +x "$1"
}
# without_cuda COMMON: this copy of common.sh does not find the nvcc of this machine.
without_cuda() { sed -i 's|/usr/local/cuda/bin|/nowhere|g' "$1"; }
