import numpy as np
import pytest
from hypothesis import settings

# Examples are drawn from a fixed seed, so that a failure here is one everywhere; its example is printed.
settings.register_profile("farpoint", derandomize=True, deadline=None, max_examples=40, print_blob=True)
settings.load_profile("farpoint")


@pytest.fixture
def rng():
    return np.random.default_rng(20240607)
