"""What tests of gradients share."""

import torch

import farpoint

DEVICES = ["cpu", *(["cuda"] if farpoint.has_cuda and farpoint.cuda_available() and torch.cuda.is_available() else [])]


def check_twice(function, *inputs):
    """Compares first and second derivatives with differences."""
    # On a GPU torch adds rows with atomic additions, in an order that differs from run to run.
    changes = 1e-9 if inputs[0].is_cuda else 0.0
    assert torch.autograd.gradcheck(function, inputs, nondet_tol=changes)
    assert torch.autograd.gradgradcheck(function, inputs, nondet_tol=changes)
