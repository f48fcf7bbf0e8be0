#!/usr/bin/env bash
# scripts/release.sh: what it refuses, skips, collects and tags. A fake `dev` makes empty packages; nothing is built.
#   test_release.sh SCRIPTS     (the folder that has release.sh)
set -uo pipefail
scripts=$(cd "$1" && pwd)
# shellcheck source=tests/scripts/fakes.sh
. "$(dirname "${BASH_SOURCE[0]}")/fakes.sh"
tree=$work/tree
mkdir -p "$tree/scripts" "$tree/include/farpoint/core"
cp "$scripts"/{release,common,outcomes}.sh "$scripts/versions.py" "$tree/scripts/"
without_cuda "$tree/scripts/common.sh"
printf '#define FARPOINT_VERSION_%s\n' 'MAJOR 3' 'MINOR 4' 'PATCH 5' > "$tree/include/farpoint/core/config.hpp"
printf '%s\n' '# Changelog' '' '## [3.4.5] - 2026-12-01' '' 'Faster.' '' '## [3.4.4] - 2026-11-01' '' 'Older.' > "$tree/CHANGELOG.md"
printf 'version: 3.4.5\ndate-released: 2026-12-01\n' > "$tree/CITATION.cff"
echo /build/ > "$tree/.gitignore"
# need.sh fails for the words in $ABSENT, as with --no-install.
# shellcheck disable=SC2016 # expanded by the fakes
fake "$tree/scripts/need.sh" 'for what in "$@"; do case " ${ABSENT:-} " in *" $what "*)' \
  'echo "need: missing from the distribution: tool-of-$what" >&2; exit 1 ;; esac; done'
# shellcheck disable=SC2016
fake "$tree/dev" 'case $1 in' \
  'docs) mkdir -p build/docs/html/docs && echo "farpoint 3.4.5" > build/docs/html/docs/index.html ;;' \
  'packages) mkdir -p build/package && touch build/package/farpoint-dev_3.4.5_all.deb ;;' \
  'wheels) mkdir -p "$3" && touch "$3/${4//-/_}-${WHEEL:-3.4.5}-cp312-abi3-x.whl" ;;' 'esac'
# shellcheck disable=SC2016
fake "$work/bin/nvcc" 'exit ${NVCC:-0}'
unset FARPOINT_CUDA_ARCHITECTURES
export PATH=$work/bin:$PATH GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q "$tree" && git -C "$tree" add . && git -C "$tree" commit -q -m first || exit 1
fake "$tree/build/site/bin/sphinx-build" 'exit 0'
fake "$tree/build/wheel_tools/bin/twine" 'exit 0'

failures=0
# expect CODE WORDS [ARGUMENT...]: the words are somewhere in the output.
expect() {
  "$tree/scripts/release.sh" "${@:3}" > "$work/output" 2>&1
  local code=$?
  [ "$code" = "$1" ] && grep -qF -- "$2" "$work/output" && return
  printf 'test_release.sh: %s: exit code %s, not %s with "%s"\n' "${*:3}" "$code" "$1" "$2"
  cat "$work/output"
  failures=$((failures + 1))
}
# check WHAT COMMAND...
check() {
  "${@:2}" > "$work/check" 2>&1 && return
  printf 'test_release.sh: not so: %s\n' "$1"
  cat "$work/check" "$work/output"
  failures=$((failures + 1))
}
tags() { git -C "$tree" for-each-ref --format='%(objecttype) %(refname)' refs/tags; }
files() { (cd "$tree/build/release" && find . -type f | LC_ALL=C sort | paste -sd ' '); }
all="./NOTES.md ./SHA256SUMS ./debian/farpoint-dev_3.4.5_all.deb ./farpoint-3.4.5-site.tar.gz ./farpoint-3.4.5-source.tar.gz"
all+=" ./pypi/farpoint-3.4.5-cp312-abi3-x.whl ./pypi/farpoint_cpu-3.4.5-cp312-abi3-x.whl"

expect 0 'Usage: ./dev release' --help
expect 1 'there is no option "--wet"' --wet
expect 0 'no tag was added' --dry-run
check "all files" test "$(files)" = "$all"
check "checksums" env -C "$tree/build/release" sha256sum -c SHA256SUMS
check "notes of this version alone" test "$(paste -sd ' ' "$tree/build/release/NOTES.md")" = ' Faster. '
check "no tag after a dry run" test -z "$(tags)"
sums=$(cat "$tree/build/release/SHA256SUMS")
expect 0 'no tag was added' --dry-run
check "equal checksums of a second run" test "$(cat "$tree/build/release/SHA256SUMS")" = "$sums"

# Missing tools are named: skipped in a dry run, otherwise an error.
export ABSENT=docs
expect 0 'SKIPPED: site: missing from the distribution: tool-of-docs' --dry-run
expect 0 'SKIPPED: debian: missing from the distribution: tool-of-docs' --dry-run
expect 1 'FAIL  site: missing from the distribution: tool-of-docs'
unset ABSENT
mv "$tree/build/wheel_tools" "$work/"
expect 0 'SKIPPED: pypi: missing build/wheel_tools/bin/twine' --dry-run
mv "$work/wheel_tools" "$tree/build/"
NVCC=1 expect 0 'SKIPPED: GPU half of the library, wheel of farpoint: missing nvcc' --dry-run
NVCC=1 expect 1 'FAIL  GPU half of the library, wheel of farpoint: missing nvcc'
FARPOINT_CUDA_ARCHITECTURES=90 expect 1 'a release has all GPUs'
FARPOINT_CUDA_ARCHITECTURES=90 expect 0 'no tag was added' --dry-run
WHEEL=3.4.4 expect 1 'farpoint_cpu-3.4.4-cp312-abi3-x.whl' --dry-run
check "no tag after a failure" test -z "$(tags)"

# Trees that are not ready.
touch "$tree/new"
expect 1 'commit these changes first' --dry-run
rm "$tree/new"
sed -i 's/PATCH 5/PATCH 6/' "$tree/include/farpoint/core/config.hpp"
expect 1 'CHANGELOG.md has no section "## [3.4.6] - YYYY-MM-DD"' --dry-run
git -C "$tree" checkout -q .

# The release: an annotated tag, no upload (there is no remote), and no second release of a version.
expect 0 'git push origin v3.4.5'
check "an annotated tag" test "$(tags)" = 'tag refs/tags/v3.4.5'
check "all files of a release" test "$(files)" = "$all"
expect 1 'there is a tag v3.4.5 already'
expect 0 'no tag was added' --dry-run
[ "$failures" = 0 ]
