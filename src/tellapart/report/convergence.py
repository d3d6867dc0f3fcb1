"""Convergence as plain text: the finding first, then the scores."""

from __future__ import annotations

from tellapart.planning.convergence import FEWEST_ITEMS, LEVEL, Convergence, Gain
from tellapart.report.numbers import signed
from tellapart.report.terminal_text import warning_lines, wrapped
from tellapart.words import plural, several


def render_convergence(found: Convergence) -> str:
    """Return the finding and its figures as text, 80 columns wide."""
    parts = [wrapped(sentence(found)), _table(found)]
    if found.notices:
        parts.append("\n".join(warning_lines(each.text for each in found.notices)))
    method = (
        f"bootstrap over {plural(found.seen.kind)}, before and after together, the two sets apart; "
        f"{found.resamples:,} resamples; percentile intervals; seed {found.seed}."
    )
    return "\n\n".join([*parts, wrapped(method, "  ")]) + "\n"


def sentence(found: Convergence) -> str:
    """Return how much of the gain on the seen set carried over to the unseen one, in words."""
    seen, unseen = found.seen, found.unseen
    if found.ratio is None:
        return (
            f"Nothing was gained on the seen set ({found.metric} {signed(seen.gain)}), so "
            "there is no gain to compare with."
        )
    if not unseen.changed:
        return (
            f"Nothing changed on the unseen set: all of its {plural(unseen.kind)} score as before, "
            f"{found.metric} {unseen.before:.3f}; the gain on the seen set is {signed(seen.gain)}."
        )
    if min(seen.items, unseen.items) < FEWEST_ITEMS:
        return (
            f"Too few items to tell whether the changes helped: the gains in {found.metric} are "
            f"{signed(seen.gain)} on the seen and {signed(unseen.gain)} on the unseen set, a ratio "
            f"of {found.ratio:.2f} that chance alone could have made."
        )
    if found.interval is None:
        return (
            f"The ratio of the gains cannot be determined: the gain on the seen set, "
            f"{signed(seen.gain)} in {found.metric}, is not clearly above zero "
            f"({100 * found.no_gain:.0f} % of resamples show none)."
        )
    low, high = found.interval
    return (
        f"Of each point gained on the seen set, {found.ratio:.2f} carried over to the unseen one "
        f"({100 * LEVEL:g} % interval {low:.2f} to {high:.2f}): the gains in {found.metric} are "
        f"{signed(seen.gain)} and {signed(unseen.gain)}. {_reading(low, high)}"
    )


def _reading(low: float, high: float) -> str:
    if high < 0:
        return "The changes did harm beyond the seen set."
    if low <= 0:
        less = "; they helped less there, if at all" if high < 1 else ""
        return f"Whether the changes helped beyond the seen set cannot be told{less}."
    if high < 1:
        return "The changes helped beyond the seen set, but less than on it."
    if low > 1:
        return "The changes helped beyond the seen set, and more than on it."
    return "The changes helped beyond the seen set; whether less than on it cannot be told."


def _table(found: Convergence) -> str:
    header = ("", found.metric + " before", "after", "gain", f"{100 * LEVEL:g} % interval")
    rows = [_row("seen", found.seen), _row("unseen", found.unseen)]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    return "\n".join(
        "  " + "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in (header, *rows)
    )


def _row(name: str, gain: Gain) -> tuple[str, ...]:
    ends = "-" if gain.interval is None else " ".join(map(signed, gain.interval))
    return (
        f"{name}, {several(gain.items, gain.kind)}",
        f"{gain.before:.3f}",
        f"{gain.after:.3f}",
        signed(gain.gain),
        ends,
    )
