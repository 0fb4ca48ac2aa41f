"""Simulated manual work: the simulated players do every step that the table guides.

They take as long as people take, move the tiles that the step names, report correctly what they
see, and press the key when they are done. Where they may choose (a cut, a wall, a number), they
take each answer with the same probability, from the seed of the plant.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from config.layout.field import Spot
from config.layout.staging import Staging
from firmware_bridge.guide import Ask, HandToPlay
from firmware_bridge.sim.people.hand_players import Company
from firmware_bridge.sim.people.styles import ActionChooser, Style
from firmware_bridge.sim.people.technician import Helper
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.plant.players import KEY
from firmware_bridge.sim.plant.tiles import ImpossibleOrderError, Tile
from rules.games.dominoes.setter import doublet_setter, heaviest_doublet
from rules.games.filipino.parameters import Parameters as FilipinoParameters
from rules.geometry import Place, Seat
from rules.play import Action, Reseated, Settlement
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

SECONDS: dict[type[Step], float] = {
    Build: 90.0,
    Throw: 4.0,
    Choose: 5.0,
    Arrange: 4.0,
    Packet: 2.5,
    TurnUp: 2.0,
    Replace: 2.0,
    DrawLot: 3.0,
    ReturnLots: 8.0,
}
"""How long people take over a step on average, seconds (ours)."""
ACTING = 2.5
"""How long a player takes over his turn, seconds (ours)."""
ANSWERING = 0.5
"""How long the table waits for one more player to let a claim go by, seconds (ours)."""
MOVING = 15.0
"""How long it takes until all sit at other seats, seconds (ours)."""


class Hands:
    """The `Guide` of a simulated table, which acts through the plant's people.

    `style` says how they play a hand, `obliging` whether they do what a prompt asks of them.
    `parameters` are those of the game, where its set-up asks people what they see.
    """

    def __init__(
        self,
        plant: Plant,
        *,
        style: Style = "sensible",
        obliging: bool = True,
        parameters: object = None,
    ) -> None:
        self._world = plant.world
        self._people = plant.people
        self._field = plant.field
        self._felt = plant.felt
        self._drum = plant.drum
        below = (*plant.heads, *(() if plant.drum is None else (plant.drum,)))
        self._chutes = [head.waiting for head in plant.heads]
        """Where heads leave tiles that no pusher stacks."""
        inside = (holder for part in below for holder in part.holders)
        self._below = [holder for holder in inside if holder not in self._chutes]
        """Where else a tile may be below the lid."""
        self._chance = plant.world.stream("hands")
        self._choices = plant.world.stream("choices")
        self._chooser = ActionChooser(plant.world.stream("players"), style)
        self.company = Company(plant.felt, plant.people.racks, self._chooser.choose)
        """The players, once they follow a hand."""
        self._helper = Helper(plant, obliging=obliging)
        house = parameters if isinstance(parameters, FilipinoParameters) else FilipinoParameters()
        self._is_flores = house.is_flores
        self._laid_out: set[int] = set()
        self._last: tuple[Step, object, Outcome] | None = None
        self._asked_again = False
        self._does: dict[type[Step], Callable[..., Outcome]] = {
            Build: self._build,
            Throw: self._throw,
            Choose: self._choose,
            Arrange: self._watch,
            Packet: self._take_packet,
            TurnUp: self._turn_up,
            Replace: self._take_one,
            DrawLot: self._draw_lot,
            ReturnLots: self._return_lots,
        }

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Do a step by hand; its outcome is what the people saw or chose."""
        if self._last is not None and self._have_done(step, staging):
            outcome = self._last[2]
        else:
            try:
                await self._take_time(SECONDS[type(step)])
            except asyncio.CancelledError:
                # Whoever was told what to take takes it, even if a key that bounces says he has.
                if isinstance(step, Packet | Replace):
                    self._last = (step, self._lies, self._does[type(step)](step, staging))
                raise
            outcome = self._does[type(step)](step, staging)
        self._last, self._asked_again = (step, self._lies, outcome), False
        if isinstance(step, Packet | Replace):
            self._people.done()
            await asyncio.sleep(2 * KEY)
        return outcome

    def host_is_back(self) -> None:
        """The screen went dark and is lit again: what they are asked now they may have done.

        Then they do not do it twice, and say the same as before.
        """
        self._asked_again = True
        self.company.host_is_back()

    async def ready(self) -> None:
        """The screen says that the game may begin; a table with a lamp has told them already."""
        self._laid_out.clear()
        # Every step of this set-up is confirmed: an answer to it must not serve the next set-up,
        # whose question and number of tiles are the same.
        self._last, self._asked_again = None, False
        self._people.show_ready()

    async def sit_down(self, dealt: HandToPlay) -> None:
        """The players take up their tiles and play by the rules from now on."""
        self._people.sit_down()
        if not self.company.follows(dealt):
            self.company.sit_down(dealt, self._set_up(dealt))

    async def act(self, play: Any) -> Action | None:
        """The next player's action; each player sees only his own tiles."""
        if self._is_quiet() and self._chooser.give_up():
            self._people.give_up()
            # Nobody acts any more: the table stops asking once it has noticed the key.
            await asyncio.get_running_loop().create_future()
        action = self.company.acts(play)
        passing = action is not None and str(action) == "pass"
        await self._take_time(ANSWERING if passing else ACTING)
        return action

    async def settled(self, settlement: Settlement) -> None:
        """The players pay, and press the key."""
        self.company.stand_up()
        self._people.stand_up()

    async def move_seats(self, reseated: Reseated) -> None:
        """They get up and sit down again; racks and felt are empty between two hands."""
        await self._take_time(MOVING)

    async def help(self, ask: Ask) -> str:
        """Inspect the part, repair its faults, and answer the prompt."""
        return await self._helper.help(ask)

    # Each step

    def _build(self, step: Build, staging: Staging) -> None:
        # Where the machine has counted more than came out, they look for the rest below the lid.
        heaps = (*self._chutes, *self._below)
        tiles = iter([tile for heap in heaps for tile in list(heap.tiles)])
        for fill in staging.fills:
            for column, height in enumerate(fill.stacks, 1):
                stack = [next(tiles) for _ in range(height)]
                spot = self._field.wall(fill.tray, column, len(fill.stacks))
                self._felt.raise_column(spot, [self._world.take_out(tile) for tile in stack])

    def _throw(self, step: Throw, staging: Staging) -> Outcome:
        return tuple(self._chance.randint(1, 6) for _ in range(step.dice * step.times))

    def _choose(self, step: Choose, staging: Staging) -> Outcome:
        match step.what:
            case "flores laid out":
                return self._lay_out(step)
            case "setter":
                return self._name_setter(step)
        return self._choices.choice(step.among)

    def _watch(self, step: Arrange, staging: Staging) -> None:
        """A cut is announced by voice where no gripper moves the pile."""

    def _take_packet(self, step: Packet, staging: Staging) -> None:
        self._take(step.seat, step.places, staging)

    def _take_one(self, step: Replace, staging: Staging) -> None:
        self._take(step.seat, (step.place,), staging)

    def _turn_up(self, step: TurnUp, staging: Staging) -> Outcome:
        tile = self._tile(step.place, staging)
        if not tile.up:
            self._felt.turn_over(tile)
        return tile.face

    def _draw_lot(self, step: DrawLot, staging: Staging) -> Outcome:
        tile = self._tile(step.place, staging)
        if tile not in self._felt.hands()[step.seat]:
            self._take(step.seat, (step.place,), staging)
        tile.up = True
        return tile.face

    def _return_lots(self, step: ReturnLots, staging: Staging) -> None:
        """Lots go back, and all tiles of the boneyard change places."""
        places = list(step.boneyard)
        tiles = [self._felt.lift(self._tile(place, staging)) for place in places]
        self._chance.shuffle(tiles)
        for place, tile in sorted(
            zip(places, tiles, strict=True), key=lambda laid: -staging.slots[laid[0]].level
        ):
            tile.up = False
            self._felt.lay(self._spot(place, staging), tile)
            self._remember(place, tile, staging)

    # What they know and see

    def _is_quiet(self) -> bool:
        """Whether no set is on its way to the trays: else the lid would open for a lost tile."""
        drum = self._drum
        return drum is None or not (drum.stirring or len(drum))

    def _have_done(self, step: Step, staging: Staging) -> bool:
        """Whether they are asked again for what they did last."""
        if not self._asked_again or self._last is None or self._last[0] != step:
            return False
        if self._last[1] == self._lies:
            return True
        match step:
            case Packet():
                return not self._stands(step.places[0], staging)
            case Replace():
                return not self._stands(step.place, staging)
        return False

    def _stands(self, place: Place, staging: Staging) -> bool:
        """Whether the tile of a place is in the wall still: one that was played is on the felt."""
        return self._felt.lies_at(self._spot(place, staging), self._tile(place, staging))

    @property
    def _lies(self) -> object:
        """How many tiles lie before each seat: a question after more have come is another one."""
        return {seat: len(hand) for seat, hand in self._felt.hands().items()}

    async def _take_time(self, mean: float) -> None:
        spread = self._chance.uniform(0.8, 1.2) if self._world.chance else 1.0
        await asyncio.sleep(mean * spread)

    def _set_up(self, dealt: HandToPlay) -> dict[Place, Tile]:
        """The tile of every place of a set-up; a hand lane's tiles have their hand's places."""
        staging = dealt.staging
        tiles = {place: self._tile(place, staging) for place in staging.slots}
        hands = self._felt.hands()
        for seat, places in dealt.setup.hands.items():
            known = {tiles[place].number for place in places if place in tiles}
            brought = [tile for tile in hands[seat] if tile.number not in known]
            due = [place for place in places if place not in tiles]
            if len(brought) < len(due):
                raise ImpossibleOrderError(
                    f"Lane {seat} was to bring {len(due)} tiles, not {len(brought)}."
                )
            tiles |= zip(due, brought, strict=False)
        return tiles

    def _tile(self, place: Place, staging: Staging) -> Tile:
        """The tile that was set up at a place, wherever it lies now."""
        return self._felt.raised[self._spot(place, staging)][-staging.slots[place].level]

    def _remember(self, place: Place, tile: Tile, staging: Staging) -> None:
        spot = self._spot(place, staging)
        column = list(self._felt.raised[spot])
        column[-staging.slots[place].level] = tile
        self._felt.raised[spot] = tuple(column)

    def _spot(self, place: Place, staging: Staging) -> Spot:
        slot = staging.slots[place]
        return self._field.wall(slot.tray, slot.column, staging.columns(slot.tray))

    def _take(self, seat: Seat, places: Iterable[Place], staging: Staging) -> None:
        tiles = [self._felt.lift(self._tile(place, staging)) for place in places]
        self._felt.put_before(seat, tiles)

    def _lay_out(self, step: Choose) -> Outcome:
        """Flores in hand that are not laid out yet, as many as the step can take."""
        fresh = [
            tile
            for tile in self._felt.hands()[step.by]
            if self._is_flores(tile.face) and tile.number not in self._laid_out
        ]
        shown = fresh[: len(step.among) - 1]
        self._laid_out.update(tile.number for tile in shown)
        return len(shown)

    def _name_setter(self, step: Choose) -> Outcome:
        hands = {
            seat: [tile.face for tile in hand] for seat, hand in self._felt.hands().items() if hand
        }
        if "nobody" in step.among and heaviest_doublet(hands) is None:
            return "nobody"
        return doublet_setter(hands)
