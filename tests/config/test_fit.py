from __future__ import annotations

import pytest

from config.loader import load_game, load_table, table_names
from config.schema import GameConfig, Table
from config.validation.checks import Fit, fit
from rules.games import GAMES

DOMINOES = ("block", "draw", "sebastopol", "bergen", "muggins", "threes", "matador", "sniff")

FITS = """
              auto_deal  bench  classic  pai_gow  robotic  single_port
wenzhou           x        x       x        -        x          x
filipino          x        x       x        -        x          x
pai_gow           x        x       x        x        x          x
block             x        x       x        x        x          x
draw              x        x       x        x        x          x
sebastopol        x        x       x        x        x          x
bergen            x        x       x        x        x          x
muggins           x        x       x        x        x          x
threes            x        x       x        x        x          x
matador           x        x       x        x        x          x
sniff             x        x       x        x        x          x
backgammon        x        x       x        x        x          x
da_san            x        x       x        -        x          x
"""

GUIDED = {
    "robotic": {"sniff": ("lots", "return_lots")},
    "pai_gow": {"sniff": ("lots", "return_lots")},
    "auto_deal": {
        # Dice or players decide which seat gets the extra tile: the hands cannot be picked first.
        "filipino": ("packets", "turn_up", "replace"),
        "bergen": ("packets",),
        # Eight hands, four lanes.
        "pai_gow": ("arrange", "packets"),
        "sniff": ("lots", "return_lots"),
        # The dealer is not known when a set is built: the seventeenth tile comes from the wall.
        "wenzhou": ("packets",),
    },
    "classic": {
        **dict.fromkeys(DOMINOES, ("packets",)),
        "wenzhou": ("packets", "turn_up"),
        "filipino": ("packets", "turn_up", "replace"),
        "pai_gow": ("arrange", "packets"),
        "sniff": ("packets", "lots", "return_lots"),
        "da_san": ("packets",),
    },
    "bench": {
        **dict.fromkeys(DOMINOES, ("build", "packets")),
        "wenzhou": ("build", "throw", "packets", "turn_up"),
        "filipino": ("build", "throw", "packets", "turn_up", "replace"),
        "pai_gow": ("build", "throw", "arrange", "packets"),
        "sniff": ("build", "packets", "lots", "return_lots"),
        "da_san": ("build", "packets"),
        "backgammon": ("throw",),
    },
}
GUIDED["single_port"] = GUIDED["classic"]


def fitted(table: str, game: str) -> Fit:
    return fit(load_table(table), GAMES[game], load_game(game))


def changed(model: Table | GameConfig, **parts: dict[str, object]) -> dict[str, object]:
    """A model's parts with some of their values changed."""
    return {name: getattr(model, name).model_copy(update=to) for name, to in parts.items()}


@pytest.mark.slow
def test_which_game_fits_which_table() -> None:
    """Games and tables that are added later are checked by docs/start/TABLES.md only."""
    head, *rows = FITS.strip().splitlines()
    tables = head.split()
    assert set(tables) <= set(table_names())
    assert {row.split()[0] for row in rows} <= set(GAMES)
    for row in rows:
        game, *marks = row.split()
        found = ["x" if fitted(table, game).fits else "-" for table in tables]
        assert found == marks, game


@pytest.mark.parametrize("table", GUIDED)
def test_the_steps_that_people_do_by_hand(table: str) -> None:
    games = [row.split()[0] for row in FITS.strip().splitlines()[1:]]
    guided = {game: fitted(table, game).guided for game in games}
    assert {game: kinds for game, kinds in guided.items() if kinds} == GUIDED[table]


def test_mahjong_does_not_fit_a_pai_gow_table_for_four_reasons() -> None:
    assert fitted("pai_gow", "wenzhou").reasons == (
        "Its tiles are 38 mm long, but the table takes 44 to 52 mm.",
        "Its tiles are 28 mm wide, but the table takes at most 26 mm.",
        "Its set has 136 tiles, but the drum holds 40.",
        "It needs 17 columns of 2 in a tray, but a tray holds 8 of 4.",
    )


def test_a_wall_of_wide_tiles_is_longer_than_a_short_tray() -> None:
    table = load_table("robotic")
    trays = table.modules.trays
    assert trays is not None
    short = table.modules.model_copy(
        update={"trays": trays.model_copy(update={"length_mm": 500.0})}
    )
    result = fit(
        table.model_copy(update={"modules": short}), GAMES["filipino"], load_game("filipino")
    )
    assert result.reasons == ("Its wall of 18 columns is 558 mm long, but a tray is 500 mm long.",)


def test_a_gantry_needs_a_delivery_place_for_every_hand() -> None:
    table = load_table("robotic")
    four = table.model_copy(update=changed(table, field={"seats": 4}))
    result = fit(four, GAMES["pai_gow"], load_game("pai_gow"))
    assert result.reasons == ("It needs 8 delivery places, but the gantry serves 4.",)


def test_a_house_that_throws_more_dice_than_the_dome_has() -> None:
    config = load_game("pai_gow")
    five = config.model_copy(update={"parameters": {"n_dice": 5}})
    assert fit(load_table("robotic"), GAMES["pai_gow"], five).reasons == (
        "It throws 5 dice at once, but the table has 3.",
    )


def test_uneven_walls_fit_while_no_wall_outgrows_its_tray() -> None:
    config = load_game("filipino")
    table = load_table("robotic")
    for columns, fits in (((19, 17, 18, 18), True), ((20, 16, 18, 18), False)):
        uneven = config.model_copy(update={"parameters": {"columns": list(columns)}})
        assert fit(table, GAMES["filipino"], uneven).fits is fits


def test_walls_that_meet_in_a_corner_do_not_fit() -> None:
    """A column that a lift raises there would rise against the wall beside it."""
    config = load_game("filipino")
    columns = {"columns": [19, 17, 17, 19]}
    house = config.model_copy(update={"parameters": {**config.parameters, **columns}})
    verdict = fit(load_table("robotic"), GAMES["filipino"], house)
    assert verdict.reasons == (
        (
            "Its walls of 19 and 19 columns meet in the corner of sides 3 and 0: they extend 294.5"
            " and 294.5 mm from the middle of their sides, but each wall begins 279 mm from the"
            " middle of the table."
        ),
    )
