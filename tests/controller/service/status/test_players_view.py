"""Players do not receive the order of mixed discards, their seats, or the source of a set (W18)."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.events.lookups import HIDDEN_IF_MIXED
from controller.run.daemon import Daemon
from controller.run.ledger import Ledger
from controller.service.status import (
    OpenPrompt,
    RoundStatus,
    SceneStatus,
    SeatStatus,
    SessionStatus,
    Status,
    TableFacts,
)
from controller.service.status.players_view import (
    TAKE_BACK,
    PlayersEvents,
    players_status,
    sees_all,
)
from controller.service.tracking.round_view import OpenTilesView, players_picture
from controller.service.user_roles import UserRole
from rules.games import rules_of
from rules.open_tiles import OpenTiles, mixed, tiles_before
from rules.setup import Setup
from rules.steps import Packet
from tests.rules.hidden_hands import dealt

FACTS = TableFacts(name="bench", seats=4, simulated=True, software="0")
Script = list[tuple[int, str, int | None]]
"""Discards of a hand: the seat, the face, and the seat that claims it as a pong."""
ONE: Script = [
    (0, "1m", None),
    (1, "5p", 3),
    (3, "2m", None),
    (0, "3m", None),
    (1, "4m", None),
    (2, "7p", 3),
    (3, "9s", None),
]
OTHER_SOURCES: Script = [
    (0, "1m", None),
    (1, "4m", None),
    (2, "5p", 3),
    (3, "2m", None),
    (0, "3m", None),
    (1, "7p", 3),
    (3, "9s", None),
]
OTHER_ORDER: Script = [
    (0, "9s", None),
    (1, "5p", 3),
    (3, "1m", None),
    (0, "4m", None),
    (1, "3m", None),
    (2, "7p", 3),
    (3, "2m", None),
]


@dataclass
class HandAtATable:
    """A hand that a table follows, and its ledger, without the machine."""

    game: str
    setup: Setup
    play: Any
    begun: Any
    ledger: Ledger
    taken: list[tuple[Any, Any]] = field(default_factory=list)
    drawn: list[Any] = field(default_factory=list)

    @classmethod
    def begin(cls, game: str, seed: int, *, known: bool = False, **house: Any) -> HandAtATable:
        """A dealt hand; the table has read no tile unless they are `known`."""
        rules = rules_of(game)
        usual = dealt(game, Random(seed))[0].parameters
        setup, tiles = dealt(game, Random(seed), parameters=replace(usual, **house))
        play = rules.start(setup, tiles if known else {})
        tiles_of_set = setup.layout.count
        ledger = Ledger.of(1, tiles_of_set).gathered(0).built(0, tiles_of_set)
        ledger = ledger.raised(0, setup.layout.places)
        for seat, places in setup.hands.items():
            ledger = ledger.delivered(0, seat, places)
        return cls(game, setup, play, play, ledger)

    def act(self, action: Any) -> None:
        """Take an action and hand its tiles out."""
        after = self.play.apply(action)
        for step in rules_of(self.game).hands_over(self.setup, self.play, after):
            places = step.places if isinstance(step, Packet) else (step.place,)
            self.ledger = self.ledger.delivered(0, step.seat, places)
            self.drawn += places
        self.play = after
        self.taken.append((action, after))

    def do(self, seat: int, text: str) -> None:
        """Take an action given as text."""
        self.act(rules_of(self.game).parse(seat, text))

    def follow(self, script: Script) -> HandAtATable:
        """Play a script, up to the next draw."""
        for seat, face, claimant in script:
            self.draw_if_due()
            self.do(seat, f"discard {face}")
            for asked in tuple(self.play.to_act):
                if asked in self.play.to_act:
                    self.do(asked, "pong" if asked == claimant else "pass")
        self.draw_if_due()
        return self

    def draw_if_due(self) -> None:
        """Draw if the seat that acts has to draw."""
        (seat,) = self.play.to_act
        if any(str(each) == "draw" for each in self.play.legal_actions):
            self.do(seat, "draw")

    @property
    def open_tiles(self) -> OpenTiles:
        return rules_of(self.game).open_tiles(self.begun, self.taken)

    @property
    def daemon(self) -> Daemon:
        """As much of a daemon as the picture reads."""
        house = rules_of(self.game).mixes_discards(self.setup.parameters)
        hand = SimpleNamespace(
            open_tiles=self.open_tiles,
            mixes_discards=house,
            drawn=tuple(self.drawn),
            to_act=self.play.to_act,
        )
        run_state, deal = SimpleNamespace(ledger=self.ledger), SimpleNamespace(setup=self.setup)
        return cast("Daemon", SimpleNamespace(hand=hand, run_state=run_state, deal=deal))

    @property
    def status(self) -> Status:
        """The whole status, as the dealer receives it."""
        top, daemon = self.ledger.sets[0], self.daemon
        places = {str(place): "wall" for place in top.standing}
        for seat, hand in top.hands.items():
            places |= {str(place): f"seat {seat}" for place in hand}
        scene = SceneStatus(places=places)
        seats = tuple(SeatStatus(seat=seat, tiles=len(top.hands[seat])) for seat in range(4))
        on_table = RoundStatus(
            set=0,
            dealer=0,
            phase="playing",
            acts=len(self.taken),
            to_act=self.play.to_act,
            open_tiles=OpenTilesView().status(self.open_tiles),
            mixed_discards=daemon.hand is not None and daemon.hand.mixes_discards,
        )
        return Status(
            table=FACTS,
            round=on_table,
            scene=scene,
            session=SessionStatus(id="s1", started="", game=self.game, title="", seats=seats),
            players=players_picture(daemon, scene),
        )

    def seen_by_players(self) -> str:
        """The status that players receive, as JSON."""
        return players_status(self.status).model_dump_json()


def test_W18_hands_that_differ_in_order_and_source_only_give_players_equal_bytes() -> None:
    first = HandAtATable.begin("wenzhou", 3).follow(ONE)
    others = [
        HandAtATable.begin("wenzhou", 3).follow(each) for each in (OTHER_SOURCES, OTHER_ORDER)
    ]
    seen = json.loads(first.seen_by_players())
    assert seen["round"]["open_tiles"]["pool"] == ["1m", "2m", "3m", "4m", "9s"]
    assert [each["name"] for each in seen["round"]["open_tiles"]["sets"]] == ["pong", "pong"]
    for other in others:
        assert other.seen_by_players() == first.seen_by_players()
        assert other.status.model_dump_json() != first.status.model_dump_json()


def test_a_house_with_rows_shows_players_the_order_and_the_source() -> None:
    hand = HandAtATable.begin("wenzhou", 3, discards="in_rows").follow(ONE)
    status = hand.status
    assert status.players is None
    assert players_status(status) is status
    seen = json.loads(hand.seen_by_players())["round"]["open_tiles"]
    assert [each["face"] for each in seen["played"]] == ["1m", "2m", "3m", "4m", "9s"]
    assert [each["source"] for each in seen["sets"]] == [1, 2]


@given(
    st.sampled_from(["wenzhou", "filipino"]),
    st.integers(0, 10_000),
    st.integers(0, 110),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60)
def test_no_value_of_a_random_hand_states_order_seat_or_source(
    game: str, seed: int, acts: int, chance: Random
) -> None:
    hand = HandAtATable.begin(game, seed, known=True)
    rules = rules_of(game)
    while hand.play.settlement is None and len(hand.taken) < acts:
        seat = chance.choice(hand.play.to_act)
        own = [each for each in hand.play.legal_actions if each.seat == seat]
        often = chance.random() < 0.6
        hand.act(rules.sensible(hand.play, seat) if often else chance.choice(own))
    tiles = hand.open_tiles
    played = [replace(each, seat=chance.randrange(4)) for each in tiles.played]
    sets = [
        replace(each, source=None if each.source is None else chance.randrange(4), claimed=None)
        for each in tiles.sets
    ]
    chance.shuffle(played)
    chance.shuffle(sets)
    assert mixed(OpenTiles(tuple(played), tuple(sets), tiles.facts)) == mixed(tiles)

    seen = players_status(hand.status)
    assert seen.round is not None and seen.round.open_tiles is not None
    assert seen.session is not None
    assert not seen.round.open_tiles.played
    assert {(each.claimed, each.source) for each in seen.round.open_tiles.sets} <= {(None, None)}
    # Every tile is somewhere, and each seat has as many tiles as lie before it.
    delivered = {seat: len(held) for seat, held in hand.ledger.sets[0].hands.items()}
    before = tiles_before(tiles, delivered)
    count = Counter(value for value in seen.scene.places.values() if value != "wall")
    assert count["pool"] == len(seen.round.open_tiles.pool) == len(tiles.played)
    assert {seat: count[f"seat {seat}"] for seat in before} == before
    assert {each.seat: each.tiles for each in seen.session.seats} == before
    assert list(seen.scene.places) == sorted(seen.scene.places)
    if hand.play.settlement is None:
        held = {seat: len(each) for seat, each in enumerate(rules.held(hand.play))}
        offered = hand.taken[-1][0].seat if hand.taken else None
        assert all(before[seat] == held[seat] for seat in held if seat != offered)


def test_the_dealers_prompt_of_actions_taken_back_names_them_to_the_dealer_only() -> None:
    hand = HandAtATable.begin("wenzhou", 3).follow(ONE)
    prompt = OpenPrompt(
        id="p1",
        kind="step",
        role=UserRole.DEALER,
        code=TAKE_BACK,
        text="Seat 3 takes 9s back.",
        seats=(3,),
        lit=("w1.2u",),
    )
    status = hand.status.model_copy(update={"prompts": (prompt,)})
    (seen,) = players_status(status).prompts
    assert "9s" not in seen.model_dump_json() and "w1.2u" not in seen.model_dump_json()
    assert seen.id == prompt.id


@pytest.mark.parametrize("mode", ["playing", "paused", "servicing", ""])
def test_events_of_a_mixed_hand_stay_with_the_dealer_also_in_a_pause(mode: str) -> None:
    status = HandAtATable.begin("wenzhou", 3).follow(ONE).status
    events = PlayersEvents()
    admitted = events.admits({"event": "state", "under": "staged", "top": "dealing"}, status)
    assert admitted and events.admits({"event": "delivered"}, status)
    if mode:
        events.admits({"event": "state", "under": "staged", "top": mode}, status)
    else:
        events = PlayersEvents()
    for name in HIDDEN_IF_MIXED:
        assert not events.admits({"event": name}, status)
    assert events.admits({"event": "settled"}, status)
    assert events.admits({"event": "delivered"}, Status(table=FACTS))


def test_the_dealer_and_the_roles_above_see_all() -> None:
    assert {role for role in UserRole if sees_all(role)} == {
        UserRole.DEALER,
        UserRole.ATTENDANT,
        UserRole.TECHNICIAN,
        UserRole.AUDITOR,
    }
