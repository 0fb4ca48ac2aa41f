"""What other people's programs use is there in every later version, for each release."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from tools.interfaces import Interfaces, interfaces

SAMPLES = sorted(Path(__file__).parent.glob("samples/*/interfaces.json"))


@cache
def present() -> Interfaces:
    return interfaces()


@pytest.mark.parametrize("kind", ["commands", "requests", "schemas", "events", "metrics"])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.parent.name)
def test_nothing_of_a_released_interface_is_gone(sample: Path, kind: str) -> None:
    released: Interfaces = json.loads(sample.read_text())
    assert released[kind]
    gone = {
        name: missing
        for name, parts in released[kind].items()
        if (missing := {name, *parts} - {name, *present()[kind].get(name, ())})
        or name not in present()[kind]
    }
    assert not gone, (
        f"Release {sample.parent.name} has these {kind}; deprecate them before they are removed."
    )
