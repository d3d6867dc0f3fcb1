"""The scoring categories of MUC over any schema: by hand, by brute force, and their algebra."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_files import Capture
from tellapart.cli import main
from tellapart.formats.templates.design import Design
from tellapart.formats.templates.evaluation import design_of, filled_templates
from tellapart.formats.templates.history import Entry, History
from tellapart.formats.templates.matchers import Matcher
from tellapart.formats.templates.model import Document, Template, fill_of
from tellapart.formats.templates.muc_reader import TemplateFile
from tellapart.formats.templates.pairing import CORRECT, PARTIAL, WRONG
from tellapart.formats.templates.schema import Schema, slot_at
from tellapart.formats.templates.scoring import ScoredPair, Task, score_statically
from tellapart.formats.templates.tally import Tally, total
from tellapart.formats.templates.values import Optional, Value


def level(matcher: Matcher, gold: str | list[str], system: str | list[str]) -> int:
    """Return what a fill of texts is worth."""
    a, b = (fill_of(*([each] if isinstance(each, str) else each)) for each in (gold, system))
    return matcher.level_of(a, b)


@pytest.mark.parametrize(
    ("matcher", "gold", "system", "expected"),
    [
        (Matcher("text"), "The U.S. Army", "us army", CORRECT),
        (Matcher("text"), "car bomb", "car-bomb", WRONG),
        (Matcher("text"), ["bomb", "car bomb"], "car bomb", CORRECT),
        (Matcher("text"), ["bomb", "car bomb"], ["bomb", "gun"], CORRECT),
        (Matcher("exact"), "Oslo", "oslo", WRONG),
        (Matcher("number"), "15,000", "15000.0", CORRECT),
        (Matcher("number"), "100", "101", WRONG),
        (Matcher("number", tolerance=Fraction(1)), "100", "101", CORRECT),
        (Matcher("number", relative=Fraction(1, 100)), "99", "100", CORRECT),
        (Matcher("number", relative=Fraction(1, 100)), "98.9", "100", WRONG),
        (Matcher("number"), "about 3", "3", WRONG),
        (Matcher("number"), "unknown", "Unknown.", CORRECT),
        (Matcher("date"), "1989-11-16", "16 November 1989", CORRECT),
        (Matcher("date"), "1989-11-16", "Nov. 16th, 1989", CORRECT),
        (Matcher("date"), "19891116", "16th of Nov 1989", CORRECT),
        (Matcher("date"), "1990-03", "Martin 1990", WRONG),
        (Matcher("date"), "1990-12", "decade 1990", WRONG),
        (Matcher("date"), "1989-09-01", "Sept. 1989", PARTIAL),
        (Matcher("date"), "1989-11-16", "16 Brumaire 1989", WRONG),
        (Matcher("date"), "1989-11", "1 November 16 1989", WRONG),
        (Matcher("date"), "1989-11-16", "1989-11", PARTIAL),
        (Matcher("date"), "1989-11-16", "1989-11-17", WRONG),
        (Matcher("date", tolerance=Fraction(1)), "1989-11-16", "1989-11-17", CORRECT),
        (Matcher("date"), "1989-11-16", "1989-11-16T00:00:00", CORRECT),
        (Matcher("date"), "2020-01-01T12:00:00+02:00", "2020-01-01T10:00:00Z", CORRECT),
        (Matcher("tokens"), "the big red car", "red car", PARTIAL),
        (Matcher("tokens", partial=Fraction(9, 10)), "big red car", "red car", WRONG),
        (Matcher("tokens", correct=Fraction(4, 5)), "big red car", "red car", CORRECT),
    ],
)
def test_matchers(matcher: Matcher, gold: Any, system: Any, expected: int) -> None:
    """Each matcher by hand; shares and tolerances that are just reached count."""
    assert level(matcher, gold, system) == expected


def document(templates: list[dict[str, Any]]) -> Document:
    """Return a document of plain JSON templates; a list in a list is a list of alternatives."""
    found = []
    for given_template in templates:
        roles = {
            role: tuple(fill_of(*(f if isinstance(f, list) else [f])) for f in fills)
            for role, fills in given_template.items()
            if role != "type" and fills
        }
        found.append(Template(given_template.get("type"), roles))
    return Document("d", tuple(found))


def scored(
    design: Design, gold: Document, system: Document, history: History | None = None
) -> tuple[ScoredPair, ...]:
    """Return the scored pairs of a document."""
    key, response = (TemplateFile({"d": filled_templates(each, design)}) for each in (gold, system))
    return score_statically(Task(design, key, response, "S"), history or History()).pairs


def sums(design: Design, gold: Document, system: Document) -> Tally:
    """Return the sum of all slots of a document, without what could have been wrong."""
    pairs = scored(design, gold, system)
    found = total(tally for pair in pairs for tally in pair.slots)
    return found._replace(non=0, pie=0)


SLOTS = (
    replace(slot_at(("item",)), matcher=Matcher("tokens")),
    slot_at(("price",), "number"),
    slot_at(("buyer",)),
)
SALES = design_of(Schema("sales", SLOTS), [Document("d", (Template("sale"),))], [])


WORDS = st.sampled_from(["a car", "red car", "big red car", "boat", "red boat"])
TEMPLATES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["sale", "gift"]),
        "item": st.lists(WORDS, max_size=3),
        "price": st.lists(st.sampled_from(["1", "2", "3"]), max_size=2),
        "buyer": st.lists(st.sampled_from(["Ann", "Bo", "ann"]), max_size=2),
    },
)
DOCUMENTS = st.lists(TEMPLATES, max_size=4)


@given(DOCUMENTS, DOCUMENTS)
def test_swapping_gold_and_system(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> None:
    """What was missing is spurious, and the other way round; all else stays."""
    forth, back = (sums(SALES, document(x), document(y)) for x, y in ((a, b), (b, a)))
    assert back == forth._replace(pos=forth.act, act=forth.pos, mis=forth.spu, spu=forth.mis)


@given(DOCUMENTS, DOCUMENTS, st.randoms(use_true_random=False))
def test_the_order_of_a_file_decides_nothing(
    a: list[dict[str, Any]], b: list[dict[str, Any]], random: Any
) -> None:
    """Templates and fills in another order give the same counts, slot by slot."""
    mixed = [
        {k: v if k == "type" else random.sample(v, len(v)) for k, v in each.items()} for each in b
    ]
    random.shuffle(mixed)

    def rows(system: list[dict[str, Any]]) -> list[Tally]:
        pairs = list(scored(SALES, document(a), document(system)))
        return [total(column) for column in zip(*(p.slots for p in pairs), strict=True)]

    assert rows(mixed) == rows(b)


def brute_force(gold: Document, system: Document) -> tuple[int, int]:
    """Return the largest credit of any pairing of templates and fills, and the most correct."""
    best = (0, 0)
    v, k = len(gold.templates), len(system.templates)
    for order in itertools.permutations(range(k + v), v):
        credit = correct = 0
        for i, j in enumerate(order):
            if j < k:
                more = pair_by_force(gold.templates[i], system.templates[j])
                credit, correct = credit + more[0], correct + more[1]
        best = max(best, (credit, correct))
    return best


def pair_by_force(gold: Template, system: Template) -> tuple[int, int]:
    """Return the same of two templates, slot by slot."""
    credit = correct = 0
    sides = (filled_templates(Document("d", (each,)), SALES)[0].fills for each in (gold, system))
    for slot, a, b in zip(SALES.scored, *sides, strict=True):
        matcher = slot.matcher
        assert matcher is not None
        a, b = (a, b) if len(a) <= len(b) else (b, a)
        options = [
            [matcher.level_of(x, y) for x, y in zip(a, chosen, strict=True)]
            for chosen in itertools.permutations(b, len(a))
        ]
        more = max((sum(levels), levels.count(CORRECT)) for levels in options)
        credit, correct = credit + more[0], correct + more[1]
    return credit, correct


@settings(deadline=None)
@given(st.lists(TEMPLATES, max_size=3), st.lists(TEMPLATES, max_size=3))
def test_no_pairing_earns_more(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> None:
    """The pairing found is the best of all that there are."""
    gold, system = document(a), document(b)
    found = sums(SALES, gold, system)
    assert (2 * found.cor + found.par, found.cor) == brute_force(gold, system)


GOLD = """\
{"doc": "d1", "templates": [{"type": "sale", "item": ["big red car"], "price": 300}]}
{"doc": "d2", "templates": []}
"""
SYSTEM = """\
{"doc": "d1", "templates": [{"type": "sale", "item": "red car", "price": 299, "to": "Bo"}]}
{"doc": "d2", "templates": []}
"""
SCHEMA = """\
[slots.item]
match = "tokens"

