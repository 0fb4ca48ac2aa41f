"""`--reveal`: emits the simulated plant's true tile positions as events."""

from __future__ import annotations

from config.layout.staging import Staging
from controller.events import Event, EventLog, EventName
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.plant.tiles import Tile


class TruthReveal:
    """Emits `tiles_revealed` after the walls were raised and after the hands were dealt."""

    def __init__(self, plant: Plant, staging: Staging, events: EventLog) -> None:
        self._plant = plant
        self._staging = staging
        self._events = events
        self._built: dict[int, str] = {}
        """The place of each tile, by its number, when the walls were raised."""
        self._dealt: dict[str, int] = {}
        """The position of each dealt place in the order of the deal."""

    def on_event(self, event: Event) -> None:
        """Emit each place's tile after `walls_raised`, and each hand's tiles after `ready`."""
        match event:
            case {"event": EventName.WALLS_RAISED}:
                raised = self._raised()
                self._built = {tile.number: place for place, tile in raised.items()}
                self._dealt = {}
                places = {place: tile.face for place, tile in raised.items()}
                self._events.emit(
                    EventName.TILES_REVEALED, when=EventName.WALLS_RAISED.value, places=places
                )
            case {"event": EventName.DELIVERED, "from": list(places)}:
                for place in places:
                    self._dealt.setdefault(place, len(self._dealt))
            case {"event": EventName.READY}:
                hands = {
                    str(seat): [tile.face for tile in sorted(hand, key=self._turn)]
                    for seat, hand in self._plant.hands().items()
                }
                self._events.emit(EventName.TILES_REVEALED, when=EventName.READY.value, hands=hands)

    def _turn(self, tile: Tile) -> int:
        """The position of a tile in the deal; tiles from hand lanes have no place and come last."""
        return self._dealt.get(self._built.get(tile.number, ""), len(self._dealt))

    def _raised(self) -> dict[str, Tile]:
        """The tile in each place of the raised walls."""
        raised, field = self._plant.felt.raised, self._plant.field
        tiles = {}
        for place, slot in self._staging.slots.items():
            spot = field.wall(slot.tray, slot.column, self._staging.columns(slot.tray))
            if spot in raised:
                tiles[str(place)] = raised[spot][-slot.level]
        return tiles
