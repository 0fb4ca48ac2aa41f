"""The results of Wenzhou hands that people report: fields, settlement, reading (W30-W36, E16)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from rules.errors import RulesError
from rules.games.wenzhou.actions import FalseWin
from rules.games.wenzhou.case import COMPLETE, Case, recorded_case, winning_act
from rules.games.wenzhou.discard_check import is_fined
from rules.games.wenzhou.ending import breaches_found, caishen_held
from rules.games.wenzhou.judge import claimed_hand
from rules.games.wenzhou.match import WenzhouMatch
from rules.games.wenzhou.play import WenzhouPlay
from rules.games.wenzhou.score import (
    FALSE_WIN,
    MULTIPLIERS,
    Stakes,
    broken_order,
    drawn,
    false_win,
    with_extras,
    won,
)
from rules.games.wenzhou.setup import SEATS, WENZHOU, Parameters
from rules.games.wenzhou.state import Position, Stage
from rules.games.wenzhou.tiles import CAISHEN
from rules.games.wenzhou.wins import CLASSES, SETS, SOFT, Claim, NoWin, WinReading, judged
from rules.geometry import Seat
from rules.judging import RecordedAct
from rules.play import Settlement
from rules.results import (
    Depth,
    FinishedHand,
    GameResults,
    Result,
    ResultField,
    ResultForm,
    finished,
    not_counted,
)
from rules.setup import Setup

Condition = tuple[str, tuple[Any, ...]]
WON: Final = ("winner", tuple(range(SEATS)))
NOT_WON: Final = ("winner", (None,))
"""Conditions of fields: a seat has won, or none has."""
SOURCES: Final = ("self", "replacement", "discard", "robbing")
FACES: Final = tuple(dict.fromkeys(WENZHOU.tiles.faces))


@dataclass(frozen=True, slots=True)
class WenzhouHand(FinishedHand):
    """A finished hand, and its number of kongs, which decides the dealer after a drawn hand."""

    kongs: int = 0


def form(match: WenzhouMatch, setup: Setup | None = None) -> ResultForm:
    """Who won, and how; the tiles, or their class; the payments beside the win in this house."""
    house = match.parameters
    ready = None if setup is None else setup.ready
    return ResultForm(
        "wenzhou",
        SEATS,
        (
            *_who(house),
            *_tiles(None if ready is None else ready.shows),
            ResultField(
                "class",
                "choice",
                "the class of the winner's hand",
                "amount",
                needed="amount",
                choices=tuple(CLASSES.values()),
                when=(WON,),
                unless="hand",
                rule="W31",
            ),
            *_beside(house),
        ),
        partial(_contradictions, house),
    )


def _who(house: Parameters) -> Iterator[ResultField]:
    yield ResultField("winner", "seat", "the seat that won", rule="W26")
    source = "the source of the winning tile"
    yield ResultField("by", "choice", source, needed="tiles", choices=SOURCES, when=(WON,))
    yield ResultField(
        "discarder",
        "seat",
        "the seat that discarded the tile or added it to a pong",
        when=(("by", ("discard", "robbing")),),
        unlike="winner",
    )
    over: tuple[Condition, ...] = (NOT_WON,)
    if house.after_false_win == "ends":
        words = "the seat whose false win ended the hand"
        yield ResultField("false_win", "seat", words, when=over, rule="W36")
        over = (NOT_WON, ("false_win", (None,)))
    words = "whether any seat had a kong"
    yield ResultField("kong", "yes_no", words, needed="who", when=over, rule="W34")


def _tiles(indicator: str | None) -> Iterator[ResultField]:
    when = (WON,)
    yield ResultField(
        "indicator",
        "tile",
        "the tile turned up",
        "tiles",
        needed="tiles",
        choices=FACES,
        when=when,
        known=indicator,
        rule="W14",
    )
    yield ResultField(
        "hand",
        "tiles",
        "the winner's concealed tiles",
        "tiles",
        needed="tiles",
        choices=FACES,
        most=COMPLETE,
        when=when,
        rule="W24",
    )
    words = "the sets that the winner has laid down"
    yield ResultField("melds", "sets", words, "tiles", choices=FACES, most=SETS, when=when)
    yield ResultField("tile", "tile", "the winning tile", "tiles", choices=FACES, when=when)
    yield ResultField(
        "first_turn",
        "yes_no",
        "whether the dealer won with the dealt hand, or another seat on the dealer's first discard",
        "tiles",
        when=(("by", ("self", "discard")),),
        rule="E11",
    )
    yield ResultField(
        "undisturbed",
        "yes_no",
        "whether no kong was laid down before that discard",
        "tiles",
        needed="tiles",
        when=(("by", ("discard",)), ("first_turn", (True,))),
        rule="E11",
    )


def _beside(house: Parameters) -> Iterator[ResultField]:
    if house.caishen_money:
        yield ResultField(
            "caishen",
            "number",
            "the number of caishen that each seat holds",
            "amount",
            needed="amount",
            most=CAISHEN,
            per_seat=True,
            rule="W35",
        )
    if _pays_false_wins(house):
        words = "the seats that declared a false win"
        yield ResultField("false_wins", "seats", words, "amount", most=SEATS, rule="W36")
    if is_fined(house):
        words = "the seat of each discard against the order"
        yield ResultField("fined", "seats", words, "amount", rule="E16")


def _pays_false_wins(house: Parameters) -> bool:
    """Whether a false win costs something in this house, without ending the hand."""
    return house.after_false_win != "ends" and house.false_win_penalty != "none"


def _contradictions(house: Parameters, result: Result) -> Iterator[str]:
    winner, by = result.get("winner"), result.get("by")
    false_wins: Sequence[Seat] = result.get("false_wins", ())
    for seat in false_wins:
        if false_wins.count(seat) > 1:
            yield f"false_wins: Seat {seat} is named twice; it pays once in a hand (W36)."
        if seat == winner:
            yield f"false_wins: Seat {seat} has won, which it cannot after a false win (W36)."
    soft = result.get("class") == CLASSES[SOFT]
    if soft and by not in (None, "discard"):
        yield f"class: A win by '{by}' is at least hard; only a win on a discard is soft (W31)."
    if "caishen" not in result:
        return
    held = _held(result)
    if sum(held) > CAISHEN:
        yield f"caishen: The seats hold {sum(held)} caishen; the set has {CAISHEN} (W14)."
    if soft and winner is not None and held[winner] not in range(1, CAISHEN):
        yield (
            f"class: A hand with {held[winner]} caishen is at least hard; a soft hand has one or"
            " two, for other tiles (W31)."
        )


def _held(result: Result) -> list[int]:
    """The number of caishen of each seat."""
    return [each or 0 for each in result.get("caishen", ())]


def finish(match: WenzhouMatch, result: Result) -> WenzhouHand:
    """The finished hand of a checked result. Raises RulesError for tiles that do not win."""
    house, stakes, winner = match.parameters, match.stakes, result.get("winner")
    if not _is_counted(result, house):
        settlement = _uncounted(result)
    else:
        settlement = with_extras(
            _ended(match, result) if winner is None else won(winner, _win(match, result), stakes),
            house,
            penalties=[
                payment
                for seat in result.get("false_wins", ())
                for payment in _false_win(seat, stakes).payments
            ],
            caishen=_held(result),
            fines=[
                broken_order(seat, stakes, f"Seat {seat} discarded against the order (E16).")
                for seat in result.get("fined", ())
            ],
        )
    return WenzhouHand(settlement, _is_counted(result, house), int(result.get("kong", False)))


def _is_counted(result: Result, house: Parameters) -> bool:
    """Whether the payments follow from the result.

    Without a winner only caishen money has to be said; false wins and fines that are left out did
    not occur, as beside a win.
    """
    if "winner" in result:
        return "hand" in result or "class" in result
    return not house.caishen_money or "caishen" in result


def _uncounted(result: Result) -> Settlement:
    winner = result.get("winner")
    if winner is not None:
        return not_counted("won", winner, f"Seat {winner} has won.")
    return not_counted(FALSE_WIN if "false_win" in result else _DRAWN.name)


def _ended(match: WenzhouMatch, result: Result) -> Settlement:
    """The settlement of a hand without a winner, without what is paid beside it."""
    if "false_win" in result:
        return _false_win(result["false_win"], match.stakes)
    return _DRAWN


_DRAWN: Final = drawn("No seat has won (W29).")


def _false_win(seat: Seat, stakes: Stakes) -> Settlement:
    return false_win(seat, stakes, f"Seat {seat} declared a win with a hand that does not win.")


def _win(match: WenzhouMatch, result: Result) -> WinReading:
    """The win by its class, or as the judge reads its tiles. Raises RulesError."""
    if "hand" not in result:
        name = result["class"]
        return WinReading(name, MULTIPLIERS[name], (f"The hand was reported as {name}.",))
    claim = _claim(match, result)
    win = judged(claim, match.parameters)
    if isinstance(win, NoWin):
        raise RulesError(f"hand: {win.sentence}")
    given = result.get("class", CLASSES[win.multiplier])
    if given != CLASSES[win.multiplier]:
        raise RulesError(f"class: These tiles are {CLASSES[win.multiplier]}, not {given} (W31).")
    shown = sum(map(claim.caishen.is_caishen, (*claim.hand, claim.tile)))
    winner: Seat = result["winner"]
    if "caishen" in result and _held(result)[winner] != shown:
        raise RulesError(
            f"caishen: The hand of seat {winner} shows {shown} caishen, not"
            f" {_held(result)[winner]} (W35)."
        )
    return win


def _claim(match: WenzhouMatch, result: Result) -> Claim:
    """The reported tiles, checked as a case of the judge. Raises RulesError."""
    case = Case(
        indicator=result["indicator"],
        hand=tuple(result["hand"]),
        seat=result["winner"],
        tile=result.get("tile"),
        by=result["by"],
        melds=tuple(map(tuple, result.get("melds", ()))),
        dealer=match.dealer,
        discarder=result.get("discarder"),
        first_turn=result.get("first_turn", False),
        undisturbed=result.get("undisturbed", True),
        parameters=match.parameters,
    )
    return claimed_hand(case, case.claimants[0])


def read(
    match: WenzhouMatch, acts: Sequence[RecordedAct], play: WenzhouPlay, depth: Depth
) -> Result:
    """The result of a followed hand. Raises RulesError for tiles that are not recorded."""
    return dict(_facts(acts, play, depth))


def _facts(
    acts: Sequence[RecordedAct], play: WenzhouPlay, depth: Depth
) -> Iterator[tuple[str, Any]]:
    settlement, position = finished(play), play.position
    house = position.deal.parameters
    false_wins = [act.seat for _, act in acts if isinstance(act, FalseWin)]
    if settlement.winner is not None:
        before, _ = winning_act(acts)
        yield "winner", settlement.winner
        yield from _source(before)
    elif house.after_false_win == "ends" and false_wins:
        yield "false_win", false_wins[0]
    else:
        yield "kong", play.kongs > 0
    if depth == "who":
        return
    if settlement.winner is not None and depth == "tiles":
        yield from _shown_tiles(recorded_case(acts, play))
    elif settlement.winner is not None:
        yield "class", CLASSES[settlement.multiplier]
    if house.caishen_money:
        yield "caishen", list(caishen_held(position))
    if _pays_false_wins(house):
        yield "false_wins", false_wins
    if is_fined(house):
        yield "fined", [breach.seat for breach in breaches_found(position)]


def _source(before: Position) -> Iterator[tuple[str, Any]]:
    if before.stage is Stage.ACT:
        yield "by", before.by
        return
    yield "by", "robbing" if before.stage is Stage.ROB else "discard"
    yield "discarder", before.turn


def _shown_tiles(case: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    names = ["indicator", "hand", "melds", "tile"]
    if case["by"] in ("self", "discard"):
        names.append("first_turn")
    if case["by"] == "discard" and case["first_turn"]:
        names.append("undisturbed")
    for name in names:
        yield name, case[name]


RESULTS: Final = GameResults(form, finish, read)
"""The results of Wenzhou mahjong."""
