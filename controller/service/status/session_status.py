"""The part of the status that describes the session: players, scores, results."""

from __future__ import annotations

from pydantic import Field

from controller.service.status.chance_status import RevealStatus
from controller.service.status.choice import Value

RESULTS = 20
"""Number of hand results that the status contains; the API pages through all of them."""


class SeatStatus(Value):
    """One seat of the present session: its wind in games with winds, its player, its score."""

    seat: int
    wind: str = Field(default="", description="East, South, West or North; empty without winds.")
    name: str = ""
    dealer: bool = False
    tiles: int = 0
    score: float = 0


class PaymentStatus(Value):
    """One payment of a settlement; `payer` and `payee` are seats, null is the bank or pot."""

    payer: int | None
    payee: int | None
    amount: float
    why: str


class HandResult(Value):
    """The result of one hand, with its reasons."""

    number: int
    game: str
    sentence: str
    winner: int | None = None
    payments: tuple[PaymentStatus, ...] = ()
    reasons: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    abandoned: bool = False
    chance: RevealStatus | None = Field(
        default=None, description="The revealed share of the round's random choices."
    )


class Debt(Value):
    """What one player owes another after all hands of the session."""

    debtor: str
    creditor: str
    amount: float


class SessionStatus(Value):
    """The present session: its game, its players, its scores and its last results."""

    id: str
    started: str
    game: str
    title: str
    rounds: int = 0
    ending: bool = Field(default=False, description="Whether the session ends after this round.")
    follow_play: bool = False
    seats: tuple[SeatStatus, ...] = ()
    results: tuple[HandResult, ...] = ()
    debts: tuple[Debt, ...] = ()
