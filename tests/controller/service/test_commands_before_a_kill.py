"""A command whose reply is `done` has its effect also if the host is killed right after it."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

import pytest

from controller.run.journal import Entry, read_entries
from controller.service.commands import command_desk
from controller.service.port import Actor, CommandRequest
from controller.service.runs.run_sequence import RunSequence
from controller.service.status import Status
from controller.service.user_roles import UserRole
from firmware_bridge.sim.clock import run
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.controller.service.surviving_service import SurvivingTable

WENZHOU = {"game": "wenzhou"}


async def playing(guests: Guests) -> None:
    """Begin a session and wait until its first round is ready."""
    await guests.give("start_session", choice=WENZHOU)
    await guests.until(lambda s: s.machine.top == "playing" and s.machine.under == "staged")


def test_a_game_chosen_for_the_next_shuffle_is_still_chosen_after_a_kill(tmp_path: Path) -> None:
    rules = {"reserve": 20}

    async def choose(guests: Guests) -> None:
        await playing(guests)
        reply = await guests.give("choose_next", choice={**WENZHOU, "house_rules": rules})
        assert reply.state == "done", reply.sentence

    async def go_on(guests: Guests) -> None:
        await guests.until(lambda s: s.machine.top == "playing")
        chosen = guests.status.programme.next
        assert chosen is not None and chosen.house_rules == rules
        await guests.until(
            lambda s: bool(s.programme.now and s.programme.now.house_rules == rules), limit=7200
        )
        await guests.until(lambda s: s.programme.next is None)
        assert guests.service.book is not None and guests.service.book.chosen is None

    async def evening() -> None:
        table = SurvivingTable("robotic", tmp_path, 3)
        await table.host(choose, kill=True)
        await table.host(go_on)

    run(evening())


def test_a_session_that_ends_after_the_round_ends_after_it_also_after_a_kill(
    tmp_path: Path,
) -> None:
    async def end(guests: Guests) -> None:
        await playing(guests)
        reply = await guests.give("end_session")
        assert reply.sentence == "The session ends after this round."

    async def go_on(guests: Guests) -> None:
        await guests.until(lambda s: s.machine.top == "playing")
        assert guests.status.session is not None and guests.status.session.ending
        await guests.until(lambda s: s.session is None)

    async def evening() -> None:
        table = SurvivingTable("robotic", tmp_path, 3)
        await table.host(end, kill=True)
        await table.host(go_on)

    run(evening())


def test_a_session_at_a_table_that_is_out_of_play_ends_after_its_round_also_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kill comes after the first of two writes: the end of the session is not stored."""

    async def take_out(guests: Guests) -> None:
        await playing(guests)
        with monkeypatch.context() as patch:
            patch.setattr(RunSequence, "finish_session", lambda _: None)
            await guests.have("take_out_of_play")

    async def go_on(guests: Guests) -> None:
        await guests.until(lambda s: s.machine.top == "playing")
        assert guests.status.session is not None and guests.status.session.ending
        await guests.until(lambda s: s.session is None)
        assert guests.status.service.out_of_play

    async def evening() -> None:
        table = SurvivingTable("robotic", tmp_path, 3)
        await table.host(take_out, kill=True)
        await table.host(go_on)

    run(evening())


def test_a_table_that_a_person_has_paused_stays_paused_after_a_kill(tmp_path: Path) -> None:
    async def pause(guests: Guests) -> None:
        await playing(guests)
        reply = await guests.give("pause")
        assert reply.state == "done"

    async def go_on(guests: Guests) -> None:
        await guests.until(lambda s: any(cause.why == "COMMAND" for cause in s.pause))
        await asyncio.sleep(600)
        assert any(cause.why == "COMMAND" for cause in guests.status.pause)
        reply = await guests.give("resume")
        assert reply.state == "done", reply.sentence
        await guests.until(lambda s: s.machine.top == "playing" and not s.pause)

    async def restart(guests: Guests) -> None:
        await guests.until(lambda s: s.machine.top == "playing")
        assert not guests.status.pause

    async def evening() -> None:
        table = SurvivingTable("robotic", tmp_path, 3)
        await table.host(pause, kill=True)
        await table.host(go_on, kill=True)
        await table.host(restart)

    run(evening())


