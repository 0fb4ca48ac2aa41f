"""The tests of the project by name, read from their source files."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

TOP = Path(__file__).parent.parent
FOLDERS = ("tests", "controller/proof/conformance", "hil_tests")


@cache
def tests() -> Mapping[str, str]:
    """The file of each test function, from the project's folder; names that occur twice are lost.

    A test that two files share a name with has the first of the files, in alphabetical order.
    """
    found: dict[str, str] = {}
    for folder in FOLDERS:
        for file in sorted((TOP / folder).rglob("test_*.py")):
            for node in ast.parse(file.read_text("utf-8")).body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
                    node.name.startswith("test_")
                ):
                    found.setdefault(node.name, file.relative_to(TOP).as_posix())
    return found


def linked(name: str) -> str:
    """A link from a page in `docs` to the file of a test, in words. Raises LookupError."""
    if name not in tests():
        raise LookupError(
            f"There is no test {name}; correct the page's generator, or write the test."
        )
    words = re.sub("^test_([Rr][0-9]+_)*", "", name).replace("_", " ")
    return f"[{words}](../../{tests()[name]})"
