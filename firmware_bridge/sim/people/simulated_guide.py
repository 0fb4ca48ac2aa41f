"""Simulated guide: the simulated people do every guided step and play the hands.

For each step the people take a realistic time, move the tiles that the step names, report what the
tiles show, and press the key. If a step lets them choose (a cut, a wall, a number), each answer has
the same probability, from the seed of the plant.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from config.layout.field import Spot
from config.layout.staging import Staging
from firmware_bridge.guide import Ask, HandToPlay, HandToReport, TakeBack
from firmware_bridge.sim.people.hand_players import ActionChooser, HandPlayers, Style
from firmware_bridge.sim.people.reported_results import random_result
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.plant.players import KEY
from firmware_bridge.sim.plant.tiles import ImpossibleOrderError, Tile
from rules.errors import IllegalSetupError
from rules.games.dominoes.setup import doublet_setter, heaviest_doublet
from rules.games.filipino.parameters import Parameters as FilipinoParameters
from rules.geometry import Place, Seat
from rules.play import Action, IllegalActionError, Reseated, Settlement
from rules.results import Result
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
"""Mean seconds for each kind of step (our values)."""
ACTING = 2.5
"""Mean seconds for a player's turn (our value)."""
ANSWERING = 0.5
"""Mean seconds until a player passes on a claim (our value)."""
MOVING = 15.0
"""Mean seconds until all players have changed seats (our value)."""
REPORTING = 5.0
"""Mean seconds until somebody has said who won (our value)."""
LATE_SHARE = 0.5
"""The share of hands of which people who are not obliging say late who has won (our value)."""
LATEST_REPORT = 300.0
"""The most seconds until people say it then (our value)."""
SOONEST, LATEST = 20.0, 60.0
"""Minimum and maximum seconds until the technician has repaired a part (our values)."""
MEAN = 30.0
"""Mean number of seconds until the technician has repaired a part (our value)."""
PUT_AWAY = "UNPROVEN"
"""The fault code whose prompt asks to put every tile back into its box."""
LEFT_OVER = "LEFT_OVER"
"""The fault code whose prompt asks to take out the tiles that are left over after a build."""
LOOK_INTO_DRUM = "STARVED"
"""The fault code whose prompt asks to push the set in if the drum is empty."""


