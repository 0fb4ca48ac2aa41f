"""Sentences and lines of events that a template alone cannot make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.events.place_words import face_in_words, places_in_words
from controller.events.row import Level
from rules.geometry import parse_place

Facts = Mapping[str, Any]


def plain(name: object) -> str:
    """A name such as `chee_yee` without its underscores."""
    return str(name).replace("_", " ")


def place_in_words(text: str) -> str:
    """A place in the notation of the files, such as `w1.6u`, in words."""
    return places_in_words((parse_place(text),))


def dice_sentence(event: Facts) -> tuple[str, Level]:
    """A text with the thrower and the faces."""
    return f"Seat {event['by']} threw {' '.join(map(str, event['dice']))}.", "info"


def choice_sentence(event: Facts) -> tuple[str, Level]:
    """A sentence with the seat and its choice."""
    by, what, answer = event["by"], event["what"], event["answer"]
    return f"Seat {by} chose {plain(answer)} as {plain(what)}.", "info"


def turned_up_sentence(event: Facts) -> tuple[str, Level]:
    """The face and the place of a tile that was turned up."""
    at, tile = event["at"], event["tile"]
    face = face_in_words(tile) if tile else "A tile of unknown face"
    return f"{face} was turned up: {place_in_words(at)}.", "info"


def settled_sentence(event: Facts) -> tuple[str, Level]:
    """The winner, if there is one, and the name of the result."""
    name, winner = event["name"], event["winner"]
    who = "" if winner is None else f"seat {winner} wins, "
    return f"The hand is over: {who}{name}.", "info"


def reported_sentence(event: Facts) -> tuple[str, Level]:
    """The result that was reported; a correction names its hand and who has made it."""
    sentence, level = settled_sentence(event)
    if not event.get("reason"):
        return sentence, level
    hand = str(event["hand"]).rpartition("/")[2]
    corrected = sentence.removeprefix("The hand is over: ")
    return f"{event['by']} has corrected hand {hand}: {corrected}", "warning"


def taken_back_sentence(event: Facts) -> tuple[str, Level]:
    """A sentence with the person and the number of actions that were taken back."""
    acts, by = event["acts"], event["by"]
    last = "action" if acts == 1 else f"{acts} actions"
    return f"{by} has taken back the last {last}.", "warning"


def paused_sentence(event: Facts) -> tuple[str, Level]:
    """The cause of a pause; a pause that a person commanded is not a warning."""
    if event["why"] == "COMMAND":
        return "A person has paused the table.", "info"
    why, board, channel = event["why"], event["board"], event["channel"]
    return f"The table is paused: {why} at {channel or f'board {board}'}.", "warning"


def dice_line(event: Facts) -> str:
    """A text with the thrower and the faces."""
    return f"seat {event['by']} throws {' '.join(str(face) for face in event['dice'])}"


def delivered_line(event: Facts) -> str:
    """The places of the tiles that a seat gets."""
    return f"seat {event['seat']} gets {' '.join(event['from'])}"


def turned_up_line(event: Facts) -> str:
    """The place and the face."""
    return f"{event['at']} is turned up: {event['tile'] or 'unknown'}"


def step_line(event: Facts) -> str:
    """How the pile is moved; other steps are reported by their results."""
    if event["step"] != "arrange":
        return ""
    return f"{event['verb']} {' '.join(event['from'])}"


def settled_line(event: Facts) -> str:
    """The name of the result, and the winner."""
    name, winner = event["name"], event["winner"]
    return str(name) if winner is None else f"{name}, won by seat {winner}"


def seats_line(event: Facts) -> str:
    """A line with the new seat of each player, and the dealer."""
    moved = ", ".join(f"{seat} to {to}" for seat, to in enumerate(event["moves"]))
    return f"new seats: {moved}; seat {event['dealer']} deals"


def paused_line(event: Facts) -> str:
    """The cause, the board and the channel of a pause."""
    why, board, channel = event["why"], event["board"], event["channel"]
    return f"paused: {why} on board {board}{f', {channel}' if channel else ''}"
