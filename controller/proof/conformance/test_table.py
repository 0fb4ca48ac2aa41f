"""A simulated table deals the game and follows its hands without faults and prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from config.loader import load_game, load_table, table_names
from config.validation.checks import fit
from controller.cli import main
from controller.events import EventName
from controller.proof.conformance.dealing import throws_of
from rules.plugin import GamePlugin

UNEXPECTED = {EventName.FAULT, EventName.HAND_ABANDONED, EventName.OPERATOR_PROMPTED}


def table_for(plugin: GamePlugin) -> str:
    """The first table, in alphabetical order, on which the game can be set up."""
    config = load_game(plugin.name)
    return next(name for name in table_names() if fit(load_table(name), plugin.game, config).fits)


def test_a_table_deals_the_game_and_follows_two_hands(
    played: GamePlugin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "events.jsonl"
    options = f"--rounds 2 --seed 5 --play --events {file}".split()
    code = main(["run", "--game", played.name, "--table", table_for(played), *options])
    assert code == 0, capsys.readouterr().err
    events = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    names = [event["event"] for event in events]
    assert names.count("settled") == 2
    assert not UNEXPECTED & set(names)


def test_a_plan_of_the_game_is_printed(
    plugin: GamePlugin, capsys: pytest.CaptureFixture[str]
) -> None:
    throws = [",".join(map(str, dice)) for dice in throws_of(plugin)]
    options = [word for throw in throws for word in ("--throw", throw)]
    assert main(["plan", plugin.name, "--json", *options]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["game"] == plugin.name
    assert [",".join(map(str, each["dice"])) for each in plan["throws"]] == throws
