"""Importing the package changes nothing: a process of its own imports it and tells what it sees before and after."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent

_PROBE = """
import json, os, sys, threading
import torch, torch.distributed as dist

def state():
    sockets = 0
    for number in os.listdir("/proc/self/fd"):
        try:
            sockets += os.readlink(f"/proc/self/fd/{number}").startswith("socket:")
        except OSError:
            pass
    with open("/proc/self/status") as file:
        threads = next(int(line.split()[1]) for line in file if line.startswith("Threads:"))
    return {
        "threads": threads,
        "python_threads": threading.active_count(),
        "sockets": sockets,
        "environment": dict(os.environ),
        "initialised": dist.is_initialized(),
        "dtype": str(torch.get_default_dtype()),
        "grad": torch.is_grad_enabled(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "seed": torch.initial_seed(),
        "rng": hash(bytes(torch.get_rng_state().numpy())) % 1000003,
        "torch_threads": torch.get_num_threads(),
        "cuda": torch.cuda.is_initialized(),
    }

before = state()
import sharded, sharded.collectives, sharded.layout, sharded.operators, sharded.modules
after = state()
modules = sorted(name for name in sys.modules if name.startswith("sharded"))
print(json.dumps({"before": before, "after": after, "modules": modules}))
"""


@pytest.fixture(scope="module")
def seen():
    environment = {key: value for key, value in os.environ.items() if key not in ("RANK", "WORLD_SIZE")}
    environment["PYTHONPATH"] = str(HERE)
    done = subprocess.run(
        [sys.executable, "-B", "-c", _PROBE], capture_output=True, text=True, env=environment, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {"facts": json.loads(done.stdout.splitlines()[-1]), "stdout": done.stdout, "stderr": done.stderr}


def test_every_module_is_imported(seen):
    files = sorted(path.stem for path in (HERE / "sharded").glob("*.py") if path.stem != "__init__")
    assert seen["facts"]["modules"] == ["sharded"] + [f"sharded.{name}" for name in files]


@pytest.mark.parametrize("what", ["threads", "python_threads", "sockets", "environment", "torch_threads"])
def test_the_process_stays_as_it_was(seen, what):
    assert seen["facts"]["after"][what] == seen["facts"]["before"][what]


@pytest.mark.parametrize("what", ["dtype", "grad", "deterministic", "seed", "rng", "cuda"])
def test_the_state_of_torch_stays_as_it_was(seen, what):
    assert seen["facts"]["after"][what] == seen["facts"]["before"][what]


def test_no_process_group_is_made(seen):
    assert seen["facts"]["after"]["initialised"] is False


def test_nothing_is_printed(seen):
    assert len(seen["stdout"].splitlines()) == 1
    assert seen["stderr"] == ""
