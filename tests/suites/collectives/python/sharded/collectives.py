"""The five collectives over one group of ranks, also for shards of different sizes.

What a backend lacks is composed of what it has; `Notes` keeps what was composed, so that a result can say so. A backend
is asked first: newer versions can do more, and a list of versions would be wrong one day.
"""

import collections
import re
from typing import Callable, Deque, Dict, List, Optional, Sequence, Set, Tuple

import torch
import torch.distributed as dist

# What backends say about an operation or a dtype that they lack. They say it before they send anything, on every rank,
# so that the next operation finds all ranks at the same place.
_LACKS = re.compile(r"does not support|not supported|not implemented|no support|invalid scalar type|unsupported", re.I)

# The tensors of the last calls. Up to torch 2.7 a process group is destroyed with Python's global lock held, and waits
# for gloo's threads. A thread that drops the last reference to a tensor waits for the lock: both would wait for ever.
_LATEST: Deque[Tuple[torch.Tensor, ...]] = collections.deque(maxlen=32)

_OPERATORS = {"sum": dist.ReduceOp.SUM, "max": dist.ReduceOp.MAX, "min": dist.ReduceOp.MIN}


class Notes:
    """What had to be composed: lines such as "reduce_scatter of all_reduce"."""

    def __init__(self) -> None:
        self._lines: Set[str] = set()

    def add(self, line: str) -> None:
        self._lines.add(line)

    def take(self) -> List[str]:
        """All lines since the last call, sorted."""
        lines, self._lines = sorted(self._lines), set()
        return lines


def split_sizes(total: int, parts: int) -> List[int]:
    """Sizes of `parts` shards of `total` elements: as equal as can be, larger ones first, some perhaps empty."""
    small, larger = divmod(total, parts)
    return [small + 1] * larger + [small] * (parts - larger)


def shard_of(tensor: torch.Tensor, dim: int, parts: int, index: int) -> torch.Tensor:
    """Shard `index` of `parts` along `dim`, contiguous."""
    sizes = split_sizes(tensor.shape[dim], parts)
    return tensor.narrow(dim, sum(sizes[:index]), sizes[index]).contiguous()


