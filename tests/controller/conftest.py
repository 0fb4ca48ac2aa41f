"""Fixtures of the controller's tests: a browser, set-ups on the felt, a journal on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from config.layout.field import Field, Spot
from config.loader import game_parameters, load_game, load_table
from controller.run.journal import Journal
from controller.run.planning.moves import Carry, Grasp
from controller.run.planning.planner import Preview, preview
from controller.run.planning.setup_forecast import seats_of
from controller.run.planning.table_top import raised
from firmware_bridge.sim.plant.on_table.felt import Felt
from firmware_bridge.sim.plant.tiles import Tile
from rules.dice import Dice
from rules.games import find_game
from rules.setup import Setup, settle
from tests.controller.run.journal.on_disk import NOON

if TYPE_CHECKING:
    from tests.controller.web.panel.browser import SharedChromium

Dealt = tuple[Setup, Preview, Felt]
DealOut = Callable[..., Dealt]


def settle_game(
    game: str,
    throws: tuple[Dice, ...] = (),
    answers: Mapping[str, int | str] | None = None,
    dealer: int = 0,
) -> Setup:
    """Return the completed set-up of a game with its shipped parameters."""
    parameters = game_parameters(load_game(game))
    return settle(find_game(game).setup(dealer=dealer, parameters=parameters), throws, answers)


@pytest.fixture(scope="session")
def shared_chromium() -> Iterator[SharedChromium]:
    """Return Debian's Chromium with an empty profile, which is started when it is first lent."""
    # Playwright takes 0.5 s to import, which most files of tests do not need.
    from tests.controller.web.panel.browser import SharedChromium  # noqa: PLC0415

    shared = SharedChromium()
    yield shared
    shared.close()


@pytest.fixture(scope="session")
def settled() -> Callable[..., Setup]:
    """Return the function that completes a set-up from throws, answers and dealer."""
    return settle_game


@pytest.fixture(scope="session")
def deal_out() -> DealOut:
    """Plan a complete set-up and make every move on a simulated felt, which refuses others.

    A tile's face is the text of its place in the walls.
    """

    def deal(table: str, setup: Setup) -> Dealt:
        machine, config = load_table(table), load_game(setup.game.name)
        planned = preview(setup, machine, config.tile, None)
        field = Field(machine, config.tile)
        felt = Felt(field, seats_of(setup))
        for stack in raised(planned.staging, field, seats_of(setup)).stacks.values():
            felt.raise_column(
                stack.spot, [Tile(hash(place), 0, str(place)) for place in stack.tiles]
            )
        for move in planned.moves:
            if isinstance(move, Carry):
                block = felt.grip(_jaws(move.source, field), move.source.level, 4)
                assert {tile.face for column in block for tile in column} == {
                    str(place) for place in move.tiles
                }
                felt.set_down(_jaws(move.target, field), move.target.level, block)
        return setup, planned, felt

    return deal


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of a journal that does not exist yet."""
    return tmp_path / "table.journal"


@pytest.fixture
def journal(file: Path) -> Iterator[Journal]:
    """Yield an open, empty journal."""
    with Journal(file, NOON, {"table": "robotic"}) as journal:
        yield journal


def _jaws(grasp: Grasp, field: Field) -> tuple[Spot, ...]:
    spot, half = grasp.spot, field.pitch / 2
    if not grasp.wide:
        return (spot,)
    if spot.crossed:
        return replace(spot, y=spot.y - half), replace(spot, y=spot.y + half)
    return replace(spot, x=spot.x - half), replace(spot, x=spot.x + half)
