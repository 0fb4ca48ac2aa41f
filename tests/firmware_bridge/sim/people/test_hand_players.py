"""Tests that simulated players take up tiles, play them, and detect a wrong tile."""

from __future__ import annotations

from random import Random

import pytest

from config.layout.field import Field
from config.layout.staging import stage
from config.loader import load_game, load_table
from firmware_bridge.guide import HandToPlay
from firmware_bridge.sim.people.hand_players import HandPlayers
from firmware_bridge.sim.plant.on_table.felt import Felt
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError, Tile
from rules.games import rules_of
from rules.geometry import Place
from rules.steps import Packet, Replace
from tests.rules.hidden_hands import dealt

WENZHOU = rules_of("wenzhou")


class Round:
    """A hand of Wenzhou on a simulated felt; the test delivers the tiles itself."""

    def __init__(self, seed: int = 3) -> None:
        table, tile = load_table("robotic"), load_game("wenzhou").tile
        self.setup, faces = dealt("wenzhou", Random(seed))
        self.field = Field(table, tile)
        self.felt = Felt(self.field, 4)
        self.at: dict[Place, Tile] = {
            place: Tile(number, 0, face) for number, (place, face) in enumerate(faces.items())
        }
        self.racks = tuple(Holder(f"hand {seat}") for seat in range(4))
        self.hand_players = HandPlayers(self.felt, self.racks)
        for seat, places in self.setup.hands.items():
            self.felt.put_before(seat, [self.at[place] for place in places])
        self.match = WENZHOU.match(self.setup.parameters, 4, 0)
        staging = stage(self.setup.layout, table)
        self.dealt = HandToPlay(WENZHOU, self.setup, self.match, staging)
        self.hand_players.sit_down(self.dealt, self.at)
        self.play = WENZHOU.start(self.setup, {}, self.match)

    def act(self) -> tuple[Packet | Replace, ...]:
        """Let the next player act; return the tiles that the table must then deliver."""
        action = self.hand_players.next_action(self.play)
        before, self.play = self.play, self.play.apply(action)
        return WENZHOU.hands_over(self.setup, before, self.play)

    def act_until_a_draw(self) -> Packet:
        """Let players act until the table must deliver a tile from the wall."""
        while True:
            for step in self.act():
                assert isinstance(step, Packet)
                return step

    def faces(self, seat: int) -> list[str]:
        return sorted(tile.face for tile in self.racks[seat].tiles)


def test_the_players_take_up_their_dealt_tiles_face_down() -> None:
    here = Round()
    assert [len(rack) for rack in here.racks] == [17, 16, 16, 16]
    assert not here.felt.tiles
    assert not any(tile.up for rack in here.racks for tile in rack.tiles)
    for seat, places in here.setup.hands.items():
        assert here.faces(seat) == sorted(here.at[place].face for place in places)


def test_a_discard_lies_face_up_in_the_middle_and_in_front_of_no_seat() -> None:
    here = Round()
    here.act()
    (tile,) = here.felt.tiles
    assert tile.up and len(here.racks[0]) == 16
    assert not any(here.felt.hands().values())


def test_a_delivered_tile_is_taken_up_before_the_next_action() -> None:
    here = Round()
    draw = here.act_until_a_draw()
    tile = here.at[draw.places[0]]
    here.felt.put_before(draw.seat, [tile])
    assert tile not in here.racks[draw.seat].tiles
    here.act()
    assert here.felt.hands()[draw.seat] == []
    assert tile.holder in (here.racks[draw.seat], here.felt)


def test_a_wrong_tile_in_front_of_a_seat_is_an_error() -> None:
    here = Round()
    draw = here.act_until_a_draw()
    assert here.setup.ready is not None
    other = here.at[here.setup.ready.draws[5]]
    here.felt.put_before(draw.seat, [other])
    with pytest.raises(ImpossibleOrderError, match=f"Seat {draw.seat} must get .*, but got <tile"):
        here.act()


def test_the_right_tile_in_front_of_the_wrong_seat_is_an_error() -> None:
    here = Round()
    draw = here.act_until_a_draw()
    other = (draw.seat + 2) % 4
    here.felt.put_before(other, [here.at[draw.places[0]]])
    with pytest.raises(ImpossibleOrderError, match=f"Seat {other} must get no tile, but got <tile"):
        here.act()


def test_a_claimed_tile_is_taken_out_of_the_middle() -> None:
    for seed in range(20):
        here = Round(seed)
        while here.play.settlement is None:
            for step in here.act():
                places = step.places if isinstance(step, Packet) else (step.place,)
                here.felt.put_before(step.seat, [here.at[place] for place in places])
        here.hand_players.take_up_delivered()
        held = WENZHOU.held(here.hand_players.truth)
        assert [here.faces(seat) for seat in range(4)] == [sorted(hand) for hand in held]
        if any(len(hand) > 17 for hand in held) or len(here.felt.tiles) > 20:
            return


def test_players_who_hold_tiles_continue_their_hand() -> None:
    here = Round()
    here.act()
    assert here.hand_players.is_playing(here.dealt)


def test_players_who_pushed_their_tiles_in_do_not_continue_their_hand() -> None:
    here = Round()
    here.act()
    for rack in here.racks:
        for tile in list(rack.tiles):
            rack.take(tile)
    assert not here.hand_players.is_playing(here.dealt), (
        "players without tiles do not continue the hand"
    )


def test_an_answer_of_an_abandoned_hand_is_not_repeated_in_the_next_hand() -> None:
    """The set-ups of both hands are equal, and so are the plays that the table follows."""
    here = Round()
    answered = here.hand_players.next_action(here.play)
    here.hand_players.host_restarted()
    assert here.hand_players.next_action(here.play) == answered
    for rack in here.racks:
        for tile in list(rack.tiles):
            rack.take(tile)
    for tile in here.felt.tiles:
        here.felt.take(tile)
    held = [place for places in here.setup.hands.values() for place in places]
    other = here.at | dict(zip(held, [here.at[place] for place in reversed(held)], strict=True))
    for seat, places in here.setup.hands.items():
        here.felt.put_before(seat, [other[place] for place in places])
    here.hand_players.sit_down(here.dealt, other)
    here.hand_players.next_action(here.play)
    assert len(here.racks[0]) == 16, "seat 0 has discarded a tile of the new hand"
