"""Receipts as PDF: a page with a QR code. It needs the package of the extra `paper`.

Latin text uses Helvetica. Chinese and Japanese text uses fonts that PDF readers have by name, so
that the program needs no font files. To import the module takes 0.3 s.
"""

from __future__ import annotations

import io
from itertools import groupby
from typing import Any

import segno
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from controller.records.audit.receipts import compact_form, receipt_lines

_FONTS = (
    ("Helvetica", "cp1252"),
    ("STSong-Light", "gb2312"),
    ("HeiseiMin-W3", "shift_jis"),
    ("MSung-Light", "big5"),
    ("HYSMyeongJo-Medium", "euc_kr"),
)
"""Fonts with the encodings that name their characters; the first that has a character draws it."""
_SIZE, _LEADING, _LEFT, _TEXT = 9.0, 13.0, 40.0, 125.0
_WIDTH = 420.0
"""Points of the text's width on an A4 page."""


def receipt_pdf(receipt: dict[str, Any], *, compress: bool = True) -> bytes:
    """Draw a receipt; returns the bytes of the PDF."""
    register_fonts()
    file = io.BytesIO()
    page = Canvas(file, pagesize=A4, pageCompression=int(compress), invariant=1)
    page.setTitle("Wallwright receipt")
    height = A4[1]
    y = height - 50

    def width(text: str) -> float:
        return float(sum(pdfmetrics.stringWidth(run, font, _SIZE) for font, run in font_runs(text)))

    for name, value in receipt_lines(receipt):
        for number, part in enumerate(_wrapped(value, width)):
            if y < 60:
                page.showPage()
                y = height - 50
            page.setFont("Helvetica-Bold", _SIZE)
            page.drawString(_LEFT, y, "" if number else name)
            text = page.beginText(_TEXT, y)
            for font, run in font_runs(part):
                text.setFont(font, _SIZE)
                text.textOut(run)
            page.drawText(text)
            y -= _LEADING
    if y < 200:
        page.showPage()
        y = height - 50
    _draw_code(page, compact_form(receipt), _LEFT, y - 140, 130)
    page.save()
    return file.getvalue()


def register_fonts() -> None:
    """Make the fonts of `font_runs` known to the package that draws."""
    for font, _ in _FONTS[1:]:
        pdfmetrics.registerFont(UnicodeCIDFont(font))


def font_runs(text: str) -> list[tuple[str, str]]:
    """The text in parts, each with the font that has its characters; `?` for any other."""
    printable = "".join(letter if _font_of(letter) else "?" for letter in text)
    grouped = groupby(printable, key=lambda letter: _font_of(letter) or _FONTS[0][0])
    return [(font, "".join(letters)) for font, letters in grouped]


def _font_of(letter: str) -> str | None:
    for font, encoding in _FONTS:
        try:
            letter.encode(encoding)
        except UnicodeEncodeError:
            continue
        return font if letter.isprintable() else None
    return None


def _wrapped(text: str, width: Any) -> list[str]:
    """The text in lines that are not wider than the page."""
    lines = [""]
    for letter in text:
        if width(lines[-1] + letter) > _WIDTH:
            lines.append("")
        lines[-1] += letter
    return lines


def _draw_code(page: Any, text: str, x: float, y: float, size: float) -> None:
    """Draw a QR code as squares; (x, y) is its lower left corner."""
    rows = list(segno.make(text, error="m", micro=False).matrix_iter(border=4))
    side = size / len(rows)
    for down, row in enumerate(rows):
        for right, dark in enumerate(row):
            if dark:
                page.rect(x + right * side, y + size - (down + 1) * side, side, side, 0, 1)
