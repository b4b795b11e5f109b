"""Where mistakes live: nothing, one element, fewer elements than ranks, much, and numbers that are none."""

import math

import pytest
import torch

from sharded.collectives import split_sizes
from sharded.layout import Partial, Replicate, Shard, distribute, full_tensor, redistribute
from sharded.operators import embedding, layer_norm, matmul, softmax
from support import make

S0, S1, R, P = Shard(0), Shard(1), Replicate(), Partial("sum")


@pytest.mark.parametrize("total", [0, 1, 2, 7, 8, 9, 61, 64])
@pytest.mark.parametrize("parts", [1, 2, 3, 5, 8])
def test_shards_cover_everything_once(world, total, parts):
    sizes = split_sizes(total, parts)
    assert len(sizes) == parts and sum(sizes) == total
    assert max(sizes) - min(sizes) <= 1 and sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 7])
def test_fewer_rows_than_ranks(world, meshes, check, rows):
    mesh, full = meshes["tp"], make((rows, 5), 51).to(world.device)
    local = distribute(full, mesh, (S0,))
    check("gathered", full_tensor(local, mesh, (S0,)), full, torch.float64)
    check("turned", redistribute(local, mesh, (S0,), (S1,)), distribute(full, mesh, (S1,)), torch.float64)
    every = sum(make((rows, 5), 60 + rank) for rank in range(world.size))
    mine = make((rows, 5), 60 + world.rank).to(world.device)
    check("scattered", world.reduce_scatter(mine), distribute(every, mesh, (S0,)), torch.float64)


def test_all_to_all_with_one_sender_only(world, check):
    def size(sender):
        return 3 if sender == 0 else 0

    pieces = [make((size(world.rank), 2), 70 + other).to(world.device) for other in range(world.size)]
    arrived = world.all_to_all(pieces)
    assert [len(piece) for piece in arrived] == [size(other) for other in range(world.size)]
    check("first", arrived[0], make((3, 2), 70 + world.rank), torch.float64)


def test_a_matmul_with_nothing_to_sum(world, meshes, check):
    mesh = meshes["tp"]
    x, w = torch.zeros(4, 0, device=world.device), torch.zeros(0, 6, device=world.device)
    y, layout = matmul(distribute(x, mesh, (S1,)), (S1,), distribute(w, mesh, (S0,)), (S0,), mesh)
    check("zeros", full_tensor(y, mesh, layout), torch.zeros(4, 6), torch.float32)


@pytest.mark.parametrize("width", [1, 2, 3, 7])
def test_softmax_over_fewer_elements_than_ranks(world, meshes, check, width):
    mesh, full = meshes["tp"], make((3, width), 81)
    local, layout = softmax(distribute(full.to(world.device), mesh, (S1,)), (S1,), mesh, 1)
    check("whole", full_tensor(local, mesh, layout), torch.softmax(full, 1), torch.float64)


def test_layer_norm_over_fewer_elements_than_ranks(world, meshes, check):
    mesh, full = meshes["tp"], make((3, 2), 82)
    one, zero = torch.ones(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    parts = [distribute(value.to(world.device), mesh, (S0,)) for value in (one, zero)]
    local, layout = layer_norm(distribute(full.to(world.device), mesh, (S1,)), (S1,), *parts, mesh, 2)
    check("whole", full_tensor(local, mesh, layout), torch.nn.functional.layer_norm(full, (2,)), torch.float64)


def test_layer_norm_far_from_zero(world, meshes, check):
    """Values around 1000 with a spread of 1: E[x^2] - E[x]^2 in float32 would have no digit left."""
    mesh, full = meshes["tp"], (1000 + make((4, 64), 83)).float().double()
    one, zero = torch.ones(64), torch.zeros(64)
    parts = [distribute(value.to(world.device), mesh, (S0,)) for value in (one, zero)]
    local, layout = layer_norm(distribute(full.float().to(world.device), mesh, (S1,)), (S1,), *parts, mesh, 64)
    error = (full_tensor(local, mesh, layout).double().cpu() - torch.nn.functional.layer_norm(full, (64,))).abs().max()
    assert error < 1e-3


def test_an_embedding_of_fewer_rows_than_ranks(world, meshes, check):
    mesh, table = meshes["tp"], make((2, 3), 84)
    ids = torch.tensor([[0, 1, 1], [1, 0, 0]])
    local, layout = embedding(
        ids.to(world.device), (R,), distribute(table.to(world.device), mesh, (S0,)), (S0,), mesh, 2
    )
    check("whole", full_tensor(local, mesh, layout), table[ids], torch.float64)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=["nan", "inf", "minus-inf"])
