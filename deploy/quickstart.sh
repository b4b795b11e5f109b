#!/usr/bin/env bash
# From a fresh clone to issues that a bot has sorted, in one command. See --help.
set -uo pipefail

usage() {
  cat <<'USAGE'
Usage: deploy/quickstart.sh [OPTIONS]
       deploy/quickstart.sh --stop

Installs what is missing, builds yardmasterd, yard, yard-worker and yard-fakeforge, and starts two programs on loopback: yard-fakeforge, which
simulates GitHub and GitCode, and yardmasterd in apply mode. No real forge is called. Then it

  1. opens the eight issues of deploy/quickstart/issues.jsonl on that forge, waits until the signed webhooks have been processed, and prints for
     each issue the delivery, the decision with its reasons, and the result on the forge;
  2. opens a pull request in a git repository of the forge, shows its review, fixes it by a push, and tests it with `/test` in a comment;
  3. with --chat, lets people talk to the bot on a simulated Slack: a question, `/why`, a write that is refused, and one that a button confirms;
  4. lets the daemon's own worker build the suite `kernels` and test it on this machine's processor, and prints the outcome and the place of the
     report.

Both programs keep running. A second call builds what has changed and restarts both, with new data.

  --stop                  ends the programs of an earlier run
  --faults NAME=PERCENT,… faults of the forge (yard-fakeforge --help has the names); with "limited" this takes minutes, because
                          the daemon waits when a forge reports too many requests
  --seed N                seed of the faults: the same seed and the same calls give the same faults (default 1)
  --http-port N           where yardmasterd receives webhooks; the defaults of these three are 8080, 9090 and 8090, or the next
  --grpc-port N           free ports
  --forge-port N
  --state DIR             where configuration, secrets, data and logs lie (default build/quickstart)
  --chat                  plays a conversation in chat, too
  --no-build              neither installs nor builds: uses the programs in build/release/bin
  --help                  this text

Every run makes new secrets, in files of mode 600 in the state folder, and never prints them.

Exit: 0 done; 1 something failed (it says what, why, and where the log is), or the result on the forge differs from the
decision; 2 wrong option.

Examples:
  deploy/quickstart.sh
  deploy/quickstart.sh --chat
  deploy/quickstart.sh --faults late=10,error_after=10,webhook_duplicate=20 --seed 11
USAGE
}

# --- options ----------------------------------------------------------------------------------------------------------

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P) || exit 1
bin=$root/build/release/bin
state=$root/build/quickstart
stop_only=false
build=true
faults=
chat=false
seed=1
declare -A port=([http]= [grpc]= [forge]=)

