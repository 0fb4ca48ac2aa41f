"""Tests the play at a table: people enter actions, rules check them, the table brings tiles."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import pytest

from config.layout.field import Spot
from config.layout.staging import Staging, stage
from config.loader import game_parameters, load_game, load_table
from controller.events import Event
from controller.run import orders as orders_module
from controller.run.orders import Orders
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from firmware_bridge.sim.plant.machine import Plant
from rules.games import GAMES, find_game, rules_of
from rules.games.da_san.setup import Parameters as DaSan
from rules.games.pai_gow.setup import Parameters as PaiGow
from rules.games.wenzhou.setup import Parameters as Wenzhou
from rules.geometry import Place
from rules.play import Match, Rules, Tiles, plain
from rules.records.record import evening as replayed_evening
from rules.records.record import recorded, replayed
from rules.setup import Setup
from rules.steps import Choose, Packet, Replace
from tests.controller.played_evening import Evening, Hand, Meddler, evening, spend
from tests.fitting import fits
from tests.quick import sampled, slow_except
from tests.rules.hidden_hands import AllTiles, preferring
from tests.rules.test_hidden_play import ROBBING, before_the_robbing

TABLES = ("robotic", "auto_deal", "classic", "single_port", "pai_gow", "bench")
FITTING = [(game, table) for game, table in product(GAMES, TABLES) if fits(table, game)]
UNEXPECTED = ("fault", "hand_abandoned", "operator_prompted")
"""Events that do not occur in an undisturbed evening."""


def house(game: str) -> object:
    return game_parameters(load_game(game))


# Every game on every table


FEW = ("wenzhou", "pai_gow", "block")
QUICK = [
    *((game, "robotic") for game in FEW),
    ("wenzhou", "auto_deal"),
    ("pai_gow", "pai_gow"),
]
ONCE = [(game, "robotic") for game in GAMES] + [("wenzhou", "classic"), *QUICK]
"""Every game at one table, and every table with one game; `make test` runs a sixth of the other
pairs."""
PAIRS = [
    *slow_except(QUICK, dict.fromkeys(ONCE)),
    *sampled(6, [pair for pair in FITTING if pair not in ONCE]),
]


@pytest.mark.parametrize(("game", "table"), PAIRS)
@pytest.mark.slow
def test_two_hands_are_settled_as_with_all_tiles_visible_and_no_tile_is_lost(
    game: str, table: str
) -> None:
    night = evening(game, table)
    assert not [event for event in night.events if event["event"] in UNEXPECTED]
    assert len(night.hands) == 2
    for hand in night.hands:
        truth = hand.truth.settlement
        assert hand.settled is not None
        assert (hand.settled["name"], hand.settled["winner"]) == (truth.name, truth.winner)
        assert hand.settled["payments"] == [payment.facts() for payment in truth.payments]
    if GAMES[game].tiles:
        assert sum(night.census.values()) == len(GAMES[game].tiles) * load_table(table).sets
    ledger = night.daemon.run_state.ledger
    assert ledger.accounted == ledger.expected


@pytest.mark.parametrize("game", slow_except(FEW, GAMES))
def test_the_recorded_actions_replay_each_hand_with_the_same_payments(game: str) -> None:
    rules, night = rules_of(game), evening(game)
    match = rules.match(house(game), night.hands[0].setup.seating.players, 0)
    for hand in night.hands:
        acts = [rules.parse(seat, do) for seat, do in hand.acts]
        again = replayed(recorded(hand.setup, {}, acts), house(game), match)
        assert hand.settled is not None
        assert hand.settled["payments"] == [each.facts() for each in again.settlement.payments]
        match = match.after(again)
        assert hand.settled["scores"] == [plain(score) for score in match.scores]
        match = rules.match(house(game), len(match.scores), match.dealer) if match.over else match


@pytest.mark.parametrize("game", slow_except(FEW, GAMES))
def test_the_record_of_the_evening_replays_every_hand(game: str) -> None:
    night = evening(game)
    hands = list(replayed_evening(night.record, lambda game, _: house(game)))
    assert [hand.dealer for hand in hands] == [hand.dealer for hand in night.hands]
    for kept, hand in zip(hands, night.hands, strict=True):
        assert hand.settled is not None
        assert hand.settled["scores"] == [plain(score) for score in kept.match.scores]


# Tiles that are brought


def owed(hand: Hand) -> list[tuple[int, Packet | Replace]]:
    """Return each step that brings tiles by the rules, with the index of the action before it."""
    rules = rules_of(hand.setup.game.name)
    play, found = rules.start(hand.setup, {}, None), []
    for number, (seat, do) in enumerate(hand.acts):
        after = play.apply(rules.parse(seat, do))
        found += [(number, step) for step in rules.hands_over(hand.setup, play, after)]
        play = after
    return found


@pytest.mark.parametrize("game", slow_except(FEW, GAMES))
def test_every_tile_that_is_brought_is_the_one_that_the_rules_name(game: str) -> None:
    """Compares places and seats with the rules; `spend` compares the tiles with the plant."""
    for hand in evening(game).hands:
        named = [(str(place), step.seat) for _, step in owed(hand) for place in places_of(step)]
        assert hand.brought == named


def places_of(step: Packet | Replace) -> tuple[Place, ...]:
    return step.places if isinstance(step, Packet) else (step.place,)


@pytest.mark.parametrize("table", ["robotic", "auto_deal"])
def test_the_arm_brings_the_tiles_or_people_are_prompted_if_there_is_no_arm(table: str) -> None:
    for hand in evening("wenzhou", table).hands:
        moves = [event["move"] for event in hand.events if event["event"] == "move"]
        assert len(hand.brought) > 5
        assert set(moves) == ({"carry"} if table == "robotic" else {"prompt"})


def test_a_tile_that_an_action_requires_comes_before_the_next_action() -> None:
    for hand in evening("wenzhou").hands:
        line = [
            event["event"]
            for event in hand.events
            if event["event"] in ("action_taken", "delivered")
        ]
        acts = [number for number, name in enumerate(line) if name == "action_taken"]
        for number, step in owed(hand):
            after = line[acts[number] + 1 : acts[number] + 2]
            assert after == ["delivered"], step


# What happens in a hand


def hand_in_which(game: str, does: str, *seeds: int) -> Hand:
    """Return the first hand with an action that begins with `does`; try `seeds` first."""
    for seed in (*seeds, *range(12)):
        for hand in evening(game, "robotic", 2, seed).hands:
            if any(do.startswith(does) for _, do in hand.acts):
                return hand
    raise AssertionError(f"No hand of {game} has an action '{does}'; try other seeds.")


def test_a_pong_takes_the_last_discard() -> None:
    hand = hand_in_which("wenzhou", "pong")
    at = next(number for number, (_, do) in enumerate(hand.acts) if do == "pong")
    discards = [do for _, do in hand.acts[:at] if do.startswith("discard")]
    seat, face = hand.acts[at][0], discards[-1].split()[1]
    held = rules_of("wenzhou").held(hand.truth)
    assert held[seat].count(face) >= 3
    assert hand.racks == tuple(map(len, held))


KONGS = [
    f"{seat} kong{face}"
    for seat in range(4)
    for face in ("", *(f" {number}{suit}" for number in range(1, 10) for suit in "mps"))
]
"""Every kong that a player can declare."""


@pytest.mark.slow
def test_a_kong_gets_a_tile_from_the_replacement_end_by_the_arm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(orders_module, "rules_of", lambda _: preferring("wenzhou", *KONGS))
    # The first seed from 44 whose hand has exactly one kong, and actions after it.
    (hand,) = spend("wenzhou", hands=1, seed=44).hands
    assert hand.setup.ready is not None
    at = next(number for number, (_, do) in enumerate(hand.acts) if do.startswith("kong"))
    seat = hand.acts[at][0]
    replaced = next(step for number, step in owed(hand) if number > at)
    assert replaced == Replace(seat, hand.setup.ready.replacements[0])
    (step,) = (event for event in hand.events if event.get("step") == "replace")
    assert step["from"] == [str(replaced.place)]


@pytest.mark.slow
def test_a_flores_drawn_in_the_play_is_laid_out_and_replaced() -> None:
    hand = hand_in_which("filipino", "flores")
    at = next(number for number, (_, do) in enumerate(hand.acts) if do.startswith("flores"))
    replaced = next(step for number, step in owed(hand) if number == at)
    assert isinstance(replaced, Replace) and replaced.seat == hand.acts[at][0]
    assert (str(replaced.place), replaced.seat) in hand.brought


@pytest.mark.slow
def test_a_secret_kong_stays_face_down_until_the_hand_is_over() -> None:
    hand = hand_in_which("filipino", "secret", 8)
    seat, do = next(act for act in hand.acts if act[1].startswith("secret"))
    assert do == "secret", "the action names no tiles"
    assert any(isinstance(step, Replace) and step.seat == seat for _, step in owed(hand))


@pytest.mark.slow
def test_a_hand_without_a_winner_is_drawn_and_the_dealer_stays() -> None:
    night = spend("wenzhou", "classic", 2, house=Wenzhou(reserve=68))
    first, second = night.hands
    assert first.settled is not None
    assert (first.settled["winner"], first.settled["payments"]) == (None, [])
    assert len(first.brought) == 71 - 68
    assert first.dealer == second.dealer == first.settled["next_dealer"]


def laid(tiles: AllTiles, setup: Setup) -> Meddler:
    """Return a function that puts these tiles into the walls when they are first raised."""
    staging = stage(setup.layout, load_table("robotic"))
    done: list[Event] = []

    def meddle(event: Event, plant: Plant) -> None:
        if event["event"] != "walls_raised" or done:
            return
        done.append(event)
        pool = sorted(plant.felt.tiles, key=lambda tile: tile.face)
        order = sorted(tiles, key=lambda place: tiles[place])
        there = dict(zip(order, pool, strict=True))
        for pillar in plant.felt.pillars:
            places = {
                staging.slots[place].level: place
                for place in there
                if _spot(place, staging, plant) == pillar.spot
            }
            pillar.tiles[:] = [there[places[level]] for level in sorted(places, reverse=True)]
            plant.felt.raised[pillar.spot] = tuple(pillar.tiles)

    return meddle


def _spot(place: Place, staging: Staging, plant: Plant) -> Spot:
    slot = staging.slots[place]
    return plant.field.wall(slot.tray, slot.column, staging.columns(slot.tray))


@pytest.mark.slow
def test_a_tile_added_to_a_pong_can_be_robbed_by_a_hidden_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    setup, tiles = before_the_robbing()
    monkeypatch.setattr(orders_module, "rules_of", lambda _: preferring("wenzhou", *ROBBING))
    throws = tuple(each for each in setup.outcomes if isinstance(each, tuple))
    night = spend(
        "wenzhou",
        hands=1,
        throws=throws,  # type: ignore[arg-type]
        house=setup.parameters,
        meddler=laid(tiles, setup),
    )
    (hand,) = night.hands
    assert hand.texts[-4] == "2 kong 5m" and hand.texts[-3].startswith("1 win ")
    assert hand.settled is not None
    assert (hand.settled["name"], hand.settled["winner"]) == ("robbing a kong", 1)
    assert hand.racks == tuple(map(len, rules_of("wenzhou").held(hand.truth)))


# Penalties


def people_who_break_the_order(game: str) -> Rules:
    """Return rules with which simulated people ignore the order of discards."""
    own = rules_of(game)

    def start(setup: Setup, tiles: Tiles, match: Match | None) -> Any:
        """Start a play; only the one with visible tiles, the people's, has no discard order."""
        free = replace(setup, parameters=replace(setup.parameters, discard_order=False))
        return own.start(free if tiles else setup, tiles, match)

    return replace(own, start=start)


