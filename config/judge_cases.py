"""Judge cases, the tiles and claims on a table: reads strict YAML and records, and writes YAML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any, get_type_hints

import yaml
from pydantic import BaseModel, ValidationError, create_model

from config.errors import Finding, Lines, located, shown
from config.loader import read
from config.schema import Part
from config.validation.game_parameters import parameters_of
from config.validation.messages import findings, from_rules
from rules.errors import RulesError
from rules.games import find_plugin, judging_of
from rules.geometry import Seat
from rules.judging import no_case
from rules.play import Settlement
from rules.records.record import Replayed, evening
from rules.steps import Facts

HandLines = tuple[int, Sequence[str]]
"""The number of a hand of a session, and the lines of its record; empty if it was not followed."""


@dataclass(frozen=True)
class RecordedCase:
    """The judge case of a recorded hand, and the name of the result by which it was settled.

    `seats` are those of which the case can be made, if the case depends on the seat.
    """

    facts: Facts
    settled: str
    seats: tuple[Seat, ...] = ()

    def text(self, hand: str) -> str:
        """The case as YAML; `hand` names the hand in the heading, as in `Hand 3 of evening`."""
        settled = f", which the table settled as '{self.settled}'" if self.settled else ""
        facts = yaml.safe_dump(self.facts, sort_keys=False, default_flow_style=None, width=100)
        return f"# {hand}{settled}.\n{facts}"


def recorded_case(hand: Replayed, seat: Seat | None = None) -> RecordedCase:
    """The case of a hand that was replayed. Raises RulesError if no case can be made of it."""
    facts = hand.case(seat)
    settlement: Settlement | None = hand.play.settlement
    return RecordedCase(facts, "" if settlement is None else settlement.name, _seats_of(hand))


def session_case(hands: Sequence[HandLines], number: int, seat: Seat | None = None) -> RecordedCase:
    """The case of a session's hand; `hands` are the hands up to it, the first one first.

    The earlier hands decide the match: the dealer, the scores, the wins in a row. Raises RulesError
    if no case can be made of the hand.
    """
    before = sum(len(lines) for each, lines in hands if each < number)
    lines = [line for _, lines in hands for line in lines]
    if len(lines) == before:
        raise no_case("the table did not follow its play")
    found = [hand for hand in evening(lines, parameters_of) if hand.line > before]
    if not found:
        raise no_case("it was not played")
    return recorded_case(found[-1], seat)


def _seats_of(hand: Replayed) -> tuple[Seat, ...]:
    """The seats of which a case can be made; empty if every seat has the same case."""
    cases: dict[Seat, Facts] = {}
    for seat in range(len(hand.match.scores)):
        with suppress(RulesError):
            cases[seat] = hand.case(seat)
    first = next(iter(cases.values()), None)
    return () if all(case == first for case in cases.values()) and len(cases) != 1 else tuple(cases)


def load_case(game: str, path: str | Path) -> Any:
    """Loads a game's `Case` from a file. Raises ConfigErrors; RulesError for an unknown game.

    If the file has the key `game`, it must name the same game. The key `ask` names another question
    than the usual claim.
    """
    judging_of(game)
    document = read(path)
    assert isinstance(document.value, dict)
    return case_of(game, document.value, document.file, document.lines)


def case_of(
    game: str, stated: Mapping[str, object], source: str, lines: Lines | None = None
) -> Any:
    """Returns a game's `Case` from its keys; errors name `source`, and the lines if given.

    Raises ConfigErrors; RulesError for an unknown game.
    """
    lines = lines or {}
    given = {"game": game} | dict(stated)
    ask = given.pop("ask", None)
    if ask is not None and not isinstance(ask, str):
        wrong = f"is {shown(ask)}, not the name of a question"
        raise located(source, lines, [Finding(("ask",), wrong, "See docs/operate/CASES.md.")])
    try:
        case = judging_of(game).case_class(ask)
    except RulesError as error:
        raise located(source, lines, [_of_the_rules(error, {"ask": ask})]) from None
    if given["game"] != game:
        wrong = f"is {shown(given['game'])}, but a case of '{game}' is expected"
        cure = f"Write `game: {game}`, or judge the case with its own game."
        raise located(source, lines, [Finding(("game",), wrong, cure)])
    if "game" not in {each.name for each in fields(case)}:
        del given["game"]
    model = _model(case)
    try:
        values = model.model_validate_json(json.dumps(given))
        named = {name: getattr(values, name) for name in values.model_fields_set}
        return case(**named)
    except ValidationError as error:
        raise located(source, lines, findings(error, model)) from None
    except RulesError as error:
        raise located(source, lines, [_of_the_rules(error, given)]) from None


def case_schema(game: str, ask: str | None = None) -> dict[str, Any]:
    """Returns the JSON schema of a game's case, or of the case of a question.

    Raises RulesError for a game without a judge, and for an unknown question.
    """
    return _model(judging_of(game).case_class(ask)).model_json_schema()


def example_case(game: str) -> str:
    """Returns the text of a game's example case. Raises RulesError if the game has none."""
    own = resources.files("config") / "cases" / f"{game}.yaml"
    file = find_plugin(game).case or own
    if not file.is_file():
        raise RulesError(f"The game '{game}' has no example of a case.")
    return file.read_text("utf-8")


def _of_the_rules(error: RulesError, given: Mapping[str, object]) -> Finding:
    """Locates a refusal of the judge at the field with which its sentence begins: `tile: ...`."""
    field, colon, sentence = str(error).partition(": ")
    if colon and field in given:
        return from_rules((field,), RulesError(sentence))
    return from_rules((), error)


def _model(case: type[Any]) -> type[BaseModel]:
    """Returns a strict model with a dataclass's fields; fields without a default are required."""
    hints = get_type_hints(case)
    each: dict[str, Any] = {
        field.name: (hints[field.name], ... if _required(field) else None) for field in fields(case)
    }
    return create_model("Case", __base__=Part, **each)


def _required(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING
