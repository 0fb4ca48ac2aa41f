"""Cross-checks of a table's own values, and of a game against a table.

`check_table` finds contradictions between values; the checks are in `validation.channels`,
`validation.board_pins`, `validation.modules` and `validation.indicators`.
`fit` returns whether a game can be set up on a table, and which of its steps players do by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle, islice
from typing import Any

from config import recovery_limits as recovery
from config.errors import Finding, TableWarning
from config.layout.staging import DoesNotFitError, Staging, stage
from config.schema import GameConfig, Table
from config.validation import board_pins as pins
from config.validation import channels as wiring
from config.validation import electrical
from config.validation import indicators as signals
from config.validation import modules as mechanics
from config.validation.game_parameters import game_parameters
from config.validation.modules import mixing_warnings
from rules.geometry import Layout, Seat
from rules.setup import Game, Setup
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

NAMES: Mapping[type[Step], str] = {
    Build: "build",
    Throw: "throw",
    Arrange: "arrange",
    Packet: "packets",
    TurnUp: "turn_up",
    Replace: "replace",
    DrawLot: "lots",
    ReturnLots: "return_lots",
}
"""The name of each kind of step in `Fit.guided`. Choices are made by people on every table."""

PROBES = 6
"""Number of set-ups that are run with different dice and answers, to find the steps of a game."""
CORNER_MM = 1.0
"""Allowed overlap of two walls in a corner, which the gaps between tiles absorb, millimetres
(ours)."""
LONGEST = 1000
"""Number of steps after which a set-up that does not end is cut off."""


@dataclass(frozen=True)
class Fit:
    """Whether a game can be set up on a table; if not, the reasons as sentences.

    `guided` names the kinds of step that players do by hand there, as in `NAMES`.
    """

    fits: bool
    reasons: tuple[str, ...] = ()
    guided: tuple[str, ...] = ()


def check_table(table: Table) -> list[Finding]:
    """Returns the contradictions between a table's values; empty if there are none.

    The modules are checked only if the wiring is right, because their checks look up channels.
    """
    first = (
        *pins.CHECKS,
        *wiring.CHECKS,
        *electrical.CHECKS,
        *recovery.CHECKS,
    )
    second = (*mechanics.CHECKS, *signals.CHECKS)
    return [finding for check in first for finding in check(table)] or [
        finding for check in second for finding in check(table)
    ]


def table_warnings(table: Table) -> list[TableWarning]:
    """Returns what a person should know about a valid table: its boards in order, then the rest."""
    boards = list(table.boards)
    found = sorted(pins.boot_warnings(table), key=lambda found: boards.index(str(found.board)))
    return [*found, *mixing_warnings(table)]


@dataclass(frozen=True)
class ProbedGame:
    """A configured game with its finished set-ups, one for each probe; see `probed`.

    Running the probes takes most of the time of `fit`. To compare a game with several tables, probe
    it once.
    """

    game: Game
    config: GameConfig
    parameters: Any

    @cached_property
    def setups(self) -> tuple[Setup, ...]:
        """The finished set-ups in which seat 0 deals."""
        return self._run_probes(0)

    @cached_property
    def hand_sizes(self) -> tuple[Mapping[Seat, int] | None, ...]:
        """For each dealer the size of each seat's hand.

        It is None for a dealer for whom throws or choices change it; later dealers are left out.
        """
        found: list[Mapping[Seat, int] | None] = []
        for dealer in range(self.game.usual_players):
            found.append(_sizes(self._run_probes(dealer) if dealer else self.setups))
            if found[-1] is None:
                break
        return tuple(found)

    def _run_probes(self, dealer: Seat) -> tuple[Setup, ...]:
        setup = self.game.setup(dealer=dealer, parameters=self.parameters)
        return tuple(_run_probe(setup, probe) for probe in range(PROBES))


def probed(game: Game, config: GameConfig) -> ProbedGame:
    """Prepares a configured game for comparison with tables.

    Raises ConfigErrors if the configuration's parameters are not the game's.
    """
    return ProbedGame(game, config, game_parameters(config))


def fit(table: Table, game: Game, config: GameConfig) -> Fit:
    """Returns whether a configured game can be set up on a table, and its guided steps.

    Raises ConfigErrors if the configuration's parameters are not the game's.
    """
    return fit_of(table, probed(game, config))


def fit_of(table: Table, probed_game: ProbedGame) -> Fit:
    """Returns whether a probed game can be set up on a table, and its guided steps."""
    game, config, setups = probed_game.game, probed_game.config, probed_game.setups
    asked = [step for setup in setups for step, _ in setup.done]
    hands = _hands_for_lanes(table, probed_game)
    reasons = (
        *_tile_reasons(table, game, config),
        *_tray_reasons(table, setups[0].layout, config, hands),
        *_seat_reasons(table, game),
        *_dice_reasons(table, asked),
    )
    if reasons:
        return Fit(False, reasons)
    whole = hands == _sizes(setups)
    machine = _done_by_machine(table, picked=hands is not None, dealt=hands is not None and whole)
    kinds = {type(step) for step in asked}
    return Fit(True, (), tuple(NAMES[kind] for kind in NAMES if kind in kinds - machine))


def _run_probe(setup: Setup, probe: int) -> Setup:
    """Runs a set-up to its end; `probe` shifts its dice and its answers."""
    faces = islice(cycle(range(1, 7)), probe, None)
    for _ in range(LONGEST):
        match setup.pending:
            case None:
                break
            case Throw() as step:
                setup = setup.apply(tuple(islice(faces, step.dice * step.times)))
            case Choose() as step:
                setup = setup.apply(step.among[probe % len(step.among)])
            case _:
                setup = setup.apply()
    return setup


def _hands_for_lanes(table: Table, probed_game: ProbedGame) -> Mapping[Seat, int] | None:
    """The number of tiles for each lane: the smallest hand of its seat for any dealer.

    None if the table has no lanes, if throws or choices change the number, or if a hand does not
    fit its lane.
    """
    lanes = table.modules.lanes
    if lanes is None:
        return None
    common: dict[Seat, int] = {}
    for sizes in probed_game.hand_sizes:
        if not sizes or len(sizes) > len(lanes.seats) or max(sizes.values()) > lanes.capacity:
            return None
        common = {seat: min(size, common.get(seat, size)) for seat, size in sizes.items()}
    return common


def _sizes(setups: tuple[Setup, ...]) -> dict[Seat, int] | None:
    """The size of each seat's hand, if it is the same in all of these set-ups; else None."""
    first, *others = (
        {seat: len(hand) for seat, hand in sorted(setup.hands.items())} for setup in setups
    )
    return first if all(other == first for other in others) else None


