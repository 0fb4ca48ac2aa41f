"""The open tiles of a hand: what every person at the table sees, and nothing else."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.games import GAMES, rules_of
from rules.games.filipino.play import FilipinoPlay
from rules.games.wenzhou.play import WenzhouPlay
from rules.games.wenzhou.state import Stage
from tests.rules.hidden_hands import dealt

History = list[tuple[Any, Any]]


def played_hand(game: str, seed: int, stop: int) -> tuple[Any, History]:
    """The first `stop` actions of a hand with sensible players, and now and then a random one."""
    rules, chance = rules_of(game), Random(seed)
    setup, tiles = dealt(game, chance)
    begun = play = rules.start(setup, tiles)
    taken: History = []
    while play.settlement is None and len(taken) < stop:
        seat = chance.choice(play.to_act)
        if rules.throw(play) is not None:
            action = rules.thrown(play, (chance.randint(1, 6), chance.randint(1, 6)))
        elif chance.random() < 0.5:
            action = chance.choice([each for each in play.legal_actions if each.seat == seat])
        else:
            action = rules.sensible(play, seat)
        play = play.apply(action)
        taken.append((action, play))
    return begun, taken


@given(st.sampled_from(sorted(GAMES)), st.integers(0, 10_000), st.integers(0, 120))
@settings(max_examples=120)
def test_every_seat_derives_the_same_open_tiles_from_what_it_sees(
    game: str, seed: int, stop: int
) -> None:
    rules = rules_of(game)
    begun, taken = played_hand(game, seed, stop)
    known = rules.open_tiles(begun, taken)
    for seat in range(len(rules.held(begun))):
        seen = [(action, rules.view(play, seat)) for action, play in taken]
        assert rules.open_tiles(rules.view(begun, seat), seen) == known


@given(st.integers(0, 10_000), st.integers(0, 120))
@settings(max_examples=40)
def test_wenzhou_discards_lie_open_until_they_are_claimed(seed: int, stop: int) -> None:
    begun, taken = played_hand("wenzhou", seed, stop)
    play: WenzhouPlay = taken[-1][1] if taken else begun
    shown, position = rules_of("wenzhou").open_tiles(begun, taken), play.position
    offered = [position.tile] if position.stage is Stage.CLAIM else []
    assert Counter(tile.face for tile in shown.played) == Counter([*position.discards, *offered])
    claimed = [each for each in shown.sets if each.claimed is not None]
    assert len(claimed) + len(shown.played) == position.discarded
    for each in claimed:
        assert each.source not in (None, each.seat)


@given(st.integers(0, 10_000), st.integers(0, 160))
@settings(max_examples=40)
def test_filipino_discards_and_sets_are_those_of_the_play(seed: int, stop: int) -> None:
    begun, taken = played_hand("filipino", seed, stop)
    play: FilipinoPlay = taken[-1][1] if taken else begun
    shown = rules_of("filipino").open_tiles(begun, taken)
    assert tuple(tile.face for tile in shown.played) == play.table.middle
    by_name = Counter((each.seat, each.name) for each in shown.sets)
    for seat, hand in enumerate(play.table.hands):
        secret = sum(meld.secret for meld in hand.melds)
        assert by_name[seat, "secret kong"] == secret
        sets = sum(by_name[seat, name] for name in ("chow", "pong", "kong"))
        assert sets == len(hand.melds) - secret
        assert by_name[seat, "flores"] == bool(hand.flores)


def test_a_claimed_tile_has_its_source_and_its_index() -> None:
    found = Counter[str]()
    for seed in range(30):
        begun, taken = played_hand("wenzhou", seed, 200)
        before: dict[int, Any] = {}
        discards = [action for action, _ in taken if type(action).__name__ == "Discard"]
        for each in rules_of("wenzhou").open_tiles(begun, taken).sets:
            if each.claimed is None or each.source is None:
                continue
            face = each.faces[each.claimed]
            assert any((one.seat, one.face) == (each.source, face) for one in discards)
            before[each.seat] = each
            found[each.name] += 1
    assert found["pong"] and found["chow"] and found["hand"], found


@pytest.mark.parametrize("game", ["block", "muggins"])
def test_a_line_of_dominoes_has_each_tile_with_its_joint(game: str) -> None:
    begun, taken = played_hand(game, 3, 12)
    shown = rules_of(game).open_tiles(begun, taken)
    texts = [str(action) for action, _ in taken if "-" in str(action)]
    assert [f"{tile.face} {tile.joined}".strip() for tile in shown.played] == texts
    assert shown.facts[0].name == "open ends"


def test_hands_of_pai_gow_lie_face_down_until_all_are_set() -> None:
    begun, taken = played_hand("pai_gow", 5, 200)
    rules = rules_of("pai_gow")
    first = rules.open_tiles(begun, taken[:1]).sets
    assert [each.faces for each in first] == [(None, None), (None, None)]
    last = rules.open_tiles(begun, taken).sets
    assert all(None not in each.faces for each in last)


def test_a_backgammon_board_is_a_public_fact() -> None:
    begun, taken = played_hand("backgammon", 2, 8)
    facts = rules_of("backgammon").open_tiles(begun, taken).facts
    men = [fact.text for fact in facts if fact.name == "men"]
    assert " | ".join(men) == str(taken[-1][1].board)
