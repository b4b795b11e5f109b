"""What the parts of the harness share."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request


class Failure(Exception):
    """Something can't be measured."""


def say(text):
    print("bench: " + text, file=sys.stderr, flush=True)


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        raise Failure(f"{pathlib.Path(command[0]).name} exits {result.returncode}: {(result.stderr or result.stdout).strip()[-500:]}")
    return result.stdout


class Daemon:
    """One yardmasterd on free ports."""

    def __init__(self, folder, packs, config=None, parent=None):
        """`config`: as in a config file; paths in it are relative to `home`. `parent`: the folder that `home` is made in."""
        self.program = folder / "yardmasterd"
        if not self.program.exists():
            raise Failure(f"{self.program} is not built")
        self.packs = packs
        self.config = config
        self.home = tempfile.TemporaryDirectory(prefix="yard-bench-", dir=parent)
        self.process = None

    def start(self):
        """Starts it and returns the milliseconds until its ready file is there."""
        home = pathlib.Path(self.home.name)
        ready = home / "ready.json"
        arguments = []
        if self.config is not None:
            (home / "config.json").write_text(json.dumps(self.config))
            arguments = ["--config", str(home / "config.json")]
        with open(home / "log", "wb") as log:
            begin = time.monotonic()
            self.process = subprocess.Popen(
                [str(self.program), *arguments, "--data-dir", str(home / "data"), "--listen-http", "127.0.0.1:0", "--listen-grpc", "127.0.0.1:0",
                 "--ready-file", str(ready)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, "YARD_PACKS": str(self.packs)})
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

    def own_mib(self):
        """Resident and its own: how many pages of programs and libraries are here is a matter of the page cache."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"^RssAnon:\s+(\d+) kB", status, re.M).group(1)) / 1024

    def answered(self, method, code):
        """How many calls of a method ended with a code, by the daemon's own count."""
        with urllib.request.urlopen(f"http://{self.http}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        total = 0
        for line in text.splitlines():
            if line.startswith("yardmaster_rpc_requests_total{") and f"{method}\"" in line and f"\"{code}\"" in line:
                total += float(line.rsplit(" ", 1)[1])
        return total


@contextlib.contextmanager
def played_forge(folder, work, listen, options):
    """yard-fakeforge, which takes the token in `work`/forge-token; yields its address."""
    program = folder / "yard-fakeforge"
    if not program.exists():
        raise Failure(f"{program} is not built")
    ready = work / "forge.json"
    with open(work / "forge.log", "wb") as log:
        process = subprocess.Popen([str(program), "--listen", listen, "--ready-file", str(ready), "--token-file", str(work / "forge-token"), *options],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        begin = time.monotonic()
        while not ready.exists():
            if process.poll() is not None or time.monotonic() - begin > 30:
                raise Failure(f"yard-fakeforge does not start: {(work / 'forge.log').read_text(errors='replace')[-500:]}")
            time.sleep(0.01)
        yield json.loads(ready.read_text())["http"]
    finally:
        process.terminate()
        process.wait(20)
