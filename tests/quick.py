"""Sets which cases a test tries in `make test-quick`, `make test` and `make evidence`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

VARIANTS = frozenset({"bergen", "draw", "muggins", "sebastopol", "threes"})
"""Games of dominoes whose rules differ from those of block, matador and sniff in parameters only.
Tests that run for each game are slow for them."""
COSTLY = frozenset(
    line
    for line in Path(__file__).with_name("costly.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
)
"""Test functions that were measured to take more than 0.1 s of processor time on average."""
EVIDENCE_ONLY = pytest.mark.evidence(only=True)
"""Marks a test that only `make evidence` runs."""


def tries(full: int, *, quick: int, evidence: int = 0) -> int:
    """Return the number of random cases of a test.

    `make test` tries `full`, `make test-quick` (hypothesis's profile `quick`) tries `quick`, and
    `make evidence` (its profile `evidence`) tries `evidence`. A test with `evidence` must have the
    mark `evidence`, by which `make evidence` selects it.
    """
    profile = settings.get_current_profile_name()
    if profile == "evidence":
        return evidence or full
    return quick if profile == "quick" else full


def seed_of(config: pytest.Config, usual: int) -> int:
    """Return the seed of a test's random cases: `usual`, or that of the run of `make evidence`.

    `tools/evidence.py` gives and prints a new seed for each run, as hypothesis's option.
    """
    given = str(config.getoption("--hypothesis-seed", None))
    is_evidence = settings.get_current_profile_name() == "evidence"
    return int(given) if is_evidence and given.isdecimal() else usual


def sampled(every: int, cases: Iterable[Any], quick: Collection[Any] = ()) -> list[Any]:
    """Return the parameters `cases` of a test, of which `make test` runs a systematic sample.

    `make test-quick` runs those in `quick`, `make test` also the first and each `every`-th after
    it, and `make evidence` all others.
    """
    return [
        case
        if number % every == 0 or not hasattr(case, "marks")
        else pytest.param(*case.values, id=case.id, marks=[pytest.mark.slow, EVIDENCE_ONLY])
        for number, case in enumerate(slow_except(quick, cases))
    ]


def slow_except(quick: Collection[Any], cases: Iterable[Any]) -> list[Any]:
    """Return the parameters `cases` of a test; all that are not in `quick` are marked `slow`."""
    every = list(cases)
    missing = [case for case in quick if case not in every]
    assert not missing, f"`quick` may contain values of `cases` only; got {missing}."
    return [
        case
        if case in quick
        else pytest.param(*(case if isinstance(case, tuple) else [case]), marks=pytest.mark.slow)
        for case in every
    ]
