"""Tests what a table with a magazine needs, and that other tables cannot ask for a sorted set."""

from __future__ import annotations

import pytest

from config.errors import ConfigErrors
from config.loader import load_game, load_table
from config.validation.checks import fit
from rules.games import find_game
from tests.sorted_table import SORTED, TILES, changed

HEAD = "vane: head0_vane, trays: [0]}"
LIFT = "      lift0: {kind: motor"
FREE = (
    LIFT,
    f"      magazine_free: {{kind: sensor, pin: 62, active: low, debounce_ms: 1}}\n{LIFT}",
)
"""An edit that adds a sensor."""


def test_the_example_is_a_sorted_table_for_the_32_tiles_of_pai_gow() -> None:
    table = load_table(SORTED)
    assert table.shuffle == "sorted"
    assert table.modules.magazine is not None
    assert table.modules.magazine.pockets == TILES
    assert fit(table, find_game("pai_gow"), load_game("pai_gow")).fits


def test_a_magazine_with_fewer_pockets_than_tiles_is_refused() -> None:
    table = changed(("pockets: 32", "pockets: 31"))
    fitting = fit(table, find_game("pai_gow"), load_game("pai_gow"))
    assert not fitting.fits
    assert fitting.reasons == (
        "It has 32 tiles, but the magazine has 31 pockets, and each tile of the set needs one.",
    )


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        pytest.param(
            [("pockets: 32", "pockets: 1")],
            "modules.magazine.pockets: ",
            id="one pocket",
        ),
        pytest.param(
            [(HEAD, "vane: head0_vane, full: magazine_free, trays: [0]}"), FREE],
            "modules.heads.ports.0.full: watches the place between the counter and the magazine"
            " ('magazine_free'). Leave it out: no tile waits there.",
            id="a sensor for a full belt",
        ),
        pytest.param(
            [(HEAD, "vane: head0_vane, face: magazine_free, trays: [0]}"), FREE],
            "modules.heads.ports.0.face: watches the place between the counter and the magazine"
            " ('magazine_free'). Leave it out: no tile waits there.",
            id="a sensor for face-up tiles",
        ),
        pytest.param(
            [("pin: 14, reverse_pin: 46", "pin: 14")],
            "boards.base.channels.magazine: turns the magazine one way only ('magazine'). Give a"
            " `reverse_pin`.",
            id="a carousel that turns one way",
        ),
        pytest.param(
            [("reverse_pin: 46,", "reverse_pin: 46, reverse_stop: magazine_home,")],
            "boards.base.channels.magazine.reverse_stop: stops the magazine, which turns past every"
            " pocket ('magazine_home'). Leave it out.",
            id="a carousel that stops at its home switch",
        ),
        pytest.param(
            [("shuffle: sorted", "shuffle: random")],
            "shuffle: ",
            id="an unknown kind of shuffle",
        ),
    ],
)
def test_a_table_whose_magazine_cannot_work_is_refused_with_the_reason(
    edits: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(ConfigErrors) as refused:
        changed(*edits)
    assert message in str(refused.value)


def test_a_table_without_a_magazine_cannot_sort() -> None:
    magazine = SORTED.read_text("utf-8").split("  magazine:\n")[1].split("  trays:\n")[0]
    channels = SORTED.read_text("utf-8").split("every pocket: no switch stops it.\n")[1]
    with pytest.raises(ConfigErrors) as refused:
        changed(("  magazine:\n" + magazine, ""), (channels.split("\n\n")[0], ""))
    assert (
        "shuffle: needs a magazine, whose tiles the machine can take in any order ('sorted'). Add"
        " `modules.magazine`, or give `shuffle: drum`."
    ) in str(refused.value)


def test_a_table_without_the_key_keeps_the_order_of_the_drum() -> None:
    assert load_table("pai_gow").shuffle == "drum"
