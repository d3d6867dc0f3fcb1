"""Files become counts: one door for every format, and the data that ship with the package."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from tellapart.counts import Counts
from tellapart.errors import UsageError
from tellapart.formats.guessing import guess_format
from tellapart.formats.sources import expanded
from tellapart.formats.tables.reader import read_tables
from tellapart.words import nearest

Paths = str | Path | Sequence[str | Path]


def read(
    sources: Paths,
    gold: Paths = (),
    *,
    form: str | None = None,
    metrics: Sequence[str] | None = None,
    item: str | None = None,
    columns: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    missing: str | None = None,
    scheme: str = "lenient",
) -> Counts:
    r"""Read what systems left behind: a file, a pattern such as ``runs/*.eval``, or several.

    Tables of counts or scores, Inspect logs, samples of lm-eval, TREC runs, tags, spans, relations
    and plain text are told apart by what is in them, or by `form`, which is what `--as` names.
    `gold` is what outputs are held against, where the format has gold files; `metrics` chooses
    scores that reading works out or picks; `item`, `columns` and `labels` are about tables,
    `scheme` about tags. `missing` says what becomes of items that a system lacks: "error" (the
    default, but a query that a run of TREC lacks counts 0), "zero" or "drop".

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "counts.csv"
    ...     _ = table.write_text("system,item,score\nA,q1,1\nB,q1,0\n")
    ...     read(table)
    <Counts: 2 systems × 1 item × 1 column>
    """
    systems, golds = _paths(sources), _paths(gold)
    form = form or guess_format(systems, golds)
    if form == "trec":
        from tellapart.formats.trec.reader import read_retrieval

        return read_retrieval(systems, golds, metrics=metrics, missing=missing)
    missing = missing or "error"
    if form in (None, "counts", "items"):
        if golds:
            raise UsageError("tables need no gold; name another format with `form`")
        return read_tables(systems, item=item, columns=columns, labels=labels, missing=missing)
    if form in ("inspect", "lm-eval"):
        from tellapart.formats.logs.inspect_reader import read_inspect
        from tellapart.formats.logs.lm_eval_reader import read_lm_eval

        read_logs = read_inspect if form == "inspect" else read_lm_eval
        return read_logs(systems, metrics=metrics, missing=missing)
    if form == "conll":
        from tellapart.formats.tags.reader import read_tags

        return read_tags(systems, golds, scheme=scheme)
    if form == "spans":
        from tellapart.formats.spans.reader import read_spans

        return read_spans(systems, golds, missing=missing)
    if form == "relations":
        from tellapart.formats.relations.files import read_relations

        return read_relations(systems, golds, missing=missing, responses=item == "response")
    if form == "text":
        from tellapart.formats.text.reader import read_text

        return read_text(systems, golds, metrics or ("bleu",)).counts
    raise UsageError(
        f"files of the format {form!r} are read by the command line: tellapart compare --as "
        f"{form} … --save-counts counts.csv, then read that table"
    )


def _paths(given: Paths) -> list[str | Path]:
    """List the files; patterns become the files that fit them."""
    named = [given] if isinstance(given, str | Path) else list(given)
    return [path for name in named for path in _expanded(name)]


def _expanded(source: str | Path) -> list[str | Path]:
    """Expand a pattern, unless it is the name of a file."""
    text = str(source)
    return [source] if "=" in text else list(expanded(text))


EXAMPLES = ("muc4",)


def example(name: str = "muc4") -> Counts:
    """Return built-in counts: ``muc4`` has 17 systems on the 100 messages of MUC-4's test set.

    >>> example("muc4")
    <Counts: 17 systems × 100 messages × 10 columns>
    """
    if name not in EXAMPLES:
        raise UsageError(f"there is no example {name!r}; {nearest(name, EXAMPLES)}")
    with as_file(files("tellapart") / "data" / f"{name}.csv") as path:
        return read_tables([path])
