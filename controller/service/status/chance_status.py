"""The part of the status that describes the machine's random choices: commitments and reveals.

It never contains a share that is not revealed.
"""

from __future__ import annotations

from pydantic import Field

from controller.service.status.choice import Value


class PlayerShareStatus(Value):
    """A text that the player at a seat has added to a cycle."""

    seat: int
    share: str
    code: str = Field(
        default="",
        description="A hash of the list of shares up to this one, by which its player proves it.",
    )


class CycleStatus(Value):
    """A shuffle cycle whose share is not revealed yet; `commitment` is the hash of the share."""

    cycle: int
    commitment: str
    player_shares: tuple[PlayerShareStatus, ...] = ()


class ChanceStatus(Value):
    """The cycle that takes players' shares, and the cycle of the set that is on the table."""

    next: CycleStatus | None = Field(
        default=None, description="Begins with the next shuffle; takes players' shares until then."
    )
    playing: CycleStatus | None = Field(
        default=None, description="Its choices are drawn; revealed after the round."
    )


class RevealStatus(Value):
    """The machine's share of the cycle of a round that is over, as hexadecimal text."""

    cycle: int
    commitment: str
    reveal: str
