"""The set-up of a game: it ends, deals each tile at most once, and can be repeated."""

from __future__ import annotations

import json
from random import Random

import pytest

from controller.proof.conformance.dealing import dealt, seatings
from rules.errors import IllegalOutcomeError, IllegalSetupError, MissingThrowError
from rules.geometry import parse_place
from rules.plugin import GamePlugin
from rules.setup import Setup, facts, replay

SEEDS = range(5)


def each_deal(plugin: GamePlugin) -> list[Setup]:
    """Set-ups of every seating, each with other dice, answers and tiles."""
    return [
        dealt(plugin, Random(seed), players, dealer)[0]
        for players, dealer in seatings(plugin)
        for seed in SEEDS
    ]


def test_the_set_up_ends_for_every_seating(plugin: GamePlugin) -> None:
    for setup in each_deal(plugin):
        assert setup.ready is not None
        assert setup.pending is None


def test_each_dealt_place_is_in_the_layout_and_is_dealt_once(plugin: GamePlugin) -> None:
    for setup in each_deal(plugin):
        dealt_places = [place for hand in setup.hands.values() for place in hand]
        assert len(set(dealt_places)) == len(dealt_places)
        assert set(dealt_places) <= set(setup.layout.places)
        assert set(setup.hands) <= set(range(plugin.game.seats))


def test_draws_and_replacements_are_places_that_were_not_dealt(plugin: GamePlugin) -> None:
    for setup in each_deal(plugin):
        assert setup.ready is not None
        in_hand = {place for hand in setup.hands.values() for place in hand}
        for place in (*setup.ready.draws, *setup.ready.replacements):
            assert place in setup.layout.places
            assert place not in in_hand


def test_the_same_outcomes_give_the_same_set_up(plugin: GamePlugin) -> None:
    for setup in each_deal(plugin):
        again = replay(setup.game, setup.seating, setup.parameters, setup.outcomes)
        assert again == setup
        assert (again.done, again.ready) == (setup.done, setup.ready)


def test_applying_an_outcome_does_not_change_the_earlier_set_up(plugin: GamePlugin) -> None:
    setup, _ = dealt(plugin, Random(1))
    before = replay(setup.game, setup.seating, setup.parameters, setup.outcomes[:1])
    for _ in range(2):
        after = before.apply(setup.outcomes[1]) if len(setup.outcomes) > 1 else before
        assert after.outcomes == setup.outcomes[:2]
    assert before.outcomes == setup.outcomes[:1]


def test_an_impossible_outcome_is_refused_with_a_message(plugin: GamePlugin) -> None:
    setup = plugin.game.setup()
    with pytest.raises(IllegalOutcomeError) as refused:
        setup.apply("no such outcome" if setup.pending is not None else None)
    assert str(refused.value).endswith(".")


def test_players_and_dealers_that_the_game_cannot_seat_are_refused(plugin: GamePlugin) -> None:
    most = max(plugin.game.players)
    for players, dealer in ((most + 1, 0), (most, most), (most, -1)):
        with pytest.raises(IllegalSetupError):
            plugin.game.setup(players=players, dealer=dealer)


def test_a_complete_set_up_can_be_written_as_json_and_its_places_parsed(plugin: GamePlugin) -> None:
    for setup in each_deal(plugin):
        assert json.loads(json.dumps(facts(setup)))["game"] == plugin.name
        for place in setup.layout.places:
            assert parse_place(str(place)) == place


def test_a_missing_throw_names_the_seat_and_the_dice(plugin: GamePlugin) -> None:
    setup, _ = dealt(plugin, Random(2))
    for step, _ in setup.throws:
        missing = MissingThrowError(step.by, step.dice, step.times, step.why)
        assert step.why in str(missing)
        assert 0 <= step.by < plugin.game.seats
