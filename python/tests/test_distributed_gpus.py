"""farpoint.distributed on GPUs: bits of one GPU, and the end of all ranks if one fails. Skipped without a GPU.

FARPOINT_SEED chooses another large cloud.
"""

import pytest
from test_distributed import TESTS, run_program

import farpoint

if not (farpoint.has_cuda and farpoint.cuda_available()):
    pytest.skip("there is no usable GPU, or farpoint is built without CUDA", allow_module_level=True)
torch = pytest.importorskip("torch", reason="torch is not installed: ranks that are GPUs are not tested")
if not (torch.cuda.is_available() and torch.distributed.is_available() and torch.distributed.is_gloo_available()):
    pytest.skip("torch has no GPU or no gloo", allow_module_level=True)
try:
    farpoint._core.load_nccl()
except RuntimeError as error:
    pytest.skip(str(error), allow_module_level=True)

GPUS = torch.cuda.device_count()
#: The number of GPUs that a scenario needs, and the codes that its ranks end with.
SCENARIOS = {"same_bits:1": (1, [0]), "one_gpu_s_bits:1": (1, [0]), "one_gpu_for_all:2": (1, [0, 0]), "same_bits:2": (2, [0, 0]),
             "one_gpu_s_bits:2": (2, [0, 0]), "other_groups:2": (2, [0, 0]), "wrong_arguments:2": (2, [0, 0]), "killed:2": (2, [0, -9]),
             "fails_in_the_middle:2": (2, [0, 0]), "does_not_come:2": (2, [0, 0])}


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    """Exit codes of the ranks of each scenario, and their error output."""
    scenarios = [name for name, (gpus, _) in SCENARIOS.items() if gpus <= GPUS]
    written, errors = run_program(TESTS / "ranks_of_gpus.py", tmp_path_factory.mktemp("stores"), *scenarios, seconds=300)
    print(errors)
    return {name: list(map(int, codes)) for name, *codes in map(str.split, written.splitlines())}, errors


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_processes(processes, scenario):
    gpus, expected = SCENARIOS[scenario]
    if gpus > GPUS:
        pytest.skip(f"there are {GPUS} GPUs, and ranks of NCCL need one each")
    codes, errors = processes
    assert codes[scenario] == expected, errors


def test_the_example_runs_under_torchrun():
    example = TESTS.parent / "examples/09_sample_a_cloud_on_gpus.py"
    if GPUS < 2 or not example.exists():
        pytest.skip("there is one GPU, or there are no examples beside the tests")
    written, _ = run_program("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", 2, example)
    assert all(f"GPU {rank} of 2 has" in written for rank in range(2)), written
