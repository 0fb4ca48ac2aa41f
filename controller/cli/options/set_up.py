"""The options of a set-up, and their conversion to the orders of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from controller.cli.errors import BadInputError, unknown_name
from controller.cli.options import completion
from rules.dice import Dice, parse_throw
from rules.errors import MissingThrowError, RulesError
from rules.games import da_san, filipino, pai_gow
from rules.games.pai_gow.cuts import CUTS, cut_choice, find_cut
from rules.setup import Game

if TYPE_CHECKING:
    from controller.run.orders import Orders

dealer_option = click.option(
    "--dealer", type=int, default=0, help="The seat that throws first, numbered from 0."
)
draw_seats_option = click.option(
    "--draw-seats",
    is_flag=True,
    help="With --play: draw the seats before the first hand (wenzhou), or cut for the first"
    " dealer (da_san).",
)
players_option = click.option(
    "--players", type=int, show_default="the game's usual number", help="Number of players."
)
throw_option = click.option(
    "--throw", multiple=True, help="The dice of one throw, such as 3,5. Repeat for the next throw."
)
cut_option = click.option(
    "--cut",
    shell_complete=completion.cuts,
    help="The banker's cut (pai gow), such as cup_say or cup_say+bottom, or the number of the"
    " card after which the pile is cut (da_san).",
)
reverse_option = click.option(
    "--reverse", is_flag=True, help="Mirror the cut left to right (pai gow)."
)
bottom_option = click.option(
    "--bottom", is_flag=True, help="Take the lower two levels of a block first (pai gow)."
)
wall_option = click.option("--wall", type=int, help="The seat whose wall mano opens (filipino).")
end_option = click.option(
    "--end", help="The end from which the wall is opened: right or left (filipino)."
)
plus_option = click.option(
    "--plus", type=int, help="The roller throws once and says 'plus N', N from 1 to 6 (filipino)."
)
stake_option = click.option(
    "--stake",
    multiple=True,
    help="A player's stake as SEAT=AMOUNT (pai gow). Repeat for other seats; the others stake 1.",
)
_CUT_OPTIONS = ("reverse", "bottom")
_STAKE = re.compile(r"(?P<seat>[0-7])=(?P<amount>[0-9]{1,9})")


def throws_of(texts: Iterable[str]) -> list[Dice]:
    """The values of `--throw` as dice. Raises NotationError for a text that is not a throw."""
    return [parse_throw(text) for text in texts]


def how_to_throw(missing: MissingThrowError) -> BadInputError:
    """The error for a missing throw, with the option that gives it."""
    return BadInputError(
        f"{str(missing).removesuffix('give the faces.')}add --throw {example_of(missing)}."
    )


def example_of(missing: MissingThrowError) -> str:
    """An example of such a throw, as it is written on the command line."""
    return ",".join(str(face) for face in (3, 5, 4, 2)[: missing.dice * missing.times])


def with_seats_drawn(orders: Orders, draw_seats: bool) -> Orders:
    """Add the draw of seats before the first hand to the orders, if `draw_seats` is true.

    Raises BadInputError without `--play`, and for a game that has no such draw.
    """
    if not draw_seats:
        return orders
    if not orders.has_match:
        raise BadInputError("`--draw-seats` needs hands with an end; add --play or --results.")
    drawing = replace(orders, draw_seats=True)
    try:
        drawing.first_match()
    except RulesError as error:
        raise BadInputError(
            f"{orders.game.title} draws neither seats nor a first dealer; leave out --draw-seats,"
            " and choose the dealer with --dealer."
        ) from error
    return drawing


def with_stakes(
    game: Game, parameters: object, players: int | None, texts: Sequence[str]
) -> tuple[object, dict[str, int | str]]:
    """Parameters that allow these stakes, and the answers to the questions for stakes.

    Each text is `SEAT=AMOUNT`; a seat without a stake stakes 1. Raises BadInputError for a game
    without stakes, for a text that is not a stake, and for a seat without a player.
    """
    if not texts:
        return parameters, {}
    if not isinstance(parameters, pai_gow.Parameters):
        raise BadInputError(f"{game.title} has no stakes; leave out --stake.")
    answers: dict[str, int | str] = {}
    for text in texts:
        found = _STAKE.fullmatch(text)
        if found is None or not 1 <= int(found["amount"]) <= pai_gow.MOST_STAKED:
            raise BadInputError(
                f"`--stake` must be SEAT=AMOUNT with an amount from 1 to {pai_gow.MOST_STAKED},"
                f" such as --stake 1=100; got '{text}'."
            )
        seats = players or game.usual_players
        if int(found["seat"]) >= seats:
            raise BadInputError(
                f"Seat {found['seat']} has no player; with {seats} players seats are 0 to"
                f" {seats - 1}. Leave out --stake {text}."
            )
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


def with_plus(
    game: Game, parameters: object, plus: int | None
) -> tuple[object, dict[str, int | str]]:
    """Parameters that allow "plus n" in place of the second throw for mano, and the answer (F6).

    Raises BadInputError for a game without it, and for a number that the house does not allow.
    """
    if plus is None:
        return parameters, {}
    if not isinstance(parameters, filipino.Parameters):
        raise BadInputError(f"{game.title} has no 'plus n'; leave out --plus.")
    least, most = parameters.plus_n_range or (1, 6)
    if not least <= plus <= most:
        raise BadInputError(f"`--plus` must be {least} to {most} in this house; got {plus} (F6).")
    return replace(parameters, plus_n_range=(least, most)), {filipino.PLUS_N: plus}


def answers_of(
    game: Game,
    parameters: object,
    cut: str | None,
    reverse: bool,
    bottom: bool,
    wall: int | None,
    end: str | None,
) -> dict[str, int | str]:
    """The answers that the options give to the questions of a set-up, by question.

    Raises BadInputError for an option that the game does not use, RulesError for one that the cut
    does not offer.
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
        raise BadInputError(f"{game.title} does not use {_listed(unused)}; leave {out} out.")
    return answers


def _cut(parameters: pai_gow.Parameters, cut: str | None, reverse: bool, bottom: bool) -> str:
    """The text of the cut: its name, with the options that are in the text or given apart."""
    own = [each.name for each in parameters.user_cuts]
    name, *options = (cut or parameters.cut_default.partition("+")[0]).split("+")
    if name not in (*CUTS, *own):
        raise BadInputError(unknown_name("cut", name, [*CUTS, *own]))
    for option in options:
        if option not in _CUT_OPTIONS:
            raise BadInputError(unknown_name("option of a cut", option, _CUT_OPTIONS))
    choice = cut_choice(name, reverse or "reverse" in options, bottom or "bottom" in options)
    find_cut(choice, parameters.user_cuts)
    return choice


def _card(cut: str) -> int:
    last = da_san.PILE.count - 1
    if not (cut.isdecimal() and 1 <= int(cut) <= last):
        raise BadInputError(
            f"`--cut` must be the number of a card from 1 to {last} for Da San; got '{cut}'."
        )
    return int(cut)


def _wall(wall: int | None, end: str | None, walls: int) -> str:
    if wall is None:
        raise BadInputError(
            f"`--end {end}` needs the number of the wall; add --wall with 0 to {walls - 1}."
        )
    if not 0 <= wall < walls:
        raise BadInputError(f"`--wall` must be 0 to {walls - 1}; got {wall}.")
    if end not in (None, "right", "left"):
        raise BadInputError(f"`--end` must be right or left; got '{end}'.")
    return f"{wall} {end or 'right'}"


def _listed(words: list[str]) -> str:
    """The words as an enumeration: `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
