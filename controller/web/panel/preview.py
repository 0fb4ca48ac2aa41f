"""Previews of a deal: the moves, throws and hands that follow from choices that people consider.

A preview is a list of events in the format of docs/reference/EVENTS.md, so that the picture
animates it in the same way as a real round. `t` counts seconds from the raised walls; a move of the
machine takes its least time, a step of people takes `PERSON_SECONDS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field as Item

from config.layout.field import Field
from config.schema import GameConfig, Table
from controller.events import Event, EventName
from controller.run.planning.least_times import move_seconds
from controller.run.planning.moves import Move, Prompt
from controller.run.planning.planner import Planner
from controller.run.planning.setup_forecast import seats_of, staging_of
from controller.service.status import GameChoice, Value
from controller.web.panel.geometry import geometry, orders_of
from controller.web.panel.scene_geometry import TableGeometry
from rules.dice import Dice
from rules.errors import MissingThrowError
from rules.setup import Setup, facts, settle
from rules.steps import Build, Choose, Outcome, Packet, Replace, Step, Throw, TurnUp

PERSON_SECONDS = 1.5
"""Time that the preview shows a step that people do (ours)."""


class DealtHand(Value):
    """The tiles that one seat receives, in the order of delivery, and its number at pai gow."""

    seat: int
    places: tuple[str, ...]
    number: int | None = None


class DealPreview(Value):
    """A whole deal for some choices: its events, its hands, and the geometry that it plays on.

    `assumed` has the throws that were not given and that the preview made up. `seconds` is the
    duration of the events. `setup` is the set-up as `wallwright plan --json` prints it.
    """

    geometry: TableGeometry
    events: tuple[Event, ...]
    seconds: float
    hands: tuple[DealtHand, ...]
    throws: tuple[tuple[int, ...], ...]
    assumed: tuple[tuple[int, ...], ...] = ()
    setup: dict[str, object] = Item(default_factory=dict)


def preview_deal(
    table: Table, config: GameConfig, choice: GameChoice, throws: Sequence[Dice] = ()
) -> DealPreview:
    """Plan the deal that follows from a choice and the throws so far.

    Choices are `choice.answers`, by question; a question without an answer gets its default. Throws
    that are missing are made up. Raises RulesError and ConfigErrors for an impossible choice.
    """
    orders = orders_of(config, choice)
    given = list(throws)
    end = _settled(orders.setup(orders.dealer), given, choice)
    planner = Planner(table, Field(table, config.tile), staging_of(table, orders), seats_of(end))
    if planner.staging.lanes:
        planner = planner.with_lanes(end)
    writer = _EventWriter(planner, config)
    events = tuple(writer.events(end))
    return DealPreview(
        geometry=geometry(table, config, choice, given, _asked(end, choice)),
        events=events,
        seconds=writer.at,
        hands=_hands(end),
        throws=tuple(given),
        assumed=tuple(given[len(throws) :]),
        setup=facts(end),
    )


def _settled(setup: Setup, given: list[Dice], choice: GameChoice) -> Setup:
    """The complete set-up; throws that are missing are appended to `given`, each with equal dice.

    Each throw shows another face, so that repeated throws after a tie end.
    """
    while True:
        try:
            return settle(setup, given, choice.answers)
        except MissingThrowError as missing:
            face = (len(given) + 2) % 6 + 1
            given.append((face,) * (missing.dice * missing.times))


def _asked(end: Setup, choice: GameChoice) -> dict[str, int | str]:
    asked = {step.what for step, _ in end.done if isinstance(step, Choose)}
    return {what: answer for what, answer in choice.answers.items() if what in asked}


def _hands(end: Setup) -> tuple[DealtHand, ...]:
    numbers = {step.seat: step.hand for step, _ in end.done if isinstance(step, Packet)}
    return tuple(
        DealtHand(seat=seat, places=tuple(map(str, places)), number=numbers.get(seat))
        for seat, places in sorted(end.hands.items())
    )


@dataclass
class _EventWriter:
    """Makes events of the steps of a set-up and of their moves; `at` is the present time."""

    planner: Planner
    config: GameConfig
    at: float = 0.0

    def events(self, end: Setup) -> Iterator[Event]:
        """The events of a complete set-up, from the raised walls until it is ready."""
        plans = self._plans(end)
        moves = [move for _, _, each in plans for move in each]
        height = self.config.tile.height_mm / 1000
        seconds = iter(tuple(move_seconds(moves, self.planner.table, height)))
        yield self._event(EventName.WALLS_RAISED, set=0)
        for step, outcome, each in plans:
            if step is not None:
                yield self._event(EventName.STEP, **step.facts())
            for move in each:
                least = next(seconds)
                yield self._event(EventName.MOVE, **move.facts())
                self.at += PERSON_SECONDS if isinstance(move, Prompt) else least
            if step is not None:
                yield from self._confirmed(step, outcome)
        ready = end.ready
        yield self._event(EventName.READY, dealer=end.seating.dealer, begins=ready and ready.begins)

    def _plans(self, end: Setup) -> list[tuple[Step | None, Outcome, tuple[Move, ...]]]:
        """Each step with its outcome and its moves; the first entry joins the halves of a pile."""
        raised = self.planner.raised()
        plans: list[tuple[Step | None, Outcome, tuple[Move, ...]]] = [(None, None, raised.moves)]
        top = raised.top
        for step, outcome in end.done:
            if not isinstance(step, Build):
                plan = self.planner.plan(step, top)
                plans.append((step, outcome, plan.moves))
                top = plan.top
        return plans

    def _confirmed(self, step: Step, outcome: Outcome) -> Iterator[Event]:
        match step:
            case Throw() if isinstance(outcome, tuple):
                yield self._event(EventName.DICE_THROWN, by=step.by, dice=list(outcome))
            case Choose():
                yield self._event(EventName.CHOICE_MADE, by=step.by, what=step.what, answer=outcome)
            case Packet() | Replace():
                delivered = step.facts()
                delivered.pop("step")
                yield self._event(EventName.DELIVERED, **delivered)
            case TurnUp():
                yield self._event(
                    EventName.TILE_TURNED_UP, at=str(step.place), tile=outcome, by=step.by
                )

    def _event(self, name: EventName, **values: object) -> Event:
        return {"t": round(self.at, 3), "event": name.value, **values}
