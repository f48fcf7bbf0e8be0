"""farpoint.distributed: results equal to a single call for the whole cloud, and the end of all ranks if one rank fails.

Ranks exchange bytes by a transport. The first tests use a transport between threads, written in Python, and so need no torch; the later
ones use torch.distributed between processes.
"""

import ast
import functools
import importlib
import inspect
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
import sharded
from test_package import parameters_in, parameters_of

import farpoint
from farpoint import _ranks

FOLDER = pathlib.Path(farpoint.__file__).parent
TESTS = pathlib.Path(__file__).parent
CLOUD = np.random.default_rng(5).uniform(-5, 5, (2000, 3)).astype(np.float32)


class Threads:
    """State that the ranks share, each of which is a thread."""

    def __init__(self, ranks, timeout=20):
        self.ranks = ranks
        self.barrier = threading.Barrier(ranks, timeout=timeout)
        self.sent = [None] * ranks


class Transport:
    """Transport of one rank. It keeps the views that exchanges passed to it, and can fail in a chosen exchange."""

    def __init__(self, threads, rank):
        self.threads, self.ranks, self.rank = threads, threads.ranks, rank
        self.exchanges, self.aborts = 0, 0
        self.views = []
        self.fails_at, self.failure = None, None
        self.refusal = None

    def exchange(self, send, receive):
        self.exchanges += 1
        if self.exchanges == self.fails_at:
            raise self.failure
        assert len(send) == len(receive) == self.ranks and len(send[self.rank]) == len(receive[self.rank]) == 0
        self.views += [*send, *receive]
        self.threads.sent[self.rank] = [bytes(view) for view in send]
        self.threads.barrier.wait()
        for rank, view in enumerate(receive):
            assert len(view) == len(self.threads.sent[rank][self.rank])
            view[:] = self.threads.sent[rank][self.rank]
        self.threads.barrier.wait()

    def abort(self):
        self.aborts += 1
        self.threads.barrier.abort()


class Calls:
    """Functions of farpoint.distributed, bound to a rank's transport."""

    def __init__(self, transport):
        self.transport = transport

    def __getattr__(self, name):
        return functools.partial(getattr(_ranks, name), self.transport, threads=1)


