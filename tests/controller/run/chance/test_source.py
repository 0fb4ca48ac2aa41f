"""The source of a real table: tested entropy, a stream of its own, and no seed."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.run.chance.source import (
    STARTUP_SAMPLES,
    ChanceSource,
    EntropyFailureError,
    OperatingSystemChance,
)
from firmware_bridge.sim.host_computer import SeededChance

HOUSE = Path(__file__).parents[4]


def failing(after: int, read: Callable[[int], bytes]) -> type[OperatingSystemChance]:
    """A source whose operating system gives `read` after so many sound bytes."""

    class Failing(OperatingSystemChance):
        given = 0

        def _read(self, size: int) -> bytes:
            self.given += size
            return os.urandom(size) if self.given <= after else read(size)

    return Failing


def unreadable(size: int) -> bytes:
    raise OSError(5, "Input/output error")


def test_r2_two_devices_and_two_draws_give_different_shares() -> None:
    first, second = OperatingSystemChance("robotic/1"), OperatingSystemChance("robotic/1")
    shares = {source.share("cycle 1") for source in (first, first, second, second)}
    assert len(shares) == 4
    assert {len(share) for share in shares} == {32}


def test_two_devices_differ_even_with_equal_entropy(monkeypatch: pytest.MonkeyPatch) -> None:
    equal = bytes(range(256)) * 4
    monkeypatch.setattr(OperatingSystemChance, "_read", lambda self, size: equal[:size])
    one, same, other = (OperatingSystemChance(name).share("c") for name in ("a", "a", "b"))
    assert one == same
    assert one != other


def test_new_entropy_is_read_for_every_share() -> None:
    kind = failing(10**9, unreadable)
    source = kind("robotic/1")
    before: int = source.given  # type: ignore[attr-defined]
    source.share("cycle 1")
    source.share("cycle 2")
    assert source.given - before == 64  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("read", "reason"),
    [
        (bytes, "repetition count: the byte 0"),
        (lambda size: bytes(i % 8 for i in range(size)), "adaptive proportion"),
        (unreadable, "cannot be read"),
        (lambda size: os.urandom(size - 1), "of 1024 bytes"),
    ],
    ids=["stuck", "few values", "unreadable", "short"],
)
def test_a_source_that_fails_at_the_start_is_not_used(
    read: Callable[[int], bytes], reason: str
) -> None:
    with pytest.raises(EntropyFailureError, match=reason):
        failing(0, read)("robotic/1")


def test_a_source_that_fails_later_draws_nothing_more() -> None:
    stuck = failing(STARTUP_SAMPLES + 48 + 32, bytes)("robotic/1")
    assert len(stuck.share("cycle 1")) == 32
    for _ in range(2):
        with pytest.raises(EntropyFailureError, match="repetition count"):
            stuck.share("cycle 2")


def test_r2_the_source_of_a_real_table_takes_no_seed() -> None:
    assert list(inspect.signature(OperatingSystemChance).parameters) == ["device"]


def test_only_the_assembly_of_simulated_tables_uses_the_seeded_source() -> None:
    users = {
        str(file.relative_to(HOUSE))
        for file in (HOUSE / "controller").rglob("*.py")
        if "SeededChance" in file.read_text("utf-8")
    }
    assert users <= {
        "controller/run/assembly.py",
        "controller/proof/lab/plant_cycles.py",
        "controller/proof/chaos/host_restarts.py",
    }


def test_the_simulated_source_repeats_its_shares_by_seed_device_and_context() -> None:
    source: ChanceSource = SeededChance(7, "robotic")
    again = SeededChance(7, "robotic")
    assert source.share("1") == again.share("1")
    others = [SeededChance(8, "robotic").share("1"), SeededChance(7, "x").share("1")]
    assert len({source.share("1"), source.share("2"), *others}) == 4
