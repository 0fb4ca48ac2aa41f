"""The domino games as a table of differences from Block (2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.errors import IllegalSetupError
from rules.geometry import Direction

Way = Literal["rotate", "lightest", "doublet", "double_six", "bergen"]
"""How the setter is found: the three general ways (C5), Sebastopol's 6-6, Bergen's doublet."""
SetTile = Literal["any", "doublet", "deciding"]
"""What he may set: any tile, any doublet he holds, or the very tile that gave him the right."""
Drawing = Literal["none", "until_able", "free"]
"""Who cannot play never draws, has to draw until he can, or draws as many as he likes."""
Window = Literal["next_tile", "next_action"]
"""How long a missed muggins may be called: until a tile is laid, or until anybody acts at all."""


@dataclass(frozen=True)
class Parameters:
    """What houses and games do differently; the defaults are Block's.

    Setting:
    `hand`: tiles each with 2, 3 and 4 players (2.1-2.9).
    `setter`: how the setter is found (C5).
    `heavier`: the heavier player by his heaviest tile, or by his whole hand (C6).
    `set_tile`: which tiles he may set (2.3, 2.4, DM-15).
    `turn`: the direction of dealing and of play (C8).

    Joining:
    `join`: touching halves are equal, or add up to seven (2.8).
    `matador_free_orientation`: a matador may turn either half outwards; if not, it makes seven
    where it can (2.8).
    `double_orientation`: doublets lie crosswise, in line, or as the player likes (2.5, 2.8, 2.9).
    `sniff`: the first doublet can be played on from all four sides (2.9).
    `inline_sniff_four_way`: it can be even when it lies in line (2.9).
    `sides_first`: all four sides of a doublet that is set are covered before anything else (2.3).

    Drawing and passing:
    `draw`: what a player does who cannot play (C3).
    `draw_when_able`: he may draw although he can play (2.2, 2.8, 2.9).
    `boneyard_reserve`: tiles that stay in the boneyard (C4).
    `pass_when_able`: he may say go although he can play (2.9).

    Scoring in play:
    `base`: open ends that total a multiple of it score that total; 0 for never (2.5, 2.7).
    `muggins_call`: only if somebody calls it, and for whoever calls first (2.5).
    `muggins_window`: how long that is possible (2.5).
    `set_points`, `double_header`, `triple_header`: points for each (2.4).
    `triple_by_single`: a tile that makes its end equal to a doublet at the other counts as a
    triple header too (2.4).

    The end:
    `block_score`: a blocked hand scores the others' pips, or those less one's own (C9).
    `blocked_doublets_lose`: if blocked, hands without a doublet beat hands with one (2.4).
    `round_hand`: the hand's score is rounded to the nearest five (2.5).
    `hand_win`: points for winning a hand, in place of pips; 0 for pips (2.4).
    `target`: the score that wins the game (2.1-2.9).
    `stop_immediately`: it does so in the middle of a hand (section 4).
    """

    hand: tuple[int, int, int] = (7, 5, 5)
    setter: Way = "rotate"
    heavier: Literal["tile", "hand"] = "tile"
    set_tile: SetTile = "any"
    turn: Direction = "clockwise"

    join: Literal["equal", "seven"] = "equal"
    matador_free_orientation: bool = True
    double_orientation: Literal["cross", "line", "choice"] = "cross"
    sniff: bool = False
    inline_sniff_four_way: bool = False
    sides_first: bool = False

    draw: Drawing = "none"
    draw_when_able: bool = False
    boneyard_reserve: int = 2
    pass_when_able: bool = False

    base: Literal[0, 3, 5] = 0
    muggins_call: bool = False
    muggins_window: Window = "next_tile"
    set_points: int = 0
    double_header: int = 0
    triple_header: int = 0
    triple_by_single: bool = True

    block_score: Literal["sum", "difference"] = "sum"
    blocked_doublets_lose: bool = False
    round_hand: Literal["none", "nearest5"] = "none"
    hand_win: int = 0
    target: int = 100
    stop_immediately: bool = True

    def __post_init__(self) -> None:
        for name in (
            "boneyard_reserve",
            "set_points",
            "double_header",
            "triple_header",
            "hand_win",
        ):
            if getattr(self, name) < 0:
                raise IllegalSetupError(f"{name} is {getattr(self, name)}; it cannot be below 0.")
        if self.target < 1:
            raise IllegalSetupError(
                f"A game to {self.target} points ends before it begins; take 1 up."
            )
        if self.muggins_call and not self.base:
            raise IllegalSetupError(
                "Nothing can be called at base 0; take base 5 or 3, or call nothing."
            )
        if self.sniff and self.sides_first:
            raise IllegalSetupError(
                "Either the sniff or the set tile branches; choose one of the two."
            )

    @property
    def tells_doublets_apart(self) -> bool:
        """Whether it matters that an end is a doublet, and not one half only."""
        return bool(self.base or self.double_header or self.triple_header)


@dataclass(frozen=True)
class Variant:
    """One game: how many can play it and usually do, and its parameters."""

    name: str
    title: str
    players: tuple[int, ...]
    parameters: Parameters
    usually: int | None = None


VARIANTS = (
    Variant("block", "Block", (2, 3, 4), Parameters()),
    Variant("draw", "Draw", (2, 3, 4), Parameters(draw="until_able")),
    Variant(
        "sebastopol",
        "Sebastopol",
        (3, 4),
        Parameters(hand=(7, 9, 7), setter="double_six", set_tile="deciding", sides_first=True),
    ),
    Variant(
        "bergen",
        "Bergen",
        (2, 3, 4),
        Parameters(
            hand=(7, 6, 6),
            setter="bergen",
            set_tile="doublet",
            set_points=2,
            double_header=2,
            triple_header=3,
            hand_win=1,
            target=15,
        ),
        usually=2,
    ),
    Variant(
        "muggins",
        "Muggins",
        (2, 3, 4),
        Parameters(draw="until_able", base=5, muggins_call=True, target=200),
    ),
    Variant(
        "threes",
        "All Threes",
        (2, 3, 4),
        Parameters(draw="until_able", base=3, muggins_call=True, target=200),
    ),
    Variant(
        "matador",
        "Matador",
        (2, 3, 4),
        Parameters(
            hand=(7, 7, 5),
            setter="doublet",
            set_tile="deciding",
            join="seven",
            double_orientation="line",
            draw="until_able",
            draw_when_able=True,
        ),
    ),
    Variant(
        "sniff",
        "Sniff",
        (2, 3, 4),
        Parameters(
            setter="lightest",
            double_orientation="choice",
            sniff=True,
            draw="until_able",
            draw_when_able=True,
            pass_when_able=True,
            base=5,
            target=200,
        ),
    ),
)
