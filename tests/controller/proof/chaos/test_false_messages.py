"""Tests the host and whole rounds against false messages of every kind that frames can carry."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Callable, Coroutine
from functools import partial
from random import Random

import pytest

from controller.proof.chaos.false_messages import FalsifiedRounds
from firmware_bridge.board import ProtocolBreach
from firmware_bridge.boards import incoming, replies
from firmware_bridge.sim import clock
from firmware_bridge.sim.falsified_sessions import FalsifiedSessions
from firmware_bridge.sim.falsifying_board import KINDS, Falsification, FieldValues
from firmware_bridge.wire.codec import Decoder, encode
from tests.quick import EVIDENCE_ONLY, slow_except, tries

LATEST = 0.050
Play = Callable[[int], Coroutine[object, object, None]]


def falsify(play: Play, counts: Counter[Falsification], messages: int, seed: int = 1) -> None:
    """Play seed after seed until this number of false messages was sent."""
    while counts.total() < messages:
        clock.run(play(seed))
        seed += 1


def test_a_host_that_gets_false_messages_ends_every_call_and_renews_its_lease_in_time() -> None:
    counts: Counter[Falsification] = Counter()
    host = FalsifiedSessions(counts)
    falsify(lambda seed: host.play(seed, 500), counts, tries(3_000, quick=500), seed=15)
    assert host.late <= LATEST
    assert host.calls["returned"] > 50
    assert host.calls.keys() <= {
        "returned", "BoardError", "BoardRefusedError", "BoardProtocolError", "BoardSilentError",
        "StrangeBoardError",
    }  # fmt: skip
    assert host.breaches.total() > counts.total() / 4


def test_rounds_with_false_messages_become_ready_or_stop_by_a_fault() -> None:
    counts: Counter[Falsification] = Counter()
    rounds = FalsifiedRounds(counts)
    falsify(partial(rounds.play, most=tries(300, quick=10)), counts, tries(1_000, quick=30))
    assert rounds.late <= LATEST
    assert rounds.ends.total() >= 1


@pytest.mark.slow
@EVIDENCE_ONLY
def test_the_memory_of_a_host_that_gets_false_messages_does_not_grow() -> None:
    counts: Counter[Falsification] = Counter()
    host = FalsifiedSessions(counts)
    falsify(lambda seed: host.play(seed, 2000), counts, 2000)
    tracemalloc.start()
    try:
        peaks = []
        for part in range(1, 4):
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            falsify(lambda seed: host.play(seed, 2000), counts, 2000 + 1500 * part, seed=10 * part)
            now, peak = tracemalloc.get_traced_memory()
            peaks.append((now - before, peak - before))
    finally:
        tracemalloc.stop()
    assert max(kept for kept, _ in peaks) < 4 << 20
    assert max(peak for _, peak in peaks) < 32 << 20


WEAKENED = {
    "codes of faults": (incoming, "_FAULTS", frozenset(range(256))),
    "reasons of ends": (incoming, "_REASONS", frozenset(range(256))),
    "faces of dice": (incoming, "wrong_faces", lambda order, faces: ""),
    "reasons of refusals": (replies, "_REFUSALS", frozenset(range(256))),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "what",
    slow_except(["reasons of ends"], ["codes of faults", "reasons of ends", "faces of dice"]),
)
def test_false_messages_find_a_host_that_does_not_check(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without each of these checks, the same messages end the host by an error of the program."""
    module, name, weak = WEAKENED[what]
    monkeypatch.setattr(module, name, weak)
    counts: Counter[Falsification] = Counter()
    host = FalsifiedSessions(counts)
    with pytest.raises((Exception, ExceptionGroup)) as found:
        falsify(lambda seed: host.play(seed, 1000), counts, 20_000)
    errors = found.value.exceptions if isinstance(found.value, ExceptionGroup) else [found.value]
    assert any(isinstance(error, ValueError | AssertionError | TypeError) for error in errors)


@pytest.mark.slow
def test_false_messages_have_every_type_mutation_and_state() -> None:
    counts: Counter[Falsification] = Counter()
    host = FalsifiedSessions(counts)
    falsify(lambda seed: host.play(seed, 3000), counts, 12_000, seed=13)
    assert {kind for kind, _, _ in counts} == {kind.__name__ for kind in KINDS}
    assert {mutation for _, mutation, _ in counts} == {
        "another reply", "a changed field", "the previous reply", "another event", "left out",
        "twice", "later", "inserted event", "inserted frame",
    }  # fmt: skip
    assert {state for _, _, state in counts} >= {"idle", "leased", "moving", "faulted"}


def test_random_messages_are_sound_frames_with_values_at_and_beyond_the_limits() -> None:
    values = FieldValues(Random(1))
    decoder = Decoder()
    for kind in KINDS:
        for _ in range(50):
            message = values.message(kind, (7,))
            (frame,) = decoder.feed(encode(1, 2, message))
            assert frame.message == message
            changed = values.mutated(message)
            assert type(changed) is kind
            assert sum(a != b for a, b in zip(message, changed, strict=True)) <= 1
    assert not decoder.dropped


def test_every_rule_that_a_board_can_break_has_a_sentence() -> None:
    assert all(rule.value and not rule.value.endswith(".") for rule in ProtocolBreach)
    assert replies.LATE > 0
