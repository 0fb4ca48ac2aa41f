"""Tests relay, lamp tower and buzzer of simulated tables during faults and pauses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from config.board_profiles import profile_of
from config.loader import load_table
from config.schema import (
    BuzzerModule,
    OutputChannel,
    RelayModule,
    SensorChannel,
    Table,
    TowerModule,
)
from config.validation.board_pins import HIGH
from config.validation.checks import check_table
from controller.events import Event
from controller.run.faults.catalogue import CATALOGUE, Fault, Who
from controller.run.faults.failures import TableFault
from firmware_bridge.board import Board
from firmware_bridge.sim.plant.tiles import ImpossibleOrderError
from firmware_bridge.wire.errors import BoardRefusedError
from tests.controller.played_round import Round, emergency, play, stall, unplug

LAMPS = ("red", "amber", "green")
SETTLING = 0.05
"""Longest switching time of the relay of the bench table, seconds."""
MOVING = ("drum", "wheel")


def lit(played: Round, at: float) -> list[str]:
    """Return the lamps of the tower that were lit at a time, after all changes at that time."""
    values = dict.fromkeys(LAMPS, 0) | {"red": 1}
    values |= {lamp: value for t, lamp, value in played.pin_changes if t <= at and lamp in LAMPS}
    return [lamp for lamp in LAMPS if values[lamp]]


def when(played: Round, channel: str, value: int | None = None) -> list[float]:
    """Return the times at which an output took a value (by default any value but 0)."""
    return [
        t
        for t, name, came in played.pin_changes
        if name == channel and (bool(came) if value is None else came == value)
    ]


def with_signals(name: str) -> Table:
    """Add a relay to each serial board of a table, and a lamp tower and a buzzer to the last."""
    table = load_table(name)
    boards, relays = dict(table.boards), []
    for board, config in boards.items():
        pins = iter(_free(table, board))
        more = {
            f"{board}_relay": _output(next(pins)),
            f"{board}_powered": SensorChannel(
                kind="sensor", pin=next(pins), active="low", debounce_ms=1
            ),
        }
        relays.append(RelayModule(coil=f"{board}_relay", contact=f"{board}_powered"))
        if board == list(boards)[-1]:
            more |= {lamp: _output(next(pins), int(lamp == "red")) for lamp in LAMPS}
            more["buzzer"] = _output(next(pins), max_on=3.0)
        boards[board] = config.model_copy(update={"channels": {**config.channels, **more}})
    modules = table.modules.model_copy(
        update={
            "relay": tuple(relays),
            "tower": TowerModule(red="red", amber="amber", green="green"),
            "buzzer": BuzzerModule(sounder="buzzer"),
        }
    )
    whole = table.model_copy(update={"boards": boards, "modules": modules})
    assert check_table(whole) == []
    return whole


def _output(pin: int, safe: int = 0, max_on: float | None = None) -> OutputChannel:
    return OutputChannel(kind="output", pin=pin, safe=safe, max_on=max_on)


def _free(table: Table, board: str) -> list[int]:
    keys = ("pin", "reverse_pin", "direction_pin")
    channels = table.boards[board].channels.values()
    taken = {getattr(channel, key, None) for channel in channels for key in keys}
    profile = profile_of(table.boards[board])
    return [
        pin
        for pin in profile.able("output")
        if pin not in taken
        and pin not in range(14, 22)
        and profile.by_number[pin].at_boot not in HIGH
    ]


def technician(code: str, mend: Callable[[Round], None]) -> Callable[[Round, Event], None]:
    """Return a listener that calls `mend` when the table prompts a person about this fault."""

    def on_event(played: Round, event: Event) -> None:
        if event["event"] == "operator_prompted" and event["code"] == code:
            mend(played)

    return on_event


def weld(played: Round) -> None:
    """Weld the relay's contact, which then never opens."""
    assert played.hardware.plant is not None
    (relay,) = played.hardware.plant.relays
    relay.welded = True
    relay.reset_sensors()


def replace_relay(played: Round) -> None:
    """Replace the relay by a relay that works."""
    assert played.hardware.plant is not None
    (relay,) = played.hardware.plant.relays
    relay.welded = relay.dead = False
    relay.reset_sensors()


# The relay


def test_the_relay_closes_before_the_first_motor_starts_and_opens_after_the_last_one() -> None:
    played = play("bench", "block")
    closed, opened = when(played, "relay", 1), when(played, "relay", 0)
    started = sorted(t for motor in MOVING for t in when(played, motor))
    assert started[0] == pytest.approx(closed[0] + SETTLING)
    stopped = max(t for motor in MOVING for t in when(played, motor, 0))
    assert stopped <= opened[0] and len(closed) == len(opened)
    assert not [
        t for t in started if not any(c < t < o for c, o in zip(closed, opened, strict=True))
    ]