[slots.price]
kind = "number"
relative = 0.01
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write gold, a system and a schema into a folder, and go there."""
    for name, text in (("gold.jsonl", GOLD), ("a.jsonl", SYSTEM), ("s.toml", SCHEMA)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("files")
def test_the_report_of_a_schema(capsys: Capture) -> None:
    """Rows per slot and totals, in the layout of the conferences, and the same in JSON."""
    command = ["score", "--as", "templates", "--gold", "gold.jsonl", "A=a.jsonl"]
    assert main([*command, "--schema", "s.toml"]) == 0
    shown = capsys.readouterr()
    rows = {line.split("\t")[0].strip(): line.expandtabs(8) for line in shown.out.splitlines()}
    assert rows["item"][20:58] == "    1   1|  0   1   0|  0   0|  0   0 "
    assert rows["price"][20:58] == "    1   1|  1   0   0|  0   0|  0   0 "
    assert rows["to"][20:58] == "    0   1|  0   0   0|  0   0|  1   0 "
    assert rows["ALL TEMPLATES"][20:] == "    3   4|  2   1   0|  0   0|  1   0   0| 83  62  25 "
    assert rows["F-MEASURES"].split()[1] == "71.43"  # 2.5 of 3 and of 4, unrounded
    assert "a.jsonl:1: document 'd1': the key 'to' is no slot of s.toml" in shown.err
    assert main([*command, "--schema", "s.toml", "--json", "-"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["scores"]["muc"] == pytest.approx(2 * 2.5 / 7)
    assert system["report"]["f_measures"]["P&R"] == 71.43
    assert system["report"]["totals"]["all-templates"]["par"] == 1
    assert system["report"]["totals"]["template-id"]["non"] == 1
    Path("w.toml").write_text(SCHEMA.replace("[slots.price]", "[slots.price]\nweight = 3"))
    assert main([*command, "--schema", "w.toml", "--json", "-"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["scores"]["muc"] == pytest.approx(2 * 4.5 / 11)  # a price counts three times
    assert system["report"]["f_measures"]["P&R"] == 81.82
    assert main(command) == 0  # without a schema, which is said in a line
    assert "the slots are those found, type, item, price, to, com" in capsys.readouterr().err


def sale(*buyers: Value) -> Document:
    """Return a document of one template, of which only the buyers are known."""
    return Document("d", (Template("sale", {"buyer": buyers}),))


def buyers(gold: Document, system: Document, history: History | None = None) -> Tally:
    """Return the tally of the buyers of the only pair."""
    return scored(SALES, gold, system, history)[0].slots[SALES.position["buyer"]]


def test_optional_fills_cost_nothing() -> None:
    """What gold leaves open counts if it is given, and not if it is left out."""
    gold = sale(fill_of("Ann"), Optional(fill_of("Bo")))
    for given_buyers, expected in (
        (("Ann",), Tally(pos=1, act=1, cor=1)),
        (("Ann", "Bo"), Tally(pos=2, act=2, cor=2)),
        (("Ann", "Cy"), Tally(pos=2, act=2, cor=1, inc=1)),
    ):
        assert buyers(gold, sale(*map(fill_of, given_buyers))) == expected
    left_out = replace(gold, templates=(replace(gold.templates[0], optional=True),))
    (pair,) = scored(SALES, left_out, Document("d"))
    assert (pair.status, pair.slots) == ("irrelevant", ())


def test_decisions_of_people_count() -> None:
    """A fill that people matched is right, interactively; templates are paired by it, too."""
    gold, system = sale(fill_of("Ann Li")), sale(fill_of("A. Li"))
    assert buyers(gold, system) == Tally(pos=1, act=1, inc=1)
    for status, expected in (
        ("match", Tally(pos=1, act=1, cor=1, icr=1)),
        ("partial", Tally(pos=1, act=1, par=1, ipa=1)),
    ):
        history = History()
        decided: Any = Entry(fill_of("A. Li"), status, (fill_of("Ann Li"),))  # type: ignore[arg-type]
        history.record(("d", "1", "buyer"), decided)
        assert buyers(gold, system, history) == expected
