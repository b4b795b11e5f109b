#!/usr/bin/env bash
# Measures what has a floor, and compares. See --help.
set -uo pipefail

usage() {
  cat <<'USAGE'
Usage: tests/bench/run.sh [--only NAME] [--json] [--smoke | --long] [--no-build] [--install-deps] [--help]

Measures on this machine, in one run. "A / B" is a ratio of two times of that run:
  decide.cases             decisions per second on one core, library alone, on tests/data/triage_cases.jsonl
  decide.cases_with_dump   the same with an 8 KB environment dump after each body
  decide.typical           the same for the one case of grpc.triage_issue
  decide.to_one_word       time of the decisions of decide.cases / time in which RE2 searches the same texts for one word; the median of five
                           rounds
  zones.cases, zones.cases_with_dump
                           texts per second that are split into zones, on one core
  commands.lines           lines with commands per second on one core, from Markdown to values, on comments as people write them
  commands.none            issue bodies without commands per second
  pack.load                milliseconds to read, check and compile the rubric pack
  phrases.interpret        messages per second that are interpreted as commands on one core, library alone, on variations of tests/data/phrases
  store.ingest             deliveries of 11.6 KB per second that are acknowledged after they are on disk, committed in groups
  worker.log               megabytes per second that one core writes to the compressed log of a step, in lines of 100 bytes, with three
                           secrets to hide and one follower
  worker.log_search        megabytes per second of such a log that are searched
  daemon.ready             milliseconds from spawning yardmasterd to its ready file
  daemon.idle_memory       MiB of its own, without pages of programs and libraries, once it is ready and idle
  grpc.health              health checks per second under h2load
  grpc.triage_issue        TriageIssue calls per second under h2load; the floor is 0.9 x 1/(1/H + 1/D), H being grpc.health and
                           D decide.typical, measured in turns with it; the median of five rounds
  ingest.requests          webhooks of 11.6 KB per second that are answered with 202, each signed and with its own id and body, for a
                           repository without a pack; the run checks that all are on disk. The floor is twice the next figure
  ingest.requests_of_probot
                           the same deliveries, from the same sender over as many connections, to an app on npm's probot that does
                           nothing; measured in turns, the median of five rounds for both
  ingest.cpu, ingest.cpu_of_probot
                           microseconds of processor time for one delivery; ours may take at most half of Probot's
  ingest.p99               99th percentile in milliseconds when deliveries come at half the rate of ingest.requests, regardless of the
                           answers, each counted from when it was due; the median of 20 rounds of a second
  ingest.p99_of_disk       the same for 333 synced appends of 64 KiB a second to a file, without a daemon, in turns with ingest.p99
  ingest.planned           deliveries per second of a stored backlog that are planned in dry-run, each for another issue that is read
                           from a simulated forge on the same machine
  review.kernel_to_parse   processor time of all rules of the pack pypto on a kernel of 20 KB / time of parsing it
  review.all_to_tenth      the same / time of every tenth rule
  review.file_to_linter    time of PyPTO's own linter on a kernel of 20 KB / time of yard review file; skipped unless YARD_BENCH_PYPTO_LINT
                           names its script (pypto_op_lint.py)
  review.tree_growth       time of yard review tree on 300 kernels / time on 150, both with two threads
  review.tree_memory       peak resident MiB while 300 kernels are reviewed
  review.diff_5000         milliseconds of yard review diff on a change of 5,000 lines in 50 of 20,000 files, including program start
  review.tree_to_ast_grep, review.tree_all_to_ast_grep
                           time of yard review tree on them with 20 rules, and with all rules of pypto / time of ast-grep with the same 20; skipped without ast-grep (npm install @ast-grep/cli; YARD_BENCH_AST_GREP names the program)
  pulls.first_comment      milliseconds from a push to the comment with its finding, on loopback, without the wait for a further push, with a
                           repository of 100 MB in the cache; the median of seven
  pulls.fifty_seconds, pulls.fifty_memory
                           seconds until 50 pull requests that are opened at once have their comments, and the daemon's peak resident MiB
  worker.pytest_1000, worker.ctest_1000
                           time of a test step of 1,000 empty tests / time of pytest or ctest alone; the shortest of nine each
  runs.pytest_1000         the same through yardmasterd and yard-worker, in the sandbox
  runs.log                 megabytes per second of a test's output that reach a follower, through supervisor, worker and daemon; the best
                           of three
  worker.fixed_cost        seconds of yard test run on a suite without a build and with one empty step
  dispatch.decision_p99    99th percentile in milliseconds of decisions (a heartbeat, a new job, the end of a run, each with the scheduling
                           that follows), for the slowest kind, with 1,000 workers of eight devices in use and 100,000 waiting jobs;
                           nothing is written
  dispatch.memory          resident MiB of the process that holds them
  dispatch.transitions     transitions of jobs per second of 32 runners, each on disk before it is answered
  dispatch.idle_worker_p99 99th percentile in milliseconds from the submission of a job to its order at an idle worker, on loopback; the
                           median of three rounds of 500
  workflow.squash_to_git, workflow.rebase_to_git
                           in a clone of 18,000 files: time of yard workflow squash of 50 commits / git rebase -i with fixups, and of yard
                           workflow backport of 50 commits / git fetch and rebase; the median of seven rounds
  workflow.status          milliseconds of yard workflow status of a pull request on loopback; the median of fifteen
  build.programs_cpu       processor seconds of a build of the programs with an empty compiler cache, in a separate folder; takes minutes,
                           so only with --long or by its full name

  --only NAME   only figures whose name contains NAME, and those that they are compared with
  --json        JSON lines {name, value, unit, floor, ratio} on stdout instead of the table; ratio >= 1 is good in every
                case; floor and ratio are null if there is no floor
  --smoke       runs everything briefly, without floors: shows that it works, not how fast it is
  --long        besides, what takes minutes: build.programs_cpu
  --no-build    uses the programs that are there
  --install-deps  installs what is missing first: load generators, node and npm, Google Benchmark
  --help        this text

The machine should have nothing else to do. Missing tools are named before anything is measured, and the other figures are measured all the
same. Exit: 0 every floor is met, 1 one is missed (it is named), 2 wrong option, 4 something can't be built or measured. Where Probot can't be installed (no npm, no network) its figures are skipped with the reason,
and what is compared with them has no floor.

Environment: YARD_PACKS (packs folder), YARD_BENCH_PACK (pack; default pytorch-distributed), YARD_BENCH_BIN (folder of the
programs; default build/release/bin), YARD_BENCH_TREE (folder whose Python files are reviewed instead of made ones),
YARD_BENCH_PYPTO_LINT, YARD_BENCH_AST_GREP (see above).

Examples:
  tests/bench/run.sh
  tests/bench/run.sh --only decide --json
  tests/bench/run.sh --only ingest.      # needs node and npm for the comparison
USAGE
}

