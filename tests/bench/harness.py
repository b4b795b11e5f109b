"""Runs the benchmark programs and the daemon under load, and compares with the floors. Called by run.sh, whose --help says what is measured."""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

import build_time
import dispatch
import ingest
import pulls
import review
import runs
import suites
import workflow
from common import Daemon, Failure, run, say

# name: (unit, floor, larger is better). None: nothing to compare with. "computed": see triage_floor.
FIGURES = {
    "decide.cases": ("decisions/s", 20000, True),
    "decide.cases_with_dump": ("decisions/s", 3000, True),
    "decide.typical": ("decisions/s", None, True),
    "decide.to_one_word": ("x", None, False),
    "zones.cases": ("texts/s", None, True),
    "zones.cases_with_dump": ("texts/s", None, True),
    "commands.lines": ("lines/s", 200000, True),
    "commands.none": ("texts/s", None, True),
    "pack.load": ("ms", None, False),
    "phrases.interpret": ("phrases/s", 20000, True),
    "store.ingest": ("deliveries/s", 10000, True),
    "worker.log": ("MB/s", 150, True),
    "worker.log_search": ("MB/s", None, True),
    "daemon.ready": ("ms", 300, False),
    "daemon.idle_memory": ("MiB", 52, False),
    "grpc.health": ("calls/s", None, True),
    "grpc.triage_issue": ("calls/s", "computed", True),
    "ingest.requests": ("deliveries/s", "computed", True),
    "ingest.requests_of_probot": ("deliveries/s", None, True),
    "ingest.cpu": ("us/delivery", "computed", False),
    "ingest.cpu_of_probot": ("us/delivery", None, False),
    "ingest.p99": ("ms", 20, False),
    "ingest.p99_of_disk": ("ms", None, False),
    "ingest.planned": ("deliveries/s", None, True),
    **review.FIGURES,
    **pulls.FIGURES,
    **runs.FIGURES,
    **suites.FIGURES,
    **dispatch.FIGURES,
    **workflow.FIGURES,
    **build_time.FIGURES,
}
# What takes so long that it is measured only when it is asked for.
LONG = set(build_time.FIGURES)
# Programs that figures can't do without, and those that are only compared with: without them a figure is skipped, which is no failure.
TOOLS = {"grpc.health": ["h2load"], "grpc.triage_issue": ["h2load"], **{name: ["cmake", "ninja"] for name in LONG}}
COMPARED = {"ingest.requests_of_probot": ["node", "npm"], "worker.pytest_1000": ["pytest"], "runs.pytest_1000": ["pytest"], "worker.ctest_1000": ["ctest"]}
PROGRAMS = {
    "decide.cases": ("decide_bench", "DecideCases"),
    "decide.cases_with_dump": ("decide_bench", "DecideCasesWithDump"),
    "decide.typical": ("decide_bench", "DecideTypicalCase"),
    "zones.cases": ("zones_bench", "ZonesOfCases"),
    "zones.cases_with_dump": ("zones_bench", "ZonesOfCasesWithDump"),
    "commands.lines": ("commands_bench", "CommandLines"),
    "commands.none": ("commands_bench", "TextsWithoutCommands"),
    "pack.load": ("decide_bench", "LoadPack"),
    "phrases.interpret": ("phrases_bench", "InterpretPhrases"),
    "store.ingest": ("store_bench", "IngestUnderLoad/process_time/real_time"),
    "worker.log": ("log_bench", "FollowedLog"),
    "worker.log_search": ("log_bench", "SearchLog"),
}


class Library:
    """Google Benchmark programs; one run for each figure."""

    def __init__(self, folder, smoke):
        self.folder = folder
        self.smoke = smoke

    def measure(self, name, brief=False):
        return self.measure_program(*PROGRAMS[name], brief)

    def measure_program(self, program, benchmark, brief=False):
        repetitions, seconds = (1, 0.01) if self.smoke else (1, 0.4) if brief else (5, 0.6)
        runs = self.runs_of(program, [benchmark], repetitions, seconds)[benchmark]
        # Rates count processor time of the one thread. The best repetition is the one that was disturbed least; where a figure
        # is compared with others of its round, there is but one.
        if "items_per_second" in runs[0]:
            return max(r["items_per_second"] for r in runs)
        return min(r["cpu_time"] for r in runs)

    def times_of_program(self, program, benchmarks):
        """Processor time of several benchmarks, measured in turns: they are to be compared, and the machine may be busier for a while."""
        repetitions, seconds = (1, 0.01) if self.smoke else (10, 0.15)
        runs = self.runs_of(program, benchmarks, repetitions, seconds, "--benchmark_enable_random_interleaving=true")
        return {name: min(r["cpu_time"] for r in runs[name]) for name in benchmarks}

    def runs_of(self, program, benchmarks, repetitions, seconds, *options):
        path = self.folder / "bench" / program
        if not path.exists():
            raise Failure(f"{path} is not built")
        out = run([str(path), f"--benchmark_filter=^({'|'.join(benchmarks)})$", "--benchmark_format=json", f"--benchmark_repetitions={repetitions}",
                   f"--benchmark_min_time={seconds}", *options])
        runs = {name: [] for name in benchmarks}
        for r in json.loads(out)["benchmarks"]:
            if r.get("error_occurred"):
                raise Failure(f"{r['run_name']}: {r['error_message']}")
            if r.get("run_type") == "iteration":
                runs[r["run_name"]].append(r)
        for name, found in runs.items():
            if not found:
                raise Failure(f"{program} has no benchmark {name}")
        return runs


