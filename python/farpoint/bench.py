"""Times farpoint and other packages that are installed: `python -m farpoint.bench`.

    python -m farpoint.bench [--device cpu|cuda] [--only fps] [--few] [--sweep FILE] [--seconds 1] [--json FILE] [--results DIR]

Each row is the median of calls on one input, in one process. On a GPU, calls go to one stream one after another, and the time is
the time between two events divided by the number of calls: the cost in a training loop. Rows of a few points show the overhead of a
call: the time until it returns, and the part of it that is spent in C++, with memory for the results at hand: computing the size
of the workspace, and enqueuing the work. Python adds the difference. With torch, the function of farpoint.torch has a row, too. These calls wait for the GPU after every 16 calls: the first
call after a wait is slower. A package that is missing, or whose call raises, has no row; it is listed with the reason.
Inputs are made from a fixed seed; the sweep is a street as a LiDAR with 64 beams would see it, or a file of float32 x, y, z.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

import farpoint


def _made_sweep() -> np.ndarray:
    """Ground and walls of a street from a sensor at 1.8 m: rings that are denser nearby."""
    rng = np.random.default_rng(3)
    azimuth, elevation = np.meshgrid(np.linspace(-np.pi, np.pi, 1800, endpoint=False), np.radians(np.linspace(-24, 2, 64)))
    x, y, z = np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)
    with np.errstate(divide="ignore"):
        ground = np.where(z < 0, -1.8 / z, np.inf)
        wall = np.minimum(9 / np.maximum(np.abs(y), 1e-9), 60 / np.maximum(np.abs(x), 1e-9))
    reach = np.minimum(ground, wall)
    points = np.stack([x, y, z], -1) * (reach + rng.normal(0, 0.02, reach.shape))[..., None]
    return points[reach < 80].astype(np.float32)


def _processor() -> str:
    """Model name of the processor; "unknown" if the system does not provide it."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _commit() -> str:
    """The commit of the checkout in the current folder, or FARPOINT_COMMIT of the environment; "unknown" without either."""
    named = os.environ.get("FARPOINT_COMMIT")
    if named:
        return named
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        return subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], check=True, capture_output=True, text=True).stdout.strip()
    return "unknown"


def _kept(result: dict, results: pathlib.Path) -> pathlib.Path:
    """The file of a run below a folder of results, by the GPU or the processor that it ran on."""
    context = result["context"]
    machine = re.sub(r"[^a-z0-9]+", "-", (context["gpu"] or context["processor"]).lower()).strip("-")
    return results / machine / "python" / "bench.json"


class Clock:
    """Median time of a call."""

    def __init__(self, device: str, seconds: float):
        self.torch: Any = sys.modules.get("torch")
        self.on_gpu = device != "cpu"
        self.seconds = seconds

    def microseconds(self, call: Callable[[], Any]) -> float:
        call()
        return self._on_gpu(call) if self.on_gpu else self._on_host(call)

    def microseconds_of_call(self, call: Callable[[], Any]) -> Tuple[float, float]:
        """Until a call returns, and what of that the compiled library takes; on a GPU the work may go on."""
        with _library_times() as parts:

            def seconds() -> Tuple[float, float]:
                start = time.perf_counter()
                call()
                return time.perf_counter() - start, sum(parts())

            seconds()
            both = self._times(seconds)
        return tuple(1e6 * statistics.median(times) for times in zip(*both))  # type: ignore[return-value]

    def _on_host(self, call: Callable[[], Any]) -> float:
        def seconds() -> float:
            start = time.perf_counter()
            call()
            return time.perf_counter() - start

        return 1e6 * statistics.median(self._times(seconds))

    def _times(self, seconds: Callable[[], Any]) -> List[Any]:
        times: List[Any] = []
        end = time.perf_counter() + self.seconds
        while not times or (time.perf_counter() < end and len(times) < 1000):
            if self.on_gpu and len(times) % 16 == 0:
                self.torch.cuda.synchronize()  # a full queue would hold the next call up
            times.append(seconds())
        return times

    def _on_gpu(self, call: Callable[[], Any]) -> float:
        cuda = self.torch.cuda
        begin, finish = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        cuda.synchronize()
        start = time.perf_counter()
        call()
        cuda.synchronize()
        each = max(1, min(200, int(0.1 * self.seconds / max(time.perf_counter() - start, 1e-6))))
        times = []
        for _ in range(10):
            begin.record()
            for _ in range(each):
                call()
            finish.record()
            finish.synchronize()
            times.append(1e3 * begin.elapsed_time(finish) / each)
        return statistics.median(times)


