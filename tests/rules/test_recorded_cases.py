"""The case made of a recorded hand is judged as it was settled, for every game with a judge."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from config.judge_cases import load_case
from config.validation.game_parameters import accepted
from controller.proof.conformance.dealing import dealt, seatings
from rules import from_hands
from rules.errors import RulesError
from rules.games import PLUGINS, judging_of
from rules.play import random_action
from rules.records.record import Replayed, evening, recorded
from tests.quick import slow_except

JUDGED = [
    name
    for name in PLUGINS
    if PLUGINS[name].judging and PLUGINS.is_own(name) and judging_of(name).recorded_case
]
SEEDS = 12
LONGEST = 4000


def house(game: str, changed: Any) -> Any:
    parameters, defects = accepted(game, changed)
    assert not defects
    return parameters


def hands_of(game: str, seeds: int) -> list[Replayed]:
    """Recorded hands of players who act at random, replayed from the lines of their records."""
    plugin = PLUGINS[game]
    hands = []
    rules = plugin.require_rules()
    for seed in range(seeds):
        chance = Random(seed)
        players, dealer = chance.choice(list(seatings(plugin)))
        setup, tiles = dealt(plugin, chance, players, dealer)
        match = rules.match(setup.parameters, setup.seating.players, setup.seating.dealer)
        play, actions = rules.start(setup, tiles, match), []
        while play.settlement is None and len(actions) < LONGEST:
            actions.append(_eager(play, chance))
            play = play.apply(actions[-1])
        (hand,) = evening(recorded(setup, tiles, actions), house)
        hands.append(hand)
    return hands


def _eager(play: Any, chance: Random) -> Any:
    """A random action, but a win whenever one is legal: most random hands have none otherwise."""
    for action in play.legal_actions:
        if str(action).split()[0] == "win":
            return action
    return random_action(play, chance.choice)


def judged(hand: Replayed, folder: Path, seat: int | None = None) -> Any:
    """The verdict on the hand's case, which goes through a YAML file as at the command line."""
    file = folder / "case.yaml"
    file.write_text(yaml.safe_dump(hand.case(seat), sort_keys=False), "utf-8")
    return judging_of(hand.game).judge(load_case(hand.game, file))


def has_case(hand: Replayed) -> bool:
    """Whether a claim or a move has ended the hand; a drawn hand and a refused double have none."""
    if hand.game == "backgammon":
        return hand.play.dropped is None
    if hand.game in ("wenzhou", "filipino"):
        return hand.play.settlement.winner is not None
    return True


@pytest.mark.parametrize("game", slow_except(["wenzhou", "filipino"], JUDGED))
def test_a_recorded_hand_is_judged_as_it_was_settled(game: str, tmp_path: Path) -> None:
    compared = 0
    for hand in hands_of(game, SEEDS):
        settlement = hand.play.settlement
        if not has_case(hand):
            with pytest.raises(RulesError, match="No case can be made of this hand"):
                hand.case()
            continue
        verdict = judged(hand, tmp_path)
        compared += 1
        assert verdict.legal, verdict.reasons
        # The table also settles bonuses, caishen money and other players' bets.
        assert not Counter(verdict.payments) - Counter(settlement.payments)
        if game in ("da_san", "backgammon") or settlement.winner is not None:
            assert verdict.payments or not settlement.payments
        if game not in ("pai_gow", *_DOMINOES):
            assert (verdict.name, verdict.win) == (settlement.name, True)
    assert compared, "no hand of the sample has a case"


_DOMINOES = {"bergen", "block", "draw", "matador", "muggins", "sebastopol", "sniff", "threes"}


@pytest.mark.parametrize("game", sorted(_DOMINOES & set(JUDGED)))
@pytest.mark.slow
def test_the_score_of_a_hand_of_dominoes_is_that_of_the_settlement(
    game: str, tmp_path: Path
) -> None:
    ends = Counter[str]()
    for hand in hands_of(game, SEEDS):
        verdict, settlement = judged(hand, tmp_path), hand.play.settlement
        last = [payment for payment in settlement.payments if payment.why == "the hand (C9)"]
        assert [p for p in verdict.payments if p.why == "the hand (C9)"] == last
        ends[settlement.name] += 1
    assert ends


@pytest.mark.parametrize("game", ["bergen", "muggins", "sniff", "threes"])
def test_the_tile_that_won_a_game_of_dominoes_is_judged_as_such(game: str, tmp_path: Path) -> None:
    plugin = PLUGINS[game]
    rules, won = plugin.require_rules(), 0
    for seed in range(4):
        chance = Random(seed)
        setup, tiles = dealt(plugin, chance, *chance.choice(list(seatings(plugin))))
        match = rules.match(setup.parameters, setup.seating.players, setup.seating.dealer)
        near = tuple(setup.parameters.target - chance.randint(1, 12) for _ in match.scores)
        play, acts = rules.start(setup, tiles, replace(match, scores=near)), []
        while play.settlement is None:
            acts.append((play, random_action(play, chance.choice)))
            play = play.apply(acts[-1][1])
        if play.ended == "target":
            hand = Replayed(1, game, setup.seating.dealer, play, match, tuple(acts))
            verdict = judged(hand, tmp_path)
            assert (verdict.legal, verdict.win, verdict.name) == (True, True, "target")
            assert not Counter(verdict.payments) - Counter(play.settlement.payments)
            won += 1
    assert won