wrong() {
  echo "quickstart: $1; see --help" >&2
  exit 2
}
is_number() { [[ $1 =~ ^[0-9]{1,9}$ ]] || wrong "$2 needs a number, not '$1'"; }
while [ $# -gt 0 ]; do
  case "$1" in
    --stop) stop_only=true ;;
    --no-build) build=false ;;
    --chat) chat=true ;;
    --help | -h) usage; exit 0 ;;
    --faults | --seed | --http-port | --grpc-port | --forge-port | --state)
      [ $# -ge 2 ] && [ -n "$2" ] || wrong "$1 needs a value"
      case "$1" in
        --faults) faults=$2 ;;
        --seed) is_number "$2" "$1"; seed=$2 ;;
        --state) state=$(realpath -m -- "$2") ;;
        *)
          is_number "$2" "$1"
          name=${1#--}
          port[${name%-port}]=$((10#$2))
          [ "${port[${name%-port}]}" -ge 1 ] && [ "${port[${name%-port}]}" -le 65535 ] || wrong "$1: no port is $2"
          ;;
      esac
      shift
      ;;
    *) wrong "unknown option '$1'" ;;
  esac
  shift
done
# Nothing here asks questions; without a terminal sudo sees that nobody can answer.
[ -t 0 ] || exec </dev/null
cd "$root" || exit 1
# As people type it.
shown=${state#"$root/"}

step() { printf '\n== %s\n' "$*"; }
# fail WHAT LOG: names what failed and shows the end of its log.
fail() {
  printf '\nquickstart: %s. The end of the log %s:\n' "$1" "$2" >&2
  tail -n 25 "$2" | sed 's/^/  | /' >&2
  exit 1
}

# --- the two programs -------------------------------------------------------------------------------------------------

# running_pid PROGRAM: its pid, if an earlier run started it and it still runs; nothing else is ever signalled.
running_pid() {
  local pid exe
  pid=$(cat "$state/$1.pid" 2>/dev/null) || return 1
  [[ $pid =~ ^[0-9]+$ ]] || return 1
  # After a new build the running program's file is a deleted one.
  exe=$(readlink "/proc/$pid/exe" 2>/dev/null) || return 1
  [ "${exe% (deleted)}" = "$bin/$1" ] && echo "$pid"
}

# stop PROGRAM: true if it ran.
stop() {
  local pid tenths
  pid=$(running_pid "$1") || { rm -f "$state/$1.pid"; return 1; }
  kill -TERM "$pid" 2>/dev/null
  for ((tenths = 0; tenths < 150; tenths++)); do
    running_pid "$1" >/dev/null || break
    sleep 0.1
  done
  if running_pid "$1" >/dev/null; then
    echo "quickstart: $1 ($pid) did not end within 15 s of SIGTERM; killing it" >&2
    kill -KILL "$pid"
  fi
  rm -f "$state/$1.pid" "$state/$1.ready"
  echo "Stopped $1 ($pid)."
}
# The daemon first: what it still writes finds its forge.
stop_all() {
  local any=1
  stop yardmasterd && any=0
  stop yard-fakeforge && any=0
  return $any
}

# start PROGRAM OPTION…: returns once it is ready; 1 if it ended or took too long.
start() {
  local program=$1 tenths pid
  shift
  rm -f "$state/$program.ready"
  (
    # It outlives this script: it must keep neither its lock nor any other open file of whoever called it (a pipe that
    # somebody reads to its end, a lock that somebody waits for), nor its terminal.
    for descriptor in /proc/self/fd/*; do
      descriptor=${descriptor##*/}
      [ "$descriptor" -le 2 ] || eval "exec $descriptor>&-"
    done
    exec setsid "$bin/$program" "$@" --ready-file "$state/$program.ready"
  ) >"$state/$program.log" 2>&1 </dev/null &
  pid=$!
  disown
  echo "$pid" >"$state/$program.pid"
  for ((tenths = 0; tenths < 150; tenths++)); do
    [ -s "$state/$program.ready" ] && return 0
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  stop "$program" >/dev/null
  return 1
}

if $stop_only; then
  stop_all || echo "Nothing to stop."
  exit 0
fi

# --- install, build ---------------------------------------------------------------------------------------------------

# What is written from here on belongs to whoever runs this, and to nobody else.
mkdir -p "$(dirname "$state")" || exit 1
umask 077
mkdir -p "$state" || exit 1
exec 8>"$state/.lock"
if command -v flock >/dev/null && ! flock -n 8; then
  echo "quickstart: another quickstart works in $shown" >&2
  exit 1
fi

if $build; then
  step "Installing what is missing (log: $shown/install.log)"
  (umask 022 && deploy/install-deps.sh) 8>&- >"$state/install.log" 2>&1 ||
    fail "installing packages failed" "$state/install.log"

  step "Building yardmasterd, yard, yard-worker and yard-fakeforge (some minutes the first time; log: $shown/build.log)"
  {
    # Tests are configured only where their libraries are there; tests/run.sh turns them on again.
    tests=ON
    deploy/install-deps.sh --with-tests --check >/dev/null || tests=OFF
    export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
    if command -v ccache >/dev/null && ! ccache -s >/dev/null 2>&1; then export CCACHE_DISABLE=1; fi
    (
      umask 022
      cmake --preset release -DYARDMASTER_BUILD_FAKEFORGE=ON -DYARDMASTER_BUILD_TESTS=$tests \
        -DYARDMASTER_BUILD_BENCH=$tests &&
        cmake --build --preset release --parallel "$(nproc)" --target yardmasterd yard yard-worker yard-fakeforge
    )
  } 8>&- >"$state/build.log" 2>&1 || fail "the build failed" "$state/build.log"
fi
for program in yardmasterd yard yard-worker yard-fakeforge; do
  [ -x "$bin/$program" ] || { echo "quickstart: $bin/$program is missing: run without --no-build" >&2; exit 1; }
done
# curl is what a build needs, too, and git brings perl.
for tool in curl perl; do
  command -v $tool >/dev/null || { echo "quickstart: $tool is not installed" >&2; exit 1; }
done

# --- secrets, ports, configuration ------------------------------------------------------------------------------------

step "Starting yard-fakeforge and yardmasterd (logs: $shown/yard-fakeforge.log, $shown/yardmasterd.log)"
stop_all
# The forge begins empty, so what the daemon knew of its issues would be wrong.
rm -rf "$state/data" "$state/issues" "$state/results" "$state/outcomes.tsv" "$state/git" "$state/kernels"
mkdir -p "$state/issues" "$state/results" "$state/git/octo" || exit 1
# Made as files; none of them is ever in an argument list, an environment or the output.
rm -f "$state/chat.secret"
names=(github-webhook.secret gitcode-webhook.secret forge.token operator.token)
! $chat || names+=(chat.secret)
for name in "${names[@]}"; do
  rm -f "$state/$name"
  od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' >"$state/$name" || exit 1
done

is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
# choose NAME FIRST: sets address[NAME] to the wished port, or to the first free one from FIRST on.
declare -A address=()
choose() {
  local candidate=${port[$1]}
  if [ -n "$candidate" ]; then
    if ! is_free "$candidate"; then
      echo "quickstart: port $candidate (--$1-port) is in use" >&2
      exit 1
    fi
  else
    for ((candidate = $2; candidate < $2 + 500; candidate++)); do
      case " ${address[*]} ${port[*]} " in *:$candidate\ * | *\ $candidate\ *) continue ;; esac
      is_free "$candidate" && break
    done
  fi
  address[$1]=127.0.0.1:$candidate
}

write_config() {
  local forge talk=
  # Our forge sets no limits, and what it writes late is there after five seconds: the budgets are wider and the looks
  # sooner than the real ones ask for.
  forge='"token": {"file": "forge.token"}, "settle_ms": [1000, 3000, 6000],
               "budget": {"mutations_per_minute": 1000, "spacing_ms": 50, "requests_per_minute": 1000}'
  # In the channel C-ISSUES the bot is asked about octo/framework, in C-KERNELS it may change octo/kernels.
  ! $chat || talk='"chat": {"slack": {"api_url": "http://'${address[forge]}'/chat/slack", "signing_secret": {"file": "chat.secret"}, "bot_token": {"file": "chat.secret"},
    "users": {"U-ADA": {"github": "ada"}, "U-MARIA": {"github": "maria"}},
    "channels": {"C-ISSUES": {"repository": "github:octo/framework", "may": ["read"]}, "C-KERNELS": {"repository": "github:octo/kernels", "may": ["write"]}}}},'
  cat >"$state/config.json" <<JSON
{
  $talk
  "data_dir": "data",
  "listen": {"http": "${address[http]}", "grpc": "${address[grpc]}"},
  "mode": "apply",
  "packs_dir": "packs",
  "forges": {
    "github": {"api_url": "http://${address[forge]}", "git_url": "http://${address[forge]}/git", "webhook_secrets": [{"file": "github-webhook.secret"}], $forge},
    "gitcode": {"api_url": "http://${address[forge]}/api/v5", "webhook_secrets": [{"file": "gitcode-webhook.secret"}], $forge}
  },
  "repositories": [
    {"forge": "github", "repository": "octo/framework", "packs": ["pytorch-distributed"]},
    {"forge": "gitcode", "repository": "octo/hyper-parallel", "packs": ["hyper-parallel"]},
    {"forge": "github", "repository": "octo/kernels", "packs": ["demo"], "review": {"events": true, "gate": "block"}}
  ],
  "tokens": [{"name": "operator", "role": "operator", "secret": {"file": "operator.token"}}],
  "allow_anonymous_loopback": true
}
JSON
  # The packs that are shipped, and one of a project's own.
  rm -rf "$state/packs"
  cp -r "$root/rules/packs" "$state/packs" && cp -r deploy/quickstart/demo "$state/packs/demo"
}