@contextlib.contextmanager
def _library_times() -> Iterator[Callable[[], List[float]]]:
    """A function that returns the seconds of each call of the compiled library since the previous query."""
    core = farpoint._core
    core.call_seconds()
    core.time_calls(True)
    try:
        yield core.call_seconds
    finally:
        core.time_calls(False)


class Peers(dict):
    """Modules by name, None for modules that cannot be imported; `missing` has the reasons."""

    def __init__(self) -> None:
        super().__init__()
        self.missing: Dict[str, str] = {}

    def __missing__(self, name: str) -> Optional[Any]:
        module = None
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError:
            self.missing[name] = "not installed"
        except Exception as error:  # a package that is there and does not load is as good as none
            self.missing[name] = f"{type(error).__name__}: {error}"
        self[name] = module
        return module

    def found(self) -> List[str]:
        return [name for name, module in self.items() if module is not None and name != "torch"]

    def versions(self) -> Dict[str, str]:
        """By package; "unknown" of one without metadata."""
        found = {}
        for name in self.found():
            package = name.split(".")[0]
            try:
                found[package] = importlib.metadata.version(package)
            except importlib.metadata.PackageNotFoundError:
                found[package] = "unknown"
        return found


class Cases:
    """The timed cases: for each case farpoint and its peers, as calls without arguments."""

    def __init__(self, device: str, sweep: np.ndarray):
        rng = np.random.default_rng(1)
        self.arrays = {
            "(16, 1024, 3)": rng.random((16, 1024, 3), np.float32),
            "(4, 16384, 3)": rng.random((4, 16384, 3), np.float32),
            f"sweep of {len(sweep):,}": sweep,
        }
        self.device = device
        self.peers = Peers()
        self.torch: Any = self.peers["torch"]

    def given(self, points: np.ndarray) -> Any:
        return points if self.device == "cpu" else self.torch.from_numpy(points).to(self.device)

    def _tensor(self, points: np.ndarray) -> Any:
        return self.torch.from_numpy(points).to(self.device)

    def _stacked(self, points: np.ndarray) -> tuple:
        batch = np.repeat(np.arange(points.shape[0] if points.ndim == 3 else 1), points.shape[-2])
        return self._tensor(points.reshape(-1, 3)), self._tensor(batch)

    def _scipy(self, points: np.ndarray, search: Callable[[Any, np.ndarray], Any]) -> Dict[str, Callable[[], Any]]:
        """`search(tree, cloud)` by scipy's tree of each cloud, which the call makes; nothing where scipy is not timed."""
        if self.device != "cpu" or not self.peers["scipy.spatial"]:
            return {}
        tree = self.peers["scipy.spatial"].cKDTree
        clouds = points if points.ndim == 3 else points[None]
        return {"scipy": lambda: [search(tree(c), c) for c in clouds]}

    def _small_gicp(self, points: np.ndarray, call: Callable[[Any, np.ndarray, int], Any]) -> Dict[str, Callable[[], Any]]:
        """`call(small_gicp, cloud in float64, threads)` for each cloud; empty if small_gicp is not timed."""
        if self.device != "cpu" or not self.peers["small_gicp"]:
            return {}
        clouds = [c.astype(np.float64) for c in (points if points.ndim == 3 else points[None])]
        return {"small_gicp": lambda: [call(self.peers["small_gicp"], c, os.cpu_count() or 1) for c in clouds]}

    def fps(self, points: np.ndarray, samples: int) -> Dict[str, Callable[[], Any]]:
        given = self.given(points)
        calls: Dict[str, Callable[[], Any]] = {"farpoint": lambda: farpoint.fps(given, samples)}
        # torch_geometric's is torch_cluster's, or by newer versions pyg_lib's: without these it raises.
        for name, module in (("torch_cluster", "torch_cluster"), ("torch_geometric", "torch_geometric.nn.pool")):
            peer = self.peers[module]
            if peer:
                x, batch = self._stacked(points)
                calls[name] = functools.partial(peer.fps, x, batch, samples / points.shape[-2], random_start=False)
        if self.peers["pytorch3d.ops"]:
            x = self._tensor(points if points.ndim == 3 else points[None])
            calls["pytorch3d"] = lambda: self.peers["pytorch3d.ops"].sample_farthest_points(x, K=samples)
        if self.device == "cpu":
            clouds = points if points.ndim == 3 else points[None]
            if self.peers["fpsample"]:
                calls["fpsample"] = lambda: [self.peers["fpsample"].bucket_fps_kdline_sampling(c, samples, h=5, start_idx=0)
                                             for c in clouds]
            if self.peers["open3d"]:
                o3d = self.peers["open3d"]
                made = [o3d.geometry.PointCloud(o3d.utility.Vector3dVector(c)) for c in clouds]
                calls["open3d"] = lambda: [c.farthest_point_down_sample(samples) for c in made]
        return calls

    def knn(self, points: np.ndarray, k: int) -> Dict[str, Callable[[], Any]]:
        given = self.given(points)
        calls: Dict[str, Callable[[], Any]] = {"farpoint": lambda: farpoint.knn(given, k)}
        if self.peers["torch_cluster"]:
            x, batch = self._stacked(points)
            calls["torch_cluster"] = lambda: self.peers["torch_cluster"].knn(x, x, k, batch, batch)
        if self.peers["pytorch3d.ops"]:
            stacked = self._tensor(points if points.ndim == 3 else points[None])
            calls["pytorch3d"] = lambda: self.peers["pytorch3d.ops"].knn_points(stacked, stacked, K=k)
        calls.update(self._scipy(points, lambda tree, cloud: tree.query(cloud, k, workers=-1)))
        calls.update(self._small_gicp(points, lambda gicp, cloud, threads: gicp.KdTree(cloud, num_threads=threads)
                                      .batch_knn_search(cloud, k, num_threads=threads)))
        return calls

    def radius(self, points: np.ndarray, radius: float) -> Dict[str, Callable[[], Any]]:
        given = self.given(points)
        peer = self._scipy(points, lambda tree, cloud: tree.query_ball_point(cloud, radius, workers=-1))
        return {"farpoint": lambda: farpoint.radius(given, radius), **peer}

    def voxelize(self, points: np.ndarray, size: float) -> Dict[str, Callable[[], Any]]:
        box = (*(points.reshape(-1, 3).min(0) - size), *(points.reshape(-1, 3).max(0) + size))
        given = self.given(points)
        calls: Dict[str, Callable[[], Any]] = {
            "farpoint": lambda: farpoint.voxelize(given, size, box, outputs=["coords", "mean"])}
        if self.device == "cpu" and self.peers["open3d"] and points.ndim == 2:
            o3d = self.peers["open3d"]
            made = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points))
            calls["open3d"] = lambda: made.voxel_down_sample(size)
        calls.update(self._small_gicp(points, lambda gicp, cloud, threads: gicp.voxelgrid_sampling(cloud, size, num_threads=threads)))
        return calls

    def hard_voxels(self, points: np.ndarray, size: float, most: int, voxels: int) -> Dict[str, Callable[[], Any]]:
        """At most `most` points of at most `voxels` voxels: what a detector reads."""
        box = [float(x) for x in (*(points.min(0) - size), *(points.max(0) + size))]
        given = self.given(points)
        calls: Dict[str, Callable[[], Any]] = {"farpoint": lambda: farpoint.voxelize(
            given, size, box, max_points=most, max_voxels=voxels, outputs=["coords", "num_points", "voxels", "point_voxel"])}
        if self.device != "cpu" and self.peers["spconv.pytorch.utils"]:
            made: Any = None

            def spconv() -> Any:
                nonlocal made
                made = made or self.peers["spconv.pytorch.utils"].PointToVoxel([size] * 3, box, 3, voxels, most, given.device)
                return made(given)

            calls["spconv"] = spconv
        return calls

    def all(self) -> List[tuple]:
        rows = []
        for name, points in self.arrays.items():
            n = points.shape[-2]
            is_sweep = points.ndim == 2
            rows.append(("fps", f"{name} -> {n // 4 if not is_sweep else 4096}", self.fps(points, n // 4 if not is_sweep else 4096)))
            rows.append(("knn", f"{name}, k = 16", self.knn(points, 16)))
            rows.append(("radius", f"{name}, {0.5 if is_sweep else 0.05} m", self.radius(points, 0.5 if is_sweep else 0.05)))
            rows.append(("voxelize", f"{name}, {0.2 if is_sweep else 0.05} m", self.voxelize(points, 0.2 if is_sweep else 0.05)))
            if is_sweep:
                rows.append(("voxelize", f"{name}, 0.1 m, 10 points of 160,000 voxels", self.hard_voxels(points, 0.1, 10, 160_000)))
        return rows

    def few(self) -> List[tuple]:
        """Calls on four points: what a call costs before it has much to do."""
        return self._few(farpoint, self.given)

    def few_of_torch(self) -> List[tuple]:
        """few() by the functions of farpoint.torch, on tensors; nothing without torch."""
        if self.torch is None:
            return []
        from farpoint import torch as fpt

        return self._few(fpt, self._tensor)

    @staticmethod
    def _few(module, given: Callable) -> List[tuple]:
        """Calls of a module's functions on arrays that given() makes."""
        points = given(np.random.default_rng(2).random((1, 4, 3), np.float32))
        indices, groups = module.fps(points, 2), module.knn(points, 2)[0]
        channels = given(np.zeros((1, 5, 4), np.float32))
        name = "(1, 4, 3)"
        return [
            ("fps", name, lambda: module.fps(points, 2)),
            ("knn", name, lambda: module.knn(points, 2)),
            ("radius", f"{name}, capacity 16", lambda: module.radius(points, 0.1, capacity=16)),
            ("voxelize", name, lambda: module.voxelize(points, 0.5, (0, 0, 0, 1, 1, 1), max_points=2, max_voxels=4)),
            ("gather", name, lambda: module.gather(points, indices)),
            ("group", "(1, 5, 4)", lambda: module.group(channels, groups)),
            ("ball_query", name, lambda: module.ball_query(0.2, 2, points, points)),
            ("three_nn", name, lambda: module.three_nn(points, points)),
        ]


def _added(rows: List[dict]) -> Dict[str, float]:
    """Overhead of Python per call (us), by function."""
    cpp = {(row["function"], row["input"]): row["p50_us"] for row in rows if row["package"] == "farpoint, in C++"}
    return {row["function"]: row["p50_us"] - cpp[row["function"], row["input"]] for row in rows
            if row["package"] == "farpoint" and (row["function"], row["input"]) in cpp}


def _table(rows: List[dict]) -> str:
    head = ["function", "input", "package", "us", "times farpoint's"]
    own = {(row["function"], row["input"]): row["p50_us"] for row in rows if row["package"] == "farpoint"}
    cells = [[row["function"], row["input"], row["package"], f"{row['p50_us']:,.1f}",
              f"{row['p50_us'] / own[row['function'], row['input']]:.2f}"] for row in rows]
    widths = [max(len(line[i]) for line in [head, *cells]) for i in range(len(head))]
    lines = [head, ["-" * width for width in widths], *cells]
    return "\n".join("  ".join(cell.ljust(width) if i < 3 else cell.rjust(width) for i, (cell, width) in
                               enumerate(zip(line, widths))).rstrip() for line in lines)


def run(device: str = "cpu", only: Optional[str] = None, sweep: Optional[str] = None, seconds: float = 1.0,
        few: bool = False) -> dict:
    """Times all cases, or only the cases of a few points; returns a dict of `context` and `rows`."""
    points = np.fromfile(sweep, np.float32).reshape(-1, 3) if sweep else _made_sweep()
    cases = Cases(device, points)
    if device != "cpu" and (cases.torch is None or not cases.torch.cuda.is_available()):
        raise SystemExit("farpoint.bench: a GPU is timed with torch's tensors, and torch has none here")
    clock = Clock(device, seconds)
    rows, failed = [], {}
    for function, name, calls in [] if few else cases.all():
        if only is not None and function != only:
            continue
        for package, call in calls.items():
            try:
                rows.append({"function": function, "input": name, "package": package, "p50_us": clock.microseconds(call)})
            except Exception as error:  # torch_geometric's fps without torch_cluster, say
                if package == "farpoint":
                    raise
                failed[f"{package} {function}"] = f"{type(error).__name__}: {error}"
    for function, name, call in cases.few():
        if only is None or function == only:
            for package, us in zip(("farpoint", "farpoint, in C++"), clock.microseconds_of_call(call)):
                rows.append({"function": function, "input": name, "package": package, "p50_us": us})
    for function, name, call in cases.few_of_torch():
        if only is None or function == only:
            us, _ = clock.microseconds_of_call(call)
            rows.append({"function": function, "input": name, "package": "farpoint.torch", "p50_us": us})
    context = {"farpoint": farpoint.__version__, "commit": _commit(), "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
               "load": os.getloadavg()[0], "torch": getattr(cases.torch, "__version__", None), "device": device, "machine": platform.machine(), "python": platform.python_version(),
               "peers": cases.peers.found(), "versions": cases.peers.versions(), "processor": _processor(), "threads": os.cpu_count(),
               "missing": cases.peers.missing, "failed": failed, "gpu": cases.torch.cuda.get_device_name() if device != "cpu" else None}
    return {"context": context, "rows": rows, "added_us": _added(rows)}


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m farpoint.bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--only", choices=["fps", "knn", "radius", "voxelize", "gather", "group", "ball_query", "three_nn"],
                        help="one function")
    parser.add_argument("--few", action="store_true", help="the rows of a few points alone")
    parser.add_argument("--sweep", help="a file of float32 x, y, z")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row, at most, after the first call")
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--results", type=pathlib.Path, metavar="DIR", help="write the rows to DIR/<gpu or processor>/python/bench.json")
    options = parser.parse_args(arguments)
    result = run(options.device, options.only, options.sweep, options.seconds, options.few)
    print(_table(result["rows"]))
    print("\nPython adds, us: " + ", ".join(f"{name} {us:.1f}" for name, us in result["added_us"].items()) + ".")
    print(f"Peers found: {', '.join(result['context']['peers']) or 'none'}.")
    for what, sentence in {**result["context"]["missing"], **result["context"]["failed"]}.items():
        print(f"Not timed: {what}: {sentence}")
    files = [pathlib.Path(options.json)] if options.json else []
    if options.results:
        files.append(_kept(result, options.results))
        files[-1].parent.mkdir(parents=True, exist_ok=True)
    for path in files:
        path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
