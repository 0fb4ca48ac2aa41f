"""The set-up of High Bone: a boneyard, a throw for the lead, and hands dealt tile by tile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.errors import IllegalSetupError
from rules.geometry import Boneyard, around
from rules.setup import Game, Script, Seating, throw
from rules.steps import Build, Packet, Ready

BONEYARD = Boneyard(28)
MOST_PLAYERS = 4


@dataclass(frozen=True)
class Parameters:
    """House rules.

    `tiles_each`: the number of tiles in a hand, which is the number of tricks.
    `equal_pips`: which of the heaviest tiles takes the trick, the first laid or the last.
    `stake`: the payment for each trick that the winner has more.
    """

    tiles_each: int = 5
    equal_pips: Literal["first", "last"] = "first"
    stake: int = 1

    def __post_init__(self) -> None:
        most = BONEYARD.count // MOST_PLAYERS
        if not 1 <= self.tiles_each <= most:
            raise IllegalSetupError(
                f"tiles_each must be 1 to {most}, because {BONEYARD.count} tiles make the hands of"
                f" {MOST_PLAYERS} players; got {self.tiles_each}."
            )
        if self.stake < 1:
            raise IllegalSetupError(f"stake must be at least 1; got {self.stake}.")


def script(seating: Seating, parameters: Parameters) -> Script:
    """Yield the table's steps from the shuffled set to the dealt hands."""
    yield Build(BONEYARD)

    (die,) = yield from throw(seating.dealer, 1, "throw for the lead")
    seats = around(seating.dealer, seating.players, "clockwise")
    leader = seats[(die - 1) % len(seats)]

    boneyard = iter(BONEYARD.places)
    for _ in range(parameters.tiles_each):
        for seat in around(leader, seating.players, "clockwise"):
            yield Packet(seat, (next(boneyard),))
    return Ready(begins=leader)


HIGH_BONE = Game(
    name="high_bone",
    title="High Bone",
    tiles_name="dominoes_28",
    players=(2, 3, 4),
    parameters=Parameters,
    script=script,
    seats=MOST_PLAYERS,
)
