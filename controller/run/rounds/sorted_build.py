"""Build of a set through a magazine: draws the order, loads every tile, then ejects them in order.

All counts are in the boards: the tiles that have passed the counter of the head are in the first
pockets, and the tiles that have fallen out are the first of the order. So a run that resumes the
build continues at the next tile. The journal has a digest of the order, and the sealed share from
which the same order is drawn again (`cycle_chances`).
"""

from __future__ import annotations

from collections.abc import Sequence

from config.layout.staging import Staging
from config.schema import Table
from controller.run.chance.records import ChoiceRequest, permutation
from controller.run.faults.failures import Fault, TableFault
from controller.run.rounds.build_progress import BuildProgress
from controller.run.rounds.cycle_chances import CycleChances
from controller.run.stations.chain import ChainStation
from controller.run.stations.heads import HeadStation

POCKETS = "pocket order"
"""The name of the drawn order in the record of a cycle: the pocket of each tile, as stacked."""


def planned_choices(table: Table, tiles: int) -> tuple[ChoiceRequest, ...]:
    """The random choices of each cycle of a run, known before its first commitment.

    With `shuffle: drum` no order is drawn.
    """
    return (permutation(POCKETS, tiles),) if table.shuffle == "sorted" and tiles else ()


async def draw_order(chances: CycleChances, tile_set: int, tiles: int) -> Sequence[int]:
    """Draw the choices of a set's cycle; returns the pocket of each tile in the stacked order.

    If no order is drawn, the tiles keep the order in which they came. The draw is on disk when this
    returns. Raises TableFault.
    """
    order, *_ = await chances.draw(tile_set)
    return order.value if order.request.name == POCKETS else range(tiles)


async def build_from_magazine(
    head: HeadStation,
    staging: Staging,
    chain: ChainStation | None,
    progress: BuildProgress,
    order: Sequence[int],
    *,
    resumed: bool,
) -> int:
    """Load the magazine and build the stacks of all trays; returns the counted tiles.

    Raises TableFault, UNPROVEN if the counts of an interrupted build contradict each other.
    """
    assert head.magazine is not None
    magazine, module, tiles = head.magazine, head.magazine.module, len(order)
    loaded = progress.take(head.head.counter, tiles)
    strokes = progress.left(module.withdrawn)
    ejected = await magazine.start(
        order, progress.take(module.passed, tiles), strokes, progress.counter(module.passed)
    )
    if resumed and not ejected:
        # The carousel must not turn while a tile of the interrupted run is on its way.
        loaded += await head.clear_belt()
    while loaded < tiles:
        await magazine.at_inlet(loaded)
        loaded += await head.lift(1, through=True)
    waiting = ejected
    for tray in head.head.trays:
        fills = [fill for fill in staging.fills if fill.tray == tray]
        pushed = [progress.take(head.head.vane, len(fill.stacks)) for fill in fills]
        left = any(done < len(fill.stacks) for done, fill in zip(pushed, fills, strict=True))
        if chain and (left or not resumed):
            await chain.to_side(tray)
        for done, fill in zip(pushed, fills, strict=True):
            waiting -= sum(fill.stacks[:done])
            if waiting < 0:
                evidence = f"{head.head.vane} counted stacks of {-waiting} tiles too many"
                raise TableFault(Fault.UNPROVEN, "trays", evidence)
            there = min(waiting, sum(fill.stacks[done:]))
            waiting -= there
            await head.stack(fill.stacks[done:], there)
    return loaded
