"""Runs the benchmark programs and the daemon under load, and compares with the floors. Called by run.sh, whose --help says what is measured."""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import review

# name: (unit, floor, larger is better). None: nothing to compare with. "computed": see triage_floor.
FIGURES = {
    "decide.cases": ("decisions/s", 20000, True),
    "decide.cases_with_dump": ("decisions/s", 3000, True),
    "decide.typical": ("decisions/s", None, True),
    "zones.cases": ("texts/s", None, True),
    "zones.cases_with_dump": ("texts/s", None, True),
    "pack.load": ("ms", None, False),
    "store.ingest": ("deliveries/s", 10000, True),
    "daemon.ready": ("ms", 300, False),
    "daemon.idle_memory": ("MiB", 60, False),
    "grpc.health": ("calls/s", None, True),
    "grpc.triage_issue": ("calls/s", "computed", True),
    **review.FIGURES,
}
PROGRAMS = {
    "decide.cases": ("decide_bench", "DecideCases"),
    "decide.cases_with_dump": ("decide_bench", "DecideCasesWithDump"),
    "decide.typical": ("decide_bench", "DecideTypicalCase"),
    "zones.cases": ("zones_bench", "ZonesOfCases"),
    "zones.cases_with_dump": ("zones_bench", "ZonesOfCasesWithDump"),
    "pack.load": ("decide_bench", "LoadPack"),
    "store.ingest": ("store_bench", "IngestUnderLoad/process_time/real_time"),
}


class Failure(Exception):
    """Something can't be measured."""


def say(text):
    print("bench: " + text, file=sys.stderr, flush=True)


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        raise Failure(f"{pathlib.Path(command[0]).name} exits {result.returncode}: {(result.stderr or result.stdout).strip()[-500:]}")
    return result.stdout


class Library:
    """Google Benchmark programs; one run for each figure."""

    def __init__(self, folder, smoke):
        self.folder = folder
        self.smoke = smoke

    def measure(self, name, brief=False):
        return self.measure_program(*PROGRAMS[name], brief)

    def measure_program(self, program, benchmark, brief=False):
        path = self.folder / "bench" / program
        if not path.exists():
            raise Failure(f"{path} is not built")
        repetitions, seconds = (1, 0.01) if self.smoke else (1, 0.4) if brief else (5, 0.6)
        out = run([str(path), f"--benchmark_filter=^{benchmark}$", "--benchmark_format=json", f"--benchmark_repetitions={repetitions}",
                   f"--benchmark_min_time={seconds}"])
        runs = [r for r in json.loads(out)["benchmarks"] if r.get("run_type") == "iteration"]
        for r in runs:
            if r.get("error_occurred"):
                raise Failure(f"{benchmark}: {r['error_message']}")
        if not runs:
            raise Failure(f"{program} has no benchmark {benchmark}")
        # Rates count processor time of the one thread. The best repetition is the one that was disturbed least; where a figure
        # is compared with others of its round, there is but one.
        if "items_per_second" in runs[0]:
            return max(r["items_per_second"] for r in runs)
        return min(r["cpu_time"] for r in runs)


