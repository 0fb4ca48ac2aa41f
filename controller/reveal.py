"""What is really where, in a simulation: the plant's truth beside the controller's belief."""

from __future__ import annotations

from config.staging import Staging
from controller.events import Event, EventLog
from firmware_bridge.sim.plant.machine import Plant


class Reveal:
    """Listens for walls raised and hands complete, and tells the true tiles of both."""

    def __init__(self, plant: Plant, staging: Staging, events: EventLog) -> None:
        self._plant = plant
        self._staging = staging
        self._events = events

    def hear(self, event: Event) -> None:
        """After `raised`: each place's tile. After `ready`: each hand's, in the order they came."""
        if event["event"] == "raised":
            self._events.tell("truth", when="raised", places=self._places())
        elif event["event"] == "ready":
            hands = {
                str(seat): [tile.face for tile in hand]
                for seat, hand in self._plant.hands().items()
            }
            self._events.tell("truth", when="ready", hands=hands)

    def _places(self) -> dict[str, str]:
        raised, field = self._plant.felt.raised, self._plant.field
        told = {}
        for place, slot in self._staging.slots.items():
            spot = field.wall(slot.tray, slot.column, self._staging.columns(slot.tray))
            if spot in raised:
                told[str(place)] = raised[spot][-slot.level].face
        return told
