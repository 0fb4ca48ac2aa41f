"""A move at dominoes on the floor: may it be made, what does it score, what is the hand worth?"""

from __future__ import annotations

from dataclasses import dataclass, field

from rules.errors import RulesError
from rules.games.dominoes import legal as legality
from rules.games.dominoes.actions import Call, Draw, Go, Lay, parse
from rules.games.dominoes.contradictions import require_consistent, why_not_set
from rules.games.dominoes.house import House
from rules.games.dominoes.layout import Tableau, bare, why_it_does_not_fit, why_it_fits_nowhere
from rules.games.dominoes.play import DominoPlay, Hand, begin
from rules.games.dominoes.score import open_ends_score
from rules.games.dominoes.variants import VARIANTS, Parameters, Variant
from rules.geometry import Seat
from rules.judge_registry import Verdict
from rules.play import HOUSE, Payment
from rules.tiles import Face

__all__ = ["Case", "House", "judge"]

_GAMES = {variant.name: variant for variant in VARIANTS}
_HIDDEN: Hand = (None,) * 7
"""A hand that the case does not show; it may hold any tile that is not seen elsewhere."""


@dataclass(frozen=True)
class Case:
    """What lies on the table, and what a seat does.

    What is not given is not judged: a hidden hand may hold any tile. Raises RulesError for a case
    that contradicts itself.
    """

    game: str
    """Which game of dominoes it is; the command names it."""
    tile: str | None = None
    """What the seat does: a tile and where it lies, such as `6-4`, `4-4 on 4`, `1-1 in line
    on 6` or `6-1 on 3, 6 out`; or `draw`, `go` or `call`. Where a tile can lie in one way
    only, its name is enough. Left out, the hand has ended, and the case asks for its score.
    """
    layout: tuple[str, ...] = ()
    """The tiles as they were played, the first one first, each written as `tile` is."""
    seat: Seat = 0
    """The seat that acts."""
    called: bool = True
    """The points of the tile were called, and this seat called first (2.5)."""
    players: int | None = None
    """How many play. Left out, as many as there are hands, or as the game has at most."""
    hand: tuple[Face, ...] | None = None
    """What the seat holds before it acts."""
    hands: tuple[tuple[Face, ...], ...] | None = None
    """What every seat holds, seat 0 first."""
    boneyard: int | None = None
    """How many tiles are left in the boneyard."""
    passed: int = 0
    """How many turns have passed since the last tile."""
    scores: tuple[int, ...] = ()
    """What each seat has in the game, seat 0 first."""
    parameters: House = field(default_factory=House)
    """What this house plays differently."""

    def __post_init__(self) -> None:
        if self.game not in _GAMES:
            raise RulesError(
                f"game: '{self.game}' is no game of dominoes; take {', '.join(_GAMES)}."
            )
        require_consistent(self, self.variant)
        _laid_out(self)

    @property
    def variant(self) -> Variant:
        """The game of dominoes that is played."""
        return _GAMES[self.game]

    @property
    def house(self) -> Parameters:
        """The game's parameters as this house changes them."""
        return self.parameters.changed(self.variant.parameters)

    @property
    def seats(self) -> int:
        """How many play."""
        if self.hands is not None:
            return len(self.hands)
        return self.variant.players[-1] if self.players is None else self.players


def judge(case: Case) -> Verdict:
    """The verdict on what a seat does, or the score of a hand that has ended."""
    tableau, laid = _laid_out(case)
    play = _play(case, tableau, laid)
    if case.tile is None:
        return _hand_over(case, play)
    action = parse(case.seat, case.tile)
    match action:
        case Lay():
            return _laid(case, play, _joined(tableau, action, laid))
        case Draw() | Go() | Call():
            return _said(case, play, action)
    raise RulesError(f"tile: '{case.tile}' is no move; write a tile, draw, go or call.")


