"""Tests that injected faults at a simulated table are cured, and that the cycle continues."""

from __future__ import annotations

import asyncio

import pytest

from config.layout.mixing import with_drum
from config.loader import load_table
from config.schema import Recovery, Table
from controller.events import Event, EventLog
from controller.run.assembly import Hardware
from controller.run.daemon import Daemon
from controller.run.faults.catalogue import Fault
from firmware_bridge.sim.plant.floor import SPARE
from tests.controller.table_with_faults import Evening, evening

WALLS = {"box 1": 136, "felt": 136}


def tiles_by_place(emitted: Evening) -> dict[str, int]:
    """Return the number of tiles at each place at the end of a run, without empty places."""
    return {place: tiles for place, tiles in emitted.census.items() if tiles}


# Heads


@pytest.mark.slow
def test_a_jam_at_head_2_is_cleared_by_reversing_and_the_cycle_goes_on() -> None:
    emitted = evening("jam:head2#10~1")
    assert emitted.fault_events == [("recovered", "JAM", "head 2")]
    assert tiles_by_place(emitted) == WALLS


@pytest.mark.slow
def test_a_jam_among_the_last_tiles_is_cleared_and_reported_once() -> None:
    emitted = evening("jam:head2#30~2")
    assert emitted.fault_events == [("recovered", "JAM", "head 2")]
    assert tiles_by_place(emitted) == WALLS


