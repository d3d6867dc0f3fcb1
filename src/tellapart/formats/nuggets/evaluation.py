"""All that can be asked of one system: mentions, coreference, links, extra figures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tellapart.errors import Notice, UsageError
from tellapart.formats.coref.measures import CorefCounts, CorefScores, total
from tellapart.formats.nuggets.attributes import BOTH, PROFILES
from tellapart.formats.nuggets.links import LinkScores, count_clusters, score_links
from tellapart.formats.nuggets.paper_2015 import (
    PaperDocument,
    exact_match,
    literal_algorithm_2,
    multiplied,
    paper_averages,
    paper_document,
)
from tellapart.formats.nuggets.scoring import (
    Averages,
    Figures,
    Options,
    Scoring,
    mapping_attributes,
    score,
)
from tellapart.formats.nuggets.tbf import TbfFile


@dataclass(frozen=True, slots=True)
class Request:
    """What to work out beside the mention scores."""

    options: Options
    coref: bool = False
    mapping: int = 1
    threshold: float = 1.0
    omit_undefined_muc: bool = False
    sequencing: bool = False
    extras: bool = False
    type_attributes: str = BOTH

    def check(self) -> None:
        """Refuse what makes no sense, in one sentence."""
        mapping_attributes(self.mapping)
        if math.isnan(self.threshold):
            raise UsageError("the coreference threshold must be a number, such as 1.0")
        if (self.coref or self.sequencing) and self.options.profile.name != "kbp":
            raise UsageError(
                f"profile {self.options.profile.name} scores mentions only; coreference and "
                "sequencing need profile kbp"
            )


@dataclass(frozen=True, slots=True)
class Extras:
    """Figures that no release of the public scorer has, micro averaged, from 0 to 1."""

    literal_algorithm_2: Averages
    multiplied: float | None
    exact_match: Figures


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One system's figures."""

    request: Request
    scoring: Scoring
    paper: tuple[PaperDocument, ...] | None
    coref_documents: tuple[CorefCounts, ...] | None
    links: dict[str, LinkScores] | None
    extras: Extras | None
    notices: tuple[Notice, ...]

    @property
    def coref(self) -> CorefScores | None:
        """The coreference scores; None if not asked for, or if there is no gold document."""
        if not self.coref_documents:
            return None
        return CorefScores(total(self.coref_documents), self.request.omit_undefined_muc)


def evaluate(gold: TbfFile, system: TbfFile, request: Request) -> Evaluation:
    """Return all figures that the request names."""
    request.check()
    scoring = score(gold, system, request.options)
    attributes = mapping_attributes(request.mapping)
    paper = None
    if request.options.profile.name == "pilot":
        paper = tuple(map(paper_document, scoring.documents))
    coref = None
    if request.coref:
        coref = tuple(count_clusters(scoring, attributes, request.threshold))
    return Evaluation(
        request,
        scoring,
        paper,
        coref,
        score_links(scoring, attributes) if request.sequencing else None,
        _extras(scoring) if request.extras else None,
        (*scoring.notices, *_notices(request)),
    )


def _extras(scoring: Scoring) -> Extras:
    by_paper = replace(scoring.options, profile=PROFILES["pilot"])
    scored = score(scoring.gold, scoring.system, by_paper)
    documents = [paper_document(document) for document in scored.documents]
    return Extras(
        literal_algorithm_2(documents),
        multiplied(paper_averages(documents)),
        exact_match(scoring.documents),
    )


def _notices(request: Request) -> Iterator[Notice]:
    if request.coref and request.threshold <= 0:
        yield Notice(
            "low-coref-threshold",
            "At a coreference threshold of 0 or below, gold mentions without a partner take the "
            "last system mention, as in the public scorer.",
        )
