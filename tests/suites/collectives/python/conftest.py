"""The world of ranks that the tests run in. Each rank is a pytest process of its own.

From the environment, as every launcher sets it: RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT (without them: a
world of one). Besides:

    COLLECTIVES_BACKEND     gloo (default), nccl or hccl
    COLLECTIVES_TIMEOUT_S   how long a collective waits for the others; 60
    TENSORS                 folder for NAME.actual.npy and NAME.expected.npy; without it none are written
    YARD_INJECT             a fault on purpose, see inject.py
"""

import datetime
import importlib
import os
import pathlib
import re
from typing import Dict

import numpy
import pytest
import torch
import torch.distributed as dist

from inject import Injection
from sharded.collectives import Communicator, Notes
from sharded.layout import Mesh

RANK = int(os.environ.get("RANK", "0"))
WORLD_SIZE = int(os.environ.get("WORLD_SIZE", "1"))
LOCAL_RANK = int(os.environ.get("LOCAL_RANK", str(RANK)))
BACKEND = os.environ.get("COLLECTIVES_BACKEND", "gloo")

# |actual - expected| <= atol + rtol * |expected|. Chosen before any run, by what the dtype can hold and by how much the
# order of a reduction may change; the suite's manifest has the same figures for the worker's own comparison.
TOLERANCES = {
    torch.float64: (1e-10, 1e-12),
    torch.float32: (1e-5, 1e-6),
    torch.float16: (1e-3, 1e-3),
    torch.bfloat16: (1e-2, 1e-2),
}


def unavailable() -> str:
    """Why this backend can't be used here; empty: it can."""
    if BACKEND == "gloo":
        return "" if dist.is_available() and dist.is_gloo_available() else "this torch has no gloo"
    if BACKEND == "nccl":
        if not torch.cuda.is_available():
            return "this torch finds no CUDA device"
        if not dist.is_nccl_available():
            return "this torch has no NCCL"
        count = torch.cuda.device_count()
        return "" if count > LOCAL_RANK else f"rank {RANK} wants device {LOCAL_RANK}, there are {count}"
    if BACKEND == "hccl":
        try:
            importlib.import_module("torch_npu")
        except ImportError as error:
            return f"torch_npu can't be imported: {error}"
        count = torch.npu.device_count()
        return "" if count > LOCAL_RANK else f"rank {RANK} wants device {LOCAL_RANK}, there are {count}"
    return f"COLLECTIVES_BACKEND={BACKEND} is none of gloo, nccl, hccl"


def _device() -> torch.device:
    if BACKEND == "nccl":
        torch.cuda.set_device(LOCAL_RANK)
        return torch.device("cuda", LOCAL_RANK)
    if BACKEND == "hccl":
        torch.npu.set_device(LOCAL_RANK)
        return torch.device("npu", LOCAL_RANK)
    return torch.device("cpu")


def pytest_configure(config):
    config.yard_injection = Injection(os.environ.get("YARD_INJECT"), RANK)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    injection = item.config.yard_injection
    injection.strike(item.name)
    if injection.skip:
        pytest.skip("injected: skipped on this rank only")


@pytest.fixture(scope="session")
def world():
    """All ranks. Skips where the backend is not to be had, and says why."""
    reason = unavailable()
    if reason:
        pytest.skip(f"{BACKEND}: {reason}")
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29400")
    if BACKEND == "gloo" and os.environ["MASTER_ADDR"] in ("127.0.0.1", "localhost"):
        # Else gloo looks up the host's name, which need not lead anywhere.
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    timeout = datetime.timedelta(seconds=int(os.environ.get("COLLECTIVES_TIMEOUT_S", "60")))
    device = _device()
    dist.init_process_group(BACKEND, rank=RANK, world_size=WORLD_SIZE, timeout=timeout)
    yield Communicator(None, RANK, WORLD_SIZE, device, Notes())
    # No barrier here: after a failure others may never come to it.
    dist.destroy_process_group()


@pytest.fixture(autouse=True)
def composed_notes(request, record_property):
    """Says in the report and in the output what had to be composed in this test."""
    yield
    if "world" not in request.fixturenames:
        return
    for line in request.getfixturevalue("world").notes.take():
        record_property("composed", line)
        print(f"composed: {line}")


@pytest.fixture(scope="session")
def meshes(world):
    """Meshes by name: "dp" and "tp" are lines of all ranks, "hybrid" is a grid of both where the number allows it."""
    by_name: Dict[str, Mesh] = {"dp": Mesh(world, {"dp": world.size}), "tp": Mesh(world, {"tp": world.size})}
    inner = next((size for size in (4, 3, 2) if world.size % size == 0 and world.size > size), world.size)
    by_name["hybrid"] = Mesh(world, {"dp": world.size // inner, "tp": inner})
    return by_name


class Check:
    """Compares a tensor with the single-process reference and leaves both behind for the worker's own comparison."""

    def __init__(self, test: str, injection: Injection) -> None:
        self._test = re.sub(r"[^A-Za-z0-9_.-]+", ".", test).strip(".")
        self._node = test
        self._injection = injection
        self._names = set()

    def __call__(self, name: str, actual: torch.Tensor, expected: torch.Tensor, dtype: torch.dtype) -> None:
        """`dtype` is what was computed in and decides the tolerance. `expected` may be of higher precision."""
        assert name not in self._names, f"{name} is used twice in {self._test}"
        self._names.add(name)
        assert actual.shape == expected.shape, f"{name}: {tuple(actual.shape)}, not {tuple(expected.shape)}"
        wide = torch.float64 if dtype == torch.float64 else torch.float32
        if dtype.is_floating_point:
            left, right = actual.detach().cpu().to(wide), expected.detach().cpu().to(dtype).to(wide)
        else:
            left, right = actual.detach().cpu(), expected.detach().cpu()
        if left.numel() and self._injection.wrong_numerics(self._node):
            left = left.clone()
            left.view(-1)[0] += 1
        self._write(name, left, right, dtype)
        if not dtype.is_floating_point:
            assert torch.equal(left, right), f"{name}: {int((left != right).sum())} of {left.numel()} elements differ"
            return
        rtol, atol = TOLERANCES[dtype]
        # Infinities of the same sign are equal; their difference is not a number.
        error = torch.where(left == right, torch.zeros_like(left), (left - right).abs())
        off = ~(error <= atol + rtol * right.abs())
        if bool(off.any()):
            worst = int(torch.where(off, error, torch.zeros_like(error)).nan_to_num(nan=float("inf")).argmax())
            pytest.fail(
                f"{name}: {int(off.sum())} of {left.numel()} elements are off on rank {RANK}; at {worst} it is "
                f"{left.view(-1)[worst].item()!r}, not {right.view(-1)[worst].item()!r} (rtol {rtol}, atol {atol})",
                pytrace=False,
            )

    def _write(self, name: str, actual: torch.Tensor, expected: torch.Tensor, dtype: torch.dtype) -> None:
        folder = os.environ.get("TENSORS")
        if not folder:
            return
        path = pathlib.Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        word = str(dtype).replace("torch.", "")
        for kind, tensor in (("actual", actual), ("expected", expected)):
            numpy.save(path / f"{self._test}.{name}@{word}.{kind}.npy", tensor.contiguous().numpy())


@pytest.fixture
def check(request):
    return Check(request.node.name, request.config.yard_injection)
