#!/usr/bin/env bash
# Builds and tests Yardmaster at one of three levels. See --help and tests/README.md.
set -uo pipefail
exec </dev/null

usage() {
  cat <<'USAGE'
Usage: tests/run.sh [--full | --long] [--only PATTERN] [--list] [--help]

  (no option)   install what is missing, release build, format and layers, unit and integration tests, the packs' own cases
                (at most 20 minutes on two cores from a clean clone)
  --full        unit tests under ASan+UBSan; in the release build only unit tests that measure; integration tests; threaded tests
                under TSan, the fuzz targets on their corpora, clang-tidy on recently changed files, the quickstart, the
                systemd unit, the container image (needs root), each benchmark once without floors (at most 50 minutes from an
                empty compiler cache on two cores)
  --long        that, and: ten minutes of fuzzing for each target, benchmarks against their floors, integration tests
                twenty times over, 300 kills of the daemon under faults, 500 faults of dispatch, a build with g++. Floors are checked only here,
                because measurements on a busy machine are noise.
  --only REGEX  only the parts whose name matches; if there is none, only the tests whose name, FOLDER.SUITE.CASE, matches.
                Parts that these need (install, builds) run as well.
  --list        prints the parts of the level and ends
  --help        this text

Every part writes build/test-logs/<part>.log; the end of a failing log is shown. After a failing part the others still run.
A part whose tool is missing and can't be installed is skipped, and fails --full and --long.
After each part its seconds of wall time and of processor time, with all child processes, are printed.
The last line is "N passed, N failed, N skipped": each case of a test program counts one, every other part counts one.
Exit: 0 nothing failed, 1 something failed, 2 wrong option.

Environment:
  JOBS            parallel jobs; default: the number of cores
  YARD_TIDY_BASE  commit to compare with for clang-tidy; default: the merge base with origin's main, else 10 commits back
  CCACHE_DIR      as for ccache

Examples:
  tests/run.sh
  tests/run.sh --only ZoneSplitter        # builds, then only tests with this name
  tests/run.sh --full --only '^tidy$'
USAGE
}

level=plain
only=
list=false
while [ $# -gt 0 ]; do
  case "$1" in
    --full) level=full ;;
    --long) level=long ;;
    --only)
      [ $# -ge 2 ] || { echo "run.sh: --only needs a pattern" >&2; exit 2; }
      only=$2
      shift
      ;;
    --only=*) only=${1#--only=} ;;
    --list) list=true ;;
    --help | -h) usage; exit 0 ;;
    *) echo "run.sh: unknown option '$1'; see --help" >&2; exit 2 ;;
  esac
  shift
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P) || exit 1
cd "$root" || exit 1
jobs=${JOBS:-$(nproc)}
logs=$root/build/test-logs

# --- parts ------------------------------------------------------------------------------------------------------------
# A part is a function part_<name>. It writes to its log, and returns 0 passed, 1 failed, 77 skipped (the reason in $reason).
# A part that runs ctest adds its tests to the totals through count_cases and sets counted=true.

