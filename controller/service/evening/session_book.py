"""The present session: its players, its hands, its scores and its records, from the events.

The rules and the events number seats. People at the table say a name or a wind, so the book puts
these into sentences. After each hand it computes the debts between the players.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

from controller.events import Event, EventName
from controller.service.evening.evening_programme import hand_of
from controller.service.evening.evening_store import EveningStore
from controller.service.evening.game_choices import PlannedGame
from controller.service.status import (
    RESULTS,
    Debt,
    GameChoice,
    HandResult,
    PaymentStatus,
    RevealStatus,
    SeatStatus,
    SessionStatus,
)
from rules.records.record import NEVER_CORRECTED, is_result, result_line

EVENTS_KEPT = 5000
"""Number of events of one round that are kept for its record."""


class Writes(Protocol):
    """Runs a write to the store, now or in a thread, in the order of the calls."""

    def __call__(
        self, work: Callable[[EveningStore], None], done: Callable[[], None] = ...
    ) -> None:
        """Run `work`; `done` is called when it is on disk."""


@dataclass
class _Round:
    """The lines and events of the round in progress; `hand` is its number in the session."""

    hand: int = 0
    lines: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    settled: Event | None = None
    """The settlement of the hand, or the report of its result."""
    abandoned: bool = False
    chance: RevealStatus | None = None


@dataclass(frozen=True)
class _Seated:
    """The dealer of a hand, and the players by seat."""

    dealer: int
    names: dict[int, str]


class SessionBook:
    """The book of one session. `writes` stores what has to survive a restart.

    A session is kept from its beginning; a hand is stored when its round is over. A round that is
    reported twice, because a resumed run repeats it, is stored once.
    """

    def __init__(
        self,
        session: str,
        game: PlannedGame,
        names: Mapping[int, str],
        writes: Writes,
        *,
        started: str | None = None,
        results: tuple[HandResult, ...] = (),
        moves: Iterable[tuple[int, tuple[int, ...]]] = (),
    ) -> None:
        self.id = session
        self.game = game
        self.ending = False
        self.chosen: GameChoice | None = None
        """The game that people have chosen for the next shuffle, until its first round begins."""
        self.hand = 0
        """The number of the present round in the session; 0 before the first one."""
        self.dealer = game.orders.dealer
        self.names: dict[int, str] = {seat: name for seat, name in names.items() if name}
        self.started = started or datetime.now(UTC).isoformat(timespec="seconds")
        self._writes = writes
        self._results = list(results)
        self._moves = list(moves)
        """The new seats of all players at each draw, with the number of hands before it."""
        self._stored = len(self._results)
        """Number of results that are on disk: clients see no other."""
        self._round = _Round()
        self.settled: dict[int, Event] = {}
        """Settlements of hands that the journal has from before a restart, by hand."""
        self._seated: dict[int, _Seated] = {}
        """The dealer and the players of each hand of this run of the program."""
        self._keep("")

    # Changes by people

    def name_players(self, names: Mapping[int, str]) -> None:
        """Name players by seat; an empty name removes one."""
        self.names = {seat: name for seat, name in {**self.names, **names}.items() if name.strip()}
        self._keep("")

    def change_game(self, game: PlannedGame) -> None:
        """Note that the next round is of this game."""
        self.game = game
        self._keep("")

    def end(self) -> None:
        """Note the end of the session."""
        self._keep(datetime.now(UTC).isoformat(timespec="seconds"))

    # Events

    def record_line(self, line: str) -> None:
        """Take a line of the record of the play; reported results come as events."""
        if not is_result(line):
            self._round.lines.append(line)

    def update(self, event: Event) -> None:
        """Take an event of the table."""
        if len(self._round.events) < EVENTS_KEPT:
            self._round.events.append(event)
        match event:
            case {"event": EventName.SETTLED}:
                self._round.settled = event
            case {"event": EventName.HAND_ABANDONED}:
                self._round.abandoned = True
            case {"event": EventName.RESULT_REPORTED, "hand": str(hand)}:
                self._report(hand_of(hand)[1], event)
            case {"event": EventName.CHANCE_REVEALED, "record": dict(record)}:
                facts = {key: record[key] for key in RevealStatus.model_fields}
                self._reveal(RevealStatus.model_validate(facts))
            # A run that was killed during the move announces the same draw again.
            case {"event": EventName.SEATS_DRAWN, "moves": list(moves)} if (
                drawn := (self.rounds, tuple(moves))
            ) not in self._moves:
                self.names = {moves[seat]: name for seat, name in self.names.items()}
                self._moves.append(drawn)
                self._keep("")

    def begin_round(self, hand: int | None) -> int:
        """Begin the record of a round: of the next hand, or of a hand that a resumed run repeats.

        Returns the number of the hand.
        """
        number = self.rounds + 1 if hand is None else hand
        self.hand = number
        self._round = _Round(number, settled=self.settled.get(number))
        return number

    def end_round(self) -> HandResult | None:
        """Store the round that is over; returns its result, None if it was stored before."""
        ended, self._round = self._round, _Round()
        number = ended.hand
        if not number or any(result.number == number for result in self._results):
            return None
        self._seated[number] = _Seated(self.dealer, dict(self.names))
        result = _result(number, self.game, ended, self.scores, self.described, self.in_words)
        result = result.model_copy(update={"chance": ended.chance})
        self._results.append(result)
        lines, events = ended.lines, ended.events
        choice = self.game.choice.model_dump(mode="json")
        facts = {**result.model_dump(mode="json"), "choice": choice}
        over = self.rounds

        def stored() -> None:
            self._stored = max(self._stored, over)

        self._writes(lambda store: store.put_hand(self.id, number, facts, lines, events), stored)
        self._keep("")
        return result

    def _report(self, number: int, event: Event) -> None:
        """Take the reported result of a hand; it replaces an earlier one and is stored."""
        if self._round.hand == number:
            self._round.settled = event
            return
        at = next((at for at, each in enumerate(self._results) if each.number == number), None)
        if at is None:
            self.settled[number] = event
            return
        before = self._gains(self._results[:at], now=True)
        seated = self._seated.get(number, _Seated(-1, self.names))
        fresh = _result(
            number,
            self.game,
            _Round(number, settled=event),
            tuple(before.values()),
            lambda seat: self._name_and_wind(seat, seated) or f"Seat {seat}",
            lambda sentence: with_names(sentence, lambda seat: self._name_and_wind(seat, seated)),
        )
        kept = {"chance": self._results[at].chance, "game": self._results[at].game}
        self._results[at] = fresh.model_copy(update=kept)
        for later in range(at, len(self._results)):
            scores = tuple(self._gains(self._results[: later + 1]).values())
            self._results[later] = self._results[later].model_copy(update={"scores": scores})
        reported: Any = event
        line = result_line(reported["result"], reported.get("dealt_as", NEVER_CORRECTED))
        for each in self._results[at:]:
            facts = each.model_dump(mode="json", exclude={"chance"})
            own = line if each.number == number else None
            write = partial(EveningStore.put_result, session=self.id, number=each.number)
            self._writes(partial(write, result=facts, line=own))
        self._keep("")

    def _reveal(self, chance: RevealStatus) -> None:
        """Add the revealed share to its hand, which is stored already if the table followed it."""
        if self._round.hand or not self._results or self._results[-1].chance is not None:
            self._round.chance = chance
            return
        last = self._results[-1] = self._results[-1].model_copy(update={"chance": chance})
        facts = chance.model_dump(mode="json")
        self._writes(lambda store: store.put_reveal(self.id, last.number, facts))

    # Reading

    @property
    def rounds(self) -> int:
        """Number of rounds that are over."""
        return len(self._results)

    @property
    def last_result(self) -> HandResult:
        """The result of the last round that is over."""
        return self._results[-1]

    @property
    def balances(self) -> dict[int, float]:
        """The gain of each seat in all hands of the session."""
        return self._gains(self._results, now=True)

    def _gains(self, results: Sequence[HandResult], *, now: bool = False) -> dict[int, float]:
        """The gain of each seat after these first hands of the session.

        Players who move to other seats take their gains along; `now` includes a move after the last
        of these hands.
        """
        gains = dict.fromkeys(range(self.game.seats), 0.0)
        for hand in range(len(results) + now):
            for drawn, moves in self._moves:
                if drawn == hand and len(moves) == len(gains):
                    gains = {moves[seat]: gain for seat, gain in gains.items()}
            for payment in results[hand].payments if hand < len(results) else ():
                if payment.payer in gains:
                    gains[payment.payer] -= payment.amount
                if payment.payee in gains:
                    gains[payment.payee] += payment.amount
        return {seat: gains[seat] for seat in range(self.game.seats)}

    @property
    def scores(self) -> tuple[float, ...]:
        """The gain of each seat, by seat."""
        return tuple(self.balances.values())

    def status(self, tiles: Mapping[int, int]) -> SessionStatus:
        """The session for the status; `tiles` are the numbers of dealt tiles by seat.

        A hand and its payments are shown when they are stored.
        """
        results = self._results[: self._stored]
        game = self.game
        return SessionStatus(
            id=self.id,
            started=self.started,
            game=game.orders.game.name,
            title=game.orders.game.title,
            rounds=len(results),
            ending=self.ending,
            follow_play=game.orders.follow == "play",
            follow=game.orders.follow,
            seats=self.seats_of(0, tiles),
            results=tuple(results[-RESULTS:]),
            debts=debts_of(
                {self.player(seat): gain for seat, gain in self._gains(results, now=True).items()}
            ),
        )

    def seats_of(
        self, number: int, tiles: Mapping[int, int] | None = None
    ) -> tuple[SeatStatus, ...]:
        """The seats of a hand with its players and winds; the present ones if it is not known.

        `tiles` are the numbers of dealt tiles by seat. The scores are the present ones.
        """
        seated = self._seated.get(number, _Seated(self.dealer, self.names))
        gains = self._gains(self._results[: self._stored], now=True)
        return tuple(
            SeatStatus(
                seat=seat,
                wind=self.game.wind(seat, seated.dealer),
                name=seated.names.get(seat, ""),
                dealer=seat == seated.dealer,
                tiles=(tiles or {}).get(seat, 0),
                score=gains[seat],
            )
            for seat in range(self.game.seats)
        )

    def player(self, seat: int) -> str:
        """The player's name, or the seat in words: a wind would change with the dealer."""
        return self.names.get(seat) or f"seat {seat}"

    def described(self, seat: int) -> str:
        """The player of a seat in the present hand: name and wind, or the seat in words."""
        return self._name_and_wind(seat) or f"Seat {seat}"

    def in_words(self, sentence: str, hand: int = 0) -> str:
        """A sentence with names and winds in place of the seats' numbers.

        They are those of the present hand, or of an earlier one with this number.
        """
        seated = self._seated.get(hand)
        return with_names(sentence, lambda seat: self._name_and_wind(seat, seated))

    def _name_and_wind(self, seat: int, seated: _Seated | None = None) -> str:
        """The name, the wind or both; empty without them and for a seat without a player.

        `seated` are the dealer and the players of an earlier hand; its dealer -1 is not known.
        """
        if seat >= self.game.seats:
            return ""
        at = seated or _Seated(self.dealer, self.names)
        wind = "" if at.dealer < 0 else self.game.wind(seat, at.dealer)
        name = at.names.get(seat, "")
        return f"{name} ({wind})" if name and wind else name or wind

    def _keep(self, ended: str) -> None:
        choice: GameChoice = self.game.choice
        facts: dict[str, Any] = {
            "choice": choice.model_dump(mode="json"),
            "names": {str(seat): name for seat, name in self.names.items()},
            "title": self.game.orders.game.title,
            "rounds": self.rounds,
            "moves": [[hands, list(moves)] for hands, moves in self._moves],
            "scores": list(self.scores),
        }
        name, started = self.game.orders.game.name, self.started
        self._writes(lambda store: store.put_session(self.id, started, ended, name, facts))


