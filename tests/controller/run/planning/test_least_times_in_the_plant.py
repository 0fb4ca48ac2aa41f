"""Compares cycles of simulated tables, whose parts take mean times, with the least times.

Cycles of `under` take longer because of the link, cycles of `top` because of the link and the
turner's return. In the first round the jaws begin at home, high up in a corner.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from config.layout.mixing import with_drum
from config.loader import game_parameters, load_game, load_table
from config.schema import Table
from controller.events import EventLog
from controller.run.assembly import daemon_for, simulated
from controller.run.journal import Journal
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import seats_of
from firmware_bridge.sim.clock import run
from rules.dice import Dice
from rules.games import find_game
from tests.quick import slow_except
from tests.sorted_table import SORTED

LINK = 1.3
"""Seconds for about 30 blocks with 28 ms of commands and replies each, and 0.4 s of the turner."""
HOME = 1.0
"""Additional seconds of the first carry if the jaws begin at home instead of over the centre."""


@dataclass(frozen=True)
class Cycle:
    """The measured duration of one cycle and its least time, in seconds."""

    measured: float
    bound: float

    @property
    def ratio(self) -> float:
        return self.measured / self.bound


def played(
    table: str,
    game: str,
    rounds: int = 2,
    throws: tuple[Dice, ...] = (),
    mix: float | None = None,
) -> tuple[list[Cycle], list[Cycle]]:
    """Play on a table whose parts all take their mean time; return its under and top cycles.

    `mix` replaces the seconds for which the table's drum mixes.
    """
    machine = load_table(table)
    if mix is not None:
        machine = with_drum(machine, mix=mix)
    return run(_played(machine, game, rounds, throws))


async def _played(
    machine: Table, game: str, rounds: int, throws: tuple[Dice, ...]
) -> tuple[list[Cycle], list[Cycle]]:
    config, rules = load_game(game), find_game(game)
    orders = Orders(rules, game_parameters(config), throws=throws)
    seats = seats_of(orders.setup(0))
    hardware = simulated(machine, config, rules, seats, seed=7, chance=False)
    with Journal.in_memory("now", {}) as journal:
        events = EventLog(asyncio.get_running_loop().time)
        daemon = daemon_for(hardware, machine, config, orders, journal, events)
        await daemon.run(rounds)
    hardware.close()
    figures, bounds = daemon.run_state.figures, daemon.summary(0.0)["bound_s"]
    assert isinstance(bounds, dict)
    under = [Cycle(seconds, bounds["under"]) for seconds in figures.under]
    top = [Cycle(*each) for each in zip(figures.top, figures.top_bound, strict=True)]
    return under, top


@pytest.mark.parametrize(
    ("table", "game"),
    [
        ("robotic", "wenzhou"),
        *slow_except([], [("robotic", "filipino"), ("classic", "wenzhou"), ("pai_gow", "pai_gow")]),
    ],
)
def test_walls_are_staged_at_most_one_percent_after_the_bound(table: str, game: str) -> None:
    under, _ = played(table, game)
    assert len(under) == 3 if table != "pai_gow" else 2
    for cycle in under:
        assert 1.0 <= cycle.ratio < 1.01


@pytest.mark.slow
@pytest.mark.parametrize(("mix", "exceeds"), [(8.0, 3 * 3.0 - 8.0), (60.0, 0.0)])
def test_one_port_adds_the_time_by_which_the_chains_return_exceeds_the_mixing(
    mix: float, exceeds: float
) -> None:
    # The chains return over three sides, 3 s each. The shipped table mixes for 60 s, which is
    # longer, so that only a drum with a short mixing shows the addition.
    (first, *others), _ = played("single_port", "wenzhou", mix=mix)
    assert 1.0 <= first.ratio < 1.03
    assert others
    for cycle in others:
        assert cycle.measured - first.measured == pytest.approx(exceeds, abs=0.1)


@pytest.mark.slow
def test_a_wenzhou_deal_exceeds_the_bound_only_by_link_turner_and_travel_from_home() -> None:
    _, (first, *others) = played("robotic", "wenzhou", rounds=3)
    assert 1.0 <= first.ratio < 1.05
    assert 0.0 <= first.measured - first.bound < LINK + HOME
    for cycle in others:
        assert 1.0 <= cycle.ratio < 1.03
        assert 0.0 <= cycle.measured - cycle.bound < LINK


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "rounds", "throws"), [("block", 3, ()), ("wenzhou", 1, ((3, 5), (2, 4)))]
)
def test_without_shakes_the_deal_exceeds_the_bound_only_by_link_and_turner(
    game: str, rounds: int, throws: tuple[Dice, ...]
) -> None:
    _, (first, *others) = played("robotic", game, rounds, throws=throws)
    assert 0.0 <= first.measured - first.bound < LINK + HOME
    for cycle in others:
        assert 0.0 <= cycle.measured - cycle.bound < LINK


@pytest.mark.slow
def test_a_magazine_that_keeps_the_order_takes_at_most_three_percent_longer(tmp_path: Path) -> None:
    """The link takes about 30 ms for each tile: a turn, a lift, a turn and a stroke."""
    table = tmp_path / "unsorted.yaml"
    table.write_text(SORTED.read_text("utf-8").replace("shuffle: sorted", "shuffle: drum"))
    under, _ = played(str(table), "pai_gow")
    assert len(under) == 2
    for cycle in under:
        assert 1.0 <= cycle.ratio < 1.03
