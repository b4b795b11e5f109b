"""Compares tile_matmul with its golden on a device."""
import os

import torch

from tile_matmul_golden import tile_matmul_golden
from tile_matmul_impl import tile_matmul_wrapper


def test_tile_matmul_l0():
    """The shape of the specification."""
    torch.npu.set_device(int(os.environ.get("TILE_FWK_DEVICE_ID", 0)))
    torch.manual_seed(0)
    a = torch.randn(128, 64, dtype=torch.float32).npu()
    b = torch.randn(64, 64, dtype=torch.float32).npu()
    actual = tile_matmul_wrapper(a, b)
    detailed_tensor_compare(actual.cpu(), tile_matmul_golden(a.cpu(), b.cpu()), tensor_name="c", atol=0.001, rtol=0.001)


def test_tile_matmul_l1():
    """The same, twice as large."""
    torch.manual_seed(1)
    a = torch.randn(128, 64, dtype=torch.float32).npu()
    b = torch.randn(64, 64, dtype=torch.float32).npu() * 2
    detailed_tensor_compare(tile_matmul_wrapper(a, b).cpu(), tile_matmul_golden(a.cpu(), b.cpu()), tensor_name="c", atol=0.001, rtol=0.001)