start_both() {
  choose http "$1"
  choose grpc "$2"
  choose forge "$3"
  write_config
  local talks=()
  ! $chat || talks=(--chat-url "http://${address[http]}" --chat-secret-file "$state/chat.secret")
  started=yard-fakeforge
  start yard-fakeforge --listen "${address[forge]}" \
    --webhook-url-github "http://${address[http]}/webhooks/github" --secret-file-github "$state/github-webhook.secret" \
    --webhook-url-gitcode "http://${address[http]}/webhooks/gitcode" --secret-file-gitcode "$state/gitcode-webhook.secret" \
    --token-file "$state/forge.token" --git-root "$state/git" --seed "$seed" ${faults:+--faults "$faults"} "${talks[@]}" || return 1
  started=yardmasterd
  start yardmasterd --config "$state/config.json" --with-worker "$(nproc)" && return 0
  stop yard-fakeforge >/dev/null
  return 1
}
# Between the look at a port and its use somebody else may take it: the second try looks elsewhere.
if ! start_both 8080 9090 8090; then
  address=()
  start_both 18080 19090 18090 || fail "$started did not become ready within 15 s" "$state/$started.log"
fi
echo "yard-fakeforge: http://${address[forge]} (GitHub), http://${address[forge]}/api/v5 (GitCode), pid $(cat "$state/yard-fakeforge.pid")"
echo "yardmasterd: HTTP on ${address[http]}, gRPC on ${address[grpc]}, apply mode, pid $(cat "$state/yardmasterd.pid")"