class Daemon:
    """One yardmasterd on free ports."""

    def __init__(self, folder, packs):
        self.program = folder / "yardmasterd"
        if not self.program.exists():
            raise Failure(f"{self.program} is not built")
        self.packs = packs
        self.home = tempfile.TemporaryDirectory(prefix="yard-bench-")
        self.process = None

    def start(self):
        """Starts it and returns the milliseconds until its ready file is there."""
        home = pathlib.Path(self.home.name)
        ready = home / "ready.json"
        with open(home / "log", "wb") as log:
            begin = time.monotonic()
            self.process = subprocess.Popen(
                [str(self.program), "--data-dir", str(home / "data"), "--listen-http", "127.0.0.1:0", "--listen-grpc", "127.0.0.1:0",
                 "--ready-file", str(ready)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, "YARD_PACKS": self.packs})
        while not ready.exists():
            if self.process.poll() is not None:
                raise Failure(f"yardmasterd exits {self.process.returncode}: {(home / 'log').read_text(errors='replace')[-800:]}")
            if time.monotonic() - begin > 20:
                raise Failure("yardmasterd is not ready after 20 s")
            time.sleep(0.0005)
        spent = (time.monotonic() - begin) * 1000
        addresses = json.loads(ready.read_text())
        self.http, self.grpc = addresses["http"], addresses["grpc"]
        return spent

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise Failure("yardmasterd does not end 20 s after SIGTERM") from None
        self.process = None

    def resident_mib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.M).group(1)) / 1024

    def answered(self, method, code):
        """How many calls of a method ended with a code, by the daemon's own count."""
        with urllib.request.urlopen(f"http://{self.http}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        total = 0
        for line in text.splitlines():
            if line.startswith("yardmaster_rpc_requests_total{") and f"{method}\"" in line and f"\"{code}\"" in line:
                total += float(line.rsplit(" ", 1)[1])
        return total


def h2load(address, path, frame, requests):
    out = run(["h2load", "-n", str(requests), "-c", "8", "-m", "16", "-t", "1", "-d", frame, "-H", "content-type: application/grpc", "-H", "te: trailers",
               f"http://{address}{path}"])
    rate = re.search(r"finished in [\d.]+\w+, ([\d.]+) req/s", out)
    counts = re.search(r"requests: (\d+) total, \d+ started, \d+ done, (\d+) succeeded, (\d+) failed, (\d+) errored", out)
    if not rate or not counts or counts.group(1) != counts.group(2):
        raise Failure(f"h2load on {path}: " + (counts.group(0) if counts else out[-300:]))
    return float(rate.group(1))


def measure_start(folder, packs, smoke):
    """Milliseconds until ready (median) and MiB resident when idle (largest)."""
    ready, memory = [], []
    for _ in range(1 if smoke else 5):
        daemon = Daemon(folder, packs)
        try:
            ready.append(daemon.start())
            time.sleep(0.5)
            memory.append(daemon.resident_mib())
        finally:
            daemon.stop()
    return {"daemon.ready": statistics.median(ready), "daemon.idle_memory": max(memory)}


def measure_calls(folder, packs, smoke, library):
    """Health checks, decisions of the library and TriageIssue in turns, so that a disturbance meets all three; the figures are those of the
    round in the middle."""
    if shutil.which("h2load") is None:
        raise Failure("h2load is missing (deploy/install-deps.sh --with-analysis)")
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
        return rounds[len(rounds) // 2]
    finally:
        daemon.stop()


def triage_floor(values):
    return 0.9 / (1 / values["grpc.health"] + 1 / values["decide.typical"])


def report(values, names, skipped, smoke, as_json):
    """Prints the figures; returns those that miss their floor."""
    missed, lines = [], []
    for name in names:
        unit, floor, larger = FIGURES[name]
        if name in skipped:
            say(f"{name} is skipped: {skipped[name]}")
            if as_json:
                print(json.dumps({"name": name, "value": None, "unit": unit, "floor": None, "ratio": None, "skipped": skipped[name]}), flush=True)
            else:
                lines.append((name, "-", unit, "", "", "skipped"))
            continue
        value = values[name]
        if floor == "computed":
            floor = triage_floor(values)
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    names = [name for name in FIGURES if options.only in name]
    if not names:
        say(f"there is no figure like '{options.only}': {', '.join(FIGURES)}")
        return 2
    values, skipped = {}, {}
    try:
        library = Library(options.bin, options.smoke)
        for name in names:
            if name in PROGRAMS:
                say(f"measuring {name}")
                values[name] = library.measure(name)
        packs = os.environ["YARD_PACKS"]
        if any(name.startswith("daemon.") for name in names):
            say("measuring the start of the daemon")
            values.update(measure_start(options.bin, packs, options.smoke))
        if any(name.startswith("grpc.") for name in names):
            say("measuring calls")
            values.update(measure_calls(options.bin, packs, options.smoke, library))
        of_review = [name for name in names if name in review.FIGURES]
        if of_review:
            say("measuring reviews")
            measured, skipped = review.measure(options.bin, packs, options.smoke, lambda name: library.measure_program("review_bench", name), of_review)
            values.update(measured)
    except (Failure, review.Broken, OSError) as failure:
        say(str(failure))
        return 4
    missed = report(values, names, skipped, options.smoke, options.json)
    if missed:
        say("missed: " + ", ".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
