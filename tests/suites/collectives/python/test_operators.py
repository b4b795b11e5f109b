"""Sharded operators, each against the same operator on the whole tensors in float64 on one process."""

import pytest
import torch

from sharded.layout import Partial, Replicate, Shard, distribute, full_tensor, redistribute
from sharded.operators import embedding, layer_norm, matmul, softmax
from support import dtype_name, make

S0, S1, R = Shard(0), Shard(1), Replicate()
EPSILON = 1e-5

dtypes = pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=dtype_name)
# 8 rows or columns a rank, or a prime number of them: then no two ranks need have the same.
sizes = pytest.mark.parametrize("extent", ["even", "uneven"])


def length(world, extent):
    return 8 * world.size if extent == "even" else {2: 17, 3: 23, 4: 31, 5: 37, 6: 43, 7: 53}.get(world.size, 61)


def rounded(world, shape, seed, dtype):
    """The same numbers for the reference (float64) and for the ranks (`dtype`)."""
    value = make(shape, seed, dtype)
    return value, value.to(dtype).to(world.device)


@sizes
@dtypes
@pytest.mark.parametrize(
    "mesh_name, x_layout, w_layout, result",
    [
        ("dp", (S0,), (R,), (S0,)),
        ("tp", (R,), (S1,), (S1,)),
        ("tp", (S1,), (S0,), (Partial("sum"),)),
        ("hybrid", (S0, S1), (R, S0), (S0, Partial("sum"))),
        ("hybrid", (S0, R), (R, S1), (S0, S1)),
    ],
    ids=["data", "column", "row", "hybrid-row", "hybrid-column"],
)
def test_matmul(world, meshes, check, mesh_name, x_layout, w_layout, result, dtype, extent):
    mesh, n = meshes[mesh_name], length(world, extent)
    x_full, x = rounded(world, (n, n + 3), 1, dtype)
    w_full, w = rounded(world, (n + 3, n + 1), 2, dtype)
    # Of the size of one, whatever the number of terms: what an absolute tolerance means is the same everywhere.
    w_full, w = w_full / 8, w / 8
    y, layout = matmul(distribute(x, mesh, x_layout), x_layout, distribute(w, mesh, w_layout), w_layout, mesh)
    assert layout == result
    expected = x_full @ w_full
    check("whole", full_tensor(y, mesh, layout), expected, dtype)
    # And scattered, which is what a sequence-parallel model does with a partial sum.
    target = tuple(S0 if isinstance(placement, Partial) else placement for placement in layout)
    check("scattered", redistribute(y, mesh, layout, target), distribute(expected, mesh, target), dtype)


@sizes
@dtypes
@pytest.mark.parametrize(
    "mesh_name, layout",
    [("dp", (S0,)), ("tp", (S1,)), ("hybrid", (S0, S1)), ("hybrid", (S1, S1))],
    ids=["data", "tensor", "hybrid", "both-on-one"],
)
def test_softmax(world, meshes, check, mesh_name, layout, dtype, extent):
    mesh, n = meshes[mesh_name], length(world, extent)
    full, x = rounded(world, (n, n + 2), 3, dtype)
    full, x = full * 16, x * 16
    local, same = softmax(distribute(x, mesh, layout), layout, mesh, 1)
    assert same == layout
    whole = full_tensor(local, mesh, layout)
    check("whole", whole, torch.softmax(full, 1), dtype)
    slack = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 2e-2}[dtype]
    assert (whole.double().sum(1) - 1).abs().max().item() < slack


@sizes
@dtypes
@pytest.mark.parametrize(
    "mesh_name, layout, weights",
    [("dp", (S0,), (R,)), ("tp", (S1,), (S0,)), ("hybrid", (S0, S1), (R, S0))],
    ids=["data", "tensor", "hybrid"],
)
def test_layer_norm(world, meshes, check, mesh_name, layout, weights, dtype, extent):
    mesh, n = meshes[mesh_name], length(world, extent)
    width = n + 5
    full, x = rounded(world, (n, width), 4, dtype)
    gamma_full, gamma = rounded(world, (width,), 5, dtype)
    beta_full, beta = rounded(world, (width,), 6, dtype)
    local, _ = layer_norm(
        distribute(x, mesh, layout),
        layout,
        distribute(gamma, mesh, weights),
        distribute(beta, mesh, weights),
        mesh,
        width,
        EPSILON,
    )
    expected = torch.nn.functional.layer_norm(full, (width,), gamma_full, beta_full, EPSILON)
    check("whole", full_tensor(local, mesh, layout), expected, dtype)


@sizes
@dtypes
@pytest.mark.parametrize(
    "mesh_name, id_layout, table_layout, result",
    [
        ("dp", (S0,), (R,), (S0,)),
        ("tp", (R,), (S0,), (Partial("sum"),)),
        ("tp", (R,), (S1,), (Shard(2),)),
        ("hybrid", (S0, R), (R, S0), (S0, Partial("sum"))),
        ("hybrid", (S0, R), (R, S1), (S0, Shard(2))),
        ("hybrid", (R, R), (S0, S0), (Partial("sum"), Partial("sum"))),
    ],
    ids=["data", "vocabulary", "width", "hybrid-vocabulary", "hybrid-width", "both-on-vocabulary"],
)
def test_embedding(world, meshes, check, mesh_name, id_layout, table_layout, result, dtype, extent):
    mesh, n = meshes[mesh_name], length(world, extent)
    vocabulary = 3 * n + 1
    table_full, table = rounded(world, (vocabulary, n), 7, dtype)
    generator = torch.Generator().manual_seed(8)
    ids = torch.randint(0, vocabulary, (n, 3), generator=generator)
    # Both ends of every shard are asked for.
    ids[0, 0], ids[-1, -1] = 0, vocabulary - 1
    local, layout = embedding(
        distribute(ids.to(world.device), mesh, id_layout),
        id_layout,
        distribute(table, mesh, table_layout),
        table_layout,
        mesh,
        vocabulary,
    )
    assert layout == result
    check("whole", full_tensor(local, mesh, layout), table_full[ids], dtype)


@pytest.mark.parametrize("op", ["sum", "mean", "max", "min"])
def test_partial_states(world, meshes, check, op):
    """Each rank has its own part; reduced, reduced and scattered, and scattered unevenly."""
    mesh, rows = meshes["tp"], 3 * world.size - 1
    every = torch.stack([make((rows, 4), 900 + rank, torch.float32) for rank in range(world.size)])
    expected = {"sum": every.sum, "mean": every.mean, "max": every.amax, "min": every.amin}[op](0)
    mine = every[world.rank].float().to(world.device)
    state = (Partial(op),)
    check("replicated", redistribute(mine, mesh, state, (R,)), expected, torch.float32)
    check("scattered", redistribute(mine, mesh, state, (S0,)), distribute(expected, mesh, (S0,)), torch.float32)
    check("whole", full_tensor(mine, mesh, state), expected, torch.float32)


def test_what_does_not_fit_is_refused(world, meshes):
    mesh = meshes["tp"]
    x = torch.ones(4, 4, device=world.device)
    with pytest.raises(ValueError, match="matmul of"):
        matmul(x, (S0,), x, (S0,), mesh)
    with pytest.raises(ValueError, match="embedding of"):
        embedding(torch.zeros(2, 2, dtype=torch.long), (S0,), x, (S0,), mesh, 4)
    with pytest.raises(ValueError, match="pieces for"):
        world.all_to_all([x] * (world.size + 1))
