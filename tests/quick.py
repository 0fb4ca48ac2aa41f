"""How much less `make test-quick` does: fewer random cases, and fewer members of a matrix."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from hypothesis import settings


def tries(full: int, *, quick: int) -> int:
    """The number of random cases a test tries: `quick` under the hypothesis profile `quick`."""
    return quick if settings.get_current_profile_name() == "quick" else full


def slow_except(quick: Collection[Any], cases: Iterable[Any]) -> list[Any]:
    """Parameters of a test: those that are not in `quick` are marked `slow`. `quick` is a part."""
    every = list(cases)
    missing = [case for case in quick if case not in every]
    assert not missing, f"{missing} are none of the cases"
    return [
        case
        if case in quick
        else pytest.param(*(case if isinstance(case, tuple) else [case]), marks=pytest.mark.slow)
        for case in every
    ]
