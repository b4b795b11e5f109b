"""Inputs of the tests."""

import torch

# What each test is repeated for. A dtype that a backend lacks travels as another one, and the result says so.
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).replace("torch.", "")


def make(shape, seed: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    """Numbers in [-1, 1] that `dtype` holds exactly, the same on every rank. In float64, or as integers."""
    generator = torch.Generator().manual_seed(seed)
    if not dtype.is_floating_point:
        return torch.randint(-100, 100, shape, generator=generator, dtype=dtype)
    return (torch.rand(shape, generator=generator, dtype=torch.float64) * 2 - 1).to(dtype).to(torch.float64)
