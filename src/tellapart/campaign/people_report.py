"""The report about the people of a campaign, for a terminal and as a page of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tellapart.campaign.agreement import PeopleAgreement
from tellapart.campaign.interrater import Figure, InterRater
from tellapart.campaign.judges import WhoJudged, better
from tellapart.report.text import cut, filled, left, pair_adjusted, right, signed
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.campaign.judges import PairUnderJudges

MOST_PAIRS: Final = 15
"""That are shown at once; of more, those that depend most on who judged"""
KINDS_IN_WORDS: Final = {
    "fill": "fills",
    "pairing": "pairings of templates",
    "slot": "fills of keys",
    "template": "templates of keys",
    "rating": "ratings",
    "preference": "preferences",
}
NAMED: Final = (
    "Krippendorff's alpha and Cohen's kappa are 1 where people always agree and 0 where they agree "
    "as often as by chance; of ratings and preferences, alpha weighs a disagreement by the square "
    "of how far apart the answers are worth. Krippendorff relies on judgments from .8 on, and "
    "draws tentative conclusions from .667. Intervals are of 95 %."
)


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one label, in words."""

    label: str
    questions: int
    same: str
    share: str
    kappa: str
    alpha: str
    meter: float | None
    """Alpha for a picture, from 0 to 1"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on a pair by somebody's decisions, in words."""

    who: str
    difference: str
    p: str
    """Adjusted, as it decides"""
    better: str
    """The system that is shown to be better; empty if none is"""
    other: bool
    """Whether a judge's verdict is another one than that by what holds"""


def agreement_sentence(found: PeopleAgreement) -> str:
    """Return how many questions several people answered, and how often they said the same.

    >>> agreement_sentence(PeopleAgreement({}, (), 0, 0, ()))
    'Nobody has answered a question yet.'
    """
    if not found.answered:
        return "Nobody has answered a question yet."
    of = several(found.answered, "question")
    if not found.doubly:
        verb = "has" if found.answered == 1 else "have"
        return f"{of} {verb} been answered, none of them by two people."
    same = found.doubly - len(found.conflicts)
    verb = "was" if found.doubly == 1 else "were"
    return (
        f"{found.doubly:,} of {of} {verb} answered by two people or more; on {same:,} of them "
        f"({same / found.doubly:.0%}) all gave the same answer."
    )


def agreement_rows(parts: dict[str, InterRater] | Any) -> list[Row]:
    """Return the figures of a kind of question: all together, then each label."""
    return [
        Row(
            label, found.questions, f"{found.same:,}", _figure(found.share, percent=True),
            _figure(found.kappa), _figure(found.alpha),
            None if found.alpha is None else max(0.0, found.alpha.value),
        )
        for label, found in parts.items()
    ]  # fmt: skip


def _figure(figure: Figure | None, *, percent: bool = False) -> str:
    """Return a figure with its interval; a lower end below -1 says no more than that.

    >>> _figure(Figure(0.5, (-1.7, 0.9))), _figure(None)
    ('0.50 (-1.00 to 0.90)', '–')
    """
    if figure is None:
        return "–"
    form = ".0%" if percent else ".2f"
    if figure.interval is None:
        return f"{figure.value:{form}}"
    low, high = (max(-1.0, end) for end in figure.interval)
    return f"{figure.value:{form}} ({low:{form}} to {high:{form}})"


def verdicts(pair: PairUnderJudges, alpha: float) -> list[Verdict]:
    """Return the verdicts on a pair by what holds, by no decision, and by each judge's."""
    named = [("all decisions", pair.held), ("no decisions", pair.nobody), *pair.by_judge.items()]
    return [
        Verdict(
            who,
            signed(found.difference),
            pair_adjusted(found, alpha),
            better(found) or "",
            who in pair.differing,
        )
        for who, found in named
    ]


def report_text(agreement: PeopleAgreement, judged: WhoJudged | None) -> str:
    """Return the whole report for a terminal; without a second system nothing is compared."""
    parts = [filled(agreement_sentence(agreement))]
    for kind, labels in agreement.kinds.items():
        parts.append("\n".join(_agreement_lines(kind, agreement_rows(labels))))
    if agreement.kinds:
        parts.append(filled(NAMED))
    if judged is not None:
        parts.append("\n".join(_judged_lines(judged)))
    return "\n\n".join(parts) + "\n"


def _agreement_lines(kind: str, rows: list[Row]) -> Iterator[str]:
    yield f"Agreement about {KINDS_IN_WORDS.get(kind, kind)}"
    width = min(16, max(5, *(len(row.label) for row in rows)))
    heads = (right("questions", 9), right("same", 5), left("kappa", 20), "alpha")
    yield "  ".join(["", left("", width), *heads])
    for row in rows:
        share = right(row.share.partition(" ")[0], 5)
        cells = (right(f"{row.questions:,}", 9), share, left(row.kappa, 20), row.alpha)
        yield "  ".join(["", left(cut(row.label, width), width), *cells])


def _judged_lines(found: WhoJudged) -> Iterator[str]:
    yield filled(f"Who judged: {f'{found.open_questions} {found.sentence}'.strip()}")
    pairs = found.pairs[:MOST_PAIRS]
    if len(pairs) < len(found.pairs):
        yield filled(f"Of {several(len(found.pairs), 'pair')}, the {len(pairs)} that depend most:")
    far = " so far" if found.open_questions else ""
    for pair in pairs:
        yield ""
        yield filled(f"{pair.held.a} − {pair.held.b} by {found.metric}")
        rows = verdicts(pair, found.alpha)
        width = max(len(each.who) for each in rows)
        for each in rows:
            verdict = f"{each.better} is better{far}" if each.better else f"not told apart{far}"
            yield (
                f"  {left(each.who, width)}  {right(each.difference, 8)}  "
                f"adjusted p {left(each.p, 8)}  {verdict}{'  *' if each.other else ''}"
            )
    if any(pair.differing for pair in pairs):
        yield ""
        yield "  * another verdict if this judge's decisions come first"


def page_values(agreement: PeopleAgreement | None, judged: WhoJudged | None) -> dict[str, Any]:
    """Return what the templates about people are filled with."""
    values: dict[str, Any] = {"agreement": agreement, "judged": judged}
    if agreement is not None:
        kinds = {
            KINDS_IN_WORDS.get(kind, kind): agreement_rows(labels)
            for kind, labels in agreement.kinds.items()
        }
        values |= {"sentence": agreement_sentence(agreement), "kinds": kinds, "named": NAMED}
    if judged is not None:
        values["pairs"] = [
            (pair.held, verdicts(pair, judged.alpha)) for pair in judged.pairs[:MOST_PAIRS]
        ]
    return values


def report_html(title: str, agreement: PeopleAgreement, judged: WhoJudged | None) -> str:
    """Return the whole report as a page that needs no other file."""
    from markupsafe import Markup

    from tellapart.campaign.web.site import HERE, templates

    sheets = [(HERE / "static" / name).read_text("utf-8") for name in ("style.css", "people.css")]
    page = templates().get_template("people_report.html")
    return page.render(title=title, style=Markup("".join(sheets)), **page_values(agreement, judged))
