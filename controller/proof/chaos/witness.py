"""Witness: compares the plant with the events, the ledger and the journal of a table.

The witness receives every event of one table and reports states that must not occur: a wrong tile
in a hand, a place dealt twice or not at all, repeated throws, a lost tile. For every check there is
a test that creates the wrong state and expects the report.

`EveningAudit` is the audit log of an evening: every host records in it, and its bundle is verified.
A host that is killed leaves a part of a line behind it, as a power cut during a write does.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

from config.layout.staging import Staging
from controller.events import Event, EventName
from controller.events.lookups import RECORDED
from controller.records.audit.bundle import export_bundle, verify_bundle
from controller.records.audit.errors import AuditError, RefusedProofError
from controller.records.audit.log.event_line import details_of, plain_details
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.records.audit.log.recorder import AuditRecorder, ClockReading, RecorderClocks
from controller.run.daemon import Daemon
from controller.run.journal import Entry
from controller.run.journal.notes import ShakesBefore, notes_of
from controller.run.journal.storage import DirectStorage
from controller.run.ledger import Ledger
from controller.run.rounds.deal import from_json
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.plant.tiles import ImpossibleOrderError, Tile
from rules.errors import RulesError
from rules.geometry import Place
from rules.setup import Setup, replay
from rules.steps import DrawLot, Packet, Replace, Throw

STEPS = ("throw", "choose", "arrange", "packet", "replace", "turn_up", "lot", "return_lots")
"""Steps of a set-up in the journal, after the walls are built."""


@dataclass
class Seen:
    """Observations of one round."""

    delivered: list[tuple[object, ...]] = field(default_factory=list)
    """Seat and places of each delivery, without events that a later host repeats."""
    ready: bool = False


class Witness:
    """Checks one table; `wrong` are sentences about states that must not occur."""

    def __init__(self, plant: Plant) -> None:
        self.wrong: list[str] = []
        self._plant = plant
        self._rounds: dict[int, Seen] = {}
        self._last_daemon: Daemon | None = None

    @property
    def thrown(self) -> list[int]:
        """Every face that the dome has shown, without throws in which a die was unreadable."""
        return faces_thrown(self._plant)

    def hear(self, daemon: Daemon, event: Event) -> None:
        """Take one event and compare it with the plant at the same moment."""
        number = daemon.run_state.figures.rounds
        seen = self._rounds.setdefault(number, Seen())
        match event:
            case {"event": EventName.ACTION_TAKEN} if daemon.hand is not None:
                self.wrong += rolls_as_thrown(daemon.hand.throws, self.thrown)
            case {"event": EventName.DELIVERED, "seat": seat, "from": list(places)} if (
                not seen.ready
            ):
                packet = (seat, *places)
                # A step that a killed host has not confirmed is emitted again by the next host.
                again = daemon is not self._last_daemon and seen.delivered[-1:] == [packet]
                if not again:
                    seen.delivered.append(packet)
                self._last_daemon = daemon
            case {"event": EventName.READY} if not seen.ready:
                seen.ready = True
                assert daemon.deal is not None
                self.wrong += deliveries_as_planned(seen.delivered, daemon.deal.setup)
                entries = daemon.run_state.journal.history()
                self.wrong += setup_as_recorded(entries, daemon.deal.setup)
                self.wrong += hands_as_planned(self._plant, daemon.deal.setup, daemon.deal.staging)
                self.wrong += ledger_as_planned(daemon.run_state.ledger, daemon.deal.setup)
                self.wrong += setup_as_thrown(daemon.deal.setup, self.thrown)
                self.count()

    def count(self) -> None:
        """Check that every tile is at exactly one place."""
        self.wrong += census_errors(self._plant)


def census_errors(plant: Plant) -> list[str]:
    """Check that every tile is at exactly one place of the plant."""
    try:
        plant.census()
    except ImpossibleOrderError as error:
        return [f"The census of the plant failed: {error}"]
    return []


def deliveries_as_planned(delivered: Iterable[tuple[object, ...]], setup: Setup) -> list[str]:
    """Check that the delivery events are those of the set-up, in order."""
    reported, planned = list(delivered), _planned(setup)
    for number, (one, other) in enumerate(zip_longest(reported, planned), 1):
        if one != other:
            due = _listed(other or ())
            return [
                f"Delivery {number} was reported as {_listed(one or ())}; by the rules it is {due}."
            ]
    return []


def hands_as_planned(plant: Plant, setup: Setup, staging: Staging) -> list[str]:
    """Check that each seat has the tiles that were raised at its places.

    Tiles from lanes were raised at no place.
    """
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
                f"Seat {seat} holds {_faces(held.get(seat, []))}, but was dealt {_listed(places)}:"
                f" {_faces(raised[place] for place in places if place in raised)}."
            )
    return wrong


def ledger_as_planned(ledger: Ledger, setup: Setup) -> list[str]:
    """Check that the ledger has each dealt place at its seat, and all others in the walls."""
    on_top = ledger.on_top
    if on_top is None:
        return ["The ledger has no set on top."]
    tile_set, wrong = ledger.sets[on_top], list[str]()
    for seat in sorted({*tile_set.hands, *setup.hands}):
        has, due = tile_set.hands.get(seat, ()), setup.hands.get(seat, ())
        if sorted(map(str, has)) != sorted(map(str, due)):
            wrong.append(
                f"The ledger has {_listed(has)} at seat {seat}; by the rules it is {_listed(due)}."
            )
    dealt = {place for hand in setup.hands.values() for place in hand}
    if tile_set.standing != set(setup.layout.places) - dealt:
        wrong.append(
            f"The ledger has {len(tile_set.standing)} tiles in walls; they differ from the"
            " undealt tiles."
        )
    return wrong


def setup_as_recorded(entries: Iterable[Entry], setup: Setup) -> list[str]:
    """Check that the outcomes in the journal lead to the hands that the table has dealt."""
    outcomes: list[Any] = []
    packets: list[object] = []
    for entry in entries:
        step = entry.intent.get("step")
        if entry.activity == "top" and step == "build":
            outcomes, packets = [None], []
        elif entry.activity == "top" and step in STEPS and entry.intent not in packets:
            if step == "packet":
                # In the fastest order a packet can be delivered in several parts.
                packets.append(entry.intent)
            outcomes.append(from_json(entry.outcome))
        elif entry.activity == "top" and entry.intent.get("do") == "take in":
            outcomes = []
    try:
        replayed = replay(setup.game, setup.seating, setup.parameters, outcomes)
    except RulesError as error:
        return [f"The rules refuse the journal's outcomes {outcomes}: {error}"]
    if replayed.hands != setup.hands or replayed.pending is not None:
        return [f"By the journal the hands are {replayed.hands}; the table dealt {setup.hands}."]
    return []


def throws_as_recorded(thrown: Sequence[int], entries: Iterable[Entry]) -> list[str]:
    """Check that no throw was repeated: the dome has shown the faces in the journal and no others.

    The outcome of the last throw can be missing if its host was killed or its run was abandoned.
    """
    written = [
        face
        for entry in entries
        if entry.intent.get("step") == "throw" and entry.confirmed and _shaken(entry)
        for face in _all(entry.outcome)
    ]
    if list(thrown[: len(written)]) != written:
        return [f"The dome has shown {list(thrown)}; the journal contains {written}."]
    return []


def faces_thrown(plant: Plant) -> list[int]:
    """Every face that the dome has shown, without throws in which a die was unreadable."""
    fallen = () if plant.dome is None else plant.dome.throws
    return [face for throw in fallen if all(throw) for face in throw]


def rolls_as_thrown(rolls: Sequence[Any], thrown: Sequence[int]) -> list[str]:
    """Check that the throws of a hand, replayed ones included, are the last that the dome made.

    `rolls` are the hand's actions that threw dice. Without a dome nothing is checked: people threw
    the dice.
    """
    return _last_thrown("hand", [face for roll in rolls for face in roll.dice], thrown)


def setup_as_thrown(setup: Setup, thrown: Sequence[int]) -> list[str]:
    """Check that the throws of a set-up, replayed ones included, are the last of the dome."""
    steps = [outcome for step, outcome in setup.done if isinstance(step, Throw)]
    return _last_thrown("set-up", [face for outcome in steps for face in _all(outcome)], thrown)


def _last_thrown(name: str, used: list[int], thrown: Sequence[int]) -> list[str]:
    if thrown and used and list(thrown[-len(used) :]) != used:
        return [
            f"The {name} has the faces {used}; the last of the dome are {thrown[-len(used) :]}."
        ]
    return []


def one_outcome_each(entries: Iterable[Entry], *, in_parts: bool = False) -> list[str]:
    """Check that no step is confirmed twice in a row in the journal.

    `in_parts` permits it for packets, which the fastest order delivers in several parts.
    """
    wrong, last = [], None
    for entry in entries:
        if entry.activity != "top" or "step" not in entry.intent:
            continue
        same = last is not None and last.confirmed and last.intent == entry.intent
        again = ("throw", "choose", "lot", *(["packet"] if in_parts else []))
        if same and entry.intent["step"] not in again:
            wrong.append(
                f"Entry {entry.number} repeats the step of the entry before: {entry.intent}"
            )
        last = entry
    return wrong


def _shaken(entry: Entry) -> bool:
    """Whether the dome made this throw, not people."""
    return bool(notes_of(entry.notes, ShakesBefore))


def _all(outcome: Any) -> list[int]:
    return list(outcome) if isinstance(outcome, list | tuple) else []


def _planned(setup: Setup) -> list[tuple[object, ...]]:
    """The deliveries of a set-up, in order: the seat and the places."""
    planned: list[tuple[object, ...]] = []
    for step, _ in setup.done:
        match step:
            case Packet():
                planned.append((step.seat, *map(str, step.places)))
            case Replace() | DrawLot():
                planned.append((step.seat, str(step.place)))
    return planned


def _raised(plant: Plant, staging: Staging) -> dict[Place, Tile]:
    """The tile that was raised at each place, regardless of its present position."""
    raised, field = plant.felt.raised, plant.field
    tiles = {}
    for place, slot in staging.slots.items():
        spot = field.wall(slot.tray, slot.column, staging.columns(slot.tray))
        if len(raised.get(spot, ())) >= slot.level:
            tiles[place] = raised[spot][-slot.level]
    return tiles


def _faces(tiles: Iterable[Tile]) -> str:
    return " ".join(f"{tile.face}#{tile.number}" for tile in tiles) or "nothing"


def _listed(places: Iterable[object]) -> str:
    return " ".join(map(str, places)) or "nothing"


NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
"""The computer's time when an evening begins."""


