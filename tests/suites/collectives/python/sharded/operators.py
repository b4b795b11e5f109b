"""Operators on sharded tensors: matmul, softmax, layer norm, embedding.

Each takes local parts with their layouts and returns a local part with its layout. What each dimension of the mesh does
is decided by itself, so data parallel, tensor parallel and both together are the same code.
"""

from typing import List, Tuple

import torch

from sharded.collectives import Communicator, split_sizes
from sharded.layout import Layout, Mesh, Partial, Placement, Replicate, Shard


def matmul(
    x: torch.Tensor, x_layout: Layout, w: torch.Tensor, w_layout: Layout, mesh: Mesh
) -> Tuple[torch.Tensor, Layout]:
    """x [rows, inner] by w [inner, columns].

    Rows sharded: data parallel. Columns sharded: column parallel. Inner sharded on both: row parallel, the result is a
    partial sum. Other combinations are refused: they would need a redistribution that the caller should choose.
    """
    layout: List[Placement] = []
    for left, right in zip(x_layout, w_layout):
        if left == Shard(0) and right == Replicate():
            layout.append(Shard(0))
        elif left == Replicate() and right == Shard(1):
            layout.append(Shard(1))
        elif left == Shard(1) and right == Shard(0):
            layout.append(Partial("sum"))
        elif left == Replicate() and right == Replicate():
            layout.append(Replicate())
        elif left == Partial("sum") and right == Replicate():
            layout.append(Partial("sum"))
        else:
            raise ValueError(f"matmul of {left} by {right}")
    return _product(x, w), tuple(layout)


def softmax(x: torch.Tensor, layout: Layout, mesh: Mesh, dim: int) -> Tuple[torch.Tensor, Layout]:
    """Softmax along `dim` >= 0, which may be sharded: then maximum and sum are reduced over those who hold a part."""
    across = _lines_of(layout, mesh, dim)
    if not across:
        return torch.softmax(x, dim), layout
    # An empty shard takes part with what changes nothing.
    if x.shape[dim] == 0:
        shape = [1 if index == dim else size for index, size in enumerate(x.shape)]
        largest = x.new_full(shape, float("-inf"))
    else:
        largest = x.amax(dim, keepdim=True)
    for line in across:
        largest = line.all_reduce(largest, "max")
    raised = torch.exp(x - largest)
    total = raised.sum(dim, keepdim=True)
    for line in across:
        total = line.all_reduce(total, "sum")
    return raised / total, layout


def layer_norm(
    x: torch.Tensor,
    layout: Layout,
    gamma: torch.Tensor,
    beta: torch.Tensor,
    mesh: Mesh,
    width: int,
    epsilon: float = 1e-5,
) -> Tuple[torch.Tensor, Layout]:
    """Layer norm over the last dimension of `width` elements in all. gamma and beta are sharded as that dimension is.

    Mean first, then the mean of squared distances from it: the difference of E[x^2] and E[x]^2 loses all digits of
    values that lie far from zero.
    """
    across = _lines_of(layout, mesh, x.dim() - 1)
    mean = _summed(x.sum(-1, keepdim=True), across) / width
    distance = x - mean
    variance = _summed((distance * distance).sum(-1, keepdim=True), across) / width
    return distance * torch.rsqrt(variance + epsilon) * gamma + beta, layout


def embedding(
    ids: torch.Tensor, id_layout: Layout, table: torch.Tensor, table_layout: Layout, mesh: Mesh, vocabulary: int
) -> Tuple[torch.Tensor, Layout]:
    """Rows of `table` [vocabulary, width] by `ids`.

    A sharded vocabulary gives partial sums: a rank adds zeros for ids that it does not hold. A sharded width gives a
    sharded width. Ids may be sharded along dimension 0 where the table is replicated.
    """
    layout: List[Placement] = []
    begin, rows = 0, vocabulary
    for line, left, right in zip(mesh.lines, id_layout, table_layout):
        if right == Shard(0):
            if left != Replicate():
                raise ValueError(f"embedding of {left} ids in a vocabulary that is sharded over the same ranks")
            sizes = split_sizes(rows, line.size)
            begin += sum(sizes[: line.rank])
            rows = sizes[line.rank]
            layout.append(Partial("sum"))
        elif right == Shard(1):
            layout.append(Shard(ids.dim()))
        elif right == Replicate():
            layout.append(left)
        else:
            raise ValueError(f"embedding in a table that is {right}")
    own = (ids >= begin) & (ids < begin + rows)
    if table.shape[0] == 0:
        return table.new_zeros((*ids.shape, table.shape[1])), tuple(layout)
    found = table[torch.where(own, ids - begin, torch.zeros_like(ids))]
    return found * own.unsqueeze(-1).to(found.dtype), tuple(layout)


def _product(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    # Devices sum 16-bit products in 32 bits. Processors need not: older versions of torch round after each term.
    if x.device.type == "cpu" and x.dtype in (torch.bfloat16, torch.float16):
        return (x.float() @ w.float()).to(x.dtype)
    return x @ w


def _lines_of(layout: Layout, mesh: Mesh, dim: int) -> List[Communicator]:
    return [line for line, placement in zip(mesh.lines, layout) if placement == Shard(dim)]


def _summed(value: torch.Tensor, across: List[Communicator]) -> torch.Tensor:
    for line in across:
        value = line.all_reduce(value, "sum")
    return value