declare -A title=(
  [install]="install what is missing"
  [build]="release build"
  [format]="format of C++ and JSON"
  [layers]="who may include whom"
  [tests]="unit and integration tests"
  [packs]="the packs' own cases"
  [asan-build]="build with ASan and UBSan, fuzz targets too"
  [asan]="unit tests under ASan and UBSan"
  [tsan-build]="build with TSan"
  [tsan]="threaded tests under TSan"
  [fuzz]="fuzz targets on their corpora"
  [tidy]="clang-tidy on recently changed files"
  [systemd]="the systemd units, what they forbid, and the worker's in control groups of version 2"
  [image]="the container image, built and run"
  [quickstart]="quickstart: eight issues, on a good and on a bad day"
  [bench-smoke]="each benchmark once"
  [fuzz-long]="long fuzz"
  [bench]="benchmarks against their floors"
  [repeat]="integration tests over and over"
  [crash]="hundreds of kills under faults, and schedules of dispatch"
  [gcc-build]="build with g++"
)
declare -A needs=(
  [build]="install" [format]="install" [tests]="build" [packs]="build"
  [asan-build]="install" [asan]="asan-build" [tsan-build]="install" [tsan]="tsan-build" [fuzz]="asan-build"
  [quickstart]="build" [tidy]="build" [systemd]="build" [image]="build" [bench-smoke]="build" [fuzz-long]="asan-build" [bench]="build" [repeat]="build" [crash]="build" [gcc-build]="install"
)
plain_parts=(install build format layers tests packs)
full_parts=(asan-build quickstart asan fuzz tsan-build tsan tidy systemd image)
long_parts=(gcc-build fuzz-long repeat crash)
# What mostly waits runs beside a build, and is told at its own place.
declare -A beside=([asan-build]=quickstart [tsan-build]=image)
if [ -x tests/bench/run.sh ]; then
  full_parts+=(bench-smoke)
  long_parts+=(bench)
fi

# True if every named tool is there; else sets $reason.
have() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || { reason="$tool is not installed"; return 1; }
  done
}

# Tracked files, or all files outside of build/ where there is no git.
files_like() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    # A file that is deleted but not committed yet is still listed.
    git ls-files -z -- "$@" | while IFS= read -r -d '' file; do [ -e "$file" ] && printf '%s\0' "$file"; done
  else
    local pattern arguments=(-false)
    for pattern in "$@"; do arguments+=(-o -name "$pattern"); done
    find . -name build -prune -o -type f \( "${arguments[@]}" \) -print0
  fi
}

# Totals. count_cases JUNIT RESULTS CODE adds the cases of one run of ctest, which ended with CODE; it fails if there were none.
passed=0
failed=0
skipped=0
test_cases=0
count_cases() {
  local counts good bad skips
  counts=$(tests/cases.py count "$1" "$2" | tee /dev/stderr | tail -n 1)
  read -r good bad skips <<<"$counts"
  [[ ${skips:-} =~ ^[0-9]+$ ]] && [ $((good + bad + skips)) -gt 0 ] || return 1
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + skips))
  test_cases=$((test_cases + good + bad + skips))
  reason="$((good + bad + skips)) tests"
  # A failure that is no case's counts as the part's.
  [ "$bad" -eq 0 ] && [ "$3" -ne 0 ] || counted=true
}

configure() { cmake --preset "$1" "${@:2}"; }
build() { cmake --build --preset "$1" --parallel "$jobs" "${@:2}"; }

# run_ctest NAME PRESET LABEL OPTION…: one run of ctest over the tests with a label, whose cases count by themselves.
run_ctest() {
  local junit=$logs/$1.xml results=build/$2/test-results label=$3 entries=. code
  if [ -n "$test_filter" ]; then
    { read -r entries && read -r GTEST_FILTER; } < <(tests/cases.py select "$test_filter" "build/$2" "$label")
    [ -n "$entries" ] || { reason="no test matches"; return 77; }
    export GTEST_FILTER
  fi
  rm -rf "$junit" "$results"
  ctest --test-dir "build/$2" --output-on-failure --no-tests=error -j "${ctest_jobs:-$jobs}" --output-junit "$junit" -L "$label" -R "$entries" "${@:4}"
  code=$?
  unset GTEST_FILTER
  count_cases "$junit" "$results" $code || { reason="ctest ran no test"; return 1; }
  return $((code != 0))
}

part_install() {
  local option=--with-tests
  [ $level = plain ] || option=--with-analysis
  deploy/install-deps.sh $option
}

# In --full the unit tests are those of the asan tree; the release build has those that need it.
part_build() {
  if [ $level = plain ]; then
    configure release -DYARDMASTER_BUILD_TESTS=ON && build release
  else
    configure release -DYARDMASTER_BUILD_TESTS=ON -DYARDMASTER_BUILD_BENCH=ON &&
      build release --target yard yardmasterd yard-fakeforge integration_tests measuring_tests bench_programs
  fi
}

