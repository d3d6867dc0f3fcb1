"""A figure as an object: shown by a notebook, saved as SVG, PNG or PDF.

PNG and PDF are made by CairoSVG (extra `figures`), which embeds the fonts, as publishers demand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tellapart.errors import UsageError
from tellapart.files import write_together
from tellapart.report.figures.layout import standalone

# The same figure is the same file, whenever it is drawn; places in a PDF need the same length.
_CREATED: Final = re.compile(rb"\(D:\d{14}Z\)")
_NO_TIME: Final = b"(D:20000101000000Z)"
_SCALE: Final = 3  # pixels of PNG for one of the figure: sharp in print at the width of a column
_FONTS: Final = 'font-family="system-ui, sans-serif"'
_PRINTED: Final = 'font-family="Helvetica"'  # for which every system knows one of the same widths


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A figure; the last value of a notebook's cell, it is shown.

    >>> Picture("systems", '<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>')
    <Picture: systems>
    """

    name: str
    drawing: str
    """As it is part of a page"""

    @property
    def svg(self) -> str:
        """The figure as an SVG file of its own."""
        return standalone(self.drawing)

    @property
    def png(self) -> bytes:
        """The figure in pixels, three for each of the drawing's."""
        return as_bytes(self.svg, "png")

    @property
    def pdf(self) -> bytes:
        """The figure as a page of its own size, with its fonts."""
        return as_bytes(self.svg, "pdf")

    def save(self, path: str | Path) -> None:
        """Write the figure: whole or not at all, as what the name ends with."""
        kind = Path(path).suffix.lower().removeprefix(".")
        if kind not in ("svg", "pdf", "png"):
            raise UsageError(f"{path}: a figure is saved as .svg, .pdf or .png; name one of these")
        data = self.svg.encode() if kind == "svg" else as_bytes(self.svg, kind)
        write_together({str(path): lambda stream: stream.write(data)})

    def __repr__(self) -> str:
        return f"<Picture: {self.name}>"

    def _repr_svg_(self) -> str:
        return self.svg


def as_bytes(svg: str, kind: str) -> bytes:
    """Return an SVG file as PNG or PDF."""
    cairosvg = find_renderer()
    printed = svg.replace(_FONTS, _PRINTED, 1).encode()
    if kind == "pdf":
        pdf: bytes = _CREATED.sub(_NO_TIME, cairosvg.svg2pdf(bytestring=printed))
        return pdf
    png: bytes = cairosvg.svg2png(bytestring=printed, scale=_SCALE)
    return png


def find_renderer() -> Any:
    """Return what makes PNG and PDF of SVG; what is missing is named."""
    try:
        import cairosvg
    except ImportError:
        raise UsageError(
            "PNG and PDF need CairoSVG: pip install 'tellapart[figures]', or use SVG"
        ) from None
    except OSError:
        raise UsageError(
            "CairoSVG does not find the library Cairo: install it (apt install libcairo2, brew "
            "install cairo), or use SVG"
        ) from None
    return cairosvg
