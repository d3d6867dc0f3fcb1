"""Templates of 1992 as templates of today."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tellapart.formats.contract import Sources
from tellapart.formats.problems import Findings
from tellapart.formats.templates.corpus import Reading
from tellapart.formats.templates.format import MUC, TemplateOptions
from tellapart.formats.templates.model import Document
from tellapart.formats.templates.muc_files import converted
from tellapart.formats.templates.values import mentions, shown


def read_today(
    path: str | Path, *, gold: bool = False, texts: str | None = None
) -> Mapping[str, Document]:
    """Return the documents of a file, as the metrics of today take them."""
    reading = Reading(TemplateOptions(texts=texts), Findings(strict=True))
    file = reading.file(str(path), gold=gold)
    return converted(file, reading.design, reading.problems, gold=gold).documents


def fills_of(document: Document) -> list[tuple[str | None, dict[str, list[str]]]]:
    """Return the type and the filled roles of each template."""
    return [
        (each.type, {role: [*map(shown, own)] for role, own in sorted(each.roles.items()) if own})
        for each in document.templates
    ]


def test_the_key_of_1992_becomes_the_gold_of_today(shared_data: Path) -> None:
    """Key and texts give GTT's gold, mentions and entities in its order."""
    data, muc = shared_data / "templates", shared_data / "muc4" / "tst3"
    gold = read_today(data / "muc4" / "gold.gtt.jsonl", gold=True)
    key = read_today(muc / "key.txt", gold=True, texts=str(muc / "texts.txt"))

    assert len(key) == 100
    assert all(fills_of(document) == fills_of(gold[name]) for name, document in key.items())
    bare = read_today(muc / "key.txt", gold=True)
    different = [name for name in key if n_mentions(key[name]) != n_mentions(bare[name])]
    assert different == ["TST3-MUC4-0094"]


def n_mentions(document: Document) -> int:
    """Return how many mentions a document has."""
    fills = (fill for each in document.templates for own in each.roles.values() for fill in own)
    return sum(len(mentions(fill)) for fill in fills)


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
    for name, values in zip(counts.names, counts.values, strict=True):
        expected = known["systems"][name]
        own = dict(zip(counts.columns, values.T.tolist(), strict=True))

        def of(family: str, own: dict[str, list[int]] = own) -> list[list[int]]:
            return [own[f"{family}.{each}"] for each in ("p_num", "p_den", "r_num", "r_den")]

        assert [*map(list, zip(*of("ceaf-tf"), strict=True))] == expected["documents"]
        ree = expected["ceaf_ree"]
        similarity, predicted, _, gold = map(sum, of("ceaf-ree"))
        assert (similarity, predicted, gold) == (ree["similarity"], ree["predicted"], ree["gold"])
        for family, variant in families.items():
            p_num, p_den, r_num, r_den = map(sum, of(family))
            precision, recall = p_num / p_den, r_num / r_den
            f1 = 2 * precision * recall / (precision + recall)
            assert f1 == pytest.approx(expected["ceaf_rme"][variant], abs=1e-12)
