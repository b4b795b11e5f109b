"""Durable ingest, compared with Probot: the same deliveries, the same sender, in turns. Called by harness.py."""

import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from common import Daemon, Failure, played_forge, run, say

SECRET = "a-secret-of-the-webhooks"
CONNECTIONS = 128
# How many issues wait to be planned.
BACKLOG = 2000
# Issues' numbers in runs that must not overlap.
STRIDE = 1_000_000


class Skipped(Exception):
    """Nothing to compare with, and why."""


def seconds_of_cpu(pid):
    """User and system time of a process, all of its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def metric(http, name):
    for line in get(f"http://{http}/metrics").splitlines():
        if line.startswith(name + " "):
            return float(line.rsplit(" ", 1)[1])
    raise Failure(f"/metrics has no {name}")


def write_config(home, repositories, api_url="http://127.0.0.1:1"):
    """What a daemon for these measurements is configured with; nothing that is measured differs from the defaults."""
    (home / "secret").write_text(SECRET)
    budget = {"mutations_per_minute": 100_000, "mutations_per_hour": 1_000_000, "spacing_ms": 0, "requests_per_minute": 1_000_000}
    return {"mode": "dry-run",
            "forges": {"github": {"api_url": api_url, "token": {"file": str(home / "secret")}, "bot_login": "yardbot", "budget": budget,
                                  "webhook_secrets": [{"file": str(home / "secret")}]}},
            "repositories": repositories}


class Ours:
    """yardmasterd with a store of its own, and what it has accepted."""

    def __init__(self, folder, packs, work, repositories=(), api_url="http://127.0.0.1:1"):
        self.daemon = Daemon(folder, packs, parent=work)
        home = pathlib.Path(self.daemon.home.name)
        self.daemon.config = write_config(home, list(repositories), api_url)
        self.database = home / "data" / "yardmaster.db"
        self.daemon.start()
        self.pid = self.daemon.process.pid
        self.accepted = 0
        self.path = "/webhooks/github"

    @property
    def port(self):
        return int(self.daemon.http.rsplit(":", 1)[1])

    def stop(self):
        self.daemon.stop()

    def count(self, query):
        with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as database:
            return database.execute(query).fetchone()[0]

    def check(self):
        """Stops it, and fails unless all that was accepted is in the store, with its body."""
        self.stop()
        stored = self.count("select count(*) from deliveries d join bodies b on b.delivery = d.id")
        if stored != self.accepted:
            raise Failure(f"{self.accepted} deliveries were accepted, but {stored} are stored")


class Probot:
    """The smallest app on Probot. It keeps nothing: what it takes is lost when it dies."""

    def __init__(self, work):
        source = pathlib.Path(__file__).parent / "probot"
        self.install(source)
        self.log = work / "probot.log"
        port_file = work / "probot.port"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["node", str(source / "app.js"), str(port_file)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env={**os.environ, "NODE_ENV": "production", "WEBHOOK_SECRET": SECRET})
        self.pid = self.process.pid
        self.accepted = 0
        self.path = "/api/github/webhooks"
        begin = time.monotonic()
        while not port_file.exists():
            if self.process.poll() is not None or time.monotonic() - begin > 30:
                self.stop()
                raise Failure(f"Probot does not start: {self.log.read_text(errors='replace')[-500:]}")
            time.sleep(0.05)
        self.port = int(port_file.read_text())

    @staticmethod
    def install(source):
        for tool in ("node", "npm"):
            if shutil.which(tool) is None:
                raise Skipped(f"{tool} is not installed")
        installed = source / "node_modules" / ".package-lock.json"
        if installed.exists() and installed.stat().st_mtime >= (source / "package-lock.json").stat().st_mtime:
            return
        say("installing Probot")
        try:
            run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=20000"], cwd=source, timeout=300)
        except (Failure, subprocess.TimeoutExpired) as failure:
            raise Skipped(f"Probot can't be installed: {' '.join(str(failure).split())[-300:]}") from None

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)

    def check(self):
        handled = int(get(f"http://127.0.0.1:{self.port}/handled"))
        self.stop()
        if handled != self.accepted:
            raise Failure(f"Probot accepted {self.accepted} deliveries, but handled {handled}")


class Sender:
    """The load generator; no two of its deliveries are alike."""

    def __init__(self, folder):
        self.program = folder / "bench" / "webhook_load"
        if not self.program.exists():
            raise Failure(f"{self.program} is not built")
        self.next = 0

    def send(self, target, seconds, rate=0, requests=200_000, arguments=()):
        """Returns what the sender measured and the processor time that a delivery took `target`, in microseconds."""
        before = seconds_of_cpu(target.pid)
        result = json.loads(run([str(self.program), "--port", str(target.port), "--path", target.path, "--secret", SECRET, "--connections", str(CONNECTIONS),
                                 "--first", str(self.next), "--seconds", str(seconds), "--rate", str(rate), "--requests", str(requests), *arguments]))
        spent = seconds_of_cpu(target.pid) - before
        self.next += STRIDE
        if result["accepted"] != result["sent"]:
            raise Failure(f"{result['sent']} deliveries were sent, but {result['accepted']} accepted: {result['statuses']}")
        target.accepted += result["accepted"]
        return result, spent / max(result["accepted"], 1) * 1e6


def p99_of_disk(work, seconds):
    """Milliseconds until all but one of a hundred appends of 64 KiB are on the disk, of which one is due every 3 ms; each counts from then."""
    block, times, period = os.urandom(64 * 1024), [], 0.003
    file = os.open(work / "disk", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    try:
        begin = time.monotonic()
        for i in range(int(seconds / period)):
            due = begin + i * period
            time.sleep(max(0, due - time.monotonic()))
            os.write(file, block)
            os.fdatasync(file)
            times.append((time.monotonic() - due) * 1000)
    finally:
        os.close(file)
    return sorted(times)[len(times) * 99 // 100]


def measure_rates(folder, packs, work, smoke, sender):
    """Both in turns, so that a disturbance meets both; then our own latency at half of our rate."""
    rounds, seconds, warm_up = (1, 0.3, 0.1) if smoke else (5, 4, 1)
    values, skipped = {}, {}
    ours, probot = Ours(folder, packs, work), None
    try:
        try:
            probot = Probot(work)
            sender.send(probot, 3 * warm_up)
        except Skipped as reason:
            say(f"skipped: the comparison with Probot: {reason}")
            skipped = {name: str(reason) for name in ("ingest.requests_of_probot", "ingest.cpu_of_probot")}
        results = {"ingest.requests": [], "ingest.cpu": [], "ingest.requests_of_probot": [], "ingest.cpu_of_probot": []}
        for _ in range(rounds):
            for target, suffix in ((probot, "_of_probot"), (ours, "")):
                if target is None:
                    continue
                sender.send(target, warm_up)
                result, cpu = sender.send(target, seconds)
                results["ingest.requests" + suffix].append(result["per_second"])
                results["ingest.cpu" + suffix].append(cpu)
                say(f"  {'Probot     ' if suffix else 'yardmasterd'} {result['per_second']:8.0f} deliveries/s, {cpu:6.1f} us of processor time each")
        values = {name: statistics.median(found) for name, found in results.items() if found}

        # Rounds of a second: a disk that others use as well stops for tens of milliseconds now and then, and one stop makes the p99 of the
        # round that it falls into. Before each the same is asked of the disk alone, which shows how often it does.
        latencies, of_disk = [], []
        for _ in range(1 if smoke else 20):
            of_disk.append(p99_of_disk(work, 0.2 if smoke else 0.5))
            result, _ = sender.send(ours, 0.3 if smoke else 1, rate=values["ingest.requests"] / 2)
            latencies.append(result["p99_ms"])
            say(f"  open load of {values['ingest.requests'] / 2:.0f} deliveries/s: p50 {result['p50_ms']:.1f} ms, p99 {result['p99_ms']:.1f} ms, "
                f"longest {result['max_ms']:.1f} ms; the disk alone: p99 {of_disk[-1]:.1f} ms")
        values["ingest.p99"] = statistics.median(latencies)
        values["ingest.p99_of_disk"] = statistics.median(of_disk)
        if probot is not None:
            probot.check()
        ours.check()
    finally:
        ours.stop()
        if probot is not None:
            probot.stop()
    return values, skipped


def issue_file(work, issues):
    """The option with which yard-fakeforge begins with these issues."""
    path = work / "issues.jsonl"
    path.write_text("".join(json.dumps(issue) + "\n" for issue in issues), encoding="utf-8")
    (work / "forge-token").write_text(SECRET)
    return ["--issues", str(path)]


def measure_planning(folder, packs, work, smoke, sender):
    """Deliveries planned per second once they are all stored, in dry-run; the forge that is asked for each issue runs beside."""
    pack = os.environ.get("YARD_BENCH_PACK", "pytorch-distributed")
    entry = json.loads((pathlib.Path(packs) / pack / "pack.json").read_text()).get("entry_label", "")
    labels = [entry] if entry else []
    backlog = 100 if smoke else BACKLOG
    cases = [json.loads(line) for line in (pathlib.Path(__file__).parents[1] / "data" / "triage_cases.jsonl").read_text().splitlines() if line]
    first = 1_000_000_000 + sender.next
    issues = [{"forge": "github", "repository": "octo/repo", "number": first + i, "title": f"{cases[i % len(cases)]['title']} ({i})",
               "body": cases[i % len(cases)]["body"], "labels": labels, "quiet": True} for i in range(backlog)]
    with played_forge(folder, work, "127.0.0.1:0", issue_file(work, issues)) as forge:
        ours = Ours(folder, packs, work, [{"forge": "github", "repository": "octo/repo", "packs": [pack]}], f"http://{forge}")
        try:
            arguments = ["--repository", "octo/repo"]
            for label in labels:
                arguments += ["--label", label]
            sender.send(ours, 60, requests=backlog, arguments=arguments)
            begin = time.monotonic()
            pending = waiting = metric(ours.daemon.http, "yardmaster_inbox_pending")
            while pending > 0:
                if time.monotonic() - begin > 120:
                    raise Failure(f"{pending:.0f} of {backlog} deliveries are still pending after 120 s")
                time.sleep(0.01)
                pending = metric(ours.daemon.http, "yardmaster_inbox_pending")
            spent = time.monotonic() - begin
            ours.check()
            decided = ours.count("select count(*) from decisions")
            done = ours.count("select count(*) from deliveries where state = 'done'")
            if decided != backlog or done != backlog:
                raise Failure(f"of {backlog} deliveries {done} are done and {decided} were decided")
            return waiting / spent
        finally:
            ours.stop()


def measure(folder, packs, smoke, names):
    """Figures by name, and for those that there are none of, why."""
    values, skipped = {}, {}
    sender = Sender(folder)
    # Beside the programs: what is measured is a disk, which the system's folder for temporary files need not be.
    with tempfile.TemporaryDirectory(prefix="bench-", dir=folder.parent, ignore_cleanup_errors=True) as work:
        work = pathlib.Path(work)
        if set(names) - {"ingest.planned"}:
            values, skipped = measure_rates(folder, packs, work, smoke, sender)
        if "ingest.planned" in names:
            say("measuring how fast a backlog is planned")
            values["ingest.planned"] = measure_planning(folder, packs, work, smoke, sender)
    return values, skipped
