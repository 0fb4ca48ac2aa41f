"""Options that several commands share, and how they become orders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli import completion
from controller.cli.errors import BadInputError, unknown_name
from rules.dice import Dice, parse_throw
from rules.errors import MissingThrowError, RulesError
from rules.games import da_san, filipino, pai_gow
from rules.games.pai_gow.cuts import CUTS, cut_choice, find_cut
from rules.setup import Game

if TYPE_CHECKING:
    from controller.orders import Orders
    from firmware_bridge.commissioning.device_keys import DeviceKeys

GameNamed = Annotated[
    str,
    typer.Option(
        help="A game: 'wallwright games' lists them; or its YAML file, or its package's folder.",
        autocompletion=completion.games,
    ),
]
GameArgument = Annotated[
    str,
    typer.Argument(
        help="A game: 'wallwright games' lists them; or its YAML file, or its package's folder.",
        autocompletion=completion.games,
    ),
]
TableNamed = Annotated[
    str,
    typer.Option(
        help="A table: 'wallwright tables' lists them; or a YAML file of your own.",
        autocompletion=completion.tables,
    ),
]
Stakes = Annotated[
    list[str] | None,
    typer.Option(
        "--stake",
        help="A player's stake, as SEAT=AMOUNT (pai gow). Repeat for other seats.",
        show_default=False,
    ),
]
_STAKE = re.compile(r"(?P<seat>[0-7])=(?P<amount>[0-9]{1,9})")
AsJson = Annotated[bool, typer.Option("--json", help="As JSON, for programs.")]
Dealer = Annotated[int, typer.Option(help="Who throws first: a seat, from 0.")]
DrawSeats = Annotated[
    bool,
    typer.Option(
        "--draw-seats",
        help="With --play, before the first hand: draw the seats (wenzhou), or cut for the first"
        " dealer (da_san).",
    ),
]
Players = Annotated[int | None, typer.Option(help="How many play.", show_default=False)]
Throws = Annotated[
    list[str] | None,
    typer.Option(
        "--throw", help="One throw's dice, as 3,5. Repeat for the next.", show_default=False
    ),
]
CutName = Annotated[
    str | None,
    typer.Option(
        "--cut",
        help="The banker's cut (pai gow), or the card it is cut after (Da San).",
        autocompletion=completion.cuts,
        show_default=False,
    ),
]
Reverse = Annotated[bool, typer.Option("--reverse", help="Mirror the cut left to right.")]
Bottom = Annotated[bool, typer.Option("--bottom", help="Lower two levels of a block first.")]
Wall = Annotated[
    int | None, typer.Option("--wall", help="Whose wall mano opens (Filipino).", show_default=False)
]
End = Annotated[
    str | None,
    typer.Option("--end", help="From which end: right or left (Filipino).", show_default=False),
]


JournalCopy = Annotated[
    Path | None,
    typer.Option(
        "--journal-copy",
        help="A directory for the journal's third copy, on another disk if it can be.",
        show_default=False,
    ),
]


Record = Annotated[
    Path | None,
    typer.Option(
        "--record",
        help="With --play: keep every hand as JSON lines, for 'wallwright replay'.",
        show_default=False,
    ),
]


KeysFile = Annotated[
    Path | None,
    typer.Option(
        "--keys", help="The file of the boards' keys.", show_default="~/.config/wallwright/keys"
    ),
]


def keys_of(file: Path | None) -> DeviceKeys:
    """The boards' keys. Raises BadInputError for a file that cannot be used."""
    from firmware_bridge.commissioning.device_keys import DeviceKeys, KeysError, default_file

    try:
        return DeviceKeys(file or default_file())
    except KeysError as error:
        raise BadInputError(str(error)) from error


def throws_of(texts: list[str] | None) -> list[Dice]:
    """The throws as dice. Raises NotationError for one that is none."""
    return [parse_throw(text) for text in texts or ()]


def how_to_throw(missing: MissingThrowError) -> BadInputError:
    """A missing throw as a refusal that names the option."""
    return BadInputError(
        f"{str(missing).removesuffix('give the faces.')}add --throw {example_of(missing)}."
    )


def example_of(missing: MissingThrowError) -> str:
    """How the faces of such a throw are written."""
    return ",".join(str(face) for face in (3, 5, 4, 2)[: missing.dice * missing.times])


