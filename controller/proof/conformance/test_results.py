"""The results of a game: a result that people report continues the match like a followed hand."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from controller.proof.conformance.dealing import Followed, dealt, followed
from rules.errors import RulesError
from rules.plugin import GamePlugin
from rules.results import DEPTHS, Depth, Result
from rules.setup import Setup

SEEDS = range(2)


def each_hand(played: GamePlugin) -> Iterator[tuple[Any, Setup, tuple[Followed, ...]]]:
    """Hands of every number of players: the match before each, its set-up, and its positions."""
    rules = played.require_rules()
    for seed, players in itertools.product(SEEDS, played.game.players):
        chance = Random(seed)
        setup, tiles = dealt(played, chance, players)
        match = rules.match(setup.parameters, players, setup.seating.dealer)
        yield match, setup, tuple(followed(rules, setup, tiles, chance))


def read_off(
    played: GamePlugin, match: Any, hand: tuple[Followed, ...], depth: Depth
) -> Result | None:
    """The result of a followed hand as JSON values; None if the table did not see its tiles."""
    acts = [(before.play, after.actions[-1]) for before, after in itertools.pairwise(hand)]
    try:
        result = played.require_results().read(match, acts, hand[-1].play, depth)
    except RulesError:
        if depth != "tiles":
            raise
        return None
    as_json: Result = json.loads(json.dumps(result))
    return as_json


def test_the_match_continues_from_a_result_as_from_the_followed_hand(played: GamePlugin) -> None:
    """A game without results of its own has to accept a winner and the points of each seat."""
    results = played.require_results()
    for match, setup, hand in each_hand(played):
        due = match.after(hand[-1].play)
        form = results.form(match, setup)
        for depth in DEPTHS:
            read = read_off(played, match, hand, depth)
            if read is None:
                continue
            finished = results.finish(match, form.checked(read))
            after = match.after(finished)
            assert len(after.scores) == setup.seating.players
            if not finished.counted:
                assert depth == "who"
                assert not finished.settlement.payments
            elif played.results is None:
                assert after.scores == due.scores
            else:
                assert after == due


def test_the_form_of_a_result_is_json_and_names_each_field_once(played: GamePlugin) -> None:
    for match, setup, _ in each_hand(played):
        facts: dict[str, Any] = played.require_results().form(match, setup).facts()
        assert json.loads(json.dumps(facts)) == facts
        names = [each["name"] for each in facts["fields"]]
        assert len(set(names)) == len(names)
        assert facts["seats"] == setup.seating.players


def test_a_field_that_the_form_does_not_have_is_refused(played: GamePlugin) -> None:
    for match, setup, hand in each_hand(played):
        read = read_off(played, match, hand, "who")
        assert read is not None
        form = played.require_results().form(match, setup)
        with pytest.raises(RulesError, match="no_such_field"):
            form.checked({**read, "no_such_field": 1})