@pytest.mark.slow
def test_E16_discards_against_the_order_are_fined_when_the_hidden_hands_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(orders_module, "rules_of", people_who_break_the_order)
    night = spend("wenzhou", "auto_deal", 1, house=Wenzhou(discard_order_penalty=5, reserve=60))
    (hand,) = night.hands
    assert hand.settled is not None
    shown = [seat for seat, do in hand.acts if do.startswith("show ")]
    assert shown == [0, 1, 2, 3]
    fines = [paid for paid in hand.settled["payments"] if "E16" in paid["why"]]  # type: ignore[attr-defined]
    assert fines and {paid["amount"] for paid in fines} == {5}
    assert sum(hand.settled["scores"]) == 0  # type: ignore[call-overload]
    (kept,) = replayed_evening(night.record, lambda game, _: hand.setup.parameters)
    assert [plain(score) for score in kept.match.scores] == hand.settled["scores"]


@pytest.mark.slow
@pytest.mark.parametrize("after", ["dead_hand", "ends"])
def test_W36_a_false_win_is_declared_at_the_table_and_paid(
    after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orders_module, "rules_of", lambda _: preferring("wenzhou", "2 false win"))
    house = Wenzhou(after_false_win=after, reserve=66)  # type: ignore[arg-type]
    night = spend("wenzhou", "auto_deal", 1, house=house)
    (hand,) = night.hands
    assert hand.settled is not None
    assert [text for text in hand.texts if "false" in text] == ["2 false win"]
    assert (hand.texts[-1] == "2 false win") == (after == "ends")
    paid = {
        each["to"]: each["amount"]
        for each in hand.settled["payments"]  # type: ignore[attr-defined]
        if each["from"] == 2 and "false win" in each["why"]
    }
    assert paid == {0: 4, 1: 2, 3: 2}
    assert sum(night.census.values()) == 136 * load_table("auto_deal").sets


