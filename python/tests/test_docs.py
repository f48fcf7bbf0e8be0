"""The code of docs/python.md runs."""

import pathlib
import re

import numpy as np
import pytest

PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"


def blocks():
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_first_calls_run():
    exec(compile(blocks()[0], "docs/python.md", "exec"), {})


def test_the_calls_with_gradients_run():
    torch = pytest.importorskip("torch", reason="torch is not installed: the page's code for it is not run")
    features = torch.rand(2, 2000, 4, requires_grad=True)
    exec(compile(blocks()[1], "docs/python.md", "exec"), {"points": torch.rand(2, 2000, 3), "features": features})
    assert np.isfinite(features.grad.numpy()).all() and features.grad.any()
