"""Stories of an evening in which nobody types a discard: people say who has won."""

from __future__ import annotations

import asyncio
from pathlib import Path
from shutil import copy

import pytest

from config.validation.game_parameters import parameters_of
from controller.events import Event
from rules.records.record import evening
from tests.controller.service.service_at_a_table import Guests, at_a_table

SAMPLES = Path(__file__).parents[2] / "samples"
DA_SAN = {"game": "da_san", "dealer": 1, "answers": {"cut": 20}}


async def until_question(guests: Guests, hand: int) -> None:
    """Press the lid's key in play until the result of a hand of the session is asked for.

    In the first hand the first press takes the second set in.
    """
    while (question := guests.status.question) is None or question.hand != hand:
        await guests.until(lambda s: s.machine.top == "playing", limit=40_000)
        await asyncio.sleep(200.0)
        if guests.status.question is None:
            await guests.give("press_lid_key")
            await asyncio.sleep(1.0)


def test_a_tap_on_the_winner_moves_the_dealer_and_a_bid_counts_the_chips(tmp_path: Path) -> None:
    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice=DA_SAN, names={"0": "Ana", "2": "Chen"})
        await until_question(guests, 1)
        question = guests.status.question
        assert question is not None
        assert [field["name"] for field in question.form["fields"]][:2] == ["winner", "bidder"]
        wrong = await guests.give("report_result", result={"winner": 5})
        assert (wrong.state, wrong.sentence) == (
            "refused",
            "winner: 5 is not a seat; seats are 0 to 2.",
        )
        await guests.have("report_result", result={"winner": 0})
        await guests.have("report_result", result={"winner": 2, "bidder": 2, "bid": 2})
        given = {"winner": 2, "bidder": 2, "bid": 2}
        await guests.until(lambda s: s.question is not None and s.question.result == given)
        session = guests.status.session
        assert session is not None
        (result,) = session.results
        assert result.sentence == "Chen wins: bidder out first, times 2."
        assert [seat.score for seat in session.seats] == [-2, -2, 4]
        await until_question(guests, 2)
        session = guests.status.session
        assert session is not None
        assert [seat.dealer for seat in session.seats] == [False, False, True]

    at_a_table(scenario, "robotic", automatic=False, store=tmp_path / "evening.db")


def test_a_dealer_corrects_an_earlier_result_with_a_reason_and_a_player_cannot(
    tmp_path: Path,
) -> None:
    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice=DA_SAN)
        for hand, winner in ((1, 0), (2, 2)):
            await until_question(guests, hand)
            result = {"winner": winner, "bidder": winner, "bid": 1}
            await guests.have("report_result", result=result)
        await until_question(guests, 3)
        asked = await guests.port.result_question("s1", 1)
        assert asked is not None
        assert (asked.result, asked.overdue) == ({"winner": 0, "bidder": 0, "bid": 1}, False)
        assert [seat.dealer for seat in asked.seats] == [False, True, False]
        assert await guests.port.result_question("s1", 9) is None
        right = {"winner": 1, "bidder": 0, "bid": 3}
        no_reason = await guests.give("report_result", result=right, hand=1)
        assert no_reason.sentence == "A correction needs a reason."
        await guests.have("report_result", result=right, hand=1, reason="Ana was beaten")
        await guests.until(lambda s: bool(s.session and s.session.results[0].winner == 1))
        session = guests.status.session
        assert session is not None
        first, second, _ = session.results
        assert (first.by, first.scores) == ("Ann", (-6, 3, 3))
        assert second.scores == (-7, 2, 5)
        assert [seat.score for seat in session.seats] == [-7, 2, 5]
        lines: list[str] = []
        for hand in (1, 2):
            record = await guests.port.record("s1", hand)
            assert record is not None
            lines += record.lines
        hands = list(evening(lines, parameters_of))
        assert hands[-1].match.scores == (25 - 7, 25 + 2, 25 + 5)
        assert [hand.dealer for hand in hands] == [1, 0]

    at_a_table(scenario, "robotic", automatic=False, store=tmp_path / "evening.db")


