"""`wallwright replay` and `wallwright judge`: who pays whom in recorded hands, and for a claim."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import click
from rich.console import Group
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from config.judge_cases import example_case, load_case, recorded_case
from config.validation.game_parameters import parameters_of
from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.options.lookup import game_name
from controller.cli.options.shared import PATH, game_argument, json_option
from controller.cli.terminal.screen import screen
from rules.errors import RulesError
from rules.games import find_game, judging_of
from rules.judging import Verdict
from rules.play import Payment, Settlement, plain
from rules.records.record import NotARecordError, Replayed, evening
from rules.records.record_lines import LONGEST_LINE

NEXT_STEP = "name a file that 'run --play --record FILE' has written."


@click.command(cls=CliCommand)
@click.argument("file", type=PATH, help="A file written by 'run --play --record FILE'.")
@click.option(
    "--game",
    shell_complete=completion.files,
    multiple=True,
    help="The folder of the package of a game that is not installed. Repeat for several.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one line of JSON for each hand, for programs."
)
@click.option(
    "--case",
    type=PATH,
    help="Write a case for 'judge' from one hand to this file, instead of the hands.",
)
@click.option("--hand", type=int, help="The hand of the case, from 1; otherwise the last.")
@click.option(
    "--seat", type=int, help="The seat of the case at pai gow; otherwise the first that bet."
)
def replay(
    file: Path,
    game: tuple[str, ...],
    as_json: bool,
    case: Path | None,
    hand: int | None,
    seat: int | None,
) -> int:
    """Replay a record: how each hand ended, every payment, and the scores after it."""
    for each in game:
        game_name(each)
    if case is not None:
        return write_case(file, case, hand, seat)
    for name, given in (("hand", hand), ("seat", seat)):
        if given is not None:
            raise BadInputError(f"`--{name}` is for a case; add --case FILE, or leave it out.")
    try:
        for number, replayed in enumerate(_hands(file), 1):
            if as_json:
                print(json.dumps(hand_facts(replayed)))
            else:
                screen().print(hand_page(number, replayed))
    except RulesError as error:
        print(f"{file}: {error}", file=sys.stderr)
        return 1
    return 0


def write_case(file: Path, case: Path, number: int | None, seat: int | None) -> int:
    """Write a judge case of one hand of a record; returns the exit code. Raises BadInputError."""
    if case.exists():
        raise BadInputError(f"{case} exists already; name another file.")
    hands = []
    try:
        hands = list(_hands(file))
    except RulesError as error:
        raise BadInputError(f"{file}: {error}") from error
    chosen = len(hands) if number is None else number
    if not 1 <= chosen <= len(hands):
        raise BadInputError(
            f"`--hand` must be 1 to {len(hands)}, the hands of {file}; got {number}."
        )
    hand = hands[chosen - 1]
    try:
        made = recorded_case(hand, seat)
    except RulesError as error:
        raise BadInputError(f"{file}, hand {chosen}: {error}") from error
    try:
        case.write_text(made.text(f"Hand {chosen} of {file.name}"), "utf-8")
    except OSError as error:
        raise BadInputError(
            f"{case} cannot be written ({error.strerror}); name another file."
        ) from error
    print(f"{case} written; 'wallwright judge {hand.game} {case}' judges it.")
    return 0


def hand_facts(hand: Replayed) -> dict[str, object]:
    """A hand as JSON values; an unfinished hand has no settlement."""
    settlement: Settlement | None = hand.play.settlement
    values: dict[str, object] = {"line": hand.line, "game": hand.game, "dealer": hand.dealer}
    if settlement is not None:
        values |= {
            "name": settlement.name,
            "multiplier": settlement.multiplier,
            "winner": settlement.winner,
            "payments": [payment.facts() for payment in settlement.payments],
            "reasons": list(settlement.reasons),
        }
    return values | {
        "settled": settlement is not None,
        "scores": [plain(score) for score in hand.match.scores],
    }


def hand_page(number: int, hand: Replayed) -> Panel:
    """Format a hand as a panel for the terminal."""
    settlement: Settlement | None = hand.play.settlement
    lines: list[Any] = []
    if settlement is None:
        lines.append(Text("The hand ended before its settlement.", style="bold"))
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
    """Each hand of a record.

    Raises BadInputError for a file that is not a record, RulesError for a line that cannot be
    replayed.
    """
    begun = False
    try:
        with file.open("rb") as stream:
            for hand in evening(_texts(stream), parameters_of):
                begun = True
                yield hand
    except OSError as error:
        raise BadInputError(f"{file} cannot be read ({error.strerror}); {NEXT_STEP}") from error
    except NotARecordError as error:
        if begun:
            raise
        raise BadInputError(
            f"{file} is not the record of a play. {error} Please {NEXT_STEP}"
        ) from error


def _texts(stream: BinaryIO) -> Iterator[str]:
    """The lines of a file as text. Raises RulesError with the number of a line that is not."""
    number = 0
    while line := stream.readline(LONGEST_LINE + 2):
        number += 1
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as error:
            defect = f"Line {number} of the record is not UTF-8 text (byte {error.start + 1})."
            raise (NotARecordError if number == 1 else RulesError)(defect) from error


@click.command(cls=CliCommand)
@game_argument
@click.argument(
    "case",
    type=PATH,
    required=False,
    help="The case: a YAML file, described in docs/operate/CASES.md.",
)
@json_option
@click.option("--example", is_flag=True, help="Print an example of a case instead of judging one.")
def judge(game: str, case: Path | None, as_json: bool, example: bool) -> int:
    """Judge a claim: whether it is valid, why, its class, and every payment."""
    game = game_name(game)
    if example and (case is not None or as_json):
        raise BadInputError(
            "`--example` prints an example and judges no case; leave out the case and --json."
        )
    if example:
        print(example_case(game), end="")
        return 0
    if case is None:
        raise BadInputError(
            f"CASE is missing; name a YAML file. 'wallwright judge {game} --example' prints an"
            " example."
        )
    stated = load_case(game, case)
    try:
        verdict = judging_of(game).decide(stated)
    except RulesError as error:
        raise BadInputError(f"{case}: {error}") from error
    if as_json:
        print(json.dumps(verdict.facts(), indent=2))
    else:
        screen().print(verdict_page(game, verdict))
    return 0


def verdict_page(game: str, verdict: Verdict) -> Panel:
    """Format a verdict as a panel for the terminal."""
    result = "valid" if verdict.legal else "not valid"
    name = f"{verdict.name} x{verdict.multiplier}" if verdict.win else verdict.name
    lines: list[Any] = [Text(f"The claim is {result}. {name}".strip(), style="bold")]
    lines += [Text(f"- {reason}") for reason in verdict.reasons]
    if verdict.payments:
        lines.append(payments_grid(verdict.payments))
    return Panel(Group(*lines), title=game, subtitle=_rules_page(game), expand=False)


def _rules_page(game: str) -> str | None:
    """The page that explains the rule numbers of a verdict; None for the game of a plug-in."""
    module = judging_of(game).case.__module__
    if not module.startswith("rules.games."):
        return None
    return f"docs/rules/{module.split('.')[2]}.md"


def payments_grid(payments: Iterable[Payment]) -> Grid:
    """A table of payments: from, to, amount and reason."""
    grid = Grid("from", "to", "amount", "why", box=None)
    for payment in (each.facts() for each in payments):
        grid.add_row(*(str(payment[key]) for key in ("from", "to", "amount", "why")))
    return grid