# So many calls are in flight that neither side sleeps until the other answers: on few cores, waking up costs more than a health check.
CONNECTIONS = 10
STREAMS = 100


def h2load(address, path, frame, requests):
    out = run(["h2load", "-n", str(requests), "-c", str(CONNECTIONS), "-m", str(STREAMS), "-t", "1", "-d", frame, "-H", "content-type: application/grpc", "-H", "te: trailers",
               f"http://{address}{path}"])
    rate = re.search(r"finished in [\d.]+\w+, ([\d.]+) req/s", out)
    counts = re.search(r"requests: (\d+) total, \d+ started, \d+ done, (\d+) succeeded, (\d+) failed, (\d+) errored", out)
    if not rate or not counts or counts.group(1) != counts.group(2):
        raise Failure(f"h2load on {path}: " + (counts.group(0) if counts else out[-300:]))
    return float(rate.group(1))


def measure_to_one_word(library, smoke):
    rounds = [library.measure_program("decide_bench", "OneWordInCases", brief=True) / library.measure("decide.cases", brief=True)
              for _ in range(1 if smoke else 5)]
    return {"decide.to_one_word": statistics.median(rounds)}, {}


def measure_start(folder, packs, smoke):
    """Milliseconds until ready (median) and MiB of its own when idle (largest)."""
    ready, memory = [], []
    for _ in range(1 if smoke else 5):
        daemon = Daemon(folder, packs)
        try:
            ready.append(daemon.start())
            time.sleep(0.5)
            memory.append(daemon.own_mib())
        finally:
            daemon.stop()
    return {"daemon.ready": statistics.median(ready), "daemon.idle_memory": max(memory)}, {}


def measure_calls(folder, packs, smoke, library):
    """Health checks, decisions of the library and TriageIssue in turns, so that a disturbance meets all three; the figures are those of the
    round in the middle."""
    daemon = Daemon(folder, packs)
    try:
        daemon.start()
        work = pathlib.Path(daemon.home.name)
        frame = str(work / "triage.bin")
        about = json.loads(run([str(folder / "bench" / "triage_frame"), frame, daemon.grpc]))
        say(f"TriageIssue with issue {about['number']}: {about['text_bytes']} bytes of text, {about['response_bytes']} bytes of answer")
        empty = str(work / "health.bin")
        pathlib.Path(empty).write_bytes(b"\0" * 5)
        health_calls, triage_calls = (500, 500) if smoke else (60000, 30000)
        before = daemon.answered("TriageIssue", "OK")
        rounds = []
        for _ in range(1 if smoke else 5):
            values = {"grpc.health": h2load(daemon.grpc, "/grpc.health.v1.Health/Check", empty, health_calls),
                      "decide.typical": library.measure("decide.typical", brief=True),
                      "grpc.triage_issue": h2load(daemon.grpc, "/yardmaster.v1.TriageService/TriageIssue", frame, triage_calls)}
            rounds.append(values)
        answered = daemon.answered("TriageIssue", "OK") - before
        if answered != triage_calls * len(rounds):
            raise Failure(f"{triage_calls * len(rounds)} calls of TriageIssue were sent, but {answered:.0f} of them ended well")
        rounds.sort(key=lambda values: values["grpc.triage_issue"] / triage_floor(values))
        return rounds[len(rounds) // 2], {}
    finally:
        daemon.stop()


def triage_floor(values):
    return 0.9 / (1 / values["grpc.health"] + 1 / values["decide.typical"])


def computed_floor(name, values):
    """None if what it is computed from is missing."""
    if name == "grpc.triage_issue":
        return triage_floor(values)
    probot = values.get(name + "_of_probot")
    return None if probot is None else probot * (2 if name == "ingest.requests" else 0.5)


def report(values, names, skipped, smoke, as_json):
    """Prints the figures; returns those that miss their floor."""
    missed, lines = [], []
    for name in names:
        unit, floor, larger = FIGURES[name]
        if name in skipped:
            if as_json:
                print(json.dumps({"name": name, "value": None, "unit": unit, "floor": None, "ratio": None, "skipped": skipped[name]}), flush=True)
            else:
                lines.append((name, "-", unit, "", "", "skipped"))
            continue
        value = values[name]
        if floor == "computed":
            floor = computed_floor(name, values)
        if smoke:
            floor = None
        ratio = None if floor is None else (value / floor if larger else floor / value)
        if ratio is not None and ratio < 1:
            missed.append(name)
        if as_json:
            print(json.dumps({"name": name, "value": round(value, 3), "unit": unit, "floor": None if floor is None else round(floor, 3),
                              "ratio": None if ratio is None else round(ratio, 3)}), flush=True)
        else:
            bound = "" if floor is None else f"{'>=' if larger else '<='} {format(floor, ',.0f' if floor >= 10 else 'g')}"
            verdict = "" if ratio is None else ("ok" if ratio >= 1 else "MISSED")
            lines.append((name, format(value, ",.1f" if value >= 10 else ".2f"), unit, bound, "" if ratio is None else f"{ratio:.2f}", verdict))
    if not as_json:
        header = ("figure", "value", "unit", "floor", "ratio", "")
        widths = [max(len(row[i]) for row in [header, *lines]) for i in range(len(header))]
        for row in [header, *lines]:
            print("  ".join(cell.rjust(w) if i in (1, 3, 4) else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths))).rstrip())
    return missed


