"""Dominoes: properties of every hand of every game, checked in random play."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.games.dominoes.actions import Call, DominoAction, Draw, Go, Lay, Show, parse
from rules.games.dominoes.play import DominoPlay, begin
from rules.games.dominoes.playout import play_out
from rules.games.dominoes.score import hand_score
from rules.games.dominoes.setup import double_six, doublet_setter
from rules.games.dominoes.variants import VARIANTS, Variant
from rules.play import IllegalActionError
from tests.quick import tries
from tests.rules.dominoes.hands import parameters

ENDS = ("", *"0123456", *(f"{n}-{n}{kind}" for n in range(7) for kind in ("", " end", " side")))


@st.composite
def beginnings(draw: st.DrawFn, hidden: bool = False) -> DominoPlay:
    """The beginning of a hand: any game, any number of players, any tiles, some house rules."""
    variant: Variant = draw(st.sampled_from(VARIANTS))
    players = draw(st.sampled_from(variant.players))
    faces = draw(st.permutations(double_six()))
    tiles: list[str | None] = list(faces)
    if hidden:
        tiles = [tile if draw(st.booleans()) else None for tile in tiles]
    changes: dict[str, Any] = {
        "turn": draw(st.sampled_from(["clockwise", "counter_clockwise"])),
        "block_score": draw(st.sampled_from(["sum", "difference"])),
        "inline_sniff_four_way": draw(st.booleans()),
        "triple_by_single": draw(st.booleans()),
        "matador_free_orientation": draw(st.booleans()),
        "target": draw(st.sampled_from([15, 100, 200])),
    }
    if variant.parameters.base:
        changes["muggins_call"] = draw(st.booleans())
    house = parameters(variant.name, **changes)
    each = house.hand[players - 2]
    hands = [tiles[seat * each : (seat + 1) * each] for seat in range(players)]
    turn = draw(st.sampled_from([*range(players), None]))
    if house.setter == "double_six":
        dealt = [faces[seat * each : (seat + 1) * each] for seat in range(players)]
        turn = doublet_setter(dict(enumerate(dealt)))
    return begin(variant.title, house, hands, tiles[players * each :], turn)


def random_hand(play: DominoPlay, seed: int) -> Iterable[DominoPlay]:
    """Yields the play after each action of a random hand, the beginning first."""
    rng = random.Random(seed)
    yield play
    while play.settlement is None:
        play = play.apply(rng.choice(list(play.legal_actions)))
        yield play


def laid(play: DominoPlay) -> list[str]:
    return [action.tile for action in play.actions if isinstance(action, Lay)]


@given(beginnings(), st.integers(0, 999))
@pytest.mark.slow
def test_tiles_are_conserved(play: DominoPlay, seed: int) -> None:
    for now in random_hand(play, seed):
        held = [tile for hand in (*now.hands, now.boneyard) for tile in hand if tile is not None]
        assert sorted([*held, *laid(now)]) == sorted(double_six())


@given(beginnings(hidden=True), st.integers(0, 999))
def test_hidden_tiles_are_conserved_too(play: DominoPlay, seed: int) -> None:
    for now in random_hand(play, seed):
        held = [tile for hand in (*now.hands, now.boneyard) for tile in hand]
        assert len(held) + len(laid(now)) == 28
        assert len(set(laid(now))) == len(laid(now))
        assert held.count(None) == len(now.unseen)


@given(beginnings(), st.integers(0, 999))
def test_payments_sum_to_zero_and_equal_the_scores(play: DominoPlay, seed: int) -> None:
    *_, end = random_hand(play, seed)
    assert end.settlement is not None
    balance = end.settlement.balance()
    assert sum(balance.values()) == 0
    assert all(payment.amount > 0 for payment in end.settlement.payments)
    gained = {seat: int(balance.get(seat, 0)) for seat in range(len(end.hands))}
    in_play = {seat: end.scores[seat] for seat in gained}
    winner = end.settlement.winner
    assert all(gained[seat] == in_play[seat] for seat in gained if seat != winner)


@given(beginnings(), st.integers(0, 999))
@pytest.mark.slow
def test_replaying_the_actions_as_texts_gives_the_same_hand(play: DominoPlay, seed: int) -> None:
    *_, end = random_hand(play, seed)
    again = play
    for action in end.actions:
        again = again.apply(parse(action.seat, str(action)))
    assert again == end
    assert again.settlement == end.settlement


@given(beginnings(), st.integers(0, 999))
def test_a_hand_with_hidden_tiles_is_played_in_the_same_way(play: DominoPlay, seed: int) -> None:
    """An action that is legal with known tiles is legal with hidden tiles, and scores the same."""
    *_, end = random_hand(play, seed)
    hidden = play._replace(
        hands=tuple((None,) * len(hand) for hand in play.hands),
        boneyard=(None,) * len(play.boneyard),
    )
    for action in end.actions:
        hidden = hidden.apply(action)
    assert hidden.scored == end.scored
    assert hidden.ended == end.ended
    for seat in hidden.to_show:
        for tile in end.hands[seat]:
            assert tile is not None
            hidden = hidden.apply(Show(seat, tile))
    assert hidden.settlement == end.settlement


@cache
def all_actions(players: int) -> tuple[DominoAction, ...]:
    """Every action that has a text, for every seat and for two seats that do not exist."""
    actions: list[DominoAction] = []
    for seat in range(-1, players + 1):
        actions += [Draw(seat), Go(seat), Call(seat)]
        for tile in double_six():
            actions.append(Show(seat, tile))
            for end in ENDS:
                actions += [Lay(seat, tile, end), Lay(seat, tile, end, "crosswise")]
                actions.append(Lay(seat, tile, end, "in line"))
                actions += [Lay(seat, tile, end, "", out) for out in range(7)]
    return tuple(actions)


@given(beginnings() | beginnings(hidden=True), st.integers(0, 999), st.integers(0, 40))
@pytest.mark.slow
def test_every_legal_action_applies_and_every_other_action_is_refused(
    play: DominoPlay, seed: int, until: int
) -> None:
    for number, now in enumerate(random_hand(play, seed)):
        play = now
        if number == until:
            break
    legal = list(play.legal_actions)
    assert len(set(legal)) == len(legal) == len(play.legal_actions)
    assert {action.seat for action in legal} == set(play.to_act)
    before = (play.hands, play.actions, hash(play))
    for action in legal:
        after = play.apply(action)
        assert after.actions == (*play.actions, action)
    among = set(legal)
    rng = random.Random(seed)
    for action in rng.sample(all_actions(len(play.hands)), 400):
        assert (action in play.legal_actions) is (action in among)
        if action not in among:
            with pytest.raises(IllegalActionError, match=r"\.$"):
                play.apply(action)
    assert (play.hands, play.actions, hash(play)) == before


@pytest.mark.slow
@pytest.mark.evidence
def test_every_legal_action_that_has_a_text_is_listed() -> None:
    for variant in VARIANTS:
        players, rng = variant.players[0], random.Random(5)
        faces = rng.sample(double_six(), 28)
        each = variant.parameters.hand[players - 2]
        hands = [faces[seat * each : (seat + 1) * each] for seat in range(players)]
        play = begin(variant.title, variant.parameters, hands, faces[players * each :])
        for _ in range(tries(2, quick=1, evidence=12)):
            found = {action for action in all_actions(players) if action in play.legal_actions}
            assert found == set(play.legal_actions)
            play = play.apply(rng.choice(list(play.legal_actions)))


def first(among: Sequence[DominoAction]) -> DominoAction:
    return among[0]


def last(among: Sequence[DominoAction]) -> DominoAction:
    return among[-1]


@given(beginnings() | beginnings(hidden=True), st.sampled_from([first, last]))
def test_play_out_gives_the_same_hand_as_single_steps(play: DominoPlay, pick: Any) -> None:
    steps = play
    while steps.settlement is None:
        steps = steps.apply(pick(list(steps.legal_actions)))
    assert play_out(play, pick) == steps


def test_a_text_is_not_a_legal_action() -> None:
    play = begin("Block", parameters("block"), [["6-6"], ["1-0"]])
    assert "6-6" not in play.legal_actions
    assert hand_score(parameters("block"), [["6-6"], ["1-0"]], None).winner == 1
