"""Shards on a real Dask cluster: a scheduler and two worker processes, one of them killed."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from tellapart.cli import main
from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.resampling import dask_cluster
from tellapart.resampling.dask_cluster import ClusterLost

distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
dask = pytest.importorskip("dask", reason="the extra 'dask' is not installed")

QUIET = {
    **os.environ,
    "DASK_DISTRIBUTED__WORKER__DAEMON": "False",
    "DASK_DISTRIBUTED__DIAGNOSTICS__NVML": "False",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "10",
    # The slow path, so that a run lasts long enough to lose a worker in the middle of it.
    "TELLAPART_PATH": "numpy",
}

# A lambda, which is sent as it is: the scheduler has no module of this name.
_NAMES = lambda dask_scheduler: [each.name for each in dask_scheduler.workers.values()]  # noqa: E731


class Cluster:
    """A scheduler and its workers, as processes of their own."""

    def __init__(
        self, folder: Path, workers: int = 2, options: Sequence[str] = (), spoil: str = ""
    ) -> None:
        self._folder, self._options = folder, options
        self._file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        place = ["--host", "127.0.0.1", "--port", "0"]
        self.scheduler = self._start("scheduler", *place, "--no-dashboard", "--no-jupyter")
        self._named: dict[str, subprocess.Popen[bytes]] = {}
        self.address = self.have(workers, spoil=spoil)

    def have(self, workers: int, *, spoil: str = "") -> str:
        """Start the workers that are missing, wait until no other is known; gives the address."""
        alive = {name: each for name, each in self._named.items() if each.poll() is None}
        if len(self._named) == len(alive) >= workers:
            return self.address
        self._named = alive
        while len(self._named) < workers:
            name = f"worker-{len(self.processes)}"
            self._named[name] = self._start("worker", *self._worker(name), spoil=spoil)
        with distributed.Client(scheduler_file=str(self._file), timeout="60s") as client:
            client.wait_for_workers(len(self._named), timeout=120)
            while set(client.run_on_scheduler(_NAMES)) != set(self._named):
                time.sleep(0.1)  # one that was killed is still there
            return str(client.scheduler.address)

    @property
    def workers(self) -> list[subprocess.Popen[bytes]]:
        """The workers, with those that were killed since some were started."""
        return [*self._named.values()]

    @staticmethod
    def _worker(name: str) -> list[str]:
        return ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", name]

    def _start(self, what: str, *options: str, spoil: str = "") -> subprocess.Popen[bytes]:
        begin = f"{spoil}\nfrom distributed.cli.dask_{what} import main\nmain()"
        command = [sys.executable, "-c", begin, "--scheduler-file", str(self._file)]
        process = subprocess.Popen(
            [*command, *self._options, *options],
            cwd=self._folder,
            env=QUIET,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def kill_workers(self) -> None:
        """End all workers, frozen ones too; others may be started."""
        for process in self.workers:
            process.kill()
            process.wait(timeout=60)

    def close(self) -> None:
        """End all processes."""
        for process in reversed(self.processes):
            process.kill()
        for process in self.processes:
            process.wait(timeout=30)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    started = Cluster(tmp_path_factory.mktemp("dask"))
    yield started
    started.close()


@pytest.fixture
def cluster(scheduler: Cluster) -> Cluster:
    """Give the cluster of the module with a worker at least: a test may kill all that it has."""
    scheduler.have(1)
    return scheduler


def counts(items: int = 3_000) -> Counts:
    rng = np.random.default_rng(0)
    systems = {name: rng.integers(0, 6, (items, 3)) for name in "ABC"}
    return Counts.from_arrays(systems, columns=["tp", "fp", "fn"])


def test_command_line_runs_on_a_cluster_by_its_address(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, options = tmp_path / "counts.csv", ["--metric", "f1", "--test", "shuffle", "--json", "-"]
    counts(40).to_table(table)
    assert main(["compare", str(table), *options, "--cluster-address", cluster.address]) == 0
    there = capsys.readouterr().out
    assert main(["compare", str(table), *options, "--workers", "1"]) == 0
    assert capsys.readouterr().out == there


def test_exact_tests_and_intervals_on_a_cluster(cluster: Cluster) -> None:
    there = ta.compare(counts(60), ["f1"], test="exact", cluster_address=cluster.address)
    assert there.to_json() == ta.compare(counts(60), ["f1"], test="exact").to_json()


def test_record_is_the_same_after_a_worker_was_killed_in_mid_run(cluster: Cluster) -> None:
    cluster.have(2)
    data = counts(1_000)
    asked: dict[str, Any] = {
        "test": "shuffle",
        "shuffles": 1_000_000,
        "seed": 7,
        "intervals": False,
    }
    local = ta.compare(data, ["f1", "recall"], **asked)
    done_when_killed: list[int] = []

    def kill_half_way(what: str, done: int, total: int) -> None:
        if what == "shuffles" and total > 10 and done >= total // 4 and not done_when_killed:
            done_when_killed.append(done)
            cluster.workers[0].send_signal(signal.SIGKILL)

    there = ta.compare(
        data,
        ["f1", "recall"],
        cluster_address=cluster.address,
        batch=4,
        progress=kill_half_way,
        **asked,
    )
    assert done_when_killed
    assert cluster.workers[0].wait(timeout=60) == -signal.SIGKILL
    assert cluster.workers[1].poll() is None
    assert there.to_json() == local.to_json()


LONG: dict[str, Any] = {"test": "shuffle", "shuffles": 200_000, "seed": 7, "intervals": False}


def killing(
    processes: Sequence[subprocess.Popen[bytes]], number: int = signal.SIGKILL
) -> tuple[Any, list[int]]:
    """Make a progress that kills processes when a part of the shuffles is done."""
    done_when_killed: list[int] = []

    def progress(what: str, done: int, total: int) -> None:
        if what == "shuffles" and total > 4 and done >= 2 and not done_when_killed:
            done_when_killed.append(done)
            for process in processes:
                process.send_signal(number)
                if number == signal.SIGKILL:
                    process.wait(timeout=60)

    return progress, done_when_killed


def test_all_workers_killed_in_mid_run(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is done here, with the same record; then a cluster without workers is refused."""
    monkeypatch.setattr(dask_cluster, "PATIENCE_S", 1)
    monkeypatch.setattr(dask_cluster, "_POLL_S", 0.5)
    data = counts()
    progress, killed = killing(cluster.workers)
    with pytest.warns(ClusterLost, match="no workers for 1 seconds"):
        there = ta.compare(
            data, "f1", cluster_address=cluster.address, batch=4, progress=progress, **LONG
        )
    assert killed
    with pytest.raises(UsageError, match=r"has no workers; start some with `dask worker tcp:"):
        ta.compare(data, "f1", cluster_address=cluster.address, **LONG)
    assert there.to_json() == ta.compare(data, "f1", **LONG).to_json()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no process can be frozen here")