part_layers() {
  have python3 || return 77
  tests/layers.py --self-test && tests/layers.py
}

part_format() {
  have clang-format python3 || return 77
  local bad=0
  files_like '*.cc' '*.h' | xargs -0 -r clang-format --dry-run --Werror || bad=1
  # Corpora are meant to be broken.
  files_like '*.json' | grep -zv '^\(\./\)\?tests/fuzz/corpus/' | xargs -0 -r python3 -c '
import json, sys
bad = 0
for name in sys.argv[1:]:
    try:
        with open(name, encoding="utf-8") as file:
            json.load(file)
    except ValueError as error:
        print(f"{name}: {error}")
        bad = 1
sys.exit(bad)' || bad=1
  files_like '*.sh' '.ci/run' | xargs -0 -r -n1 bash -n || bad=1
  [ $bad -eq 0 ] || echo "To format: git ls-files '*.cc' '*.h' | xargs clang-format -i"
  return $bad
}

part_tests() {
  local label='unit|integration'
  [ $level = plain ] || label='measuring|integration'
  # Integration tests wait for one another's programs: one more at a time keeps the processors busy.
  local ctest_jobs=$((jobs + 1))
  # Tests that take long do less of the same: see tests/README.md.
  [ $level = long ] || export YARD_SHORT=1
  run_ctest tests release "$label"
}
part_crash() {
  build release --target unit_services_workflow unit_services_dispatch_queue &&
    YARD_KILLS=300 build/release/bin/integration_pipe --gtest_filter='PipeTest.KillsUnderFaults*' &&
    YARD_KILLS=300 build/release/bin/integration_reviews --gtest_filter='*KillsFaults*' &&
    YARD_WORKFLOW_KILLS=40 build/release/bin/integration_workflow_kills &&
    YARD_KILLS=300 build/release/bin/integration_pull_commands --gtest_filter='*EachCommandIsDoneOnce*' &&
    YARD_KILLS=500 build/release/bin/integration_dispatch_faults &&
    YARD_DISPATCH_SCHEDULES=100000 build/release/bin/unit_services_dispatch_queue --gtest_filter='*imulation*' &&
    YARD_WORKFLOW_STATES=2000 build/release/bin/unit_services_workflow --gtest_filter='RandomStates*'
}

# Without precompiled headers: every file includes what it needs.
part_gcc-build() { configure gcc && build gcc; }

# The packs that are shipped, and the small one that documents how a pack is written.
part_packs() {
  build/release/bin/yard rules test --all && build/release/bin/yard --packs tests/support/packs rules test --all
}

export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$root/tests/support/lsan.supp:print_suppressions=0}
# Debian's libraries are not instrumented: what happens inside of them is neither seen nor ours.
export TSAN_OPTIONS=${TSAN_OPTIONS:-ignore_noninstrumented_modules=1:second_deadlock_stack=1:suppressions=$root/tests/support/tsan.supp}

# Under sanitizers --full compiles less than --long: reports name functions without lines, and more is left out: see tests/README.md.
sanitizer_lines() { [ $level = long ] && echo -gline-tables-only || echo -g0; }

# One tree for the unit tests under ASan and UBSan and for the fuzz targets, which want the same sanitizers: half the compiling. In --full
# the targets only replay their corpora.
part_asan-build() {
  have clang++ || return 77
  local options=(-DYARDMASTER_FUZZ_COVERAGE=ON -DYARDMASTER_SANITIZE_NOT=)
  [ $level = long ] || options=(-DYARDMASTER_FUZZ_COVERAGE=OFF -DYARDMASTER_SANITIZE_NOT=null,alignment)
  configure asan -DYARDMASTER_BUILD_FUZZ=ON "${options[@]}" "-DCMAKE_CXX_FLAGS_DEBUG=-O0 $(sanitizer_lines)" &&
    build asan --target unit_tests fuzz_targets
}
# Random states and seeds are for the release build: here some of them are enough. Some tests mostly wait: one more at a time.
part_asan() {
  local ctest_jobs=$((jobs + 1))
  YARD_EFFECT_SEEDS=10 YARD_SIMULATION_SEEDS=15 YARD_WORKFLOW_STATES=3 YARD_DISPATCH_SCHEDULES=50 run_ctest asan asan unit
}

part_tsan-build() {
  have clang++ || return 77
  local targets=threaded_tests
  [ $level = full ] || targets+=' concurrent_tests'
  # shellcheck disable=SC2086
  configure tsan "-DCMAKE_CXX_FLAGS_DEBUG=-O0 $(sanitizer_lines)" && build tsan --target $targets
}
part_tsan() {
  local label=threaded ctest_jobs=$((jobs + 1))
  [ $level = full ] || label='threaded|concurrent'
  YARD_EFFECT_SEEDS=5 YARD_SIMULATION_SEEDS=10 run_ctest tsan tsan "$label"
}

# fuzz SECONDS: for each target, every input of its corpus, then new inputs for SECONDS (0: none, so that the result does not depend on
# luck). What breaks it lies in build/test-logs.
fuzz() {
  local program name corpus scratch bad=0 count=0
  for program in build/asan/bin/fuzz_*; do
    [ -x "$program" ] || continue
    name=${program##*/fuzz_}
    corpus=tests/fuzz/corpus/$name
    count=$((count + 1))
    echo "== $name: corpus"
    if ! [ -d "$corpus" ] || [ -z "$(ls -A "$corpus")" ]; then
      echo "$corpus is missing or empty"
      bad=1
      continue
    fi
    "$program" -runs=0 -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$logs/fuzz-$name-" "$corpus" || { bad=1; continue; }
    [ "$1" -gt 0 ] || continue
    echo "== $name: $1 seconds of new inputs"
    scratch=$(mktemp -d) || return 1
    "$program" -seed=1 -max_total_time="$1" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
      -artifact_prefix="$logs/fuzz-$name-" "$scratch" "$corpus" || bad=1
    rm -rf "$scratch"
  done
  reason="$count targets"
  [ $count -gt 0 ] || { echo "no fuzz targets in build/asan/bin"; bad=1; }
  return $bad
}
part_fuzz() { fuzz 0; }
part_fuzz-long() { fuzz 600; }

# Changed .cc files, those of the newest commit first; a changed header stands for the .cc beside it and its test.
tidy_candidates() {
  local base=${YARD_TIDY_BASE:-} file stem
  if [ -z "$base" ]; then
    base=$(git merge-base HEAD origin/main 2>/dev/null)
    if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
      base=$(git rev-parse -q --verify HEAD~10 || git rev-list --max-parents=0 HEAD | tail -1)
    fi
  fi
  {
    git diff --name-only HEAD -- '*.cc' '*.h'
    git log --format= --name-only "$base..HEAD" -- '*.cc' '*.h'
    # A clone without history, or one whose whole history is recent, has its first commit as well.
    [ "$(git rev-list --count HEAD)" -gt 10 ] || git ls-files '*.cc'
  } | while IFS= read -r file; do
    stem=${file%.*}
    for file in "$stem.cc" "tests/unit/${stem}_test.cc"; do
      [ -f "$file" ] && [ "${file#tests/fuzz/}" = "$file" ] && echo "$file"
    done
  done | awk '!seen[$0]++'
}

part_tidy() {
  have clang-tidy git || return 77
  local file list=$logs/tidy.list out=build/tidy budget=150 deadline bad=0 done_count left
  rm -f "$out"/*.txt "$out"/{bad,done,left-out}
  # A tree of its own that is only configured: file by file, and without precompiled headers, which clang-tidy would walk through and which
  # would hide that a file does not include what it needs.
  configure release -B "$out" -DYARDMASTER_UNITY=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DYARDMASTER_BUILD_TESTS=ON -DYARDMASTER_BUILD_BENCH=ON &&
    cmake --build "$out" --target yard_proto_sources || return 1
  # Only what the compilation database knows: a file that is not built here can't be read either.
  tidy_candidates | while IFS= read -r file; do
    grep -q "\"$root/$file\"" "$out/compile_commands.json" && echo "$file"
  done >"$list"
  deadline=$(($(date +%s) + budget))
  xargs -r -P "$jobs" -I{} bash -c '
    file=$1 name=${1//\//__}
    [ "$(date +%s)" -lt "$2" ] || { echo "$file" >>"$3/left-out"; exit 0; }
    clang-tidy -p "$3" --quiet --extra-arg=-Wno-unknown-warning-option "$file" >"$3/$name.txt" 2>&1 || { echo "$file" >>"$3/bad"; grep -E -A4 "(error|warning): " "$3/$name.txt" || tail -5 "$3/$name.txt"; }
    echo "$file" >>"$3/done"' _ {} "$deadline" "$out" <"$list" || bad=1
  [ -s "$out/bad" ] && bad=1
  done_count=$(cat "$out/done" 2>/dev/null | wc -l)
  left=$(cat "$out/left-out" 2>/dev/null | wc -l)
  reason="$done_count files"
  if [ "$left" -gt 0 ]; then
    reason+=", $left left out after $budget seconds"
    echo "Left out, older than those looked at:"
    cat "$out/left-out"
  fi
  [ $bad -eq 0 ] || { echo "Files with findings:"; cat "$out/bad" 2>/dev/null; }
  return $bad
}

part_quickstart() {
  have curl perl || return 77
  tests/integration/quickstart.sh
}

# packaging SCRIPT: buildah and so on are installed here and not in `install`, so that without them only this is missing.
packaging() {
  local code
  deploy/install-deps.sh --with-packaging || { reason="its packages can't be installed"; return 77; }
  "tests/packaging/$1.sh"
  code=$?
  [ $code -ne 77 ] || reason=$(tail -n 1 "$logs/$1.log")
  return $code
}
# A kernel with control groups of version 2 does not start everywhere; then that is only said. It takes minutes of a quiet machine.
part_systemd() {
  packaging systemd || return
  [ $level = long ] || return 0
  tests/packaging/cgroup_v2.sh
  local code=$?
  [ $code -ne 77 ] || echo "SKIPPED the worker in control groups of version 2: $(tail -n 1 "$logs/systemd.log")"
  [ $code -eq 0 ] || [ $code -eq 77 ]
}
part_image() { packaging image; }

part_bench-smoke() { tests/bench/run.sh --smoke; }
part_bench() { tests/bench/run.sh --long; }
part_repeat() { run_ctest repeat release integration --repeat until-fail:20; }

# --- running them -----------------------------------------------------------------------------------------------------

parts=("${plain_parts[@]}")
[ $level = plain ] || parts+=("${full_parts[@]}")
[ $level = long ] && parts+=("${long_parts[@]}")
test_filter=

# With --only: the parts that match and what they need, else the parts that run ctest.
if [ -n "$only" ]; then
  chosen=()
  for part in "${parts[@]}"; do
    [[ $part =~ $only ]] && chosen+=("$part")
  done
  if [ ${#chosen[@]} -eq 0 ]; then
    test_filter=$only
    chosen=(tests)
    [ $level = plain ] || chosen+=(asan tsan)
  fi
  declare -A wanted=()
  want() {
    wanted[$1]=1
    [ -z "${needs[$1]:-}" ] || want "${needs[$1]}"
  }
  for part in "${chosen[@]}"; do want "$part"; done
  all_parts=("${parts[@]}")
  parts=()
  for part in "${all_parts[@]}"; do
    [ -n "${wanted[$part]:-}" ] && parts+=("$part")
  done
fi

if $list; then
  for part in "${parts[@]}"; do printf '%-12s %s\n' "$part" "${title[$part]}"; done
  exit 0
fi

mkdir -p "$logs" || exit 1
exec 8>"$root/build/test-logs/.lock"
if command -v flock >/dev/null && ! flock -n 8; then
  echo "run.sh: another run of tests/run.sh works in this folder" >&2
  exit 1
fi

# Clones at different places share compiled objects. A cache that can't be written must not stop the build.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root}
# Clones in different folders share what they compiled, line tables included.
export CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
if command -v ccache >/dev/null && ! ccache -s >/dev/null 2>&1; then
  export CCACHE_DISABLE=1
fi

duration() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# Sets cpu to the seconds of the processor that this shell's children have taken so far.
count_cpu() {
  times >"$logs/.times"
  cpu=$(tail -n 1 "$logs/.times" | awk '{ split($1, u, "[ms]"); split($2, s, "[ms]"); printf "%d", u[1] * 60 + u[2] + s[1] * 60 + s[2] }')
}

declare -A outcome=() running=() started=()
trap '[ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null' EXIT
begun=$SECONDS
for part in "${parts[@]}"; do
  early=${beside[$part]:-}
  if [ -n "$early" ] && [[ " ${parts[*]} " = *" $early "* ]] && [ "${outcome[${needs[$early]}]:-}" = ok ]; then
    {
      "part_$early" >"$logs/$early.log" 2>&1 8>&-
      code=$?
      echo "$SECONDS" >"$logs/.$early.end"
      exit $code
    } &
    running[$early]=$! started[$early]=$SECONDS
  fi
  printf '%-12s %s … ' "$part" "${title[$part]}"
  start=$SECONDS
  count_cpu
  cpu_before=$cpu
  reason=
  counted=false
  need=${needs[$part]:-}
  if [ -n "$need" ] && [ "${outcome[$need]:-ok}" = skipped ]; then
    code=77
    reason="needs $need, which was skipped"
  elif [ -n "$need" ] && [ "$need" != install ] && [ "${outcome[$need]:-ok}" = FAILED ]; then
    code=1
    reason="needs $need, which failed"
    echo "$reason" >"$logs/$part.log"
  elif [ -n "${running[$part]:-}" ]; then
    wait "${running[$part]}"
    code=$?
    # Its own time, not until somebody asked.
    start=$((SECONDS - $(cat "$logs/.$part.end" 2>/dev/null || echo "$SECONDS") + started[$part]))
    unset "running[$part]"
    [ $code -ne 77 ] || reason="a tool is missing"
  else
    "part_$part" >"$logs/$part.log" 2>&1 8>&-
    code=$?
  fi
  case $code in
    0) outcome[$part]=ok ;;
    77) outcome[$part]=skipped ;;
    *) outcome[$part]=FAILED ;;
  esac
  if [ $code -eq 77 ] && { [ -z "$test_filter" ] || [ "$reason" != "no test matches" ]; }; then
    skipped=$((skipped + 1))
    # A level is only green if all of it ran.
    [ $level = plain ] || missing_part=true
  elif ! $counted && [ $code -ne 77 ]; then
    if [ $code -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  fi
  count_cpu
  echo "${outcome[$part]} $(duration $((SECONDS - start))), CPU $(duration $((cpu - cpu_before)))${reason:+ ($reason)}"
  if [ "${outcome[$part]}" = FAILED ] && [ "$reason" != "needs $need, which failed" ]; then
    echo "---- end of build/test-logs/$part.log"
    tail -n 60 "$logs/$part.log"
    echo "----"
  fi
done

if [ -n "$test_filter" ] && [ $test_cases -eq 0 ]; then
  echo "No part and no test matches '$only'."
  failed=$((failed + 1))
fi
count_cpu
echo "Took $(duration $((SECONDS - begun))), CPU $(duration "$cpu"). Logs: build/test-logs"
if [ "${missing_part:-false}" = true ]; then
  echo "A part was skipped because its tool is missing: this level is not passed."
fi
for part in "${parts[@]}"; do
  [ -f "$logs/$part.log" ] && grep '^SKIPPED ' "$logs/$part.log"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ "${missing_part:-false}" = false ]