def test_what_is_no_number_reaches_everyone(world, value):
    mine = torch.zeros(3, device=world.device)
    if world.rank == world.size - 1:
        mine[1] = value
    total = world.all_reduce(mine).cpu()
    assert total[0] == 0 and total[2] == 0
    assert math.isnan(total[1]) if math.isnan(value) else total[1] == value


def test_infinities_of_both_signs_sum_to_no_number(world):
    mine = torch.zeros(1, device=world.device)
    if world.rank == 0:
        mine[0] = math.inf
    if world.rank == world.size - 1:
        mine[0] = -math.inf
    total = world.all_reduce(mine).item()
    assert math.isnan(total) if world.size > 1 else total == -math.inf


def test_a_softmax_of_minus_infinity(world, meshes):
    """Masked elements get 0; a row of which nothing is left has no softmax."""
    mesh = meshes["tp"]
    full = torch.zeros(2, 2 * world.size)
    full[0, 0] = -math.inf
    full[1, :] = -math.inf
    local, layout = softmax(distribute(full.to(world.device), mesh, (S1,)), (S1,), mesh, 1)
    whole = full_tensor(local, mesh, layout).cpu()
    assert whole[0, 0] == 0 and abs(whole[0].sum().item() - 1) < 1e-6
    assert bool(whole[1].isnan().all())


def test_tensors_that_are_not_contiguous(world, check):
    base = make((6, 4 * world.size), 91)
    mine = (base.t() * (world.rank + 1)).to(world.device)
    total = world.size * (world.size + 1) / 2
    check("sum", world.all_reduce(mine), base.t() * total, torch.float64)
    check("scattered", world.reduce_scatter(mine), base.t().split(4)[world.rank] * total, torch.float64)
    check("gathered", world.all_gather(mine, 1)[:, :6], base.t(), torch.float64)


def test_a_scalar(world, check):
    value = torch.tensor(float(world.rank), device=world.device)
    check("sum", world.all_reduce(value), torch.tensor(world.size * (world.size - 1) / 2), torch.float32)
    check("copy", world.broadcast(value, world.size - 1), torch.tensor(float(world.size - 1)), torch.float32)


def test_integers_beyond_what_a_float_holds(world):
    large = 2**53 + 1
    total = world.all_reduce(torch.tensor([large if world.rank == 0 else 0], device=world.device))
    assert total.item() == large


def test_four_megabytes(world):
    """Larger than any buffer on the way. Compared here, not written."""
    mine = torch.arange(1 << 20, dtype=torch.float32, device=world.device) % 1024 + world.rank
    total = world.all_reduce(mine)
    expected = (torch.arange(1 << 20, dtype=torch.float32) % 1024) * world.size + world.size * (world.size - 1) / 2
    assert torch.equal(total.cpu(), expected)
    joined = world.all_gather(mine[: 1 << 17])
    assert joined.shape[0] == world.size << 17
    assert torch.equal(joined[-(1 << 17) :].cpu(), torch.arange(1 << 17).float() % 1024 + world.size - 1)


def test_a_thousand_small_ones_in_order(world):
    for number in range(250):
        value = torch.tensor([float(number)], device=world.device)
        if world.all_reduce(value).item() != number * world.size:
            pytest.fail(f"call {number} got the answer of another")
    assert world.broadcast(torch.tensor([world.rank], device=world.device), 0).item() == 0


def test_max_ignores_no_rank(world):
    for rank in range(world.size):
        mine = torch.tensor([-1.0 if world.rank != rank else 5.0], device=world.device)
        assert world.all_reduce(mine, "max").item() == 5.0
