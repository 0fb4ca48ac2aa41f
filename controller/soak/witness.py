"""Witness: compares the plant's state with the table's events, commands and journal.

A witness listens to every event of one table and reports states that must not occur: a wrong tile
in a hand, a place dealt twice or never, dice thrown again, a lost tile. Every check has a test that
plants the damage and expects the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from config.layout.staging import Staging
from controller.daemon import Daemon
from controller.events import Event
from controller.journal import Entry
from controller.journal.notes import ShakesBefore, notes_of
from controller.ledger import Ledger
from controller.rounds.deal import from_json
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.plant.tiles import ImpossibleOrderError, Tile
from rules.errors import RulesError
from rules.geometry import Place
from rules.setup import Setup, replay
from rules.steps import DrawLot, Packet, Replace

STEPS = ("throw", "choose", "arrange", "packet", "replace", "turn_up", "lot", "return_lots")
"""Content of a set-up in the journal, once it is built."""


@dataclass
class Seen:
    """Observations of one round."""

    delivered: list[tuple[object, ...]] = field(default_factory=list)
    """Seat and places by daemon run, without repeated events."""
    ready: bool = False


class Witness:
    """Witness of one table; `wrong` are sentences about states that must not occur."""

    def __init__(self, plant: Plant) -> None:
        self.wrong: list[str] = []
        self._plant = plant
        self._rounds: dict[int, Seen] = {}
        self._telling: Daemon | None = None

    @property
    def thrown(self) -> list[int]:
        """Every face that the dome has shown, cocked throws left out."""
        dome = self._plant.dome
        fallen = () if dome is None else dome.throws
        return [face for throw in fallen if all(throw) for face in throw]

    def hear(self, daemon: Daemon, event: Event) -> None:
        """Take one event; the plant is read at the same moment."""
        number = daemon.run_state.figures.rounds
        seen = self._rounds.setdefault(number, Seen())
        match event:
            case {"event": "delivered", "seat": seat, "from": list(places)} if not seen.ready:
                packet = (seat, *places)
                # A step whose confirmation was lost with its host is emitted again by the next
                # host.
                again = daemon is not self._telling and seen.delivered[-1:] == [packet]
                if not again:
                    seen.delivered.append(packet)
                self._telling = daemon
            case {"event": "ready"} if not seen.ready:
                seen.ready = True
                assert daemon.deal is not None
                self.wrong += told_as_planned(seen.delivered, daemon.deal.setup)
                entries = daemon.run_state.journal.history()
                self.wrong += plan_as_written(entries, daemon.deal.setup)
                self.wrong += hands_as_planned(self._plant, daemon.deal.setup, daemon.deal.staging)
                self.wrong += ledger_as_planned(daemon.run_state.ledger, daemon.deal.setup)
                self.count()

    def count(self) -> None:
        """Check that every tile is in exactly one place."""
        self.wrong += every_tile_is_somewhere(self._plant)


def every_tile_is_somewhere(plant: Plant) -> list[str]:
    """What is wrong with the census of all tiles."""
    try:
        plant.census()
    except ImpossibleOrderError as error:
        return [f"The census: {error}"]
    return []


def told_as_planned(delivered: Iterable[tuple[object, ...]], setup: Setup) -> list[str]:
    """Check the delivery events against the set-up's plan: none repeated, skipped or misplaced."""
    told, planned = list(delivered), _planned(setup)
    for number, (one, other) in enumerate(zip_longest(told, planned), 1):
        if one != other:
            due = _listed(other or ())
            return [
                f"Delivery {number} was told as {_listed(one or ())}; by the rules it is {due}."
            ]
    return []


def hands_as_planned(plant: Plant, setup: Setup, staging: Staging) -> list[str]:
    """Check that each seat holds the tiles raised at its places; tiles from lanes have no place."""
    raised = _raised(plant, staging)
    held = plant.hands()
    wrong = [f"No tile was raised at {place}." for place in staging.slots if place not in raised]
    for seat in range(plant.felt.seats):
        places = setup.hands.get(seat, ())
        due = {raised[place].number for place in places if place in raised}
        has = {tile.number for tile in held.get(seat, [])}
        walls = {tile.number for tile in raised.values()}
        if not due <= has or (has - due) & walls or len(has) != len(places):
            wrong.append(
                f"Seat {seat} holds {_faces(held.get(seat, []))}, and was dealt {_listed(places)}:"
                f" {_faces(raised[place] for place in places if place in raised)}."
            )
    return wrong


