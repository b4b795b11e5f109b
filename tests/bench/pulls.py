"""Reviews of pull requests, from the forge's webhook to its comment: the daemon, a forge and a git server on loopback. Called by harness.py."""

import json
import pathlib
import re
import socket
import subprocess
import tempfile
import time
import urllib.request

from common import Daemon, Failure, played_forge

# name: (unit, floor, larger is better), as in harness.py.
FIGURES = {
    "pulls.first_comment": ("ms", 1000, False),
    "pulls.fifty_seconds": ("s", None, False),
    "pulls.fifty_memory": ("MiB", 400, False),
}
SECRET = "a secret of benchmarks"
REPOSITORY = {"forge": "github", "repository": "octo/repo"}
# What a push adds to a file: one finding of the pack pypto.
ADDED = "\n\n@pypto.frontend.jit\ndef scaled(x, out):\n    return x * 2\n"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def operator(i):
    return f"custom/op{i}/op{i}_impl.py"


def kernel(i):
    return f"import pypto\n\n\n@pypto.frontend.jit\ndef op{i}(x, out):\n    pypto.set_vec_tile_shapes(64, 128)\n    out[:] = x * {i}\n"


def make_repository(folder, topics, megabytes):
    """A bare repository whose files can't be packed smaller, with a branch for each topic that breaks one kernel."""
    def commit(branch, parent, files):
        yield f"commit refs/heads/{branch}\ncommitter a <a@b> 1 +0000\ndata 1\nx\n".encode()
        if parent:
            yield f"from refs/heads/{parent}\n".encode()
        for path, data in files:
            yield f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"

    with open("/dev/urandom", "rb") as noise:
        files = [(f"data/{i % 50}/part{i}.bin", noise.read(1 << 16)) for i in range(16 * megabytes)]
    files += [(operator(i), kernel(i).encode()) for i in range(topics)]
    stream = b"".join(commit("main", None, files))
    for i in range(topics):
        stream += b"".join(commit(f"topic{i}", "main", [(operator(i), (kernel(i) + ADDED).encode())]))
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=stream, check=True)


def append(folder, branch, path, text):
    """Adds a commit to a branch of a bare repository."""
    old = subprocess.run(["git", "-C", str(folder), "show", f"{branch}:{path}"], check=True, capture_output=True).stdout
    data = old + text.encode()
    stream = (f"commit refs/heads/{branch}\ncommitter a <a@b> 2 +0000\ndata 1\ny\nfrom refs/heads/{branch}^0\n"
              f"M 100644 inline {path}\ndata {len(data)}\n").encode() + data + b"\n"
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet", "--force"], input=stream, check=True)


class Played:
    """A forge with a git server, and a daemon that reviews its pull requests."""

    def __init__(self, address):
        self.address = address

    def ask(self, call, body=None):
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f"http://{self.address}/_fake/{call}", data=data), timeout=60) as answer:
            return json.loads(answer.read())

    def open(self, topic):
        return self.ask("pulls", {**REPOSITORY, "title": f"topic {topic}", "body": "", "user": "ada", "head_ref": f"topic{topic}", "base_ref": "main"})["number"]

    def push(self, number):
        self.ask("push", {**REPOSITORY, "number": number, "pull": True, "user": "ada"})

    def summaries(self):
        """Number of a pull request → its summary comments."""
        subjects = self.ask("state")["github"]["octo/repo"]["subjects"]
        return {subject["number"]: [comment["body"] for comment in subject["comments"] if "template=review " in comment["body"]] for subject in subjects
                if subject["pull"]}

    def wait(self, what, met, seconds=120):
        begin = time.monotonic()
        while not met(self.summaries()):
            if time.monotonic() - begin > seconds:
                raise Failure(f"{what}: not there after {seconds} s")
            time.sleep(0.005)
        return time.monotonic() - begin


def peak_mib(process):
    return int(re.search(r"^VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{process.pid}/status").read_text(), re.M).group(1)) / 1024


def news(told, number):
    """How many findings the one comment of a pull request tells as new."""
    texts = told.get(number, [])
    if len(texts) > 1:
        raise Failure(f"pull request {number} has {len(texts)} summary comments")
    return int(re.search(r"(\d+) new", texts[0]).group(1)) if texts else 0


def measure_first_comment(played, git, rounds):
    """From a push to the comment that tells its finding, in milliseconds; the repository is in the cache by then."""
    number = played.open(0)
    played.wait("the first review", lambda told: news(told, number) > 0)
    taken = []
    for i in range(rounds):
        before = news(played.summaries(), number)
        append(git, "topic0", operator(0), ADDED.replace("scaled", f"scaled{i}"))
        begin = time.monotonic()
        played.push(number)
        played.wait("the comment after a push", lambda told, before=before: news(told, number) > before)
        taken.append(1000 * (time.monotonic() - begin))
    return sorted(taken)[len(taken) // 2]


def measure(folder, packs, smoke, _names):
    """Figures by name, and for those that there are none of, why."""
    pulls = 5 if smoke else 50
    with tempfile.TemporaryDirectory(prefix="yard-bench-") as home:
        work = pathlib.Path(home)
        git = work / "git" / "octo" / "repo.git"
        make_repository(git, pulls + 1, 1 if smoke else 100)
        (work / "secret").write_text(SECRET)
        forge = f"127.0.0.1:{free_port()}"
        token = {"file": str(work / "forge-token")}
        config = {
            "mode": "apply",
            "forges": {"github": {"api_url": f"http://{forge}", "git_url": f"http://{forge}/git", "token": token, "webhook_secrets": [{"file": str(work / "secret")}],
                                  "budget": {"mutations_per_minute": 100_000, "spacing_ms": 0, "requests_per_minute": 100_000}}},
            "repositories": [{**REPOSITORY, "packs": ["pypto"], "review": {"events": True, "debounce_ms": 0}}],
        }
        (work / "forge-token").write_text(SECRET)
        daemon = Daemon(folder, packs, config, parent=work)
        try:
            daemon.start()
            options = ["--git-root", str(work / "git"), "--webhook-url-github", f"http://{daemon.http}/webhooks/github", "--secret-file-github", str(work / "secret")]
            with played_forge(folder, work, forge, options) as address:
                played = Played(address)
                first = measure_first_comment(played, git, 1 if smoke else 7)
                begin = time.monotonic()
                numbers = [played.open(1 + i) for i in range(pulls)]
                played.wait("reviews of all pull requests", lambda told: all(news(told, number) > 0 for number in numbers))
                spent = time.monotonic() - begin
                return {"pulls.first_comment": first, "pulls.fifty_seconds": spent, "pulls.fifty_memory": peak_mib(daemon.process)}, {}
        finally:
            daemon.stop()
