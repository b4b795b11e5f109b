"""Each collective against what one process computes from everyone's input, which each rank can make by itself."""

import pytest
import torch

from sharded.collectives import split_sizes
from support import DTYPES, dtype_name, make

pytestmark = pytest.mark.parametrize("dtype", DTYPES + [torch.int64], ids=dtype_name)


def inputs(world, shape, seed, dtype):
    """Everyone's inputs, and this rank's as it is sent. Halves, so that sums of few are exact in 16 bits as well."""
    every = [make(shape, seed + rank, dtype) for rank in range(world.size)]
    if dtype.is_floating_point:
        every = [(value * 8).round() / 8 for value in every]
    return every, every[world.rank].to(dtype).to(world.device)


@pytest.mark.parametrize("op", ["sum", "max", "min"])
def test_all_reduce(world, check, dtype, op):
    every, mine = inputs(world, (7, 5), 100, dtype)
    stacked = torch.stack(every)
    expected = {"sum": lambda: stacked.sum(0), "max": lambda: stacked.amax(0), "min": lambda: stacked.amin(0)}[op]()
    before = mine.clone()
    check(op, world.all_reduce(mine, op), expected, dtype)
    assert torch.equal(mine, before), "the input was changed"


def test_all_gather(world, check, dtype):
    every, mine = inputs(world, (3, 4), 200, dtype)
    check("rows", world.all_gather(mine, 0), torch.cat(every, 0), dtype)
    check("columns", world.all_gather(mine, 1), torch.cat(every, 1), dtype)


def test_all_gather_of_uneven_shards(world, check, dtype):
    every = [make((rank % 3 + (rank == 0), 2), 300 + rank, dtype) for rank in range(world.size)]
    mine = every[world.rank].to(dtype).to(world.device)
    check("uneven", world.all_gather(mine, 0), torch.cat(every, 0), dtype)


def test_reduce_scatter(world, check, dtype):
    every, mine = inputs(world, (2 * world.size, 3), 400, dtype)
    expected = torch.stack(every).sum(0).split(2)[world.rank]
    check("even", world.reduce_scatter(mine, 0), expected, dtype)


def test_reduce_scatter_of_uneven_shards(world, check, dtype):
    rows = 2 * world.size - 1
    every, mine = inputs(world, (3, rows), 500, dtype)
    expected = torch.stack(every).sum(0).split(split_sizes(rows, world.size), dim=1)[world.rank]
    check("uneven", world.reduce_scatter(mine, 1), expected, dtype)


def test_all_to_all(world, check, dtype):
    every = [make((world.size, 3), 600 + rank, dtype) for rank in range(world.size)]
    pieces = [piece for piece in every[world.rank].to(dtype).to(world.device).split(1)]
    expected = torch.stack([value[world.rank] for value in every])
    check("even", torch.cat(world.all_to_all(pieces)), expected, dtype)


def test_all_to_all_of_uneven_pieces(world, check, dtype):
    def size(sender, receiver):
        return (sender + 2 * receiver) % 4

    def piece(sender, receiver):
        return make((size(sender, receiver), 2), 1000 * sender + receiver, dtype)

    pieces = [piece(world.rank, other).to(dtype).to(world.device) for other in range(world.size)]
    received = world.all_to_all(pieces)
    assert [len(value) for value in received] == [size(other, world.rank) for other in range(world.size)]
    check("uneven", torch.cat(received), torch.cat([piece(other, world.rank) for other in range(world.size)]), dtype)


@pytest.mark.parametrize("source", ["first", "last"])
def test_broadcast(world, check, dtype, source):
    every, mine = inputs(world, (4, 3), 700, dtype)
    origin = 0 if source == "first" else world.size - 1
    check(source, world.broadcast(mine, origin), every[origin], dtype)
