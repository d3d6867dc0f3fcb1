"""Targets for preferences: tables of who won, and judgments as arena-hard and others write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .harnesses import ITEMS, right, target
from .soundness import table
from .tables import NAME
from .target import File, Target

_WORDS = ("A>B", "A>>B", "A=B", "B>A", "B>>A")


def preference_targets() -> Iterator[Target]:
    """Yield the targets of the formats of preferences."""
    lines = ["id,model_a,model_b,winner"]
    lines += [f"q{k},alder,birch,{('model_a', 'model_b', 'tie')[k % 3]}" for k in range(ITEMS)]
    word = "(?i:model_[ab12]|[ab12]|tie|left|right|win|lose|alder|birch)"
    sound = table(",", "(?i:id,model_a,model_b,winner)", NAME, NAME, NAME, word, unique=())
    file = File("prefs.csv", "".join(f"{line}\n" for line in lines).encode(), sound)
    yield Target("preferences-csv", "preferences", (file,), ("prefs.csv",), ("prefs.csv",))
    yield target("arena-hard", "jsonl", _arena_hard, fixed=lambda row: tuple(
        game["score"] for game in row["games"]))  # fmt: skip
    yield target("alpaca-eval", "json", _alpaca_eval, fixed=lambda tree: tuple(
        1 <= row["preference"] <= 2 or row["preference"] == 0 for row in tree))  # fmt: skip
    yield target("mt-bench-pair", "jsonl", _mt_bench_pair, fixed=lambda row: (
        row["g1_winner"], row["g2_winner"]))  # fmt: skip


def _arena_hard(system: int, name: str) -> list[dict[str, Any]]:
    return [
        {
            "question_id": f"q{k}",
            "model": name,
            "judge": "judge",
            "games": [
                {"user_prompt": "p", "judgment": "j", "score": _WORDS[(k + system) % 5]},
                {"user_prompt": "p", "judgment": "j", "score": _WORDS[(2 * k + system) % 5]},
            ],
        }
        for k in range(ITEMS)
    ]


def _alpaca_eval(system: int, name: str) -> list[dict[str, Any]]:
    return [
        {
            "instruction": f"i{k}",
            "output_1": "one",
            "generator_1": "reference",
            "output_2": "another",
            "generator_2": name,
            "preference": 2 if right(system, k) else 1,
        }
        for k in range(ITEMS)
    ]


def _mt_bench_pair(system: int, _: str) -> list[dict[str, Any]]:
    return [
        {
            "question_id": 81 + k,
            "model_1": "alder",
            "model_2": "birch",
            "g1_winner": ("model_1", "model_2", "tie")[(k + system) % 3],
            "g2_winner": ("model_1", "tie", "model_2")[k % 3],
            "turn": 1 + system,
        }
        for k in range(ITEMS)
    ]