def _result(
    number: int,
    game: PlannedGame,
    ended: _Round,
    scores: tuple[float, ...],
    described: Callable[[int], str],
    in_words: Callable[[str], str],
) -> HandResult:
    settled, title = ended.settled, game.orders.game.name
    if settled is None:
        sentence = "The hand was abandoned." if ended.abandoned else "The round is over."
        return HandResult(
            number=number, game=title, sentence=sentence, scores=scores, abandoned=ended.abandoned
        )
    facts: dict[str, Any] = dict(settled)
    payments = tuple(
        PaymentStatus(
            payer=_seat(each["from"]),
            payee=_seat(each["to"]),
            amount=each["amount"],
            why=in_words(each["why"]),
        )
        for each in facts["payments"]
    )
    gains = list(scores) or [0.0] * game.seats
    for payment in payments:
        if payment.payer is not None and payment.payer < len(gains):
            gains[payment.payer] -= payment.amount
        if payment.payee is not None and payment.payee < len(gains):
            gains[payment.payee] += payment.amount
    counted: bool = facts.get("counted", True)
    times = f", times {facts['multiplier']}" if counted and facts["multiplier"] != 1 else ""
    winner = facts["winner"]
    who = "" if winner is None else f"{described(winner)} wins: "
    return HandResult(
        number=number,
        game=title,
        sentence=f"{who}{facts['name']}{times}.",
        winner=winner,
        payments=payments,
        reasons=tuple(map(in_words, facts["reasons"])),
        scores=tuple(gains),
        result=facts.get("result"),
        by=facts.get("by", ""),
        counted=counted,
    )


