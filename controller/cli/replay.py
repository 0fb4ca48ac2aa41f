"""`wallwright replay`: plays the hands of a record again by the rules, and says who pays whom."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer
from rich.console import Group
from rich.panel import Panel
from rich.text import Text

from config.errors import dotted
from config.validation.game_parameters import accepted
from controller.cli.errors import BadInputError
from controller.cli.judge import payments_grid
from controller.cli.lookup import game_name
from controller.cli.screen import screen
from rules.errors import RulesError
from rules.games import find_game
from rules.play import Settlement, plain
from rules.record import NotARecordError, Replayed, evening
from rules.record_lines import LONGEST_LINE

KEPT = "name what 'run --play --record FILE' has kept."


def replay(
    file: Annotated[Path, typer.Argument(help="What 'run --play --record FILE' has kept.")],
    game: Annotated[
        list[str] | None,
        typer.Option(
            help="The package's folder of a game that is not installed; repeat for several.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="As a line of JSON a hand, for programs.")
    ] = False,
) -> int:
    """Play a record again: how each hand ended, every payment, the scores after it."""
    for each in game or ():
        game_name(each)
    try:
        for number, hand in enumerate(_hands(file), 1):
            if as_json:
                print(json.dumps(hand_facts(hand)))
            else:
                screen().print(hand_page(number, hand))
    except RulesError as error:
        print(f"{file}: {error}", file=sys.stderr)
        return 1
    return 0


def hand_facts(hand: Replayed) -> dict[str, object]:
    """A hand for programs; one that was given up has no settlement."""
    settlement: Settlement | None = hand.play.settlement
    told: dict[str, object] = {"line": hand.line, "game": hand.game, "dealer": hand.dealer}
    if settlement is not None:
        told |= {
            "name": settlement.name,
            "multiplier": settlement.multiplier,
            "winner": settlement.winner,
            "payments": [payment.facts() for payment in settlement.payments],
            "reasons": list(settlement.reasons),
        }
    return told | {
        "settled": settlement is not None,
        "scores": [plain(score) for score in hand.match.scores],
    }


def hand_page(number: int, hand: Replayed) -> Panel:
    """A hand for people."""
    settlement: Settlement | None = hand.play.settlement
    lines: list[Any] = []
    if settlement is None:
        lines.append(Text("The hand was given up.", style="bold"))
    else:
        won = "" if settlement.winner is None else f", won by seat {settlement.winner}"
        lines.append(Text(f"{settlement.name} x{settlement.multiplier}{won}", style="bold"))
        lines += [Text(f"- {reason}") for reason in settlement.reasons]
        if settlement.payments:
            lines.append(payments_grid(settlement.payments))
    lines.append(Text(f"scores {' '.join(str(plain(score)) for score in hand.match.scores)}"))
    title = f"{find_game(hand.game).title}, hand {number}, seat {hand.dealer} deals"
    return Panel(Group(*lines), title=title, expand=False)


def _hands(file: Path) -> Iterator[Replayed]:
    """Each hand. Raises BadInput for a file that is no record, RulesError for a line that fails."""
    begun = False
    try:
        with file.open("rb") as stream:
            for hand in evening(_texts(stream), _house):
                begun = True
                yield hand
    except OSError as error:
        raise BadInputError(f"{file} cannot be read ({error.strerror}); {KEPT}") from error
    except NotARecordError as error:
        if begun:
            raise
        raise BadInputError(f"{file} is no record of a play. {error} Please {KEPT}") from error


def _texts(stream: BinaryIO) -> Iterator[str]:
    """The lines of a file as texts. Raises RulesError with the line that is no text."""
    number = 0
    while line := stream.readline(LONGEST_LINE + 2):
        number += 1
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as error:
            wrong = f"Line {number} of the record is no UTF-8 text (byte {error.start + 1})."
            raise (NotARecordError if number == 1 else RulesError)(wrong) from error


def _house(game: str, changed: Mapping[str, Any]) -> Any:
    """The rules by which the hand was played. Raises RulesError."""
    parameters, defects = accepted(find_game(game).name, changed)
    if defects:
        path, wrong, cure = defects[0]
        raise RulesError(f"{dotted(path)} {wrong}. {cure}")
    return parameters
