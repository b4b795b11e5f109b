#!/usr/bin/env bash
# Holds the systemd units to their word. See --help.
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" || exit 1

usage() {
  cat <<'USAGE'
Usage: tests/packaging/systemd.sh [--help]

Checks the units of deploy/systemd: systemd knows every line of them. Of yardmasterd.service systemd's own count of what
the service could do stays low, and the daemon, installed from build/release, really works under the filters that a program can trip over:
no memory that is writable and executable, a list of system calls, a list of address families. No systemd has to run:
the filters are made here as systemd makes them. Needs deploy/install-deps.sh --with-packaging.

Exit: 0 passed, 1 failed, 2 wrong option, 77 can't run here.
USAGE
}
only_help "$@"
cd "$root" || exit 1
need systemd-analyze python3
unit=deploy/systemd/yardmasterd.service

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# Another user will run these programs.
chmod 0755 "$scratch"
cmake --install build/release --prefix "$scratch/prefix" >"$scratch/install.log" || { tail "$scratch/install.log"; fail "cmake --install"; }

step "every line is known"
for name in yardmasterd yard-worker; do
  # The program has to be where the unit says. What systemd finds odd it prints, and exits with 0.
  sed "s,/usr/local/bin/,$scratch/prefix/bin/," "deploy/systemd/$name.service" >"$scratch/$name.service" || exit 1
  output=$(systemd-analyze verify --man=no "$scratch/$name.service" 2>&1)
  code=$?
  output=$(grep -F "$name.service" <<<"$output")
  if [ $code -ne 0 ] || [ -n "$output" ]; then fail "systemd-analyze verify: $code $output"; fi
done

step "what the service could do"
# 0 is nothing at all, 100 everything; the threshold counts tenths.
systemd-analyze security --offline=true --no-pager --threshold=15 "$unit" >"$scratch/security" 2>&1
code=$?
tail -1 "$scratch/security"
[ $code -eq 0 ] || { grep '^✗' "$scratch/security"; fail "the exposure is above 1.5"; }

step "the daemon under the unit's filters"
python3 tests/packaging/confined.py "$unit" "$scratch/prefix" || fail "the daemon under the unit's filters"
