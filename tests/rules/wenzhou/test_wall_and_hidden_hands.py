"""Wenzhou mahjong: the end of the wall, and hands with unknown tiles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.errors import NotationError, RulesError
from rules.games.wenzhou import WENZHOU, WENZHOU_RULES, WenzhouPlay
from rules.games.wenzhou.actions import Discard, Pass
from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.state import Stage
from rules.play import IllegalActionError
from tests.rules.wenzhou.hands import tiles
from tests.rules.wenzhou.tables import MISFITS, allowed, go, set_up, table, why_not

DEALER = f"{MISFITS} Green"


def unseen(first: int, second: int, **more: Parameters) -> WenzhouPlay:
    """A play after throws of these sums, with only the indicator known."""
    throws = tuple((max(1, total - 6), total - max(1, total - 6)) for total in (first, second))
    setup = set_up("2m", throws, **more)  # type: ignore[arg-type]
    play: WenzhouPlay = WENZHOU_RULES.start(setup)
    return play


def to_the_end(play: WenzhouPlay) -> WenzhouPlay:
    """The hand at its end, played by sensible players."""
    while play.settlement is None:
        play = play.apply(WENZHOU_RULES.sensible(play, play.to_act[0]))
    return play


@pytest.mark.parametrize(
    ("second", "draws", "left"), [(6, 55, 16), (7, 55, 16), (8, 53, 18), (12, 45, 26)]
)
@pytest.mark.slow
def test_WZ_05_the_hand_is_drawn_at_the_reserve_or_before_the_indicator(
    second: int, draws: int, left: int
) -> None:
    over = to_the_end(unseen(8, second))
    assert (over.position.drawn, over.position.left) == (draws, left)
    assert over.settlement is not None and over.settlement.name == "drawn hand"
    reason = "tiles are left" if left == 16 else "before the indicator has been taken"
    assert reason in over.settlement.reasons[0]


@pytest.mark.parametrize(("second", "draws", "left"), [(6, 52, 16), (12, 45, 23)])
@pytest.mark.slow
def test_WZ_06_kongs_reduce_the_draws_only_if_the_reserve_ends_the_wall(
    second: int, draws: int, left: int
) -> None:
    play = unseen(8, second)
    for face in ("1s", "2s", "3s"):
        play = go(play, f"0 kong {face}", "0 draw")
    over = to_the_end(play)
    assert (over.position.drawn, over.position.left, over.kongs) == (draws, left, 3)


def test_WZ_07_replacements_are_taken_backwards_without_the_indicator() -> None:
    play = unseen(8, 2)
    sources = []
    for seat, faces in ((0, "1234s"), (1, "12p")):
        for face in tiles(faces):
            play = go(play, f"{seat} kong {face}")
            sources.append(str(play.source))
            play = go(play, f"{seat} draw")
        if seat == 0:
            play = go(play, "0 discard 9s", "all pass", "1 draw")
    assert sources == ["w3.10u", "w3.10l", "w3.9u", "w3.9l", "w3.8l", "w3.7u"]


@pytest.mark.slow
def test_E4_the_last_discard_can_still_be_won() -> None:
    play = unseen(8, 6)
    while play.position.can_draw or play.position.stage is not Stage.ACT:
        play = play.apply(WENZHOU_RULES.sensible(play, play.to_act[0]))
    assert play.settlement is None and play.position.left == 16
    assert "no replacement tile (E5)" in why_not(play, f"{play.to_act[0]} kong 9p")
    play = play.apply(WENZHOU_RULES.sensible(play, play.to_act[0]))
    assert len(play.to_act) == 3 and play.position.stage is Stage.CLAIM
    assert go(play, "all pass").settlement is not None


def test_a_hidden_hand_is_played_from_the_announced_actions() -> None:
    play = go(unseen(8, 6), "0 discard 5m", "2 pong", "all pass", "2 discard 9s")
    assert play.position.seats[2].hidden == 13
    assert str(play.position.seats[2].melds[0]) == "pong 5m 5m 5m"
    play = go(play, "3 chow 7s 8s", "all pass", "3 discard 1m", "all pass", "0 draw 4p")
    assert play.position.seats[0].known == ("4p",)
    assert "discard 5m" in allowed(play, 0)
    play = go(play, "0 discard 5m", "all pass", "1 draw")
    assert "Seat 1 has no '5m'" in why_not(play, "1 discard 5m")


def test_a_hidden_hand_of_one_tile_cannot_claim_with_two() -> None:
    """The seat has shown all its other tiles in melds, so one unknown tile is left to it."""
    play = go(unseen(8, 6), "0 discard 5m")
    seats = list(play.position.seats)
    assert why_not(play, "2 pong") == ""
    for left, refused in ((2, False), (1, True)):
        seats[2] = replace(seats[2], tiles=(None,) * left)
        position = replace(play.position, seats=tuple(seats))
        assert (
            "does not have 5m 5m" in why_not(replace(play, position=position), "2 pong")
        ) is refused


def test_a_hidden_hand_wins_by_showing_its_tiles() -> None:
    play = go(unseen(8, 6), "0 discard 9s")
    assert "show the 16 unknown tiles of seat 1; name" in why_not(play, "1 win")
    shown = " ".join(tiles("345m 678m 123p 456p 78s EE"))
    over = go(play, f"1 win {shown}", "all pass")
    assert over.settlement is not None and over.settlement.name == "earth"
    assert over.position.seats[1].hidden == 0
    nothing = " ".join(tiles("345m 678m 123p 456p 78s ES"))
    assert "neither five sets and a pair" in why_not(play, f"1 win {nothing}")
    too_many = " ".join(tiles("9999s 678m 123p 456p EEE"))
    assert "'9s' cannot be among the unknown tiles of seat 1" in why_not(play, f"1 win {too_many}")


def test_W35_hidden_hands_show_their_caishen_at_the_end_if_the_house_pays_for_them() -> None:
    play = unseen(8, 6, parameters=Parameters(caishen_money=3))
    while play.position.stage is not Stage.SHOW:
        play = play.apply(WENZHOU_RULES.sensible(play, play.to_act[0]))
    assert play.settlement is None and play.to_act == (0, 1, 2, 3)
    assert allowed(play, 1) == {"show 0", "show 1", "show 2", "show 3"}
    assert "waits for unknown tiles to be shown" in why_not(play, "1 pass")
    play = go(play, "1 show 2")
    assert "cannot have 2 caishen" in why_not(play, "3 show 2")
    assert "show 0 to 1" in why_not(play, "3 show 2")
    play = go(play, "3 show 1", "0 show 0", "2 show 0")
    assert play.settlement is not None
    assert play.settlement.balance() == {0: -9, 1: 15, 2: -9, 3: 3}


@pytest.mark.slow
def test_without_a_known_indicator_no_caishen_money_is_paid() -> None:
    play: WenzhouPlay = WENZHOU_RULES.start(set_up(None, parameters=Parameters(caishen_money=3)))
    assert to_the_end(play).settlement is not None


def test_without_a_known_indicator_no_hand_wins() -> None:
    play: WenzhouPlay = WENZHOU_RULES.start(set_up(None))
    play = go(play, "0 discard 9s")
    shown = " ".join(tiles("345m 678m 123p 456p 78s EE"))
    assert "indicator has not been read" in why_not(play, f"1 win {shown}")


def test_a_known_drawn_tile_cannot_be_announced_as_another() -> None:
    play = go(table({0: DEALER}, draws="9s"), "0 discard 3z", "all pass")
    assert "it is '9s'" in why_not(play, "1 draw 8s")
    assert go(play, "1 draw 9s").position.tile == "9s"


@pytest.mark.parametrize(
    "text",
    [
        "draw",
        "draw 5m",
        "discard 5m",
        "chow 4m 6m",
        "pong",
        "kong",
        "kong 3s",
        "win",
        "pass",
        "show 2",
    ],
)
def test_an_action_is_written_as_it_was_read(text: str) -> None:
    action = WENZHOU_RULES.parse(2, text)
    assert (str(action), action.seat) == (text, 2)


@pytest.mark.parametrize("text", ["", "chow 4m", "riichi", "discard", "pass 5m", "show 4"])
def test_the_error_for_an_unknown_action_lists_the_notation(text: str) -> None:
    with pytest.raises(NotationError, match="write one of: draw"):
        WENZHOU_RULES.parse(0, text)


def test_the_error_for_a_tile_that_is_not_in_the_set_names_it() -> None:
    with pytest.raises(RulesError, match="'1f' is not a tile of the set mahjong_136"):
        WENZHOU_RULES.parse(0, "discard 1f")


def test_an_illegal_action_is_refused_with_a_sentence_and_changes_nothing() -> None:
    play = table({0: DEALER})
    before = play.position
    with pytest.raises(IllegalActionError, match="Seat 1 cannot act; the hand waits for a discard"):
        play.apply(Discard(1, "3z"))
    with pytest.raises(IllegalActionError, match="'pass' is not possible"):
        play.apply(Pass(0))
    assert play.position is before
    assert "5m" not in play.legal_actions
    with pytest.raises(RulesError, match="The set-up is not finished"):
        WENZHOU_RULES.start(WENZHOU.setup())
