"""The outbox sends every event in order, and again until the floor has stored it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from controller.floor.table.outbox import LONGEST_RESEND, RESEND, SOONEST, WINDOW, Outbox


def test_at_most_four_messages_are_sent_without_an_answer() -> None:
    outbox = Outbox()
    for end in range(1, WINDOW + 1):
        assert outbox.first_to_send(100, 0.0) == end - 1
        outbox.sent(end, 0.0)
    assert outbox.first_to_send(100, 0.0) is None
    assert outbox.take_position(1, 100, 0.1)
    assert outbox.first_to_send(100, 0.1) == WINDOW


def test_without_an_answer_the_events_are_sent_again_after_ten_seconds() -> None:
    outbox = Outbox()
    outbox.sent(5, 0.0)
    assert outbox.first_to_send(5, RESEND - 0.1) is None
    assert outbox.resend_at() == RESEND
    assert outbox.first_to_send(5, RESEND) == 0


def test_a_floor_that_stays_silent_is_tried_less_often_until_it_answers() -> None:
    outbox, tries, now = Outbox(), [], 0.0
    while len(tries) < 5:
        if outbox.first_to_send(5, now) is not None:
            tries.append(now)
            outbox.sent(5, now)
        now += 1.0
    waits = [after - before for before, after in pairwise(tries)]
    assert waits == [RESEND, 2 * RESEND, LONGEST_RESEND, LONGEST_RESEND]
    assert outbox.take_position(5, 9, now)
    outbox.sent(9, now)
    assert outbox.resend_at() == now + RESEND


def test_a_busy_floor_that_answers_late_receives_only_the_first_events_twice() -> None:
    """Each answer takes 18 s; a message has one event, and one is sent in a second."""
    outbox, sent = Outbox(), Counter[int]()
    answers: list[tuple[float, int]] = []
    for now in map(float, range(600)):
        while answers and answers[0][0] <= now:
            outbox.take_position(max(answers.pop(0)[1], outbox.stored), 10_000, now)
        first = outbox.first_to_send(10_000, now)
        if first is not None:
            outbox.sent(first + 1, now)
            sent[first] += 1
            answers.append((now + 18.0, first + 1))
    assert {event for event, times in sent.items() if times > 1} <= set(range(2 * WINDOW))
    assert len(sent) > 600 / 18 * WINDOW - 3 * WINDOW


def test_the_answer_to_a_message_that_was_sent_twice_sends_nothing_a_third_time() -> None:
    outbox = Outbox()
    outbox.sent(5, 0.0)
    assert outbox.first_to_send(5, RESEND) == 0
    outbox.sent(5, RESEND)
    outbox.sent(9, RESEND + 1)
    for now in (RESEND + 2, RESEND + 2 + SOONEST):
        assert outbox.take_position(5, 9, now)
        assert outbox.first_to_send(9, now) is None


def test_a_floor_that_misses_a_message_gets_it_again_at_once_but_not_for_each_answer() -> None:
    outbox = Outbox()
    for end in (5, 10, 15):
        outbox.sent(end, 0.0)
    assert outbox.take_position(0, 15, 1.0, resend=True)
    assert outbox.first_to_send(15, 1.0) == 0
    outbox.sent(15, 1.0)
    assert outbox.take_position(0, 15, 1.5, resend=True)
    assert outbox.first_to_send(15, 1.5) is None
    assert outbox.take_position(0, 15, 1.0 + SOONEST, resend=True)
    assert outbox.first_to_send(15, 1.0 + SOONEST) == 0


def test_a_floor_with_a_restored_database_gets_the_missing_events_again() -> None:
    outbox = Outbox()
    outbox.sent(100, 0.0)
    assert outbox.take_position(100, 100, 0.1)
    assert outbox.first_to_send(100, 0.2) is None
    assert outbox.take_position(40, 100, 9.0)
    assert outbox.first_to_send(100, 9.0) == 40


def test_a_table_that_starts_again_skips_the_events_that_the_floor_has() -> None:
    outbox = Outbox()
    assert outbox.take_position(80, 100, 0.0)
    assert outbox.first_to_send(100, 0.0) == 80


def test_a_floor_with_more_events_than_the_log_is_reported_and_changes_nothing() -> None:
    outbox = Outbox()
    assert not outbox.take_position(101, 100, 0.0)
    assert outbox.first_to_send(100, 0.0) == 0


@given(st.data())
def test_every_event_arrives_whatever_messages_and_answers_are_lost(data: st.DataObject) -> None:
    """The floor is a plain counter here: it stores a message that continues its events."""
    outbox, size, stored, now = Outbox(), 0, 0, 0.0
    answers: list[int] = []
    for _ in range(data.draw(st.integers(1, 60), label="steps")):
        now += data.draw(st.sampled_from((0.1, 1.0, 4.0)), label="seconds")
        size += data.draw(st.integers(0, 6), label="new events")
        first = outbox.first_to_send(size, now)
        if first is not None:
            end = min(size, first + data.draw(st.integers(1, 5), label="batch"))
            outbox.sent(end, now)
            if data.draw(st.booleans(), label="message arrives"):
                stored = max(stored, end) if first <= stored else stored
                answers.append(stored)
        if answers and data.draw(st.booleans(), label="answer arrives"):
            # Answers can arrive late and in any order.
            at = data.draw(st.integers(0, len(answers) - 1), label="which answer")
            outbox.take_position(answers.pop(at), size, now)
        if data.draw(st.integers(0, 9), label="connection") == 0:
            outbox.restart()
    for _ in range(2000):
        now += 1.0
        first = outbox.first_to_send(size, now)
        if first is not None:
            end = min(size, first + 5)
            outbox.sent(end, now)
            stored = max(stored, end) if first <= stored else stored
        outbox.take_position(stored, size, now)
        if stored == size and outbox.first_to_send(size, now) is None:
            break
    assert stored == size
    assert outbox.stored == size
