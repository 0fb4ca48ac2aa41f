"""Tests the house rules and people that random rounds draw from the seed: all are legal."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from config.loader import game_names, load_game, load_table
from config.validation.checks import fit
from controller.proof.chaos.evening import play_evening
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.proof.chaos.run_report import Coverage
from controller.proof.chaos.scenarios import Choices, domains, draw, evening_of, pairs_of
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.people.hand_players import STYLES
from rules.games import find_game
from tests.quick import sampled, slow_except


@pytest.mark.parametrize("game", slow_except(["pai_gow"], game_names()))
def test_every_drawn_house_is_accepted_by_the_game_and_fits_its_table(game: str) -> None:
    config = load_game(game)
    for table, _ in pairs_of([game]):
        machine = load_table(table)
        for seed in range(3):
            house = draw(Random(seed), machine, config, play=True).config(config)
            assert fit(machine, find_game(config.game), house).fits


@pytest.mark.parametrize("game", sampled(4, game_names()))
def test_every_value_of_every_parameter_is_drawn(game: str) -> None:
    config, (table, _) = load_game(game), pairs_of([game])[0]
    machine = load_table(table)
    drawn = [draw(Random(seed), machine, config, play=True) for seed in range(150)]
    for name, values in domains(config.game).items():
        taken = [choices.house[name] for choices in drawn if choices.house]
        assert all(value in taken for value in values), name
    assert {choices.players for choices in drawn} == set(find_game(config.game).players)
    assert {choices.style for choices in drawn} == set(STYLES)
    assert {choices.obliging for choices in drawn} == {True, False}
    has_drum = machine.modules.drum is not None
    assert {choices.short_mix for choices in drawn} == {has_drum, False}
    most = max(find_game(config.game).players)
    assert {choices.dealer for choices in drawn} == set(range(most))


def test_the_same_seed_makes_the_same_choices() -> None:
    config, machine = load_game("wenzhou"), load_table("robotic")
    first, second = (draw(Random("seed"), machine, config, play=True) for _ in range(2))
    assert first == second


def states_of(choices: Choices, folder: Path) -> set[tuple[object, object]]:
    """Play two rounds of Wenzhou; return the pairs of what the table does below and on top."""

    async def scenario() -> set[tuple[object, object]]:
        place = SurvivingTable("robotic", "wenzhou", 1, choices=choices)
        await place.run_host(folder / "table.journal", rounds=2)
        states = [event for event in place.events if event["event"] == "state"]
        return {(state["under"], state["top"]) for state in states}

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        return runner.run(scenario())


@pytest.mark.slow
def test_with_a_short_mix_a_set_is_built_below_while_a_hand_is_dealt_on_top(tmp_path: Path) -> None:
    assert ("building", "dealing") in states_of(Choices(short_mix=True), tmp_path)


@pytest.mark.slow
def test_with_the_tables_own_mix_the_deal_ends_before_the_build_begins(tmp_path: Path) -> None:
    states = states_of(Choices(), tmp_path)
    assert ("shuffling", "dealing") in states
    assert ("building", "dealing") not in states


def test_without_choices_a_house_has_the_parameters_of_the_games_file() -> None:
    config = load_game("filipino")
    assert Choices().config(config) == config


def test_the_report_counts_the_values_of_the_rounds_and_names_the_others(
    tmp_path: Path,
) -> None:
    coverage = Coverage()
    evening = evening_of(4, 1, pairs_of(["pai_gow"], ["bench"]), play=False)
    played = play_evening(evening, tmp_path)
    assert played is not None
    coverage.add(played)
    facts = coverage.facts()["pai_gow"]
    assert facts["dealer"] == {str(evening.choices.dealer): len(played.rounds)}
    cuts = [
        str(event["answer"])
        for each in played.rounds
        for event in each.events
        if event["event"] == "choice_made" and event["what"] == "cut"
    ]
    assert sum(facts["choice cut"].values()) == len(cuts) >= len(played.rounds)
    assert set(facts["choice cut"]) == set(cuts)
    way = evening.choices.config(load_game("pai_gow")).parameters["house_way"]
    missed = {choice: values for _, choice, values in coverage.missed()}
    assert str(way) not in missed["parameter house_way"].split(", ")
    assert len(missed["parameter house_way"].split(", ")) == 3


def test_games_with_the_same_parameters_share_the_rows_of_the_report(tmp_path: Path) -> None:
    coverage = Coverage()
    for number, game in enumerate(("block", "sniff")):
        (tmp_path / game).mkdir()
        evening = evening_of(number, 1, pairs_of([game], ["bench"]), play=False)
        played = play_evening(evening, tmp_path / game, 1)
        assert played is not None
        coverage.add(played)
    rows = {(games, choice): values for games, choice, values in coverage.rows()}
    assert {games for games, _ in rows} == {"dominoes"}
    assert rows["dominoes", "what the table knows of a hand"] == "none: 2"
    assert set(coverage.facts()) == {"block", "sniff"}