def test_after_a_restart_the_session_goes_on_with_the_dealer_that_was_reported(
    tmp_path: Path,
) -> None:
    async def before(guests: Guests) -> None:
        await guests.have("start_session", choice=DA_SAN)
        await until_question(guests, 1)
        await guests.have("report_result", result={"winner": 2, "bidder": 2, "bid": 2})

    async def after(guests: Guests) -> None:
        await until_question(guests, 2)
        session = guests.status.session
        assert session is not None
        assert [seat.dealer for seat in session.seats] == [False, False, True]
        assert [seat.score for seat in session.seats] == [-2, -2, 4]

    for scenario in (before, after):
        at_a_table(scenario, "robotic", automatic=False, store=tmp_path / "evening.db")


def test_the_last_hand_of_an_evening_is_reported_after_its_session(tmp_path: Path) -> None:
    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice=DA_SAN)
        await guests.until(lambda s: s.machine.top == "playing", limit=40_000)
        await guests.have("end_session")
        await until_question(guests, 1)
        assert guests.status.session is None
        await guests.have("report_result", result={"winner": 2, "bidder": 2, "bid": 2})
        (result,) = await guests.port.results("s1", 0, 5)
        assert (result.winner, result.scores) == (2, (-2, -2, 4))

    at_a_table(scenario, "robotic", automatic=False, store=tmp_path / "evening.db")


def test_a_session_without_a_hand_takes_no_report_of_the_session_before(tmp_path: Path) -> None:
    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice=DA_SAN)
        await guests.until(lambda s: s.machine.top == "playing", limit=40_000)
        await guests.have("end_session")
        await until_question(guests, 1)
        await guests.have("start_session", choice=DA_SAN)
        await guests.have("end_session")
        await guests.have("report_result", result={"winner": 0})
        (result,) = await guests.port.results("s1", 0, 5)
        assert (result.winner, result.sentence) == (0, "Seat 0 wins: out first.")

    async def after(guests: Guests) -> None:
        await asyncio.sleep(1.0)
        book = guests.service.sessions.last_book
        assert book is not None and book.id == "s1"

    for each in (scenario, after):
        at_a_table(each, "robotic", automatic=False, store=tmp_path / "evening.db")


def test_a_hand_before_a_change_of_house_rules_can_be_reported_after_it(tmp_path: Path) -> None:
    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice=DA_SAN)
        await until_question(guests, 1)
        await guests.have("report_result", result={"winner": 2})
        await guests.have("choose_next", choice={**DA_SAN, "house_rules": {"stake_unit": 2}})
        for hand in (2, 3):
            await until_question(guests, hand)
            await guests.have("report_result", result={"winner": 1, "bidder": 1, "bid": 1})
        late = {"winner": 0, "bidder": 0, "bid": 1}
        await guests.have("report_result", result=late, hand=1, reason="nobody had counted")
        results = await guests.port.results("s1", 0, 5)
        assert [each.scores for each in results] == [(2, -1, -1), (1, 1, -2), (-1, 5, -4)]
        lines: list[str] = []
        for hand in (1, 2, 3):
            record = await guests.port.record("s1", hand)
            assert record is not None
            lines += record.lines
        scores = [list(hand.match.scores) for hand in evening(lines, parameters_of)]
        assert scores == [[27, 24, 24], [26, 26, 23], [23, 29, 23]]

    at_a_table(scenario, "robotic", automatic=False, store=tmp_path / "evening.db")


@pytest.mark.parametrize("hand", [0, -1, 10**9, 10**5000], ids=["0", "-1", "10^9", "10^5000"])
def test_a_number_that_no_hand_has_is_refused(tmp_path: Path, hand: int) -> None:
    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice=DA_SAN)
        await until_question(guests, 1)
        reply = await guests.give("report_result", result={"winner": 0}, hand=hand, reason="no")
        assert reply.sentence.startswith("`hand` of the command 'report_result': Input should be")

    at_a_table(scenario, "robotic", automatic=False, store=tmp_path / "evening.db")


