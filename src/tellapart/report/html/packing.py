"""How the page holds the data of its script: as deflated JSON in letters."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any


def pack(value: Any) -> str:
    """Return a value as JSON, deflated, in letters that no HTML parser can mistake.

    >>> unpack(pack({"a": "<script>"}))
    {'a': '<script>'}
    """
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(plain.encode("utf-8", "replace"), 9)).decode()


def unpack(text: str) -> Any:
    """Return the value that `pack` wrote."""
    return json.loads(zlib.decompress(base64.b64decode(text)))