class SimulatedGuide:
    """The `Guide` of a simulated table, which acts through the plant's people.

    `style` is how the people choose their actions, `obliging` whether they do what a prompt asks.
    `parameters` are the game's; only those of Filipino mahjong are used, which define flores.
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
        self._outlets = [head.waiting for head in plant.heads]
        """The holders in which heads leave tiles that no pusher stacks."""
        inside = (holder for part in below for holder in part.holders)
        self._other_holders = [holder for holder in inside if holder not in self._outlets]
        """All other holders below the lid."""
        self._chance = plant.world.stream("hands")
        self._choices = plant.world.stream("choices")
        self._reports, self._obliging = plant.world.stream("reports"), obliging
        self._chooser = ActionChooser(plant.world.stream("players"), style)
        self.hand_players = HandPlayers(plant.felt, plant.people.racks, self._chooser.choose)
        """The players of a hand whose play the table follows."""
        self._wrong_set_up: IllegalSetupError | None = None
        """Why the set-up on the screen is not the one on the table."""
        self._technician = Technician(plant, obliging=obliging)
        house = parameters if isinstance(parameters, FilipinoParameters) else FilipinoParameters()
        self._is_flores = house.is_flores
        self._laid_out: set[int] = set()
        self._last: tuple[Step, object, Outcome] | None = None
        self._asked_again = False
        self._taken_back: TakeBack | None = None
        self._methods: dict[type[Step], Callable[..., Outcome]] = {
            Build: self._build,
            Throw: self._throw,
            Choose: self._choose,
            Arrange: self._confirm_cut,
            Packet: self._take_packet,
            TurnUp: self._turn_up,
            Replace: self._take_one,
            DrawLot: self._draw_lot,
            ReturnLots: self._return_lots,
        }

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Do a step by hand; return its outcome, which the people read or chose."""
        if not isinstance(step, Build):
            self._straighten_walls(staging)
        if self._last is not None and self._is_repeated(step, staging):
            outcome = self._last[2]
        else:
            try:
                await self._take_time(SECONDS[type(step)])
            except asyncio.CancelledError:
                # A bouncing key may end the request too early; the people take the tiles anyway.
                if isinstance(step, Packet | Replace):
                    seen = self._tiles_before_seats
                    self._last = (step, seen, self._methods[type(step)](step, staging))
                raise
            outcome = self._methods[type(step)](step, staging)
        self._last, self._asked_again = (step, self._tiles_before_seats, outcome), False
        if isinstance(step, Packet | Replace):
            self._people.done()
            await asyncio.sleep(2 * KEY)
        return outcome

    def host_restarted(self) -> None:
        """Note a restart of the host, after which the last request may be repeated.

        The people do not do a repeated step again and give the same answer.
        """
        self._asked_again = True
        self.hand_players.host_restarted()

    def decides(self, step: Step) -> bool:
        """Whether the tiles decide a choice, so that only these people can make it."""
        return isinstance(step, Choose) and step.what in ("flores laid out", "setter")

    @property
    def is_pushing(self) -> bool:
        """Whether the lid has opened and the people have not pushed the tiles in yet."""
        return self._people.is_pushing

    def take_action(self, play: Any, action: Action) -> None:
        """Do what a person has entered for a player. Raises IllegalActionError as the player."""
        if self._wrong_set_up is not None:
            raise IllegalActionError(
                f"{self._wrong_set_up} The hand cannot be played: end it by the lid's key."
            )
        self.hand_players.take_action(play, action)

    def repair(self, ask: Ask) -> None:
        """Do the work that a prompt asks for, at once."""
        self._technician.repair(ask)

    def let_people_end_rounds(self, *, alone: bool) -> None:
        """Set whether the simulated people end each round by themselves, by the lid's key."""
        self._people.end_rounds(alone=alone)

    async def ready(self) -> None:
        """React to the screen, which shows that the game may begin."""
        self._laid_out.clear()
        # Every step of this set-up is confirmed: an answer to it must not serve the next set-up,
        # whose question and number of tiles are the same.
        self._last, self._asked_again = None, False
        self._people.show_ready()

    async def sit_down(self, dealt: HandToPlay) -> None:
        """Let the players take up their tiles and play by the rules of the game.

        If the table has misread the tile that it turned up, the players see another one there.
        They do not play this hand.
        """
        self._people.sit_down()
        self._wrong_set_up = None
        if not self.hand_players.is_playing(dealt):
            try:
                self.hand_players.sit_down(dealt, self._set_up(dealt))
            except IllegalSetupError as wrong:
                self._wrong_set_up = wrong

    async def act(self, play: Any) -> Action | None:
        """The next player's action; each player sees only their own tiles."""
        if self._wrong_set_up is not None or (self._is_quiet() and self._chooser.give_up()):
            self._people.give_up()
            # No player acts any more; the table cancels this request when it reads the key.
            await asyncio.get_running_loop().create_future()
        action = self.hand_players.next_action(play)
        passing = action is not None and str(action) == "pass"
        await self._take_time(ANSWERING if passing else ACTING)
        return action

    async def report(self, hand: HandToReport) -> Result | None:
        """Say how the hand has ended, at random; people who are not obliging can be late."""
        late = not self._obliging and self._reports.random() < LATE_SHARE
        await asyncio.sleep(self._reports.uniform(0.0, LATEST_REPORT if late else 2 * REPORTING))
        return random_result(hand.form, self._reports)

    async def settled(self, settlement: Settlement) -> None:
        """Let the players pay and press the key."""
        self.hand_players.stand_up()
        self._people.stand_up()

    async def move_seats(self, reseated: Reseated) -> None:
        """Let the players change seats; racks and felt are empty between two hands."""
        await self._take_time(MOVING)

    async def take_back(self, taken: TakeBack) -> None:
        """Let the players put the table back before actions that were wrong."""
        if self._asked_again and self._taken_back == taken:
            return
        await self._take_time(MOVING)
        self._taken_back = taken
        for seat, place in taken.drawn:
            tile = self.hand_players.give_back(seat, place)
            tile.up = False
            self._felt.lay(self._spot(place, taken.staging), tile)
        self.hand_players.take_back(taken.play)

    async def help(self, ask: Ask) -> str:
        """Inspect the part, repair its faults, and answer the prompt."""
        return await self._technician.help(ask)

    # Steps

    def _build(self, step: Build, staging: Staging) -> None:
        # If fewer tiles came out than the machine counted, take the rest from below the lid.
        heaps = (*self._outlets, *self._other_holders)
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

    def _confirm_cut(self, step: Arrange, staging: Staging) -> None:
        """Do nothing: without a gantry, a cut is announced by voice and no tile moves."""

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
        """Put the drawn lots back and shuffle all tiles of the boneyard."""
        places = list(step.boneyard)
        tiles = [self._felt.lift(self._tile(place, staging)) for place in places]
        self._chance.shuffle(tiles)
        for place, tile in sorted(
            zip(places, tiles, strict=True), key=lambda laid: -staging.slots[laid[0]].level
        ):
            tile.up = False
            self._felt.lay(self._spot(place, staging), tile)
            self._remember(place, tile, staging)

    # State of the table, as people see it

    def _is_quiet(self) -> bool:
        """Whether no set is being prepared below; otherwise an open lid is for a forgotten tile."""
        drum = self._drum
        return drum is None or not (drum.stirring or len(drum))

    def _is_repeated(self, step: Step, staging: Staging) -> bool:
        """Whether this step is the last one, requested again after a restart of the host."""
        if not self._asked_again or self._last is None or self._last[0] != step:
            return False
        if self._last[1] == self._tiles_before_seats:
            return True
        match step:
            case Packet():
                return not self._is_in_wall(step.places[0], staging)
            case Replace():
                return not self._is_in_wall(step.place, staging)
        return False

    def _is_in_wall(self, place: Place, staging: Staging) -> bool:
        """Whether the tile of a place is still in the wall."""
        return self._felt.lies_at(self._spot(place, staging), self._tile(place, staging))

    @property
    def _tiles_before_seats(self) -> object:
        """The number of tiles in front of each seat; if it has changed, a request is a new one."""
        return {seat: len(hand) for seat, hand in self._felt.hands().items()}

    async def _take_time(self, mean: float) -> None:
        spread = self._chance.uniform(0.8, 1.2) if self._world.chance else 1.0
        await asyncio.sleep(mean * spread)

    def _straighten_walls(self, staging: Staging) -> None:
        """Make the walls even, if the machine has raised low stacks or too many columns."""
        self._felt.straighten(
            {
                self._field.wall(fill.tray, column, len(fill.stacks)): height
                for fill in staging.fills
                for column, height in enumerate(fill.stacks, 1)
            }
        )

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
                    f"Lane {seat} must present {len(due)} tiles, but presented {len(brought)}."
                )
            tiles |= zip(due, brought, strict=False)
        return tiles

    def _tile(self, place: Place, staging: Staging) -> Tile:
        """The tile that was set up at a place, independent of its present place."""
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
        """Lay out the flores in hand that are not laid out yet; return their number."""
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


