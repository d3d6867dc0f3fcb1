"""The kernels for AVX-512, compiled for a machine that need not have it: SIMDe plays its part."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tellapart.stats import streams
from tellapart.stats.shuffles import SubsetSums
from tellapart.stats.streams import SHARD

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "src/tellapart/stats/native"
COMPILED = ("kernels_avx512.cpp", "kernels_portable.cpp", "tables.cpp")


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++ to compile the kernels with")
    if not Path("/usr/include/simde").is_dir():
        pytest.skip("SIMDe is not installed (Debian: libsimde-dev)")
    if not SOURCES.is_dir():
        pytest.skip("the sources of the native engine are not here")
    library = tmp_path_factory.mktemp("simde") / "kernels.so"
    sources = [str(SOURCES / name) for name in COMPILED]
    flags = ["-std=c++17", "-O1", "-shared", "-fPIC", "-w", "-ffp-contract=off"]
    subprocess.run(
        [
            compiler,
            *flags,
            "-DTELLAPART_SIMDE",
            f"-I{SOURCES}",
            *sources,
            str(HERE / "native_kernels.cpp"),
            "-o",
            library,
        ],
        check=True,
    )
    return ctypes.CDLL(str(library))


def sums(
    kernels: ctypes.CDLL, avx512: bool, values: NDArray[np.int64], n: int
) -> NDArray[np.float64]:
    columns, units = values.shape
    seeds = streams.block_seeds(3, 1, units)
    out = np.empty((columns, SHARD))
    arrays = [ctypes.c_void_p(each.ctypes.data) for each in (values, seeds, out)]
    sizes = [ctypes.c_int64(size) for size in (columns, units)]
    kernels.subset_sums(int(avx512), *sizes, arrays[0], arrays[1], ctypes.c_int64(n), arrays[2])
    return out[:, :n]


@pytest.mark.parametrize(
    ("units", "largest", "n"),
    [(1, 1, 1), (70, 1, SHARD), (300, 9, 130), (513, 70_000, 999), (1_000, 1 << 40, 64)],
)
def test_avx512_gives_the_same_bits(kernels: ctypes.CDLL, units: int, largest: int, n: int) -> None:
    """As the portable kernels, and as the engine that runs here, whichever that is."""
    rng = np.random.default_rng(units)
    values = rng.integers(-largest, largest + 1, (3, units))
    values[:, rng.random(units) < 0.3] = 0

    assert kernels.avx512_there()
    found = sums(kernels, True, values, n)
    assert found.tobytes() == sums(kernels, False, values, n).tobytes()
    assert np.array_equal(found, SubsetSums(values).sums(3, 1, n))