def ledger_as_planned(ledger: Ledger, setup: Setup) -> list[str]:
    """Check the ledger: each dealt place is at the seat that the rules give; others stand."""
    on_top = ledger.on_top
    if on_top is None:
        return ["The ledger has no set on top."]
    account, wrong = ledger.sets[on_top], list[str]()
    for seat in sorted({*account.hands, *setup.hands}):
        has, due = account.hands.get(seat, ()), setup.hands.get(seat, ())
        if sorted(map(str, has)) != sorted(map(str, due)):
            wrong.append(
                f"The ledger has {_listed(has)} at seat {seat}; by the rules it is {_listed(due)}."
            )
    dealt = {place for hand in setup.hands.values() for place in hand}
    if account.standing != set(setup.layout.places) - dealt:
        wrong.append(f"The ledger has {len(account.standing)} tiles standing, not the rest.")
    return wrong


def plan_as_written(entries: Iterable[Entry], setup: Setup) -> list[str]:
    """Check that the rules, given the outcomes in the journal, deal what the table has dealt."""
    outcomes: list[Any] = []
    packets: list[object] = []
    for entry in entries:
        step = entry.intent.get("step")
        if entry.activity == "top" and step == "build":
            outcomes, packets = [None], []
        elif entry.activity == "top" and step in STEPS and entry.intent not in packets:
            if step == "packet":
                # In the fastest order one packet may be delivered in several parts.
                packets.append(entry.intent)
            outcomes.append(from_json(entry.outcome))
        elif entry.activity == "top" and entry.intent.get("do") == "take in":
            outcomes = []
    try:
        told = replay(setup.game, setup.seating, setup.parameters, outcomes)
    except RulesError as error:
        return [f"The journal's outcomes {outcomes} are none of the rules: {error}"]
    if told.hands != setup.hands or told.pending is not None:
        return [f"By the journal the rules deal {told.hands}; the table dealt {setup.hands}."]
    return []


def throws_as_written(thrown: Sequence[int], entries: Iterable[Entry]) -> list[str]:
    """Check that no throw was repeated: the dome has shown the journal's faces and no others.

    The outcome of the last throw may be missing if its host died, or if its run was abandoned.
    """
    written = [
        face
        for entry in entries
        if entry.intent.get("step") == "throw" and entry.confirmed and _shaken(entry)
        for face in _all(entry.outcome)
    ]
    if list(thrown[: len(written)]) != written:
        return [f"The dome has shown {list(thrown)}; the journal tells of {written}."]
    return []


def one_outcome_each(entries: Iterable[Entry], *, in_parts: bool = False) -> list[str]:
    """Check that no step has two outcomes in a row in the journal.

    With `in_parts` a packet may: in the fastest order it is delivered as the gripper can take it.
    """
    wrong, last = [], None
    for entry in entries:
        if entry.activity != "top" or "step" not in entry.intent:
            continue
        same = last is not None and last.confirmed and last.intent == entry.intent
        again = ("throw", "choose", "lot", *(["packet"] if in_parts else []))
        if same and entry.intent["step"] not in again:
            wrong.append(f"Entry {entry.number} is the same step as the one before: {entry.intent}")
        last = entry
    return wrong


def _shaken(entry: Entry) -> bool:
    """Whether the dome threw; people throw their own dice."""
    return bool(notes_of(entry.notes, ShakesBefore))


def _all(outcome: Any) -> list[int]:
    return list(outcome) if isinstance(outcome, list | tuple) else []


def _planned(setup: Setup) -> list[tuple[object, ...]]:
    """Every delivery of a set-up, in order: the seat, and the places."""
    planned: list[tuple[object, ...]] = []
    for step, _ in setup.done:
        match step:
            case Packet():
                planned.append((step.seat, *map(str, step.places)))
            case Replace() | DrawLot():
                planned.append((step.seat, str(step.place)))
    return planned


def _raised(plant: Plant, staging: Staging) -> dict[Place, Tile]:
    """The tile that was set up at each place, regardless of where it lies now."""
    raised, field = plant.felt.raised, plant.field
    told = {}
    for place, slot in staging.slots.items():
        spot = field.wall(slot.tray, slot.column, staging.columns(slot.tray))
        if len(raised.get(spot, ())) >= slot.level:
            told[place] = raised[spot][-slot.level]
    return told


def _faces(tiles: Iterable[Tile]) -> str:
    return " ".join(f"{tile.face}#{tile.number}" for tile in tiles) or "nothing"


def _listed(places: Iterable[object]) -> str:
    return " ".join(map(str, places)) or "nothing"