def with_seats_drawn(orders: Orders, draw_seats: bool) -> Orders:
    """The orders with seats drawn before the first hand, if that is wanted.

    Raises BadInputError without --play, and for a game that has no such draw.
    """
    if not draw_seats:
        return orders
    if not orders.play:
        raise BadInputError("--draw-seats is for hands that are followed; add --play.")
    drawing = replace(orders, draw_seats=True)
    try:
        drawing.first_match()
    except RulesError as error:
        raise BadInputError(
            f"{orders.game.title} draws neither seats nor a first dealer; leave out --draw-seats,"
            " and give --dealer."
        ) from error
    return drawing


def with_stakes(
    game: Game, parameters: object, players: int | None, texts: Sequence[str] | None
) -> tuple[object, dict[str, int | str]]:
    """The parameters of a house that allows these stakes, and the answers that name them.

    Each text is `SEAT=AMOUNT`; a seat without one stakes 1. Raises BadInputError for a game without
    stakes, for a text that is no stake, and for a seat where nobody plays.
    """
    if not texts:
        return parameters, {}
    if not isinstance(parameters, pai_gow.Parameters):
        raise BadInputError(f"{game.title} has no use for --stake; leave it out.")
    answers: dict[str, int | str] = {}
    for text in texts:
        found = _STAKE.fullmatch(text)
        if found is None or not 1 <= int(found["amount"]) <= pai_gow.MOST_STAKED:
            raise BadInputError(
                f"'{text}' is no stake; give --stake SEAT=AMOUNT with an amount from 1 to"
                f" {pai_gow.MOST_STAKED}, such as --stake 1=100."
            )
        if int(found["seat"]) >= (players or game.usual_players):
            raise BadInputError(f"Nobody plays at seat {found['seat']}; leave out --stake {text}.")
        question = pai_gow.stake_question(int(found["seat"]))
        if question in answers:
            raise BadInputError(
                f"Seat {found['seat']} has two stakes; give one --stake for each seat."
            )
        answers[question] = int(found["amount"])
    highest = max(parameters.highest_stake, *(int(amount) for amount in answers.values()), 2)
    for seat in range(game.seats):
        answers.setdefault(pai_gow.stake_question(seat), 1)
    return replace(parameters, highest_stake=highest), answers


def answers_of(
    game: Game,
    parameters: object,
    cut: str | None,
    reverse: bool,
    bottom: bool,
    wall: int | None,
    end: str | None,
) -> dict[str, int | str]:
    """The choices that the options settle, by question.

    Raises BadInputError for an option that the game does not ask for, RulesError for one that the
    cut does not offer.
    """
    cutting = {"--cut": cut is not None, "--reverse": reverse, "--bottom": bottom}
    opening = {"--wall": wall is not None, "--end": end is not None}
    answers: dict[str, int | str] = {}
    if isinstance(parameters, pai_gow.Parameters):
        if any(cutting.values()):
            answers["cut"] = _cut(parameters, cut, reverse, bottom)
        cutting = {}
    elif isinstance(parameters, da_san.Parameters):
        if cut is not None:
            answers["cut"] = _card(cut)
        del cutting["--cut"]
    elif isinstance(parameters, filipino.Parameters):
        if any(opening.values()):
            answers["wall"] = _wall(wall, end, game.seats)
        opening = {}
    unused = [option for option, given in {**cutting, **opening}.items() if given]
    if unused:
        out = "it" if len(unused) == 1 else "them"
        raise BadInputError(f"{game.title} has no use for {_listed(unused)}; leave {out} out.")
    return answers


def _cut(parameters: pai_gow.Parameters, cut: str | None, reverse: bool, bottom: bool) -> str:
    own = [each.name for each in parameters.user_cuts]
    if cut is not None and cut not in (*CUTS, *own):
        raise BadInputError(unknown_name("cut", cut, [*CUTS, *own]))
    choice = cut_choice(cut or parameters.cut_default.partition("+")[0], reverse, bottom)
    find_cut(choice, parameters.user_cuts)
    return choice


def _card(cut: str) -> int:
    last = da_san.PILE.count - 1
    if not (cut.isdecimal() and 1 <= int(cut) <= last):
        raise BadInputError(
            f"Da San's pile is cut after a card, not '{cut}'; give --cut 1 to {last}."
        )
    return int(cut)


def _wall(wall: int | None, end: str | None, walls: int) -> str:
    if wall is None:
        raise BadInputError(
            f"--end {end} needs the wall that it belongs to; add --wall 0 to {walls - 1}."
        )
    if not 0 <= wall < walls:
        raise BadInputError(f"There is no wall {wall}; give --wall 0 to {walls - 1}.")
    if end not in (None, "right", "left"):
        raise BadInputError(f"A wall has no end '{end}'; give --end right or left.")
    return f"{wall} {end or 'right'}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
