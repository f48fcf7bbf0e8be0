#!/usr/bin/env bash
# fuzz_corpus.sh TARGET FILE...: adds inputs to the corpus of a fuzzer, tests/fuzz/corpus/TARGET.tar.gz. An input is named
# by its SHA-1 sum, as libFuzzer names them, and the archive depends on its inputs only.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[ $# -ge 2 ] || {
  echo "usage: fuzz_corpus.sh TARGET FILE..." >&2
  exit 2
}
archive=$here/tests/fuzz/corpus/$1.tar.gz
[ -f "$archive" ] || {
  echo "fuzz_corpus.sh: $archive: no such file" >&2
  exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -xzf "$archive" -C "$folder"
for file in "${@:2}"; do cp -- "$file" "$folder/$(sha1sum < "$file" | cut -d' ' -f1)"; done
(cd "$folder" && printf '%s\0' *) | tar -C "$folder" --null -T - --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644 -cf - |
  gzip -9n > "$archive.new"
mv "$archive.new" "$archive"