@pytest.mark.parametrize("correction_first", [False, True])
def test_of_an_action_and_a_correction_at_the_same_moment_the_second_is_refused(
    correction_first: bool,
) -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "block", "follow_play": True})
        await guests.until(lambda s: bool(s.round and s.round.acts >= 4), limit=7200)
        await guests.give("automatic", on=False)
        await guests.until(lambda s: any(prompt.kind == "act" for prompt in s.prompts), limit=60)
        before = guests.status.round
        assert before is not None
        prompt = next(each for each in guests.status.prompts if each.kind == "act")
        answer = guests.give("answer", prompt=prompt.id, value="simulated player")
        correction = guests.give("correct", acts=1)
        pair = (correction, answer) if correction_first else (answer, correction)
        first, second = await asyncio.gather(*pair)
        assert (first.state, second.state) == ("done", "refused"), (first, second)
        assert second.code == ("correcting" if correction_first else "action_entered")
        due = before.acts + (-1 if correction_first else 1)
        await guests.until(lambda s: bool(s.round and s.round.acts == due), limit=60)

    at_a_table(scenario)


def test_a_long_evening_keeps_only_the_last_replies_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Older replies are in the store, so that a repeated command is still recognised."""
    monkeypatch.setattr(command_desk, "REPLIES", 5)

    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice={"game": "block", "follow_play": False})
        await guests.until(lambda status: status.machine.top == "collecting")
        first = CommandRequest(id="first", name="automatic", arguments={"on": True})
        actor = Actor("Ann", UserRole.TECHNICIAN, "phone", "192.168.1.20")
        reply = await guests.port.submit(first, actor)
        for number in range(20):
            await guests.have("automatic", on=bool(number % 2))
        assert len(guests.port._desk._replies._latest) == 5
        assert "phone first" not in guests.port._desk._replies._latest
        again = await guests.port.submit(first, actor)
        assert (again.state, again.sentence) == (reply.state, reply.sentence)

    at_a_table(scenario)


TRIES = 200
"""Most answers that the simulated players may refuse, because they cannot do them."""
SYNC = 0.1
"""Duration of a sync of the journal, seconds, where hosts are killed at a reply."""


@dataclass
class Answers:
    """People who answer every prompt; hosts are killed at their replies, and before some.

    Each host takes one to three answers. The last one before a kill can be without a reply.
    """

    game: str
    most: int
    chance: Random
    done: list[tuple[str, str]] = field(default_factory=list)
    """Kind and value of each answer whose reply was `done`."""
    lost: list[tuple[str, str]] = field(default_factory=list)
    """Answers without a reply."""

    async def give(self, guests: Guests) -> None:
        """Be one host's people."""
        if guests.service.book is None and not self.done and not self.lost:
            await guests.have("start_session", choice={"game": self.game, "follow_play": True})
        for _ in range(self.chance.choice((1, 1, 1, 3))):
            state = ""
            for _ in range(TRIES):
                await guests.until(lambda status: bool(status.prompts))
                prompt = guests.status.prompts[0]
                offered = [
                    each.value for each in prompt.choices if each.value != "simulated player"
                ]
                value = self.chance.choice(offered or [prompt.default])
                giving = asyncio.ensure_future(guests.give("answer", prompt=prompt.id, value=value))
                if self.chance.random() < 0.3:
                    await asyncio.sleep(self.chance.uniform(0.0, 2 * SYNC))
                    if not giving.done():
                        self.lost.append((prompt.kind, value))
                        giving.cancel()
                        return
                # An action that the simulated player cannot do is refused.
                state = (await giving).state
                assert state != "accepted"
                if state == "done":
                    break
            assert state == "done"
            self.done.append((prompt.kind, value))
            if len(self.done) >= self.most:
                return


