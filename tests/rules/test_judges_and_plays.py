"""The judge of each game accepts every case that a play produces, and agrees with the play.

Hands are played by sensible players who sometimes take a random legal action. For every action that
a judge can be asked about, the case is made from the position and judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from random import Random
from typing import Any

import pytest

from rules.games import rules_of
from rules.games.backgammon.actions import Move, Roll
from rules.games.backgammon.judge import Case as BackgammonCase
from rules.games.backgammon.judge import judge as judge_backgammon
from rules.games.da_san.actions import Lay as DaSanLay
from rules.games.da_san.judge import Case as DaSanCase
from rules.games.da_san.judge import judge as judge_da_san
from rules.games.da_san.position import faces_of
from rules.games.dominoes.actions import Call, Go, Lay
from rules.games.dominoes.judge import Case as DominoCase
from rules.games.dominoes.judge import House
from rules.games.dominoes.judge import judge as judge_dominoes
from rules.games.dominoes.variants import VARIANTS
from rules.games.filipino.judge import Case as FilipinoCase
from rules.games.filipino.judge import Rival as FilipinoRival
from rules.games.filipino.judge import judge as judge_filipino
from rules.games.pai_gow.judge import Case as PaiGowCase
from rules.games.pai_gow.judge import judge as judge_pai_gow
from rules.games.wenzhou.actions import Pass, Win
from rules.games.wenzhou.judge import Case as WenzhouCase
from rules.games.wenzhou.judge import Rival as WenzhouRival
from rules.games.wenzhou.judge import judge as judge_wenzhou
from rules.games.wenzhou.state import Stage
from tests.quick import tries
from tests.rules.hidden_hands import dealt, houses

HANDS = tries(15, quick=15, evidence=240)
"""Hands of each mahjong; about one in three ends with a win."""


def played(game: str, hands: int) -> Iterator[Any]:
    """Every position of some hands with all tiles known, each house in turn."""
    rules = rules_of(game)
    for number in range(hands):
        chance = Random(f"{game} {number}")
        house = houses(game)[number % len(houses(game))]
        dealer = number % 2
        play = rules.start(*dealt(game, chance, dealer=dealer, parameters=house))
        yield play
        while play.settlement is None:
            seat = play.to_act[0]
            action = rules.sensible(play, seat)
            if chance.random() < 0.1:
                offered = [each for each in play.legal_actions if each.seat == seat]
                action = chance.choice(offered)
            play = play.apply(action)
            yield play


def settled_by_wins(play: Any, seats: tuple[int, ...], win: Callable[[int], Any], go: Any) -> Any:
    """The settlement if these seats win now and all other seats pass."""
    while play.settlement is None:
        seat = play.to_act[0]
        if seat in seats and win(seat) in play.legal_actions:
            play = play.apply(win(seat))
        else:
            play = play.apply(go(seat))
    return play.settlement


# Wenzhou


def wenzhou_case(play: Any, seat: int, rivals: tuple[int, ...]) -> WenzhouCase:
    """The judge's case for a win that the seat can declare in this position."""
    position = play.position
    own = position.stage is Stage.ACT
    tiles = {each: tuple(position.seats[each].tiles) for each in (seat, *rivals)}
    melds = {each: tuple(m.faces for m in position.seats[each].melds) for each in (seat, *rivals)}
    by = position.by if own else "robbing" if position.stage is Stage.ROB else "discard"
    first = position.drawn + position.replaced + position.discarded == 0
    if by == "discard":
        first = position.discarded == 1
    return WenzhouCase(
        indicator=position.deal.caishen.face,
        hand=tiles[seat],
        seat=seat,
        tile=position.tile,
        by=by,
        melds=melds[seat],
        dealer=position.deal.stakes.dealer,
        streak=position.deal.stakes.streak,
        discarder=None if own else position.turn,
        first_turn=first,
        undisturbed=not position.calls,
        claims=tuple(WenzhouRival(each, tiles[each], melds[each]) for each in rivals),
        parameters=position.deal.parameters,
    )


@pytest.mark.slow
@pytest.mark.evidence
def test_every_win_of_a_wenzhou_hand_is_judged_as_it_is_played() -> None:
    judged, rivals = 0, 0
    for play in played("wenzhou", HANDS):
        if play.settlement is not None or play.position.stage is Stage.SHOW:
            continue
        if play.position.answers:
            continue  # Claims are judged in the position in which all of them are still possible.
        able = tuple(seat for seat in play.to_act if Win(seat) in play.legal_actions)
        for seat in able:
            others = tuple(each for each in able if each != seat)
            verdict = judge_wenzhou(wenzhou_case(play, seat, others))
            settlement = settled_by_wins(play, able, Win, Pass)
            assert verdict.legal == verdict.win == (settlement.winner == seat)
            assert (verdict.name, verdict.multiplier) == (settlement.name, settlement.multiplier)
            wins = [pay for pay in settlement.payments if "caishen money" not in pay.why]
            assert [*verdict.payments] == wins
            judged += 1
            rivals += len(others)
    assert judged > HANDS // 3


