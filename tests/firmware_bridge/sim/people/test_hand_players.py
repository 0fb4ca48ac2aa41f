"""The company: they take their tiles up, play them, and notice a tile that is not theirs."""

from __future__ import annotations

from random import Random

import pytest

from config.layout.field import Field
from config.layout.staging import stage
from config.loader import load_game, load_table
from firmware_bridge.guide import HandToPlay
from firmware_bridge.sim.people.hand_players import Company
from firmware_bridge.sim.plant.felt import Felt
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from rules.games import rules_of
from rules.geometry import Place
from rules.steps import Packet, Replace
from tests.rules.hidden_hands import dealt

WENZHOU = rules_of("wenzhou")


class Round:
    """A hand on a felt that this test serves itself, and the table's own play of it."""

    def __init__(self, seed: int = 3) -> None:
        table, tile = load_table("robotic"), load_game("wenzhou").tile
        self.setup, faces = dealt("wenzhou", Random(seed))
        self.field = Field(table, tile)
        self.felt = Felt(self.field, 4)
        self.at: dict[Place, Tile] = {
            place: Tile(number, 0, face) for number, (place, face) in enumerate(faces.items())
        }
        self.racks = tuple(Holder(f"hand {seat}") for seat in range(4))
        self.company = Company(self.felt, self.racks)
        for seat, places in self.setup.hands.items():
            self.felt.put_before(seat, [self.at[place] for place in places])
        self.match = WENZHOU.match(self.setup.parameters, 4, 0)
        staging = stage(self.setup.layout, table)
        self.dealt = HandToPlay(WENZHOU, self.setup, self.match, staging)
        self.company.sit_down(self.dealt, self.at)
        self.play = WENZHOU.start(self.setup, {}, self.match)

    def acts(self) -> tuple[Packet | Replace, ...]:
        """Somebody acts; returns what the table owes for it."""
        action = self.company.acts(self.play)
        before, self.play = self.play, self.play.apply(action)
        return WENZHOU.hands_over(self.setup, before, self.play)

    def until_a_draw(self) -> Packet:
        """They go on until the table owes a tile from the wall."""
        while True:
            for step in self.acts():
                assert isinstance(step, Packet)
                return step

    def faces(self, seat: int) -> list[str]:
        return sorted(tile.face for tile in self.racks[seat].tiles)


def test_they_take_up_what_was_dealt_and_nobody_else_sees_it() -> None:
    here = Round()
    assert [len(rack) for rack in here.racks] == [17, 16, 16, 16]
    assert not here.felt.tiles
    assert not any(tile.up for rack in here.racks for tile in rack.tiles)
    for seat, places in here.setup.hands.items():
        assert here.faces(seat) == sorted(here.at[place].face for place in places)


def test_a_discard_lies_open_in_the_middle_before_nobody() -> None:
    here = Round()
    here.acts()
    (tile,) = here.felt.tiles
    assert tile.up and len(here.racks[0]) == 16
    assert not any(here.felt.hands().values())


def test_a_tile_that_came_is_taken_up_when_the_next_one_acts() -> None:
    here = Round()
    draw = here.until_a_draw()
    tile = here.at[draw.places[0]]
    here.felt.put_before(draw.seat, [tile])
    assert tile not in here.racks[draw.seat].tiles
    here.acts()
    assert here.felt.hands()[draw.seat] == []
    assert tile.holder in (here.racks[draw.seat], here.felt)


def test_a_wrong_tile_before_a_seat_is_noticed() -> None:
    here = Round()
    draw = here.until_a_draw()
    assert here.setup.ready is not None
    other = here.at[here.setup.ready.draws[5]]
    here.felt.put_before(draw.seat, [other])
    with pytest.raises(ImpossibleOrderError, match=f"Seat {draw.seat} was to get .*, and .* came"):
        here.acts()


def test_the_right_tile_before_the_wrong_seat_is_noticed() -> None:
    here = Round()
    draw = here.until_a_draw()
    other = (draw.seat + 2) % 4
    here.felt.put_before(other, [here.at[draw.places[0]]])
    with pytest.raises(ImpossibleOrderError, match=f"Seat {other} was to get nothing, and .* came"):
        here.acts()


def test_who_claims_takes_the_tile_out_of_the_middle() -> None:
    for seed in range(20):
        here = Round(seed)
        while here.play.settlement is None:
            for step in here.acts():
                places = step.places if isinstance(step, Packet) else (step.place,)
                here.felt.put_before(step.seat, [here.at[place] for place in places])
        here.company.take_what_came()
        held = WENZHOU.held(here.company.truth)
        assert [here.faces(seat) for seat in range(4)] == [sorted(hand) for hand in held]
        if any(len(hand) > 17 for hand in held) or len(here.felt.tiles) > 20:
            return


def test_told_again_of_their_hand_they_go_on_with_it() -> None:
    here = Round()
    here.acts()
    assert here.company.follows(here.dealt)


def test_who_has_pushed_his_tiles_in_begins_anew_even_with_the_same_set_up() -> None:
    here = Round()
    here.acts()
    for rack in here.racks:
        for tile in list(rack.tiles):
            rack.take(tile)
    assert not here.company.follows(here.dealt), "a hand that was given up is over"
