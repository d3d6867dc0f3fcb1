"""`--as mteb`: rankings of MTEB's retrieval tasks, read as the runs that they are."""

from __future__ import annotations

from dataclasses import replace

from tellapart.formats.trec import format as trec
from tellapart.formats.trec.mteb import looks_like_predictions, refuse_totals

FORMAT = replace(
    trec.FORMAT,
    names=("mteb",),
    about="rankings of MTEB's retrieval tasks, with judgements",
    recognises=looks_like_predictions,
    recognises_gold=None,
    refuses=refuse_totals,
)
