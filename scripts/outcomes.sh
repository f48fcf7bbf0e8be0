# Sourced by scripts that try one thing after another, in the folder $work: says how each went, and all of them.
# shellcheck shell=bash disable=SC2154
failures=0
skips=()

pass() { printf 'PASS  %s\n' "$*"; }
skip() {
  printf 'SKIP  %s\n' "$*"
  skips+=("$*")
}
# outcome CODE WHAT LOG
outcome() {
  if [ "$1" = 0 ]; then
    pass "$2"
  else
    printf 'FAIL  %s\n' "$2"
    # The first error of a compiler, and the last word of a program.
    if [ "$(wc -l < "$3")" -le 60 ]; then
      cat "$3"
    else
      head -n 30 "$3" && echo ... && tail -n 30 "$3"
    fi
    failures=$((failures + 1))
  fi
}
# try WHAT COMMAND...
try() {
  local log code=0
  log=$work/$(printf '%s' "$1" | tr -c 'A-Za-z0-9.\n' '_').log
  "${@:2}" > "$log" 2>&1 || code=$?
  outcome "$code" "$1" "$log"
}
# The last line of a script: fails if anything did.
conclude() {
  local reason
  printf '\n%d failed\n' "$failures"
  for reason in "${skips[@]+"${skips[@]}"}"; do printf 'SKIPPED: %s\n' "$reason"; done
  [ "$failures" = 0 ]
}
