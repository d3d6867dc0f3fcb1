"""Whether tag files have the same tokens in the same sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tellapart.errors import DataError
from tellapart.files import shown
from tellapart.formats.tags.columns import TAG, TagFile
from tellapart.formats.tags.schemes import take_apart
from tellapart.words import listed, several


def check_parallel(file: TagFile, like: TagFile) -> None:
    """Complain about the first place where two files differ in tokens or sentences."""
    problem = next(differences(file, like), None)
    if problem is not None:
        raise DataError(f"{problem}; give the same tokens and sentences as in {shown(like.path)}")


def differences(file: TagFile, like: TagFile) -> Iterator[str]:
    """Say where two files differ: the first place in each sentence, until sentences differ."""
    if file.tokens == like.tokens and file.starts == like.starts:
        return
    bounds = zip(_bounds(file), _bounds(like), strict=False)
    for (start, end), (other, stop) in bounds:
        for k in range(min(end - start, stop - other)):
            if file.tokens[start + k] != like.tokens[other + k]:
                yield (
                    f"{file.place(start + k)}: the token is {file.tokens[start + k]!r}, but "
                    f"{like.tokens[other + k]!r} in {like.place(other + k)}"
                )
                break
        if end - start != stop - other:
            yield _unlike_ends(file, end, like, stop, end - start > stop - other)
            return
    if len(file.starts) != len(like.starts):
        yield (
            f"{shown(file.path)} has {several(len(file.starts), 'sentence')}, {shown(like.path)} "
            f"has {len(like.starts)}"
        )


def _unlike_ends(file: TagFile, end: int, like: TagFile, stop: int, longer: bool) -> str:
    if longer:
        last = like.place(stop - 1)
        return f"{file.place(end - 1)}: the sentence goes on to here, but ends in {last}"
    last = like.place(stop - 1)
    return f"{file.place(end - 1)}: the sentence ends here, but goes on to {last}"


def _bounds(file: TagFile) -> Iterator[tuple[int, int]]:
    return zip(file.starts, [*file.starts[1:], len(file.tokens)], strict=True)


def gold_inside(files: Sequence[TagFile]) -> TagFile:
    """Take the gold tags from the last column but one; all files must agree about them."""
    for file in files:
        _check_gold_column(file)
    first = files[0]
    for file in files[1:]:
        check_parallel(file, first)
        if file.before != first.before:
            raise _gold_differs(file, first)
    gold = TagFile(first.path, first.tokens, first.before)
    gold.starts, gold.lines, gold.documents = first.starts, first.lines, first.documents
    return gold


def _check_gold_column(file: TagFile) -> None:
    lacking = next((k for k, tag in enumerate(file.before) if not TAG.fullmatch(tag)), None)
    if lacking is not None:
        raise DataError(
            f"{file.place(lacking)}: there is no gold tag before the tag; name the gold file with "
            "--gold, or give token, gold tag and predicted tag in each line"
        )
    given, wanted = _types(file.tags), _types(file.before)
    if given and wanted and given.isdisjoint(wanted):
        raise DataError(
            f"{shown(file.path)}: the last two columns have no type in common "
            f"({listed(sorted(wanted), 4)}; {listed(sorted(given), 4)}), so that one cannot be the "
            "gold of the other; name the gold file with --gold"
        )


def _types(tags: Sequence[str]) -> set[str]:
    return {take_apart(tag)[1] for tag in set(tags) - {"O"}}


def _gold_differs(file: TagFile, first: TagFile) -> DataError:
    """Say how many sentences have different gold tags, and where the first is."""
    places = [
        k
        for k, pair in enumerate(zip(file.before, first.before, strict=True))
        if pair[0] != pair[1]
    ]
    sentences = len({file.sentence(k) for k in places})
    return DataError(
        f"{file.place(places[0])}: the gold tag is {file.before[places[0]]!r}, but "
        f"{first.before[places[0]]!r} in {first.place(places[0])}; the files disagree about the "
        f"gold answer of {several(sentences, 'sentence')}: name one gold file with --gold"
    )
