"""Filipino mahjong: which hands win, and the features of a win."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from rules.games.filipino.hand import Meld
from rules.games.filipino.parameters import Parameters
from rules.games.filipino.wins import Declared, WinningHand, winning_hand
from tests.quick import tries
from tests.rules.filipino.brute_force import any_tile_wins, wins_as

JOKER = "5m"
HOUSE = Parameters()
NUMBERS = [f"{number}{suit}" for suit in "mps" for number in range(1, 10)]
HANDS = tries(1_000, quick=1_000, evidence=20_000)
SEVEN_FIRST = "1m 1m 3m 3m 7m 7m 2p 2p 8p 8p 1s 1s 9s 9s 4s 5s 6s"


def shown(
    text: str, tile: str | None = None, *melds: Meld, taken: bool = True, house: Parameters = HOUSE
) -> WinningHand | None:
    return winning_hand(Declared(tuple(text.split()), JOKER, tile, taken, melds), house)


def test_FM_11_a_joker_fills_a_run() -> None:
    hand = shown("1m 2m 3m 4m 5m 6m 7p 7p 7p 1s 2s 3s 4s 5s 6s 9s 9s", "9s")
    assert hand is not None
    assert not hand.seven_first and not hand.escalera
    assert "4m 5m* 6m" in hand.reads


def test_FM_12_seven_pairs_and_a_set_are_seven_first() -> None:
    hand = shown(SEVEN_FIRST, "1m")
    assert hand is not None
    assert hand.seven_first and not hand.escalera and not hand.single_joker


def test_FM_13_a_joker_makes_the_seventh_pair() -> None:
    hand = shown(SEVEN_FIRST.replace("9s 9s", "9s 5m"), "1m")
    assert hand is not None
    assert hand.seven_first and not hand.single_joker


def test_FM_14_the_straight_of_one_suit_is_escalera() -> None:
    hand = shown("1p 2p 3p 4p 5p 6p 7p 8p 9p 2m 2m 2m 4s 5s 6s 8s 8s", "8s")
    assert hand is not None and hand.escalera
    other = shown("1p 2p 3p 4p 5p 6p 7p 7p 7p 2m 2m 2m 4s 5s 6s 8s 8s", "8s")
    assert other is not None and not other.escalera


def test_FM_14_a_called_run_and_a_joker_count_for_the_straight() -> None:
    called = Meld("chow", ("4p", "5p*", "6p"))
    hand = shown("1p 2p 3p 5m 8p 9p 2m 2m 2m 4s 5s 6s 8s 8s", "8s", called)
    assert hand is not None and hand.escalera


def test_FM_17_a_joker_that_waited_alone_is_a_single_joker() -> None:
    rest = "1m 2m 3m 4m 4m 4m 7p 7p 7p 1s 2s 3s 4s 5s 6s 5m"
    hand = shown(f"{rest} 9p", "9p")
    assert hand is not None and hand.single_joker
    waiting_elsewhere = shown("1m 2m 3m 4m 4m 4m 7p 7p 7p 1s 2s 3s 4s 5m 6s 9p 9p", "9p")
    assert waiting_elsewhere is not None and not waiting_elsewhere.single_joker


def test_a_joker_that_was_drawn_last_is_not_a_single_joker() -> None:
    tiles = "1m 2m 3m 4m 4m 4m 7p 7p 7p 1s 2s 3s 4s 5s 6s 9p 5m"
    hand = shown(tiles, "5m", taken=False)
    assert hand is not None and not hand.single_joker


def test_a_joker_taken_from_another_seat_counts_only_as_its_face() -> None:
    tiles = "1m 2m 3m 4m 4m 4m 7p 7p 7p 1s 2s 3s 4s 5s 6s 9p 5m"
    assert shown(tiles, "5m", taken=True) is None
    assert shown("1m 2m 3m 4m 5m 6m 7p 7p 7p 1s 2s 3s 4s 5s 6s 9s 9s", "5m") is not None


def test_four_equal_tiles_are_two_pairs_of_seven_first() -> None:
    hand = shown("1m 1m 1m 1m 7m 7m 2p 2p 8p 8p 1s 1s 9s 9s 4s 5s 6s", "1m")
    assert hand is not None and hand.seven_first


def test_the_set_of_seven_first_can_be_called_unless_the_house_forbids_it() -> None:
    called = Meld("chow", ("4s", "5s", "6s"))
    pairs = SEVEN_FIRST.removesuffix(" 4s 5s 6s")
    closed = Parameters(seven_first_open=False)
    assert shown(pairs, "1m", called) is not None
    assert shown(pairs, "1m", called, house=closed) is None
    covered = Meld("kong", ("6p",) * 4, concealed=True, secret=True)
    assert shown(pairs, "1m", covered, house=closed) is not None
    assert shown(SEVEN_FIRST, "1m", house=closed) is not None


def test_a_win_records_a_wait_on_two_pairs_or_between_two_tiles() -> None:
    two_pairs = shown("1m 2m 3m 7m 8m 9m 7p 7p 7p 1s 2s 3s 8s 8s 9s 9s 9s", "9s")
    assert two_pairs is not None and two_pairs.back_to_back and not two_pairs.middle
    between = shown("1m 2m 3m 7m 8m 9m 7p 7p 7p 1s 2s 3s 4s 5s 6s 9s 9s", "5s")
    assert between is not None and between.middle and not between.back_to_back


def hand_near_a_win(random: Random, jokers: int) -> list[str]:
    """Seventeen tiles without the jokers: a winning shape with up to two tiles exchanged."""
    wall = Counter({face: 4 for face in NUMBERS if face != JOKER})
    faces: list[str] = []

    def take(*tiles: str) -> None:
        if not Counter(tiles) - wall:
            wall.subtract(tiles)
            faces.extend(tiles)

    shape = random.choice(("sets", "straight", "pairs"))
    if shape == "straight":
        suit = random.choice("ps")
        take(*(f"{number}{suit}" for number in range(1, 10)))
    while shape == "pairs" and len(faces) < 14:
        take(*[random.choice(NUMBERS)] * 2)
    while len(faces) < (17 if shape == "pairs" else 15):
        first, suit = random.randint(1, 9), random.choice("mps")
        if random.random() < 0.5:
            take(*[f"{first}{suit}"] * 3)
        elif first < 8:
            take(*(f"{first + step}{suit}" for step in range(3)))
    while len(faces) < 17:
        take(*[random.choice(NUMBERS)] * 2)
    random.shuffle(faces)
    del faces[:jokers]
    for at in range(random.choice((0, 0, 1, 2))):
        wall.update([faces[at]])
        faces[at] = random.choice([face for face in wall if wall[face] > 0])
        wall.subtract([faces[at]])
    return faces


@pytest.mark.slow
@pytest.mark.evidence
def test_wins_of_thousands_of_hands_agree_with_the_slow_search() -> None:
    random = Random(20)
    seen: Counter[str] = Counter()
    for number in range(HANDS):
        jokers = number % 4
        faces = hand_near_a_win(random, jokers)
        tile = random.choice(faces)
        expected = wins_as(faces, jokers)
        before = list(faces)
        before.remove(tile)
        single = bool(expected) and any_tile_wins(before, jokers)
        hand = winning_hand(Declared((*faces, *[JOKER] * jokers), JOKER, tile, taken=True), HOUSE)
        case = (faces, jokers, tile)
        assert (hand is not None) == bool(expected), case
        if hand is not None:
            assert hand.seven_first == ("seven first" in expected), case
            assert hand.escalera == ("escalera" in expected), case
            assert hand.single_joker == single, case
        seen.update([*expected, "single joker" * single, "wins" if expected else "does not win"])
    assert (
        min(seen[name] for name in ("plain", "escalera", "seven first", "single joker"))
        > HANDS // 80
    )
    assert min(seen["wins"], seen["does not win"]) > HANDS // 7