def test_D9_the_bidder_shows_the_kitty_and_the_play_has_its_cards() -> None:
    night = spend("da_san", "auto_deal", 1, house=DaSan(reveal_kitty=True))
    (hand,) = night.hands
    (shown,) = (do.split()[1:] for _, do in hand.acts if do.startswith("reveal"))
    assert len(shown) == 4
    assert set(shown) == set(hand.truth.revealed)
    (kept,) = replayed_evening(night.record, lambda game, _: DaSan(reveal_kitty=True))
    assert set(kept.play.revealed) == set(shown)


# Players and the bank


@pytest.mark.parametrize(
    ("game", "players"), [("bergen", 2), ("bergen", 3), ("bergen", 4), ("sebastopol", 3)]
)
def test_every_permitted_number_of_players_can_play(game: str, players: int) -> None:
    rules = find_game(game)
    orders = Orders(rules, rules.parameters(), players=players, follow="play")
    for hand in spend(game, "robotic", 2, orders=orders).hands:
        assert hand.settled is not None
        assert len(hand.racks) == players == len(hand.settled["scores"])  # type: ignore[arg-type]
        assert {seat for seat, _ in hand.acts} == set(range(players))


def banks(
    monkeypatch: pytest.MonkeyPatch, house: PaiGow, *answers: str
) -> tuple[Evening, list[Event]]:
    """Play three hands of pai gow with these answers to the first offers of the bank."""
    left = list(answers)

    def choose(people: SimulatedGuide, step: Choose, staging: Staging) -> object:
        if step.what == "bank" and left:
            return left.pop(0)
        return step.default

    monkeypatch.setattr(SimulatedGuide, "_choose", choose)
    night = spend("pai_gow", "auto_deal", 3, house=house)
    return night, [event for event in night.events if event.get("what") == "bank"]


