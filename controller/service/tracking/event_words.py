"""Events in words, for the list of recent events that people read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from controller.events import Event
from controller.run.operator.place_words import face_in_words, places_in_words
from controller.service.status import RecentEvent
from rules.geometry import parse_place

Kind = Literal["info", "warning", "fault"]


def in_words(event: Event) -> RecentEvent | None:
    """An event as a sentence; None for events that are too frequent to be read."""
    found = _sentence(dict(event))
    if found is None:
        return None
    text, kind = found
    return RecentEvent(at=round(float(str(event["t"])), 3), text=text, kind=kind)


def _sentence(event: dict[str, Any]) -> tuple[str, Kind] | None:
    match event:
        case {"event": "walls_raised"}:
            return "The walls are on the table.", "info"
        case {"event": "dice_thrown", "by": by, "dice": dice}:
            return f"Seat {by} threw {' '.join(map(str, dice))}.", "info"
        case {"event": "choice_made", "by": by, "what": what, "answer": answer}:
            return f"Seat {by} chose {_plain(answer)} as {_plain(what)}.", "info"
        case {"event": "tile_turned_up", "at": at, "tile": tile}:
            face = face_in_words(tile) if tile else "A tile of unknown face"
            return f"{face} was turned up: {_place(at)}.", "info"
        case {"event": "ready"}:
            return "The table is ready to play.", "info"
        case {"event": "chance_revealed", "record": {"cycle": cycle}}:
            return f"The machine's share of cycle {cycle} is revealed.", "info"
        case {"event": "settled", "name": name, "winner": winner}:
            who = "" if winner is None else f"seat {winner} wins, "
            return f"The hand is over: {who}{name}.", "info"
        case {"event": "actions_taken_back", "acts": acts, "by": by}:
            last = "action" if acts == 1 else f"{acts} actions"
            return f"{by} has taken back the last {last}.", "warning"
        case {"event": "hand_abandoned"}:
            return "The hand was abandoned.", "warning"
        case {"event": "seats_drawn"}:
            return "New seats were drawn.", "info"
        case {"event": "run_resumed"}:
            return "The table resumes where it was stopped.", "info"
        case {"event": "put_away_requested", "why": why}:
            return f"Every tile has to be put away: {why}.", "warning"
        case {"event": "paused", "why": "COMMAND"}:
            return "A person has paused the table.", "info"
        case {"event": "paused", "why": why, "board": board, "channel": channel}:
            return f"The table is paused: {why} at {channel or f'board {board}'}.", "warning"
        case {"event": "resumed", "paused_s": seconds}:
            return f"The table resumes after {seconds:.0f} s.", "info"
        case {"event": "recovered", "code": code, "part": part, "attempt": attempt}:
            return f"{part} works again after {code}, at attempt {attempt}.", "warning"
        case {"event": "operator_prompted", "part": part, "evidence": evidence, "role": role}:
            return f"A prompt about {part} is open for the role {role}: {evidence}.", "warning"
        case {"event": "prompt_answered", "part": part, "answer": answer}:
            return f"The prompt about {part} was answered: {answer}.", "info"
        case {"event": "board_reset", "board": board}:
            return f"Board {board} was reset and answers again.", "warning"
        case {"event": "protocol_broken", "message": message}:
            return str(message), "warning"
        case {"event": "journal_copy_repaired", "message": message}:
            return str(message), "warning"
        case {"event": "fault", "code": code, "part": part, "evidence": evidence}:
            return f"{code} at {part}: {evidence}.", "fault"
    return None


def step_in_words(step: Mapping[str, object]) -> str:
    """A step of the set-up in words, from its facts."""
    facts: dict[str, Any] = dict(step)
    match facts:
        case {"step": "throw", "by": by, "why": why}:
            return f"Seat {by} throws: {why}"
        case {"step": "choose", "by": by, "what": what}:
            return f"Seat {by} chooses: {_plain(what)}"
        case {"step": "arrange", "verb": verb}:
            return f"The pile is cut: {_plain(verb)}"
        case {"step": "packet", "seat": seat}:
            return f"Tiles are dealt to seat {seat}"
        case {"step": "replace", "seat": seat}:
            return f"Seat {seat} gets a replacement"
        case {"step": "turn_up", "at": at}:
            return f"A tile is turned up: {_place(at)}"
        case {"step": "lot", "seat": seat}:
            return f"Seat {seat} draws a lot"
        case {"step": "return_lots"}:
            return "The lots go back"
    return ""


def _plain(name: object) -> str:
    """A name such as `chee_yee` without its underscores."""
    return str(name).replace("_", " ")


def _place(text: str) -> str:
    return places_in_words((parse_place(text),))
