"""The report about the people of a campaign, for a terminal and as a page of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tellapart.campaign.agreement import KindAgreement, PeopleAgreement, agreement_of
from tellapart.campaign.interrater import Figure, InterRater
from tellapart.campaign.judges import PairUnderJudges, WhoJudged, told
from tellapart.report.text import between, cut, filled, left, pair_adjusted, right, signed
from tellapart.words import several

if TYPE_CHECKING:
    from tellapart.campaign.desk import Desk
    from tellapart.comparison.record import Pair

MOST_PAIRS: Final = 15
"""That are shown at once; of more, those that depend most on who judged"""
KINDS_IN_WORDS: Final = {
    "fill": "fills",
    "pairing": "pairings of templates",
    "rating": "ratings",
    "preference": "preferences",
}
SHADES: Final = 5
"""Of the table of what was taken for what"""
NAMED: Final = (
    "Krippendorff's alpha and Cohen's kappa are 1 where people always agree and 0 where they agree "
    "as often as by chance. Krippendorff relies on judgments from .8 on, and draws tentative "
    "conclusions from .667. Intervals are of 95 %."
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


@dataclass(frozen=True, slots=True)
class Shade:
    """A cell of the table of what was taken for what."""

    number: str
    shade: int
    """0 to SHADES: how large it is beside the largest of the table"""


def agreement_at(desk: Desk) -> PeopleAgreement:
    """Return how far the people of a running campaign agree."""
    desk.refresh()
    return agreement_of(desk.campaign.log.since(), desk.campaign.settings, dict(desk.questions))


def agreement_sentence(found: PeopleAgreement) -> str:
    """Return how many questions several people answered, and how often they said the same.

    >>> agreement_sentence(PeopleAgreement((), ()))
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
        f"{found.doubly:,} of {of} {verb} answered by two people or more, neither knowing of the "
        f"other; on {same:,} of them ({same / found.doubly:.0%}) all gave the same answer."
    )


def rows_of(kind: KindAgreement) -> list[Row]:
    """Return the figures of a kind of question: all together, then each label."""
    labels = {"all": kind.overall, **{label or "none": e for label, e in kind.by_label.items()}}
    return [_row(label, each) for label, each in labels.items()]


def _row(label: str, found: InterRater) -> Row:
    return Row(
        label, found.questions, f"{found.same:,}", _share(found.share), _decimal(found.kappa),
        _decimal(found.alpha),
    )  # fmt: skip


def _share(figure: Figure | None) -> str:
    if figure is None:
        return "–"
    ends = "" if figure.interval is None else " ({:.0%} to {:.0%})".format(*figure.interval)
    return f"{figure.value:.0%}{ends}"


def _decimal(figure: Figure | None) -> str:
    """Return a figure with its interval; a lower end below -1 says no more than that.

    >>> _decimal(Figure(0.5, (-1.7, 0.9))), _decimal(None)
    ('0.50 (-1.00 to 0.90)', '–')
    """
    if figure is None:
        return "–"
    if figure.interval is None:
        return f"{figure.value:.2f}"
    low, high = (max(-1.0, end) for end in figure.interval)
    return f"{figure.value:.2f} ({low:.2f} to {high:.2f})"


def shades_of(kind: KindAgreement) -> list[tuple[str, list[Shade]]]:
    """Return what was taken for what: per answer, what another person said instead."""
    found = []
    largest = float(kind.table.max()) if kind.table.size else 0.0
    for k, name in enumerate(kind.categories):
        row = kind.table[k]
        cells = [Shade(f"{each:g}" if each == int(each) else f"{each:.1f}",
                       math.ceil(SHADES * float(each) / largest) if largest else 0)
                 for each in row]  # fmt: skip
        found.append((name, cells))
    return found


def alpha_words(kind: KindAgreement) -> str:
    """Return how alpha counts disagreements of a kind."""
    if kind.overall.scaled:
        return "Alpha weighs a disagreement by the square of how far apart the answers are worth."
    return "Alpha counts every disagreement alike."


