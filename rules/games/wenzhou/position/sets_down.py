"""Sets laid down: chows, pongs and kongs. The source of the claimed tile is not recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.errors import RulesError
from rules.games.wenzhou.wins.caishen import Caishen
from rules.tiles import Face


@dataclass(frozen=True, slots=True)
class SetDown:
    """A set laid down (W19, W21). `concealed` is true for a kong of four own tiles (E17, E19)."""

    what: Literal["chow", "pong", "kong"]
    faces: tuple[Face, ...]
    concealed: bool = False

    def __str__(self) -> str:
        return f"{'concealed ' * self.concealed}{self.what} {' '.join(self.faces)}"


def set_down(faces: tuple[Face, ...], caishen: Caishen, *, concealed: bool = False) -> SetDown:
    """The set that these tiles form.

    Raises RulesError if they form no set, or if a caishen is among them (W21, E20).
    """
    wild = [face for face in faces if caishen.is_caishen(face)]
    if wild:
        raise RulesError(f"'{wild[0]}' is a caishen and cannot be laid down in a set (W21).")
    kinds = sorted(caishen.kind_of(face) for face in faces)
    if len(set(kinds)) == 1 and len(kinds) in (3, 4):
        return SetDown("pong" if len(kinds) == 3 else "kong", faces, concealed)
    if len(kinds) == 3 and is_run(kinds):
        return SetDown("chow", faces)
    raise RulesError(
        f"{' '.join(faces)} is not a chow, pong or kong; give three or four tiles of a set."
    )


def is_run(kinds: list[int]) -> bool:
    """Whether three sorted kinds are consecutive numbers of one suit."""
    low, middle, high = kinds
    return middle == low + 1 and high == low + 2 and low % 9 <= 6 and high < 27
