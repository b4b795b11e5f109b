"""What it costs that Yardmaster runs tests: the test step next to the same pytest and ctest without it, and a run with nothing to do. Called by harness.py."""

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
    "worker.pytest_1000": ("x", 1.15, False),
    "worker.ctest_1000": ("x", 1.15, False),
    "worker.fixed_cost": ("s", 1.5, False),
}
PYTHON = "/usr/bin/python3"
TESTS = 1000


def step(name, words, report):
    steps = [{"id": name, "run": words, "reports": [{"format": report, "file": "${OUT}/report.xml"}]}] if report else [{"id": name, "run": words}]
    return {"id": name, "title": "Tests that do nothing", "source": {"own": "bench"}, "environment": {"interpreter": PYTHON}, "limits": {"disk_mb": 1},
            "layers": [{"id": "correctness", "kind": "correctness", "steps": steps}]}


def pytest_words(report):
    return [PYTHON, "-m", "pytest", "-v", "-p", "no:cacheprovider", f"--junitxml={report}", "test_many.py"]


def ctest_words(report):
    return ["ctest", "--output-junit", report]


def make_suites(work, packs):
    """A packs folder with the pack `bench`, and the sources of its suites."""
    shutil.copytree(pathlib.Path(packs) / "common", work / "packs" / "common")
    bench = work / "packs" / "bench"
    (bench / "suites").mkdir(parents=True)
    (bench / "pack.json").write_text(json.dumps({"name": "bench", "title": "Suites to measure with", "extends": "common"}))
    suites = [step("pytest-1000", pytest_words("${OUT}/report.xml"), "junit"), step("ctest-1000", ctest_words("${OUT}/report.xml"), "ctest"),
              step("nothing", ["true"], None)]
    (bench / "suites" / "bench.json").write_text(json.dumps({"suites": suites}))
    source = work / "source"
    source.mkdir()
    (source / "test_many.py").write_text("import pytest\n\n\n@pytest.mark.parametrize('i', range(%d))\ndef test_nothing(i):\n    assert i >= 0\n" % TESTS)
    true = shutil.which("true")
    (source / "CTestTestfile.cmake").write_text("".join(f'add_test(nothing{i} "{true}")\n' for i in range(TESTS)))
    return source


def bare(words, source, log):
    """Seconds of a command by itself, with its output in a file."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with open(log, "wb") as out:
        begin = time.monotonic()
        result = subprocess.run(words, cwd=source, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment, check=False)
        taken = time.monotonic() - begin
    if result.returncode != 0:
        raise Failure(f"{words[0]} exits {result.returncode}: {pathlib.Path(log).read_text(errors='replace')[-500:]}")
    return taken


def best_to_best(rounds, bare_seconds, run_seconds):
    """The shortest of some runs / the shortest of some bare ones. They last under a second, and a disturbance makes them half as long again; taken in
    turns, so that both have quiet moments."""
    pairs = [(bare_seconds(), run_seconds()) for _ in range(rounds)]
    return min(run for _, run in pairs) / min(alone for alone, _ in pairs)


def in_a_run(yard, suite, work, source, tests):
    """Seconds of the one step of a suite, and of the whole run."""
    out = work / "out"
    shutil.rmtree(out, ignore_errors=True)
    begin = time.monotonic()
    result = subprocess.run([yard, "test", "run", f"bench/{suite}", "--local", "--json", "--quiet", "--packs", work / "packs", "--source", source, "--out", out],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    whole = time.monotonic() - begin
    if result.returncode != 0:
        raise Failure(f"yard test run {suite} exits {result.returncode}: {(result.stderr or result.stdout).strip()[-500:]}")
    outcome = json.loads(result.stdout)
    ran = sum(test["verdict"] == "passed" for test in outcome["tests"])
    if ran != tests:
        raise Failure(f"{tests} tests of {suite} were expected to pass, and {ran} did")
    [only] = outcome["steps"]
    return only["end"] - only["begin"], whole


def measure(folder, packs, smoke, names):
    """Figures by name, and for those that there are none of, why."""
    values, skipped = {}, {}
    yard = folder / "yard"
    if not yard.exists():
        raise Failure(f"{yard} is not built")
    rounds = 1 if smoke else 9
    with tempfile.TemporaryDirectory(prefix="yard-bench-") as work:
        work = pathlib.Path(work)
        source = make_suites(work, packs)
        for name, suite, words in [("worker.pytest_1000", "pytest-1000", pytest_words), ("worker.ctest_1000", "ctest-1000", ctest_words)]:
            if name not in names:
                continue
            if suite == "pytest-1000" and subprocess.run([PYTHON, "-c", "import pytest"], capture_output=True, check=False).returncode != 0:
                skipped[name] = f"{PYTHON} has no pytest (python3-pytest)"
                continue
            if suite == "ctest-1000" and shutil.which("ctest") is None:
                skipped[name] = "there is no ctest (cmake)"
                continue
            values[name] = best_to_best(rounds, lambda: bare(words(str(work / "report.xml")), source, work / "log"),
                                        lambda: in_a_run(yard, suite, work, source, TESTS)[0])
        if "worker.fixed_cost" in names:
            values["worker.fixed_cost"] = statistics.median(in_a_run(yard, "nothing", work, source, 0)[1] for _ in range(rounds))
    return values, skipped
