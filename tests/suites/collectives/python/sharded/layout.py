"""How a tensor lies on a mesh of ranks, and how it gets from one layout to another.

A layout has one placement for each dimension of the mesh: Shard(dim), Replicate() or Partial(op). Of two dimensions of
the mesh that shard the same dimension of the tensor the first one splits first.
"""

import dataclasses
from typing import Dict, List, Sequence, Tuple, Union

import torch

from sharded.collectives import Communicator, shard_of, subgroup


@dataclasses.dataclass(frozen=True)
class Shard:
    """Split along one dimension of the tensor; sizes as split_sizes says."""

    dim: int


@dataclasses.dataclass(frozen=True)
class Replicate:
    """The same on each rank."""


@dataclasses.dataclass(frozen=True)
class Partial:
    """Each rank has a part of it; the element-wise `op` over the ranks is the value."""

    op: str = "sum"


Placement = Union[Shard, Replicate, Partial]
Layout = Tuple[Placement, ...]


class Mesh:
    """The ranks of the world as a grid, the last dimension fastest: Mesh(world, {"dp": 2, "tp": 4})."""

    def __init__(self, world: Communicator, shape: Dict[str, int]) -> None:
        self.names = list(shape)
        self.shape = list(shape.values())
        grid = torch.arange(world.size).reshape(self.shape)
        self.world = world
        self.coordinates = [int(index) for index in (grid == world.rank).nonzero()[0]]
        self.lines: List[Communicator] = []
        for axis, size in enumerate(self.shape):
            if size == world.size:
                self.lines.append(world)
                continue
            groups = grid.movedim(axis, -1).reshape(-1, size).tolist()
            self.lines.append(subgroup(world, groups))

    def line(self, name: str) -> Communicator:
        """Communicator of the ranks that differ from this one in dimension `name` only."""
        return self.lines[self.names.index(name)]


def distribute(full: torch.Tensor, mesh: Mesh, layout: Layout) -> torch.Tensor:
    """What this rank holds of `full`, which every rank has. Of Partial("sum") the first rank of a line has it all."""
    local = full
    for line, placement in zip(mesh.lines, layout):
        if isinstance(placement, Shard):
            local = shard_of(local, placement.dim, line.size, line.rank)
        elif isinstance(placement, Partial):
            local = _as_partial(local, line, placement.op)
    return local.contiguous()


def full_tensor(local: torch.Tensor, mesh: Mesh, layout: Layout) -> torch.Tensor:
    """The whole tensor on each rank."""
    for line, placement in reversed(list(zip(mesh.lines, layout))):
        if isinstance(placement, Shard):
            local = line.all_gather(local, placement.dim)
        elif isinstance(placement, Partial):
            local = line.all_reduce(local, placement.op)
    return local


def redistribute(local: torch.Tensor, mesh: Mesh, source: Layout, target: Layout) -> torch.Tensor:
    """From one layout to another, by the collective that moves least: Shard to Shard is an all_to_all.

    Where several dimensions of the mesh shard the same dimension of the tensor, before or after, the order of splits
    matters: those splits are undone one by one, the last first, and made anew.
    """
    contested = _contested(source, target)
    steps = list(zip(mesh.lines, source, target, contested))
    for line, old, _, anew in reversed(steps):
        if anew:
            local = _change(local, line, old, Replicate())
    for line, old, new, anew in steps:
        if old != new and not anew:
            local = _change(local, line, old, new)
    for line, _, new, anew in steps:
        if anew:
            local = _enter(local, line, new)
    return local


def _contested(source: Layout, target: Layout) -> List[bool]:
    """For each dimension of the mesh: whether it shards what another one shards, in either layout."""
    shards = [{place.dim for place in pair if isinstance(place, Shard)} for pair in zip(source, target)]
    return [
        any(mine & other for number, other in enumerate(shards) if number != index) for index, mine in enumerate(shards)
    ]


def _change(local: torch.Tensor, line: Communicator, old: Placement, new: Placement) -> torch.Tensor:
    if isinstance(old, Partial):
        if isinstance(new, Shard):
            return line.reduce_scatter(local, new.dim, old.op)
        local = line.all_reduce(local, old.op)
    elif isinstance(old, Shard):
        if isinstance(new, Shard):
            pieces = [shard_of(local, new.dim, line.size, index) for index in range(line.size)]
            return torch.cat(_exchange(line, pieces, old.dim), dim=old.dim)
        local = line.all_gather(local, old.dim)
    return _enter(local, line, new)


def _exchange(line: Communicator, pieces: Sequence[torch.Tensor], old_dim: int) -> List[torch.Tensor]:
    """all_to_all of pieces whose sizes differ in two dimensions: they travel flat, with their shape known to both."""
    mine = [torch.tensor([piece.shape[old_dim]], device=line.device) for piece in pieces]
    lengths = [int(length) for length in line.all_to_all(mine)]
    arrived = line.all_to_all([piece.reshape(-1) for piece in pieces])
    results = []
    for flat, length in zip(arrived, lengths):
        shape = list(pieces[line.rank].shape)
        shape[old_dim] = length
        results.append(flat.reshape(shape))
    return results


def _enter(local: torch.Tensor, line: Communicator, new: Placement) -> torch.Tensor:
    if isinstance(new, Shard):
        return shard_of(local, new.dim, line.size, line.rank)
    if isinstance(new, Partial):
        return _as_partial(local, line, new.op)
    return local


def _as_partial(local: torch.Tensor, line: Communicator, op: str) -> torch.Tensor:
    # The neutral element elsewhere; for max, min and mean the value itself is neutral.
    return local if op != "sum" or line.rank == 0 else torch.zeros_like(local)
