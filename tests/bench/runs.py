"""What it costs that suites go through a daemon and a worker: the test step next to the same pytest without them, and how fast a log comes to
who follows it. Called by harness.py."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import suites
from common import Daemon, Failure

# name: (unit, floor, larger is better), as in harness.py.
FIGURES = {
    "runs.pytest_1000": ("x", 1.15, False),
    "runs.log": ("MB/s", 100, True),
}
LOG_MB = 300
LINE = "a line of a log as tests print them, with a hundred bytes in it, so that lines are not the cost of it all"


def add_flood(work):
    """A suite whose step prints LOG_MB megabytes."""
    flood = suites.step("flood", ["sh", "-c", f"yes '{LINE}' | head -c {LOG_MB * 1_000_000}"], None)
    path = work / "packs" / "bench" / "suites" / "bench.json"
    content = json.loads(path.read_text())
    content["suites"].append(flood)
    path.write_text(json.dumps(content))


class Lab:
    """A daemon with a worker of its own, and what `yard` needs to talk to it."""

    def __init__(self, folder, work):
        self.folder, self.work = folder, work
        self.daemon = Daemon(folder, work / "packs", {"tokens": [
            {"name": "ops", "role": "operator", "secret": {"file": "ops.token"}}, {"name": "box", "role": "runner", "secret": {"file": "box.token"}}]})
        home = pathlib.Path(self.daemon.home.name)
        for name in ("ops", "box"):
            (home / f"{name}.token").write_text(f"{name}-token-of-a-benchmark")
        self.home, self.worker = home, None

    def __enter__(self):
        self.daemon.start()
        ready = self.home / "worker.json"
        with open(self.home / "worker.log", "wb") as log:
            self.worker = subprocess.Popen([self.folder / "yard-worker", "--server", self.daemon.grpc, "--token-file", self.home / "box.token", "--name", "box",
                                            "--devices", f"cpu:{os.cpu_count()}", "--work-dir", self.home / "work", "--ready-file", ready],
                                           stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        begin = time.monotonic()
        while not ready.exists():
            if self.worker.poll() is not None or time.monotonic() - begin > 30:
                raise Failure(f"yard-worker is not ready: {(self.home / 'worker.log').read_text(errors='replace')[-500:]}")
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        if self.worker is not None:
            self.worker.terminate()
            self.worker.wait(60)
        self.daemon.stop()

    def words(self, *words):
        return [self.folder / "yard", "--server", self.daemon.grpc, "--token-file", self.home / "ops.token", *words]


def step_through_worker(lab, suite, source):
    """Seconds of the one step of a suite that a worker runs."""
    result = subprocess.run(lab.words("test", "run", f"bench/{suite}", "--source", source, "--json", "--quiet"), stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Failure(f"yard test run {suite} exits {result.returncode}: {(result.stderr or result.stdout).strip()[-500:]}")
    out = lab.work / "fetched"
    shutil.rmtree(out, ignore_errors=True)
    fetched = subprocess.run(lab.words("test", "fetch", json.loads(result.stdout)["job"], "--out", out), stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, check=False)
    if fetched.returncode != 0:
        raise Failure(f"yard test fetch exits {fetched.returncode}: {fetched.stderr[-500:]}")
    outcome = json.loads((out / "result.json").read_text())
    ran = sum(test["verdict"] == "passed" for test in outcome["tests"])
    if ran != suites.TESTS:
        raise Failure(f"{suites.TESTS} tests of {suite} were expected to pass, and {ran} did")
    [only] = outcome["steps"]
    return only["end"] - only["begin"]


def log_rate(lab, source):
    """Megabytes a second that a follower gets, from the first byte of the step's output to the last."""
    submitted = json.loads(subprocess.run(lab.words("test", "run", "bench/flood", "--source", source, "--detach", "--json"), stdin=subprocess.DEVNULL,
                                          capture_output=True, text=True, check=True).stdout)
    begin = end = None
    got = 0
    process = subprocess.Popen(lab.words("test", "logs", "-f", submitted["job"]), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    while piece := process.stdout.read1(1 << 20):
        if LINE[:20].encode() in piece:
            begin = begin or time.monotonic()
            end = time.monotonic()
        got += len(piece) if begin else 0
    if process.wait() != 0 or got < 0.99 * LOG_MB * 1_000_000:
        raise Failure(f"the log of {LOG_MB} MB came as {got / 1e6:.0f} MB, and yard test logs exits {process.returncode}")
    return got / 1e6 / (end - begin)


def measure(folder, packs, smoke, names):
    """Figures by name, and for those that there are none of, why."""
    values, skipped = {}, {}
    rounds = 1 if smoke else 9
    with tempfile.TemporaryDirectory(prefix="yard-bench-") as work:
        work = pathlib.Path(work)
        source = suites.make_suites(work, packs)
        add_flood(work)
        with Lab(folder, work) as lab:
            if "runs.pytest_1000" in names:
                if subprocess.run([suites.PYTHON, "-c", "import pytest"], capture_output=True, check=False).returncode != 0:
                    skipped["runs.pytest_1000"] = f"{suites.PYTHON} has no pytest (python3-pytest)"
                else:
                    values["runs.pytest_1000"] = suites.best_to_best(
                        rounds, lambda: suites.bare(suites.pytest_words(str(work / "report.xml")), source, work / "log"),
                        lambda: step_through_worker(lab, "pytest-1000", source))
            if "runs.log" in names:
                values["runs.log"] = max(log_rate(lab, source) for _ in range(1 if smoke else 3))
    return values, skipped