# Filipino


def filipino_case(play: Any, seat: int, rivals: tuple[int, ...]) -> FilipinoCase:
    """The judge's case for a win that the seat can declare in this position."""
    table = play.table
    hands, offer = table.hands, table.offer
    by, tile = "self", table.drawn
    if offer is not None:
        by, tile = ("discard" if offer.added is None else "robbing"), offer.face

    def rival(each: int) -> FilipinoRival:
        hand = hands[each]
        laid = tuple(meld.tiles for meld in hand.melds)
        return FilipinoRival(each, hand.concealed, laid, len(hand.flores))

    own = rival(seat)
    return FilipinoCase(
        joker=table.joker,
        hand=own.hand,
        seat=seat,
        tile=tile,
        by=by,
        melds=own.melds,
        flores=own.flores,
        discarder=None if offer is None else offer.by,
        claims=tuple(map(rival, rivals)),
        doubled=table.stakes == 2,
        parameters=table.house,
    )


@pytest.mark.slow
@pytest.mark.evidence
def test_every_win_of_a_filipino_hand_is_judged_as_it_is_played() -> None:
    rules = rules_of("filipino")
    judged = 0
    for play in played("filipino", HANDS):
        if play.table.offer is not None and play.table.offer.answers:
            continue
        win = {seat: rules.parse(seat, "win") for seat in play.to_act}
        able = tuple(seat for seat in play.to_act if win[seat] in play.legal_actions)
        for seat in able:
            others = tuple(each for each in able if each != seat)
            verdict = judge_filipino(filipino_case(play, seat, others))
            settlement = settled_by_wins(
                play, able, win.__getitem__, lambda each: rules.parse(each, "pass")
            )
            assert verdict.legal == verdict.win == (settlement.winner == seat)
            assert verdict.name == settlement.name
            before = len(play.table.payments)
            wins = [pay for pay in settlement.payments[before:] if "Hi-Alai" not in pay.why]
            assert [*verdict.payments] == wins
            judged += 1
    assert judged > HANDS // 3


# Dominoes


def domino_case(play: Any, game: str, action: Any) -> DominoCase:
    """The judge's case for an action, with every hand, the layout and the scores so far."""
    house = asdict(play.parameters)
    own = asdict(next(each.parameters for each in VARIANTS if each.name == game))
    return DominoCase(
        game=game,
        tile=str(action),
        layout=tuple(str(each) for each in play.actions if isinstance(each, Lay)),
        seat=action.seat,
        called=isinstance(action, Call),
        hands=play.hands,
        boneyard=len(play.boneyard) if play.tableau.ends else None,
        passed=play.goes,
        scores=play.scores,
        parameters=House(**{name: house[name] for name in house if house[name] != own[name]}),
    )


@pytest.mark.parametrize("game", [variant.name for variant in VARIANTS])
@pytest.mark.slow
def test_every_action_at_dominoes_is_judged_as_it_is_played(game: str) -> None:
    ended = 0
    for number in range(12):
        chance = Random(f"{game} {number}")
        house = houses(game)[number % len(houses(game))]
        setup, tiles = dealt(game, chance, parameters=house)
        play = rules_of(game).start(setup, tiles)
        while play.settlement is None:
            action = chance.choice(tuple(play.legal_actions))
            after = play.apply(action)
            if not (play.ended and isinstance(action, Go)):
                check_verdict(play, after, domino_case(play, game, action))
                ended += after.settlement is not None
            play = after
    assert ended > 5


def check_verdict(play: Any, after: Any, case: DominoCase) -> None:
    """Checks the verdict on one action: its points, and those of the hand if the action ends it."""
    verdict = judge_dominoes(case)
    assert verdict.legal, (case, verdict)
    # In this case the points of the tile are not called; a call of them is another case.
    closed = after._replace(claim=0)
    made = closed.scored[len(play.scored) :]
    settlement = closed.settlement
    paid = [(pay.to, pay.amount) for pay in verdict.payments]
    if settlement is None:
        assert paid == [(score.seat, score.points) for score in made]
        return
    all_paid = [(pay.to, pay.amount) for pay in settlement.payments]
    assert paid == all_paid[len(play.scored) :]
    assert verdict.win == (settlement.winner is not None)
    if isinstance(case.tile, str) and closed.ended in ("out", "blocked"):
        ending = judge_dominoes(
            replace(case, tile=None, hands=closed.hands, passed=0, layout=layout_of(closed))
        )
        assert [(pay.to, pay.amount) for pay in ending.payments] == all_paid[len(closed.scored) :]


def layout_of(play: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in play.actions if isinstance(each, Lay))


# Da San


@pytest.mark.slow
def test_every_play_and_every_end_at_da_san_is_judged_as_it_is_played() -> None:
    ended = 0
    for number in range(30):
        chance = Random(f"da_san {number}")
        house = houses("da_san")[number % len(houses("da_san"))]
        setup, tiles = dealt("da_san", chance, parameters=house)
        play = rules_of("da_san").start(setup, tiles)
        table: tuple[str, ...] = ()
        passed: set[int] = set()
        while play.settlement is None:
            action = chance.choice(tuple(play.legal_actions))
            after = play.apply(action)
            if play.round is not None:
                table = table if play.round.best is not None else ()
                passed = passed if table else set()
                cards = action.cards if isinstance(action, DaSanLay) else ()
                case = DaSanCase(
                    table=table,
                    play=cards,
                    seat=action.seat,
                    hand=faces_of(play.hands[action.seat].known),
                    passed=action.seat in passed,
                    bidder=play.bidder,
                    bid=play.auction.bid,
                    out=after.winner,
                    doubled=play.doubled,
                    parameters=house,
                )
                verdict = judge_da_san(case)
                assert verdict.legal, (case, verdict)
                assert verdict.win == (after.settlement is not None)
                if after.settlement is not None:
                    assert verdict.payments == after.settlement.payments
                    assert verdict.multiplier == after.settlement.multiplier
                    ended += 1
                table = cards or table
                passed = passed if cards else passed | {action.seat}
            play = after
    assert ended == 30


# Backgammon


@pytest.mark.slow
def test_every_move_at_backgammon_is_judged_as_it_is_played() -> None:
    ended = 0
    for number in range(8):
        chance = Random(f"backgammon {number}")
        house = houses("backgammon")[number % len(houses("backgammon"))]
        setup, tiles = dealt("backgammon", chance, parameters=house)
        play = rules_of("backgammon").start(setup, tiles)
        while play.settlement is None:
            action = chance.choice(tuple(play.legal_actions))
            after = play.apply(action)
            if isinstance(action, Move):
                verdict = judge_backgammon(backgammon_case(play, str(action)))
                assert verdict.legal, (play, action, verdict)
                assert verdict.win == (after.settlement is not None)
                if after.settlement is not None:
                    assert verdict.payments == after.settlement.payments
                    assert verdict.multiplier == after.settlement.multiplier
                    ended += 1
            elif isinstance(action, Roll) and after.dice is None:
                thrown = replace(play, dice=action.dice)
                assert judge_backgammon(backgammon_case(thrown, "pass")).legal
            play = after
    assert ended


def backgammon_case(play: Any, move: str) -> BackgammonCase:
    return BackgammonCase(
        position=str(play.board),
        dice=play.dice,
        move=move,
        seat=play.turn,
        cube=play.cube,
        owner=play.owner,
        parameters=play.parameters,
    )


# Pai gow


def test_every_bet_at_pai_gow_is_judged_as_it_is_settled() -> None:
    rules = rules_of("pai_gow")
    for number in range(12):
        chance = Random(f"pai_gow {number}")
        house = replace(houses("pai_gow")[number % 2], highest_stake=1 + 49 * (number % 3))
        setup, tiles = dealt("pai_gow", chance, parameters=house)
        play = rules.start(setup, tiles)
        while play.settlement is None:
            play = play.apply(chance.choice(tuple(play.legal_actions)))
        bank = play.hands[play.banker]
        for seat in play.players:
            hand = play.hands[seat]
            verdict = judge_pai_gow(
                PaiGowCase(
                    player=hand.tiles,
                    banker=bank.tiles,
                    player_set=str(hand.split),
                    banker_set=str(bank.split),
                    bet=play.stakes[seat],
                    seat=seat,
                    dealer=play.banker,
                    parameters=house,
                )
            )
            assert verdict.legal
            assert (verdict.name, verdict.win) == (play.result(seat), play.result(seat) == "win")
            own = [pay for pay in play.settlement.payments if seat in (pay.source, pay.to)]
            assert [*verdict.payments] == own