@pytest.mark.slow
def test_4_3_a_player_can_decline_the_bank_and_the_next_one_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    night, emitted = banks(monkeypatch, PaiGow(), "decline", "decline", "take", "take", "decline")
    chosen = [
        (event["by"], event["answer"]) for event in emitted if event["event"] == "choice_made"
    ]
    assert chosen == [
        *((0, "decline"), (1, "decline"), (2, "take")),
        *((3, "take"), (4, "decline"), (5, "take")),
    ]
    assert [hand.dealer for hand in night.hands] == [2, 3, 5]
    kept = list(replayed_evening(night.record, lambda game, _: PaiGow()))
    assert [hand.dealer for hand in kept] == [2, 3, 5]
    last = night.hands[-1].settled
    assert last is not None
    assert [plain(score) for score in kept[-1].match.scores] == last["scores"]


@pytest.mark.slow
def test_4_3_if_the_bank_cannot_be_declined_it_passes_without_a_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    night, emitted = banks(monkeypatch, PaiGow(bank_may_be_declined=False))
    assert emitted == []
    assert [hand.dealer for hand in night.hands] == [0, 1, 2]


@pytest.mark.slow
def test_4_3_if_all_decline_the_house_banks_or_a_new_match_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    night, _ = banks(monkeypatch, PaiGow(house_seats=(6,)), *["decline"] * 7)
    assert night.hands[0].dealer == 6
    night, emitted = banks(monkeypatch, PaiGow(), *["decline"] * 8, "take")
    offered = [event["by"] for event in emitted if event["event"] == "choice_made"]
    assert offered[:9] == [0, 1, 2, 3, 4, 5, 6, 7, 7]
    assert night.hands[0].dealer == 7
    kept = list(replayed_evening(night.record, lambda game, _: PaiGow()))
    assert [hand.dealer for hand in kept] == [hand.dealer for hand in night.hands]


# Dealer and scores


@pytest.mark.slow
@pytest.mark.parametrize("game", ["wenzhou", "filipino", "da_san", "block"])
def test_the_match_gives_the_next_dealer_and_the_scores_add_up(game: str) -> None:
    night = evening(game, "auto_deal", 5, 3)
    scores: Counter[int] = Counter()
    for hand, after in pairwise(night.hands):
        assert hand.settled is not None
        assert after.dealer == hand.settled["next_dealer"]
    for hand in night.hands:
        assert hand.settled is not None
        for payment in hand.settled["payments"]:  # type: ignore[attr-defined]
            scores[payment["from"]] -= payment["amount"]
            scores[payment["to"]] += payment["amount"]
        emitted = list(hand.settled["scores"])  # type: ignore[call-overload]
        if game in ("wenzhou", "filipino"):
            assert emitted == [scores[seat] for seat in range(len(emitted))]
            assert sum(emitted) == 0


