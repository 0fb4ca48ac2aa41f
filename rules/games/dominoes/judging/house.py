"""House rules of dominoes in a judge case."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal

from rules.games.dominoes.variants import Drawing, Parameters, SetTile, Way, Window


@dataclass(frozen=True)
class House:
    """The parameters that a house changes (2.3-2.9); None leaves the game's value.

    The names are those of `variants.Parameters`.
    """

    hand: tuple[int, int, int] | None = None
    setter: Way | None = None
    set_tile: SetTile | None = None
    matador_free_orientation: bool | None = None
    double_orientation: Literal["cross", "line", "choice"] | None = None
    sniff: bool | None = None
    inline_sniff_four_way: bool | None = None
    sides_first: bool | None = None
    draw: Drawing | None = None
    draw_when_able: bool | None = None
    boneyard_reserve: int | None = None
    pass_when_able: bool | None = None
    base: Literal[0, 3, 5] | None = None
    muggins_call: bool | None = None
    muggins_window: Window | None = None
    set_points: int | None = None
    double_header: int | None = None
    triple_header: int | None = None
    triple_by_single: bool | None = None
    block_score: Literal["sum", "difference"] | None = None
    blocked_doublets_lose: bool | None = None
    round_hand: Literal["none", "nearest5"] | None = None
    hand_win: int | None = None
    target: int | None = None
    stop_immediately: bool | None = None

    def changed(self, parameters: Parameters) -> Parameters:
        """The game's parameters with these changes. Raises IllegalSetupError if they contradict."""
        changes = {name: value for name, value in asdict(self).items() if value is not None}
        return replace(parameters, **changes)
