"""Things go wrong at a simulated table, and the cycle goes on: what a person there would see."""

from __future__ import annotations

import asyncio

import pytest

from config.schema import Recovery
from controller.assembly import Hardware
from controller.daemon import Daemon
from controller.events import Event, EventLog
from controller.faults.catalogue import Fault
from tests.controller.table_with_faults import Evening, evening

WALLS = {"box 1": 136, "felt": 136}


def where(emitted: Evening) -> dict[str, int]:
    return {place: tiles for place, tiles in emitted.census.items() if tiles}


# Heads


def test_a_jam_at_head_2_is_cleared_by_reversing_and_the_cycle_goes_on() -> None:
    emitted = evening("jam:head2#10~1")
    assert emitted.trouble == [("recovered", "JAM", "head 2")]
    assert where(emitted) == WALLS


def test_a_jam_in_the_tail_is_cleared_too_and_not_told_twice() -> None:
    emitted = evening("jam:head2#30~2")
    assert emitted.trouble == [("recovered", "JAM", "head 2")]
    assert where(emitted) == WALLS


def test_a_jam_that_reversing_does_not_clear_is_a_persons_and_no_tile_is_lost() -> None:
    emitted = evening("jam:head2#10~9")
    assert emitted.trouble == [
        ("operator_prompted", "JAM", "head 2"),
        ("prompt_answered", "JAM", "head 2"),
        ("recovered", "JAM", "head 2"),
    ]
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    assert asked["request"] == (
        "Take the tile that is stuck at head 2 out and put it back into the drum."
    )
    assert str(asked["evidence"]).startswith("head2_counter counted 0 of 2 tiles in ")
    assert asked["role"] == "attendant"
    assert where(emitted) == WALLS


def test_the_question_and_its_answer_are_in_the_journal() -> None:
    emitted = evening("jam:head2#10~9")
    (asked,) = [entry for entry in emitted.entries if entry.activity == "asked"]
    assert asked.confirmed
    assert (asked.intent["code"], asked.intent["part"]) == ("JAM", "head 2")
    assert asked.outcome == {"by": "attendant", "answer": "done"}


def test_a_wrong_answer_is_caught_by_the_sensor_and_asked_again() -> None:
    emitted = evening("jam:head2#10~9", "wrong_answer:people#1")
    assert [event for event, _, _ in emitted.trouble].count("operator_prompted") == 2
    assert emitted.fault is None
    assert where(emitted) == WALLS


def test_people_who_never_do_what_they_say_stop_the_table() -> None:
    emitted = evening("jam:head2#10~9", "wrong_answer:people")
    assert [event for event, _, _ in emitted.trouble] == [
        "operator_prompted",
        "prompt_answered",
    ] * 3 + ["fault"]
    assert emitted.fault is not None
    assert (emitted.fault.fault, emitted.fault.part) == (Fault.JAM, "head 2")
    assert sum(emitted.census.values()) == 272


def test_a_table_whose_file_says_so_does_not_ask() -> None:
    emitted = evening("jam:head2#10~9", recovery={"JAM": Recovery(retries=1, asks=0)})
    assert [event for event, _, _ in emitted.trouble] == ["fault"]


@pytest.mark.parametrize("jam", ["head2#6~3", "head2#5~99", "head2#6~99", "head0#5~99"])
def test_where_stacks_are_one_high_what_a_jam_held_up_is_pushed_first(jam: str) -> None:
    emitted = evening(f"jam:{jam}", game="draw")
    assert {code for _, code, _ in emitted.trouble} == {"JAM"}
    assert emitted.fault is None
    assert not [event for event in emitted.events if event["event"] == "paused"]
    assert where(emitted) == {"box 1": 28, "felt": 28}


@pytest.mark.parametrize("edge", [1, 2, 3, 4, 5, 6])
def test_a_vane_that_bounces_as_it_comes_or_leaves_ends_no_push(edge: int) -> None:
    emitted = evening(f"bouncing_sensor:head2_vane#{edge}", game="draw")
    assert emitted.trouble == []
    assert where(emitted) == {"box 1": 28, "felt": 28}


def test_a_vane_that_died_at_the_last_stack_is_wiped_and_nothing_is_lost() -> None:
    emitted = evening("stuck_sensor:head3_vane#33")
    assert emitted.trouble == [
        ("operator_prompted", "PUSHER", "head 3"),
        ("prompt_answered", "PUSHER", "head 3"),
        ("recovered", "PUSHER", "head 3"),
    ]
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    assert asked["request"] == "Clear the pusher of head 3 and wipe its vane."
    assert asked["role"] == "attendant"
    assert where(emitted) == WALLS


def test_a_vane_that_died_while_tiles_came_leaves_stacks_that_nobody_can_prove() -> None:
    emitted = evening("stuck_sensor:head3_vane#5")
    assert emitted.trouble == [
        ("operator_prompted", "PUSHER", "head 3"),
        ("prompt_answered", "PUSHER", "head 3"),
        ("fault", "UNPROVEN", "head 3"),
    ]
    assert emitted.fault is not None
    assert emitted.fault.evidence == (
        "head3_vane gave no signal within 1.5 s; ended by TIME; 2 tiles came meanwhile, and may"
        " stand in any stack"
    )


