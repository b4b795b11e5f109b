"""A developer's clone of 18,000 files: squash and rebase of 50 commits next to what git's command line takes for them, and the status of a pull request on
loopback. Called by harness.py."""

import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from common import Failure, run

# name: (unit, floor, larger is better), as in harness.py.
FIGURES = {
    "workflow.squash_to_git": ("x", 0.7, False),
    "workflow.rebase_to_git": ("x", 0.7, False),
    "workflow.status": ("ms", 150, False),
}
FILES = 18_000
COMMITS = 50


def environment(home):
    return {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com"}


def make_clone(folder, files, commits):
    """A clone whose branch `topic` has so many commits on main, with the remotes `origin` and `upstream`, and `r1` there: main with five commits more."""
    def text(i, line):
        return "".join(f"def f{i}_{j}(a, b):\n    return a + b * {line if j == 3 else j}\n" for j in range(10))

    def commit(branch, parent, changes):
        stream.append(f"commit refs/heads/{branch}\ncommitter A <a@example.com> 1700000000 +0000\ndata 2\nx\n")
        stream.append(f"from {parent}\n" if parent else "")
        for path, content in changes:
            stream.append(f"M 100644 inline {path}\ndata {len(content)}\n{content}\n")

    def path(i):
        return f"d{i // 1000}/e{i // 60}/f{i}.py"

    stream = []
    commit("main", None, [(path(i), text(i, 1)) for i in range(files)])
    for n in range(commits):
        commit("topic", "refs/heads/main" if n == 0 else None, [(path((n * 37 + k) % files), text(n, n + k)) for k in range(3)])
    for n in range(5):
        commit("r1", "refs/heads/main" if n == 0 else None, [(path(files - 1 - n), text(n, n + 500))])
    bare = folder / "root/octo/repo.git"
    bare.parent.mkdir(parents=True)
    env = environment(folder)
    run(["git", "init", "-q", "--bare", "-b", "main", str(bare)], env=env)
    run(["git", "-C", str(bare), "fast-import", "--quiet"], env=env, input="".join(stream))
    run(["git", "clone", "-q", "-o", "upstream", str(bare), str(folder / "clone")], env=env)
    run(["git", "clone", "-q", "--bare", str(bare), str(folder / "root/alice/repo.git")], env=env)
    run(["git", "remote", "add", "origin", str(folder / "root/alice/repo.git")], env=env, cwd=folder / "clone")
    run(["git", "checkout", "-q", "-b", "topic", "upstream/topic"], env=env, cwd=folder / "clone")
    for key, value in (("user.name", "A"), ("user.email", "a@example.com")):
        run(["git", "config", key, value], env=env, cwd=folder / "clone")
    return folder / "clone"


def seconds(command, clone, env, **more):
    begin = time.monotonic()
    run(command, cwd=clone, env={**env, **more})
    return time.monotonic() - begin


def in_turns(rounds, ours, theirs, back):
    """Median of our time over theirs; each run begins with `back`."""
    ratios = []
    for _ in range(rounds):
        back()
        own = ours()
        back()
        ratios.append(own / theirs())
    back()
    return statistics.median(ratios)


def measure_rewrites(yard, folder, smoke):
    clone = make_clone(folder, 500 if smoke else FILES, 5 if smoke else COMMITS)
    env = environment(folder)
    tip = run(["git", "rev-parse", "HEAD"], cwd=clone, env=env).strip()

    def back():
        run(["git", "checkout", "-q", "-f", "topic"], cwd=clone, env=env)
        run(["git", "reset", "-q", "--hard", tip], cwd=clone, env=env)
        run(["git", "update-index", "-q", "--refresh"], cwd=clone, env=env)
        for branch in run(["git", "for-each-ref", "--format=%(refname)", "refs/heads/backport"], cwd=clone, env=env).split():
            run(["git", "update-ref", "-d", branch], cwd=clone, env=env)

    rounds = 1 if smoke else 7
    squash = in_turns(
        rounds, lambda: seconds([yard, "workflow", "squash", "--base", "upstream/main", "-m", "feat: all", "--repo", str(clone)], clone, env),
        # All but the first commit are melted into it.
        lambda: seconds(["git", "rebase", "-q", "-i", "upstream/main"], clone, env, GIT_SEQUENCE_EDITOR="sed -i '2,$s/^pick/fixup/'", GIT_EDITOR="true"), back)
    rebase = in_turns(
        rounds, lambda: seconds([yard, "workflow", "backport", "upstream/main..topic", "--to", "r1", "--no-push", "--repo", str(clone)], clone, env),
        lambda: (seconds(["git", "fetch", "-q", "upstream", "r1"], clone, env) + seconds(["git", "rebase", "-q", "upstream/r1"], clone, env)), back)
    return {"workflow.squash_to_git": squash, "workflow.rebase_to_git": rebase}


def measure_status(bin_folder, folder, smoke):
    (folder / "token").write_text("token-of-the-bench")
    ready = folder / "forge.json"
    with subprocess.Popen([str(bin_folder / "yard-fakeforge"), "--listen", "127.0.0.1:0", "--ready-file", str(ready), "--token-file", str(folder / "token"),
                           "--git-root", str(folder / "root")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as forge:
        try:
            for _ in range(500):
                if ready.exists() or forge.poll() is not None:
                    break
                time.sleep(0.02)
            address = json.loads(ready.read_text())["http"]
            body = {"forge": "github", "repository": "octo/repo", "title": "t", "user": "alice", "head_repository": "alice/repo", "head_ref": "topic",
                    "base_ref": "main"}
            run(["curl", "-fsS", "-d", json.dumps(body), f"http://{address}/_fake/pulls"])
            clone = folder / "clone"
            env = environment(folder)
            for remote, owner in (("origin", "alice"), ("upstream", "octo")):
                run(["git", "remote", "set-url", remote, f"http://{address}/git/{owner}/repo.git"], cwd=clone, env=env)
            (folder / "config.json").write_text(json.dumps({"forges": {"github": {"api_url": f"http://{address}", "git_url": f"http://{address}/git",
                                                                                   "token": {"file": "token"}}}}))
            command = [str(bin_folder / "yard"), "workflow", "status", "1", "--repo", str(clone), "--config", str(folder / "config.json")]
            times = [seconds(command, clone, env) for _ in range(2 if smoke else 15)]
            return {"workflow.status": statistics.median(times) * 1000}
        finally:
            forge.terminate()


def measure(folder, _packs, smoke, names):
    """Figures by name, and for those that there are none of, why."""
    yard = folder / "yard"
    if not yard.exists():
        raise Failure(f"{yard} is not built")
    with tempfile.TemporaryDirectory(prefix="yard-bench-") as scratch:
        place = pathlib.Path(scratch)
        told = measure_rewrites(str(yard), place, smoke)
        if "workflow.status" in names:
            told.update(measure_status(folder, place, smoke))
        return told, {}
