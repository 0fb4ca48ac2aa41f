"""Da San: properties of every hand, checked in random play."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.games.da_san import (
    DA_SAN,
    DA_SAN_RULES,
    Action,
    Bid,
    DaSanPlay,
    Lay,
    Parameters,
    Pass,
    start,
)
from rules.games.da_san.position import ALL, FACES, RANKS, cards_of, form_of, leads, pick
from rules.play import IllegalActionError, random_action
from rules.setup import settle

seeds = st.integers(0, 2**32)


def houses(rng: random.Random) -> Parameters:
    return Parameters(
        pass_final=rng.random() < 0.3,
        pass_locks_round=rng.random() < 0.3,
        forced_bid_bonus=rng.random() < 0.3,
        three_threes_bid_3=rng.random() < 0.3,
        bidder_may_double=rng.random() < 0.3,
    )


def dealt(rng: random.Random, seen: float = 1.0) -> DaSanPlay:
    setup = settle(DA_SAN.setup(parameters=houses(rng)))
    faces = rng.sample(FACES, len(FACES))
    tiles = {
        place: face if rng.random() < seen else None
        for place, face in zip(setup.layout.places, faces, strict=True)
    }
    return start(setup, tiles)


def played(rng: random.Random, actions: int, seen: float = 1.0) -> tuple[DaSanPlay, list[Action]]:
    """A random hand with at most `actions` actions, and its actions."""
    play = dealt(rng, seen)
    done: list[Action] = []
    while play.settlement is None and len(done) < actions:
        action = random_action(play, rng.choice)
        play = play.apply(action)
        done.append(action)
    return play, done


@given(seeds, st.sampled_from([0.0, 0.5, 1.0]))
@pytest.mark.slow
def test_a_hand_replays_from_its_text_keeps_its_cards_and_its_payments_sum_to_zero(
    seed: int, seen: float
) -> None:
    play, done = played(random.Random(seed), 2000, seen)
    again = dealt(random.Random(seed), seen)
    for action in done:
        again = again.apply(DA_SAN_RULES.parse(action.seat, str(action)))
        assert cards_in(again) == 52
    assert again == play
    settled = play.settlement
    assert settled is not None
    assert sum(settled.balance().values()) == 0
    assert play.to_act == ()
    assert not list(play.legal_actions)


def cards_in(play: DaSanPlay) -> int:
    held = sum(hand.size for hand in play.hands)
    kitty = 0 if play.auction.over else play.kitty.size
    table = play.round.cards.bit_count() if play.round else 0
    return held + kitty + table + play.gone.bit_count()


@given(seeds, st.integers(0, 80), st.sampled_from([0.0, 0.5, 1.0]))
def test_every_legal_action_can_be_applied_and_read_from_its_text(
    seed: int, actions: int, seen: float
) -> None:
    play, _ = played(random.Random(seed), actions, seen)
    before = replace(play)
    legal = list(play.legal_actions)
    assert len(set(legal)) == len(legal) == len(play.legal_actions)
    for action in legal:
        assert action in play.legal_actions
        assert DA_SAN_RULES.parse(action.seat, str(action)) == action
        play.apply(action)
    assert play == before


hands = st.lists(st.sampled_from(FACES), max_size=6, unique=True)


@given(seeds, st.integers(0, 80), hands)
def test_an_illegal_action_is_refused_with_a_sentence_and_changes_nothing(
    seed: int, actions: int, cards: list[str]
) -> None:
    play, _ = played(random.Random(seed), actions)
    before = replace(play)
    for seat in range(3):
        for action in (Lay(seat, tuple(cards)), Pass(seat), Bid(seat, 2), Bid(seat, 4)):
            if action not in play.legal_actions:
                with pytest.raises(IllegalActionError, match=r"^.{8,}\.$"):
                    play.apply(action)
    assert play == before


@given(seeds)
def test_the_combinations_of_a_hand_agree_with_a_search_of_all_cards(seed: int) -> None:
    rng = random.Random(seed)
    ranks = rng.sample(RANKS, 5)
    hand = rng.sample([face for face in FACES if face[:-1] in ranks], 11)
    found = {
        form_of(cards_of(cards)) for size in range(1, 12) for cards in combinations(hand, size)
    }
    held = cards_of(hand)
    assert set(leads(held)) == found - {None}
    for form in leads(held):
        picked = pick(held, form)
        assert picked & ~held == 0
        assert form_of(picked) == form


@given(seeds, st.sampled_from([0.0, 1.0]))
def test_sensible_players_finish_every_hand(seed: int, seen: float) -> None:
    play = dealt(random.Random(seed), seen)
    while play.settlement is None:
        play = play.apply(DA_SAN_RULES.sensible(play, play.to_act[0]))


@pytest.mark.slow
def test_a_sensible_player_wins_more_than_half_of_the_hands_against_two_random_players() -> None:
    rng = random.Random(1)
    wins = 0
    for _ in range(60):
        play = dealt(rng)
        while play.settlement is None:
            (seat,) = play.to_act
            is_sensible = seat == 0
            play = play.apply(
                DA_SAN_RULES.sensible(play, seat)
                if is_sensible
                else random_action(play, rng.choice)
            )
        wins += play.winner == 0
    assert wins > 30


def test_the_set_has_each_card_once() -> None:
    assert ALL.bit_count() == len(set(FACES)) == 52
    assert set(FACES) == set(DA_SAN.tiles.faces)
