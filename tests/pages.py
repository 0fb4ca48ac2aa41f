"""Reads the pages of the documentation: fenced blocks, commands with their output, files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).parent.parent
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "examples/*/*.md", "hil_tests/*.md")
    for page in TOP.glob(pattern)
)
"""Every page of the project."""


@dataclass(frozen=True)
class Shown:
    """A command line on a page, and the output that the page shows for it."""

    page: Path
    line: str
    prints: str

    @property
    def words(self) -> list[str]:
        """The words of the line as a shell splits it, without its comment.

        The comment is removed before, because `shlex` treats a `#` inside a word as a comment.
        """
        words = shlex.split(re.sub(r"\s+#\s.*$", "", self.line))
        return words[: words.index(">")] if ">" in words else words

    @property
    def into(self) -> str | None:
        """The file that receives the output (`> FILE`); None if the line names no file."""
        found = re.search(r" > (\S+)", self.line)
        return found[1] if found else None

    def __str__(self) -> str:
        return f"{self.page.relative_to(TOP)}: {self.line}"


def name_of(page: Path) -> str:
    """Return the path of a page in the project."""
    return str(page.relative_to(TOP))


def blocks(page: Path, language: str) -> list[str]:
    """Return a page's fenced blocks of one language, in order."""
    fenced = re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return [str(block) for block in fenced]


def commands(page: Path) -> Iterator[Shown]:
    """Yield the commands in a page's console blocks, each with the output that follows it."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, prints = part.partition("\n")
            yield Shown(page, line, prints)


def spans(page: Path) -> Iterator[str]:
    """Yield the texts between backticks in the running text of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    yield from (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text))


def files(page: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of each YAML block that begins with `# NAME.yaml: description`."""
    for block in blocks(page, "yaml"):
        named = re.match(r"# ([\w.]+\.yaml):", block)
        if named:
            yield named[1], block
