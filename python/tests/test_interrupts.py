"""Signals during long calls on the host: Ctrl-C ends a call, a handler that raises nothing does not, and the library goes on
working."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import farpoint

#: Each call takes more than 10 s of processor time to its end.
CLOUD = np.random.default_rng(0).random((400_000, 3), np.float32)
LARGE_CLOUD = np.random.default_rng(0).random((5_000_000, 3), np.float32)
CALLS = {
    "fps": lambda threads: farpoint.fps(LARGE_CLOUD, len(LARGE_CLOUD), threads=threads),
    "knn": lambda threads: farpoint.knn(CLOUD, 256, threads=threads),
    "knn of queries": lambda threads: farpoint.knn(CLOUD[:200_000], 256, CLOUD[200_000:], threads=threads),
    "knn of clouds": lambda threads: farpoint.knn(CLOUD.reshape(400, 1000, 3), 999, threads=threads),
    "normals": lambda threads: farpoint.normals(CLOUD, 256, threads=threads),
    "knn of an index": lambda threads: farpoint.PointIndex(CLOUD, threads=threads).knn(256),
    "radius": lambda threads: farpoint.radius(CLOUD, 0.2, threads=threads, capacity=10),
}


@pytest.fixture
def soon():
    """Sends SIGINT to this process after the given seconds. A background job of a shell starts with SIGINT ignored."""
    timers = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def send(seconds):
        timers.append(threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)))
        timers[-1].start()

    yield send
    for timer in timers:
        timer.cancel()
        timer.join()
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_ends_a_call(soon, name, threads):
    soon(0.2)
    start = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        CALLS[name](threads)
    assert time.process_time() - start < 7
    few = CLOUD[:100]
    assert farpoint.fps(few, 5)[0] == 0 and (farpoint.knn(few, 1).indices[:, 0] == np.arange(100)).all()


def test_a_handler_that_raises_nothing_ends_nothing(soon):
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(time.perf_counter()))
    try:
        few = CLOUD[:30_000]
        expected = farpoint.knn(few, 256, threads=2)
        soon(0.1)
        while not seen:
            found = farpoint.knn(few, 256, threads=2)
            assert all((one == other).all() for one, other in zip(found, expected))
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_exception_of_a_handler_is_that_of_the_call(soon):
    class Stopped(Exception):
        pass

    def handle(*_):
        raise Stopped("by its own handler")

    before = signal.signal(signal.SIGINT, handle)
    try:
        soon(0.2)
        with pytest.raises(Stopped, match="by its own handler"):
            CALLS["fps"](0)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_go_on(soon):
    few, found = CLOUD[:50_000], []
    thread = threading.Thread(target=lambda: found.append(farpoint.knn(few, 512, threads=1)))
    thread.start()
    soon(0.1)
    with pytest.raises(KeyboardInterrupt):
        CALLS["fps"](1)
    thread.join()
    assert (found[0].indices[:, 0] == np.arange(len(few))).all() and np.isfinite(found[0].distances).all()


def test_a_thread_releases_its_memory():
    expected = farpoint.knn(CLOUD[:1000], 4)
    farpoint.release_thread_memory()
    farpoint.release_thread_memory()
    assert (farpoint.knn(CLOUD[:1000], 4).indices == expected.indices).all()
