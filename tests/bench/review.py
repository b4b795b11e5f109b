"""Reviews of a kernel, a file in a process of its own, and a tree, next to a bare parse, another linter and ast-grep. Called by harness.py."""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

from common import Failure

# name: (unit, floor, larger is better), as in harness.py.
FIGURES = {
    "review.kernel_to_parse": ("x", 2, False),
    "review.all_to_tenth": ("x", 4, False),
    "review.file_to_linter": ("x", 8, True),
    "review.tree_growth": ("x", 2.2, False),
    "review.tree_memory": ("MiB", 300, False),
    "review.diff_5000": ("ms", 300, False),
    "review.diff_to_parse": ("x", 2, False),
    "review.tree_to_ast_grep": ("x", 1, False),
    "review.tree_all_to_ast_grep": ("x", 3, False),
}
# How many packs review_bench has changes for: ParseOfDiff/0, RulesOfDiff/0, …
DIFF_PACKS = 4
# Calls that both programs are asked for. As with real rules most files have few: the first is made once in each kernel.
CALLS = ["empty_like", "exp", "matmul", "softmax", "sum", "mean", "amax", "sqrt", "rsqrt", "sigmoid", "tanh", "relu", "where", "topk", "cumsum", "clamp", "abs",
         "add", "mul", "div"]


def kernel(name, helpers):
    """A kernel as people write them, about 660 bytes for each helper."""
    text = ["import torch", "import pypto", "", "TILE = 64", "HEAD = 128", "", ""]
    for i in range(helpers):
        text += [f"def pypto_stage{i}(q, k, v, out, scale: float = 1.0):", f'    """Scores of block {i} of {name}."""', "    pypto.set_vec_tile_shapes(16, TILE)",
                 "    pypto.set_cube_tile_shapes([64, 128], [64, 128], [64, 128])",
                 f'    for b in pypto.loop(q.shape[0], name="batch{i}", idx_name="b"):', "        q_view = pypto.view(q, [TILE, HEAD], [b * TILE, 0])",
                 "        scores = pypto.matmul(q_view, k, pypto.DT_FP32, b_trans=True)", "        scaled = pypto.mul(scores, scale)",
                 "        row_max = pypto.amax(scaled, dim=-1, keepdim=True)", "        probs = pypto.exp(pypto.sub(scaled, row_max))",
                 "        pypto.assemble(pypto.matmul(probs, v, pypto.DT_FP32), [b * TILE, 0], out)", "", ""]
    tensor = "pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_FP32)"
    text += ["@pypto.frontend.jit", f"def kernel(q: {tensor}, k: {tensor}, out: {tensor}):"]
    text += [f"    pypto_stage{i}(q, k, k, out)" for i in range(helpers)]
    text += ["", "", f"def {name}_wrapper(q, k):", "    out = torch.empty_like(q)", "    kernel(q, k, out)", "    return out", ""]
    return "\n".join(text)


def make_tree(folder, operators):
    """A folder with one kernel of about 20 KB for each operator, or links to a folder of the caller's."""
    given = os.environ.get("YARD_BENCH_TREE")
    if given:
        files = sorted(pathlib.Path(given).rglob("*.py"))[:operators]
        for i, path in enumerate(files):
            (folder / f"op{i}").mkdir(parents=True)
            shutil.copy(path, folder / f"op{i}" / f"op{i}_impl.py")
        return folder
    for i in range(operators):
        (folder / f"op{i}").mkdir(parents=True)
        (folder / f"op{i}" / f"op{i}_impl.py").write_text(kernel(f"op{i}", 30))
    return folder


def make_pack(folder):
    """A pack with one check for each of CALLS; returns the packs folder."""
    checks = [{"id": f"C{i}", "title": f"calls of {name}", "severity": "S3", "each": "call", "where": {"name": f"torch.{name}"}, "message": f"{name} is called",
               "bad": [["import torch", f"torch.{name}(1)"]], "good": [["import torch", "torch.other(1)"]]} for i, name in enumerate(CALLS)]
    pack = folder / "calls"
    (pack / "checks").mkdir(parents=True)
    (pack / "pack.json").write_text(json.dumps({"name": "calls", "title": "Calls"}))
    roles = [{"role": "code", "path": r".*\.py", "example": "a.py"}]
    (pack / "checks" / "calls.json").write_text(json.dumps({"roles": roles, "checks": checks}))
    return folder


def make_repository(folder, files, changed):
    """A bare repository of so many files, and a branch `topic` that adds 100 lines to so many of them."""
    def text(i, added):
        lines = [f"def f{i}_{j}(a, b):\n    return torch.add(a, b) * {j}\n" for j in range(20)]
        lines += [f"def g{i}_{j}(x):\n    y = x * {j}\n    print(y)\n    return torch.exp(y)\n" for j in range(25 if added else 0)]
        return ("import torch\n" + "".join(lines)).encode()

    def commit(branch, parent, paths, added):
        yield f"commit refs/heads/{branch}\ncommitter a <a@b> 1 +0000\ndata 1\nx\n".encode()
        if parent:
            yield f"from refs/heads/{parent}\n".encode()
        for i in paths:
            data = text(i, added)
            yield f"M 100644 inline pkg{i % 200}/mod{i // 200}/file{i}.py\ndata {len(data)}\n".encode() + data + b"\n"

    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    stream = b"".join([*commit("main", None, range(files), False), *commit("topic", "main", range(0, files, files // changed), True)])
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=stream, check=True)
    return folder


def make_ast_grep_rules(folder):
    """The same for ast-grep; returns its configuration."""
    (folder / "rules").mkdir(parents=True)
    for i, name in enumerate(CALLS):
        (folder / "rules" / f"c{i}.yml").write_text(f"id: c{i}\nlanguage: python\nseverity: hint\nmessage: {name} is called\nrule:\n  pattern: torch.{name}($$$)\n")
    config = folder / "sgconfig.yml"
    config.write_text("ruleDirs: [rules]\n")
    return config


def timed(command, env=None, output=False):
    """Seconds that a command takes, its peak of resident MiB, and what it printed when that is asked for."""
    with tempfile.TemporaryFile() as out:
        begin = time.monotonic()
        process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})})
        _, status, usage = os.wait4(process.pid, 0)
        spent = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1, 2):
            raise Failure(f"{pathlib.Path(command[0]).name} exits {process.returncode}")
        out.seek(0)
        return spent, usage.ru_maxrss / 1024, out.read().decode(errors="replace") if output else ""