@pytest.mark.parametrize(
    ("game", "table", "most"),
    [("backgammon", "robotic", 12), ("filipino", "robotic", 5)],
)
def test_an_answer_whose_reply_is_done_counts_once_after_a_kill_and_any_other_at_most_once(
    game: str, table: str, most: int, tmp_path: Path
) -> None:
    """Cuts, choices, claims, actions of the play and throws that people have made."""
    people = Answers(game, most, Random(4))

    async def evening() -> None:
        surviving = SurvivingTable(table, tmp_path, 3, sync_s=SYNC, automatic=False)
        while len(people.done) < most:
            await surviving.host(people.give, kill=True)
            await asyncio.sleep(2.0)

    run(evening())
    kept = Counter(filter(None, map(_answer, read_entries(tmp_path / "table.journal"))))
    acknowledged = Counter(f"{kind} {value}" for kind, value in people.done)
    others = Counter(f"{kind} {value}" for kind, value in people.lost)
    throws = acknowledged.pop("act throw", 0) + others.pop("act throw", 0)
    compared = {kind for kind, _ in people.done} & {"act", "choice"}
    assert compared
    thrown = 0
    for answer in acknowledged | kept:
        if answer.partition(" ")[0] in compared:
            more = kept[answer] - acknowledged[answer]
            assert more >= 0, f"{answer} was acknowledged and is gone"
            if more > others[answer] and " roll " in answer:
                thrown += more - others[answer]
            else:
                assert more <= others[answer], f"{answer} was given once and counts twice"
    assert thrown <= throws


def _has_acts(acts: int, status: Status) -> bool:
    return bool(status.prompts and status.round and status.round.acts == acts)


def _answer(entry: Entry) -> str:
    """The answer that a journal entry has, as kind and value; empty for another entry."""
    if entry.activity == "play" and "seat" in entry.intent:
        return f"act {entry.intent['seat']} {entry.intent['do']}"
    if entry.intent.get("step") == "choose" and entry.confirmed:
        return f"choice {entry.outcome}"
    return ""


@pytest.mark.parametrize("is_acknowledged", [True, False])
def test_a_correction_and_a_share_are_kept_if_they_are_acknowledged(
    is_acknowledged: bool, tmp_path: Path
) -> None:
    """Hosts are killed at the replies of both, or as soon as they were given."""
    acts, shares = list[int](), list[int]()

    async def killed(guests: Guests, name: str, **arguments: object) -> None:
        if is_acknowledged:
            await guests.have(name, **arguments)
        else:
            giving = asyncio.ensure_future(guests.give(name, **arguments))  # type: ignore[arg-type]
            await asyncio.sleep(SYNC / 2)
            assert not giving.done()
            giving.cancel()

    def counted(guests: Guests) -> None:
        assert guests.status.round is not None
        acts.append(guests.status.round.acts)
        assert guests.service.daemon is not None
        cycle = guests.service.daemon.chances.next
        shares.append(0 if cycle is None else len(cycle.player_shares))

    async def correct(guests: Guests) -> None:
        await guests.have("start_session", choice={"game": "block", "follow_play": True})
        await guests.until(lambda s: bool(s.prompts))
        for acts_due in (1, 2, 3):
            prompt = guests.status.prompts[0]
            await guests.have("answer", prompt=prompt.id, value="simulated player")
            await guests.until(partial(_has_acts, acts_due))
        counted(guests)
        await killed(guests, "correct", acts=1, reason="a wrong tile")

    async def share(guests: Guests) -> None:
        await guests.until(lambda s: bool(s.prompts))
        counted(guests)
        await killed(guests, "add_share", seat=0, share="0011")

    async def look(guests: Guests) -> None:
        await guests.until(lambda s: bool(s.prompts))
        counted(guests)

    async def evening() -> None:
        surviving = SurvivingTable("robotic", tmp_path, 3, sync_s=SYNC, automatic=False)
        await surviving.host(correct, kill=True)
        await surviving.host(share, kill=True)
        await surviving.host(look)

    run(evening())
    if is_acknowledged:
        assert (acts, shares) == ([3, 2, 2], [0, 0, 1])
    else:
        assert (acts[0], acts[1] in (2, 3), acts[2] == acts[1]) == (3, True, True)
        assert shares[2] in (0, 1)


