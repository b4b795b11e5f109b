#!/usr/bin/env bash
# From a fresh clone to decided issues in one command. See --help.
set -uo pipefail

usage() {
  cat <<'USAGE'
Usage: deploy/quickstart.sh [--stop] [--help]

Installs what is missing, builds yardmasterd and yard, starts yardmasterd on loopback in dry-run (it writes to no forge),
triages the sample issues of deploy/quickstart/issues.jsonl through it and prints each decision with its reasons. The
daemon keeps running. Run again, it builds what changed and starts the daemon anew; nothing else is left behind.

  --stop   ends the daemon that an earlier run started
  --help   this text

Everything it writes lies in build/: the programs in build/release/bin, logs and data in build/quickstart.
It listens on 127.0.0.1:8080 (HTTP) and 127.0.0.1:9090 (gRPC) where these ports are free, else on others, which it prints.

Exit: 0 done, 1 something failed (it says what, why, and where the log is), 2 wrong option.
USAGE
}

stop_only=false
for option in "$@"; do
  case "$option" in
    --stop) stop_only=true ;;
    --help | -h) usage; exit 0 ;;
    *) echo "quickstart: unknown option '$option'; see --help" >&2; exit 2 ;;
  esac
done
# Nothing here asks questions; without a terminal sudo sees that nobody can answer.
[ -t 0 ] || exec </dev/null

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P) || exit 1
cd "$root" || exit 1
bin=$root/build/release/bin
state=build/quickstart
pack=pytorch-distributed

step() { printf '\n== %s\n' "$*"; }
# fail WHAT LOG: names what failed and shows the end of its log.
fail() {
  printf '\nquickstart: %s. The end of the log %s:\n' "$1" "$2" >&2
  tail -n 25 "$2" | sed 's/^/  | /' >&2
  exit 1
}

# The pid of the daemon that an earlier run started, if it still runs; nothing else is ever signalled.
running_pid() {
  local pid exe
  pid=$(cat "$state/pid" 2>/dev/null) || return 1
  [[ $pid =~ ^[0-9]+$ ]] || return 1
  # After a new build the running program's file is a deleted one.
  exe=$(readlink "/proc/$pid/exe" 2>/dev/null) || return 1
  [ "${exe% (deleted)}" = "$bin/yardmasterd" ] && echo "$pid"
}

stop_daemon() {
  local pid tenths
  pid=$(running_pid) || { rm -f "$state/pid"; return 1; }
  kill -TERM "$pid" 2>/dev/null
  for ((tenths = 0; tenths < 150; tenths++)); do
    running_pid >/dev/null || break
    sleep 0.1
  done
  if running_pid >/dev/null; then
    echo "quickstart: yardmasterd ($pid) did not end within 15 s of SIGTERM; killing it" >&2
    kill -KILL "$pid"
  fi
  rm -f "$state/pid" "$state/ready.json"
}

if $stop_only; then
  if stop_daemon; then echo "Stopped."; else echo "Nothing to stop."; fi
  exit 0
fi

mkdir -p "$state" || exit 1
exec 8>"$state/.lock"
if command -v flock >/dev/null && ! flock -n 8; then
  echo "quickstart: another quickstart runs in this folder" >&2
  exit 1
fi

step "Installing what is missing (log: $state/install.log)"
deploy/install-deps.sh 8>&- >"$state/install.log" 2>&1 || fail "installing packages failed" "$state/install.log"

step "Building yardmasterd and yard (some minutes the first time; log: $state/build.log)"
{
  # Tests are configured only where their libraries are there; tests/run.sh turns them on again.
  tests=ON
  deploy/install-deps.sh --with-tests --check >/dev/null || tests=OFF
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root}
  if command -v ccache >/dev/null && ! ccache -s >/dev/null 2>&1; then export CCACHE_DISABLE=1; fi
  cmake --preset release -DYARDMASTER_BUILD_TESTS=$tests -DYARDMASTER_BUILD_BENCH=$tests &&
    cmake --build --preset release --parallel "$(nproc)" --target yardmasterd yard
} 8>&- >"$state/build.log" 2>&1 || fail "the build failed" "$state/build.log"

# A port is free if nobody answers on it.
port_or_any() { if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then echo 0; else echo "$1"; fi; }

# start HTTP-PORT GRPC-PORT: returns once the daemon is ready, or has ended, or took too long.
start() {
  local tenths pid
  rm -f "$state/ready.json"
  (
    # The daemon outlives this script: it must keep neither its lock nor any other open file of whoever called it (a pipe that somebody
    # reads to its end, a lock that somebody waits for), nor its terminal.
    for descriptor in /proc/self/fd/*; do
      descriptor=${descriptor##*/}
      [ "$descriptor" -le 2 ] || eval "exec $descriptor>&-"
    done
    exec setsid "$bin/yardmasterd" --data-dir "$state/data" --listen-http "127.0.0.1:$1" --listen-grpc "127.0.0.1:$2" \
      --mode dry-run --ready-file "$state/ready.json"
  ) >"$state/yardmasterd.log" 2>&1 </dev/null &
  pid=$!
  disown
  echo "$pid" >"$state/pid"
  for ((tenths = 0; tenths < 150; tenths++)); do
    [ -s "$state/ready.json" ] && return 0
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  stop_daemon
  return 1
}

step "Starting yardmasterd (log: $state/yardmasterd.log)"
stop_daemon && echo "Stopped the one of the last run."
if ! start "$(port_or_any 8080)" "$(port_or_any 9090)" && ! start 0 0; then
  fail "yardmasterd did not become ready within 15 s" "$state/yardmasterd.log"
fi

# {"pid": 1, "http": "127.0.0.1:8080", "grpc": "127.0.0.1:9090"}
http=$(tr -d '\n' <"$state/ready.json" | sed -n 's/.*"http" *: *"\([^"]*\)".*/\1/p')
grpc=$(tr -d '\n' <"$state/ready.json" | sed -n 's/.*"grpc" *: *"\([^"]*\)".*/\1/p')
if [ -z "$http" ] || [ -z "$grpc" ]; then
  fail "the ready file does not name the addresses" "$state/ready.json"
fi
echo "Ready: HTTP on $http, gRPC on $grpc, pid $(cat "$state/pid")"

step "Triaging the sample issues under the pack $pack"
rm -rf "$state/issues" && mkdir "$state/issues" || exit 1
number=0
while IFS= read -r line; do
  [ -n "$line" ] || continue
  number=$((number + 1))
  printf '%s\n' "$line" >"$state/issues/$number.json"
  printf '\n----- issue %s of deploy/quickstart/issues.jsonl\n' "$number"
  if ! "$bin/yard" --server "$grpc" triage issue "$state/issues/$number.json" --pack "$pack" 2>"$state/triage.log"; then
    fail "triaging $state/issues/$number.json failed" "$state/triage.log"
  fi
done <deploy/quickstart/issues.jsonl

# Without --server, yard talks to 127.0.0.1:9090.
server=
[ "$grpc" = 127.0.0.1:9090 ] || server="--server $grpc "
yard=build/release/bin/yard
cat <<END

== $number issues decided; nothing was written to any forge. yardmasterd is still running.

  A decision again          $yard ${server}explain DECISION          (the id is printed with each decision)
  An issue of your own      $yard ${server}triage issue FILE --pack $pack
                            FILE: {"number": 1, "title": "…", "body": "…"}
  The rules                 $yard rules list    and    $yard rules show ID
  Metrics                   curl http://$http/metrics
  Its log                   tail -f $state/yardmasterd.log
  To stop it                ./deploy/quickstart.sh --stop
END
