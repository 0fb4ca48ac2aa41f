"""Presses of the lid's key: a hand can be under a lid that moves.

On the robotic table the lid takes 2 s from one end to the other.
"""

from __future__ import annotations

import asyncio

import pytest

from config.loader import load_table
from controller.events import Event, EventLog
from controller.run.assembly import Hardware
from controller.run.daemon import Daemon
from tests.controller.table_with_faults import Evening, Side, evening


def presses(state: tuple[str, str], *after: float) -> Side:
    """Press the lid's key on a screen at these seconds after an activity enters a state."""

    async def press(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
        entered, (region, name) = asyncio.Event(), state

        def on_event(event: Event) -> None:
            if event.get(region) == name:
                entered.set()

        events.listen(on_event)
        await entered.wait()
        for seconds in after:
            asyncio.get_running_loop().call_later(seconds, daemon.press_lid_key)

    return press


BUILDING = ("under", "building")


def lid_after(played: Evening, begin: float) -> list[tuple[float, int]]:
    """Return each change of the lid's motor since a time: the seconds since then, and the value."""
    return [
        (round(at - begin, 1), value)
        for at, channel, value in played.pins
        if channel == "lid" and at >= begin
    ]


def test_a_lid_that_a_screen_opens_during_a_build_is_closed_and_no_set_is_pushed_in() -> None:
    played = evening(game="wenzhou", meanwhile=presses(BUILDING, 8.0))
    assert [code for _, code, _ in played.fault_events] == ["FORGOTTEN", "FORGOTTEN"]
    assert played.fault is None
    assert played.when(event="ready")
    assert {place: n for place, n in played.census.items() if n} == {"box 1": 136, "felt": 136}


def test_an_impatient_second_press_does_not_close_the_lid_over_a_hand() -> None:
    """The second press comes while the lid opens. The simulated people close the lid 8 s later."""
    played = evening(game="wenzhou", meanwhile=presses(BUILDING, 8.0, 9.0))
    opening, opened, closing, closed = lid_after(played, played.when(under="building")[0] + 8.0)
    assert (opening, opened) == ((0.0, 1000), (2.0, 0))
    assert closing[0] - opened[0] > 5.0
    assert (closing[1], closed[1]) == (-1000, 0)
    assert played.when(event="ready")


def test_a_press_while_the_lid_closes_opens_it_again_and_no_part_below_moves() -> None:
    """Somebody's hand is under the lid that closes. The next press closes the lid."""
    played = evening(game="wenzhou", meanwhile=presses(BUILDING, 8.0, 12.0, 13.0, 15.0))
    begin = played.when(under="building")[0] + 8.0
    assert lid_after(played, begin) == [
        *((0.0, 1000), (2.0, 0)),
        *((4.0, -1000), (5.0, 0), (5.0, 1000), (6.0, 0)),
        *((7.0, -1000), (9.0, 0)),
    ]
    moved = [
        (at - begin, channel)
        for at, channel, value in played.pins
        if value and begin + 0.1 < at < begin + 9.0 and channel not in ("lid", "ready")
    ]
    assert not [each for each in moved if "head" in each[1] or "drum" in each[1]]
    assert played.when(event="ready")


def test_a_press_while_the_lid_opens_does_not_confirm_that_the_tiles_are_in() -> None:
    """Impatient people press twice. The simulated people push the tiles in for 8 s."""
    played = evening(game="block", meanwhile=presses(("under", "gathering"), 1.0))
    begin = played.when(under="gathering")[0]
    motions = lid_after(played, begin)
    assert [value for _, value in motions[:4]] == [1000, 0, -1000, 0]
    assert motions[2][0] - motions[1][0] > 7.0


def test_a_press_while_the_lid_closes_over_a_set_opens_it_until_the_next_press() -> None:
    """The next press closes the lid; `test_hands_at_a_restart.py` has a run that resumes."""
    gathering = ("top", "collecting")
    # The people press after 1 s, the lid is open 2 s later, and they press again after 8 s.
    plain = evening(game="wenzhou")
    closing = next(at for at, pin, value in plain.pins if (pin, value) == ("lid", -1000) and at > 5)
    after = closing - plain.when(top="collecting")[0]
    played = evening(game="wenzhou", meanwhile=presses(gathering, after + 1.0))
    values = [value for at, value in lid_after(played, closing)]
    assert values[:5] == [-1000, 0, 1000, 0, -1000]
    assert played.when(event="ready")
    assert {place: n for place, n in played.census.items() if n} == {"box 1": 136, "felt": 136}


def test_walls_wait_below_until_the_hands_are_out_of_the_machine() -> None:
    """The second set is ready in the trays while people reach in to the first one."""
    released: list[float] = []

    async def reach_in(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
        collected, loop, played = asyncio.Event(), asyncio.get_running_loop(), False

        def on_event(event: Event) -> None:
            nonlocal played
            played = played or event.get("top") == "playing"
            if played and event.get("top") == "collecting" and event.get("under") == "gathering":
                collected.set()

        events.listen(on_event)
        await collected.wait()
        async with daemon._rig.below.held():
            await asyncio.sleep(60.0)
            released.append(loop.time())

    played = evening(game="block", rounds=2, meanwhile=reach_in)
    raised = [at for at, pin, value in played.pins if "lift" in pin and value > 0]
    assert [at for at in raised if released[0] - 60.0 < at < released[0]] == []
    assert raised[-1] >= released[0]
    assert len(played.when(event="walls_raised")) == 2


def test_a_key_press_during_a_build_at_a_table_without_a_lid_does_not_block_the_key() -> None:
    """The key ends the hand, also after somebody has pressed it while the set was prepared."""
    played = evening(
        table="bench", game="pai_gow", meanwhile=presses(("under", "shuffling"), 5.0), rounds=2
    )
    assert played.fault is None
    assert len(played.when(event="ready")) == 2


def test_a_press_while_the_lid_closes_over_a_played_set_stops_the_lifts_too() -> None:
    """The lifts sink while the lid closes; they go on with the lid after the next press."""
    at: list[float] = []

    async def press(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
        loop, plant = asyncio.get_running_loop(), hardware.plant
        assert plant is not None

        def on_output(channel: str, value: int) -> None:
            if not at and channel == "lift0" and value < 0:
                at.append(loop.time() + 1.0)
                loop.call_later(1.0, daemon.press_lid_key)

        await asyncio.sleep(60.0)
        plant.output_observers.append(on_output)

    played = evening(game="block", rounds=2, meanwhile=press)
    (pressed,) = at
    open_again = next(
        t for t, pin, value in played.pins if pin == "lid" and value > 0 and t > at[0]
    )
    closing = next(t for t, pin, value in played.pins if pin == "lid" and value < 0 and t > pressed)
    lifts = [(t, v) for t, pin, v in played.pins if pin == "lift0" and pressed - 1.5 < t < closing]
    assert [value for _, value in lifts] == [-1000, 0]
    assert lifts[1][0] <= open_again + 0.01, "they stop when the lid turns"
    sunk = [t for t, pin, v in played.pins if pin == "lift0" and v < 0 and t >= closing]
    assert sunk[0] == pytest.approx(closing, abs=0.02)
    assert len(played.when(event="walls_raised")) == 2


def reaches_in(moving: str, sign: int, released: list[float]) -> Side:
    """A person's hand is in the machine for 60 s, from 0.5 s after a motor has started.

    Adds the time at which the hand came in and that at which it was out again to `released`.
    """

    async def reach_in(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
        started, plant = asyncio.Event(), hardware.plant
        assert plant is not None
        loop = asyncio.get_running_loop()

        def on_output(channel: str, value: int) -> None:
            # The parts move at a start too, before any set is in the machine.
            if channel == moving and value * sign > 0 and daemon.run_state.machine.top != "clear":
                started.set()

        plant.output_observers.append(on_output)
        await started.wait()
        await asyncio.sleep(0.5)
        released.append(loop.time())
        async with daemon._rig.below.held():
            await asyncio.sleep(60.0)
            released.append(loop.time())

    return reach_in


@pytest.mark.parametrize(
    ("moving", "sign", "table", "game"),
    [
        pytest.param("lift0", 1, "robotic", "block", id="rising"),
        pytest.param("lift0", -1, "robotic", "block", id="sinking"),
        pytest.param("lane0_presenter", 1, "auto_deal", "wenzhou", id="presenting"),
    ],
)
def test_a_part_that_already_moves_stops_while_a_hand_is_in_the_machine(
    moving: str, sign: int, table: str, game: str
) -> None:
    """All parts of its kind stop at once; they go on afterwards, and the round is complete."""
    times: list[float] = []
    played = evening(table=table, game=game, rounds=2, meanwhile=reaches_in(moving, sign, times))
    reached_in, out = times
    kind, _, suffix = moving.partition("0")
    during = [
        (round(at - reached_in, 2), pin, value)
        for at, pin, value in played.pins
        if pin.startswith(kind) and pin.endswith(suffix) and reached_in <= at < out
    ]
    assert during
    assert {value for _, _, value in during} == {0}
    assert max(at for at, _, _ in during) < 0.1
    again = [value for at, pin, value in played.pins if pin == moving and out <= at < out + 3.0]
    assert again[:2] == [1000 * sign, 0]
    assert played.fault is None
    assert len(played.when(event="ready")) == 2


@pytest.mark.parametrize("by", ["lid", "command"])
def test_a_set_is_mixed_for_its_whole_time_whoever_stops_the_drum_meanwhile(by: str) -> None:
    """A lid that is open for the mixing time would leave a set in the order of the last hand."""

    async def interrupt(daemon: Daemon, hardware: Hardware, events: EventLog) -> None:
        shuffling = asyncio.Event()

        def on_event(event: Event) -> None:
            if event.get("under") == "shuffling":
                shuffling.set()

        events.listen(on_event)
        await shuffling.wait()
        await asyncio.sleep(2.5)
        if by == "lid":
            daemon.press_lid_key()  # people close it some seconds later
        else:
            daemon.pause()
            await asyncio.sleep(30.0)
            daemon.resume()

    played = evening(game="wenzhou", meanwhile=interrupt)
    table = load_table("robotic")
    assert table.modules.drum is not None
    begun = played.when(under="shuffling")[0]
    building = next(at for at in played.when(under="building") if at > begun)
    turned, since = 0.0, None
    for at, pin, value in played.pins:
        if pin != "drum" or at > building:
            continue
        if since is not None:
            turned += at - since
        since = at if value else None
    turned += building - since if since is not None else 0.0
    assert turned >= table.modules.drum.mix - 0.1
    assert building - begun > table.modules.drum.mix + 5.0
    assert played.when(event="ready")
