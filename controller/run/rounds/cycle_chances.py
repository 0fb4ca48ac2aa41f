"""The random choices of a run's shuffle cycles, each journalled before it is used (R4).

A cycle begins with the machine's share, whose commitment is published. Players add their shares
until the choices of the cycle are drawn, when its set is shuffled. The next cycle begins at the
same time. The share is revealed after the round that is played with the set.

The journal has one intent for each cycle. Its notes have the share, sealed, then the players'
shares, then a digest of the choices; its outcome has the revealed share. A run that resumes
another one opens the sealed share and draws the same choices again.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from controller.events import EventName
from controller.run.chance.records import (
    MOST_SHARES,
    MOST_SHARES_OF_ONE,
    MOST_SHARES_OF_SEAT,
    UNBOUND,
    ChanceRefusedError,
    Choice,
    ChoiceRequest,
    CycleDraw,
    CycleRecord,
    PlayerShare,
)
from controller.run.chance.share_seal import SealBrokenError, ShareSeal
from controller.run.chance.source import ChanceSource, EntropyFailureError, OpenChance
from controller.run.faults.failures import Fault, TableFault
from controller.run.journal.notes import (
    ChoicesDrawn,
    PlayerShareAdded,
    ShareCommitted,
    last_of,
    notes_of,
)
from controller.run.run_state import RunState, Work

ACTIVITY = "chance"
PART = "random source"


@dataclass
class _Cycle:
    """A cycle in progress: its draw, its journal entry, and its choices once they are drawn.

    `added` counts the shares that this run has taken, by seat and person.
    """

    draw: CycleDraw
    work: Work
    choices: tuple[Choice, ...] = ()
    added: Counter[tuple[int, str]] = field(default_factory=Counter)


class CycleChances:
    """The cycles of one run.

    `open_source` opens the source of random shares by the device's name; `table` is the table's
    name, which with the serial number of its first board names the device. `requests` are the
    choices of each cycle; the machine commits itself to them together with its share.
    """

    def __init__(
        self,
        run_state: RunState,
        open_source: OpenChance,
        table: str,
        requests: Sequence[ChoiceRequest],
    ) -> None:
        self._requests = tuple(requests)
        self._run_state = run_state
        self._open_source = open_source
        self._table = table
        self._source: ChanceSource | None = None
        self._seal = ShareSeal(run_state.journal.path)
        self._next: _Cycle | None = None
        self._drawn: dict[int, _Cycle] = {}
        """The cycle of each set, by the set's number, from its draw to its reveal."""

    @property
    def next(self) -> CycleRecord | None:
        """The cycle that takes players' shares, without its secrets; None before the first one."""
        return None if self._next is None else self._next.draw.hidden()

    def of_set(self, tile_set: int) -> CycleRecord | None:
        """The cycle of a set, without its secrets; None before its draw and after its reveal."""
        cycle = self._drawn.get(tile_set)
        return None if cycle is None else cycle.draw.hidden()

    @property
    def last_drawn(self) -> CycleRecord | None:
        """The cycle that was drawn last, without its secrets; None after its reveal."""
        return next((cycle.draw.hidden() for cycle in reversed(self._drawn.values())), None)

    async def begin(self) -> None:
        """Commit to the share of the first cycle of the run, unless that has been done.

        The commitment is on disk when this returns. Raises TableFault.
        """
        if self._next is None:
            ahead = self._run_state.replay.ahead(ACTIVITY)
            number = self._run_state.journal.cycles + 1 if ahead is None else ahead.intent["cycle"]
            self._next = await self._commit(int(str(number)))

    def add_share(self, seat: int, text: str, by: str = "") -> CycleRecord:
        """Add a player's share to the next cycle; a later share of a seat is added too.

        `by` is the person who adds it. Places are limited for each seat, and for each person at a
        seat, so that one person cannot take the places of others. Returns the cycle. Raises
        ChanceRefusedError, and JournalError.
        """
        share, cycle = PlayerShare(seat, text), self._next
        if cycle is None:
            raise ChanceRefusedError("No cycle has begun; the first one begins with the tiles.")
        if len(cycle.draw.player_shares) >= MOST_SHARES:
            raise ChanceRefusedError(f"A cycle takes {MOST_SHARES} players' shares; it has them.")
        of_seat = sum(each.seat == seat for each in cycle.draw.player_shares)
        if of_seat >= MOST_SHARES_OF_SEAT:
            raise ChanceRefusedError(
                f"A cycle takes {MOST_SHARES_OF_SEAT} shares of one seat; seat {seat} has them."
            )
        if cycle.added[seat, by] >= MOST_SHARES_OF_ONE:
            raise ChanceRefusedError(
                f"A cycle takes {MOST_SHARES_OF_ONE} shares of one person for a seat; {by or 'one'}"
                f" has added them for seat {seat}. Wait for the next cycle."
            )
        cycle.added[seat, by] += 1
        cycle.work.record(PlayerShareAdded(share.seat, share.text))
        cycle.draw = replace(cycle.draw, player_shares=(*cycle.draw.player_shares, share))
        return cycle.draw.hidden()

    async def draw(self, tile_set: int) -> tuple[Choice, ...]:
        """Draw the choices of the cycle that begins with the shuffle of a set.

        The draw is on disk when this returns, and so is the commitment of the next cycle. Raises
        TableFault.
        """
        await self.begin()
        cycle = self._next
        assert cycle is not None
        cycle.choices = cycle.draw.draw()
        digest = _digest(cycle.choices)
        before = last_of(cycle.work.notes, ChoicesDrawn)
        if before is None:
            await cycle.work.note(ChoicesDrawn(digest))
        elif before.digest != digest:
            evidence = f"cycle {cycle.draw.cycle} has other choices than the journal has recorded"
            raise TableFault(Fault.CHANCE, PART, evidence)
        self._drawn[tile_set] = cycle
        self._next = await self._commit(cycle.draw.cycle + 1)
        return cycle.choices

    def reveal(self, tile_set: int) -> None:
        """Reveal the machine's share of the cycle of a set, after its round."""
        cycle = self._drawn.pop(tile_set, None)
        if cycle is None:
            return
        record = cycle.draw.revealed(cycle.choices)
        cycle.work({"reveal": record.reveal})
        if not cycle.work.done:
            self._run_state.events.emit(
                EventName.CHANCE_REVEALED, set=tile_set, record=record.facts()
            )
        self._run_state.end_work(cycle.work)

    async def _commit(self, number: int) -> _Cycle:
        """Begin a cycle: draw the machine's share, or open it if the journal has it."""
        run_state = self._run_state
        intent: dict[str, object] = {"do": "cycle", "cycle": number}
        work = await run_state.begin_work(ACTIVITY, intent, wait=False, write=False)
        kept = last_of(work.notes, ShareCommitted)
        if kept is not None:
            draw = self._opened(number, kept, work)
            if last_of(work.notes, ChoicesDrawn) is None:
                # The interrupted run can have ended between the journal and the event.
                self._emit(draw)
            return _Cycle(draw, work)
        device = self._device()
        try:
            if self._source is None:
                self._source = self._open_source(device)
            share = self._source.share(f"cycle {number}")
            sealed = self._seal.seal(self._source, device, number, share)
        except (EntropyFailureError, SealBrokenError, OSError) as failure:
            raise TableFault(Fault.CHANCE, PART, str(failure)) from failure
        draw = CycleDraw(device, number, share, requests=self._requests)
        await work.note(ShareCommitted(device, draw.commitment, sealed))
        self._emit(draw)
        return _Cycle(draw, work)

    def _emit(self, draw: CycleDraw) -> None:
        self._run_state.events.emit(
            EventName.CHANCE_COMMITTED, cycle=draw.cycle, commitment=draw.commitment
        )

    def _opened(self, number: int, kept: ShareCommitted, work: Work) -> CycleDraw:
        """The draw of a cycle that an earlier run has begun."""
        try:
            share = self._seal.open(kept.device, number, kept.sealed)
        except (SealBrokenError, OSError) as failure:
            raise TableFault(Fault.CHANCE, PART, str(failure)) from failure
        added = tuple(
            PlayerShare(note.seat, note.text) for note in notes_of(work.notes, PlayerShareAdded)
        )
        bound = CycleDraw(kept.device, number, share, added, self._requests)
        # A run that the program of release 0.2 has begun ends with the commitment of that version.
        for draw in (bound, replace(bound, version=UNBOUND)):
            if draw.commitment == kept.commitment:
                return draw
        evidence = (
            f"the commitment of cycle {number} in the journal is not that of its share and of the"
            f" choices of this table: the key {self._seal.name} belongs to another journal, or the"
            " table's `shuffle` was changed"
        )
        raise TableFault(Fault.CHANCE, PART, evidence)

    def _device(self) -> str:
        """The device's name: the table, and the serial number of its first board with one."""
        serials = self._run_state.journal.serials
        numbers = [serials[board] for board in sorted(serials) if serials[board]]
        return "/".join((self._table, *numbers[:1]))


def _digest(choices: Sequence[Choice]) -> str:
    """The hash of drawn choices, hexadecimal; the check among them makes it unpredictable."""
    facts = [[choice.request.name, list(choice.value)] for choice in choices]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()
