"""The domino games as differences from Block (2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.errors import IllegalSetupError
from rules.geometry import Direction

Way = Literal["rotate", "lightest", "doublet", "double_six", "bergen"]
"""How the setter is found: the three general ways (C5), Sebastopol's 6-6, Bergen's doublet."""
SetTile = Literal["any", "doublet", "deciding"]
"""The legal first tiles: any tile, any doublet, or only the tile that decided the setter."""
Drawing = Literal["none", "until_able", "free"]
"""A player who cannot play never draws, draws until he can play, or draws as many as he likes."""
Window = Literal["next_tile", "next_action"]
"""How long missed points can be called: until the next tile, or until any next action."""


@dataclass(frozen=True)
class Parameters:
    """Parameters of the domino games and of houses; the defaults are those of Block.

    Setting:
    `hand`: tiles of each hand with 2, 3 and 4 players (2.1-2.9).
    `setter`: how the setter is found (C5).
    `heavier`: the heavier player has the heaviest tile, or the heaviest hand (C6).
    `set_tile`: the tiles that the setter can set (2.3, 2.4, DM-15).
    `turn`: the direction of dealing and of play (C8).

    Joining:
    `join`: touching halves are equal, or add up to seven (2.8).
    `matador_free_orientation`: either half of a matador can be outside; if false, a matador that
    can make seven has to (2.8).
    `double_orientation`: doublets lie crosswise, in line, or as the player chooses (2.5, 2.8, 2.9).
    `sniff`: the first doublet can be played on from all four sides (2.9).
    `inline_sniff_four_way`: the sniff has four sides even if it lies in line (2.9).
    `sides_first`: all four sides of the first doublet are covered before any other end (2.3).

    Drawing and passing:
    `draw`: what a player has to do who cannot play (C3).
    `draw_when_able`: a player who can play can draw instead (2.2, 2.8, 2.9).
    `boneyard_reserve`: tiles that stay in the boneyard (C4).
    `pass_when_able`: a player who can play can go instead (2.9).

    Scoring in play:
    `base`: open ends that total a multiple of it score their total; 0 for never (2.5, 2.7).
    `muggins_call`: such points count only if a player calls them, for the first who calls (2.5).
    `muggins_window`: how long points can be called (2.5).
    `set_points`, `double_header`, `triple_header`: points for each (2.4).
    `triple_by_single`: a tile that makes its end equal to a doublet at the other end scores a
    triple header too (2.4).

    The end:
    `block_score`: a blocked hand scores the others' pips, or those minus the winner's own (C9).
    `blocked_doublets_lose`: if blocked, hands without a doublet beat hands with one (2.4).
    `round_hand`: the hand's score is rounded to the nearest five (2.5).
    `hand_win`: points for winning a hand, instead of pips; 0 for pips (2.4).
    `target`: the score that wins the game (2.1-2.9).
    `stop_immediately`: the game ends when the target is reached, even during a hand (section 4).
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
                raise IllegalSetupError(f"`{name}` must be at least 0, not {getattr(self, name)}.")
        if self.target < 1:
            raise IllegalSetupError(f"`target` must be at least 1 point, not {self.target}.")
        if self.muggins_call and not self.base:
            raise IllegalSetupError(
                "`muggins_call` needs points to call, but `base` is 0; set `base` to 5 or 3, or"
                " `muggins_call` to false."
            )
        if self.sniff and self.sides_first:
            raise IllegalSetupError(
                "`sniff` and `sides_first` cannot both be true; set one of the two to false."
            )

    @property
    def hands_can_grow(self) -> bool:
        """Whether a seat can get more tiles than were dealt to it (C3, 2.4)."""
        return self.draw != "none" or self.setter == "bergen"

    @property
    def scores_in_play(self) -> bool:
        """Whether a seat can score before the end of the hand (2.4, 2.5, 2.7, 2.9)."""
        return self.doublets_matter or self.set_points > 0

    @property
    def doublets_matter(self) -> bool:
        """Whether an end that is a doublet scores differently from half a tile."""
        return bool(self.base or self.double_header or self.triple_header)


@dataclass(frozen=True)
class Variant:
    """One game: its possible and its usual numbers of players, and its parameters."""

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