def _seat(named: object) -> int | None:
    """The seat of a payment's end; None for the house."""
    return named if isinstance(named, int) else None


def debts_of(balances: Mapping[str, float]) -> tuple[Debt, ...]:
    """The payments that settle these balances, by name; gains are positive.

    The largest debtor pays the largest creditor first. With n players there are at most n - 1
    payments. A balance that is not settled by players (the house) leaves a rest.
    """
    owed = sorted(((name, gain) for name, gain in balances.items() if gain > 0), key=_by_amount)
    owing = sorted(((name, -gain) for name, gain in balances.items() if gain < 0), key=_by_amount)
    debts = []
    while owed and owing:
        (creditor, due), (debtor, owes) = owed.pop(), owing.pop()
        amount = min(due, owes)
        debts.append(Debt(debtor=debtor, creditor=creditor, amount=amount))
        if due > amount:
            owed = sorted([*owed, (creditor, due - amount)], key=_by_amount)
        if owes > amount:
            owing = sorted([*owing, (debtor, owes - amount)], key=_by_amount)
    return tuple(debts)


def _by_amount(balance: tuple[str, float]) -> tuple[float, str]:
    return balance[1], balance[0]


_SEATS = re.compile(r"\b[Ss]eat (\d\b(?:(?:, | or | and )\d\b)*)(?=[.;:]|$)|\b[Ss]eat (\d)\b")
"""`seat 2`, and at the end of a clause `seat 0, 1 or 2`."""


def with_names(sentence: str, described: Callable[[int], str]) -> str:
    """The sentence with each seat's player in place of its number.

    `described` returns the player of a seat in words, or an empty text for a seat that has neither
    a name nor a wind; such a seat keeps its number.
    """

    def seat(number: re.Match[str]) -> str:
        return described(int(number[0])) or f"seat {number[0]}"

    def seats(found: re.Match[str]) -> str:
        numbers = found[1] or found[2]
        if not any(described(int(each)) for each in re.findall(r"\d", numbers)):
            return found[0]
        return re.sub(r"\d", seat, numbers)

    return _SEATS.sub(seats, sentence)
