"""Kernel of scale_exp."""
import pypto
import torch

ROWS = 16


@pypto.frontend.jit
def scale_exp_kernel(
    x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),
    y: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),
    scale: float,
):
    """One block of rows after the other."""
    pypto.set_vec_tile_shapes(ROWS, 64)
    rows = x.shape[0]
    for block in pypto.loop((rows + ROWS - 1) // ROWS):
        begin = block * ROWS
        tile_x = pypto.view(x, [ROWS, 64], [begin, 0], valid_shape=[pypto.min(rows - begin, ROWS), 64])
        scaled = pypto.mul(tile_x, scale)
        tile_y = pypto.exp(scaled)
        pypto.assemble(tile_y, [begin, 0], y)


def scale_exp_wrapper(x, scale):
    """Allocates the output and launches the kernel once."""
    y = torch.empty_like(x)
    scale_exp_kernel(x, y, scale)
    return y
