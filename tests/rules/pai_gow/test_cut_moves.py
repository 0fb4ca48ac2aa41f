"""The moves that announce a cut, taking the hands off the pile, and cuts of a house's own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import RulesError
from rules.games.pai_gow.cuts import (
    CUTS,
    PILE,
    UserCut,
    cut_choice,
    cut_choices,
    find_cut,
    setup_moves,
)
from rules.geometry import PilePlace, Place, parse_place
from rules.steps import Arrange

ANNOUNCED = {
    "one_stack": ["push 1 forward"],
    "one_stack+reverse": ["push 8 forward"],
    "cup_say": ["push 1 2 forward"],
    "cup_say+reverse": ["push 8 7 forward"],
    "cup_say+bottom": ["push 1 2 forward"],
    "cup_say+reverse+bottom": ["push 8 7 forward"],
    "chee_yee": ["push 1 forward", "push 8 forward"],
    "chee_yee+bottom": ["push 1 forward", "push 8 forward"],
    "dai_pin": ["lay 1.1 p2 p3 p4"],
    "dai_pin+reverse": ["lay 8.1 p7 p6 p5"],
    "jung_quat": ["push 4 5 forward"],
    "jung_quat+bottom": ["push 4 5 forward"],
    "dragon_head": ["lift 1 2 p3 p4", "slide 5 6 7 8 left", "lay 8.1 p7 p6 p5"],
    "dragon_head+reverse": ["lift 8 7 p6 p5", "slide 4 3 2 1 right", "lay 1.1 p2 p3 p4"],
    "hong_kong_bank": [
        "lift 1 p4",
        "lift 8 p5",
        "lift 2 p4",
        "lift 7 p5",
        "wing 2.1 2.2 right",
        "wing 7.1 7.2 left",
    ],
    "four_across": ["lift 1 2 p3 p4", "lift 8 7 p6 p5"],
}


def places(text: str) -> tuple[PilePlace, ...]:
    found = tuple(parse_place(f"p{word}") for word in text.split())
    return tuple(place for place in found if isinstance(place, PilePlace))


def as_text(move: Arrange) -> str:
    """A move in the notation of the set-up table: whole columns by number, tiles by place."""
    tiles = [str(tile).removeprefix("p") for tile in move.tiles]
    if len(tiles) % 4 == 0:
        tiles = [tile.removesuffix(".1") for tile in tiles[::4]]
    return " ".join([move.verb, *tiles, *move.to])


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ("two_stacks", "There is no cut 'two_stacks'; choose one of " + ", ".join(CUTS) + "."),
        (
            "cup_say+upside",
            "'upside' is not an option of a cut; the options are reverse and bottom.",
        ),
    ],
)
def test_an_unknown_cut_or_option_is_refused_by_name(choice: str, sentence: str) -> None:
    with pytest.raises(RulesError) as refused:
        find_cut(choice)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("choice", ANNOUNCED)
def test_every_cut_has_its_announcing_moves(choice: str) -> None:
    moves = find_cut(choice).announcing
    assert [as_text(move) for move in moves] == ANNOUNCED[choice]
    assert all(move.announces for move in moves)


@pytest.mark.parametrize(
    ("name", "joins"),
    [
        ("chee_yee", {1: "join 1 8 middle", 3: "join 2 7 middle", 5: "join 3 6 middle"}),
        ("jung_quat", {3: "join 3 6 middle", 5: "join 2 7 middle", 7: "join 1 8 middle"}),
        ("hong_kong_bank", {6: "join 3 6 middle"}),
    ],
)
def test_stacks_that_do_not_touch_are_joined_first(name: str, joins: dict[int, str]) -> None:
    found = find_cut(name)
    moves = {hand: move for hand in range(1, 8) for move in found.before(hand)}
    assert {hand: as_text(move) for hand, move in moves.items()} == joins
    assert not any(move.announces for move in moves.values())


def test_the_last_hand_of_hong_kong_bank_is_joined_from_the_two_wings() -> None:
    (wings,) = find_cut("hong_kong_bank").before(8)
    assert wings.tiles == places("2.1 2.2 7.1 7.2")
    assert wings.to == ("middle",)
    assert not wings.announces


def test_PG_12_the_stacks_of_hong_kong_bank_have_2_4_10_10_4_2_tiles() -> None:
    pile = PileOnTheTable()
    moves = setup_moves("hong_kong_bank")
    for move in moves[:4]:
        pile.do(move)
    assert pile.heights() == [4, 12, 12, 4]
    assert pile.stack("p4") == places("2.1 2.2 2.3 2.4 1.1 1.2 1.3 1.4 4.1 4.2 4.3 4.4")
    assert pile.stack("p5") == places("7.1 7.2 7.3 7.4 8.1 8.2 8.3 8.4 5.1 5.2 5.3 5.4")
    for move in moves[4:]:
        pile.do(move)
    assert pile.heights() == [2, 4, 10, 10, 4, 2]


@pytest.mark.parametrize("choice", ANNOUNCED)
def test_every_hand_can_be_taken_off_the_rearranged_pile(choice: str) -> None:
    chosen = find_cut(choice)
    pile = PileOnTheTable()
    for move in chosen.announcing:
        pile.do(move)
    for number, hand in enumerate(chosen.hands, 1):
        for move in chosen.before(number):
            pile.do(move)
        pile.take(hand, may_park="bottom" in choice)
    assert pile.heights() == []


class PileOnTheTable:
    """A model of the pile: stacks by name, from left to right, each from its top tile down."""

    def __init__(self) -> None:
        self.stacks = {
            f"p{column}": [PilePlace(column, level) for level in (1, 2, 3, 4)]
            for column in range(8, 0, -1)
        }

    def stack(self, name: str) -> tuple[PilePlace, ...]:
        return tuple(self.stacks[name])

    def heights(self) -> list[int]:
        return [len(stack) for stack in self.stacks.values() if stack]

    def do(self, move: Arrange) -> None:
        columns: dict[int, list[PilePlace]] = {}
        for tile in move.tiles:
            assert isinstance(tile, PilePlace)
            columns.setdefault(tile.column, []).append(tile)
        match move.verb:
            case "lift":
                for block, to in zip(columns.values(), move.to, strict=True):
                    self.stacks[to] = self._off_the_top(block) + self.stacks[to]
            case "wing" if move.to == ("right",):
                self.stacks |= {"right wing": self._off_the_top(move.tiles)}
            case "wing":
                self.stacks = {"left wing": self._off_the_top(move.tiles)} | self.stacks
            case "lay":
                assert all(self.stacks[to] for to in move.to)
                self.stacks |= {"laid across": self._off_the_top(move.tiles)}
            case verb:
                assert verb in ("push", "slide", "join")
                for block in columns.values():
                    assert block in self.stacks.values(), "only whole stacks are pushed"

    def take(self, hand: tuple[PilePlace, ...], may_park: bool) -> None:
        for name, stack in self.stacks.items():
            mine = [tile for tile in stack if tile in hand]
            depth = stack.index(mine[0]) if mine else 0
            assert depth == 0 or (may_park and depth == 2), f"{mine} are covered in {name}"
            assert stack[depth : depth + len(mine)] == mine
            del stack[depth : depth + len(mine)]

    def _off_the_top(self, tiles: Sequence[Place]) -> list[PilePlace]:
        for stack in self.stacks.values():
            if stack[: len(tiles)] == list(tiles):
                taken = stack[: len(tiles)]
                del stack[: len(tiles)]
                return taken
        raise AssertionError(f"{tiles} are not on top of a stack")


def house_cut(name: str = "zigzag") -> UserCut:
    """A cut by levels: hand 1 is the top of columns 1 to 4, hand 2 the top of columns 5 to 8."""
    texts = [f"p{column}.{level}" for level in (1, 2, 3, 4) for column in range(1, 9)]
    return UserCut(name, tuple(tuple(texts[begin : begin + 4]) for begin in range(0, 32, 4)))


@given(st.permutations([str(place) for place in PILE.places]))
def test_any_order_of_the_pile_is_a_cut_of_the_house(texts: list[str]) -> None:
    own = UserCut("ours", tuple(tuple(texts[begin : begin + 4]) for begin in range(0, 32, 4)))
    found = find_cut("ours", [own])
    assert [str(place) for hand in found.hands for place in hand] == texts
    assert found.announcing == () and found.joins == ()


def test_a_cut_of_the_house_is_offered_after_the_eight() -> None:
    assert cut_choices(["cup_say"], combine=False, user_cuts=[house_cut()]) == (
        "cup_say",
        "cup_say+reverse",
        "cup_say+bottom",
        "zigzag",
    )
    assert cut_choice("cup_say", reverse=True, bottom=True) == "cup_say+reverse+bottom"


@pytest.mark.parametrize(
    ("hand", "sentence"),
    [
        (
            ("p1.1", "p2.1", "p3.1", "p5.1"),
            (
                "The cut 'x' must name each of the 32 places once; named more than once: p5.1;"
                " missing: p4.1."
            ),
        ),
        (("p1.1", "p2.1", "p3.1"), "Hand 1 of the cut 'x' has 3 places; give 4."),
        (
            ("p1.1", "p2.1", "p3.1", "p9.1"),
            "'p9.1' in the cut 'x' is not a place of the pile; write p1.1 to p8.4.",
        ),
        (
            ("p1.1", "p2.1", "p3.1", "up"),
            "'up' in the cut 'x' is not a place of the pile; write p1.1 to p8.4.",
        ),
        (
            ("p1.1", "p2.1", "p3.1", "w0.1u"),
            "'w0.1u' in the cut 'x' is not a place of the pile; write p1.1 to p8.4.",
        ),
    ],
)
def test_a_cut_of_the_house_that_does_not_use_each_place_once_is_refused(
    hand: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(RulesError) as refused:
        UserCut("x", (hand, *house_cut().hands[1:]))
    assert str(refused.value) == sentence


def test_a_cut_of_the_house_has_eight_hands() -> None:
    with pytest.raises(RulesError, match=r"The cut 'x' has 7 hands; give 8\."):
        UserCut("x", house_cut().hands[:7])


@pytest.mark.parametrize("name", ["", "cup_say", "cup+say"])
def test_a_cut_of_the_house_needs_a_name_of_its_own(name: str) -> None:
    with pytest.raises(RulesError, match="cannot be the name of a cut of the house"):
        house_cut(name)


def test_a_cut_that_is_mirrored_twice_is_the_same_cut() -> None:
    for found in map(find_cut, CUTS):
        twice = found.mirrored().mirrored()
        assert twice == found
