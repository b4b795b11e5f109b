"""One tiny call of each collective: do the ranks find each other at all?"""

import torch

from sharded.layout import Mesh, Replicate, Shard, distribute, full_tensor


def test_every_rank_is_there(world):
    ranks = world.all_gather(torch.tensor([world.rank], device=world.device))
    assert ranks.tolist() == list(range(world.size))


def test_all_reduce(world, check):
    ones = torch.ones(3, device=world.device)
    check("sum", world.all_reduce(ones), torch.full((3,), float(world.size)), torch.float32)


def test_broadcast(world, check):
    value = torch.full((2,), float(world.rank), device=world.device)
    check("last", world.broadcast(value, world.size - 1), torch.full((2,), float(world.size - 1)), torch.float32)


def test_reduce_scatter(world, check):
    value = torch.arange(world.size, dtype=torch.float32, device=world.device)
    check("shard", world.reduce_scatter(value), torch.tensor([float(world.rank * world.size)]), torch.float32)


def test_all_to_all(world, check):
    pieces = [torch.tensor([10.0 * world.rank + other], device=world.device) for other in range(world.size)]
    expected = torch.tensor([10.0 * other + world.rank for other in range(world.size)])
    check("column", torch.cat(world.all_to_all(pieces)), expected, torch.float32)


def test_barrier_lets_all_through(world):
    world.barrier()
    assert world.all_reduce(torch.ones(1, device=world.device)).item() == world.size


def test_a_tensor_is_split_and_put_together(world, check):
    mesh = Mesh(world, {"dp": world.size})
    full = torch.arange(4.0 * world.size, device=world.device).reshape(-1, 2)
    local = distribute(full, mesh, (Shard(0),))
    assert local.shape == (2, 2)
    check("whole", full_tensor(local, mesh, (Shard(0),)), full, torch.float32)
    assert torch.equal(distribute(full, mesh, (Replicate(),)), full)
