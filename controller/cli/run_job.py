"""Everything that `wallwright run` settles before anything moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from config.schema import GameConfig, Table
from controller.cli.errors import BadInputError
from controller.orders import Orders
from rules.errors import RulesError
from rules.geometry import Seat
from rules.steps import Choose, Throw

if TYPE_CHECKING:
    from firmware_bridge.commissioning.device_keys import DeviceKeys
    from firmware_bridge.sim.faults.injection import InjectedFault

_OPTIONS = ("cut", "wall")
"""The questions that an option of the same name answers in every round."""
PINS = "gpio"
"""What stands for a port where a board is this machine's own pins."""


@dataclass(frozen=True)
class RunJob:
    """What to play, on which table, how often and how fast.

    `pace` is None as fast as can be, 1.0 in real time, or a factor. `ports` are the boards' own;
    without any the table is simulated, and `mishaps` go wrong at it.
    """

    table: Table
    config: GameConfig
    orders: Orders
    rounds: int
    until_ready: bool
    seed: int
    pace: float | None
    ports: dict[str, str]
    reveal: bool
    journal: Path | None
    journal_copy: Path | None = None
    injected_faults: tuple[InjectedFault, ...] = ()
    abandon: bool = False
    keys: DeviceKeys | None = None
    """The real boards' own."""
    emulated: bool = False
    """Whether simulated boards run the firmware itself."""

    @property
    def title(self) -> str:
        return f"{self.orders.game.title} on the table {self.table.name}"


def check_orders(orders: Orders, rounds: int) -> None:
    """Try throws and answers on the set-up of every round before anything moves.

    Raises RulesError or BadInput for those that cannot be used, naming the round if it is a later
    one, when another seat throws first. In a match anybody may deal the later ones.
    """
    players = orders.setup(orders.dealer).seating.players
    for number in range(players if orders.play and rounds > 1 else min(rounds, players)):
        dealer = (orders.dealer + number) % players
        try:
            _check_round(orders, dealer)
        except RulesError as error:
            if not number:
                raise
            when = "a later round" if orders.play else f"round {number + 1}"
            raise BadInputError(
                f"In {when}, when seat {dealer} throws first, this cannot be: {error}"
                f" Leave the option out, or give --rounds {1 if orders.play else number}."
            ) from error


def _check_round(orders: Orders, dealer: Seat) -> None:
    """As far as the given throws lead; those that are missing the table throws itself."""
    setup = orders.setup(dealer)
    throws = list(orders.throws)
    unasked = {what: told for what, told in orders.answers.items() if what in _OPTIONS}
    while (step := setup.pending) is not None:
        match step:
            case Throw() if not throws:
                break
            case Throw():
                setup = setup.apply(throws.pop(0))
            case Choose():
                unasked.pop(step.what, None)
                setup = setup.apply(orders.answers.get(step.what, step.default))
            case _:
                setup = setup.apply()
    if throws:
        spare = ",".join(str(face) for face in throws[0])
        count = "further throw" if setup.throws else "throw"
        raise BadInputError(f"{orders.game.title} takes no {count}; leave out --throw {spare}.")
    if isinstance(step, Throw) and unasked:
        option = next(iter(unasked))
        raise BadInputError(
            f"Whether this {option} can be chosen depends on the {step.why}; add --throw, or leave"
            f" out --{option}."
        )


def pace_of(speed: str | None, *, real: bool) -> float | None:
    """How fast time runs: None as fast as can be, 1.0 real, or a factor. Raises BadInput."""
    if speed is None:
        return 1.0 if real else None
    if real and speed != "real":
        raise BadInputError(
            f"Real boards keep real time; leave out --speed {speed}, or --port for a simulation."
        )
    match speed:
        case "virtual":
            return None
        case "real":
            return 1.0
    try:
        factor = float(speed)
    except ValueError:
        factor = 0.0
    if not 0 < factor < 1e6:
        raise BadInputError(f"'{speed}' is no speed; give virtual, real, or a factor such as 10.")
    return factor


def ports_of(table: Table, texts: Sequence[str]) -> dict[str, str]:
    """Each board's port; one port alone carries every board. Raises BadInput."""
    if any(board.kind == "gpio" for board in table.boards.values()):
        if any(text != PINS for text in texts):
            raise BadInputError(f"The table {table.name} hangs on GPIO pins; give --port {PINS}.")
        return dict.fromkeys(table.boards, PINS) if texts else {}
    if len(texts) == 1 and "=" not in texts[0]:
        return dict.fromkeys(table.boards, texts[0])
    ports: dict[str, str] = {}
    for text in texts:
        board, _, port = text.partition("=")
        if board not in table.boards or not port:
            names = " and ".join(f"--port {name}=PORT" for name in table.boards)
            raise BadInputError(f"--port {text} names no board of {table.name}; give {names}.")
        if board in ports:
            raise BadInputError(
                f"Board {board} has two ports, {ports[board]} and {port}; give one."
            )
        ports[board] = port
    missing = [name for name in table.boards if name not in ports]
    if texts and missing:
        raise BadInputError(f"Board {missing[0]} has no port; add --port {missing[0]}=PORT.")
    return ports
