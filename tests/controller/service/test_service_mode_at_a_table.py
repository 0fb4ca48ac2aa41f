"""Service mode by commands: who may enter it, when, and what is restored when it is left."""

from __future__ import annotations

import asyncio
import json
import zipfile
from io import BytesIO
from typing import NoReturn

import pytest

from controller.service.commands import BY_NAME
from controller.service.evening.game_choices import PlannedGame
from controller.service.prompts.service_guide import ServiceGuide
from controller.service.runs.openers import SimulatedTable
from controller.service.service_mode_shift import ServiceModeShift
from controller.service.status import ServiceName
from controller.service.user_roles import UserRole
from controller.upkeep.service_mode.jogging import RENEWAL
from firmware_bridge.wire.errors import BoardSilentError
from tests.controller.service.service_at_a_table import Guests, at_a_table

COMMANDS = (
    "enter_service_mode", "leave_service_mode", "jog", "stop_jog", "home", "run_test", "calibrate",
    "answer_service_question", "stop_activity", "clear_board_faults", "confirm_change",
    "discard_change",
)  # fmt: skip
JOG = {"channel": "drum", "direction": "forward", "speed": 300}


@pytest.mark.parametrize("name", COMMANDS)
def test_only_a_technician_may_give_the_commands_of_service_mode(name: str) -> None:
    least = BY_NAME[name].role
    assert [role for role in UserRole if role.includes(least)] == [UserRole.TECHNICIAN]


def test_R10_service_mode_is_not_playable_and_is_left_to_the_state_before() -> None:
    async def scenario(guests: Guests) -> None:
        before = guests.status.service
        reply = await guests.give("jog", **JOG)
        assert (reply.state, reply.code) == ("refused", "no_service_mode")
        assert (await guests.give("enter_service_mode")).state == "done"
        await guests.until(lambda status: status.service_mode is not None)
        assert guests.status.service.state == "service_mode"
        reply = await guests.give("start_session", choice={"game": "wenzhou"})
        assert (reply.state, reply.code) == ("refused", "service_mode")
        reply = await guests.give("enter_service_mode", client="laptop")
        assert reply.sentence == "Ann has entered service mode already."

        assert (await guests.give("jog", press="1", **JOG)).state == "done"
        reply = await guests.give("jog", client="laptop", press="1", **JOG)
        assert (reply.state, reply.code) == ("refused", "jog_in_use")
        await asyncio.sleep(0.15)
        mode = guests.status.service_mode
        assert mode is not None and mode.jog is not None
        assert (mode.jog.channel, mode.channels["drum"].value) == ("drum", 300)
        await asyncio.sleep(RENEWAL + 0.2)
        mode = guests.status.service_mode
        assert mode is not None and mode.jog is None
        assert mode.channels["drum"].value == 0

        reply = await guests.give("leave_service_mode")
        assert (reply.state, reply.sentence) == ("done", "Service mode is over.")
        await asyncio.sleep(0.1)
        assert guests.status.service_mode is None
        assert guests.status.service.state == before.state == "idle"
        assert guests.status.service.sentence == before.sentence

    at_a_table(scenario)


def test_a_refusal_names_the_next_step_and_a_repeated_jog_does_not_renew() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("enter_service_mode")
        reply = await guests.give("jog", channel="drumm", direction="forward", speed=300)
        assert reply.code == "unknown_channel"
        assert reply.sentence == "'drumm' is not a channel of the table robotic."
        assert reply.next_step == "Name a channel such as drum."
        reply = await guests.give("jog", channel="drum", direction="up", speed=300)
        assert (reply.state, reply.code) == ("refused", "arguments")
        first = await guests.give("jog", press="1", **JOG)
        await asyncio.sleep(RENEWAL - 0.1)
        assert await guests.repeat() == first
        await asyncio.sleep(0.2)
        mode = guests.service.run.shift and guests.service.run.shift.mode
        assert mode and mode.status.jog is None, "the repeated command has not renewed the jog"

    at_a_table(scenario)


@pytest.mark.slow
def test_service_mode_waits_for_the_end_of_the_session_and_a_new_session_can_follow() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda status: status.machine.top == "playing")
        reply = await guests.give("enter_service_mode")
        assert (reply.state, reply.code) == ("refused", "session")
        await guests.give("end_session")
        await guests.until(lambda status: status.session is None)
        assert (await guests.give("enter_service_mode")).state == "done"
        assert guests.service.daemon is None, "the run has ended, so that no activity moves parts"
        assert (await guests.give("home")).state == "done"
        await guests.until(
            lambda status: (
                status.service_mode is not None
                and [finding.text for finding in status.service_mode.findings]
                == ["Every part is at home."]
            )
        )
        assert (await guests.give("leave_service_mode")).sentence == "Service mode is over."
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda status: status.machine.top == "playing")

    at_a_table(scenario)