@pytest.mark.slow
def test_on_serial_boards_each_relay_closes_before_its_own_motors_start() -> None:
    table = with_signals("robotic")
    played = play(table, "wenzhou")
    for board in table.boards:
        motors = {
            name
            for name, channel in table.boards[board].channels.items()
            if channel.kind in ("motor", "axis")
        }
        first = min(t for t, name, value in played.pin_changes if name in motors and value)
        assert when(played, f"{board}_relay", 1)[0] + SETTLING <= first
    assert played.events_named("ready") and not played.events_named("paused")
    assert not played.events_named("signal_failed")


def test_a_technician_is_asked_about_a_welded_contact_and_no_motor_starts_before() -> None:
    played = play("bench", "block", {0.5: weld}, on=technician("WELDED", replace_relay))
    (asked,) = played.events_named("operator_prompted")
    assert (asked["code"], asked["part"], asked["role"]) == ("WELDED", "relay", "technician")
    assert asked["evidence"] == "powered is active while relay is off"
    (cleared,) = played.events_named("prompt_answered")
    assert when(played, "relay", 1)[0] == pytest.approx(float(str(cleared["t"])))
    assert played.events_named("ready")


def test_a_relay_that_stays_welded_stops_the_table_and_no_motor_ever_starts() -> None:
    emitted: list[Round] = []
    with pytest.raises(TableFault) as stopped:
        play("bench", "block", {0.5: weld}, on=lambda played, _: emitted.append(played))
    assert stopped.value.fault is Fault.WELDED
    assert CATALOGUE[Fault.WELDED].who is Who.TECHNICIAN
    assert not when(emitted[0], "relay") and not when(emitted[0], "drum")
    assert len(emitted[0].events_named("operator_prompted")) == 3


def test_a_relay_that_welds_while_the_drum_runs_is_detected_before_the_drum_runs_again() -> None:
    played = play(
        "bench", "block", {20.0: weld, 30.0: emergency(4.0)}, on=technician("WELDED", replace_relay)
    )
    assert [event["code"] for event in played.events_named("operator_prompted")] == [
        "EMERGENCY",
        "WELDED",
    ]
    assert next(t for t in when(played, "drum") if t > 30.0) > played.at(
        "prompt_answered", code="WELDED"
    )
    assert played.events_named("ready")


def test_a_relay_that_does_not_close_is_retried_once_before_a_person_is_asked() -> None:
    def burn(played: Round) -> None:
        assert played.hardware.plant is not None
        (relay,) = played.hardware.plant.relays
        relay.dead = True

    played = play("bench", "block", {0.5: burn}, on=technician("RELAY", replace_relay))
    (asked,) = played.events_named("operator_prompted")
    assert (asked["code"], asked["evidence"]) == ("RELAY", "powered gave no signal within 0.05 s")
    assert len([t for t in when(played, "relay", 1) if t <= float(str(asked["t"]))]) == 2
    assert when(played, "drum")[0] > played.at("prompt_answered", code="RELAY")


def test_the_simulated_plant_refuses_a_motor_behind_an_open_relay() -> None:
    def drive_directly(played: Round) -> None:
        assert played.hardware.plant is not None
        plant = played.hardware.plant
        with pytest.raises(ImpossibleOrderError, match="drum cannot run: its relay is open"):
            plant.output("drum", 1000)

    play("bench", "block", {0.5: drive_directly})


# The emergency stop


def test_an_emergency_stop_switches_all_off_at_once_shows_red_and_asks_for_its_reset() -> None:
    played = play("bench", "block", {30.0: emergency(4.0)})
    assert [when(played, each, 0)[0] for each in ("drum", "relay")] == pytest.approx([30.0] * 2)
    assert lit(played, 30.001) == lit(played, 40.0) == ["red"]
    (asked,) = played.events_named("operator_prompted")
    assert (asked["code"], asked["part"], asked["role"]) == ("EMERGENCY", "emergency", "dealer")
    reset = played.at("prompt_answered", code="EMERGENCY")
    between = [row for row in played.pin_changes if 30.0 < row[0] < reset - 0.1]
    assert between == []
    assert next(t for t in when(played, "relay", 1) if t > 30.0) == pytest.approx(reset)
    assert lit(played, reset + 0.1) == ["green"]
    assert played.events_named("ready") and not played.events_named("fault")


def test_an_emergency_stop_that_is_still_pressed_cannot_be_reset() -> None:
    played = play("bench", "block", {30.0: emergency(100.0)})
    resumed = played.at("resumed")
    assert resumed > 130.0
    assert not [
        row for row in played.pin_changes if 30.0 < row[0] < 130.0 and row[2] and row[1] != "red"
    ]


