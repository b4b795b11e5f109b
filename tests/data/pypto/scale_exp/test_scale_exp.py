"""Compares scale_exp with its golden on a device."""
import os

import torch

from scale_exp_golden import scale_exp_golden
from scale_exp_impl import scale_exp_wrapper


def run(rows, cols):
    """One shape."""
    torch.npu.set_device(int(os.environ.get("TILE_FWK_DEVICE_ID", 0)))
    torch.manual_seed(0)
    x = torch.randn(rows, cols, dtype=torch.float32).npu()
    actual = scale_exp_wrapper(x, 0.5)
    expected = scale_exp_golden(x.cpu(), 0.5)
    detailed_tensor_compare(actual.cpu(), expected, tensor_name="y", atol=0.001, rtol=0.001)


def test_scale_exp_l0():
    """The shape of the specification."""
    run(64, 64)


def test_scale_exp_l1():
    """Rows that do not fill the last tile."""
    run(33, 64)
