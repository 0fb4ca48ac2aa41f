"""Tests that docs/regulate/CHANCE.md lists each use of random numbers; only `chance` decides."""

from __future__ import annotations

import re
from pathlib import Path

HOUSE = Path(__file__).parents[4]
RANDOM = re.compile(
    r"^\s*(?:import|from) (?:random|secrets|uuid)\b|os\.urandom|\burandom\(|SystemRandom\(",
    re.MULTILINE,
)
SIMULATED = (
    "firmware_bridge/sim/",
    "controller/proof/campaign/",
    "controller/proof/conformance/",
    "controller/proof/lab/",
    "controller/proof/chaos/",
)
"""Folders whose random numbers exist in simulations, laboratories and tests only."""


def test_every_other_use_of_random_numbers_has_its_reason_on_the_page() -> None:
    page = (HOUSE / "docs/regulate/CHANCE.md").read_text("utf-8")
    section = page.split("## Other random numbers")[1]
    listed = set(re.findall(r"^\| `([\w./]+)` \|", section, re.MULTILINE))
    using = {
        name
        for room in ("controller", "firmware_bridge", "config", "rules")
        for file in (HOUSE / room).rglob("*.py")
        if not (name := str(file.relative_to(HOUSE))).startswith(SIMULATED)
        and RANDOM.search(_code(file))
    }
    assert using - {"controller/run/chance/source.py"} == listed


def _code(file: Path) -> str:
    """The text of a file without the examples in its docstrings."""
    return "\n".join(
        line
        for line in file.read_text("utf-8").splitlines()
        if not line.lstrip().startswith((">>>", "..."))
    )
