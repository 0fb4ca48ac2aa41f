"""Helpers for tests: hands of Wenzhou from texts such as `345m 678m C EE`; C is a caishen."""

from __future__ import annotations

import re
from typing import Any

from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.tiles import Caishen, set_down
from rules.games.wenzhou.wins import Claim, NoWin, WinReading, judged
from rules.tiles import Face

BASE = "345m 678m 123p 456p"
WINDS = {"E": "1z", "S": "2z", "W": "3z", "N": "4z", "White": "5z", "Green": "6z", "Red": "7z"}


def tiles(text: str, indicator: Face = "2m") -> tuple[Face, ...]:
    """The faces of a text such as `345m C EE White`, in that order."""
    faces: list[Face] = []
    for word in text.split():
        if re.fullmatch(r"\d+[mpsz]", word):
            faces += [number + word[-1] for number in word[:-1]]
        elif word in WINDS:
            faces.append(WINDS[word])
        else:
            faces += [indicator if letter == "C" else WINDS[letter] for letter in word]
    return tuple(faces)


def claim(hand: str, tile: str, by: str = "self", indicator: Face = "2m", **more: Any) -> Claim:
    """The claim of a win: a hand without its last tile, that tile, and its source."""
    caishen = Caishen(indicator)
    melds = more.pop("melds", ())
    values: dict[str, Any] = {"by": by, **more}
    return Claim(
        caishen,
        tiles(hand, indicator),
        tiles(tile, indicator)[0],
        melds=tuple(set_down(tiles(meld, indicator), caishen) for meld in melds),
        **values,
    )


def result(hand: str, tile: str, by: str = "self", **more: Any) -> tuple[str, int] | None:
    """The name and the multiplier of a win, or None for no win."""
    parameters = more.pop("parameters", Parameters())
    win = judged(claim(hand, tile, by, **more), parameters)
    return (win.name, win.multiplier) if isinstance(win, WinReading) else None


def refusal(hand: str, tile: str, by: str = "self", **more: Any) -> str:
    """The objection to a claimed win."""
    win = judged(claim(hand, tile, by, **more), Parameters())
    assert isinstance(win, NoWin)
    return win.sentence
