"""Tests for which games a table fills its hand lanes before the walls."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from config.loader import game_parameters, load_game, load_table
from config.schema import Table
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import hands_for_lanes
from rules.games import find_game

AUTO_DEAL = load_table("auto_deal")


def hands(
    game: str, table: Table = AUTO_DEAL, dealer: int = 0, players: int | None = None
) -> Mapping[int, int] | None:
    """Return the number of tiles for each lane; None if the table fills no lanes for the game."""
    orders = Orders(find_game(game), game_parameters(load_game(game)), dealer, players)
    return hands_for_lanes(table, orders)


@pytest.mark.parametrize(
    ("game", "tiles"),
    [
        ("wenzhou", (16, 16, 16, 16)),
        ("block", (5, 5, 5, 5)),
        ("draw", (5, 5, 5, 5)),
        ("sebastopol", (7, 7, 7, 7)),
        ("muggins", (5, 5, 5, 5)),
        ("da_san", (16, 16, 16)),
    ],
)
def test_hands_of_fixed_size_are_put_into_the_lanes(game: str, tiles: tuple[int, ...]) -> None:
    assert hands(game) == dict(enumerate(tiles))


@pytest.mark.parametrize("dealer", range(4))
def test_a_lane_holds_the_tiles_that_its_seat_gets_with_any_dealer(dealer: int) -> None:
    assert hands("wenzhou", dealer=dealer) == dict.fromkeys(range(4), 16)


def test_filipino_uses_no_lanes_because_the_dice_decide_who_gets_one_more() -> None:
    assert hands("filipino") is None


def test_pai_gow_uses_no_lanes_because_it_has_eight_hands() -> None:
    assert hands("pai_gow") is None


def test_a_hand_longer_than_a_lane_uses_no_lanes() -> None:
    lanes = AUTO_DEAL.modules.lanes
    assert lanes is not None
    short = AUTO_DEAL.model_copy(
        update={
            "modules": AUTO_DEAL.modules.model_copy(
                update={"lanes": lanes.model_copy(update={"capacity": 16})}
            )
        }
    )
    assert hands("wenzhou", short) is None
    assert hands("da_san", short) is not None


@pytest.mark.parametrize("table", ["robotic", "classic", "pai_gow"])
def test_a_table_without_lanes_fills_none(table: str) -> None:
    assert hands("wenzhou", load_table(table)) is None


def test_backgammon_uses_no_lanes() -> None:
    assert hands("backgammon") is None


def test_two_players_of_dominoes_use_two_lanes() -> None:
    lanes = hands("block", players=2)
    assert lanes is not None
    assert set(lanes) == {0, 1}
