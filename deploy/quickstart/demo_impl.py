import pypto

TILE = 64


@pypto.frontend.jit
def demo_kernel(x: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_FP32), out: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(16, TILE)
    for b in pypto.loop(x.shape[0] // TILE, name="batch", idx_name="b"):
        tile = pypto.view(x, [TILE, 128], [b * TILE, 0])
        pypto.assemble(pypto.exp(tile), [b * TILE, 0], out)


def demo_wrapper(x, out):
    demo_kernel(x, out)
    return out