def test_the_service_stops_from_service_mode_with_every_output_safe() -> None:
    seen: list[Guests] = []

    async def scenario(guests: Guests) -> None:
        seen.append(guests)
        await guests.give("enter_service_mode")
        await guests.give("jog", press="1", **JOG)

    at_a_table(scenario)
    (guests,) = seen
    assert guests.service.run.shift is None
    assert guests.service.state.status.state == "stopping"


def test_R10_after_a_fault_service_mode_returns_to_the_fault() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: any(prompt.kind == "fault" for prompt in s.prompts))
        (prompt,) = guests.status.prompts
        await guests.give("answer", prompt=prompt.id, value="stop")
        await guests.until(lambda status: status.service.state == "fault")
        sentence = guests.status.service.sentence
        reply = await guests.give("enter_service_mode")
        assert reply.code == "session", "the session has not ended"
        await guests.give("end_session")
        assert (await guests.give("enter_service_mode")).state == "done"
        await guests.give("leave_service_mode")
        await guests.until(lambda status: status.service.state == "fault")
        assert guests.status.service.sentence == sentence

    at_a_table(scenario, automatic=False, injected_faults=("jam:head2@20~60",))


def test_the_diagnostics_bundle_has_the_status_the_table_and_the_self_test_report() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("enter_service_mode")
        await guests.give("run_test", station="lid")
        while (mode := guests.status.service_mode) is None or not mode.results:
            if mode is not None and mode.question is not None:
                answer = {"question": mode.question.id, "value": mode.question.choices[0]}
                await guests.give("answer_service_question", **answer)
            await guests._next_change()
        page = await guests.port.selftest_page()
        assert page is not None
        assert "interrupted" in page
        await guests.give("leave_service_mode")
        assert "completed" in (await guests.port.selftest_page() or "")
        with zipfile.ZipFile(BytesIO((await guests.port.diagnostics())())) as archive:
            files = {name: archive.read(name).decode() for name in archive.namelist()}
        assert {"versions.json", "table.yaml", "status.json", "selftest.json"} <= set(files)
        assert json.loads(files["selftest.json"])["trials"][0]["part"] == "lid"
        assert json.loads(files["status.json"])["table"]["name"] == "robotic"
        assert "name: robotic" in files["table.yaml"]

    at_a_table(scenario)


class UnpluggedForService(SimulatedTable):
    """A simulated table whose cable is unplugged when its boards are opened for service mode."""

    def open_for_service(self, game: PlannedGame, guide: ServiceGuide) -> NoReturn:
        raise BoardSilentError("board base: its port cannot be opened.")


def test_service_mode_that_cannot_begin_is_refused_before_any_screen_shows_it() -> None:
    async def scenario(guests: Guests) -> None:
        states, set_state = set[str](), guests.service.state.set

        def note(state: ServiceName, sentence: str) -> None:
            states.add(state)
            set_state(state, sentence)

        guests.service.state.set = note  # type: ignore[method-assign]
        reply = await guests.give("enter_service_mode")
        assert (reply.state, reply.code) == ("refused", "not_entered")
        assert "its port cannot be opened" in reply.sentence
        await asyncio.sleep(5.0)
        assert states == {"idle"}
        assert guests.service.run.shift is None

    at_a_table(scenario, opener=UnpluggedForService)


@pytest.mark.parametrize("change", ["stop", "lock"])
def test_a_technician_who_enters_while_the_service_stops_or_locks_is_refused(change: str) -> None:
    """The command waits for the end of the run. It must neither wait for ever nor open a motor."""
    replies: list[tuple[str, str]] = []

    async def scenario(guests: Guests) -> None:
        runs, enter = guests.service.runs, guests.service.runs.enter_service_mode

        def change_then(shift: ServiceModeShift) -> None:
            enter(shift)
            if change == "stop":
                guests.service.stop()
            else:
                guests.service.lock_table("The program was changed.")

        guests.service.feed.follow(lambda _: states.add(guests.status.service.state))
        runs.enter_service_mode = change_then  # type: ignore[method-assign]
        async with asyncio.timeout(60.0):
            reply = await guests.give("enter_service_mode")
        replies.append((reply.state, reply.code or ""))

    states = set[str]()
    at_a_table(scenario)
    assert replies == [("refused", "not_entered")]
    assert "service_mode" not in states
