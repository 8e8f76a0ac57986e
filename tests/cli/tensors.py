"""What the tests of kernels share."""


def row_major(dims):
    """The strides of a tensor of these sizes, or of each of a list of tensors."""
    step, out = 1, []
    if dims and isinstance(dims[0], list):
        return [row_major(d) for d in dims]
    for size in reversed(dims):
        out.insert(0, step)
        step *= size
    return out
