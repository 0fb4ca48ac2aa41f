"""Rounds with falsifying boards: sound frames with wrong contents, at random moments.

A round may end by a fault of the table, because a board can send plausible wrong data. It must not
end by an error of the program or hang, and the renewal of a lease must not be late.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from config.loader import game_parameters, load_game, load_table
from controller.events import EventLog
from controller.run.assembly import daemon_for, simulated
from controller.run.faults.failures import TableFault
from controller.run.journal import Journal
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import seats_of
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.falsified_sessions import collect_errors
from firmware_bridge.sim.falsifying_board import (
    NOTHING_FALSIFIED,
    Falsification,
    FalsificationRates,
    FalsifyingBoard,
)
from rules.games import find_game

GAMES = (("robotic", "wenzhou"), ("pai_gow", "pai_gow"), ("auto_deal", "wenzhou"))
HANGS_AFTER = 40_000.0
"""Seconds of the table's clock after which a round counts as hung: every question that people can
be asked during pauses is answered within a minute, and their number is limited."""
LONGEST_GAP = 30.0
"""Longest time between two times of falsification, seconds."""
LONGEST_FALSIFICATION = 2.0
"""Longest time for which a board falsifies its messages, seconds."""
BURSTS = (1, 3, 30, 300, 3000)
"""Most messages of one burst; each round uses one of these."""
FRAME = 0.0007
"""Seconds that a frame takes on the line."""
_TOGETHER = 16
"""Messages that are inserted at one moment."""


@dataclass
class FalsifiedRounds:
    """The results: false messages by kind, ends of rounds, and the latest renewal of a lease."""

    counts: Counter[Falsification] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    breaches: Counter[str] = field(default_factory=Counter)
    late: float = 0.0
    """Longest time from the moment when a renewal was due until it was sent, seconds."""

    @property
    def messages(self) -> int:
        """The number of wrong messages."""
        return self.counts.total()

    async def play(self, seed: int, most: int | None = None) -> None:
        """Play one round with falsifying boards until it is ready to play or stops by a fault.

        `most` is the longest burst of inserted messages; by default one of `BURSTS`, at random.

        Raises TimeoutError for a round that hangs, and whatever error of the program occurs.
        """
        chance = Random(f"{seed}:false messages")
        table_name, game_name = chance.choice(GAMES)
        table, config = load_table(table_name), load_game(game_name)
        orders = Orders(find_game(game_name), game_parameters(config))
        hardware = simulated(table, config, orders.game, seats_of(orders.setup(0)), seed)
        assert isinstance(hardware.bench, Bench)
        boards = hardware.bench.falsify(chance, self.counts)
        bursts = asyncio.ensure_future(_falsify_at_times(tuple(boards.values()), chance, most))
        errors = collect_errors(asyncio.get_running_loop())
        log = EventLog(asyncio.get_running_loop().time)
        try:
            with Journal.in_memory("", {}) as journal:
                daemon = daemon_for(hardware, table, config, orders, journal, log)
                async with asyncio.timeout(HANGS_AFTER):
                    await daemon.run(1, until_ready=True)
                self.ends["ready"] += 1
        except TableFault as fault:
            self.ends[fault.fault.name] += 1
        finally:
            bursts.cancel()
            hardware.close()
            self.breaches.update(hardware.traffic().breaches)
            self.late = max(self.late, *(board.traffic.latest_urgent for board in hardware.serial))
        if errors:
            raise errors[0]


async def _falsify_at_times(
    boards: tuple[FalsifyingBoard, ...], chance: Random, most: int | None
) -> None:
    """Falsify messages of one board after the other, or insert messages; nothing in between.

    Messages are inserted at most as fast as the line carries them.
    """
    most = most or chance.choice(BURSTS)
    while True:
        await asyncio.sleep(chance.random() * LONGEST_GAP)
        board = chance.choice(boards)
        if chance.random() < 0.5:
            board.rates = FalsificationRates(chance.random() ** 2, chance.random() ** 2)
            await asyncio.sleep(chance.random() * LONGEST_FALSIFICATION)
            board.rates = NOTHING_FALSIFIED
            continue
        insert = chance.choice((board.insert_event, board.insert_frame))
        for number in range(chance.randint(1, most)):
            insert()
            if number % _TOGETHER == _TOGETHER - 1:
                await asyncio.sleep(_TOGETHER * FRAME)
