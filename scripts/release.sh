#!/usr/bin/env bash
# release.sh [--dry-run]: `./dev release`; usage() describes it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

usage() {
  cat <<'TEXT'
Usage: ./dev release [--dry-run]

Makes the files of a release in build/release, with the version of include/farpoint/core/config.hpp:

  farpoint-VERSION-source.tar.gz   the committed tree
  farpoint-VERSION-site.tar.gz     the site (./dev docs)
  debian/                          Debian packages (./dev packages deb)
  pypi/                            sdists and wheels of farpoint and farpoint-cpu (./dev wheels)
  NOTES.md                         the version's section of CHANGELOG.md
  SHA256SUMS                       for `sha256sum -c SHA256SUMS`

If all are made, it adds the annotated tag vVERSION and prints the commands that upload. It uploads nothing. Missing tools
are an error. It refuses uncommitted changes, and a version without a section in CHANGELOG.md.

  --dry-run   adds no tag; names parts whose tools are missing, and skips them. FARPOINT_CUDA_ARCHITECTURES=90 then compiles
              the wheel for one GPU; a release has all GPUs
TEXT
}

script_name=release
# shellcheck source=scripts/common.sh
. scripts/common.sh
work=$PWD/build/release-logs
# shellcheck source=scripts/outcomes.sh
. scripts/outcomes.sh

dry_run=false
for argument in "$@"; do
  case $argument in
    --dry-run) dry_run=true ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && fail "there is no option \"$argument\"." ;;
  esac
done

$dry_run || [ -z "${FARPOINT_CUDA_ARCHITECTURES:-}" ] || fail "a release has all GPUs: unset FARPOINT_CUDA_ARCHITECTURES."
version=$(python3 -B scripts/versions.py --release) || fail "the version is not ready."
changes=$(git status --porcelain) || fail "this is not a checkout of git."
[ -z "$changes" ] || fail "commit these changes first:
$changes"
tag=v$version
if ! $dry_run && git rev-parse -q --verify "refs/tags/$tag" > /dev/null; then fail "there is a tag $tag already."; fi
out=$PWD/build/release
name=farpoint-$version
rm -rf "$out" "$work"
mkdir -p "$out" "$work"
# Equal dates in every file of a release: archives of two runs are compared by their checksums.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# missing PART TOOLS: a part is skipped in a dry run; otherwise the release fails.
missing() {
  if $dry_run; then
    skip "$1: missing $2"
  else
    printf 'FAIL  %s: missing %s\n' "$1" "$2"
    failures=$((failures + 1))
  fi
}

# has PART "NEEDS" [PROGRAM]: installs what scripts/need.sh knows by these names; false if something is missing, which is named.
has() {
  local log=$work/need_$1.log
  # shellcheck disable=SC2086 # a list
  if ! scripts/need.sh $2 > "$log" 2>&1; then
    missing "$1" "$(sed -n 's/^need: missing //p' "$log" | paste -sd ';' | grep . || echo "tools: $log has the reason")"
  elif [ -n "${3:-}" ] && [ ! -x "$3" ]; then
    missing "$1" "$3, which PyPI has"
  else
    return 0
  fi
  return 1
}

make_source() { git archive --format=tar --prefix="$name/" HEAD | gzip -n > "$out/$name-source.tar.gz"; }

make_site() {
  ./dev docs && grep -qF "farpoint $version" build/docs/html/docs/index.html &&
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C build/docs/html \
      --transform "s|^\.|$name-site|" -cf - . | gzip -n > "$out/$name-site.tar.gz"
}

make_debian() { ./dev packages deb && mkdir "$out/debian" && cp build/package/*.deb "$out/debian/"; }

# make_pypi PACKAGE...
make_pypi() { ./dev wheels --output "$out/pypi" "$@"; }

# Every file of the release except its notes has the version in its name.
check_names() {
  ! find "$out" -type f ! -name NOTES.md ! -name "*[-_]${version}[-_.]*" -print | grep .
}

try "source of $name" make_source
if has site docs build/site/bin/sphinx-build; then try "site of $name" make_site; fi
if have_nvcc || $dry_run; then
  if has debian "build packages docs" build/site/bin/sphinx-build; then try "Debian packages of $name" make_debian; fi
  if has pypi wheels build/wheel_tools/bin/twine; then
    try "sdist and wheel of farpoint-cpu" make_pypi farpoint-cpu
    try "sdist and wheel of farpoint" make_pypi farpoint
  fi
fi
have_nvcc || missing "GPU half of the library, wheel of farpoint" nvcc
try "version $version in the names of all files" check_names
awk -v heading="## [$version]" 'index($0, "## [") == 1 { inside = index($0, heading) == 1; next } inside' CHANGELOG.md > "$out/NOTES.md"
(cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum) > "$work/SHA256SUMS"
mv "$work/SHA256SUMS" "$out/"
conclude || exit 1
say
cat "$out/SHA256SUMS"
if $dry_run; then
  say "$out has the files of $name; no tag was added (--dry-run)."
  exit
fi
git tag -a "$tag" -m "$name" || fail "git could not add the tag $tag."
cat << TEXT
$out has the files of $name, and this checkout the tag $tag. Nothing was uploaded. To upload:

  git push origin $tag
  gh release create $tag --title "$name" --notes-file build/release/NOTES.md build/release/*.tar.gz build/release/debian/*.deb build/release/SHA256SUMS
  build/wheel_tools/bin/twine upload build/release/pypi/*
TEXT
