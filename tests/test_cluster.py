"""Shards on a real Dask cluster: a scheduler and two worker processes, one of them killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tellapart as ta
from tellapart.cli import main
from tellapart.counts import Counts

distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")

QUIET = {
    **os.environ,
    "DASK_DISTRIBUTED__WORKER__DAEMON": "False",
    "DASK_DISTRIBUTED__DIAGNOSTICS__NVML": "False",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "10",
    # The slow path, so that a run lasts long enough to lose a worker in the middle of it.
    "TELLAPART_PATH": "numpy",
}


class Cluster:
    """A scheduler and its workers, as processes of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self._start("scheduler", "--port", "0", "--no-dashboard", "--no-jupyter")
        self.workers = [self._start("worker", *self._worker(k)) for k in range(2)]
        with distributed.Client(scheduler_file=str(self._file), timeout="60s") as client:
            client.wait_for_workers(2, timeout=60)
            self.address: str = client.scheduler.address

    @staticmethod
    def _worker(k: int) -> list[str]:
        return ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", f"worker-{k}"]

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", what, "--scheduler-file", str(self._file)]
        process = subprocess.Popen(
            [*command, *options],
            cwd=self._folder,
            env=QUIET,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def close(self) -> None:
        """End all processes."""
        for process in reversed(self.processes):
            process.kill()
        for process in self.processes:
            process.wait(timeout=30)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    started = Cluster(tmp_path_factory.mktemp("dask"))
    yield started
    started.close()


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
    data = counts()
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
    assert cluster.workers[0].wait(timeout=10) == -signal.SIGKILL
    assert cluster.workers[1].poll() is None
    assert there.to_json() == local.to_json()


def test_no_scheduler_at_the_address_is_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = tmp_path / "counts.csv"
    counts(5).to_table(table)
    threads = threading.active_count()
    assert main(["compare", str(table), "--cluster-address", "tcp://127.0.0.1:1"]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("tellapart: no Dask scheduler answers at 'tcp://127.0.0.1:1'")
    assert threading.active_count() <= threads + 5