build=true
install=false
arguments=()
while [ $# -gt 0 ]; do
  case "$1" in
    --only)
      [ $# -ge 2 ] || { echo "bench: --only needs a name" >&2; exit 2; }
      arguments+=(--only "$2")
      shift
      ;;
    --only=*) arguments+=(--only "${1#--only=}") ;;
    --json | --smoke | --long) arguments+=("$1") ;;
    --install-deps) install=true ;;
    --no-build) build=false ;;
    --help | -h) usage; exit 0 ;;
    *) echo "bench: unknown option '$1'; see --help" >&2; exit 2 ;;
  esac
  shift
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P) || exit 4
cd "$root" || exit 4
if $install; then
  deploy/install-deps.sh --with-analysis || exit 4
fi
command -v python3 >/dev/null || { echo "bench: python3 is missing (tests/bench/run.sh --install-deps)" >&2; exit 4; }
if $build; then
  # A tree that the quickstart or a release was built in has neither benchmarks nor the tests' forge.
  cmake --preset release -DYARDMASTER_BUILD_BENCH=ON -DYARDMASTER_BUILD_FAKEFORGE=ON >&2 &&
    cmake --build --preset release --target yardmasterd yard yard-fakeforge bench_programs >&2 || { echo "bench: the build failed" >&2; exit 4; }
fi
export YARD_PACKS=${YARD_PACKS:-$root/rules/packs}
exec python3 -B tests/bench/harness.py --bin "${YARD_BENCH_BIN:-$root/build/release/bin}" "${arguments[@]}"