def _tile_reasons(table: Table, game: Game, config: GameConfig) -> Iterator[str]:
    count, tile, channel = len(game.tiles), config.tile, table.tiles
    if not count:
        return
    if not channel.shortest_mm <= tile.length_mm <= channel.longest_mm:
        yield (
            f"Its tiles are {tile.length_mm:g} mm long, but the table takes"
            f" {channel.shortest_mm:g} to {channel.longest_mm:g} mm."
        )
    if tile.width_mm > channel.widest_mm:
        yield (
            f"Its tiles are {tile.width_mm:g} mm wide, but the table takes at most"
            f" {channel.widest_mm:g} mm."
        )
    drum = table.modules.drum
    if drum and count > drum.capacity:
        yield f"Its set has {count} tiles, but the drum holds {drum.capacity}."


def _tray_reasons(
    table: Table, layout: Layout, config: GameConfig, hands: Mapping[Seat, int] | None
) -> Iterator[str]:
    trays = table.modules.trays
    try:
        staging = stage(layout, table, hands)
    except DoesNotFitError as error:
        yield f"It {error}."
        return
    columns = max((len(fill.stacks) for fill in staging.fills), default=0)
    if trays and columns * config.tile.width_mm > trays.length_mm:
        yield (
            f"Its wall of {columns} columns is {columns * config.tile.width_mm:g} mm long,"
            f" but a tray is {trays.length_mm:g} mm long."
        )
    yield from _corner_reasons(table, staging, config)


def _corner_reasons(table: Table, staging: Staging, config: GameConfig) -> Iterator[str]:
    """The reason if two walls overlap in a corner: each extends beyond the other's inner face."""
    inner = 1000 * table.field.wall_distance - config.tile.length_mm / 2
    reach = {fill.tray: len(fill.stacks) * config.tile.width_mm / 2 for fill in staging.fills}
    for side, other in ((0, 1), (1, 2), (2, 3), (3, 0)):
        if min(reach.get(side, 0.0), reach.get(other, 0.0)) > inner + CORNER_MM:
            yield (
                f"Its walls of {staging.columns(side)} and {staging.columns(other)} columns meet in"
                f" the corner of sides {side} and {other}: they extend {reach[side]:g} and"
                f" {reach[other]:g} mm from the middle of their sides, but each wall begins"
                f" {inner:g} mm from the middle of the table."
            )
            return


def _seat_reasons(table: Table, game: Game) -> Iterator[str]:
    if table.modules.gantry and len(game.tiles) and game.seats > table.field.seats:
        yield f"It needs {game.seats} delivery places, but the gantry serves {table.field.seats}."


def _dice_reasons(table: Table, asked: list[Step]) -> Iterator[str]:
    dome = table.modules.dice
    most = max((step.dice for step in asked if isinstance(step, Throw)), default=0)
    if dome and most > dome.dice:
        yield f"It throws {most} dice at once, but the table has {dome.dice}."


def _done_by_machine(table: Table, *, picked: bool, dealt: bool) -> set[type[Step]]:
    """The kinds of step that a table's modules do.

    `picked` is true if hand lanes are filled before the walls, `dealt` if the lanes deal the whole
    hands. The flipper turns up only the tile at its own place; the indicator is there only if hands
    are picked first. Lots are shown and put back by people on every table.
    """
    has = table.capabilities
    done: set[type[Step]] = {Choose}
    if "trays" in has:
        done.add(Build)
    if "dice" in has:
        done.add(Throw)
    if dealt:
        done.add(Packet)
    if picked and "flipper" in has:
        done.add(TurnUp)
    if table.modules.gantry is not None:
        done |= {Arrange, Packet, Replace}
        if table.modules.gantry.turner:
            done.add(TurnUp)
    return done
