"""Targets for formats of whole documents: templates, nuggets, coreference, and their options."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

from muc_files import DESIGN, attack

from .damage import KEYED
from .soundness import (
    NotSoundError,
    all_lines,
    any_text,
    lines_of,
    no_repeats,
    parsed,
    shape,
    text_of,
)
from .target import File, Target


def document_targets() -> Iterator[Target]:
    """Yield the targets of `muc`, `nuggets` and `conll-coref`."""
    yield from _muc()
    yield from _nuggets()
    yield _coref()


# Templates


def _muc() -> Iterator[Target]:
    key = [
        attack("M1", perp_ind_id='"ELN"', phys_tgt_id='"BRIDGE"', inc_date="20 MAY 89"),
        attack("M2", phys_tgt_id=['"BRIDGE"', '"TWO CARS"'], hum_tgt_desc='"GUARDS" / "POLICE"'),
        attack("M2", "2", hum_tgt_name='"JUAN PEREZ"', hum_tgt_desc='"MAYOR": "JUAN PEREZ"'),
        attack("M3", inc_stage="ACCOMPLISHED", hum_tgt_num='3: "MEN"', hum_tgt_desc='"MEN"'),
    ]
    alder = [
        attack("M1", perp_ind_id='"REBELS"', phys_tgt_id='"BRIDGE"', inc_date="20 MAY 89"),
        attack("M2", phys_tgt_id='"BRIDGE"', hum_tgt_desc='"POLICE"'),
        attack("M3", inc_stage="ACCOMPLISHED", hum_tgt_desc='"MEN"'),
    ]
    birch = [
        attack("M1", perp_ind_id='"ELN"', inc_date="21 MAY 89"),
        attack("M2", "1", hum_tgt_name='"JUAN PEREZ"'),
        attack("M2", "2", phys_tgt_id='"TWO CARS"'),
    ]
    templates = (
        _templates("key.txt", key),
        _templates("alder.txt", alder),
        _templates("birch.txt", birch),
    )
    fixed = tuple(replace(file, fixed=True) for file in templates)
    named = ("--gold", "key.txt", "alder.txt", "birch.txt")
    yield Target("muc", "muc", templates, named, named)

    history = File("history.txt", _HISTORY.encode("latin-1"), _sound_history)
    yield Target(
        "muc-history", "muc", (*fixed, history), (*named, "--history", "history.txt"),
        (*named, "history.txt"),
    )  # fmt: skip

    data = json.dumps(_REPLAY, indent=1).encode()
    replay = File("replay.json", data, _sound_replay, KEYED)
    whole = replace(history, fixed=True)
    yield Target(
        "muc-replay", "muc", (*fixed, whole, replay),
        (*named, "--history", "history.txt", "--replay", "replay.json"),
    )  # fmt: skip

    data = json.dumps(_REPLAY["pairings"]).encode()
    pairings = File("pairings.json", data, _sound_pairings, KEYED)
    yield Target("muc-pairings", "muc", (*fixed, pairings), (*named, "--pairings", "pairings.json"))

    table = (files("tellapart") / "data" / "muc4_slots.json").read_bytes()
    slots = File("slots.json", table, _sound_slots, KEYED)
    yield Target(
        "muc-slots", "muc", (*fixed, slots), (*named, "--slots", "slots.json"),
        (*named, "--slots", "slots.json"),
    )  # fmt: skip

    texts = File(
        "texts.txt", b"M1 \n\n   THE ELN BLEW UP A BRIDGE.\n\nM2 \n\n   GUARDS.\n", any_text
    )
    yield Target("muc-texts", "muc", (*fixed, texts), (*named, "--texts", "texts.txt"))

    chosen = "M1\t1\tperp-ind-id\tpeople\nM2\t*\thum-tgt-desc\tpeople\n*\t*\tphys-tgt-id\tthings\n"
    slot = "|".join(("template-id", r"\*", *DESIGN.position))
    only = File(
        "only.txt", chosen.encode(),
        all_lines(rf"(?:M1|M2|M3|\*)\t(?:1|\*)\t(?:{slot})(?:\t[^\t#]+)?(?:#.*)?",
                  rf"(?:M2|\*)\t2\t(?:{slot})(?:\t[^\t#]+)?(?:#.*)?", "#.*"),
    )  # fmt: skip
    yield Target("muc-only", "muc", (*fixed, only), (*named, "--only", "only.txt"))


def _templates(name: str, texts: Sequence[str]) -> File:
    also = () if name == "key.txt" else (name.removesuffix(".txt"),)
    return File(name, "".join(texts).encode("latin-1"), _sound_templates, also=also)


_SLOTS = [slot.prefix for slot in DESIGN.slots]


def _sound_templates(data: bytes, _: bytes) -> bool:
    """Return whether all lines are slots in their order, or fills; fills are any Latin-1 text."""
    lines = data.decode("latin-1").replace("\r\n", "\n").split("\n")
    at = len(_SLOTS)
    seen, message = set[tuple[str, str]](), ""
    for line in lines:
        if not line.strip():
            continue
        if line.startswith("    "):
            if at in (0, 1, 2) or not _fill(line):
                return False
            continue
        at = 0 if at == len(_SLOTS) else at
        if not line.startswith(_SLOTS[at]) or not _fill(line[len(_SLOTS[at]) :]):
            return False
        value = line[len(_SLOTS[at]) :].strip()
        if at == 0:
            message = value
        if at == 1:
            if not re.fullmatch(r"\d{1,3}", value, re.ASCII) or (message, value) in seen:
                return False
            seen.add((message, value))
        at += 1
    return at == len(_SLOTS)


def _fill(text: str) -> bool:
    """Return whether this may be a fill: quotes are paired, and nothing is a control character."""
    bare = re.sub(r'"[^"\\]+"', "Q", text)
    return bool(text.strip()) and text.startswith(" ") and '"' not in bare and text.isprintable()


_HISTORY = r"""
(("M1"
  (:MAP "birch" ("1" . "1"))
  ("1"
   (inc-date
    ("21 MAY 89" fail))
   (perp-ind-id
    ("\"REBELS\"" match "\"ELN\""))))
 ("M2"
  ("1"
   (hum-tgt-desc
    ("\"POLICE\"" partial (or "\"GUARDS\"" "\"POLICE\""))))))
