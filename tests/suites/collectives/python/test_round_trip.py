"""There and back again: what is undone must be as it was, bit by bit where nothing is summed."""

import pathlib
import tempfile

import numpy
import pytest
import torch
import torch.distributed as dist

from sharded.layout import Partial, Replicate, Shard, distribute, full_tensor, redistribute
from support import DTYPES, dtype_name, make

S0, S1, R, P = Shard(0), Shard(1), Replicate(), Partial("sum")
LAYOUTS = {"S0": (S0,), "S1": (S1,), "R": (R,), "P": (P,)}

dtypes = pytest.mark.parametrize("dtype", DTYPES, ids=dtype_name)


def whole(world, dtype, rows=None):
    return make((rows or 2 * world.size + 1, 3 * world.size - 1), 21, dtype).to(dtype).to(world.device)


@dtypes
@pytest.mark.parametrize("via", sorted(LAYOUTS))
@pytest.mark.parametrize("source", sorted(LAYOUTS))
def test_redistribute_and_back(world, meshes, check, source, via, dtype):
    mesh, full = meshes["tp"], whole(world, dtype)
    there = redistribute(distribute(full, mesh, LAYOUTS[source]), mesh, LAYOUTS[source], LAYOUTS[via])
    assert torch.equal(there, distribute(full, mesh, LAYOUTS[via])) or LAYOUTS[via] == (P,)
    back = redistribute(there, mesh, LAYOUTS[via], LAYOUTS[source])
    check("whole", full_tensor(back, mesh, LAYOUTS[source]), full, dtype)
    assert torch.equal(full_tensor(back, mesh, LAYOUTS[source]), full), "moving must not change a bit"


@pytest.mark.parametrize("target", [(S1, S0), (R, S0), (S0, S0), (S1, S1), (R, R), (P, S1)], ids=str)
@pytest.mark.parametrize("source", [(S0, S1), (S0, R), (S0, S0), (P, R), (S1, P)], ids=str)
def test_redistribute_on_a_grid(world, meshes, check, source, target):
    mesh, full = meshes["hybrid"], whole(world, torch.float32)
    there = redistribute(distribute(full, mesh, source), mesh, source, target)
    check("there", full_tensor(there, mesh, target), full, torch.float32)
    back = redistribute(there, mesh, target, source)
    assert torch.equal(full_tensor(back, mesh, source), full)


@dtypes
def test_all_to_all_twice_is_nothing(world, check, dtype):
    pieces = [make((1 + (world.rank + other) % 3, 2), 31 + other, dtype).to(dtype) for other in range(world.size)]
    pieces = [piece.to(world.device) for piece in pieces]
    back = world.all_to_all(world.all_to_all(pieces))
    check("pieces", torch.cat(back), torch.cat(pieces), dtype)


@dtypes
def test_reduce_scatter_and_gather_is_all_reduce(world, check, dtype):
    mine = (make((2 * world.size + 1, 2), 41 + world.rank, dtype) * 8).round().to(dtype).to(world.device)
    check("sum", world.all_gather(world.reduce_scatter(mine)), world.all_reduce(mine), dtype)


@dtypes
def test_a_checkpoint_is_loaded_in_another_layout(world, meshes, check, dtype):
    """Each rank saves its shard; then all of them load the shards of others and continue with another layout."""
    mesh, full = meshes["tp"], whole(world, dtype)
    with tempfile.TemporaryDirectory(prefix="checkpoint-") as own:
        # The folder of rank 0, for all.
        names = [own]
        dist.broadcast_object_list(names, src=0)
        folder = pathlib.Path(names[0])
        # NumPy has no bfloat16; float64 holds every dtype exactly.
        numpy.save(folder / f"{world.rank}.npy", distribute(full, mesh, (S0,)).double().cpu().numpy())
        world.barrier()
        parts = [torch.from_numpy(numpy.load(folder / f"{rank}.npy")) for rank in range(world.size)]
        world.barrier()
    loaded = distribute(torch.cat(parts).to(dtype).to(world.device), mesh, (S1,))
    check("loaded", loaded, distribute(full, mesh, (S1,)), dtype)
    assert torch.equal(full_tensor(loaded, mesh, (S1,)), full)
