#!/usr/bin/env bash
# install.sh BUILD: installs the build folder BUILD to a place of its own and looks whether the programs are at home there.
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" || exit 1
build=${1:?usage: install.sh BUILD}
build=$(cd "$build" && pwd -P) || exit 1
scratch=$(mktemp -d) || exit 1
daemon=
trap '[ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null; rm -rf "$scratch"' EXIT
scratch=$(cd "$scratch" && pwd -P) || exit 1
prefix=$scratch/prefix
unset YARD_PACKS YARD_SERVER YARD_TOKEN

cmake --install "$build" --prefix "$prefix" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "cmake --install"; }
cd / || exit 1
[ "$(LC_ALL=C ls "$prefix/bin")" = "$(printf 'yard\nyard-worker\nyardmasterd')" ] || fail "in bin: $(ls "$prefix/bin")"
[ "$(ls "$prefix")" = "$(printf 'bin\nshare')" ] || fail "in the prefix: $(ls "$prefix")"
diff -r "$root/rules/packs" "$prefix/share/yardmaster/packs" || fail "other packs than rules/packs"
diff -r -x __pycache__ "$root/tests/suites" "$prefix/share/yardmaster/suites" || fail "other suites than tests/suites"

# A pack that only the installed folder has shows which folder is read.
cp -r "$root/tests/support/packs/." "$prefix/share/yardmaster/packs" || exit 1
"$prefix/bin/yard" rules test --all >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "yard rules test"; }
pack=$(basename "$(find "$root/tests/support/packs" -mindepth 1 -maxdepth 1 -type d | head -1)")
"$prefix/bin/yard" rules list --json | grep -qF "\"$pack\"" || fail "yard does not read the installed packs"

"$prefix/bin/yardmasterd" --listen-http 127.0.0.1:0 --listen-grpc 127.0.0.1:0 --log-format json --ready-file "$scratch/ready.json" \
  >"$scratch/log" 2>&1 &
daemon=$!
for ((tenths = 0; tenths < 200; tenths++)); do
  [ ! -s "$scratch/ready.json" ] || break
  sleep 0.1
done
server=$(sed -n 's/.*"grpc" *: *"\([^"]*\)".*/\1/p' "$scratch/ready.json")
grep -qF "\"packs_dir\":\"$prefix/share/yardmaster/packs\"" "$scratch/log" || { cat "$scratch/log"; fail "yardmasterd does not read the installed packs"; }
"$prefix/bin/yard" --server "$server" health || fail "yard health"
kill -TERM "$daemon"
wait "$daemon"
code=$?
daemon=
[ $code -eq 0 ] || fail "SIGTERM ended the daemon with $code"
