"""Reads the reference figures for texts, and names their variants in our terms."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.metrics.text.bleu import Bleu
from tellapart.metrics.text.chrf import Chrf
from tellapart.metrics.text.ngrams import Texts
from tellapart.metrics.text.nist import Nist
from tellapart.metrics.text.scoring import TextMetric, statistics
from tellapart.metrics.text.ter import Ter

VARIANTS: dict[str, TextMetric] = {
    "BLEU:13a": Bleu(),
    "BLEU:none": Bleu("none"),
    "BLEU:intl": Bleu("intl"),
    "BLEU:char": Bleu("char"),
    "BLEU:zh": Bleu("zh"),
    "BLEU:13a-lc": Bleu(lowercase=True),
    "BLEU:13a-smooth_none": Bleu(smooth="none"),
    "BLEU:13a-smooth_floor": Bleu(smooth="floor"),
    "BLEU:13a-smooth_floor0.5": Bleu(smooth="floor", smooth_value=0.5),
    "BLEU:13a-smooth_addk": Bleu(smooth="add-k"),
    "BLEU:13a-smooth_addk2": Bleu(smooth="add-k", smooth_value=2),
    "BLEU:none-smooth_none": Bleu("none", smooth="none"),
    "BLEU:none-smooth_floor": Bleu("none", smooth="floor"),
    "BLEU:none-smooth_addk": Bleu("none", smooth="add-k"),
    "BLEU:13a-eff": Bleu(effective_order=True),
    "BLEU:13a-order2": Bleu(order=2),
    "chrF:chrF2": Chrf(),
    "chrF:chrF2+": Chrf(1),
    "chrF:chrF2++": Chrf(2),
    "chrF:chrF2-lc": Chrf(lowercase=True),
    "TER:default": Ter(),
    "NIST:13a-lc": Nist(lowercase=True, compat="mteval"),
    "NIST:13a-case": Nist(compat="mteval"),
    "NIST:none": Nist("none", compat="mteval"),
}


@cache
def oracle(data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data / "mt" / "oracle.json").read_text(encoding="utf-8"))
    return found


@cache
def lines(path: Path) -> tuple[str, ...]:
    with gzip.open(path) as stream:
        return tuple(line.decode().removesuffix("\n") for line in stream)


def text_path(data: Path, texts: str, name: str) -> Path:
    """Return the file of a system (or of "ref") in a set of texts."""
    if texts.startswith("ted-"):
        return data / "mt" / "ted" / f"{name}.{texts.removeprefix('ted-')}.txt.gz"
    return data / "mt" / texts / f"{name}.txt.gz"


def read_texts(data: Path, texts: str, names: list[str], first: int | None = None) -> Texts:
    read = [lines(text_path(data, texts, name))[:first] for name in (*names, "ref")]
    return Texts(tuple(read[:-1]), (read[-1],))


def counted(metric: TextMetric, texts: Texts) -> NDArray[np.float64]:
    """Return the statistics: systems × segments × columns."""
    return statistics(metric, texts).astype(np.float64)