def test_names_and_winds_in_a_sentence_are_those_of_the_hand_that_was_reported(
    tmp_path: Path,
) -> None:
    async def scenario(guests: Guests) -> None:
        names = {"0": "Ana", "1": "Ben", "2": "Chen", "3": "Dora"}
        await guests.have("start_session", choice={"game": "wenzhou"}, names=names)
        await until_question(guests, 1)
        await guests.have("report_result", result={"winner": 1})
        await until_question(guests, 2)
        await guests.have("report_result", result={"winner": 0}, hand=1, reason="a slip")
        await asyncio.sleep(1.0)
        told = [each.text for each in guests.status.recent if "wins" in each.text]
        assert told == [
            "The hand is over: Ben (South) wins, won.",
            "Ann has corrected hand 1: Ana (East) wins, won.",
        ]
        await guests.have("end_session")
        await guests.have("start_session", choice={"game": "wenzhou"}, names={"0": "Zoe"})
        await asyncio.sleep(1.0)
        question = guests.status.question
        assert question is not None and question.session == "s1"
        assert [seat.name for seat in question.seats] == list(names.values())

    at_a_table(scenario, "robotic", automatic=False, store=tmp_path / "evening.db")


def test_a_session_of_version_0_2_that_followed_no_hands_goes_on_without_results(
    tmp_path: Path,
) -> None:
    async def scenario(guests: Guests) -> None:
        await asyncio.sleep(5.0)
        session = guests.status.session
        assert session is not None
        assert (session.id, session.rounds, session.follow) == ("s1", 1, "none")

    store = Path(copy(SAMPLES / "0.2" / "evening.db", tmp_path))
    at_a_table(scenario, "robotic", automatic=False, store=store)


async def answer_prompts(guests: Guests) -> None:
    """Answer every prompt of the set-up by its first choice."""
    while True:
        for prompt in guests.status.prompts:
            value = prompt.choices[0].value if prompt.choices else "3,4"
            await guests.give("answer", prompt=prompt.id, value=value)
        await asyncio.sleep(2.0)


def test_players_who_draw_new_seats_take_their_scores_along(tmp_path: Path) -> None:
    """The dealer's last hand of the row is won, so the seats are drawn again (W33)."""
    rules = {"dealer_scale": [2], "after_fourth": "reseat"}
    choice = {"game": "wenzhou", "dealer": 1, "house_rules": rules}
    names = {"0": "Ana", "1": "Bo", "2": "Chen", "3": "Dee"}

    def by_name(guests: Guests) -> dict[str, float]:
        session = guests.status.session
        assert session is not None
        return {seat.name: seat.score for seat in session.seats}

    async def before(guests: Guests) -> None:
        await guests.have("start_session", choice=choice, names=names)
        helper = asyncio.ensure_future(answer_prompts(guests))
        moves: list[list[int]] = []

        def announce_again(event: Event) -> None:
            """Announce a draw twice, as two runs do of which the first was killed meanwhile."""
            if event["event"] == "seats_drawn":
                moves.append(event["moves"])  # type: ignore[arg-type]
                guests.service.sessions.update(event)

        guests.service.listen(announce_again)
        await until_question(guests, 1)
        await guests.have("report_result", result={"winner": 1, "class": "soft"})
        await until_question(guests, 2)
        helper.cancel()
        session = guests.status.session
        assert session is not None
        assert [seat.name for seat in session.seats] != list(names.values())
        assert by_name(guests) == {"Ana": -2, "Bo": 6, "Chen": -2, "Dee": -2}
        assert {debt.creditor for debt in session.debts} == {"Bo"}
        (drawn,) = moves
        assert [seat.name for seat in session.seats] == [
            list(names.values())[drawn.index(seat)] for seat in range(4)
        ]

    async def after(guests: Guests) -> None:
        await guests.until(lambda s: s.session is not None)
        assert by_name(guests) == {"Ana": -2, "Bo": 6, "Chen": -2, "Dee": -2}

    for scenario in (before, after):
        at_a_table(scenario, "auto_deal", automatic=False, store=tmp_path / "evening.db")
