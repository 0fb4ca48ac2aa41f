"""The picture of a table in the terminal, compared character by character."""

from __future__ import annotations

import pytest

from controller.cli.output.result_pages import SHOWN, picture
from rules.dice import Dice
from rules.games import find_game
from rules.setup import Setup, settle
from rules.steps import Throw, TurnUp

COMPLETE_SET_UP = """\
          seat 2 ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ 16
seat 3                                  seat 1
16    ··································   16
 ▒  ··                                  ··  ▒
 ▒  ··                                  ··  ▒
 ▒  ··                                  ··  ▒
 ▒  ██                                  ··  ▒
 ▒  ██                                  ··  ▒
 ▒  ██         Wenzhou mahjong          ··  ▒
 ▒  ██          dealer: seat 0          ··  ▒
 ▒  ██         seat 0 threw 3 5         ··  ▒
 ▒  ██         seat 3 threw 2 4         ··  ▒
 ▒  7m      indicator 7m at w3.8u       ··  ▒
 ▒  ██        first draw w1.13l         ··  ▒
 ▒  ██          71 tiles left           ··  ▒
 ▒  ██                                  ▄▄  ▒
 ▒  ██                                  ██  ▒
 ▒  ██                                  ██  ▒
 ▒  ██                                  ██  ▒
    ██                                  ██
      ██████████████████████████████████

         seat 0 ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ 17
"""
BEFORE_THE_FIRST_THROW = """\


      ██████████████████████████████████
    ██                                  ██
    ██                                  ██
    ██                                  ██
    ██                                  ██
    ██                                  ██
    ██         Wenzhou mahjong          ██
    ██          dealer: seat 2          ██
    ██          136 tiles left          ██
    ██                                  ██
    ██                                  ██
    ██                                  ██
    ██                                  ██
    ██                                  ██
    ██                                  ██
    ██                                  ██
    ██                                  ██
    ██                                  ██
      ██████████████████████████████████


"""
PAI_GOW = """\
Pai gow
dealer: seat 1
seat 1 threw 3 3 3
0 tiles left

no tiles left in the middle

seat 0 ▒▒▒▒ 4   hand 8
seat 1 ▒▒▒▒ 4   hand 1
seat 2 ▒▒▒▒ 4   hand 2
seat 3 ▒▒▒▒ 4   hand 3
seat 4 ▒▒▒▒ 4   hand 4
seat 5 ▒▒▒▒ 4   hand 5
seat 6 ▒▒▒▒ 4   hand 6
seat 7 ▒▒▒▒ 4   hand 7
"""
DOMINOES = """\
Block
dealer: seat 0
first draw b21
8 tiles left

▒ ▒ ▒ ▒ ▒ ▒ ▒ ▒

seat 0 ▒▒▒▒▒ 5
seat 1 ▒▒▒▒▒ 5
seat 2 ▒▒▒▒▒ 5
seat 3 ▒▒▒▒▒ 5
"""


def drawn(setup: Setup) -> str:
    """A picture as text, without the spaces at the end of each line."""
    return "".join(f"{line.rstrip()}\n" for line in picture(setup).plain.split("\n"))


def wenzhou(seen: str | None, throws: tuple[Dice, ...] = ((3, 5), (2, 4))) -> Setup:
    """A complete Wenzhou set-up whose indicator shows this face."""
    setup, left = find_game("wenzhou").setup(), list(throws)
    while (step := setup.pending) is not None:
        match step:
            case Throw():
                setup = setup.apply(left.pop(0))
            case TurnUp():
                setup = setup.apply(seen)
            case _:
                setup = setup.apply()
    return setup


def test_a_complete_set_up_with_its_indicator() -> None:
    assert drawn(wenzhou("7m")) == COMPLETE_SET_UP


def test_four_complete_walls_before_the_first_throw() -> None:
    assert drawn(find_game("wenzhou").setup(dealer=2).apply()) == BEFORE_THE_FIRST_THROW


@pytest.mark.parametrize(("face", "name"), [("5z", "Wh"), ("1z", "E"), ("9p", "9p"), (None, "?")])
def test_the_indicator_has_its_usual_name(face: str | None, name: str) -> None:
    text = drawn(wenzhou(face))
    assert f" indicator {name} at w3.8u " in text
    assert text.splitlines()[12].startswith(f" ▒  {name}")


def test_only_the_indicator_is_highlighted() -> None:
    shown = picture(wenzhou("7m"))
    assert "".join(shown.plain[span.start] for span in shown.spans if span.style == SHOWN) == "7m"


def test_a_dealt_pile_leaves_eight_numbered_hands() -> None:
    assert drawn(settle(find_game("pai_gow").setup(dealer=1), ((3, 3, 3),))) == PAI_GOW


def test_a_boneyard_shows_the_remaining_tiles() -> None:
    assert drawn(settle(find_game("block").setup())) == DOMINOES


def test_a_table_without_tiles_is_described_in_words() -> None:
    bare = find_game("backgammon").setup()
    assert drawn(bare) == "The game is played on a board of its own, without tiles.\n"