@pytest.mark.slow
def test_a_jam_that_reversing_does_not_clear_is_cleared_by_a_person_and_no_tile_is_lost() -> None:
    emitted = evening("jam:head2#10~9")
    assert emitted.fault_events == [
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
    assert tiles_by_place(emitted) == WALLS


@pytest.mark.slow
def test_the_question_and_its_answer_are_in_the_journal() -> None:
    emitted = evening("jam:head2#10~9")
    (asked,) = [entry for entry in emitted.entries if entry.activity == "asked"]
    assert asked.confirmed
    assert (asked.intent["code"], asked.intent["part"]) == ("JAM", "head 2")
    assert asked.outcome == {"by": "attendant", "answer": "done"}


@pytest.mark.slow
def test_a_wrong_answer_is_detected_by_the_sensor_and_the_person_is_asked_again() -> None:
    emitted = evening("jam:head2#10~9", "wrong_answer:people#1")
    assert [event for event, _, _ in emitted.fault_events].count("operator_prompted") == 2
    assert emitted.fault is None
    assert tiles_by_place(emitted) == WALLS


@pytest.mark.slow
def test_people_who_always_answer_wrongly_cause_a_stop_of_the_table() -> None:
    emitted = evening("jam:head2#10~9", "wrong_answer:people")
    assert [event for event, _, _ in emitted.fault_events] == [
        "operator_prompted",
        "prompt_answered",
    ] * 3 + ["fault"]
    assert emitted.fault is not None
    assert (emitted.fault.fault, emitted.fault.part) == (Fault.JAM, "head 2")
    assert sum(emitted.census.values()) == 272


def test_a_table_whose_file_sets_asks_to_0_does_not_ask() -> None:
    emitted = evening("jam:head2#10~9", recovery={"JAM": Recovery(retries=1, asks=0)})
    assert [event for event, _, _ in emitted.fault_events] == ["fault"]


@pytest.mark.slow
@pytest.mark.parametrize("jam", ["head2#6~3", "head2#5~99", "head2#6~99", "head0#5~99"])
def test_with_stacks_of_one_tile_a_stack_delayed_by_a_jam_is_pushed_first(jam: str) -> None:
    emitted = evening(f"jam:{jam}", game="draw")
    assert {code for _, code, _ in emitted.fault_events} == {"JAM"}
    assert emitted.fault is None
    assert not [event for event in emitted.events if event["event"] == "paused"]
    assert tiles_by_place(emitted) == {"box 1": 28, "felt": 28}


@pytest.mark.parametrize("silent", ["link_unplugged:line@79.2~0", "board_silent:base@79.4~0"])
def test_a_stuck_tile_that_a_person_puts_back_while_the_board_is_silent_is_noticed(
    silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The moments are those of boards with the shipped leases.
    monkeypatch.setattr("tests.controller.table_with_faults.long_leased", load_table)
    # The board has counted the tile and is silent until the tile is gone, so no sensor shows that
    # it is missing in its stack: the pusher turns empty, and the drum is not empty at the end.
    emitted = evening("jam:head2#3~99", silent, game="draw")
    assert not [event for event in emitted.events if event.get("why") == "IMPOSSIBLE"]
    assert emitted.fault_events[-1] == ("fault", "UNPROVEN", "trays")
    assert emitted.fault is not None
    assert emitted.fault.evidence.startswith(
        "head2_counter counted a tile after all 28 were counted"
    )


ASKED_ONCE = [
    (event, "LEFT_OVER") for event in ("operator_prompted", "prompt_answered", "recovered")
]


@pytest.mark.parametrize(
    ("fault", "table", "game"),
    [
        ("extra_tile:drum#1", "robotic", "wenzhou"),
        # While the heads lift, and while the wheels prove that the drum is empty.
        ("added_tile:drum@80", "robotic", "wenzhou"),
        ("added_tile:drum@97", "robotic", "wenzhou"),
        ("extra_tile:drum#1", "single_port", "block"),
        ("extra_tile:drum#1", "bench", "block"),
        ("extra_tile:drum#1", "auto_deal", "filipino"),
    ],
)
def test_a_tile_too_many_is_taken_out_before_the_walls_rise(
    fault: str, table: str, game: str
) -> None:
    emitted = evening(fault, table=table, game=game)
    assert [(event, code) for event, code, _ in emitted.fault_events] == ASKED_ONCE
    assert emitted.fault is None
    (answered,) = emitted.when(event="prompt_answered")
    (raised,) = emitted.when(event="walls_raised")
    assert answered < raised
    assert emitted.census["spare box"] == SPARE
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    assert "were counted; this is set 1 of " in str(asked["evidence"])


def test_a_tile_too_many_that_nobody_takes_out_stops_the_table_before_the_walls_rise() -> None:
    emitted = evening("extra_tile:drum#1", recovery={"LEFT_OVER": Recovery(asks=0)})
    assert [(event, code) for event, code, _ in emitted.fault_events] == [("fault", "UNPROVEN")]
    assert emitted.when(event="walls_raised") == []


def test_a_tile_put_in_between_two_rounds_is_noticed_before_the_next_walls_rise() -> None:
    emitted = evening("added_tile:drum@140", rounds=2, until_ready=False)
    assert [(event, code) for event, code, _ in emitted.fault_events] == ASKED_ONCE
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    assert str(asked["evidence"]).endswith("this is set 2 of 2, set 1 is on the table")
    first, second = emitted.when(event="walls_raised")
    assert first < emitted.when(event="prompt_answered")[0] < second
    assert sum(tiles_by_place(emitted).values()) == 2 * 136 + SPARE


def test_a_double_edge_of_a_counter_is_noticed_before_the_walls_rise() -> None:
    """The board has counted a tile that does not exist, so a stack lacks one: nobody can help."""
    emitted = evening("bouncing_sensor:head2_counter#9")
    assert emitted.fault is not None
    assert (emitted.fault.fault, emitted.fault.part) == (Fault.UNPROVEN, "trays")
    assert emitted.fault.evidence.endswith("no person has confirmed that the walls are right")
    assert {code for _, code, _ in emitted.fault_events} == {"LEFT_OVER", "UNPROVEN"}
    assert emitted.when(event="walls_raised") == []


@pytest.mark.slow
@pytest.mark.parametrize("edge", [1, 2, 3, 4, 5, 6])
def test_a_vane_sensor_that_bounces_does_not_end_a_push_early(edge: int) -> None:
    emitted = evening(f"bouncing_sensor:head2_vane#{edge}", game="draw")
    assert emitted.fault_events == []
    assert tiles_by_place(emitted) == {"box 1": 28, "felt": 28}


@pytest.mark.slow
def test_a_vane_sensor_that_fails_at_the_last_stack_is_wiped_and_no_tile_is_lost() -> None:
    emitted = evening("stuck_sensor:head3_vane#33")
    assert emitted.fault_events == [
        ("operator_prompted", "PUSHER", "head 3"),
        ("prompt_answered", "PUSHER", "head 3"),
        ("recovered", "PUSHER", "head 3"),
    ]
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    assert asked["request"] == "Clear the pusher of head 3 and wipe its vane."
    assert asked["role"] == "attendant"
    assert tiles_by_place(emitted) == WALLS


def test_a_vane_sensor_that_fails_while_tiles_come_leaves_unproven_stacks() -> None:
    emitted = evening("stuck_sensor:head3_vane#5")
    assert emitted.fault_events == [
        ("operator_prompted", "PUSHER", "head 3"),
        ("prompt_answered", "PUSHER", "head 3"),
        ("fault", "UNPROVEN", "head 3"),
    ]
    assert emitted.fault is not None
    assert emitted.fault.evidence == (
        "head3_vane gave no signal within 1.5 s; the drive ended by TIME; 2 tiles were lifted"
        " meanwhile and can be in any stack"
    )


def test_a_person_who_closed_the_lid_too_early_is_asked_to_push_the_set_in() -> None:
    emitted = evening("closed_early:people#1")
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    assert asked["code"] == "STARVED"
    assert str(asked["evidence"]).endswith("and no head counts a tile")
    assert str(asked["request"]).startswith("Look into the drum: push the set in if it is not")
    assert emitted.fault is None
    assert tiles_by_place(emitted) == WALLS


@pytest.mark.slow
def test_a_starved_head_recovers_when_the_drum_reverses() -> None:
    emitted = evening("starved:head1#20")
    assert emitted.fault_events == [("recovered", "STARVED", "head 1")]
    assert tiles_by_place(emitted) == WALLS


@pytest.mark.slow
def test_a_person_is_asked_about_a_head_that_stays_starved() -> None:
    emitted = evening("starved:head1#20~9")
    assert [event for event, _, _ in emitted.fault_events] == [
        "operator_prompted",
        "prompt_answered",
        "recovered",
    ]
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    assert asked["request"] == (
        "Look into the drum: push the set in if it is not there, and look under the disc for tiles"
        " that do not reach head 1."
    )


@pytest.mark.slow
def test_a_missing_tile_is_reported_with_its_side_and_number() -> None:
    emitted = evening("missing_tile:drum#1")
    (asked,) = [event for event in emitted.events if event["event"] == "operator_prompted"]
    side = str(asked["part"]).removeprefix("head ")
    assert asked["code"] == "MISSING_TILE"
    assert f"missing on side {side}: 1, and no other side waits" in str(asked["evidence"])
    assert tiles_by_place(emitted) == WALLS


@pytest.mark.slow
def test_a_face_up_tile_is_turned_over_by_the_head() -> None:
    emitted = evening("face_up:head0#4", table="pai_gow", game="pai_gow")
    assert emitted.fault_events == [("recovered", "FACE_UP", "head 0")]


# Lifts, dice, jaws


@pytest.mark.slow
def test_a_lift_that_does_not_arrive_is_driven_again_once() -> None:
    emitted = evening("half_up:lift1#1")
    assert emitted.fault_events == [("recovered", "LIFT", "lift 1")]


@pytest.mark.slow
@pytest.mark.parametrize("injected", ["half_up:lift2#1~9", "limit_switch:lift2_up"])
def test_a_person_is_asked_about_a_lift_after_one_retry(injected: str) -> None:
    emitted = evening(injected)
    assert emitted.fault_events == [
        ("operator_prompted", "LIFT", "lift 2"),
        ("prompt_answered", "LIFT", "lift 2"),
        ("recovered", "LIFT", "lift 2"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("injected", "table", "game"),
    [
        pytest.param("half_up:lift2#2~9", "robotic", "block", id="lift"),
        pytest.param("stuck_sensor:chain_corner", "single_port", "wenzhou", id="chain"),
    ],
)
def test_all_parts_below_rest_while_a_person_is_asked_about_a_lift_or_the_chain(
    injected: str, table: str, game: str
) -> None:
    """The drum turns below, and a person reaches beside the lift or to the chain."""
    emitted = evening(injected, table=table, game=game, rounds=2)
    (asked,), (cleared,) = (
        emitted.when(event="operator_prompted"),
        emitted.when(event="prompt_answered"),
    )
    below = ("drum", "head", "lift", "chain")
    changed = [
        (pin, value)
        for at, pin, value in emitted.pins
        if asked - 0.02 <= at < cleared and pin.startswith(below)
    ]
    assert ("drum", 0) in changed
    assert {value for _, value in changed} == {0}
    assert emitted.fault is None


@pytest.mark.slow
def test_a_cocked_die_is_thrown_again() -> None:
    assert evening("cocked_die:dice#1").fault_events == [("recovered", "DICE", "dice")]


@pytest.mark.slow
def test_tiles_that_slip_out_of_the_jaws_are_noticed_and_gripped_again() -> None:
    emitted = evening("dropped_tile:gripper#3")
    assert ("recovered", "EMPTY_GRIP", "gripper") in emitted.fault_events
    assert tiles_by_place(emitted) == WALLS


def _mixes_briefly(name: str) -> Table:
    """Return a table that mixes for 8 s."""
    return with_drum(load_table(name), mix=8.0)


@pytest.mark.slow
def test_while_a_person_removes_a_jam_below_the_round_on_top_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # With the table's own time of mixing, the deal ends before the heads lift the other set.
    monkeypatch.setattr("tests.controller.table_with_faults.long_leased", _mixes_briefly)
    emitted = evening("jam:head2@173~9", until_ready=False, rounds=2)
    (asked,), (cleared,) = (
        emitted.when(event="operator_prompted"),
        emitted.when(event="prompt_answered"),
    )
    moved = [at for at in emitted.when(event="delivered") if asked < at < cleared]
    assert emitted.fault is None
    assert moved


# A forgotten tile


async def _forgets_a_tile(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
    """Let a person press the lid's key while the drum mixes, to add a tile from the floor."""
    assert hardware.plant is not None
    plant = hardware.plant
    await asyncio.sleep(19.0)
    assert daemon.run_state.machine.under == "shuffling"
    plant.people.add_at_the_lid(lambda: plant.repair("missing_tile", "drum"))


@pytest.mark.slow
def test_the_lids_key_opens_the_lid_for_a_forgotten_tile_and_the_cycle_goes_on() -> None:
    emitted = evening("missing_tile:drum#1", meanwhile=_forgets_a_tile)
    assert emitted.fault_events == [
        ("operator_prompted", "FORGOTTEN", "lid"),
        ("prompt_answered", "FORGOTTEN", "lid"),
    ]
    assert tiles_by_place(emitted) == WALLS
    (opened,), (closed,) = (
        emitted.when(event="operator_prompted"),
        emitted.when(event="prompt_answered"),
    )
    staged = emitted.when(event="state", under="staged")[0]
    assert opened == pytest.approx(19.0, abs=0.2)
    assert 10.0 < closed - opened < 15.0
    assert staged > closed


async def _presses_while_playing(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
    """Press the lid's key as soon as a hand is played while the heads build the other set."""
    plant, building = hardware.plant, asyncio.Event()
    assert plant is not None

    def look(event: Event) -> None:
        if (event.get("under"), event.get("top")) == ("building", "playing"):
            building.set()

    events.listen(look)
    await building.wait()
    plant.people.press("lid_key")


@pytest.mark.slow
def test_during_a_hand_the_lids_key_alone_ends_the_hand() -> None:
    emitted = evening(meanwhile=_presses_while_playing, until_ready=False)
    assert emitted.fault_events == []
    (pressed,) = emitted.when(event="state", top="playing", under="building")[:1]
    (collecting,) = emitted.when(event="state", top="collecting", under="building")[:1]
    assert pressed < collecting < pressed + 1.0