def test_a_starved_head_is_helped_by_the_drum() -> None:
    emitted = evening("starved:head1#20")
    assert emitted.trouble == [("recovered", "STARVED", "head 1")]
    assert where(emitted) == WALLS


def test_a_head_that_stays_starved_is_asked_about() -> None:
    emitted = evening("starved:head1#20~9")
    assert [event for event, _, _ in emitted.trouble] == [
        "operator_prompted",
        "prompt_answered",
        "recovered",
    ]
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    assert asked["request"] == "Look under the disc for tiles that do not reach head 1."


def test_a_tile_on_the_floor_is_missed_with_its_side_and_number() -> None:
    emitted = evening("missing_tile:drum#1")
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    side = str(asked["part"]).removeprefix("head ")
    assert asked["code"] == "MISSING_TILE"
    assert f"side {side} lacks 1, and no other side waits" in str(asked["evidence"])
    assert where(emitted) == WALLS


def test_a_face_up_tile_is_turned_over_by_the_head() -> None:
    emitted = evening("face_up:head0#4", table="pai_gow", game="pai_gow")
    assert emitted.trouble == [("recovered", "FACE_UP", "head 0")]


# Lifts, dice, jaws


def test_a_lift_that_hangs_is_driven_once_more() -> None:
    emitted = evening("half_up:lift1#1")
    assert emitted.trouble == [("recovered", "LIFT", "lift 1")]


@pytest.mark.parametrize("injected", ["half_up:lift2#1~9", "limit_switch:lift2_up"])
def test_a_lift_does_not_cycle_but_is_asked_about(injected: str) -> None:
    emitted = evening(injected)
    assert emitted.trouble == [
        ("operator_prompted", "LIFT", "lift 2"),
        ("prompt_answered", "LIFT", "lift 2"),
        ("recovered", "LIFT", "lift 2"),
    ]


def test_a_cocked_die_is_thrown_again() -> None:
    assert evening("cocked_die:dice#1").trouble == [("recovered", "DICE", "dice")]


def test_tiles_that_slip_out_of_the_jaws_on_the_way_are_missed_there() -> None:
    emitted = evening("dropped_tile:gripper#3")
    assert ("recovered", "EMPTY_GRIP", "gripper") in emitted.trouble
    assert where(emitted) == WALLS


def test_while_a_person_mends_below_the_round_on_top_goes_on() -> None:
    emitted = evening("jam:head2@150~9", until_ready=False, rounds=2)
    (asked,), (cleared,) = (
        emitted.when(event="operator_prompted"),
        emitted.when(event="prompt_answered"),
    )
    moved = [at for at in emitted.when(event="delivered") if asked < at < cleared]
    assert emitted.fault is None
    assert moved


# A forgotten tile


async def _forgets_a_tile(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
    """A tile fell on the floor; somebody sees it while the drum mixes, and gives it in."""
    assert hardware.plant is not None
    people, plant = hardware.plant.people, hardware.plant
    await asyncio.sleep(19.0)
    people._pour = lambda: plant.repair("missing_tile", "drum")  # type: ignore[assignment, method-assign, return-value]
    assert daemon.run_state.machine.under == "shuffling"
    people.press("lid_key")


def test_a_forgotten_tile_opens_the_lid_and_the_cycle_goes_on_where_it_was() -> None:
    emitted = evening("missing_tile:drum#1", meanwhile=_forgets_a_tile)
    assert emitted.trouble == [
        ("operator_prompted", "FORGOTTEN", "lid"),
        ("prompt_answered", "FORGOTTEN", "lid"),
    ]
    assert where(emitted) == WALLS
    (opened,), (closed,) = (
        emitted.when(event="operator_prompted"),
        emitted.when(event="prompt_answered"),
    )
    staged = emitted.when(event="state", under="staged")[0]
    assert opened == pytest.approx(19.0, abs=0.2)
    assert 10.0 < closed - opened < 15.0
    assert staged > closed


async def _presses_while_playing(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
    """Somebody ends the hand at once, while the other set is still on its way to the trays."""
    plant, building = hardware.plant, asyncio.Event()
    assert plant is not None

    def look(event: Event) -> None:
        if (event.get("under"), event.get("top")) == ("building", "playing"):
            building.set()

    events.listen(look)
    await building.wait()
    plant.people.press("lid_key")


def test_during_a_hand_the_lids_key_alone_says_that_the_hand_is_over() -> None:
    emitted = evening(meanwhile=_presses_while_playing, until_ready=False)
    assert emitted.trouble == []
    (collecting,) = emitted.when(event="state", top="collecting", under="building")[:1]
    assert collecting < emitted.when(event="ready")[0] + 60.0