def test_every_player_at_pai_gow_has_a_case_with_the_same_result(tmp_path: Path) -> None:
    for hand in hands_of("pai_gow", 4):
        for seat in hand.play.players:
            if hand.play.stakes[seat] <= 0:
                continue
            verdict = judged(hand, tmp_path, seat)
            assert not Counter(verdict.payments) - Counter(hand.play.settlement.payments)
            assert verdict.name == hand.play.result(seat)


@pytest.mark.slow
def test_the_bank_and_a_hand_without_a_winner_have_no_case() -> None:
    hand = hands_of("pai_gow", 1)[0]
    with pytest.raises(RulesError, match=f"seat {hand.play.banker} has bet against the bank"):
        hand.case(hand.play.banker)
    drawn = [hand for hand in hands_of("wenzhou", 12) if hand.play.settlement.winner is None]
    for hand in drawn:
        with pytest.raises(RulesError, match="No case can be made of this hand: no seat has won"):
            hand.case()


def test_house_rules_that_differ_from_the_defaults_are_in_the_case() -> None:
    hand = hands_of("da_san", 1)[0]
    changed = Replayed(
        hand.line, hand.game, hand.dealer, hand.play, hand.match, hand.acts, {"stake_unit": 5}
    )
    assert changed.case()["parameters"] == {"stake_unit": 5}
    assert json.dumps(changed.case())


def test_two_seats_that_claim_the_same_discard_are_both_in_the_case(tmp_path: Path) -> None:
    waiting = {
        1: [
            "1m",
            "2m",
            "3m",
            "4m",
            "5m",
            "6m",
            "7m",
            "8m",
            "9m",
            "1p",
            "1p",
            "1p",
            "2p",
            "2p",
            "3s",
            "4s",
        ],
        2: [
            "2p",
            "3p",
            "4p",
            "5p",
            "6p",
            "7p",
            "7p",
            "8p",
            "9p",
            "1m",
            "2m",
            "3m",
            "9s",
            "9s",
            "3s",
            "4s",
        ],
        0: [
            "5s",
            "1s",
            "2s",
            "6s",
            "7s",
            "8s",
            "4m",
            "5m",
            "6m",
            "7m",
            "8m",
            "9m",
            "3p",
            "4p",
            "5p",
            "6p",
            "8p",
        ],
    }
    play = from_hands("wenzhou", waiting, Random(0))
    rules, acts = PLUGINS["wenzhou"].require_rules(), []
    for seat, text in ((0, "discard 5s"), (2, "win"), (1, "win"), (3, "pass")):
        if seat in play.to_act:
            action = rules.parse(seat, text)
            acts.append((play, action))
            play = play.apply(action)
    settlement = play.settlement
    match = rules.match(play.position.deal.parameters, 4, 0)
    hand = Replayed(1, "wenzhou", 0, play, match, tuple(acts))
    facts = hand.case()
    assert [claim["seat"] for claim in facts["claims"]] == [3 - settlement.winner]
    assert (facts["seat"], facts["discarder"], facts["tile"]) == (settlement.winner, 0, "5s")
    verdict = judged(hand, tmp_path)
    assert (verdict.legal, verdict.name) == (True, settlement.name)
    assert not Counter(verdict.payments) - Counter(settlement.payments)
    loser = facts["claims"][0]
    swapped = {**facts, "seat": loser["seat"], "hand": loser["hand"], "melds": loser["melds"]}
    swapped["claims"] = [{"seat": facts["seat"], "hand": facts["hand"], "melds": facts["melds"]}]
    file = tmp_path / "swapped.yaml"
    file.write_text(yaml.safe_dump(swapped), "utf-8")
    assert not judging_of("wenzhou").judge(load_case("wenzhou", file)).legal


def test_an_action_that_was_taken_back_is_not_in_the_case() -> None:
    hand = hands_of("block", 1)[0]
    plugin = PLUGINS["block"]
    chance = Random(0)
    setup, tiles = dealt(plugin, chance, *chance.choice(list(seatings(plugin))))
    lines = list(recorded(setup, tiles, [action for _, action in hand.acts]))
    corrected = [*lines[:3], '{"take_back": 2}', *lines[1:]]
    (again,) = evening(corrected, house)
    assert [str(action) for _, action in again.acts] == [str(action) for _, action in hand.acts]
    assert again.case() == hand.case()
