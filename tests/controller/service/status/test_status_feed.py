"""The status feed: a client that reconnects receives exactly the changes that it missed."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from controller.service.status import MachineStatus, SceneStatus, Status, TableFacts
from controller.service.status.feed import KEPT, StatusFeed, merge_patch, patched

FACTS = TableFacts(name="bench", seats=4, simulated=True, software="0")
JSON = st.recursive(
    st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), JSON, max_size=4)


def _feed() -> StatusFeed:
    return StatusFeed(Status(table=FACTS), lambda: 1.5)


def _scene(places: dict[str, str]) -> Status:
    return Status(table=FACTS, scene=SceneStatus(places=places))


@given(OBJECTS, OBJECTS)
def test_a_merge_patch_leads_from_the_old_status_to_the_new_one(
    before: dict[str, object], after: dict[str, object]
) -> None:
    assert patched(before, merge_patch(before, after)) == after


def test_an_unchanged_status_is_not_sent_again() -> None:
    feed = _feed()
    feed.publish(Status(table=FACTS))
    assert feed.sequence == 0
    feed.publish(Status(table=FACTS, machine=MachineStatus(under="idle")))
    assert feed.sequence == 1
    (delta,) = feed.since(0) or ()
    assert (delta.patch, delta.at) == ({"machine": {"under": "idle"}}, 1.5)


def test_1000_disconnected_clients_resume_without_a_lost_or_doubled_change() -> None:
    chance = Random(20261123)
    feed = _feed()
    snapshot = feed.snapshot()
    clients = [(snapshot.sequence, snapshot.status) for _ in range(20)]
    for _ in range(1000):
        for _ in range(chance.randint(0, 5)):
            places = {f"w{chance.randint(0, 3)}.1u": chance.choice(("wall", "seat 1", "seat 2"))}
            feed.publish(_scene(places))
        index = chance.randrange(len(clients))
        sequence, status = clients[index]
        missed = feed.since(sequence)
        if missed is None:
            now = feed.snapshot()
            clients[index] = (now.sequence, now.status)
            continue
        assert [delta.sequence for delta in missed] == list(range(sequence + 1, feed.sequence + 1))
        for delta in missed:
            status = patched(status, delta.patch)
        clients[index] = (feed.sequence, status)
        assert Status.model_validate(status) == feed.status


def test_a_client_that_slept_too_long_gets_a_snapshot() -> None:
    feed = _feed()
    for number in range(KEPT + 2):
        feed.publish(_scene({"w0.1u": f"seat {number % 2}"}))
    assert feed.since(0) is None
    assert feed.since(2) is not None
    assert feed.since(feed.sequence + 1) is None
    assert feed.since(-1) is None
