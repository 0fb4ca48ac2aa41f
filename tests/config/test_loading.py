from __future__ import annotations

from dataclasses import fields
from importlib import resources
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from config.errors import ConfigError, ConfigErrors
from config.loader import (
    LARGEST,
    check_file,
    game_names,
    game_parameters,
    load_game,
    load_table,
    table_names,
)
from config.schema import GameConfig, Table
from rules.games import GAMES
from rules.games.pai_gow import Parameters as PaiGow

ROBOTIC = (resources.files("config") / "tables/robotic.yaml").read_text(encoding="utf-8")
WENZHOU = (resources.files("config") / "games/wenzhou.yaml").read_text(encoding="utf-8")


def error_text(path: Path) -> str:
    with pytest.raises(ConfigErrors) as raised:
        check_file(path)
    return str(raised.value)


def path_or_error_text(path: Path) -> str:
    """The path of a file that is valid; the text of the error for a file that is not."""
    try:
        check_file(path)
    except ConfigError as error:
        return str(error)
    return str(path)


def test_the_tables_that_pages_and_tests_name_are_shipped() -> None:
    named = {"auto_deal", "bench", "classic", "pai_gow", "robotic", "single_port"}
    assert named <= set(table_names())
    assert list(table_names()) == sorted(table_names())


def test_every_game_of_the_rules_has_a_shipped_file() -> None:
    assert game_names() == tuple(sorted(GAMES))


@pytest.mark.parametrize("name", table_names())
def test_a_shipped_table_passes_every_check(name: str) -> None:
    assert load_table(name).name == name


def test_a_shipped_file_is_read_once_and_an_own_file_every_time(tmp_path: Path) -> None:
    assert load_table("robotic") is load_table("robotic")
    assert load_game("wenzhou") is load_game("wenzhou")
    mine = tmp_path / "mine.yaml"
    for name in ("first", "second"):
        mine.write_text(ROBOTIC.replace("name: robotic", f"name: {name}"), encoding="utf-8")
        assert load_table(mine).name == name


@pytest.mark.parametrize("name", game_names())
def test_a_shipped_game_lists_every_default_of_its_rules(name: str) -> None:
    config, defaults = load_game(name), GAMES[name].parameters()
    assert config.game == name
    assert set(config.parameters) == {field.name for field in fields(defaults)}
    assert game_parameters(config) == defaults


def test_a_shipped_file_is_also_found_by_its_path(tmp_path: Path) -> None:
    for text, kind in ((ROBOTIC, Table), (WENZHOU, GameConfig)):
        path = tmp_path / "mine.yaml"
        path.write_text(text, encoding="utf-8")
        assert isinstance(check_file(path), kind)
    assert load_game(path) == load_game("wenzhou") == load_game(str(path))


def test_the_parameters_of_a_house_reach_the_rules(tmp_path: Path) -> None:
    places = [f"p{column}.{level}" for column in range(1, 9) for level in range(1, 5)]
    hands = [places[first : first + 4] for first in range(0, 32, 4)]
    path = tmp_path / "house.yaml"
    path.write_text(
        "game: pai_gow\n"
        "tile: {length_mm: 52, width_mm: 25, height_mm: 12}\n"
        "play: 90\n"
        "parameters:\n"
        "  n_dice: 2\n"
        "  allowed_cuts: [cup_say]\n"
        "  cut_default: columns\n"
        f"  user_cuts: [{{name: columns, hands: {hands}}}]",
        encoding="utf-8",
    )
    parameters = game_parameters(load_game(path))
    assert isinstance(parameters, PaiGow)
    assert parameters.n_dice == 2
    assert parameters.cuts[-1] == "columns"
    assert parameters.pile_view == PaiGow().pile_view


def test_a_pin_can_have_the_label_that_is_printed_on_its_board(tmp_path: Path) -> None:
    text = ROBOTIC
    assert "pin: 54," in text and "pin: 55," in text
    labelled = text.replace("pin: 54,", "pin: A0,").replace("pin: 55,", "pin: a1,")
    (tmp_path / "mine.yaml").write_text(labelled)
    assert load_table(tmp_path / "mine.yaml") == load_table("robotic")


