"""Questions to people about steps and actions, and the conversion of their answers."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from firmware_bridge.guide import TakeBack
from rules.dice import parse_throw
from rules.errors import NotationError
from rules.geometry import Place
from rules.play import Action, AnyRules
from rules.results import ResultField
from rules.steps import (
    Arrange,
    Build,
    Choose,
    DrawLot,
    Outcome,
    Packet,
    Replace,
    ReturnLots,
    Step,
    Throw,
    TurnUp,
)

LISTED = 2000
"""The largest number of actions that are listed; a play with hidden hands can allow very many."""


def legal_action(play: Any, rules: AnyRules, line: str) -> Action:
    """Convert a typed line to a legal action. Raises RulesError."""
    seat, _, text = line.partition(" ")
    if not (seat.isdecimal() and len(seat) < 3):
        raise NotationError(f"'{line}' does not begin with a seat. {example_actions(play)}")
    action: Action = play.legal_actions.require(rules.parse(int(seat), text.strip()))
    return action


def example_actions(play: Any) -> str:
    """An example of each kind of legal action, as it is typed."""
    kinds: dict[str, str] = {}
    for action in islice(play.legal_actions, LISTED):
        text = str(action)
        kinds.setdefault(text.partition(" ")[0], f"'{action.seat} {text}'")
    if not kinds:
        return "No action is legal now; '?' lists all legal actions."
    return f"Type the seat and the action, as {' or '.join(kinds.values())}; '?' lists all."


def all_actions(play: Any) -> str:
    """The list of all legal actions, as they are typed."""
    actions = [f"{action.seat} {action}" for action in islice(play.legal_actions, LISTED + 1)]
    more = f"; and more than {LISTED} in all" if len(actions) > LISTED else ""
    return f"Legal now: {', '.join(actions[:LISTED])}{more}."


def result_question(each: ResultField) -> str:
    """The question for one field of a result; Enter alone leaves out what is not needed."""
    what = f"Type {each.words}"
    if each.choices and each.kind == "choice":
        what += f": {', '.join(each.choices)}"
    if each.per_seat:
        what += ", one for each seat, with spaces between them and - for none"
    elif each.kind == "yes_no":
        what += ": yes or no"
    return f"{what}." if each.needed == "who" else f"{what}, or press Enter to leave it out."


def result_value(each: ResultField, line: str) -> Any:
    """Convert a typed line to the value of a field; None leaves it out. Raises NotationError."""
    if not line:
        return None
    if each.per_seat:
        return [None if one == "-" else _one(each, one) for one in line.split()]
    if each.kind in ("seats", "tiles"):
        return [_one(each, one) for one in line.split()]
    return _one(each, line)


def _one(each: ResultField, text: str) -> Any:
    match each.kind:
        case "seat" | "seats" | "number":
            if not re.fullmatch(r"-?[0-9]{1,9}", text):
                raise NotationError(f"'{text[:20]}' is not a number.")
            return int(text)
        case "yes_no":
            if text.lower() not in ("yes", "no"):
                raise NotationError(f"'{text[:20]}' is neither yes nor no.")
            return text.lower() == "yes"
    return text


def question(step: Step) -> str:
    """The question for a step; a step without an outcome is confirmed with Enter."""
    match step:
        case Throw():
            return f"Seat {step.by}, {step.why}: throw, and type the dice as 3,5."
        case Choose():
            offered = " or ".join(str(each) for each in step.among)
            return f"Seat {step.by}, {step.what}: {offered}? [{step.default}]"
        case TurnUp():
            return f"Turn up {step.place} and type its face, or press Enter to leave it unknown."
        case DrawLot():
            return (
                f"Seat {step.seat} draws {step.place}: type its face, or press Enter to leave it"
                " unknown."
            )
        case Build():
            return f"Build {step.layout.count} tiles, then press Enter."
        case Arrange():
            places = " ".join(step.to)
            return f"{step.verb.capitalize()} {_listed(step.tiles)} to {places}, then press Enter."
        case Packet():
            return f"Give {_listed(step.places)} to seat {step.seat}, then press Enter."
        case Replace():
            return f"Give {step.place} in exchange to seat {step.seat}, then press Enter."
        case ReturnLots():
            first, *_, last = step.boneyard
            return (
                f"Put the drawn tiles back at {_listed(step.places)} face down, mix the whole"
                f" boneyard, {first} to {last}, then press Enter."
            )


def answer(step: Step, line: str) -> Outcome:
    """Convert a typed line to the outcome of a step. Raises NotationError for an invalid throw."""
    match step:
        case Throw():
            return parse_throw(line)
        case Choose():
            if not line:
                return step.default
            return next((each for each in step.among if str(each) == line), line)
        case TurnUp() | DrawLot():
            return line or None
    return None


def take_back_request(taken: TakeBack) -> str:
    """The request to put the table back before actions that were entered wrongly."""
    actions = ", ".join(f"seat {action.seat}: {action}" for action in taken.actions)
    tiles = " ".join(
        f"Put the tile of seat {seat} back to {place}, face down." for seat, place in taken.drawn
    )
    return (
        f"These actions are taken back: {actions}. Every player takes back the tiles that these"
        f" actions moved. {tiles}".rstrip()
    )


def _listed(places: tuple[Place, ...]) -> str:
    return " ".join(str(place) for place in places)
