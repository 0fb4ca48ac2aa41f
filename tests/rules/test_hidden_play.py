"""A table that reads no tile plays hands of every game from the actions that players announce."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.errors import RulesError
from rules.games import GAMES, find_game, rules_of
from rules.games.backgammon.setup import Parameters as Backgammon
from rules.games.da_san.setup import kitty_places
from rules.games.dominoes import DOMINO_GAMES
from rules.games.dominoes.actions import Lay
from rules.games.wenzhou.setup import Parameters as Wenzhou
from rules.games.wenzhou.state import Stage
from rules.play import Rules
from rules.records.record import recorded, replayed
from rules.setup import Setup, settle
from rules.steps import Packet, Replace
from rules.tiles import Face
from tests.quick import slow_except, tries
from tests.rules.hidden_hands import (
    AllTiles,
    Hand,
    dealt,
    half_random,
    houses,
    play_hidden,
    play_hidden_stepwise,
    preferring,
    tiles_with,
)
from tests.rules.wenzhou.tables import set_up


def in_the_middle(game: str, play: Any) -> int | None:
    """The number of tiles or cards outside the hands: discarded, laid or played.

    None for a game of another package, of which only the tiles in hand can be counted.
    """
    match game:
        case "wenzhou":
            return len(play.position.discards) + (play.position.stage is Stage.CLAIM)
        case "filipino":
            return len(play.table.middle)
        case "da_san":
            on_table = play.round.cards if play.round else 0
            return (play.gone | on_table).bit_count()
        case "pai_gow" | "backgammon":
            return 0
    if game in {each.name for each in DOMINO_GAMES}:
        return sum(isinstance(action, Lay) for action in play.actions)
    return None


def count(steps: tuple[Packet | Replace, ...]) -> int:
    return sum(len(step.places) if isinstance(step, Packet) else 1 for step in steps)


def begun_with(hand: Hand) -> int:
    """The number of tiles dealt to the seats with players; pai gow deals to all eight seats."""
    seats = range(hand.setup.seating.players)
    return sum(len(hand.setup.hands.get(seat, ())) for seat in seats)


def seen(held: tuple[Face | None, ...]) -> Counter[Face]:
    return Counter(face for face in held if face is not None)


def followed(
    rules: Rules, setup: Setup, tiles: AllTiles, chance: Random, match: Any = None
) -> Hand:
    """Plays a hand to its end; checks the number of tiles after each action, and the settlement."""
    for hand in play_hidden_stepwise(rules, setup, tiles, chance, match):
        for play, handed in ((hand.play, hand.handed), (hand.full_play, hand.fully_handed)):
            in_hand, middle = sum(map(len, rules.held(play))), in_the_middle(rules.game, play)
            given = begun_with(hand) + count(handed)
            assert in_hand <= given if middle is None else in_hand + middle == given
    assert hand.full_play.settlement is not None
    assert hand.play.settlement == hand.full_play.settlement
    assert hand.handed == hand.fully_handed
    for public, full in zip(rules.held(hand.play), rules.held(hand.full_play), strict=True):
        assert len(public) == len(full) and seen(public) <= seen(full)
    return hand


@pytest.mark.parametrize("game", slow_except(["wenzhou", "block", "pai_gow"], GAMES))
@pytest.mark.evidence
@settings(max_examples=tries(12, quick=5, evidence=100), deadline=None)
@given(seed=st.integers(0, 2**32), sensible=st.booleans(), data=st.data())
def test_a_table_that_reads_no_tile_settles_as_if_it_had_read_all_tiles(
    game: str, seed: int, sensible: bool, data: st.DataObject
) -> None:
    chance = Random(seed)
    house = data.draw(st.sampled_from(houses(game)))
    players = data.draw(st.sampled_from(GAMES[game].players))
    dealer = data.draw(st.integers(0, players - 1))
    setup, tiles = dealt(game, chance, players=players, dealer=dealer, parameters=house)
    rules = rules_of(game) if sensible else half_random(game, chance)
    match = rules.match(house, players, dealer)

    hand = followed(rules, setup, tiles, chance, match)

    assert match.after(hand.play) == match.after(hand.full_play)
    again = replayed(recorded(setup, {}, hand.actions), house)
    assert again.settlement == hand.play.settlement


@pytest.mark.parametrize("game", GAMES)
def test_a_match_continues_in_the_same_way_with_and_without_tiles_that_are_read(game: str) -> None:
    chance, rules, house = Random(11), rules_of(game), houses(game)[-1]
    match = rules.match(house, GAMES[game].players[0], 1)
    for _ in range(4):
        players = len(match.scores)
        setup, tiles = dealt(game, chance, players=players, dealer=match.dealer, parameters=house)
        hand = followed(rules, setup, tiles, chance, match)
        assert match.after(hand.play) == match.after(hand.full_play)
        match = match.after(hand.play)
        if match.over:
            break


@pytest.mark.parametrize("game", GAMES)
def test_a_table_that_reads_every_tile_follows_the_same_announced_actions(game: str) -> None:
    chance, rules = Random(3), rules_of(game)
    setup, tiles = dealt(game, chance)
    seeing = replace(rules, start=lambda setup, _, match: rules.start(setup, tiles, match))
    hand = play_hidden(seeing, setup, tiles, chance)
    assert hand.play == hand.full_play


# Wenzhou

MISFITS = "1m 4m 7m 9m 1p 4p 8p 1s 4s 7s 1z 2z 3z 6z 7z 4z"


def wenzhou(named: dict[int, str], draws: str = "", **house: Any) -> tuple[Setup, AllTiles]:
    """A set-up with dealer 0 and indicator 2m; `named` are hands, or the beginnings of hands."""
    setup = set_up("2m", parameters=Wenzhou(**house))
    assert setup.ready is not None and setup.ready.indicator is not None
    places = {setup.hands[seat]: faces for seat, faces in named.items()}
    places |= {(setup.ready.indicator,): "2m", setup.ready.draws: draws}
    return setup, tiles_with(setup, places)


def test_a_kong_gets_its_tile_from_the_replacement_end() -> None:
    setup, tiles = wenzhou({0: f"9s 9s 9s 9s {MISFITS}"[: 17 * 3 - 1]})
    assert setup.ready is not None
    hand = followed(preferring("wenzhou", "0 kong 9s"), setup, tiles, Random(1))
    assert hand.texts[:2] == ["0 kong 9s", "0 draw"]
    assert hand.handed[0] == Replace(0, setup.ready.replacements[0])
    kongs = sum(" kong" in text for text in hand.texts)
    assert kongs == sum(isinstance(step, Replace) for step in hand.handed)


def test_after_a_kong_of_a_discard_a_tile_is_replaced_although_all_seats_were_asked() -> None:
    setup, tiles = wenzhou({0: "9s " + MISFITS, 2: "9s 9s 9s"}, discard_order=False)
    assert setup.ready is not None
    hand = followed(preferring("wenzhou", "0 discard 9s", "2 kong"), setup, tiles, Random(1))
    assert hand.texts[:5] == ["0 discard 9s", "2 kong", "1 pass", "3 pass", "2 draw"]
    assert hand.handed[0] == Replace(2, setup.ready.replacements[0])


ROBBING = (
    *("0 discard 5m", "2 pong", "2 discard 8m", "3 discard 7m", "0 discard 7m", "1 discard 1z"),
    *("2 kong 5m", "1 win", "0 pass", "1 pass", "3 pass"),
)
"""Seat 2 pongs 5m and has the fourth 5m in hand; seat 1 draws its pair and then waits for 5m."""


def before_the_robbing() -> tuple[Setup, AllTiles]:
    named = {
        0: "5m 1m 4s 7s 1z 2z 4z 6z 7z 9m 5s 5s 8s 8s 3z 3z 9m",
        1: "4m 6m 1p 2p 3p 4p 5p 6p 7p 8p 9p 1s 2s 3s 9s 1z",
        2: "5m 5m 5m 1m 4s 7s 1z 2z 4z 6z 7z 8m 6s 6s 3m 3z",
        3: "1m 3m 7m 4s 1z 2z 4z 6z 7z 3z 8m 8m 5s 8s 5z 5z",
    }
    return wenzhou(named, "7m 7m 9s 7m", discard_order=False)


def test_a_tile_added_to_a_pong_can_be_robbed_by_a_hidden_hand() -> None:
    rules = preferring("wenzhou", *ROBBING)
    hand = followed(rules, *before_the_robbing(), Random(1))
    assert hand.texts[-4] == "2 kong 5m" and hand.texts[-3].startswith("1 win 4m 6m 1p")
    assert hand.play.settlement.name == "robbing a kong"
    assert [held.count("5m") for held in rules.held(hand.play)] == [0, 1, 3, 0]


def test_an_added_tile_belongs_to_its_player_until_a_seat_robs_it() -> None:
    rules = preferring("wenzhou", *ROBBING)
    hands = play_hidden_stepwise(rules, *before_the_robbing(), Random(1))
    added = next(hand for hand in hands if hand.texts[-1:] == ["2 kong 5m"])
    assert rules.held(added.play)[2].count("5m") == 4


def test_caishen_that_are_paid_for_are_shown_when_the_hand_has_ended() -> None:
    setup, tiles = wenzhou({1: "2m 2m", 3: "2m"}, caishen_money=3)
    hand = followed(rules_of("wenzhou"), setup, tiles, Random(1))
    shown = [text for text in hand.texts if "show" in text]
    assert {"1 show 2", "3 show 1"} & set(shown)
    paid = [payment for payment in hand.play.settlement.payments if "W35" in payment.why]
    assert {(payment.to, payment.amount) for payment in paid} == {(1, 6), (3, 3)}


# Filipino


def filipino(named: dict[int, str], tail: str, draws: str) -> tuple[Setup, AllTiles]:
    """A set-up with seat 2 as mano, no flores, and these tiles at the two ends of the wall.

    The joker is not read.
    """
    setup = settle(find_game("filipino").setup(), [(3, 4), (2, 3)])
    assert setup.ready is not None
    numbers = [face for face in setup.game.tiles.faces if face[-1] in "mps"]
    for face in " ".join((*named.values(), tail, draws)).split():
        if face in numbers:
            numbers.remove(face)
    Random(2).shuffle(numbers)
    hands = {}
    for seat, places in setup.hands.items():
        own = named.get(seat, "").split()
        hands[places] = " ".join([*own, *(numbers.pop() for _ in places[len(own) :])])
    return setup, tiles_with(
        setup, hands | {setup.ready.replacements: tail, setup.ready.draws: draws}
    )


def test_a_secret_kong_and_a_flores_drawn_for_it_are_replaced_from_the_end() -> None:
    setup, tiles = filipino({2: "4p 4p 4p 4p"}, tail="1f 9s", draws="3f")
    assert setup.ready is not None
    rules = preferring("filipino", "2 secret 4p 4p 4p 4p")
    hand = followed(rules, setup, tiles, Random(1))
    first, second, *_ = setup.ready.replacements
    assert hand.texts[:2] == ["2 secret", "2 flores 1f"]
    assert hand.handed[:2] == (Replace(2, first), Replace(2, second))
    full, public = rules.held(hand.full_play)[2], rules.held(hand.play)[2]
    assert full.count("4p") == 4
    assert hand.play.settlement.winner == 2 or "4p" not in public


def test_a_flores_drawn_during_play_is_laid_out_and_replaced() -> None:
    setup, tiles = filipino({}, tail="9s 8s", draws="3f 2f")
    assert setup.ready is not None
    hand = followed(rules_of("filipino"), setup, tiles, Random(1))
    at = next(number for number, text in enumerate(hand.texts) if text.endswith("flores 3f"))
    seat = hand.actions[at].seat
    assert hand.texts[at - 1] == f"{seat} draw"
    assert hand.handed[:2] == (
        Packet(seat, (setup.ready.draws[0],)),
        Replace(seat, setup.ready.replacements[0]),
    )


def test_a_tile_added_to_a_pong_is_replaced_after_all_seats_have_passed() -> None:
    """In the full play no seat can rob it, so its replacement is due three passes earlier there."""
    setup, tiles = filipino({2: "9m", 0: "9m 9m 9m 1s"}, tail="8s", draws="")
    preferred = ("2 discard 9m", "0 pong 9m 9m 9m", "0 add 9m", "0 discard 1s")
    rules = preferring("filipino", *preferred)
    hands = list(play_hidden_stepwise(rules, setup, tiles, Random(1)))
    at = next(number for number, hand in enumerate(hands) if hand.texts[-1:] == ["0 add 9m"])
    assert hands[at].fully_handed[-1:] == hands[at + 3].handed[-1:]
    assert isinstance(hands[at + 3].handed[-1], Replace)
    assert len(hands[at].handed) == len(hands[at + 2].handed) < len(hands[at + 3].handed)
    assert hands[at + 3].texts[-3:] == ["1 pass", "2 pass", "3 pass"]


# The other games


@pytest.mark.parametrize("seed", range(5))
def test_the_bidder_gets_the_kitty_from_the_top_of_the_remaining_cards(seed: int) -> None:
    setup, tiles = dealt("da_san", Random(seed), dealer=seed % 3)
    hand = followed(rules_of("da_san"), setup, tiles, Random(1))
    assert hand.handed == (Packet(hand.play.bidder, kitty_places(setup)),)
    cut = setup.outcomes[1]
    assert isinstance(cut, int)
    assert [place.number for place in kitty_places(setup)] == [
        (cut - 4 + step) % 52 + 1 for step in range(4)
    ]


@pytest.mark.parametrize("game", ["draw", "muggins", "threes", "matador", "sniff"])
def test_tiles_are_drawn_from_the_boneyard_in_its_order(game: str) -> None:
    handed = 0
    for seed in range(5):
        setup, tiles = dealt(game, Random(seed), players=2)
        assert setup.ready is not None
        hand = followed(rules_of(game), setup, tiles, Random(1))
        drawn = [action.seat for action in hand.actions if str(action) == "draw"]
        places = setup.ready.draws[: len(drawn)]
        assert hand.handed == tuple(
            Packet(seat, (place,)) for seat, place in zip(drawn, places, strict=True)
        )
        handed += len(drawn)
    assert handed


def test_at_backgammon_the_table_throws_unless_a_seat_doubles_first() -> None:
    house = Backgammon(doubling_cube=True)
    setup, tiles = dealt("backgammon", Random(4), parameters=house)
    hand = followed(
        preferring("backgammon", "0 double", "1 double", "0 take", "1 take"),
        setup,
        tiles,
        Random(4),
    )
    actions = [str(action) for action in hand.actions]
    assert actions[1:3] == ["double", "take"] and actions[3].startswith("roll")
    assert hand.play.cube >= 2 and hand.play.settlement.multiplier % hand.play.cube == 0
    assert rules_of("backgammon").held(hand.play) == ((), ())


def test_pai_gow_hands_are_set_face_down_and_shown_after_all_are_set() -> None:
    setup, tiles = dealt("pai_gow", Random(6), players=3, dealer=1)
    hand = followed(rules_of("pai_gow"), setup, tiles, Random(1))
    assert hand.texts[:3] == ["2 set", "0 set", "1 set"]
    assert [text.split()[:2] for text in hand.texts[3:]] == [
        ["2", "show"],
        ["1", "show"],
        ["0", "show"],
    ]
    assert hand.handed == ()


def test_a_full_play_that_does_not_match_is_refused() -> None:
    rules = rules_of("backgammon")
    with pytest.raises(RulesError, match="seat 2, but the full play does"):
        rules.catch_up(None, None, 2)


def test_dice_that_no_play_waits_for_are_refused() -> None:
    rules = rules_of("wenzhou")
    assert rules.throw(None) is None
    with pytest.raises(RulesError, match="No throw is due now"):
        rules.thrown(None, (3, 1))