def _laid_out(case: Case) -> tuple[Tableau, tuple[Lay, ...]]:
    """The layout, and the tiles in it. Raises RulesError for a layout that cannot be."""
    tableau = bare(case.house)
    laid: tuple[Lay, ...] = ()
    for text in case.layout:
        lay = parse(case.seat, text)
        if not isinstance(lay, Lay):
            raise RulesError(
                f"layout: '{text}' lays no tile; write the tile and where: '6-4 on 6'."
            )
        lay = _joined(tableau, lay, laid)
        wrong = None if laid else why_not_set(lay.tile, case.house, case.seats, case.variant.title)
        if lay not in tableau or wrong:
            sentence = f"{wrong[0]} ({wrong[1]})." if wrong else _why_no_fit(tableau, lay)
            raise RulesError(f"layout: The layout cannot be: {sentence}")
        tableau, laid = tableau[lay], (*laid, lay)
    lain = {lay.tile for lay in laid}
    held = (case.hand or ()) if case.hands is None else (t for hand in case.hands for t in hand)
    for tile in held:
        if tile in lain:
            raise RulesError(f"hand: {tile} is there twice: in hand, and in the layout (C1).")
    return tableau, laid


def _joined(tableau: Tableau, lay: Lay, laid: tuple[Lay, ...]) -> Lay:
    """A tile and where it lies; where the text does not say so, in the one way that there is."""
    if lay.tile in {other.tile for other in laid}:
        raise RulesError(f"layout: {lay.tile} is there twice; a set of dominoes has it once (C1).")
    if lay in tableau or lay.on:
        return lay
    ways = [
        way
        for way in tableau.lays[lay.seat].get(lay.tile, ())
        if lay.lie in ("", way.lie) and lay.out in (None, way.out)
    ]
    if len(ways) > 1:
        offered = " or ".join(f"'{way}'" for way in ways)
        raise RulesError(f"tile: {lay.tile} can lie in several ways; write {offered}.")
    return ways[0] if ways else lay


def _play(case: Case, tableau: Tableau, laid: tuple[Lay, ...]) -> DominoPlay:
    """The hand as it stands; what the case does not show is unknown."""
    hands: list[Hand] = [_HIDDEN] * case.seats
    if case.hands is not None:
        hands = [*case.hands]
    elif case.hand is not None:
        hands[case.seat] = case.hand
    known = tuple(hand or _HIDDEN for hand in hands)
    play = begin(case.variant.title, case.house, known, (), case.seat, case.scores)
    claim = 0
    window_open = not case.passed or case.house.muggins_window == "next_tile"
    if laid and case.house.muggins_call and window_open:
        claim = open_ends_score(tableau)
    return play._replace(
        tableau=tableau,
        hands=tuple(hands),
        boneyard=(None,) * _boneyard(case),
        goes=case.passed,
        claim=claim,
        ended="out" if () in hands else "",
        actions=laid,
    )


def _boneyard(case: Case) -> int:
    """Tiles in the boneyard: as given, or what the set has beside the tiles that are shown."""
    if case.boneyard is not None:
        return case.boneyard
    if case.hands is not None:
        return 28 - len(case.layout) - sum(map(len, case.hands))
    return 28 - case.seats * case.house.hand[case.seats - 2]


def _laid(case: Case, play: DominoPlay, lay: Lay) -> Verdict:
    """The verdict on a tile that is tried."""
    if case.hands is not None or case.hand is not None:
        own = play.hands[case.seat]
        if lay.tile not in own:
            raise RulesError(
                f"tile: Seat {case.seat} does not hold {lay.tile}; its hand is"
                f" {' '.join(map(str, own))}."
            )
    if lay not in play.tableau:
        return Verdict(legal=False, name="no fit", reasons=(_why_no_fit(play.tableau, lay),))
    wrong = None
    if not play.tableau.ends:
        wrong = why_not_set(lay.tile, case.house, case.seats, case.variant.title)
    sentence = f"{wrong[0]} ({wrong[1]})." if wrong else legality.why_not(play, lay)
    if sentence is not None:
        return Verdict(legal=False, name="not allowed", reasons=(sentence,))
    after = play.apply(lay)
    reasons = [f"{lay} fits: {_why(play.tableau, lay)}; the open ends are now {after.tableau}."]
    points = open_ends_score(after.tableau)
    if case.house.base:
        reasons.append(
            f"They total {after.tableau.total}, {'a' if points else 'no'} multiple of"
            f" {case.house.base} that scores (2.5, 2.7, 2.9)."
        )
    if after.claim and case.called:
        after = after.apply(Call(case.seat))
    elif after.claim:
        reasons.append(f"Nobody called the {points} points, so they are nobody's (2.5).")
        after = after._replace(claim=0)
    reasons += [f"Seat {seat} scores {many}: {why}." for seat, many, why in after.scored]
    if not after.scored and not case.house.base:
        reasons.append(f"It scores nothing at {case.variant.title}.")
    return _after(case, after, reasons)


