"""Cross-checks of a table's own values, and of a game against a table.

`check_table` finds contradictions between values (`validation.channels` and `validation.modules`
hold the checks). `fit` returns whether a game can be set up on a table, and which of its steps
players then do by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle, islice

from config import recovery_limits as recovery
from config.errors import Finding
from config.layout.staging import DoesNotFitError, Staging, stage
from config.schema import GameConfig, Table
from config.validation import channels as wiring
from config.validation import indicators as signals
from config.validation import modules as mechanics
from config.validation.game_parameters import game_parameters
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
"""What `Fit.guided` calls each kind of step. Choices are people's on every table."""

PROBES = 6
"""Set-ups that are walked, each with other dice and other answers, to learn what a game may ask."""
CORNER_MM = 1.0
"""By so much two walls may overlap in a corner: what the tiles give, millimetres (ours)."""
LONGEST = 1000
"""Steps after which a set-up that still goes on has told enough."""


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
    first = (*wiring.CHECKS, *recovery.CHECKS)
    return [finding for check in first for finding in check(table)] or [
        finding for check in (*mechanics.CHECKS, *signals.CHECKS) for finding in check(table)
    ]


def fit(table: Table, game: Game, config: GameConfig) -> Fit:
    """Returns whether a configured game can be set up on a table, and its guided steps.

    Raises ConfigErrors if the configuration's parameters are not the game's.
    """
    parameters = game_parameters(config)
    walks = _walks(game, parameters)
    asked = [step for setup in walks for step, _ in setup.done]
    hands = _hands_for_lanes(table, game, parameters)
    reasons = (
        *_tile_reasons(table, game, config),
        *_tray_reasons(table, walks[0].layout, config, hands),
        *_seat_reasons(table, game),
        *_dice_reasons(table, asked),
    )
    if reasons:
        return Fit(False, reasons)
    whole = hands == _sizes(walks)
    machine = _done_by_machine(table, picked=hands is not None, dealt=hands is not None and whole)
    kinds = {type(step) for step in asked}
    return Fit(True, (), tuple(NAMES[kind] for kind in NAMES if kind in kinds - machine))


def _walks(game: Game, parameters: object, dealer: Seat = 0) -> tuple[Setup, ...]:
    """Yields a game's finished set-up, once for each probe."""
    setup = game.setup(dealer=dealer, parameters=parameters)
    return tuple(_walk(setup, probe) for probe in range(PROBES))


def _walk(setup: Setup, probe: int) -> Setup:
    """A set-up walked to its end, its dice and its answers begun at another one for each probe."""
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


def _hands_for_lanes(table: Table, game: Game, parameters: object) -> Mapping[Seat, int] | None:
    """The tiles that each lane takes: what its seat gets whoever deals, if all of it fits.

    None where throws or choices change it.
    """
    lanes = table.modules.lanes
    if lanes is None:
        return None
    common: dict[Seat, int] = {}
    for dealer in range(game.usual_players):
        sizes = _sizes(_walks(game, parameters, dealer))
        if not sizes or len(sizes) > len(lanes.seats) or max(sizes.values()) > lanes.capacity:
            return None
        common = {seat: min(size, common.get(seat, size)) for seat, size in sizes.items()}
    return common


def _sizes(walks: tuple[Setup, ...]) -> dict[Seat, int] | None:
    """What each seat gets, if it gets the same in every one of these set-ups."""
    first, *others = (
        {seat: len(hand) for seat, hand in sorted(setup.hands.items())} for setup in walks
    )
    return first if all(other == first for other in others) else None


def _tile_reasons(table: Table, game: Game, config: GameConfig) -> Iterator[str]:
    count, tile, channel = len(game.tiles), config.tile, table.tiles
    if not count:
        return
    if not channel.shortest_mm <= tile.length_mm <= channel.longest_mm:
        yield (
            f"Its tiles are {tile.length_mm:g} mm long, and the table takes"
            f" {channel.shortest_mm:g} to {channel.longest_mm:g} mm."
        )
    if tile.width_mm > channel.widest_mm:
        yield (
            f"Its tiles are {tile.width_mm:g} mm wide, and the table takes at most"
            f" {channel.widest_mm:g} mm."
        )
    drum = table.modules.drum
    if drum and count > drum.capacity:
        yield f"Its set has {count} tiles, and the drum holds {drum.capacity}."


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
            f" and a tray {trays.length_mm:g} mm."
        )
    yield from _corner_reasons(table, staging, config)


def _corner_reasons(table: Table, staging: Staging, config: GameConfig) -> Iterator[str]:
    """Two walls that meet in a corner: both reach beyond the inner face of the other."""
    inner = 1000 * table.field.wall_distance - config.tile.length_mm / 2
    reach = {fill.tray: len(fill.stacks) * config.tile.width_mm / 2 for fill in staging.fills}
    for side, other in ((0, 1), (1, 2), (2, 3), (3, 0)):
        if min(reach.get(side, 0.0), reach.get(other, 0.0)) > inner + CORNER_MM:
            yield (
                f"Its walls of {staging.columns(side)} and {staging.columns(other)} columns meet in"
                f" the corner of sides {side} and {other}: they reach {reach[side]:g} and"
                f" {reach[other]:g} mm from the middle of their sides, and each wall begins"
                f" {inner:g} mm from the middle of the table."
            )
            return


def _seat_reasons(table: Table, game: Game) -> Iterator[str]:
    if table.modules.gantry and len(game.tiles) and game.seats > table.field.seats:
        yield f"It needs {game.seats} delivery places, and the gantry serves {table.field.seats}."


def _dice_reasons(table: Table, asked: list[Step]) -> Iterator[str]:
    dome = table.modules.dice
    most = max((step.dice for step in asked if isinstance(step, Throw)), default=0)
    if dome and most > dome.dice:
        yield f"It throws {most} dice at once, and the table has {dome.dice}."


def _done_by_machine(table: Table, *, picked: bool, dealt: bool) -> set[type[Step]]:
    """The kinds of step that a table's modules do; `picked` and wholly `dealt` by its hand lanes.

    The flipper turns the one tile above it: where hands are not picked first, the indicator lies
    anywhere. Lots are shown by people and put back by people on every table.
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
