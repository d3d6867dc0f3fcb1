"""A table in a bucket: s3 addresses, against a server of moto on this machine.

`make test-addresses` installs moto, and the version of DuckDB whose extension for addresses is
among Python packages, in a Python of their own. Without them these tests skip.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parquet_folders import write_folder
from tellapart.cli import main

duckdb: Any = pytest.importorskip("duckdb")
moto: Any = pytest.importorskip("moto.server", reason="there is no moto; make test-addresses")


@pytest.fixture(scope="module")  # DuckDB's connections, which are kept, know its secrets
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield a client of a bucket that DuckDB reaches, as it reaches those of its secrets."""
    boto3 = importlib.import_module("boto3")
    httpfs = pytest.importorskip("duckdb_extension_httpfs", reason="make test-addresses")
    monkeypatch = pytest.MonkeyPatch()
    for name, value in (
        ("HOME", str(tmp_path_factory.mktemp("home"))),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(name, value)
    extension = next(Path(httpfs.__file__).parent.rglob("httpfs.duckdb_extension"))
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with duckdb.connect() as connection:
        connection.execute(f"INSTALL '{extension}'")
        connection.execute("LOAD httpfs")
        connection.execute(
            "CREATE PERSISTENT SECRET here (TYPE s3, KEY_ID 'key', SECRET 'secret', "
            f"ENDPOINT '{host}:{port}', USE_SSL false, URL_STYLE 'path')"
        )
    client = boto3.client("s3", endpoint_url=f"http://{host}:{port}")
    client.create_bucket(Bucket="bucket")
    yield client
    server.stop()
    monkeypatch.undo()


@pytest.mark.parametrize("address", ["s3://bucket/scores", "s3://bucket/scores/*.parquet"])
@pytest.mark.parametrize("test", ["auto", "shuffle"])
def test_a_bucket_gives_the_record_of_a_folder(
    address: str, test: str, bucket: Any, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    scores = {name: rng.random(3_000).round(2) for name in ("A", "B")}
    folder = write_folder({"item": np.arange(3_000), **scores}, tmp_path / "scores", [900, 2_000])
    for path in folder.iterdir():
        bucket.upload_file(str(path), "bucket", f"scores/{path.name}")
    records: list[str] = []
    for source in (address, str(folder)):
        written = tmp_path / f"{len(records)}.json"
        words = ["compare", source, "--parts", "--test", test, "--json", str(written), "--quiet"]
        assert main(words) == 0
        records.append(written.read_text("utf-8").replace(source, ""))
    assert records[0] == records[1]


def test_what_is_not_there_is_told(bucket: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert bucket
    assert main(["compare", "s3://bucket/nothing", "--parts"]) == 2
    assert "no Parquet file" in capsys.readouterr().err
    assert main(["compare", "s3://elsewhere/scores", "--parts"]) == 2
    assert "check the address" in capsys.readouterr().err
