"""Liu, Mitamura and Hovy (2015): three ways to combine the scores of event nuggets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from studies.core import Reproduction, Request
from studies.nuggets.drawings import drawings
from studies.nuggets.scores import Combined, combine_all
from studies.nuggets.statements import Checks, check, statements
from studies.nuggets.systems import Pilot, generate
from studies.nuggets.tables import sections
from tellapart.errors import UsageError

DRAWS: Final = True


def reproduce(request: Request) -> Reproduction:
    """Draw 15 systems from the seed, score them in three ways, and check what the paper says."""
    if request.data is not None:
        raise UsageError(
            "the study nuggets draws its systems from --seed; drop --data, and see your own with "
            "`tellapart score --as nuggets --profile pilot --extras`"
        )
    pilot = generate(request.seed)
    systems = combine_all(pilot, request.progress)
    checks = check(pilot, systems)
    return Reproduction(
        "nuggets",
        "Liu, Mitamura and Hovy (2015): event nuggets, a pilot study",
        request.seed,
        tuple(sections(pilot, systems, checks)),
        tuple(statements(pilot, systems, checks)),
        _figures(pilot, systems, checks),
        drawings(systems),
    )


def _figures(pilot: Pilot, systems: Sequence[Combined], checks: Checks) -> dict[str, Any]:
    return {
        "gold_mentions": len(pilot.gold),
        "documents": len({each.document for each in pilot.gold}),
        "systems": [
            {**asdict(scores), "rates": asdict(system.rates)}
            for system, scores in zip(pilot.systems, systems, strict=True)
        ],
        "kendall_tau": checks.agreement,
        "without_spurious": asdict(checks.without_spurious),
    }