@pytest.mark.slow
def test_at_wenzhou_a_dealer_who_wins_deals_again_else_the_deal_passes() -> None:
    passed, stayed = 0, 0
    for seed in range(4):
        for hand in evening("wenzhou", "auto_deal", 5, seed).hands:
            assert hand.settled is not None and hand.settled["winner"] is not None
            won = hand.settled["winner"] == hand.dealer
            after = hand.dealer if won else (hand.dealer + 1) % 4
            assert hand.settled["next_dealer"] == after
            passed, stayed = passed + (not won), stayed + won
        if passed and stayed:
            break
    assert passed and stayed


@pytest.mark.slow
def test_the_end_of_a_match_is_reported_and_the_next_one_begins_with_zero_scores() -> None:
    first, second = evening("backgammon").hands
    for hand in (first, second):
        assert hand.settled is not None and hand.settled["match_over"]
        assert min(hand.settled["scores"]) == 0  # type: ignore[call-overload]


@pytest.mark.slow
def test_seat_2_can_deal_first() -> None:
    night = spend("wenzhou", "auto_deal", 1, dealer=2)
    (hand,) = night.hands
    assert hand.dealer == 2
    assert [len(places) for _, places in sorted(hand.setup.hands.items())] == [16, 16, 17, 16]
    assert hand.acts[0][0] == 2


@pytest.mark.slow
def test_given_throws_are_used_in_every_hand() -> None:
    night = spend("wenzhou", "auto_deal", 2, throws=((3, 5), (2, 4)))
    for hand in night.hands:
        assert hand.setup.outcomes[1:3] == ((3, 5), (2, 4))
        assert hand.settled


# Abandoned hands


def presses_after(acts: int) -> Meddler:
    """Return a function that presses the lid's key once, at the first pass after `acts` actions."""
    actions: list[Event] = []
    pressed: list[Event] = []

    def meddle(event: Event, plant: Plant) -> None:
        if event["event"] == "action_taken":
            actions.append(event)
            if len(actions) > acts and event["do"] == "pass" and not pressed:
                pressed.append(event)
                plant.people.press(plant.table.modules.keys.lid)

    return meddle


@pytest.mark.parametrize("table", slow_except(["auto_deal"], ["robotic", "auto_deal"]))
def test_the_lids_key_abandons_a_hand_and_the_match_does_not_change(table: str) -> None:
    night = spend("wenzhou", table, 2, meddler=presses_after(25))
    first, second = night.hands
    (abandoned,) = (event for event in night.events if event["event"] == "hand_abandoned")
    assert abandoned["dealer"] == 0
    assert first.settled is None and len(first.acts) < 40
    assert second.dealer == first.dealer == 0
    assert second.settled is not None and sum(second.settled["scores"]) == 0  # type: ignore[call-overload]
    assert sum(night.census.values()) == 136 * load_table(table).sets
    kept, after = replayed_evening(night.record, lambda game, _: house(game))
    assert kept.play.settlement is None and not any(kept.match.scores)
    assert [plain(score) for score in after.match.scores] == second.settled["scores"]


def presses_while_the_lid_closes(event: Event, plant: Plant) -> None:
    """Press the lid's key a second time while the lid closes over the second set."""

    def look() -> None:
        boxed = any(tiles for name, tiles in plant.census().items() if name.startswith("box"))
        again = look if boxed else lambda: plant.people.press(plant.table.modules.keys.lid)
        asyncio.get_running_loop().call_later(0.5, again)

    if (event["event"], event.get("under"), event.get("top")) == ("state", "gathering", "playing"):
        look()


@pytest.mark.parametrize("table", slow_except(["auto_deal"], ["robotic", "auto_deal"]))
def test_a_key_press_before_the_hand_does_not_abandon_it(table: str) -> None:
    night = spend("draw", table, 1, meddler=presses_while_the_lid_closes)
    (hand,) = night.hands
    assert hand.settled is not None
    assert not [event for event in night.events if event["event"] in UNEXPECTED]


# Repeatability


@pytest.mark.slow
def test_the_same_seed_plays_the_same_evening() -> None:
    assert (
        spend("filipino", "auto_deal", 2, seed=5).events
        == evening("filipino", "auto_deal", 2, 5).events
    )


@pytest.mark.slow
def test_without_play_no_action_is_recorded() -> None:
    night = spend("wenzhou", "auto_deal", 2, play=False)
    names = {str(event["event"]) for event in night.events}
    assert not names & {"action_taken", "settled", "hand_abandoned"}
    assert (night.record, night.daemon.match) == ([], None)
    assert [hand.dealer for hand in night.hands] == [0, 1]