def _said(case: Case, play: DominoPlay, action: Draw | Go | Call) -> Verdict:
    """The verdict on a draw, a go or a call."""
    if isinstance(action, Draw | Go):
        _require_what_decides(case)
    sentence = legality.why_not(play, action)
    if sentence is not None:
        return Verdict(legal=False, name="not allowed", reasons=(sentence,))
    after = play.apply(action)
    if isinstance(action, Call):
        reasons = [f"Seat {seat} scores {many}: {why}." for seat, many, why in after.scored]
        return _after(case, after, reasons)
    able = legality.is_able(play, case.seat)
    left = len(play.boneyard)
    cannot = f"Seat {case.seat} {'can' if able else 'cannot'} play"
    tiles = f"{left} tile{'s are' if left != 1 else ' is'} in the boneyard"
    rule = "(C3, 2.8, 2.9)" if able else "(C3, C4)"
    reason = f"{cannot}, and {tiles}: it may {case.tile} {rule}."
    if isinstance(action, Draw):
        return Verdict(legal=True, name="draw", reasons=(reason,))
    return _after(case, after, [reason], name="go")


def _require_what_decides(case: Case) -> None:
    """Raises RulesError where a draw or a go depends on what the case does not say."""
    if case.hand is None and case.hands is None:
        raise RulesError(
            f"hand: Whether seat {case.seat} may {case.tile} depends on its tiles; give its hand"
            " (C3)."
        )
    if case.boneyard is None and case.hands is None and case.house.draw != "none":
        raise RulesError(
            f"boneyard: Whether seat {case.seat} may {case.tile} depends on the boneyard; give how"
            " many tiles are left in it (C4)."
        )


def _hand_over(case: Case, play: DominoPlay) -> Verdict:
    """The score of a hand that has ended. Raises RulesError if it goes on."""
    play = play._replace(claim=0)
    if not play.ended:
        if case.layout and not case.house.pass_when_able:
            _require_blocked(case, play)
        play = play._replace(ended="blocked")
    return _after(case, play, [])


def _require_blocked(case: Case, play: DominoPlay) -> None:
    for seat in range(case.seats):
        if legality.is_able(play, seat):
            tile = next(tile for tile in play.hands[seat] if tile in play.tableau.lays[seat])
            raise RulesError(f"hands: The hand is not blocked: seat {seat} can play {tile} (C9).")
    left = len(play.boneyard)
    if case.house.draw != "none" and left > case.house.boneyard_reserve:
        raise RulesError(
            f"boneyard: The hand is not blocked: {left} tiles are in the boneyard, and all but"
            f" {case.house.boneyard_reserve} can be drawn (C4)."
        )


def _after(case: Case, after: DominoPlay, reasons: list[str], name: str = "") -> Verdict:
    """The verdict on a legal action, with the hand's score where the action ends it."""
    payments: tuple[Payment, ...] = tuple(Payment(HOUSE, *score) for score in after.scored)
    won = False
    if after.ended and (case.hands is not None or after.ended == "target"):
        settlement = after.settlement
        assert settlement is not None
        counted = len(after.scored)
        payments, name = settlement.payments, settlement.name
        reasons += settlement.reasons[counted:]
        won = settlement.winner is not None
    elif after.ended:
        reasons.append("The hand has ended; give all hands for its score (C9).")
        name, won = after.ended, after.ended == "out"
    total = sum(payment.amount for payment in payments)
    return Verdict(
        legal=True,
        win=won,
        name=name or (f"{total} points" if total else "no points"),
        payments=payments,
        reasons=tuple(reasons),
    )


def _why(before: Tableau, lay: Lay) -> str:
    """What lets a tile lie there."""
    if not before.ends:
        return "it is the first tile (section 2)"
    if before.parameters.join == "seven":
        return "the halves make seven, or it is a matador (2.8)"
    return "equal halves touch (2.1)"


def _why_no_fit(tableau: Tableau, lay: Lay) -> str:
    """The sentence against a tile; one that is named alone fits nowhere."""
    if lay.on or not tableau.ends or lay.tile in tableau.lays[lay.seat]:
        return why_it_does_not_fit(tableau, lay).cited
    return why_it_fits_nowhere(tableau, lay.tile).cited
