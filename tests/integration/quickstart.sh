#!/usr/bin/env bash
# deploy/quickstart.sh from outside, with the programs that lie in build/release/bin: what becomes of the eight issues on
# a good and on a bad day, what it leaves behind, and what it says when it can't. Usage: tests/integration/quickstart.sh
set -uo pipefail
exec </dev/null

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P) || exit 1
cd "$root" || exit 1
scratch=$(mktemp -d) || exit 1
state=$scratch/state
quickstart=(deploy/quickstart.sh --no-build --state "$state")
trap '"${quickstart[@]}" --stop >/dev/null 2>&1; rm -rf "$scratch"' EXIT

bad=0
# check WHAT COMMAND…
check() {
  local what=$1
  shift
  if "$@"; then
    echo "ok      $what"
  else
    echo "FAILED  $what"
    bad=1
  fi
}
# run NAME EXPECTED-CODE OPTION…: output in $scratch/NAME.
run() {
  local name=$1 expected=$2 code
  shift 2
  "${quickstart[@]}" "$@" >"$scratch/$name" 2>&1
  code=$?
  check "$name: exits with $expected" [ $code -eq "$expected" ]
  [ $code -eq "$expected" ] || sed 's/^/        | /' "$scratch/$name"
}
pid_of() { cat "$state/$1.pid"; }
# How many programs of this state folder run. The pattern is in a file, so that it does not find itself.
printf '%s/yard' "$state" >"$scratch/pattern"
running() { grep -laF -f "$scratch/pattern" /proc/[0-9]*/cmdline 2>/dev/null | wc -l; }
as_expected() { diff -u tests/data/quickstart_outcomes.tsv "$state/outcomes.tsv"; }
has() { grep -qF -- "$2" "$scratch/$1"; }

# A good day.
run first 0 --chat
check "first: labels and comments of all eight issues" as_expected
check "first: two programs run" [ "$(running)" = 2 ]
for word in 'delivery  ' 'decision  ' 'why  ' 'labels  ' 'comment   by yardbot' 'ledger    #' '8 of 8' \
  'yardmaster_effects_pending 0' 'gitcode:octo/hyper-parallel#' 'explain github:' 'passed  yardmaster/kernels' \
  'suite/report.html' '--stop' 'yardmaster/review: failure' 'yardmaster/review: success' 'at line   custom/demo/demo_impl.py:' \
  'yardmaster/test/demo/units: pending' 'yardmaster/test/demo/units: success, passed: 1 tests' \
  'U-MARIA in C-ISSUES: /why #1' 'this channel is for reading' 'nothing is done yet' 'U-ADA presses [ Confirm ]' 'commits into one' ', 1 now'; do
  check "first: prints '$word'" has first "$word"
done
check "the order in the text changed nothing" grep -qP '^github:octo/framework#5\tdone\t(?!.*(high priority|ciflow|nccl|merge))' "$state/outcomes.tsv"
for file in result.json junit.xml report.html; do
  check "the suite left $file" [ -s "$state/suite/$file" ]
done
check "what might be high priority got no marker" grep -qP '^github:octo/framework#4\tdone\t(?!.*ptd-bot-triaged)' "$state/outcomes.tsv"

# Secrets: in files for the owner only, in no argument list, in no output.
secrets=("$state"/*.secret "$state"/*.token)
check "five secrets" [ ${#secrets[@]} -eq 5 ]
for file in "${secrets[@]}"; do
  check "${file##*/}: mode 600" [ "$(stat -c %a "$file")" = 600 ]
  for where in "$scratch/first" "$state"/*.log "/proc/$(pid_of yardmasterd)/cmdline" "/proc/$(pid_of yard-fakeforge)/cmdline"; do
    check "${file##*/}: not in ${where#"$scratch"/}" bash -c '! grep -qaF -f "$1" "$2"' _ "$file" "$where"
  done
done

# Again, on a bad day: the same outcomes, and nothing is left of the last run.
before=$(pid_of yardmasterd)
run second 0 --faults error_before=5,error_after=5,reset_after=5,late=5,wrong_types=10,webhook_duplicate=20,webhook_drop=20 --seed 3
check "second: the same labels and comments" as_expected
check "second: something went wrong on purpose" has second 'went wrong on purpose'
check "second: two programs run" [ "$(running)" = 2 ]
check "second: the first daemon is gone" bash -c '! kill -0 "$1" 2>/dev/null' _ "$before"

# A port that somebody has.
taken=$(sed -n 's/.*"http": "127.0.0.1:\([0-9]*\)".*/\1/p' "$state/config.json" | head -1)
run taken 1 --state "$scratch/other" --http-port "$taken"
check "taken: the port is named" has taken "port $taken"
run option 2 --nonsense
run faults 1 --state "$scratch/other" --faults nonsense=1
check "faults: the log is named" has faults yard-fakeforge.log
check "faults: the reason is shown" has faults '"nonsense=1" is not NAME=PERCENT'
check "two programs run, as before" [ "$(running)" = 2 ]

run stop 0 --stop
check "nothing runs any more" [ "$(running)" = 0 ]
run stop-again 0 --stop
check "there was nothing to stop" has stop-again 'Nothing to stop.'
exit $bad