class EveningAudit:
    """The log of one evening in a folder. `clock` gives the seconds since the evening began."""

    def __init__(
        self, folder: Path, table: str, clock: Callable[[], float], chance: Random
    ) -> None:
        self._folder = LogFolder(folder)
        self._table = table
        self._clock = clock
        self._chance = chance
        self._recorder: AuditRecorder | None = None
        self._recorded = 0
        """Number of events that the hosts have recorded."""

    def begin_host(self) -> None:
        """Open the log for a new host, which reads and checks all of it."""
        self._recorder = AuditRecorder(
            self._folder,
            self._table,
            RecorderClocks(self._clock, computer=self._clocks),
            DirectStorage(),
        )
        self._record("power_up", {})

    def _clocks(self) -> ClockReading:
        seconds = self._clock()
        return ClockReading(NOON + timedelta(seconds=seconds), seconds)

    def hear(self, event: Event) -> None:
        """Record an event of the table if it is significant."""
        if event["event"] in RECORDED:
            self._record(str(event["event"]), details_of(event))

    def end_host(self, *, killed: bool) -> list[str]:
        """End the host; returns a sentence if it could not write an event."""
        recorder, self._recorder = self._recorder, None
        assert recorder is not None
        if not killed or recorder.log is None:
            recorder.close()
            return [recorder.failure] if recorder.failure else []
        recorder.log.close()
        with self._folder.events.open("r+b") as events:
            line = events.readline()
            events.seek(0, io.SEEK_END)
            events.write(line[: self._chance.randrange(len(line))])
        return [recorder.failure] if recorder.failure else []

    def findings(self) -> list[str]:
        """Export the bundle of the whole evening and verify it; a sentence if it is refused."""
        bundle = io.BytesIO()
        try:
            log = checked_log(self._folder)
            export_bundle(log, bundle)
            bundle.seek(0)
            verified = verify_bundle(bundle)
        except (AuditError, RefusedProofError) as error:
            return [f"The bundle of the audit log does not verify: {error}"]
        if verified.size < self._recorded + 1:
            return [f"{self._recorded} events were recorded, but the log has {verified.size}."]
        return []

    def _record(self, what: str, details: dict[str, object]) -> None:
        if self._recorder is not None:
            self._recorder.record(self._recorder.entry(what, plain_details(details)))
            self._recorded += 1
