"""A table's entities in Home Assistant: documented fields, and the values of its state."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from controller.floor.discovery import ENTITIES, ONLINE, discovery_messages, removal_messages
from controller.floor.messages import (
    Alive,
    Birth,
    FaultState,
    Need,
    State,
    TableAddress,
)
from tests.controller.floor.discovery.documented_fields import OF_COMPONENT, TOPIC

ADDRESS = TableAddress("club", "t-07")
BIRTH_ID = "0" * 32
AT = "2026-11-24T20:15:00.000Z"
HOSTILE = "{{ 7 * 7 }}{% raw %}</script><img src=x onerror=alert(1)>'; DROP TABLE x; --"


def birth(**changes: Any) -> Birth:
    return Birth(
        **{
            "birth": BIRTH_ID,
            "at": AT,
            "title": "Table 7",
            "software": "0.2.0",
            "identity": "",
            "simulated": False,
            "seats": 4,
            "log": None,
            "size": 0,
            "state_every": 10.0,
            **changes,
        }
    )


def state(**changes: Any) -> State:
    return State(
        **{
            "birth": BIRTH_ID,
            "sequence": 0,
            "at": AT,
            "service": "idle",
            "sentence": "Ready.",
            "under": "staged",
            "top": "clear",
            "mode": "running",
            "game": "wenzhou",
            "rounds": 3,
            "tiles_expected": 144,
            "tiles_accounted": 144,
            "out_of_play": False,
            "fault": None,
            "needs": (),
            "drift": (),
            **changes,
        }
    )


def value_of(key: str, message: State | Alive) -> str:
    """Render an entity's value as Home Assistant does: with the message's JSON in a sandbox."""
    (entity,) = (each for each in ENTITIES if each.key == key)
    return rendered(entity.value, message)


def rendered(template: str, message: State | Alive) -> str:
    value = json.loads(message.model_dump_json())
    return ImmutableSandboxedEnvironment().from_string(template).render(value_json=value)


@pytest.mark.parametrize("title", ["Table 7", "", HOSTILE, "七號桌"])
def test_every_payload_has_only_documented_fields(title: str) -> None:
    for message in discovery_messages(birth(title=title), ADDRESS):
        found = TOPIC.fullmatch(message.topic)
        assert found is not None, message.topic
        payload = json.loads(message.payload)
        assert OF_COMPONENT[found[1]](payload), payload
        assert payload["device"]["name"] == (title or "t-07")


def test_no_text_of_the_table_becomes_part_of_a_template() -> None:
    plain = discovery_messages(birth(), ADDRESS)
    hostile = discovery_messages(birth(title=HOSTILE, software=HOSTILE[:60]), ADDRESS)
    for one, other in zip(plain, hostile, strict=True):
        for name, value in json.loads(one.payload).items():
            if name not in ("device", "origin"):
                assert json.loads(other.payload)[name] == value


def test_a_table_announces_entities_below_its_own_name_only() -> None:
    topics = [message.topic for message in discovery_messages(birth(), ADDRESS)]
    assert len(set(topics)) == len(topics) == len(ENTITIES)
    assert {topic.split("/")[2] for topic in topics} == {"t-07"}


def test_two_tables_never_have_the_same_identifiers() -> None:
    """Their names could be read in two ways if - or _ separated them."""
    ids = [
        json.loads(message.payload)["unique_id"]
        for address in (TableAddress("a_b", "c"), TableAddress("a", "b_c"))
        for message in discovery_messages(birth(), address)
    ]
    assert len(set(ids)) == len(ids)


def test_values_expire_after_three_missed_states_and_the_connection_never() -> None:
    payloads = [
        json.loads(one.payload) for one in discovery_messages(birth(state_every=2.5), ADDRESS)
    ]
    assert {each["state_topic"]: each.get("expire_after") for each in payloads} == {
        "wallwright/1/club/t-07/alive": None,
        "wallwright/1/club/t-07/state": 8,
    }
    for each in payloads:
        assert ("availability" in each) == each["state_topic"].endswith("state")


def test_a_lost_table_is_unavailable_and_its_connection_is_off() -> None:
    for online, available, connected in ((True, "online", "ON"), (False, "offline", "OFF")):
        alive = Alive(online=online, birth=BIRTH_ID)
        assert rendered(ONLINE, alive) == available
        assert value_of("connected", alive) == connected


def test_a_fault_is_a_problem_with_its_cure() -> None:
    fault = FaultState(
        code="jam", part="lift 1", evidence="e", cure="Open it.", role="attendant", since=AT
    )
    assert value_of("problem", state()) == "OFF"
    assert value_of("problem", state(fault=fault)) == "ON"
    (entity,) = (each for each in ENTITIES if each.key == "problem")
    assert entity.attributes is not None
    assert json.loads(rendered(entity.attributes, state(fault=fault)))["cure"] == "Open it."
    assert json.loads(rendered(entity.attributes, state())) == {}


def test_an_open_prompt_needs_a_person_since_its_time() -> None:
    need = Need(who="attendant", sentence="Take out the tile.", since=AT)
    assert value_of("needs_person", state()) == "OFF"
    assert value_of("needs_person", state(needs=(need,))) == "ON"
    assert value_of("waiting_since", state(needs=(need,))) == AT
    assert value_of("waiting_since", state()) == "None"


def test_a_session_is_play_and_rounds_are_counted() -> None:
    assert value_of("in_play", state(service="session")) == "ON"
    assert value_of("in_play", state(service="idle")) == "OFF"
    assert value_of("out_of_play", state(out_of_play=True)) == "ON"
    assert value_of("rounds", state()) == "3"
    assert value_of("game", state(game="")) == "None"
    assert value_of("missing_tiles", state(tiles_accounted=141)) == "3"


def test_a_long_or_hostile_sentence_fits_and_is_not_evaluated() -> None:
    """Home Assistant refuses values of more than 255 characters."""
    assert len(value_of("status", state(sentence="x" * 500))) == 250
    assert value_of("status", state(sentence="")) == "None"
    assert value_of("status", state(sentence=HOSTILE)) == HOSTILE


def test_an_empty_payload_to_each_topic_removes_the_table() -> None:
    announced = [message.topic for message in discovery_messages(birth(), ADDRESS)]
    removed = removal_messages(ADDRESS)
    assert [message.topic for message in removed] == announced
    assert {message.payload for message in removed} == {b""}