# The tower


def test_the_tower_is_green_during_a_run_and_red_after_it() -> None:
    played = play("bench", "da_san")
    assert lit(played, 0.0) == ["green"]
    assert lit(played, 5.0) == ["green"]
    assert lit(played, float("inf")) == ["red"]


def test_exactly_one_lamp_is_lit_at_any_time() -> None:
    played = play("bench", "block", {30.0: emergency(4.0)})
    times = {t for t, lamp, _ in played.pin_changes if lamp in LAMPS}
    assert [len(lit(played, t)) for t in sorted(times)] == [1] * len(times)


def test_the_tower_is_amber_while_people_are_prompted() -> None:
    played = play("bench", "block", rounds=2)
    building, packet = played.at("state", top="raising"), played.at("move", move="prompt")
    assert lit(played, building - 1.0) == ["green"]
    assert lit(played, building + 1.0) == lit(played, packet - 1.0) == ["amber"]
    assert lit(played, packet + 1.0) == ["amber"]
    assert lit(played, played.at("ready") + 1.0) == ["green"]


def test_the_tower_is_amber_while_a_person_is_asked_and_green_after_the_answer() -> None:
    played = play("bench", "block", {0.5: weld}, on=technician("WELDED", replace_relay))
    assert lit(played, played.at("operator_prompted") + 1.0) == ["amber"]
    assert lit(played, played.at("prompt_answered") + 1.0) == ["green"]


def test_a_host_stall_shows_red_on_a_serial_board_and_green_after_it() -> None:
    played = play(with_signals("robotic"), "wenzhou", {40.0: stall(3.0)})
    assert lit(played, 41.0) == lit(played, 42.9) == ["red"]
    assert lit(played, played.at("resumed") + 1.0) == ["green"]
    assert played.events_named("ready")


@pytest.mark.slow
def test_a_host_that_fails_while_people_play_leaves_the_tower_red() -> None:
    table = with_signals("robotic")
    ready = play(table, "wenzhou").at("ready")
    # The line is lost while the table waits for a key; the lease expires in the board.
    played = play(table, "wenzhou", {ready + 20.0: unplug(5.0)}, rounds=2)
    assert lit(played, ready + 10.0) == ["green"]
    assert lit(played, ready + 21.0) == lit(played, ready + 24.9) == ["red"]
    assert lit(played, ready + 40.0) == ["green"]


def test_a_lamp_that_cannot_be_set_is_reported_and_does_not_stop_the_round() -> None:
    def cut_a_wire(played: Round) -> None:
        board: Board = played.hardware.boards["pins"]
        write = board.set

        async def refuse(channel: str, value: int) -> None:
            if channel == "amber":
                raise BoardRefusedError("board pins refused amber.")
            await write(channel, value)

        board.set = refuse  # type: ignore[method-assign]

    whole = play("bench", "block")
    played = play("bench", "block", {0.0: cut_a_wire})
    emitted = played.events_named("signal_failed")
    assert emitted and {event["why"] for event in emitted} == {"board pins refused amber."}
    assert played.hands == whole.hands and played.at("ready") == whole.at("ready")


# The buzzer


def test_R15_the_alarm_is_heard_for_a_second_and_a_half_when_a_person_is_asked() -> None:
    played = play("bench", "block", {0.5: weld}, on=technician("WELDED", replace_relay))
    (begun,) = when(played, "buzzer")
    assert begun == pytest.approx(played.at("operator_prompted"))
    assert when(played, "buzzer", 0) == [pytest.approx(begun + 1.5)]
    assert BuzzerModule(sounder="buzzer").seconds >= 1.5, "also where a table file gives none"


def test_the_buzzer_sounds_at_most_as_often_as_the_table_file_permits() -> None:
    table = load_table("bench")
    at_long_intervals = table.modules.model_copy(
        update={"buzzer": BuzzerModule(sounder="buzzer", every=1000.0)}
    )
    emitted: list[Round] = []
    with pytest.raises(TableFault):
        play(
            table.model_copy(update={"modules": at_long_intervals}),
            "block",
            {0.5: weld},
            on=lambda played, _: emitted.append(played),
        )
    assert len(emitted[0].events_named("operator_prompted")) == 3
    assert len(when(emitted[0], "buzzer")) == 1


@pytest.mark.slow
def test_two_runs_with_the_same_seed_switch_the_lamps_at_the_same_times() -> None:
    first, second = (play("bench", "block", {30.0: emergency(4.0)}) for _ in range(2))
    assert first.pin_changes == second.pin_changes
