"""A transformer block under tensor, data and hybrid parallelism: output, losses and gradients as on one process."""

import pytest
import torch

from sharded.layout import Shard, distribute
from sharded.modules import block, gather_gradients, make_weights, parallel_block, shard_weights
from support import dtype_name, make

WIDTH, HEADS, HIDDEN, LENGTH = 48, 8, 52, 6
STEPS, RATE = 4, 0.2


def weights_of(dtype):
    weights = make_weights(WIDTH, HEADS, HIDDEN, torch.Generator().manual_seed(11))
    return {name: value.to(dtype).double() for name, value in weights.items()}


def train(forward, weights, steps, reduce):
    """Losses of plain gradient descent, and the first step's gradients as `reduce` gives them."""
    weights = {name: value.clone().requires_grad_() for name, value in weights.items()}
    losses, first = [], None
    for _ in range(steps):
        loss = forward(weights)
        gradients = dict(zip(weights, torch.autograd.grad(loss, list(weights.values()))))
        loss, gradients = reduce(loss.detach(), gradients)
        first = first or gradients
        losses.append(loss)
        with torch.no_grad():
            for name, value in weights.items():
                value -= RATE * gradients[name]
    return torch.stack(losses), first


def as_is(loss, gradients):
    return loss, gradients


@pytest.fixture(scope="module")
def reference():
    """Losses, gradients and output of one process in float64, by (rows, dtype of the weights)."""
    known = {}

    def of(rows, dtype):
        if (rows, dtype) not in known:
            x, goal = make((rows, LENGTH, WIDTH), 12, dtype), make((rows, LENGTH, WIDTH), 13, dtype)
            weights = weights_of(dtype)
            losses, gradients = train(lambda w: ((block(x, w, HEADS) - goal) ** 2).mean(), weights, STEPS, as_is)
            known[rows, dtype] = (x, goal, weights, losses, gradients, block(x, weights, HEADS))
        return known[rows, dtype]

    return of


dtypes = pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=dtype_name)


def test_the_parallel_block_on_one_rank_is_the_block(world, check):
    """Without this, a mistake that both have in common would look like agreement."""
    x, weights = make((2, LENGTH, WIDTH), 14), weights_of(torch.float64)
    split = x.reshape(2, LENGTH, HEADS, -1)
    assert split.shape[-1] * HEADS == WIDTH
    norm = torch.nn.functional.layer_norm(x, (WIDTH,), weights["norm1"])
    query, key, value = ((norm @ weights[name]) for name in ("query", "key", "value"))
    attention = torch.nn.MultiheadAttention(WIDTH, HEADS, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        eye = torch.eye(WIDTH, dtype=torch.float64)
        attention.in_proj_weight.copy_(torch.cat([eye] * 3))
        attention.out_proj.weight.copy_(weights["output"].T)
        mask = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
        attended, _ = attention(query, key, value, attn_mask=mask)
        y = x + attended
        norm = torch.nn.functional.layer_norm(y, (WIDTH,), weights["norm2"])
        y = y + torch.nn.functional.gelu(norm @ weights["up"]) @ weights["down"]
    check("block", block(x, weights, HEADS), y, torch.float64)


@dtypes
def test_tensor_parallel(world, meshes, check, reference, dtype):
    line = meshes["tp"].line("tp")
    x, goal, weights, losses, gradients, output = reference(3, dtype)
    local, heads = shard_weights(weights, HEADS, line)
    local = {name: value.to(dtype).to(world.device) for name, value in local.items()}
    x, goal = x.to(dtype).to(world.device), goal.to(dtype).to(world.device)
    check("output", parallel_block(x, local, heads, line), output, dtype)
    got, first = train(lambda w: ((parallel_block(x, w, heads, line) - goal) ** 2).mean(), local, STEPS, as_is)
    check("losses", got, losses, dtype)
    for name, gradient in gather_gradients(first, line).items():
        check(f"gradient.{name}", gradient, gradients[name], dtype)


@dtypes
def test_data_parallel(world, meshes, check, reference, dtype):
    """Uneven batches: a rank's mean counts by how many rows it has, else the gradient is wrong by a little."""
    mesh = meshes["dp"]
    rows = 2 * world.size - 1
    x, goal, weights, losses, gradients, _ = reference(rows, dtype)
    mine = distribute(x, mesh, (Shard(0),)).to(dtype).to(world.device)
    goal = distribute(goal, mesh, (Shard(0),)).to(dtype).to(world.device)
    share = len(mine) / rows

    def reduce(loss, parts):
        return world.all_reduce(loss * share), {name: world.all_reduce(part * share) for name, part in parts.items()}

    local = {name: value.to(dtype).to(world.device) for name, value in weights.items()}
    got, first = train(lambda w: ((block(mine, w, HEADS) - goal) ** 2).mean(), local, STEPS, reduce)
    check("losses", got, losses, dtype)
    for name, gradient in first.items():
        check(f"gradient.{name}", gradient, gradients[name], dtype)


@dtypes
def test_hybrid(world, meshes, check, reference, dtype):
    mesh = meshes["hybrid"]
    data, tensor = mesh.line("dp"), mesh.line("tp")
    rows = 2 * data.size
    x, goal, weights, losses, gradients, _ = reference(rows, dtype)
    rows_of = slice(2 * data.rank, 2 * data.rank + 2)
    mine, goal = x[rows_of].to(dtype).to(world.device), goal[rows_of].to(dtype).to(world.device)
    local, heads = shard_weights(weights, HEADS, tensor)
    local = {name: value.to(dtype).to(world.device) for name, value in local.items()}

    def reduce(loss, parts):
        return data.all_reduce(loss, "mean"), {name: data.all_reduce(part, "mean") for name, part in parts.items()}

    got, first = train(lambda w: ((parallel_block(mine, w, heads, tensor) - goal) ** 2).mean(), local, STEPS, reduce)
    check("losses", got, losses, dtype)
    for name, gradient in gather_gradients(first, tensor).items():
        check(f"gradient.{name}", gradient, gradients[name], dtype)


def test_training_learns(world, reference):
    losses = reference(3, torch.float64)[3]
    assert bool((losses[1:] < losses[:-1]).all())