@pytest.mark.parametrize(
    ("name", "arguments", "acts", "shares"),
    [("correct", {"acts": 1}, 1, 0), ("add_share", {"seat": 0, "share": "0011"}, 2, 1)],
)
def test_a_command_that_was_killed_before_its_reply_is_not_executed_again_when_it_is_repeated(
    name: str,
    arguments: dict[str, object],
    acts: int,
    shares: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The panel sends a command without a reply again, with the same id."""
    given: list[Guests] = []

    async def killed(guests: Guests) -> None:
        await guests.have("start_session", choice={"game": "block", "follow_play": True})
        for acts_due in (0, 1):
            await guests.until(partial(_has_acts, acts_due))
            prompt = guests.status.prompts[0]
            await guests.have("answer", prompt=prompt.id, value="simulated player")
        await guests.until(partial(_has_acts, 2))
        with monkeypatch.context() as patch:
            patch.setattr(command_desk.KnownReplies, "keep", lambda *_, **__: asyncio.sleep(1e6))
            giving = asyncio.ensure_future(guests.give(name, **arguments))  # type: ignore[arg-type]
            await asyncio.sleep(60.0)
            giving.cancel()
        given.append(guests)

    async def repeat(guests: Guests) -> None:
        await guests.until(lambda s: bool(s.prompts))
        guests.repeat_of(given[0])
        for _ in range(2):
            reply = await guests.repeat()
            assert (reply.state, reply.code) == ("refused", "interrupted")
        await asyncio.sleep(60.0)
        daemon = guests.service.daemon
        assert daemon is not None and daemon.hand is not None and daemon.chances.next is not None
        assert (daemon.hand.acts, len(daemon.chances.next.player_shares)) == (acts, shares)

    async def evening() -> None:
        surviving = SurvivingTable("robotic", tmp_path, 3, automatic=False)
        await surviving.host(killed, kill=True)
        await surviving.host(repeat)

    run(evening())


@pytest.mark.parametrize(
    ("left", "channel", "asked"),
    [(False, "", True), (True, "lift1", True), (True, "drum", False)],
    ids=["in service mode", "after a lift moved", "after the drum turned"],
)
def test_a_kill_does_not_hide_that_tiles_may_have_moved_in_service_mode(
    left: bool, channel: str, asked: bool, tmp_path: Path
) -> None:
    async def service(guests: Guests) -> None:
        await playing(guests)
        await guests.have("end_session")
        await guests.until(lambda s: s.session is None, limit=7200)
        await asyncio.sleep(200.0)
        await guests.have("enter_service_mode")
        if channel:
            jog = {"channel": channel, "direction": "forward", "speed": 1000, "press": "1"}
            await guests.have("jog", **jog)
            await asyncio.sleep(1.0)
        if left:
            await guests.have("leave_service_mode")

    async def go_on(guests: Guests) -> None:
        await asyncio.sleep(120.0)

    async def evening() -> int:
        table = SurvivingTable("robotic", tmp_path, 3)
        await table.host(service, kill=True)
        await table.host(go_on, kill=True)
        await table.host(go_on)
        return [event["event"] for event in table.events].count("put_away_requested")

    assert run(evening()) == asked


def test_a_round_that_a_person_has_abandoned_is_not_resumed_after_a_kill(tmp_path: Path) -> None:
    async def abandon(guests: Guests) -> None:
        await playing(guests)
        guests.service.runs.fail("A fault outside of the run.")
        await guests.until(lambda s: s.service.state == "fault")
        await guests.have("clear_fault", abandon=True)

    async def go_on(guests: Guests) -> None:
        await guests.until(lambda s: s.machine.top == "playing", limit=7200)

    async def evening() -> list[object]:
        table = SurvivingTable("robotic", tmp_path, 3)
        await table.host(abandon, kill=True)
        await table.host(go_on)
        return [event["event"] for event in table.events]

    names = run(evening())
    assert names.count("put_away_requested") == 1
    assert "run_resumed" not in names
