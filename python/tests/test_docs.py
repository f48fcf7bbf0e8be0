"""The code of docs/python.md and of the pages of drop-in modules runs."""

import pathlib
import re

import numpy as np
import pytest

PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"


def blocks(page=PAGE):
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_first_calls_run():
    exec(compile(blocks()[0], "docs/python.md", "exec"), {})


def test_the_calls_with_gradients_run():
    torch = pytest.importorskip("torch", reason="torch is not installed: the page's code for it is not run")
    features = torch.rand(2, 2000, 4, requires_grad=True)
    exec(compile(blocks()[1], "docs/python.md", "exec"), {"points": torch.rand(2, 2000, 3), "features": features})
    assert np.isfinite(features.grad.numpy()).all() and features.grad.any()


@pytest.mark.parametrize("name", ["mmcv", "pytorch3d", "torch_cluster"])
def test_the_code_of_a_drop_in_runs(name):
    pytest.importorskip("torch", reason="torch is not installed: the code of drop-in modules is not run")
    first, *others = blocks(PAGE.parent / f"migration/{name}.md")
    _, now = first.split("# now\n")  # "before" is code of a library that need not be installed
    exec(compile("\n".join([now, *others]), f"docs/migration/{name}.md", "exec"), {})