def test_the_error_for_a_misspelt_name_suggests_the_nearest_name() -> None:
    with pytest.raises(ConfigErrors) as raised:
        load_table("robotik")
    assert str(raised.value) == (
        "robotik: is not the name of a table. Did you mean 'robotic'? Name a file with its .yaml."
    )


def test_the_error_for_a_name_unlike_all_others_lists_all_names() -> None:
    with pytest.raises(ConfigErrors) as raised:
        load_table("x")
    assert str(raised.value) == (
        f"x: is not the name of a table. Give one of {', '.join(table_names())}."
        " Name a file with its .yaml."
    )


def test_a_game_that_is_loaded_as_a_table_gets_one_error_for_each_key(tmp_path: Path) -> None:
    path = tmp_path / "table.yaml"
    path.write_text("game: wenzhou\n", encoding="utf-8")
    with pytest.raises(ConfigErrors) as raised:
        load_table(path)
    assert len(raised.value) == len(list(raised.value)) == 8
    assert raised.value.errors[-1].path == ("game",)


def test_a_file_that_does_not_exist(tmp_path: Path) -> None:
    path = tmp_path / "no.yaml"
    assert error_text(path) == f"{path}: the file does not exist. Check the path."


def test_a_directory(tmp_path: Path) -> None:
    assert error_text(tmp_path) == f"{tmp_path}: is a directory. Name a file in it."


def test_a_giant_file(tmp_path: Path) -> None:
    path = tmp_path / "giant.yaml"
    path.write_bytes(b"#" * (LARGEST + 1))
    assert error_text(path) == f"{path}: has more than {LARGEST} bytes. Name a table or a game."


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.touch()
    assert error_text(path) == f"{path}: is empty. Write a table or a game into it, or remove it."


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes("game: wenzhou\n# für später\n".encode("latin-1"))
    assert error_text(path) == f"{path}:2: is not UTF-8 (byte 0xfc). Save it as UTF-8 text."


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "marked.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + WENZHOU.encode())
    assert isinstance(check_file(path), GameConfig)


def test_a_list_instead_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    path.write_text("- robotic\n", encoding="utf-8")
    assert error_text(path) == (
        f"{path}: is not a mapping of keys to values (a list)."
        " Begin with keys such as `name:` or `game:`."
    )


def test_a_file_about_something_else(tmp_path: Path) -> None:
    path = tmp_path / "shopping.yaml"
    path.write_text("milk: 2\n", encoding="utf-8")
    assert error_text(path) == (
        f"{path}: is neither a table nor a game."
        " Give a table `boards:` and `modules:`, a game `game:`."
    )


def test_an_error_is_one_line_even_if_the_key_has_two(tmp_path: Path) -> None:
    path = tmp_path / "keys.yaml"
    path.write_text(WENZHOU + '"two\\nlines": 1\n', encoding="utf-8")
    line = WENZHOU.count("\n") + 1
    assert error_text(path) == (
        f"{path}:{line}: two\\nlines: is an unknown key ('two\\nlines')."
        " Give one of game, parameters, play, tile."
    )


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)
)
TREES = st.recursive(
    SCALARS,
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "kind", "boards", "channels", "modules", "drum", "motor"])
            | st.text(max_size=4),
            parts,
            max_size=4,
        )
    ),
)


@given(
    st.dictionaries(
        st.sampled_from([*Table.model_fields, *GameConfig.model_fields]), TREES, min_size=1
    )
)
@pytest.mark.slow
def test_every_tree_of_values_is_a_table_a_game_or_a_configuration_error(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[str, object]
) -> None:
    path = tmp_path_factory.getbasetemp() / "tree.yaml"
    path.write_text(yaml.safe_dump(tree, allow_unicode=True), encoding="utf-8")
    assert path_or_error_text(path).startswith(str(path))


@given(data=st.data())
@pytest.mark.slow
def test_a_shipped_table_with_one_changed_line_is_read_or_refused_with_a_message(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    lines = ROBOTIC.splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    other = data.draw(st.sampled_from(lines) | st.text(max_size=20))
    lines[at] = other
    path = tmp_path_factory.getbasetemp() / "changed.yaml"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    assert path_or_error_text(path).startswith(str(path))