class Communicator:
    """Collectives over one process group. All ranks of the group call the same methods in the same order.

    No method changes its arguments; all return new tensors.
    """

    def __init__(self, group, rank: int, size: int, device: torch.device, notes: Notes) -> None:
        self.group = group
        self.rank = rank
        self.size = size
        self.device = device
        self.notes = notes
        self._composed: Dict[Tuple[str, torch.dtype], bool] = {}

    # --- collectives ---

    def all_reduce(self, tensor: torch.Tensor, op: str = "sum") -> torch.Tensor:
        """The element-wise `op` ("sum", "max", "min", "mean") over all ranks, on every rank."""
        if op == "mean":
            return self.all_reduce(tensor, "sum") / self.size

        def native() -> torch.Tensor:
            result = tensor.contiguous().clone()
            _LATEST.append((result,))
            dist.all_reduce(result, op=_OPERATORS[op], group=self.group)
            return result

        def composed() -> torch.Tensor:
            return self.all_reduce(tensor.float(), op).to(tensor.dtype)

        return self._try("all_reduce", tensor.dtype, native, composed, "all_reduce[float32]")

    def broadcast(self, tensor: torch.Tensor, source: int) -> torch.Tensor:
        """The tensor of the group's rank `source`; elsewhere only shape and dtype of `tensor` count."""
        origin = dist.get_global_rank(self.group, source) if self.group is not None else source

        def send(value: torch.Tensor) -> torch.Tensor:
            _LATEST.append((value,))
            dist.broadcast(value, src=origin, group=self.group)
            return value

        def native() -> torch.Tensor:
            return send(tensor.contiguous().clone())

        def composed() -> torch.Tensor:
            return _from_bytes(send(_to_bytes(tensor)), tensor)

        return self._try("broadcast", tensor.dtype, native, composed, "broadcast[uint8]")

    def all_gather(self, tensor: torch.Tensor, dim: int = 0) -> torch.Tensor:
        """Shards of all ranks along `dim`, in the order of ranks. Sizes along `dim` may differ, also be 0."""
        shards = self._gather_shards(tensor.movedim(dim, 0).contiguous())
        return torch.cat(shards).movedim(0, dim).contiguous()

    def reduce_scatter(self, tensor: torch.Tensor, dim: int = 0, op: str = "sum") -> torch.Tensor:
        """This rank's shard (see split_sizes) along `dim` of the element-wise `op` over all ranks."""
        if op == "mean":
            return self.reduce_scatter(tensor, dim, "sum") / self.size

        def native() -> torch.Tensor:
            front = tensor.movedim(dim, 0).contiguous()
            sizes = split_sizes(front.shape[0], self.size)
            pieces = [_padded(piece, max(sizes)) for piece in front.split(sizes)]
            result = torch.empty_like(pieces[0])
            _LATEST.append((result, *pieces))
            dist.reduce_scatter(result, pieces, op=_OPERATORS[op], group=self.group)
            if min(sizes) != max(sizes):
                self.notes.add("reduce_scatter of uneven shards of padded reduce_scatter")
            return result[: sizes[self.rank]].movedim(0, dim).contiguous()

        def composed() -> torch.Tensor:
            return shard_of(self.all_reduce(tensor, op), dim, self.size, self.rank)

        return self._try("reduce_scatter", tensor.dtype, native, composed, "all_reduce")

    def all_to_all(self, pieces: Sequence[torch.Tensor], dim: int = 0) -> List[torch.Tensor]:
        """`pieces[i]` goes to rank i; returns what came, by rank. Sizes may differ along `dim` only."""
        if len(pieces) != self.size:
            raise ValueError(f"{len(pieces)} pieces for {self.size} ranks")
        front = [piece.movedim(dim, 0).contiguous() for piece in pieces]
        rest = front[0].shape[1:]
        for piece in front:
            if piece.shape[1:] != rest:
                raise ValueError(f"pieces differ in more than dimension {dim}: {tuple(piece.shape)}")
        sending = [piece.shape[0] for piece in front]
        receiving = self._exchange_sizes(sending)
        dtype = front[0].dtype

        def native() -> torch.Tensor:
            result = front[0].new_empty((sum(receiving), *rest))
            outgoing = torch.cat(front)
            _LATEST.append((result, outgoing))
            dist.all_to_all_single(result, outgoing, receiving, sending, group=self.group)
            return result

        def composed() -> torch.Tensor:
            arrived = [front[0].new_empty((size, *rest)) for size in receiving]
            arrived[self.rank] = front[self.rank].clone()
            waiting = []
            for other in range(self.size):
                if other == self.rank:
                    continue
                peer = dist.get_global_rank(self.group, other) if self.group is not None else other
                if sending[other] and front[other].numel():
                    waiting.append(dist.isend(front[other], peer, group=self.group))
                if receiving[other] and arrived[other].numel():
                    waiting.append(dist.irecv(arrived[other], peer, group=self.group))
            for request in waiting:
                request.wait()
            return torch.cat(arrived)

        joined = self._try("all_to_all", dtype, native, composed, "send and receive")
        return [piece.movedim(0, dim).contiguous() for piece in joined.split(receiving)]

    def barrier(self) -> None:
        """Returns when every rank of the group has come here."""
        dist.barrier(group=self.group)

    # --- parts ---

    def _try(
        self,
        name: str,
        dtype: torch.dtype,
        native: Callable[[], torch.Tensor],
        composed: Callable[[], torch.Tensor],
        of: str,
    ) -> torch.Tensor:
        key = (name, dtype)
        if not self._composed.get(key, False):
            try:
                return native()
            except (RuntimeError, NotImplementedError, ValueError) as error:
                if not _LACKS.search(str(error)):
                    raise
                self._composed[key] = True
        word = name if of == "all_reduce" else f"{name}[{str(dtype).replace('torch.', '')}]"
        self.notes.add(f"{word} of {of}")
        return composed()

    def _gather_shards(self, front: torch.Tensor) -> List[torch.Tensor]:
        """Shards along dimension 0 of all ranks."""
        sizes = [int(size) for size in self._gather_equal(torch.tensor([front.shape[0]], device=self.device))]
        if min(sizes) == max(sizes):
            return self._gather_equal(front)
        self.notes.add("all_gather of uneven shards of padded all_gather")
        gathered = self._gather_equal(_padded(front, max(sizes)))
        return [shard[:size] for shard, size in zip(gathered, sizes)]

    def _gather_equal(self, tensor: torch.Tensor) -> List[torch.Tensor]:
        def gather(value: torch.Tensor) -> List[torch.Tensor]:
            results = [torch.empty_like(value) for _ in range(self.size)]
            _LATEST.append((value, *results))
            dist.all_gather(results, value, group=self.group)
            return results

        def native() -> torch.Tensor:
            return torch.stack(gather(tensor))

        def composed() -> torch.Tensor:
            return torch.stack([_from_bytes(value, tensor) for value in gather(_to_bytes(tensor))])

        # Nothing to send: backends differ in whether they take that.
        if tensor.numel() == 0:
            return [tensor.clone() for _ in range(self.size)]
        return list(self._try("all_gather", tensor.dtype, native, composed, "all_gather[uint8]"))

    def _exchange_sizes(self, sending: Sequence[int]) -> List[int]:
        table = self._gather_equal(torch.tensor(list(sending), device=self.device))
        return [int(row[self.rank]) for row in table]


def _padded(front: torch.Tensor, size: int) -> torch.Tensor:
    if front.shape[0] == size:
        return front.contiguous()
    padding = front.new_zeros((size - front.shape[0], *front.shape[1:]))
    return torch.cat([front, padding])


def _to_bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().clone().reshape(-1).view(torch.uint8)


def _from_bytes(value: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return value.view(like.dtype).reshape(like.shape)


def subgroup(world: "Communicator", members: Sequence[Sequence[int]]) -> Optional[Communicator]:
    """The communicator of the group in `members` that this rank is in. All ranks of the world call it alike."""
    mine = None
    for ranks in members:
        group = dist.new_group(list(ranks))
        if world.rank in ranks:
            mine = Communicator(group, list(ranks).index(world.rank), len(ranks), world.device, world.notes)
    return mine
