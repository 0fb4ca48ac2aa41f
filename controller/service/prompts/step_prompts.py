"""Prompts for the steps of a set-up that people do by hand, in words for people at the table."""

from __future__ import annotations

from controller.events.place_words import places_in_words
from controller.service.status import OpenPrompt, PromptChoice, PromptKind
from controller.service.user_roles import UserRole
from rules.steps import (
    Arrange,
    Build,
    Choose,
    DrawLot,
    Packet,
    Replace,
    ReturnLots,
    Step,
    Throw,
    TurnUp,
)

LISTED = 200
"""Number of answers that a prompt lists; further ones are typed."""


def step_prompt(step: Step) -> OpenPrompt:
    """The prompt for a step; it has no id yet. `lit` are the places of the tiles that it names."""
    kind: PromptKind = "step"
    seats: tuple[int, ...] = ()
    choices: tuple[PromptChoice, ...] = (PromptChoice(value="", label="done"),)
    code = default = ""
    more = False
    lit: tuple[str, ...] = ()
    dice = 0
    match step:
        case Choose():
            kind, code, default, seats = "choice", step.what, str(step.default), (step.by,)
            among = [str(each) for each in step.among]
            choices = tuple(PromptChoice(value=each, label=each) for each in among[:LISTED])
            more = len(among) > LISTED
        case Throw():
            kind, choices, seats = "dice", (), (step.by,)
            dice = step.dice * step.times
        case TurnUp() | DrawLot():
            kind, choices = "face", (PromptChoice(value="", label="unknown"),)
            lit = (str(step.place),)
            seats = (step.seat,) if isinstance(step, DrawLot) else ()
        case Packet():
            seats, lit = (step.seat,), tuple(str(place) for place in step.places)
        case Replace():
            seats, lit = (step.seat,), (str(step.place),)
    return OpenPrompt(
        id="",
        kind=kind,
        role=UserRole.PLAYER,
        text=step_request(step),
        code=code,
        seats=seats,
        choices=choices,
        default=default,
        more=more,
        lit=lit,
        dice=dice,
    )


def step_request(step: Step) -> str:
    """What people are asked to do for a step. The panel puts names in the place of `seat 0`."""
    match step:
        case Choose():
            return f"Seat {step.by} chooses: {step.what}."
        case Throw():
            number = step.dice * step.times
            dice = "one die" if number == 1 else f"{number} dice"
            return f"Seat {step.by} throws {dice}: {step.why}. Enter what the dice show."
        case TurnUp():
            place = places_in_words((step.place,))
            return f"Seat {step.by} turns up a tile: {place}. Tap what it shows."
        case DrawLot():
            place = places_in_words((step.place,))
            return f"Seat {step.seat} draws a tile and shows it: {place}. Tap what it shows."
        case Build():
            return f"Build the layout by hand, from {step.layout.count} tiles that lie face down."
        case Arrange():
            return (
                f"Cut the pile: {step.verb} {places_in_words(step.tiles)} to {' '.join(step.to)}."
            )
        case Packet():
            number = len(step.places)
            tiles = "one tile" if number == 1 else f"{number} tiles"
            return f"Seat {step.seat} takes {tiles}: {places_in_words(step.places)}."
        case Replace():
            return f"Seat {step.seat} takes one tile in exchange: {places_in_words((step.place,))}."
        case ReturnLots():
            return (
                "Put the drawn tiles back face down, mix the whole boneyard face down, and lay it"
                " out again."
            )