def missing_tools(names, tools):
    """Name → what is missing for it."""
    return {name: f"{tool} is missing" for name in names for tool in tools.get(name, ()) if shutil.which(tool) is None}


def missing_programs(names, folder):
    """The same for the programs of Google Benchmark, which are not built where it is missing."""
    needed = {name: PROGRAMS[name][0] for name in names if name in PROGRAMS}
    return {name: f"{program} is not built, Google Benchmark is missing" for name, program in needed.items() if not (folder / "bench" / program).exists()}


def measure_all(options, names):
    """Figures by name, and for those that there are none of, why. What fails is said, and in neither; the rest is measured all the same."""
    packs, library = os.environ["YARD_PACKS"], Library(options.bin, options.smoke)
    # What is measured together, and how.
    groups = [("decisions against one word", lambda chosen: measure_to_one_word(library, options.smoke), {"decide.to_one_word"}),
              ("calls", lambda chosen: measure_calls(options.bin, packs, options.smoke, library), {"grpc.health", "grpc.triage_issue"}),
              ("the start of the daemon", lambda chosen: measure_start(options.bin, packs, options.smoke), {"daemon.ready", "daemon.idle_memory"}),
              ("ingest", lambda chosen: ingest.measure(options.bin, packs, options.smoke, chosen), {name for name in FIGURES if name.startswith("ingest.")}),
              ("reviews", lambda chosen: review.measure(options.bin, packs, options.smoke, lambda *names: library.times_of_program("review_bench", names), chosen),
               set(review.FIGURES)),
              ("pull requests", lambda chosen: pulls.measure(options.bin, packs, options.smoke, chosen), set(pulls.FIGURES)),
              ("suites through a worker", lambda chosen: runs.measure(options.bin, packs, options.smoke, chosen), set(runs.FIGURES)),
              ("runs of suites", lambda chosen: suites.measure(options.bin, packs, options.smoke, chosen), set(suites.FIGURES)),
              ("dispatch", lambda chosen: dispatch.measure(options.bin, options.smoke, chosen), set(dispatch.FIGURES)),
              ("work in a clone", lambda chosen: workflow.measure(options.bin, packs, options.smoke, chosen), set(workflow.FIGURES)),
              ("the build", lambda chosen: build_time.measure(), set(build_time.FIGURES))]
    groups = [(name, lambda chosen: ({chosen[0]: library.measure(chosen[0])}, {}), {name}) for name in PROGRAMS] + groups
    values, skipped = {}, {}
    for title, measure, of_group in groups:
        chosen = [name for name in names if name in of_group and name not in values]
        if not chosen:
            continue
        say(f"measuring {title}")
        try:
            measured, without = measure(chosen)
        except (Failure, OSError, subprocess.TimeoutExpired) as failure:
            say(str(failure))
            continue
        values.update(measured)
        skipped.update(without)
    return values, skipped


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    names = [name for name in FIGURES if options.only in name and (name not in LONG or options.long or options.only == name)]
    if not names:
        say(f"there is no figure like '{options.only}': {', '.join(FIGURES)}")
        return 2
    # Said before anything is measured, so that nobody waits for half of the figures.
    missing = {**missing_tools(names, TOOLS), **missing_programs(names, options.bin)}
    for name, reason in {**missing_tools(names, COMPARED), **missing}.items():
        say(f"{name} can't be measured: {reason} (tests/bench/run.sh --install-deps)")
    values, skipped = measure_all(options, [name for name in names if name not in missing])
    skipped.update(missing)
    failed = {name for name in names if name not in values and name not in skipped}
    skipped.update({name: "can't be measured" for name in failed})
    missed = report(values, names, skipped, options.smoke, options.json)
    if missed:
        say("missed: " + ", ".join(missed))
    if missing or failed:
        say("not measured: " + ", ".join(sorted({*missing, *failed})))
        return 4
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