def on_threads(ranks, work, prepare=lambda transport: None):
    """Runs work(calls, rank) on each rank; returns its result or exception for each rank, and the transports."""
    threads, outcomes = Threads(ranks), [None] * ranks
    transports = [Transport(threads, rank) for rank in range(ranks)]

    def run(rank):
        try:
            prepare(transports[rank])
            outcomes[rank] = work(Calls(transports[rank]), rank)
        except BaseException as error:  # the main thread raises it, AssertionErrors included
            outcomes[rank] = error
            threads.barrier.abort()

    workers = [threading.Thread(target=run, args=(rank,)) for rank in range(ranks)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert not worker.is_alive()
    return outcomes, transports


def all_good(outcomes):
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and not isinstance(outcome, threading.BrokenBarrierError):
            raise outcome
    return outcomes


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_threads_get_the_bits_of_one_call(ranks):
    outcomes, transports = on_threads(ranks, lambda calls, rank: sharded.check_all(calls, rank, ranks))
    all_good(outcomes)
    assert [each.aborts for each in transports] == [0] * ranks
    assert all((each.exchanges > 100) == (ranks > 1) for each in transports)


def test_arrays_of_many_kinds():
    whole = np.random.default_rng(1).integers(-9, 9, (300, 3))

    def work(calls, rank):
        mine = whole[150 * rank:150 * (rank + 1)]
        expected = farpoint.fps(whole.astype(np.float64), 40)
        for part in (mine.astype(np.int16), mine.astype(np.float64)[:, ::-1][:, ::-1], mine.astype(float).tolist(),
                     np.asfortranarray(mine.astype(np.float64))):
            sharded.same(calls.fps(part, 40), expected, "fps")
        sharded.same(calls.fps(mine.astype(np.float16), 40), farpoint.fps(whole.astype(np.float16), 40), "fps of float16")
        found = calls.knn(mine.astype(np.float32), 4, mine[:5].astype(float).tolist())
        sharded.same(found.indices, farpoint.knn(whole.astype(np.float32), 4, mine[:5].astype(np.float32)).indices, "knn")
        rounded = calls.voxelize(mine.astype(np.float32) / 7, 0.4, (-1, -1, -1, 1, 1, 1), dtype="float16", gather=True)["mean"]
        expected = farpoint.voxelize(whole.astype(np.float32) / 7, 0.4, (-1, -1, -1, 1, 1, 1), dtype="float16")["mean"]
        sharded.same(rounded, expected, "means of float16")

    all_good(on_threads(2, work)[0])


def test_a_second_call_has_the_room_that_the_first_lacked(monkeypatch):
    # Points are distributed at random, so that every query needs the other rank. One rank owns the voxel of all points.
    whole = np.random.default_rng(2).random((12_000, 3), np.float32)
    made = {"knn_shard": [], "radius_shard": [], "voxelize_shard": []}
    # Searches count what travels before they take memory.
    expected_outcomes = {"knn_shard": [None, None], "radius_shard": [None, None], "voxelize_shard": [False, False, True, True]}

    def spy(name):
        function = getattr(farpoint._core, name)

        def call(*arguments):
            outcome = function(*arguments)
            made[name].append(outcome and outcome[0])
            return outcome

        monkeypatch.setattr(farpoint._core, name, call)

    for name in made:
        spy(name)

    def work(calls, rank):
        mine, rows = whole[6000 * rank:6000 * (rank + 1)], slice(6000 * rank, 6000 * (rank + 1))
        sharded.same(calls.knn(mine, 5).indices, farpoint.knn(whole, 5).indices[rows], "knn")
        found, expected = calls.radius(mine, 0.1, max_neighbors=5), farpoint.PointIndex(whole).radius(0.1, None, 5)
        sharded.same(found.indices, expected.indices[rows], "radius")
        sharded.same(calls.voxelize(mine, 2.0, (0, 0, 0, 2, 2, 2), gather=True)["mean"],
                     farpoint.voxelize(whole, 2.0, (0, 0, 0, 2, 2, 2))["mean"], "voxelize")

    all_good(on_threads(2, work)[0])
    for name, outcomes in made.items():
        assert sorted(outcomes, key=bool) == expected_outcomes[name], name


WRONG = {
    "samples is negative": lambda calls, part, odd: calls.fps(part, -1 if odd else 4),
    "they must be float32": lambda calls, part, odd: calls.fps(part > 0 if odd else part, 4),
    r"must be \(N, 3\)": lambda calls, part, odd: calls.knn(part[:, :2] if odd else part, 4),
    r"those of a rank are \(N, 3\)": lambda calls, part, odd: calls.knn(part[None] if odd else part, 4),
    "k is 1025": lambda calls, part, odd: calls.knn(part, 1025 if odd else 4),
    "queries are float64": lambda calls, part, odd: calls.knn(part, 4, part.astype(np.float64 if odd else np.float32)),
    "there is no order": lambda calls, part, odd: calls.radius(part, 1.0, max_neighbors=3, order="none" if odd else "index"),
    "radius": lambda calls, part, odd: calls.radius(part, -1.0 if odd else 1.0, max_neighbors=3),
    "is no output of ranks": lambda calls, part, odd: calls.voxelize(part, 1.0, sharded.BOX, outputs=["point_voxel" if odd else "mean"]),
    "outputs are 3": lambda calls, part, odd: calls.voxelize(part, 1.0, sharded.BOX, outputs=3 if odd else None),
    "columns are": lambda calls, part, odd: calls.voxelize(part, 1.0, sharded.BOX, columns="batch_xyz" if odd else "xyz"),
    "both max_points": lambda calls, part, odd: calls.voxelize(part, 1.0, sharded.BOX, max_points=3, max_voxels=None if odd else 4),
    "grid": lambda calls, part, odd: calls.voxelize(part, 0.0 if odd else 1.0, sharded.BOX),
    "index_dtype is": lambda calls, part, odd: calls.fps(part, 4, index_dtype="int16" if odd else "int64"),
    "chosen has the shape": lambda calls, part, odd: calls.fps(part, 4, chosen=[[1]] if odd else [1]),
    "no array": lambda calls, part, odd: calls.fps([[1, 2, 3], [1]] if odd else part, 4),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_wrong_arguments_of_one_rank_end_all(sentence):
    """All ranks raise a ValueError, and the message of the odd rank describes its mistake. The group remains usable."""
    def work(calls, rank):
        part = CLOUD[rank::3]
        odd = rank == 1
        with pytest.raises(ValueError, match=sentence if odd else "arguments of (rank 1|another rank) are refused"):
            WRONG[sentence](calls, part, odd)
        sharded.same(calls.fps(part, 9), farpoint.fps(np.concatenate([CLOUD[r::3] for r in range(3)]), 9), "afterwards")

    outcomes, transports = on_threads(3, work)
    all_good(outcomes)
    assert [each.aborts for each in transports] == [0, 0, 0]


def test_a_refusal_of_a_transport_ends_all_ranks():
    def work(calls, rank):
        part = CLOUD[rank::3]
        calls.transport.refusal = ValueError("timeout is 'soon'") if rank == 1 else None
        for call in (lambda: calls.fps(part, 4), lambda: calls.knn(part, 4), lambda: calls.radius(part, 1.0, max_neighbors=3),
                     lambda: calls.voxelize(part, 1.0, sharded.BOX)):
            with pytest.raises(ValueError, match="timeout is 'soon'" if rank == 1 else "arguments of rank 1 are refused"):
                call()

    outcomes, transports = on_threads(3, work)
    all_good(outcomes)
    assert [each.aborts for each in transports] == [0, 0, 0]


DIFFERENT = {
    "samples": lambda calls, part, odd: calls.fps(part, 4 + odd),
    "first": lambda calls, part, odd: calls.fps(part, 4, first=int(odd)),
    "chosen": lambda calls, part, odd: calls.fps(part, 4, chosen=[1 + odd]),
    "k": lambda calls, part, odd: calls.knn(part, 4 + odd),
    "radius": lambda calls, part, odd: calls.radius(part, 1.0 + odd, max_neighbors=3),
    "voxel_size": lambda calls, part, odd: calls.voxelize(part, 1.0 + odd, sharded.BOX),
    "type": lambda calls, part, odd: calls.fps(part.astype(np.float64 if odd else np.float32), 4),
    "function": lambda calls, part, odd: calls.fps(part, 4) if odd else calls.knn(part, 4),
    "gather": lambda calls, part, odd: calls.voxelize(part, 1.0, sharded.BOX, gather=odd),
    "outputs": lambda calls, part, odd: calls.voxelize(part, 1.0, sharded.BOX, outputs=["max"] if odd else ["max", "mean"], gather=True),
    "first, of no rank": lambda calls, part, odd: calls.fps(part, 4, first=2000),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_ranks_with_different_arguments(name):
    def work(calls, rank):
        with pytest.raises(ValueError):
            DIFFERENT[name](calls, CLOUD[rank::2], rank == 1)

    all_good(on_threads(2, work)[0])


def test_what_only_one_process_has():
    def work(calls, rank):
        wide, narrow = CLOUD[rank::2].astype(np.float64), CLOUD[rank::2]
        with pytest.raises(ValueError, match="mean"):
            calls.voxelize(wide, 1.0, sharded.BOX)
        with pytest.raises(ValueError, match="pass dtype='float32'"):
            calls.voxelize(wide, 1.0, sharded.BOX, outputs=["max"])
        with pytest.raises(ValueError, match="pass dtype='float32'"):
            calls.voxelize(wide, 1.0, sharded.BOX, outputs=["max"], dtype="float16")  # values would be rounded twice
        with pytest.raises(ValueError, match="in which they are added"):
            calls.voxelize(narrow, 1.0, sharded.BOX, dtype="float64")
        with pytest.raises(ValueError, match="voxels are an output of hard"):
            calls.voxelize(narrow, 1.0, sharded.BOX, outputs=["voxels"])

    all_good(on_threads(2, work)[0])


@pytest.mark.parametrize("exchange", [1, 2, 5])
def test_an_exception_of_the_transport_ends_all_ranks(exchange):
    # Python performs the first exchange, and the compiled library the others.
    failure = OSError("the cable is cut")

    def prepare(transport):
        if transport.rank == 1:
            transport.fails_at, transport.failure = exchange, failure

    outcomes, transports = on_threads(3, lambda calls, rank: calls.fps(CLOUD[rank::3], 500), prepare)
    for rank, (outcome, transport) in enumerate(zip(outcomes, transports)):
        assert isinstance(outcome, RuntimeError) and "communication failure" in str(outcome), outcome
        assert transport.aborts == 1
        assert outcome.__cause__ is failure if rank == 1 else isinstance(outcome.__cause__, threading.BrokenBarrierError)


@pytest.mark.parametrize("exchange", [1, 3])
def test_an_interrupt_stays_one(exchange):
    def prepare(transport):
        if transport.rank == 0:
            transport.fails_at, transport.failure = exchange, KeyboardInterrupt()

    outcomes, transports = on_threads(2, lambda calls, rank: calls.knn(CLOUD[rank::2], 3), prepare)
    assert isinstance(outcomes[0], KeyboardInterrupt) and isinstance(outcomes[1], RuntimeError)
    assert [each.aborts for each in transports] == [1, 1]


def test_a_rank_without_memory_ends_all_ranks(monkeypatch):
    rows_of = _ranks._Voxels.rows_of

    def no_memory(voxels, points):
        if threading.current_thread() is not odd[0]:
            return rows_of(voxels, points)
        raise MemoryError

    odd = [None]
    monkeypatch.setattr(_ranks._Voxels, "rows_of", no_memory)

    def prepare(transport):
        if transport.rank == 1:
            odd[0] = threading.current_thread()

    outcomes, transports = on_threads(3, lambda calls, rank: calls.voxelize(CLOUD[rank::3], 1.0, sharded.BOX), prepare)
    assert [type(outcome) for outcome in outcomes] == [RuntimeError, MemoryError, RuntimeError]
    assert transports[1].aborts == 1


def test_a_call_that_never_comes_to_its_exchange_aborts():
    core, transport = farpoint._core, Transport(Threads(2), 0)
    points, out = np.zeros((4, 3), np.float32), np.zeros(2, np.int64)
    with pytest.raises(ValueError, match="another type"):  # the type of `distances`
        core.fps_shard(transport, 1, points, 0, 2, 0, 0.0, None, None, out, np.zeros(2, np.float64))
    assert (transport.exchanges, transport.aborts) == (0, 1)
    for rank, ranks in ((2, 2), (-1, 2), (0, 0)):
        strange = Transport(Threads(2), rank)
        strange.ranks = ranks
        with pytest.raises(ValueError, match="none of its ranks"):
            core.fps_shard(strange, 1, points, 0, 2, 0, 0.0, None, None, out, np.zeros(2, np.float32))


def test_memory_of_a_call_is_not_left_to_the_transport():
    _, transports = on_threads(2, lambda calls, rank: calls.fps(CLOUD[rank::2], 100))
    for transport in transports:
        assert transport.exchanges > 3
        agreement, library = transport.views[:4], transport.views[4:]
        assert all(view.nbytes >= 0 for view in agreement)  # numpy keeps this memory
        for view in library:
            with pytest.raises(ValueError, match="released"):
                bytes(view)


def test_calls_on_ranks_release_the_lock():
    points, done = np.random.default_rng(0).random((60_000, 3), np.float32), threading.Event()

    def work():
        Calls(Transport(Threads(1), 0)).fps(points, 6_000)
        done.set()

    thread, turns, start = threading.Thread(target=work), 0, time.perf_counter()
    thread.start()
    while not done.is_set():
        time.sleep(0.0005)
        turns += 1
    thread.join()
    assert turns >= 3 or time.perf_counter() - start < 0.01


class FakeGpus:
    """The part of the compiled library that works on GPUs: its calls are made in host memory."""

    def __init__(self, monkeypatch, gpu_of_rank=lambda rank: 100 + rank):
        self.connected, self.calls = [], []
        self.fails = lambda transport: None
        check = _ranks.Request.__init__

        def request(this, ranks, *arguments, **options):
            check(this, ranks, *arguments, **options)
            this.gpu = gpu_of_rank(ranks.transport.rank)

        def on_gpus(name):
            def call(gpus, place, transport, *arguments, **named):
                self.calls.append(name)
                self.fails(transport)
                return getattr(farpoint._core, name)(transport, 1, *arguments, **named)

            return call

        functions = ("fps_shard", "knn_shard", "radius_shard", "voxelize_shard", "gather_voxels")
        fakes = {name + "_on_gpus": on_gpus(name) for name in functions}
        core = SimpleNamespace(**{**{name: getattr(farpoint._core, name) for name in (*functions, "voxelize_shapes")}, **fakes},
                               make_nccl_id=lambda: bytes(range(128)), GpuRanks=self.connect)
        monkeypatch.setattr(_ranks.Request, "__init__", request)
        monkeypatch.setattr(_ranks, "_core", core)

    def connect(self, *arguments):
        self.connected.append(arguments)
        return SimpleNamespace(has_failed=False, device=0)

    @staticmethod
    def prepare(transport):
        transport.gpus, transport.milliseconds = None, 600_000


def test_calls_on_gpus_connect_once_and_end_together(monkeypatch):
    fake = FakeGpus(monkeypatch)
    outcomes, transports = on_threads(3, lambda calls, rank: sharded.check_all(calls, rank, 3, only=("random", "no point")), fake.prepare)
    all_good(outcomes)
    assert set(fake.calls) == {"fps_shard", "knn_shard", "radius_shard", "voxelize_shard", "gather_voxels"}
    assert [each.aborts for each in transports] == [0, 0, 0]
    ids, ranks, rank, places, milliseconds = zip(*sorted(fake.connected, key=lambda each: each[2]))
    assert set(ids) == {bytes(range(128))} and ranks == (3, 3, 3) and rank == (0, 1, 2) and set(milliseconds) == {600_000}


@pytest.mark.parametrize("gpu_of_rank, sentence", [
    (lambda rank: rank, "in host memory on some ranks and on GPUs on others"),
    (lambda rank: [-7, 5, -7][rank], "ranks 0, 2 have points on GPUs that other ranks have, too")])
def test_gpus_that_do_not_fit_together(monkeypatch, gpu_of_rank, sentence):
    fake = FakeGpus(monkeypatch, gpu_of_rank)

    def work(calls, rank):
        for call in (lambda: calls.fps(CLOUD[rank::3], 4), lambda: calls.voxelize(CLOUD[rank::3], 1.0, sharded.BOX, gather=True)):
            with pytest.raises(ValueError, match=sentence):
                call()

    outcomes, transports = on_threads(3, work, fake.prepare)
    all_good(outcomes)
    assert [each.aborts for each in transports] == [0, 0, 0] and not fake.connected and not fake.calls


@pytest.mark.parametrize("failure", [MemoryError(), KeyboardInterrupt(), RuntimeError("communication failure")])
def test_a_failure_of_one_gpu_ends_all_ranks(monkeypatch, failure):
    fake = FakeGpus(monkeypatch)

    def fails(transport):
        if transport.rank == 1:
            transport.gpus.has_failed = True
            raise failure

    fake.fails = fails
    outcomes, transports = on_threads(3, lambda calls, rank: calls.fps(CLOUD[rank::3], 500), fake.prepare)
    assert outcomes[1] is failure and transports[1].aborts == 1
    assert all(isinstance(outcomes[rank], RuntimeError) and "communication failure" in str(outcomes[rank]) for rank in (0, 2))


def test_a_call_that_all_gpus_refuse_aborts_none(monkeypatch):
    fake = FakeGpus(monkeypatch)

    def work(calls, rank):
        with pytest.raises(ValueError):
            calls.fps(CLOUD[rank::2], 4 + rank)
        sharded.same(calls.fps(CLOUD[rank::2], 9), farpoint.fps(np.concatenate([CLOUD[::2], CLOUD[1::2]]), 9), "afterwards")

    outcomes, transports = on_threads(2, work, fake.prepare)
    all_good(outcomes)
    assert [each.aborts for each in transports] == [0, 0] and len(fake.connected) == 2


def test_arrays_on_a_device_that_ranks_do_not_take(monkeypatch):
    """Every sentence is of the rank's own check, before any exchange."""
    torch = SimpleNamespace(cuda=SimpleNamespace(is_current_stream_capturing=lambda: False))
    space = SimpleNamespace(library=torch, number=2, on_host=False)
    request, transport = _ranks.Request.__new__(_ranks.Request), SimpleNamespace()
    request.call = SimpleNamespace(space=space, fail=lambda sentence: (_ for _ in ()).throw(ValueError(sentence)))
    with pytest.raises(ValueError, match="these ranks exchange points that are in host memory"):
        request._gpu_of(transport)
    transport.gpus = None
    with pytest.raises(ValueError, match="tensors of torch"):
        request._gpu_of(transport)
    monkeypatch.setattr(_ranks, "Torch", SimpleNamespace)
    core = SimpleNamespace(load_nccl=lambda: None, gpu_number=lambda device: 70 + device)
    monkeypatch.setattr(_ranks, "_core", core)
    _ranks._gpu_number.cache_clear()
    assert request._gpu_of(transport) == 72
    transport.gpus = SimpleNamespace(device=1)
    with pytest.raises(ValueError, match="points are on cuda:2; the first call on this group was on cuda:1"):
        request._gpu_of(transport)
    torch.cuda.is_current_stream_capturing = lambda: True
    with pytest.raises(ValueError, match="captured in a graph"):
        request._gpu_of(transport)
    _ranks._gpu_number.cache_clear()


def test_a_build_without_gpus_says_so():
    # A build that links an installed library has no calls on ranks that are GPUs, either. With them, NCCL is there or not; without it
    # nothing else is called.
    sentences = ["built without calls on ranks that are GPUs"] + ["need NCCL 2.14 or later"] * farpoint.has_cuda
    try:
        farpoint._core.load_nccl()
        assert farpoint.has_cuda
    except RuntimeError as error:
        assert any(sentence in str(error) for sentence in sentences), error


def test_without_torch_it_says_so():
    code = "import sys; sys.modules['torch'] = None\nimport farpoint\ntry:\n    import farpoint.distributed\nexcept ImportError as error:\n    print(error)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(FOLDER.parent)})
    assert out.stdout.strip() == "farpoint.distributed needs torch, with torch.distributed, which is not installed"


def run_program(*arguments, seconds=150, succeeds=True):
    """Runs a program and returns its output and its errors. Checks its exit code, and that no process of its group remains."""
    variables = {**os.environ, "PYTHONPATH": f"{FOLDER.parent}:{TESTS}", "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    with subprocess.Popen([sys.executable, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=variables, start_new_session=True) as program:
        try:
            written, errors = program.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            raise AssertionError("out of time: " + "".join(program.communicate())) from None
    with pytest.raises(ProcessLookupError):
        os.killpg(program.pid, 0)
    assert (program.returncode == 0) == succeeds, written + errors
    return written, errors


SCENARIOS = {"same_bits:2": [0, 0], "same_bits:4": [0] * 4, "wrong_arguments:3": [0] * 3, "killed:4": [0, -signal.SIGKILL, 0, 0],
             "fails_in_the_middle:4": [0] * 4, "does_not_come:2": [0] * 2, "does_not_come:3": [0] * 3, "tells_of_a_failure:3": [0] * 3,
             "without_a_group:2": [0] * 2}


def is_old(torch) -> bool:
    return tuple(map(int, torch.__version__.split(".")[:2])) < (2, 1)


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    """Exit codes of the ranks of each scenario, and their error output."""
    torch = pytest.importorskip("torch", reason="torch is not installed: ranks that are processes are not tested")
    if not (torch.distributed.is_available() and torch.distributed.is_gloo_available()):
        pytest.skip("this torch has no gloo: ranks that are processes are not tested")
    # An older torch waits for a rank that does not come as long as the process group's own time-out.
    scenarios = [name for name in SCENARIOS if not (is_old(torch) and name.startswith("does_not_come"))]
    written, errors = run_program(TESTS / "ranks_of_torch.py", tmp_path_factory.mktemp("stores"), *scenarios)
    return {name: list(map(int, codes)) for name, *codes in map(str.split, written.splitlines())}, errors


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_processes(processes, scenario):
    codes, errors = processes
    if scenario not in codes and is_old(pytest.importorskip("torch")):
        pytest.skip("this torch waits for a rank that does not come as long as the process group's own time-out")
    assert codes[scenario] == SCENARIOS[scenario], errors


def test_the_example_runs_under_torchrun(processes):
    if is_old(pytest.importorskip("torch")):
        pytest.skip("torchrun of this torch does not start in Python 3.11")
    example = TESTS.parent / "examples/07_sample_a_sharded_cloud.py"
    if not example.exists():
        pytest.skip("there are no examples beside the tests")
    written, _ = run_program("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", 2, example)
    assert all(f"rank {rank} of 2 has" in written for rank in range(2))


def test_a_rank_that_is_killed_under_torchrun(processes):
    """The other ranks raise a RuntimeError within their time-out, torchrun reports the signal, and no process remains."""
    if is_old(pytest.importorskip("torch")):
        pytest.skip("torchrun of this torch does not start in Python 3.11")
    written, errors = run_program("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", 3, TESTS / "killed_rank.py",
                                  succeeds=False)
    ends = sorted(re.findall(r"rank (\d) after (\S+) s: (\w+): (communication failure)", written))
    assert [(rank, kind) for rank, _, kind, _ in ends] == [("0", "RuntimeError"), ("2", "RuntimeError")], written + errors
    assert all(float(seconds) < 20 for _, seconds, _, _ in ends), written
    assert "SIGKILL" in errors or "exitcode: -9" in errors.replace(" ", ""), errors
    ids = [int(each) for each in re.findall(r"process (\d+)", written)]
    assert len(set(ids)) == 3, written
    for each in ids:
        with pytest.raises(ProcessLookupError):
            os.kill(each, 0)


def test_the_module_is_documented_and_typed():
    pytest.importorskip("torch", reason="torch is not installed: the module is not imported")
    distributed = importlib.import_module("farpoint.distributed")
    assert distributed.__doc__ and distributed.__all__ == sorted(distributed.__all__)
    for name in distributed.__all__:
        function = getattr(distributed, name)
        parameters = inspect.signature(function).parameters
        assert all(part in function.__doc__ for part in ("Parameters", "Returns", "Raises", *parameters)), name
        assert not {*parameters, "return"} - set(function.__annotations__), name
        # Arguments have the names of the function for one process.
        single = getattr(farpoint, name) if name != "radius" else farpoint.PointIndex.radius
        assert {*parameters} - {*inspect.signature(single).parameters} <= {"group", "timeout", "points", "threads", "gather"}, name
    stubs = [node for node in ast.parse((FOLDER / "distributed.pyi").read_text()).body if isinstance(node, ast.FunctionDef)]
    assert {node.name for node in stubs} == {*distributed.__all__}
    for node in stubs:
        assert parameters_in(node) == parameters_of(getattr(distributed, node.name)), node.name


def test_the_page_has_lines_of_the_example():
    page, examples = TESTS.parents[1] / "docs/python.md", TESTS.parent / "examples"
    if not page.exists():
        pytest.skip("there are no pages beside the tests")
    blocks = [block for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL) if "fpd." in block]
    assert len(blocks) == 2
    for block, name in zip(blocks, ("07_sample_a_sharded_cloud.py", "09_sample_a_cloud_on_gpus.py")):
        assert block in (examples / name).read_text()