def other_fill_words(kind: KindAgreement) -> str:
    """Return that people agree on a status, but not on the fill of the key; empty if they do."""
    if not kind.other_fill:
        return ""
    verb = "is" if kind.other_fill == 1 else "are"
    return (
        f"{several(kind.other_fill, 'conflict')} {verb} about which fill of the key is matched; "
        "the figures, which go by match, partial and no, have the people agree there."
    )


# Who judged


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on a pair by somebody's decisions, in words."""

    who: str
    p: str
    """Adjusted, as it decides"""
    better: str
    """The system that is told to be better; empty if none is"""
    other: bool
    """Whether it is another verdict than that by what holds"""
    difference: str


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair of systems under all judges, in words."""

    a: str
    b: str
    difference: str
    interval: str
    with_judges: str
    verdicts: tuple[Verdict, ...]
    """By what holds, by nobody's decisions, and by each judge's"""


def pair_rows(found: WhoJudged, pairs: Sequence[PairUnderJudges]) -> list[PairRow]:
    """Return pairs in words."""
    alpha = 1 - found.level
    return [
        PairRow(
            each.held.a, each.held.b, signed(each.held.difference), between(each.interval),
            between(each.with_judges),
            tuple(
                _verdict(who, one, each.held, alpha)
                for who, one in (("all", each.held), ("nobody", each.nobody),
                                 *each.by_judge.items())
            ),
        )
        for each in pairs
    ]  # fmt: skip


def _verdict(who: str, pair: Pair, held: Pair, alpha: float) -> Verdict:
    better = told(pair)
    return Verdict(
        who, pair_adjusted(pair, alpha), better or "", better != told(held), signed(pair.difference)
    )


def most_dependent(found: WhoJudged, most: int = MOST_PAIRS) -> list[PairUnderJudges]:
    """Return the pairs whose verdict depends on who judged, and others that are nearest to it."""

    def rank(each: PairUnderJudges) -> tuple[bool, bool, float]:
        moved = max(
            (abs(one.difference - each.held.difference) for one in each.by_judge.values()),
            default=0.0,
        )
        undone = each.held.different and each.with_judges is not None
        return not each.differing, not (undone and not each.different_with_judges), -moved

    return sorted(found.pairs, key=rank)[:most]


def interval_sentence(found: WhoJudged) -> str:
    """Return what the wider interval is for, or why there is none."""
    if found.variance is None:
        return found.reason or ""
    based = f"{several(found.doubly, 'question')} that two people or more answered"
    if not found.variance.of_all_judges:
        return (
            f"The wider interval is for what either of the two judges would have found had they "
            f"judged everything, by {based}. Two people cannot tell what a third would say."
        )
    undone = [e for e in found.pairs if e.held.different and not e.different_with_judges]
    told_apart = [each for each in found.pairs if each.held.different]
    sentence = (
        "The wider interval is for what the average of all judges like these would have found, "
        f"by {based}."
    )
    if told_apart:
        some = "none" if not undone else f"{len(undone):,}"
        sentence += (
            f" Of {several(len(told_apart), 'difference')} found, {some} could be due to who "
            "judged: with their disagreement the interval reaches 0."
        )
    return sentence


def report_text(agreement: PeopleAgreement, judged: WhoJudged | None) -> str:
    """Return the whole report for a terminal; without a second system nothing is compared."""
    parts = [filled(agreement_sentence(agreement))]
    parts += ["\n".join(_agreement_lines(kind)) for kind in agreement.kinds]
    if agreement.kinds:
        parts.append(filled(NAMED))
    if judged is not None:
        parts.append("\n".join(_judged_lines(judged)))
    return "\n\n".join(parts) + "\n"


def _agreement_lines(kind: KindAgreement) -> Iterator[str]:
    yield f"Agreement about {KINDS_IN_WORDS.get(kind.kind, kind.kind)}"
    rows = rows_of(kind)
    width = min(16, max(5, *(len(row.label) for row in rows)))
    heads = (right("questions", 9), right("same", 5), left("kappa", 20), "alpha")
    yield "  ".join(["", left("", width), *heads])
    for row in rows:
        share = right(row.share.partition(" ")[0], 5)
        cells = (right(f"{row.questions:,}", 9), share, left(row.kappa, 20), row.alpha)
        yield "  ".join(["", left(cut(row.label, width), width), *cells])
    told_more = [alpha_words(kind) if kind.categories else "", other_fill_words(kind)]
    if kind.categories:
        yield ""
        yield "  What one person said (row) where another said (column)"
        wide = max(8, *(len(name) for name in kind.categories))
        yield "  " + left("", wide) + "".join(right(name, wide + 2) for name in kind.categories)
        for name, shades in shades_of(kind):
            yield "  " + left(name, wide) + "".join(right(c.number, wide + 2) for c in shades)
    words = " ".join(each for each in told_more if each)
    if words:
        yield filled(words)


def _judged_lines(found: WhoJudged) -> Iterator[str]:
    words = (found.open_questions, found.sentence, interval_sentence(found))
    yield filled(f"Who judged: {' '.join(each for each in words if each)}")
    pairs = most_dependent(found)
    if len(pairs) < len(found.pairs):
        yield filled(f"Of {several(len(found.pairs), 'pair')}, the {len(pairs)} that depend most:")
    for row in pair_rows(found, pairs):
        yield ""
        yield filled(f"{row.a} − {row.b} by {found.metric}: {row.difference}")
        if row.interval:
            yield f"  these judges         {row.interval}"
        if row.with_judges:
            yield f"  with disagreement    {row.with_judges}"
        width = max(len(each.who) for each in row.verdicts)
        for each in row.verdicts:
            far = " so far" if found.open_questions else ""
            better = f"{each.better} is better{far}" if each.better else f"not told apart{far}"
            mark = "  *" if each.other and each.who != "nobody" else ""
            whose = {"all": "all decisions", "nobody": "no decisions"}.get(each.who, each.who)
            yield (
                f"  {left(whose, max(width, 13))}  {right(each.difference, 8)}  "
                f"adjusted p {left(each.p, 8)}  {better}{mark}"
            )
    if any(each.differing for each in pairs):
        yield ""
        yield "  * another verdict if this judge's decisions come first"


def page_values(agreement: PeopleAgreement | None, judged: WhoJudged | None) -> dict[str, Any]:
    """Return what the templates about people are filled with."""
    from markupsafe import Markup

    from tellapart.campaign.people_figures import draw_agreement, draw_who_judged

    values: dict[str, Any] = {"agreement": agreement, "judged": judged}
    if agreement is not None:
        kinds = []
        for k, kind in enumerate(agreement.kinds):
            rows = {"all": kind.overall, **kind.by_label}
            kinds.append(
                {
                    "title": KINDS_IN_WORDS.get(kind.kind, kind.kind),
                    "figure": Markup(draw_agreement(rows, f"agreement-{k}")),
                    "rows": rows_of(kind),
                    "categories": kind.categories,
                    "shades": shades_of(kind),
                    "words": f"{alpha_words(kind)} {other_fill_words(kind)}".strip(),
                }
            )
        values |= {"sentence": agreement_sentence(agreement), "kinds": kinds, "named": NAMED}
    if judged is not None:
        pairs = most_dependent(judged)
        values |= {
            "interval_sentence": interval_sentence(judged),
            "judged_figure": Markup(draw_who_judged(judged, pairs, "who-judged")),
            "pairs": pair_rows(judged, pairs),
            "judges": judged.judges,
        }
    return values


def report_html(title: str, agreement: PeopleAgreement, judged: WhoJudged | None) -> str:
    """Return the whole report as a page that needs no other file."""
    from markupsafe import Markup

    from tellapart.campaign.web.site import HERE, templates

    sheets = [(HERE / "static" / name).read_text("utf-8") for name in ("style.css", "people.css")]
    page = templates().get_template("people_report.html")
    return page.render(title=title, style=Markup("".join(sheets)), **page_values(agreement, judged))