def test_all_workers_frozen_in_mid_run(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that still has its connection, and is never heard of again, is lost, too."""
    monkeypatch.setattr(dask_cluster, "SILENCE_S", 3)
    monkeypatch.setattr(dask_cluster, "_POLL_S", 0.5)
    data = counts()
    progress, frozen = killing(cluster.workers, signal.SIGSTOP)
    try:
        with pytest.warns(ClusterLost, match="its workers have been silent for 3 seconds"):
            there = ta.compare(
                data, "f1", cluster_address=cluster.address, batch=4, progress=progress, **LONG
            )
        assert frozen
        assert all(each.poll() is None for each in cluster.workers)
    finally:
        cluster.kill_workers()
    assert there.to_json() == ta.compare(data, "f1", **LONG).to_json()


class Stub:
    """A scheduler of one worker, and a shard on it that needs some questions to be done."""

    status = "pending"

    def __init__(self, questions: int, beats: Sequence[dict[str, float]]) -> None:
        self.scheduler, self.identity, self.ncores = self, None, None
        self._left, self._beats = questions, list(beats)

    def result(self, timeout: float) -> str:
        """Return what the shard found, once it is done."""
        self._left -= 1
        if self._left < 0:
            return "done"
        raise TimeoutError(timeout)

    def sync(self, *_: object, **__: object) -> dict[str, Any]:
        """Return what the scheduler says of itself."""
        beats = self._beats.pop(0) if len(self._beats) > 1 else self._beats[0]
        return {"workers": {each: {"last_seen": beat} for each, beat in beats.items()}}


def waited(stub: Stub) -> Any:
    return dask_cluster._Cluster("tcp://x:1", stub, map, KeyError)._result(stub)


def test_a_worker_that_is_busy_for_long_is_not_lost() -> None:
    """Its heartbeats may be late, and by any clock; that of a second worker is enough."""
    late = [{"a": -5.0 + k // 10} for k in range(200)]
    assert waited(Stub(200, late)) == "done"
    assert waited(Stub(200, [{"a": 1.0, "b": k} for k in range(200)])) == "done"
    with pytest.raises(OSError, match="silent for 30 seconds"):
        waited(Stub(200, [{"a": 1.0}]))
    with pytest.raises(OSError, match="no workers for 10 seconds"):
        waited(Stub(200, [{"a": 1.0}, {}]))


def test_scheduler_killed_in_mid_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is done here; Dask's own complaints are not heard."""
    monkeypatch.setattr(dask_cluster, "_POLL_S", 0.5)
    data = counts()
    with closing(Cluster(tmp_path, workers=1)) as cluster:
        progress, killed = killing([cluster.scheduler])
        with pytest.warns(ClusterLost, match="the rest was done here"):
            there = ta.compare(
                data, "f1", cluster_address=cluster.address, batch=4, progress=progress, **LONG
            )
    assert killed
    assert there.to_json() == ta.compare(data, "f1", **LONG).to_json()
    assert capfd.readouterr().err == ""


def test_workers_without_the_package_are_refused(cluster: Cluster) -> None:
    spoil = """
import sys, importlib.metadata as metadata
sys.modules["tellapart"] = None
find = metadata.Distribution.from_name
def found(name):
    if name == "tellapart":
        raise metadata.PackageNotFoundError(name)
    return find(name)
metadata.Distribution.from_name = found
"""
    cluster.have(len(cluster.workers) + 1, spoil=spoil)
    try:
        with pytest.raises(UsageError, match=r"has no tellapart; install tellapart \S+ on all"):
            ta.compare(counts(20), "f1", cluster_address=cluster.address)
    finally:
        cluster.workers[-1].kill()
        cluster.workers[-1].wait(timeout=60)


def test_workers_with_another_version_are_refused(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = importlib.metadata.version("tellapart")
    monkeypatch.setattr(dask_cluster, "own_version", lambda: "99.0")
    with pytest.raises(UsageError, match=f"has tellapart {there}; install tellapart 99.0"):
        ta.compare(counts(20), "f1", cluster_address=cluster.address)


def test_interrupted_with_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    table = tmp_path / "counts.csv"
    counts(2_000).to_table(table)
    asked = ["--metric", "f1", "--test", "shuffle", "--shuffles", "50000000"]
    command = [sys.executable, "-m", "tellapart", "compare", str(table), *asked]
    process = subprocess.Popen(
        [*command, "--cluster-address", cluster.address],
        env=QUIET,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with distributed.Client(cluster.address, timeout="60s", set_as_default=False) as client:
        while not any(client.processing().values()) and process.poll() is None:
            time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert "distributed" not in err


def test_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate of one's own for all: the settings are Dask's, the address is tls://."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("no openssl here to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    asked = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    written = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([program, "req", *asked, *written], check=True, capture_output=True)
    options = ["--tls-ca-file", str(certificate), "--tls-cert", str(certificate)]
    options += ["--tls-key", str(key), "--protocol", "tls"]
    settings = {
        "distributed.comm.tls.ca-file": str(certificate),
        "distributed.comm.tls.client.cert": str(certificate),
        "distributed.comm.tls.client.key": str(key),
    }
    with dask.config.set(settings), closing(Cluster(tmp_path, 1, options)) as cluster:
        assert cluster.address.startswith("tls://")
        there = ta.compare(counts(60), "f1", cluster_address=cluster.address).to_json()
        monkeypatch.setattr(dask_cluster, "CONNECT_S", 1)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = f"tls://127.0.0.1:{silent.getsockname()[1]}"
            with pytest.raises(UsageError, match="no Dask scheduler answers at 'tls://"):
                ta.compare(counts(60), "f1", cluster_address=address)
        with (
            dask.config.set({"distributed.comm.tls.ca-file": None}),
            pytest.raises(UsageError, match="no Dask scheduler answers at 'tls://"),
        ):
            ta.compare(counts(60), "f1", cluster_address=cluster.address)
    assert there == ta.compare(counts(60), "f1").to_json()


def refusal(address: str, table: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["compare", str(table), "--cluster-address", address]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len([line for line in said if line.startswith("tellapart:")]) == 1
    return said[-1]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "counts.csv"
    counts(5).to_table(path)
    return path


def test_no_scheduler_at_the_address(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    threads = threading.active_count()
    said = refusal("tcp://127.0.0.1:1", table, capsys)
    assert said.startswith("tellapart: no Dask scheduler answers at 'tcp://127.0.0.1:1'")
    assert threading.active_count() <= threads + 5


@pytest.mark.parametrize("protocol", ["tcp", "tls"])
def test_address_that_is_silent(
    protocol: str, table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody takes the call, and says nothing."""
    monkeypatch.setattr(dask_cluster, "CONNECT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"{protocol}://127.0.0.1:{server.getsockname()[1]}"
        assert f"no Dask scheduler answers at '{address}'" in refusal(address, table, capsys)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1:80", "is reached by tcp or tls, not by 'http'"),
        ("foo://127.0.0.1:80", "is reached by tcp or tls, not by 'foo'"),
        ("ucx://127.0.0.1:80", "is reached by tcp or tls, not by 'ucx'"),
        ("ws://127.0.0.1:80", "is reached by tcp or tls, not by 'ws'"),
        ("127.0.0.1", "is no address of a Dask scheduler"),
        ("tcp://127.0.0.1:99999", "is no address of a Dask scheduler"),
        ("tcp://127.0.0.1:0", "is no address of a Dask scheduler"),
        ("tcp://user@127.0.0.1:80", "is no address of a Dask scheduler"),
        ("tcp://127.0.0.1:80/path", "is no address of a Dask scheduler"),
        ("tcp:// :80", "is no address of a Dask scheduler"),
        ("inproc://127.0.0.1/1/2", "is reached by tcp or tls, not by 'inproc'"),
        ("inproc://1", "is reached by tcp or tls, not by 'inproc'"),
        ("inproc://PID", "is reached by tcp or tls, not by 'inproc'"),
        ("inproc://a/PID/x", "is reached by tcp or tls, not by 'inproc'"),
        (f"tcp://{'a' * 300}:80", "no Dask scheduler answers"),
    ],
)
def test_addresses_that_are_none(
    address: str, said: str, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = address.replace("PID", str(os.getpid()))
    assert said in refusal(own, table, capsys)
