"""Games are found in their packages and as plug-ins; a broken plug-in affects no other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from rules import games
from rules.errors import IllegalSetupError
from rules.games import GAMES, PLUGINS, find_game, judging_of, rules_of
from rules.games.dominoes import DOMINO_GAMES
from rules.plugin import GamePlugin, PluginError, Registry, lazily_judging, lazily_rules
from rules.setup import Game, Script, Seating

ODD = replace(DOMINO_GAMES[0], name="odd", title="Odd bones")
SETTINGS = Path(__file__)  # any existing file is enough: the rules do not read it


@dataclass(frozen=True)
class Installed:
    """An entry point of an installed package; `load` replaces the import."""

    name: str
    load: Callable[[], object]
    value: str = "odd_bones:PLUGIN"


def offers(plugin: object, name: str = "odd") -> Installed:
    return Installed(name, lambda: plugin)


def fails() -> object:
    raise ImportError("No module named 'odd_bones'")


def with_these(monkeypatch: pytest.MonkeyPatch, *entries: Installed) -> Registry:
    monkeypatch.setattr("rules.plugin._entry_points", lambda: entries)
    return Registry(games.__name__, games.__path__)


def breaks(seating: Seating, parameters: Any) -> Script:
    raise KeyError("seats")


def test_each_package_of_games_is_found_without_a_list() -> None:
    folders = {file.name for file in Path(games.__file__).parent.iterdir() if file.is_dir()}
    folders -= {"__pycache__", "dominoes"}
    assert {name for name in GAMES if PLUGINS.is_own(name)} == folders | {
        game.name for game in DOMINO_GAMES
    }


def test_an_installed_game_is_found_like_a_game_of_the_project(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = with_these(monkeypatch, offers(GamePlugin(ODD, settings=SETTINGS)))
    assert found["odd"].game is ODD
    assert list(found)[-1] == "odd"
    assert len(found) == len(PLUGINS) + 1
    assert found.broken == ()


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (
            Installed("odd", fails),
            (
                "'odd_bones:PLUGIN' cannot be imported (No module named 'odd_bones');"
                " repair or uninstall its package."
            ),
        ),
        (
            offers(ODD),
            "'odd_bones:PLUGIN' is a Game, not a GamePlugin; name the package's PLUGIN.",
        ),
        (
            offers(GamePlugin(ODD)),
            "its plug-in has no `settings`; name the YAML file with its tile and its parameters.",
        ),
        (
            offers(GamePlugin(ODD, settings=Path("/no/such/odd.yaml"))),
            (
                "its settings file '/no/such/odd.yaml' does not exist;"
                " include the YAML file in the package."
            ),
        ),
        (
            offers(GamePlugin(ODD, settings=SETTINGS), name="even"),
            "its game is called 'odd'; give the entry point the same name.",
        ),
        (
            offers(GamePlugin(replace(ODD, name="block"), settings=SETTINGS), name="block"),
            (
                "the name 'block' belongs to one of Wallwright's own games;"
                " give the game another name."
            ),
        ),
        (
            offers(GamePlugin(replace(ODD, script=breaks), settings=SETTINGS)),
            "its set-up cannot begin (KeyError: 'seats'); correct its script.",
        ),
    ],
    ids=["import", "type", "no settings", "no file", "another name", "taken", "script"],
)
def test_a_broken_plug_in_is_reported_in_one_sentence_and_the_others_work(
    entry: Installed, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine = GamePlugin(replace(ODD, name="fine"), settings=SETTINGS)
    found = with_these(monkeypatch, entry, offers(fine, "fine"))
    assert set(found) == {*PLUGINS, "fine"}
    assert found["wenzhou"].game.title == "Wenzhou mahjong"
    assert found.broken == (f"The entry point '{entry.name}' of wallwright.games: {sentence}",)


def test_the_second_package_with_the_same_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (offers(GamePlugin(ODD, settings=SETTINGS)) for _ in range(2))
    found = with_these(monkeypatch, one, other)
    assert found["odd"] is one.load()
    assert found.broken == (
        (
            "The entry point 'odd' of wallwright.games: another installed package has a game"
            " 'odd' too; uninstall one of the two."
        ),
    )


def test_an_unknown_game_is_refused_with_a_list_of_all_games() -> None:
    for find in (find_game, rules_of, judging_of):
        with pytest.raises(
            IllegalSetupError, match="There is no game 'whist'; choose one of backgammon,"
        ):
            find("whist")


def test_a_missing_part_of_a_plug_in_is_reported_when_it_is_needed() -> None:
    only_dealt = GamePlugin(ODD)
    with pytest.raises(PluginError, match=r"^Odd bones has no rules of play, so .* --play\.$"):
        only_dealt.require_rules()
    with pytest.raises(PluginError, match=r"^Odd bones has no judge, "):
        only_dealt.require_judging()
    wrong_types = GamePlugin(ODD, rules=lambda: "rules", judging=lambda: None)  # type: ignore[arg-type,return-value]
    with pytest.raises(PluginError, match="'rules' as its `rules`, not a Rules"):
        wrong_types.require_rules()
    with pytest.raises(PluginError, match="None as its `judging`, not a Judging"):
        wrong_types.require_judging()
    other = GamePlugin(ODD, rules=lazily_rules("rules.games.wenzhou.adapter", "WENZHOU_RULES"))
    with pytest.raises(
        PluginError, match="'odd' returns the rules of the game 'wenzhou'; return its own"
    ):
        other.require_rules()


@pytest.mark.parametrize("part", ["rules of play", "judge"])
def test_a_game_whose_play_or_judge_does_not_compile_is_not_complete(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its set-up alone can be planned, so nothing else notices it before the first hand."""
    name = f"unfinished_{part.replace(' ', '_')}"
    (tmp_path / f"{name}.py").write_text("ROUNDS = (\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    given = {"rules": lazily_rules(name, "RULES")}
    if part == "judge":
        given = {"judging": lazily_judging(name)}
    plugin = GamePlugin(ODD, **given)
    with pytest.raises(PluginError, match=rf"The {part} of the game 'odd' cannot .*never closed"):
        plugin.require_complete()
    GamePlugin(ODD).require_complete()


def test_a_package_without_a_plug_in_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("rules.games.wenzhou.PLUGIN")
    with pytest.raises(PluginError, match=r"^rules\.games\.wenzhou has no PLUGIN; "):
        Registry(games.__name__, games.__path__)["wenzhou"]


def test_a_game_of_the_project_is_found_without_a_search_for_plug_ins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rules.plugin._entry_points", fails)
    assert isinstance(Registry(games.__name__, games.__path__)["wenzhou"].game, Game)


def test_the_name_of_a_package_of_several_games_is_no_game_however_often_it_is_asked_for() -> None:
    registry = Registry(games.__name__, games.__path__)
    for _ in range(3):
        assert registry.get("dominoes") is None
        assert registry["block"].name == "block"