class Technician:
    """A simulated person who answers prompts for help.

    An obliging person does the requested work and gives the first answer, which confirms it. Any
    other person gives each of the permitted answers with the same probability, and has done the
    work if it is the first one.
    """

    def __init__(self, plant: Plant, *, obliging: bool = True) -> None:
        self._plant = plant
        self._obliging = obliging
        self._chance = plant.world.stream("helper")
        self._choices = plant.world.stream("answers")

    async def help(self, ask: Ask) -> str:
        """Do the requested work, if the chosen answer confirms it, and return the answer."""
        await asyncio.sleep(self._seconds())
        answer = ask.answers[0] if self._obliging else self._choices.choice(ask.answers)
        if answer != ask.answers[0]:
            return answer
        if not self._plant.injected_faults.on_occasion("wrong_answer", "people"):
            self.repair(ask)
        return ask.answers[0]

    def repair(self, ask: Ask) -> None:
        """Do the requested work at once."""
        if ask.code == PUT_AWAY:
            self._plant.put_away()
        elif ask.code == LEFT_OVER:
            self._plant.put_back_left_over()
        elif ask.code == LOOK_INTO_DRUM:
            self._plant.people.push_in_missed_set()
        self._plant.repair(ask.code, ask.part)

    def _seconds(self) -> float:
        if not self._plant.world.chance:
            return MEAN
        # Beta(1, 3) has its mean at a quarter: most times are short, and a few are long.
        return SOONEST + (LATEST - SOONEST) * self._chance.betavariate(1, 3)
