"""A transformer block whose heads and hidden units are spread over ranks, and the same block on one process."""

from typing import Dict, Tuple

import torch

from sharded.collectives import Communicator, shard_of, split_sizes

Weights = Dict[str, torch.Tensor]


class _ToParallel(torch.autograd.Function):
    """What is replicated enters the ranks' parts: nothing to do, but its gradient is the sum of theirs."""

    @staticmethod
    def forward(ctx, x, line):
        ctx.line = line
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.line.all_reduce(gradient), None


class _FromParallel(torch.autograd.Function):
    """The sum of the ranks' parts; each gets the whole gradient."""

    @staticmethod
    def forward(ctx, x, line):
        return line.all_reduce(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


def make_weights(width: int, heads: int, hidden: int, generator: torch.Generator) -> Weights:
    """Weights in float64; projections are [in, out], heads are whole blocks of columns."""

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64) / shape[0] ** 0.5

    assert width % heads == 0
    weights = {name: draw(width, width) for name in ("query", "key", "value", "output")}
    weights["up"] = draw(width, hidden)
    weights["down"] = draw(hidden, width)
    for name in ("norm1", "norm2"):
        weights[name] = 1 + 0.1 * torch.randn(width, generator=generator, dtype=torch.float64)
    return weights


def block(x: torch.Tensor, weights: Weights, heads: int) -> torch.Tensor:
    """The reference: x [batch, length, width] through attention and a two-layer network, on one process."""
    attended = _attention(_normed(x, weights["norm1"]), weights, heads)
    x = x + attended @ weights["output"]
    return x + torch.nn.functional.gelu(_normed(x, weights["norm2"]) @ weights["up"]) @ weights["down"]


def shard_weights(weights: Weights, heads: int, line: Communicator) -> Tuple[Weights, int]:
    """This rank's weights and number of heads. Heads are never cut: with 8 heads on 5 ranks some have one, some two."""
    depth = weights["query"].shape[0] // heads
    sizes = split_sizes(heads, line.size)
    begin, mine = sum(sizes[: line.rank]) * depth, sizes[line.rank] * depth
    local = {name: weights[name].narrow(1, begin, mine).clone() for name in ("query", "key", "value")}
    local["output"] = weights["output"].narrow(0, begin, mine).clone()
    local["up"] = shard_of(weights["up"], 1, line.size, line.rank).clone()
    local["down"] = shard_of(weights["down"], 0, line.size, line.rank).clone()
    local["norm1"], local["norm2"] = weights["norm1"].clone(), weights["norm2"].clone()
    return local, sizes[line.rank]


def parallel_block(x: torch.Tensor, weights: Weights, heads: int, line: Communicator) -> torch.Tensor:
    """`block` by this rank's part of the weights; x and the result are the same on all ranks of `line`."""
    normed = _ToParallel.apply(_normed(x, weights["norm1"]), line)
    attended = _attention(normed, weights, heads) if heads else normed[..., :0]
    x = x + _FromParallel.apply(attended @ weights["output"], line)
    normed = _ToParallel.apply(_normed(x, weights["norm2"]), line)
    return x + _FromParallel.apply(torch.nn.functional.gelu(normed @ weights["up"]) @ weights["down"], line)


def gather_gradients(gradients: Weights, line: Communicator) -> Weights:
    """Gradients of all weights in their full shapes, from those of each rank's part."""
    whole = {name: line.all_gather(gradients[name], 1) for name in ("query", "key", "value", "up")}
    whole.update({name: line.all_gather(gradients[name], 0) for name in ("output", "down")})
    # Those of replicated weights are the same on all ranks already.
    whole.update({name: gradients[name] for name in ("norm1", "norm2")})
    return whole


def _normed(x: torch.Tensor, gamma: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, (x.shape[-1],), gamma)


def _attention(x: torch.Tensor, weights: Weights, heads: int) -> torch.Tensor:
    batch, length, _ = x.shape

    def by_head(name: str) -> torch.Tensor:
        return (x @ weights[name]).reshape(batch, length, heads, -1).transpose(1, 2)

    query, key, value = by_head("query"), by_head("key"), by_head("value")
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    # Causal: nobody looks ahead.
    scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
    return (torch.softmax(scores, -1) @ value).transpose(1, 2).reshape(batch, length, -1)
