"""Options that several commands share, and how they become orders."""

from __future__ import annotations

from typing import Annotated

import typer

from config.schema import Table
from controller.cli.errors import BadInput
from rules.cuts import cut_choice, find_cut
from rules.dice import Dice, parse_throw
from rules.setup import Game

Dealer = Annotated[int, typer.Option(help="Who throws first: a seat, from 0.")]
Players = Annotated[int | None, typer.Option(help="How many play.", show_default=False)]
Throws = Annotated[
    list[str] | None,
    typer.Option(
        "--throw", help="One throw's dice, as 3,5. Repeat for the next.", show_default=False
    ),
]
CutName = Annotated[str | None, typer.Option("--cut", help="The banker's cut.", show_default=False)]
Reverse = Annotated[bool, typer.Option("--reverse", help="Mirror the cut left to right.")]
Bottom = Annotated[bool, typer.Option("--bottom", help="Lower two levels of a block first.")]
Wall = Annotated[
    int | None, typer.Option("--wall", help="Whose wall mano opens (Filipino).", show_default=False)
]
End = Annotated[
    str | None, typer.Option("--end", help="From which end: right or left.", show_default=False)
]


def throws_of(texts: list[str] | None) -> list[Dice]:
    """The throws as dice. Raises NotationError for one that is none."""
    return [parse_throw(text) for text in texts or ()]


def answers_of(
    game: Game,
    cut: str | None,
    reverse: bool,
    bottom: bool,
    wall: int | None,
    end: str | None,
) -> dict[str, int | str]:
    """The choices that the options settle, by question.

    Raises BadInput for an option that the game does not ask for, RulesError for an unknown cut.
    """
    answers: dict[str, int | str] = {}
    if cut is not None or reverse or bottom:
        answers["cut"] = _cut(game, cut, reverse, bottom)
    if wall is not None or end is not None:
        answers["wall"] = _wall(game, wall, end)
    return answers


def _cut(game: Game, cut: str | None, reverse: bool, bottom: bool) -> int | str:
    if game.name == "da_san" and cut is not None and not (reverse or bottom):
        if not cut.isdecimal():
            raise BadInput(f"Da San's pile is cut after a card, not '{cut}'; give --cut 1 to 51.")
        return int(cut)
    if game.name != "pai_gow":
        raise BadInput(f"{game.title} knows no such cut; leave out --cut, --reverse and --bottom.")
    choice = cut_choice(cut or "one_stack", reverse, bottom)
    find_cut(choice)
    return choice


def _wall(game: Game, wall: int | None, end: str | None) -> str:
    if game.name != "filipino":
        raise BadInput(f"In {game.title} the dice open the wall; leave out --wall and --end.")
    if wall is None:
        raise BadInput(f"--end {end} needs the wall it belongs to; add --wall 0 to 3.")
    if end not in (None, "right", "left"):
        raise BadInput(f"A wall has no end '{end}'; --end is right or left.")
    return f"{wall} {end or 'right'}"


def require_fit(table: Table, fits: bool, reasons: tuple[str, ...], game: Game) -> None:
    """Raise BadInput with the reasons if a game does not fit a table."""
    if not fits:
        raise BadInput(
            f"{game.title} does not fit the table {table.name}: {' '.join(reasons)}"
            " 'wallwright games' lists the tables of each game."
        )
