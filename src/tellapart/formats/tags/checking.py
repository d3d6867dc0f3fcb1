"""All that is wrong with tag files, for `tellapart validate`."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.errors import DataError
from tellapart.formats.tags.chunks import TagCodes, tokens_at
from tellapart.formats.tags.columns import TagFile, read_tag_file
from tellapart.formats.tags.parallel import differences
from tellapart.formats.tags.schemes import scheme_of

_WARNING = "warning:"


def tag_problems(files: Sequence[str], gold: Sequence[str]) -> list[str]:
    """List the problems of tag files, and where they differ from the gold in their tokens."""
    problems: list[str] = []
    read: dict[str, TagFile] = {}
    for path in (*gold, *files):
        try:
            read[path] = read_tag_file(path, complain=problems.append)
        except DataError as problem:
            problems.append(str(problem))
    for path in files:
        if gold and path in read and gold[0] in read:
            problems += differences(read[path], read[gold[0]])
    for file in read.values():
        problems += _orphans(file)
    return problems


def _orphans(file: TagFile) -> list[str]:
    """Warn of tags that go on with an entity that nothing began."""
    tagging = TagCodes().tagging(file.tags, file.starts)
    if scheme_of(set(file.tags)) == "IOE2" or tagging.is_iob1():
        return []
    tokens = tokens_at(tagging.orphans(), file.starts)[1].tolist()
    return [
        f"{_WARNING} {file.place(token)}: nothing began the entity that {file.tags[token]!r} goes "
        "on with"
        for token in tokens
    ]
