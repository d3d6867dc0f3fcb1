"""Templates of 1992 as templates of today."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muc_files import fills_of, read_today
from tellapart.formats.contract import Sources
from tellapart.formats.templates.format import MUC, TemplateOptions
from tellapart.formats.templates.model import Document
from tellapart.formats.templates.values import mentions


def test_the_key_of_1992_becomes_the_gold_of_today(shared_data: Path) -> None:
    """Key and texts give GTT's gold, mentions and entities in its order."""
    data, muc = shared_data / "templates", shared_data / "muc4" / "tst3"
    gold = read_today(data / "muc4" / "gold.gtt.jsonl", gold=True)
    key = read_today(muc / "key.txt", gold=True, texts=str(muc / "texts.txt"))

    assert len(key) == 100
    assert all(fills_of(document) == fills_of(gold[name]) for name, document in key.items())
    bare = read_today(muc / "key.txt", gold=True)
    assert [name for name in key if n_entities(key[name]) != n_entities(bare[name])] == [
        "TST3-MUC4-0094"
    ]


def n_entities(document: Document) -> int:
    """Return how many mentions a document has."""
    return sum(
        len(mentions(e)) for t in document.templates for own in t.roles.values() for e in own
    )


@pytest.mark.slow
def test_all_systems_of_1992_by_metrics_of_today(shared_data: Path) -> None:
    """CEAF-TF of every document, CEAF-REE and CEAF-RME of the whole, from raw responses."""
    muc = shared_data / "muc4" / "tst3"
    known = json.loads((shared_data / "templates" / "muc4-1992" / "expected-tst3.json").read_text())
    systems = tuple(f"{each.stem}={each}" for each in sorted((muc / "responses").glob("*.txt")))
    families = {
        "ceaf-rme-phi3": "phi-3",
        "ceaf-rme-phi3-entity": "phi-3-entity",
        "ceaf-rme-subset": "phi-subset",
    }
    sources = Sources(systems, (muc / "key.txt",), ("ceaf-tf", "ceaf-ree", *families))
    options = TemplateOptions(texts=str(muc / "texts.txt"))
    counts = MUC.read(sources, options)

    assert list(counts.items) == known["documents"]
    assert set(counts.names) == set(known["systems"])
    for k, name in enumerate(counts.names):
        expected, own = (
            known["systems"][name],
            dict(zip(counts.columns, counts.values[k].T.tolist(), strict=True)),
        )
        rows = zip(
            *(own[f"ceaf-tf.{c}"] for c in ("p_num", "p_den", "r_num", "r_den")), strict=True
        )
        assert list(map(list, rows)) == expected["documents"]
        ree = expected["ceaf_ree"]
        sums = [sum(own[f"ceaf-ree.{c}"]) for c in ("p_num", "p_den", "r_den")]
        assert sums == [ree["similarity"], ree["predicted"], ree["gold"]]
        for family, variant in families.items():
            p_num, p_den, r_num, r_den = (
                sum(own[f"{family}.{column}"]) for column in ("p_num", "p_den", "r_num", "r_den")
            )
            precision, recall = p_num / p_den, r_num / r_den
            f1 = 2 * precision * recall / (precision + recall)
            assert f1 == pytest.approx(expected["ceaf_rme"][variant], abs=1e-12)
