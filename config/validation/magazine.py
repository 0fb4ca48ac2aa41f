"""Validates the magazine: the way of a tile from its head, its board, and `shuffle`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from config.errors import Finding, Path
from config.schema import MotorChannel, Table

_PATH: Path = ("modules", "magazine")


def _shuffle(table: Table) -> Iterator[Finding]:
    if table.shuffle == "sorted" and table.modules.magazine is None:
        wrong = "needs a magazine, whose tiles the machine can take in any order ('sorted')"
        yield Finding(("shuffle",), wrong, "Add `modules.magazine`, or give `shuffle: drum`.")


def _only_head(table: Table) -> Iterator[Finding]:
    """Checks that every tile of the set comes to the magazine, and leaves it into a stack.

    With two heads the drum would determine on which side of the table a tile comes out.
    """
    modules = table.modules
    if modules.magazine is None or modules.heads is None:
        return
    ports: Path = ("modules", "heads", "ports")
    if len(modules.heads.ports) != 1:
        wrong = f"must be one head for a magazine ({len(modules.heads.ports)} heads)"
        yield Finding(ports, wrong, "Give one head for all trays, with a chain if there are more.")
    for at, head in enumerate(modules.heads.ports):
        for key in ("face", "full"):
            if (sensor := getattr(head, key)) is not None:
                wrong = f"watches the place between the counter and the magazine ('{sensor}')"
                yield Finding((*ports, at, key), wrong, "Leave it out: no tile waits there.")
    if modules.lanes is not None:
        wrong = "cannot fill hand lanes, which branch off before it"
        yield Finding(_PATH, wrong, "Leave `modules.lanes` or the magazine out.")


def _one_board(table: Table) -> Iterator[Finding]:
    """Checks that the board that drives a motor also counts the edges that stop it."""
    magazine = table.modules.magazine
    if magazine is None:
        return
    pairs = (
        ("vane", magazine.motor),
        ("home", magazine.motor),
        ("withdrawn", magazine.ejector),
        ("passed", magazine.ejector),
    )
    for key, motor in pairs:
        sensor, board = getattr(magazine, key), table.board_of(motor)
        if table.board_of(sensor) != board:
            wrong = f"is on board '{table.board_of(sensor)}', but '{motor}' is on '{board}'"
            cure = f"Wire it to '{board}', which stops the motor at its edge."
            yield Finding((*_PATH, key), f"{wrong} ('{sensor}')", cure)


def _turns_freely(table: Table) -> Iterator[Finding]:
    """Checks that the carousel turns both ways, past every pocket."""
    magazine = table.modules.magazine
    if magazine is None:
        return
    board = table.board_of(magazine.motor)
    motor = table.boards[board].channels[magazine.motor]
    path: Path = ("boards", board, "channels", magazine.motor)
    assert isinstance(motor, MotorChannel)
    if motor.reverse_pin is None:
        wrong = f"turns the magazine one way only ('{magazine.motor}')"
        yield Finding(path, wrong, "Give a `reverse_pin`.")
    for key in ("forward_stop", "reverse_stop"):
        if (switch := getattr(motor, key)) is not None:
            wrong = f"stops the magazine, which turns past every pocket ('{switch}')"
            yield Finding((*path, key), wrong, "Leave it out.")


CHECKS: tuple[Callable[[Table], Iterator[Finding]], ...] = (
    _shuffle,
    _only_head,
    _one_board,
    _turns_freely,
)