def medians(rounds, **commands):
    """Median seconds of each command, measured in turns."""
    taken = {name: [] for name in commands}
    for _ in range(rounds):
        for name, (command, env) in commands.items():
            taken[name].append(timed(command, env)[0])
    return {name: statistics.median(times) for name, times in taken.items()}


def tree(yard, folder, packs, pack, *options):
    return [yard, "review", "tree", folder, "--pack", pack, "--jobs", "2", "--format", "json", *options], {"YARD_PACKS": str(packs)}


def measure(folder, packs, smoke, library, names):
    """Figures by name, and for those that there are none of, why. `library(name, ...)` has the times of benchmarks of review_bench."""
    values, skipped = {}, {}
    rounds = 1 if smoke else 5
    if {"review.kernel_to_parse", "review.all_to_tenth"} & set(names):
        times = library("AllRules/30", "BareParse/30", "ATenthOfTheRules/30")
        values["review.kernel_to_parse"] = times["AllRules/30"] / times["BareParse/30"]
        values["review.all_to_tenth"] = times["AllRules/30"] / times["ATenthOfTheRules/30"]
    if "review.diff_to_parse" in names:
        packs_of = range(DIFF_PACKS)
        times = library(*(f"{name}/{i}" for i in packs_of for name in ("RulesOfDiff", "ParseOfDiff")))
        values["review.diff_to_parse"] = max(times[f"RulesOfDiff/{i}"] / times[f"ParseOfDiff/{i}"] for i in packs_of)
    yard = folder / "yard"
    if not yard.exists():
        raise Failure(f"{yard} is not built")
    with tempfile.TemporaryDirectory(prefix="yard-bench-") as work:
        work = pathlib.Path(work)
        if "review.file_to_linter" in names:
            linter = os.environ.get("YARD_BENCH_PYPTO_LINT")
            if not linter:
                skipped["review.file_to_linter"] = "YARD_BENCH_PYPTO_LINT does not name the linter's script"
            else:
                operator = work / "custom" / "demo"
                operator.mkdir(parents=True)
                (operator / "demo_impl.py").write_text(kernel("demo", 30))
                ours = [yard, "review", "file", operator / "demo_impl.py", "--pack", "pypto", "--profile", "strict"]
                took = medians(rounds * 4, ours=(ours, {"YARD_PACKS": str(packs)}), theirs=(["python3", linter, "--lint-impl", "--op-dir", operator], None))
                values["review.file_to_linter"] = took["theirs"] / took["ours"]
        if "review.diff_5000" in names:
            files, changed = (200, 5) if smoke else (20_000, 50)
            repository = make_repository(work / "repository.git", files, changed)
            command = [yard, "review", "diff", "--repo", repository, "--base", "main", "--head", "topic", "--pack", "calls", "--format", "json"]
            environment = {"YARD_PACKS": str(make_pack(work / "diff-packs"))}
            found = len(json.loads(timed(command, environment, output=True)[2])["findings"])
            if found != 25 * changed:
                raise Failure(f"yard review diff finds {found} calls, not {25 * changed}")
            values["review.diff_5000"] = 1000 * medians(rounds, ours=(command, environment))["ours"]
        operators = 10 if smoke else 150
        once, twice = make_tree(work / "once", operators), make_tree(work / "twice", 2 * operators)
        if {"review.tree_growth", "review.tree_memory"} & set(names):
            took = medians(rounds, once=tree(yard, once, packs, "pypto", "--profile", "strict"), twice=tree(yard, twice, packs, "pypto", "--profile", "strict"))
            values["review.tree_growth"] = took["twice"] / took["once"]
            values["review.tree_memory"] = timed(*tree(yard, twice, packs, "pypto", "--profile", "strict"))[1]
        if {"review.tree_to_ast_grep", "review.tree_all_to_ast_grep"} & set(names):
            program = os.environ.get("YARD_BENCH_AST_GREP") or shutil.which("ast-grep")
            if not program:
                for name in ("review.tree_to_ast_grep", "review.tree_all_to_ast_grep"):
                    skipped[name] = "there is no ast-grep (npm install @ast-grep/cli), and YARD_BENCH_AST_GREP names none"
            else:
                theirs = [program, "scan", "-c", make_ast_grep_rules(work / "rules"), "--json=stream", "-j", "2", twice], None
                ours = tree(yard, twice, make_pack(work / "packs"), "calls")
                found = len(timed(*theirs, output=True)[2].splitlines()), len(json.loads(timed(*ours, output=True)[2])["findings"])
                if found[0] != found[1] or (found[0] == 0 and "YARD_BENCH_TREE" not in os.environ):
                    raise Failure(f"ast-grep finds {found[0]} calls, yard {found[1]}")
                took = medians(rounds, theirs=theirs, ours=ours, all=tree(yard, twice, packs, "pypto", "--profile", "strict"))
                values["review.tree_to_ast_grep"] = took["ours"] / took["theirs"]
                values["review.tree_all_to_ast_grep"] = took["all"] / took["theirs"]
    return values, skipped
