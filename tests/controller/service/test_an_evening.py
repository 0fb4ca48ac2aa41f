"""An evening at a table: sessions begin and end, the game changes, scores and records are kept."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from config.validation.game_parameters import accepted
from controller.service.port import Actor, CommandRequest
from controller.service.status import GameChoice, Status
from controller.service.user_roles import UserRole
from rules.records.record import evening
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.quick import slow_except

WENZHOU = {"game": "wenzhou", "follow_play": True}


def test_players_play_change_the_game_and_go_home() -> None:
    async def scenario(guests: Guests) -> None:
        reply = await guests.give("start_session", choice=WENZHOU, names={0: "Ann", 2: "Chen"})
        assert (reply.state, reply.sentence) == ("done", "The session begins: Wenzhou mahjong.")
        await guests.until(lambda s: bool(s.session and s.session.rounds == 1))
        session = guests.status.session
        assert session is not None
        assert [seat.name for seat in session.seats] == ["Ann", "", "Chen", ""]
        assert sorted(seat.wind for seat in session.seats) == ["East", "North", "South", "West"]
        assert sum(seat.score for seat in session.seats) == 0
        assert session.results[0].reasons
        assert (await guests.give("choose_next", choice={"game": "pai_gow"})).state == "done"
        await guests.until(lambda s: bool(s.session and s.session.game == "pai_gow"))
        assert guests.status.tiles.expected == guests.status.tiles.accounted == 64
        await guests.until(lambda s: bool(s.session and s.session.rounds >= 4))
        await guests.give("end_session")
        await guests.until(lambda s: s.session is None)
        assert guests.status.service.state == "idle"
        (kept,) = await guests.port.sessions(None, 10)
        assert kept.rounds >= 4
        assert (kept.names[0], bool(kept.ended)) == ("Ann", True)

    at_a_table(scenario)


@pytest.mark.slow
def test_a_changed_house_rule_applies_from_the_next_shuffle_and_gathers_nothing() -> None:
    async def scenario(guests: Guests) -> None:
        seen: list[dict[str, object]] = []
        guests.service.listen(seen.append)
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.machine.top == "playing" and s.machine.under == "staged")
        rule = {"game": "wenzhou", "house_rules": {"reserve": 20}}
        reply = await guests.give("choose_next", choice=rule)
        assert reply.state == "done", reply.sentence
        assert guests.status.programme.now is not None
        await guests.until(lambda s: bool(s.session and s.session.rounds == 1))
        assert guests.status.programme.now.house_rules == {}
        await guests.until(lambda s: bool(s.programme.now and s.programme.now.house_rules))
        assert guests.status.session is not None
        assert guests.status.session.rounds == 2
        assert not [event for event in seen if event["event"] == "put_away_requested"]
        assert len([event for event in seen if event["event"] == "run_started"]) == 1

    at_a_table(scenario)


@pytest.mark.slow
def test_the_picture_shows_the_set_in_the_drum_and_then_in_the_trays() -> None:
    async def scenario(guests: Guests) -> None:
        seen: list[tuple[int, int, int]] = []

        def look(delta: object) -> None:
            scene, machine = guests.status.scene, guests.status.machine
            if machine.under in ("shuffling", "building") and machine.top == "playing":
                lifted = sum(head.lifted for head in scene.heads.values())
                seen.append((scene.drum, lifted, sum(scene.trays.values())))

        guests.service.feed.follow(look)
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.machine.top == "playing" and s.machine.under == "staged")
        assert seen[0] == (136, 0, 0)
        assert all(drum + lifted == 136 and trays <= lifted for drum, lifted, trays in seen)
        assert len({lifted for _, lifted, _ in seen}) > 40

    at_a_table(scenario)


@pytest.mark.parametrize("wait", [0.5, 3.0])
@pytest.mark.slow
def test_a_key_that_is_pressed_early_takes_in_the_second_set(wait: float) -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.machine.top == "playing")
        await asyncio.sleep(wait)
        await guests.give("press_lid_key")
        await guests.until(lambda s: s.machine.under == "staged")
        assert guests.status.counts.recoveries == guests.status.counts.assists == {}
        await guests.give("press_lid_key")
        await guests.until(lambda s: bool(s.session and s.session.rounds == 1))
        await guests.until(lambda s: s.machine.top == "playing" and s.machine.under == "staged")
        assert guests.status.prompts == ()

    at_a_table(scenario, automatic=False)


def test_the_same_command_twice_is_done_once() -> None:
    async def scenario(guests: Guests) -> None:
        actor = Actor("Ann", UserRole.PLAYER, "phone")
        command = CommandRequest(
            id="a", name="start_session", arguments={"choice": {"game": "wenzhou"}}
        )
        replies = await asyncio.gather(*(guests.port.submit(command, actor) for _ in range(3)))
        assert {reply.state for reply in replies} == {"done"}
        assert guests.status.session is None or guests.status.session.id == "s1"
        names = {"0": "Mei"}
        other = CommandRequest(id="a", name="name_players", arguments={"names": names})
        assert (await guests.port.submit(other, actor)).code == "id_used"
        reply = await guests.port.submit(other, Actor("Ann", UserRole.PLAYER, "tablet"))
        assert reply.state == "done", "an id is a client's own"
        changed = CommandRequest(id="a", name="name_players", arguments={"names": {"0": "Eve"}})
        reply = await guests.port.submit(changed, Actor("Ann", UserRole.PLAYER, "tablet"))
        assert reply.code == "id_used", "the arguments of a repeated command are compared"

    at_a_table(scenario)


def test_a_pause_with_a_used_id_pauses_the_table() -> None:
    async def scenario(guests: Guests) -> None:
        actor = Actor("Ann", UserRole.PLAYER, "phone")
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.machine.top == "dealing")
        for _ in range(2):
            reply = await guests.port.submit(CommandRequest(id="a", name="pause"), actor)
            assert reply.sentence == "The table is paused."
            await guests.until(lambda s: s.machine.mode == "paused", limit=1.0)
            await guests.have("resume")
            await guests.until(lambda s: s.machine.mode != "paused")

    at_a_table(scenario)


def test_a_pause_for_dinner_and_a_table_without_people() -> None:
    async def scenario(guests: Guests) -> None:
        assert (await guests.give("pause")).code == "not_running"
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.machine.top == "dealing")
        assert (await guests.give("resume")).code == "not_paused"
        await guests.give("pause", UserRole.PLAYER)
        await guests.until(lambda s: [cause.why for cause in s.pause] == ["COMMAND"])
        await asyncio.sleep(3600)
        assert guests.status.machine.mode == "paused"
        await guests.give("resume")
        await guests.until(lambda s: s.machine.top == "playing")
        assert guests.status.counts.pauses == {"COMMAND": 1}

    at_a_table(scenario)


def test_R15_a_player_cannot_clear_a_jam_and_an_attendant_can() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: any(prompt.kind == "fault" for prompt in s.prompts))
        (prompt,) = guests.status.prompts
        assert "head 2" in prompt.part
        answer = {"prompt": prompt.id, "value": prompt.choices[0].value}
        refused = await guests.give("answer", UserRole.PLAYER, **answer)
        assert (refused.state, refused.code) == ("refused", "role")
        await guests.give("take_lead", UserRole.ATTENDANT, client="tablet")
        other = await guests.give("answer", UserRole.ATTENDANT, client="phone", **answer)
        assert other.code == "lead"
        wrong = await guests.give(
            "answer", UserRole.ATTENDANT, client="tablet", prompt=prompt.id, value="perhaps"
        )
        assert wrong.state == "refused"
        done = await guests.give("answer", UserRole.ATTENDANT, client="tablet", **answer)
        assert done.state == "done"
        assert (await guests.give("answer", client="tablet", **answer)).state == "done"
        await guests.until(lambda s: s.machine.top == "playing")
        assert sum(guests.status.counts.assists.values()) == 1

    at_a_table(scenario, automatic=False, injected_faults=("jam:head2@20~60",))


def _choose(status: Status) -> dict[str, str] | None:
    for prompt in status.prompts:
        if prompt.kind == "choice":
            return {"prompt": prompt.id, "value": prompt.choices[-1].value}
    return None


def test_people_choose_the_cut_act_and_collect_at_a_screen() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "pai_gow", "follow": "none"})
        await guests.until(lambda s: _choose(s) is not None)
        answer = _choose(guests.status)
        assert answer is not None
        bad = await guests.give("answer", prompt=answer["prompt"], value="no such cut")
        assert bad.state == "refused"
        assert (await guests.give("answer", **answer)).state == "done"
        await guests.until(lambda s: s.machine.top == "playing")
        assert guests.status.round is not None
        assert guests.status.round.choices["cut"] == answer["value"]
        await asyncio.sleep(1800)
        assert guests.status.session is not None
        assert guests.status.session.rounds == 0
        await guests.give("press_lid_key")
        await guests.until(lambda s: bool(s.session and s.session.rounds == 1))

    at_a_table(scenario, "pai_gow", automatic=False)


@pytest.mark.slow
def test_a_wenzhou_hand_is_played_at_a_screen_with_the_simulated_players() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice=WENZHOU)
        acts = 0
        while not (guests.status.session and guests.status.session.results):
            await asyncio.sleep(0.5)
            prompts = [prompt for prompt in guests.status.prompts if prompt.kind == "act"]
            if guests.status.round and guests.status.round.over:
                await guests.give("press_lid_key")
            for prompt in prompts:
                reply = await guests.give("answer", prompt=prompt.id, value="simulated player")
                assert reply.state == "done"
                acts += 1
        assert acts > 20
        result = guests.status.session.results[0]
        record = await guests.port.record("s1", 1)
        assert record is not None
        assert not result.abandoned
        assert len(record.lines) > acts
        assert record.choice == GameChoice.model_validate(WENZHOU)
        assert await guests.port.results("s1", 0, 5) == [result]

    at_a_table(scenario, automatic=False)


async def _act(guests: Guests, acts: int) -> None:
    """Let the simulated players act, one prompt after another."""
    while acts:
        await guests.until(lambda s: any(prompt.kind == "act" for prompt in s.prompts))
        (prompt,) = (each for each in guests.status.prompts if each.kind == "act")
        reply = await guests.give("answer", prompt=prompt.id, value="simulated player")
        assert reply.state == "done"
        acts -= 1
        await asyncio.sleep(3.0)


@pytest.mark.parametrize("back", slow_except([12], [1, 2, 5, 12]))
def test_a_dealer_takes_back_wrong_actions_and_the_hand_goes_on(back: int) -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice=WENZHOU)
        assert (await guests.give("correct", acts=1)).state == "refused"
        await guests.until(lambda s: s.machine.top == "dealing")
        assert "no hand" in (await guests.give("correct", acts=1)).sentence
        await _act(guests, 14)
        await guests.until(lambda s: bool(s.round and s.round.acts == 14))
        tiles = guests.status.session
        assert tiles is not None
        player = await guests.give("correct", UserRole.PLAYER, acts=back)
        assert player.code == "role"
        too_many = await guests.give("correct", acts=15)
        assert "14 were taken" in too_many.sentence
        done = await guests.give("correct", UserRole.DEALER, acts=back, reason="wrong tile")
        assert done.state == "done"
        await guests.until(lambda s: bool(s.round and s.round.acts == 14 - back))
        await guests.until(lambda s: any(prompt.kind == "act" for prompt in s.prompts))
        assert guests.status.tiles.expected == guests.status.tiles.accounted
        await guests.give("automatic", on=True)
        prompt = guests.status.prompts[0]
        await guests.give("answer", prompt=prompt.id, value="simulated player")
        await guests.until(lambda s: bool(s.session and s.session.rounds == 1), limit=7200)
        assert guests.status.session is not None
        (result,) = guests.status.session.results
        record = await guests.port.record("s1", 1)
        assert record is not None
        assert json.loads(record.lines[15]) == {"take_back": back}
        (hand,) = evening(record.lines, lambda name, changed: accepted(name, changed)[0])
        assert len(hand.play.settlement.payments) == len(result.payments)

    at_a_table(scenario, automatic=False)


@pytest.mark.slow
def test_a_session_goes_on_after_a_restart_of_a_simulated_table(tmp_path: Path) -> None:
    async def first(guests: Guests) -> None:
        await guests.give("start_session", choice=WENZHOU, names={1: "Bo"})
        await guests.until(lambda s: bool(s.session and s.session.rounds == 2))

    async def second(guests: Guests) -> None:
        await guests.until(lambda s: bool(s.session and s.session.rounds == 3))
        session = guests.status.session
        assert session is not None
        assert session.seats[1].name == "Bo"
        results = await guests.port.results(session.id, 0, 10)
        assert [result.number for result in results] == [1, 2, 3]
        total = [0.0] * 4
        for result in results:
            for payment in result.payments:
                assert payment.payer is not None
                assert payment.payee is not None
                total[payment.payer] -= payment.amount
                total[payment.payee] += payment.amount
        assert total == [seat.score for seat in session.seats]

    at_a_table(first, store=tmp_path / "evening.db")
    at_a_table(second, store=tmp_path / "evening.db", seed=2)


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"game": "chess"}, "There is no game 'chess'"),
        ({"game": "wenzhou", "follow_play": "banana"}, "`follow_play` must be true or false"),
        (
            {"game": "wenzhou", "follow_play": True, "follow": "none"},
            "`follow_play` is true, but `follow` is 'none'; leave one out",
        ),
        ({"game": "wenzhou", "house_rules": {"no_such": 1}}, "no_such"),
        ({"game": "wenzhou", "players": 9}, "Wenzhou mahjong"),
        ({"game": "wenzhou", "draw_seats": True, "follow": "none"}, "set `follow`"),
    ],
)
def test_a_game_that_the_table_cannot_play_is_refused(
    choice: dict[str, object], sentence: str
) -> None:
    async def scenario(guests: Guests) -> None:
        reply = await guests.give("start_session", choice=choice)
        assert reply.state == "refused"
        assert sentence in reply.sentence
        assert guests.status.session is None

    at_a_table(scenario)


def test_the_tiles_are_not_confirmed_before_the_simulated_people_have_pushed_them_in() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "threes"})
        await guests.until(lambda s: (s.machine.top, s.machine.under) == ("playing", "staged"))
        assert (await guests.give("press_lid_key")).state == "done"
        await guests.until(lambda s: s.machine.top == "collecting")
        await asyncio.sleep(4)
        reply = await guests.give("press_lid_key")
        assert (reply.state, reply.code) == ("refused", "tiles_not_in")
        await guests.until(lambda s: bool(s.session and s.session.rounds == 1))
        await guests.until(lambda s: s.machine.top == "playing")
        assert guests.status.fault is None

    at_a_table(scenario, automatic=False)
