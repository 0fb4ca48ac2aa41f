"""The status as players receive it while the discards of a hand lie mixed (W18, F19).

The whole status has the discards in their order, with the seat of each one and the seat from which
each set was claimed: for dealer, attendant, technician and auditor. Players receive a status in
which these facts are not contained. `PlayersPicture` of `table_status` replaces the parts that have
them; it is made from `rules.open_tiles.MixedTiles`, which has none of them, and from numbers of
tiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from controller.events import Event, EventName
from controller.events.lookups import HIDDEN_IF_MIXED
from controller.service.status.table_status import OpenPrompt, Status
from controller.service.user_roles import UserRole

IN_THE_POOL = "pool"
"""The value of a place of the scene whose tile lies in the middle."""
SET_UP = frozenset(
    {"clear", "raising", "throwing", "cutting", "dealing", "turning", "replacing", "collecting"}
)
"""States of the region `top` in which no hand is played, so that the same events hide nothing."""
TAKE_BACK = "take back"
"""The code of the dealer's prompt that names the actions that were taken back."""


def sees_all(role: UserRole) -> bool:
    """Whether a role receives the order of the discards and the sources of claimed tiles."""
    return role.includes(UserRole.DEALER) or role is UserRole.AUDITOR


def players_status(status: Status) -> Status:
    """The status for roles that do not see all; the same object if it hides nothing."""
    picture = status.players
    if picture is None:
        return status
    session, on_table = status.session, status.round
    if session is not None:
        seats = (
            each.model_copy(update={"tiles": picture.tiles.get(each.seat, 0)})
            for each in session.seats
        )
        session = session.model_copy(update={"seats": tuple(seats)})
    if on_table is not None:
        on_table = on_table.model_copy(update={"open_tiles": picture.open_tiles})
    scene = status.scene.model_copy(update={"places": picture.places})
    changed: dict[str, object] = {"session": session, "round": on_table, "scene": scene}
    prompts = tuple(map(_players_prompt, status.prompts))
    return status.model_copy(update={**changed, "prompts": prompts, "players": None})


def _players_prompt(prompt: OpenPrompt) -> OpenPrompt:
    """A prompt without the actions that it names, if it is about earlier actions."""
    if prompt.code != TAKE_BACK:
        return prompt
    text = "The last actions are taken back. The dealer sees which tiles go back to whom."
    return prompt.model_copy(update={"text": text, "seats": (), "lit": ()})


class PlayersEvents:
    """Chooses the events that players receive: those of a mixed hand stay with the dealer."""

    def __init__(self) -> None:
        self._top = ""

    def admits(self, event: Event, status: Status) -> bool:
        """Whether players receive an event; `status` is the present one."""
        if event["event"] == EventName.STATE:
            self._top = str(event["top"])
        mixed = status.round is not None and status.round.mixed_discards
        top = self._top or status.machine.top
        return not mixed or top in SET_UP or event["event"] not in HIDDEN_IF_MIXED


def places_of_tiles(
    dealt: Mapping[int, Sequence[str]],
    drawn: Sequence[str],
    before: Mapping[int, int],
    to_act: Iterable[int],
) -> dict[str, str]:
    """A value for the place of each tile that has left the walls, from numbers of tiles alone.

    `dealt` are the places of the deal by seat, `drawn` those of all later draws in order, `before`
    the numbers of tiles before the seats. A seat keeps its dealt tiles; what it has in addition are
    the tiles drawn last, so that a tile that was just drawn goes to the seat that acts. The other
    tiles lie in the middle.
    """
    values: dict[str, str] = {}
    spare: list[str] = []
    wanted: list[int] = []
    for seat in sorted(before):
        own, count = dealt.get(seat, ()), max(0, before[seat])
        values |= dict.fromkeys(own[:count], f"seat {seat}")
        spare += own[count:]
        wanted += [seat] * (count - len(own))
    acting = set(to_act)
    wanted.sort(key=lambda seat: seat in acting)
    spare += drawn
    middle = max(0, len(spare) - len(wanted))
    values |= dict.fromkeys(spare[:middle], IN_THE_POOL)
    return values | {
        place: f"seat {seat}" for place, seat in zip(spare[middle:], wanted, strict=False)
    }