"""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+')


def _sound_history(data: bytes, original: bytes) -> bool:
    """Return whether only texts in quotes are others, or a whole decision more or less is there."""
    found, known = (_skeleton(each.decode("latin-1")) for each in (data, original))
    if found is None or known is None:
        return False
    return found == known or _fewer(found, known) or _fewer(known, found)


def _skeleton(text: str) -> list[str] | None:
    rest = _TOKEN.sub("", text)
    if rest.strip():
        return None
    tokens = _TOKEN.findall(text)
    named = ["slot" if token in DESIGN.position else token for token in tokens]
    return ["text" if token.startswith('"') else token for token in named]


def _fewer(found: list[str], known: list[str]) -> bool:
    """Return whether this is the original without one balanced part."""
    gap = len(known) - len(found)
    for begin in range(len(known)) if gap > 0 else ():
        part = known[begin : begin + gap]
        if known[:begin] + known[begin + gap :] == found and _balanced(part):
            return True
    return False


def _balanced(tokens: list[str]) -> bool:
    depth = 0
    for k, token in enumerate(tokens):
        depth += (token == "(") - (token == ")")
        if depth == 0 and k < len(tokens) - 1:
            return False
    return depth == 0 and tokens[0] == "("


_REPLAY: dict[str, Any] = {
    "run_order": ["birch", "alder"],
    "revisits": [["alder", "M2", "1", "M1"]],
    "pairings": [["birch", "M2", [["1", "2"], ["2", "1"]]], ["alder", "M3", [["1", None]]]],
    "answers": [["alder", "M1", "1", "1", "perp-ind-id", 0, '"REBELS"', ["partial", 0]]],
    "amendments": [["alder", "M2", "1", "hum-tgt-desc", '"POLICE"']],
}
_NUMBERS = {"M1": {"1", None}, "M2": {"1", "2", None}, "M3": {"1", None}}


def _sound_replay(data: bytes, original: bytes) -> bool:
    """Return whether all that is named is there: runs, messages, templates and slots."""
    try:
        found, known = (parsed(text_of(each) or "") for each in (data, original))
    except NotSoundError:
        return False
    if not isinstance(found, dict) or set(found) != set(known):
        return False
    if any(shape(found[key]) != shape(known[key]) for key in known if key != "pairings"):
        return False
    return (
        no_repeats(found["run_order"])
        and all(_is_there(row[0], row[1], row[2] or None) and row[3] in _NUMBERS
                for row in found["revisits"])
        and _sound_pairing_rows(found["pairings"])
        and all(len(row) == 8 and _is_there(*row[:3]) and row[3] in _NUMBERS[row[1]]
                and row[4] in DESIGN.position and row[7][0] in ("match", "partial", "fail")
                for row in found["answers"])
        and all(len(row) == 5 and _is_there(*row[:3]) and row[3] in DESIGN.position
                for row in found["amendments"])
    )  # fmt: skip


def _is_there(system: Any, message: Any, number: Any = None) -> bool:
    return system in ("alder", "birch") and message in _NUMBERS and number in _NUMBERS[message]


_PAIRING_ROWS = {
    shape(["alder", "M1", pairs])
    for pairs in ([["1", "1"]], [["1", None]], [["1", "1"], ["1", None]], [])
}


def _sound_pairings(data: bytes, _: bytes) -> bool:
    try:
        found = parsed(text_of(data) or "")
    except NotSoundError:
        return False
    return isinstance(found, list) and _sound_pairing_rows(found)


def _sound_pairing_rows(rows: Any) -> bool:
    return all(
        isinstance(row, list)
        and len(row) == 3
        and shape(row) in _PAIRING_ROWS
        and _is_there(row[0], row[1])
        and all(len(pair) == 2 and set(pair) <= _NUMBERS[row[1]] for pair in row[2])
        and no_repeats(pair[0] for pair in row[2] if pair[0])
        and no_repeats(pair[1] for pair in row[2] if pair[1])
        for row in rows
    ) and no_repeats((row[0], row[1]) for row in rows)


def _sound_slots(data: bytes, original: bytes) -> bool:
    """Return whether all keys are there, with values of their types: those are for the user."""
    try:
        found, known = (parsed(text_of(each) or "") for each in (data, original))
    except NotSoundError:
        return False
    return (
        isinstance(found, dict)
        and set(found) == set(known)
        and all(shape(found[key]) == shape(known[key]) for key in known)
    )


# Nuggets


def _nuggets() -> Iterator[Target]:
    gold, alder, birch = _tbf(0), _tbf(1), _tbf(2)
    tbf = (
        File("gold.tbf", gold.encode(), _sound_tbf),
        File("alder.tbf", alder.encode(), _sound_tbf, also=("alder",)),
        File("birch.tbf", birch.encode(), _sound_tbf, also=("birch",)),
    )
    fixed = tuple(replace(file, fixed=True) for file in tbf)
    named = ("--gold", "gold.tbf", "alder.tbf", "birch.tbf")
    yield Target("nuggets", "nuggets", tbf, (*named, "--coref"), named)

    types = File("types.txt", b"Attack\nMeet\nElect\n", any_text)
    yield Target("nuggets-types", "nuggets", (*fixed, types), (*named, "--types", "types.txt"))

    lengths = File("lengths.txt", b"d1\t400\nd2\t400\nd3\t400\n", any_text)
    yield Target(
        "nuggets-lengths", "nuggets", (*fixed, lengths), (), (*named, "--lengths", "lengths.txt"),
        ("validate",),
    )  # fmt: skip

    tokens = tuple(
        File(f"tokens/{name}.tab", _token_table().encode(), _sound_tokens, also=(name,))
        for name in ("d1", "d2", "d3")
    )
    spoken = tuple(
        File(file.name, re.sub(r"\t(\d+),(\d+)\t", _as_tokens, file.data.decode()).encode(),
             fixed=True)
        for file in tbf
    )  # fmt: skip
    options = ("--tokens", "tokens")
    yield Target(
        "nuggets-tokens", "nuggets", (*spoken, *tokens),
        (*named, *options, "--profile", "fixed"), (*named, *options),
        stricter="scores look at the words of tokens only, validate at their offsets, too",
    )  # fmt: skip


def _tbf(system: int) -> str:
    """Write three documents; systems differ from the gold file in some mentions."""
    lines = []
    for d in (1, 2, 3):
        lines.append(f"#BeginOfDocument d{d}")
        for k in range(4):
            kind = ("Attack", "Meet", "Elect")[
                (d + k + (system if (d + k) % 3 == system else 0)) % 3
            ]
            realis = "Actual" if (k + system * d) % 4 else "Generic"
            begin = 10 * k
            lines.append(f"s{system}\td{d}\tE{k}\t{begin},{begin + 5}\tword{k}\t{kind}\t{realis}")
        lines += [f"@Coreference\tC1\tE{system % 2},E2", "#EndOfDocument"]
    return "\n".join(lines) + "\n"


_SPAN = r" *\d{1,8} *, *\d{1,8} *(?:; *\d{1,8} *, *\d{1,8} *)*"
_MENTION = re.compile(
    rf"[^\t]+\t(?P<doc>[^\t]+)\t(?P<id>[^\t]+)\t(?P<span>{_SPAN})\t[^\t]+\t[^\t]+\t[^\t]+"
    r"(?:\t(?!\d+,\d+\t)[^\t]*)*", re.ASCII
)  # fmt: skip
_LINK = re.compile(r"@Coreference\t[^\t]+\t(?P<ids>[^\t]+)")


def _sound_tbf(data: bytes, _: bytes) -> bool:
    """Return whether documents begin and end, and relations name mentions that are there."""
    lines = lines_of(data)
    current: str | None = None
    documents, ids, linked = list[str](), list[str](), list[str]()
    for line in lines or [""]:
        mention, link = _MENTION.fullmatch(line), _LINK.fullmatch(line)
        if line.startswith("#BeginOfDocument ") and current is None:
            current, ids, linked = line.removeprefix("#BeginOfDocument ").strip(), [], []
            documents.append(current)
        elif line.rstrip() == "#EndOfDocument" and current is not None:
            if not no_repeats(ids) or not set(linked) <= set(ids) or not no_repeats(linked):
                return False
            current = None
        elif mention and current is not None:
            spans = [each.split(",") for each in mention["span"].split(";")]
            if mention["doc"] != current or any(int(b) >= int(e) for b, e in spans):
                return False
            ids.append(mention["id"])
        elif link and current is not None:
            linked += link["ids"].split(",")
        elif line.strip() and not re.match(r"# (?!begin|end)", line, re.I):
            return False
    return bool(lines) and current is None and no_repeats(documents)


def _token_table() -> str:
    rows = [f"t{k}\t{'the' if k == 2 else f'word{k}'}\t{10 * k}\t{10 * k + 4}" for k in range(6)]
    return "\n".join(["token_id\ttoken_str\tbegin\tend", *rows]) + "\n"


def _as_tokens(found: re.Match[str]) -> str:
    return f"\tt{int(found[1]) // 10},t{int(found[1]) // 10 + 1}\t"


def _sound_tokens(data: bytes, original: bytes) -> bool:
    """Return whether the tokens are the same ones, with other words perhaps."""
    found, known = lines_of(data), lines_of(original)
    if found is None or known is None or found[0] != known[0]:
        return False
    rows, model = ([line.split("\t") for line in each if line.strip()] for each in (found, known))
    kept: list[list[Hashable]] = [[len(row), row[0], *row[2:]] for row in rows]
    return kept == [[len(row), row[0], *row[2:]] for row in model]


# Coreference


def _coref() -> Target:
    texts = {"key": "(1)", "alder": "(2)", "birch": "-"}
    named = []
    for name, last in texts.items():
        lines = []
        for d in range(3):
            lines += [
                f"#begin document (d{d}); part 000",
                f"d{d} 0 0 The (1", f"d{d} 0 1 queen 1)", f"d{d} 0 2 saw -",
                f"d{d} 0 3 her (1)|(2", f"d{d} 0 4 dog 2)", "",
                f"d{d} 0 0 It {'(2)' if d else last}", f"d{d} 0 1 barked {last if d == 2 else '-'}",
                "", "#end document",
            ]  # fmt: skip
        also = () if name == "key" else (name,)
        named.append(
            File(f"{name}.conll", ("\n".join(lines) + "\n").encode(), _sound_coref, also=also)
        )
    arguments = ("--gold", "key.conll", "alder.conll", "birch.conll")
    return Target("conll-coref", "conll-coref", tuple(named), arguments, arguments)


_PART = r"(?:\([^()|\s]+\)|\([^()|\s]+|[^()|\s]+\))"
_CELL = rf"-|{_PART}(?:\|{_PART})*"
_TOKEN_LINE = re.compile(rf"(\S+) \d+ (\d+) \S+ ({_CELL})", re.ASCII)


def _sound_coref(data: bytes, _: bytes) -> bool:
    """Return whether documents begin and end, and the tokens of a sentence are counted from 0."""
    lines = lines_of(data)
    inside, at, names = False, 0, list[str]()
    for line in lines or [""]:
        token = _TOKEN_LINE.fullmatch(line)
        if re.fullmatch(r"#begin document \([^()]+\); part \d{3}", line) and not inside:
            inside, at = True, 0
            names.append(line)
        elif line == "#end document" and inside:
            inside = False
        elif token and inside:
            if int(token[2]) != at:
                return False
            at += 1
        elif not line:
            at = 0
        else:
            return False
    return bool(lines) and not inside and no_repeats(names)