# --- issues in, answers out -------------------------------------------------------------------------------------------

# forge CALL [FILE]: the fake forge's own side, for tests.
forge() {
  curl --silent --show-error --fail-with-body --noproxy '*' --max-time 30 ${2:+--data-binary "@$2"} \
    "http://${address[forge]}/_fake/$1"
}
yard() { "$bin/yard" --server "${address[grpc]}" "$@"; }
log=$state/run.log
: >"$log"
# Once the forge has had its say and the daemon has nothing left to do.
drain() {
  local tenths
  for ((tenths = 0; tenths < 600; tenths++)); do
    [[ $(forge pending 2>>"$log") =~ \"pending\":0 ]] && break
    sleep 0.1
  done
  yard deliveries drain --timeout 300 >>"$log" 2>&1 ||
    fail "the daemon did not finish within five minutes" "$state/yardmasterd.log"
}
# Everything that the forge has to tell has been told and worked on: on a bad day, what did not arrive is asked for again,
# as people do on a forge's page of deliveries.
echo '{}' >"$state/empty.json"
settle() {
  drain
  [ -n "$faults" ] || return 0
  for _ in 1 2 3 4 5; do
    [[ $(forge redeliver "$state/empty.json" 2>>"$log") =~ \"redelivered\":0 ]] && break
    drain
  done
}

step "Opening the issues of deploy/quickstart/issues.jsonl, and waiting until they are worked on"
number=0
while IFS= read -r line; do
  [ -n "$line" ] || continue
  number=$((number + 1))
  printf '%s\n' "$line" >"$state/issues/$number.json"
  forge issues "$state/issues/$number.json" >"$state/issues/$number.opened" 2>>"$log" ||
    fail "issue $number could not be opened on yard-fakeforge" "$log"
done <deploy/quickstart/issues.jsonl
settle

# What each side has to say, as JSON.
for call in state deliveries calls; do
  forge "$call" >"$state/results/forge-$call.json" 2>>"$log" || fail "yard-fakeforge did not answer" "$log"
done
for ((i = 1; i <= number; i++)); do
  subject=$(perl deploy/quickstart/report.pl --subject "$state" "$i") || fail "issue $i has no name" "$log"
  yard --json explain "$subject" >"$state/results/$i-decision.json" 2>>"$log"
  yard --json deliveries list --subject "$subject" --limit 0 >"$state/results/$i-deliveries.json" 2>>"$log" &&
    yard --json ledger list --subject "$subject" --limit 0 >"$state/results/$i-ledger.json" 2>>"$log" ||
    fail "yard could not ask about $subject" "$log"
done

perl deploy/quickstart/report.pl "$state" "$number"
outcome=$?

# --- a pull request ---------------------------------------------------------------------------------------------------

# Git as nobody in particular, without anybody's configuration.
in_kernels() {
  env -i PATH="$PATH" HOME="$state" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com \
    GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com git -C "$state/kernels" "$@" 8>&-
}
commit_kernels() { in_kernels add -A && in_kernels commit -q -m "$2" && in_kernels push -q -f ../git/octo/kernels.git "HEAD:$1"; }
pull_review() {
  forge state >"$state/results/forge-state.json" 2>>"$log" || fail "yard-fakeforge did not answer" "$log"
  perl deploy/quickstart/report.pl --pull "$state" octo/kernels "$pull" "$1"
}

step "Opening a pull request on octo/kernels, and waiting for its review"
{
  git init -q --bare "$state/git/octo/kernels.git" && git -C "$state/git/octo/kernels.git" symbolic-ref HEAD refs/heads/main &&
    git -C "$state/git/octo/kernels.git" config http.receivepack true &&
    git init -q -b main "$state/kernels" && mkdir -p "$state/kernels/custom/demo" &&
    cp deploy/quickstart/demo_impl.py "$state/kernels/custom/demo/demo_impl.py" && commit_kernels main "A kernel" &&
    in_kernels checkout -q -b faster &&
    printf '\n\n@pypto.frontend.jit\ndef scaled(x, out):\n    return x * 2\n' >>"$state/kernels/custom/demo/demo_impl.py" &&
    commit_kernels faster "A scaled variant"
} >>"$log" 2>&1 || fail "the repository of the pull request could not be made" "$log"
echo '{"forge": "github", "repository": "octo/kernels", "title": "A scaled variant", "body": "", "user": "ada", "head_ref": "faster", "base_ref": "main"}' \
  >"$state/pull.json"
forge pulls "$state/pull.json" >"$state/pull.opened" 2>>"$log" || fail "the pull request could not be opened" "$log"
[[ $(cat "$state/pull.opened") =~ \"number\":([0-9]+) ]] && pull=${BASH_REMATCH[1]}
settle
pull_review opened || outcome=1
echo
echo "The same findings before the push, in the clone:  yard review diff --base main"
YARD_PACKS=$root/rules/packs "$bin/yard" review diff --repo "$state/kernels" --base main --pack pypto --quiet 2>>"$log" | tail -n 1

step "Pushing a fix"
{ in_kernels checkout -q main -- custom/demo/demo_impl.py && printf '\n# Scaled by the caller.\n' >>"$state/kernels/custom/demo/demo_impl.py" &&
  commit_kernels faster "Leave scaling to the caller"; } >>"$log" 2>&1 || fail "the fix could not be pushed" "$log"
printf '{"forge": "github", "repository": "octo/kernels", "number": %s, "pull": true, "user": "ada"}' "$pull" >"$state/push.json"
forge push "$state/push.json" >>"$log" 2>&1 || fail "the forge did not take the push" "$log"
settle
pull_review fixed || outcome=1

step "Testing the pull request: maria comments /test"
printf '{"forge": "github", "repository": "octo/kernels", "permissions": {"maria": "write"}}' >"$state/people.json"
printf '{"forge": "github", "repository": "octo/kernels", "number": %s, "pull": true, "user": "maria", "body": "/test"}' "$pull" >"$state/test.json"
forge repository "$state/people.json" >>"$log" 2>&1 && forge comments "$state/test.json" >>"$log" 2>&1 || fail "the comment could not be written" "$log"
settle
for ((tenths = 0; tenths < 600; tenths++)); do
  yard --json test list --limit 1 >"$state/results/test.json" 2>>"$log"
  # Layers of a run that goes on have verdicts, too.
  grep -q '"state": *"ended"' "$state/results/test.json" && break
  sleep 0.1
done
settle
pull_review tested || outcome=1

# --- a conversation ---------------------------------------------------------------------------------------------------

# says WHAT USER CHANNEL TEXT PATTERN: somebody says or presses something on Slack, and is answered; false if no answer fits the pattern.
says() {
  local before tenths key=text
  before=$(forge heard 2>>"$log" | perl deploy/quickstart/chat.pl --count) || fail "yard-fakeforge did not answer" "$log"
  [ "$1" = press ] && key=value
  [ "$1" = press ] && printf '\n  %s presses [ Confirm ]\n' "$2" || printf '\n  %s in %s: %s\n' "$2" "$3" "$4"
  printf '{"platform": "slack", "user": "%s", "channel": "%s", "%s": "%s"}' "$2" "$3" "$key" "$4" >"$state/say.json"
  [[ $(forge "$1" "$state/say.json" 2>>"$log") =~ \"status\":200 ]] || fail "the daemon did not take what was said in chat" "$state/yardmasterd.log"
  for ((tenths = 0; tenths < 600; tenths++)); do
    [ "$(forge heard 2>>"$log" | perl deploy/quickstart/chat.pl --count)" -gt "$before" ] && break
    sleep 0.1
  done
  settle
  forge heard 2>>"$log" | perl deploy/quickstart/chat.pl --show "$before" "$5"
}
commits_of_topic() { git -C "$state/git/octo/kernels.git" rev-list --count main..faster; }
if $chat; then
  step "Talking to the bot on Slack (which yard-fakeforge plays)"
  printf '{"forge": "github", "repository": "octo/kernels", "permissions": {"maria": "write", "ada": "write", "yardbot": "write"}}' >"$state/people.json"
  forge repository "$state/people.json" >>"$log" 2>&1 || fail "the permissions could not be set" "$log"
  said=0
  says say U-MARIA C-ISSUES "why was #3 labelled that way?" 'needs reproduction|decision' || said=1
  says say U-MARIA C-ISSUES "/why #1" 'decision' || said=1
  says say U-MARIA C-ISSUES "/triage #1" 'this channel is for reading' || said=1
  commits=$(commits_of_topic)
  says say U-ADA C-KERNELS "please squash PR $pull" 'nothing is done yet' || said=1
  [ "$(commits_of_topic)" = "$commits" ] || said=1
  button=$(forge heard 2>>"$log" | perl deploy/quickstart/chat.pl --button)
  says press U-ADA C-KERNELS "$button" 'commits into one' || said=1
  echo
  echo "Commits of the pull request: $commits before, $(commits_of_topic) now"
  [ "$(commits_of_topic)" = 1 ] || said=1
  [ $said -eq 0 ] || { echo "quickstart: an answer in chat is not what it should be" >&2; outcome=1; }
fi

step "Metrics (http://${address[http]}/metrics)"
curl --silent --show-error --noproxy '*' --max-time 30 "http://${address[http]}/metrics" 2>>"$log" |
  grep -E '^yardmaster_(inbox_pending|effects_pending|deliveries_total|effects_total)' ||
  fail "/metrics gave nothing" "$log"

step "Building and testing the suite kernels through daemon and worker (log: $shown/suite.log)"
rm -rf "$state/suite"
# Those for the processor: what is for a GPU takes minutes to compile.
layers=(--layer module --layer round-trip --layer boundary --layer benchmark)
yard test run yardmaster/kernels "${layers[@]}" --token-file "$state/operator.token" --out "$state/suite" >"$state/suite.txt" \
  2> >(tee "$state/suite.log" >&2)
suite_code=$?
sed "s#$root/##" "$state/suite.txt"
[ $suite_code -eq 0 ] || fail "the suite kernels did not pass (exit code $suite_code)" "$state/suite.log"

# Without --server, yard talks to 127.0.0.1:9090.
server=
[ "${address[grpc]}" = 127.0.0.1:9090 ] || server="--server ${address[grpc]} "
state_option=
[ "$state" = "$root/build/quickstart" ] || state_option=" --state $shown"
yard=build/release/bin/yard
cat <<END

== Both programs are still running. To look on:

  Why it was decided so     $yard ${server}explain github:octo/framework#1
  What was written          $yard ${server}ledger list
  The review again          $yard ${server}review pr github:octo/kernels#$pull --token-file $shown/operator.token
  What came in              $yard ${server}deliveries list          (and: deliveries show ID)
  What was given up         $yard ${server}deadletters list
  The queue again           $yard ${server}sweep github:octo/framework --token-file $shown/operator.token
  Another issue             curl -d '{"forge":"github","repository":"octo/framework","title":"…","body":"…","labels":["oncall: distributed"]}' \\
                              http://${address[forge]}/_fake/issues
  What was said in chat     curl http://${address[forge]}/_fake/heard   (with --chat; and: $yard ${server}deliveries list --forge slack)
  What the forge holds      curl http://${address[forge]}/_fake/state
  The daemon's log          tail -f $shown/yardmasterd.log
  The suite, as a page      $shown/suite/report.html
  The runs so far           $yard ${server}test list                     (and: test logs JOB, test show JOB)
  Another suite             $yard suite list                            (and: $yard ${server}test run SUITE --token-file $shown/operator.token)
  Again, on a bad day       ./deploy/quickstart.sh --faults late=10,error_after=10,webhook_duplicate=20 --seed 11$state_option
  To stop both              ./deploy/quickstart.sh --stop$state_option
END
exit $outcome
