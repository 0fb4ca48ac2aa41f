"""The results of Filipino hands that people report: fields, settlement, reading (F18-F38)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from rules.errors import RulesError
from rules.games.filipino import score
from rules.games.filipino.actions import JOKER
from rules.games.filipino.case import COMPLETE, Case, recorded_case, shown_tiles, winning_acts
from rules.games.filipino.judge import claimed_hand
from rules.games.filipino.match import FilipinoMatch
from rules.games.filipino.parameters import SEATS, SETS, Parameters
from rules.games.filipino.play import FilipinoPlay
from rules.games.filipino.score import Won, how, price_with_chips
from rules.games.filipino.setup import FILIPINO, flores_of, is_pair
from rules.games.filipino.table import FilipinoTable, source_of
from rules.games.filipino.wins import WinningHand, winning_hand
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
FACES: Final = tuple(dict.fromkeys(FILIPINO.tiles.faces))
STARRED: Final = (*FACES, *(face + JOKER for face in FACES))
"""Every face, and every face that a joker replaces in a set laid down."""
MOST_BESIDE: Final = {"seven_first": 1, "escalera": 2}
"""The most kongs beside each special hand: the set of seven first, the two of escalera."""


@dataclass(frozen=True, slots=True)
class FilipinoHand(FinishedHand):
    """A finished hand, and the chips of each seat after it (F34)."""

    chips: tuple[int, ...] = (0,) * SEATS


def form(match: FilipinoMatch, setup: Setup | None = None) -> ResultForm:
    """Who won, and how; the tiles, or their entries of the price list; what is paid beside it."""
    house = match.parameters
    ready = None if setup is None else setup.ready
    return ResultForm(
        "filipino",
        SEATS,
        (
            *_who(house),
            *_tiles(None if ready is None else ready.shows),
            *_entries(house),
            *_beside(house, setup),
        ),
        partial(_contradictions, house),
    )


def _who(house: Parameters) -> Iterator[ResultField]:
    yield ResultField("winner", "seat", "the seat that won", rule="F33")
    yield ResultField(
        "by",
        "choice",
        "the source of the winning tile",
        needed="amount",
        choices=SOURCES,
        when=(WON,),
        rule="F29",
    )
    yield ResultField(
        "discarder",
        "seat",
        "the seat that discarded the tile or added it to a pong",
        needed="amount",
        when=(("by", ("discard", "robbing")),),
        unlike="winner",
        rule="F29",
    )
    if house.after_false_win == "ends":
        words = "the seat whose false win ended the hand"
        yield ResultField("false_win", "seat", words, when=(NOT_WON,), rule="F35")


def _tiles(joker: str | None) -> Iterator[ResultField]:
    when = (WON,)
    yield ResultField(
        "joker",
        "tile",
        "the tile turned up",
        "tiles",
        needed="tiles",
        choices=FACES,
        when=when,
        known=joker,
        rule="F17",
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
        rule="F26",
    )
    words = "the sets that the winner has laid down"
    yield ResultField("melds", "sets", words, "tiles", choices=STARRED, most=SETS, when=when)
    yield ResultField("tile", "tile", "the winning tile", "tiles", choices=FACES, when=when)


def _entries(house: Parameters) -> Iterator[ResultField]:
    """The entries of the price list; all but that of the flores follow from the tiles."""
    named = [
        ("seven_first", "whether the winner has seven pairs and a set", "F27"),
        ("escalera", "whether the winner has one suit from 1 to 9", "F28"),
        ("single_joker", "whether the winner waited on a single joker", "F31"),
    ]
    if house.back_to_back:
        named.append(("back_to_back", "whether the winner waited on two pairs", ""))
    if house.middle:
        named.append(("middle", "whether the winner waited between two tiles", ""))
    for name, words, rule in named:
        yield ResultField(name, "yes_no", words, "amount", when=(WON,), unless="hand", rule=rule)
    words = "whether the winner has laid out no flores"
    yield ResultField("no_flores", "yes_no", words, "amount", when=(WON,), rule="F30")


def _beside(house: Parameters, setup: Setup | None) -> Iterator[ResultField]:
    """What is paid beside the win, and the stakes."""
    if house.flores_bonus:
        yield ResultField(
            "flores_at_start",
            "number",
            "the number of flores of each seat when the joker was turned up",
            "amount",
            needed="amount",
            most=house.flores,
            per_seat=True,
            known=None if setup is None else list(flores_of(setup)),
            rule="F18",
        )
        words = f"the seats that laid out flores {house.bonus_high} during the hand"
        yield ResultField("flores_reached", "seats", words, "amount", most=SEATS, rule="F21")
    yield ResultField(
        "kongs",
        "number",
        "the number of kongs of each seat",
        "amount",
        needed="amount",
        most=SETS,
        per_seat=True,
        rule="F23",
    )
    if _pays_false_wins(house):
        words = "the seats that declared a false win"
        yield ResultField("false_wins", "seats", words, "amount", most=SEATS, rule="F35")
    if house.pairs_double:
        yield ResultField(
            "doubled",
            "yes_no",
            "whether equal dice have doubled every amount",
            "amount",
            needed="amount",
            known=None if setup is None else is_pair(setup),
        )


def _pays_false_wins(house: Parameters) -> bool:
    """Whether a false win costs something in this house, without ending the hand."""
    return house.after_false_win != "ends" and house.false_win > 0


def _contradictions(house: Parameters, result: Result) -> Iterator[str]:
    yield from _wrong_false_wins(result)
    yield from _wrong_flores(house, result)
    winner: Seat | None = result.get("winner")
    if winner is None:
        return
    kongs = _kongs(result)[winner]
    for name, most in MOST_BESIDE.items():
        if result.get(name) and kongs > most:
            yield (
                f"kongs: Seat {winner} cannot have {kongs} kongs beside {name}, which has {most} of"
                " its sets free (F27, F28)."
            )
    replaced = result.get("by") == "replacement" and result.get("no_flores")
    if replaced and "kongs" in result and not kongs:
        yield (
            f"by: A replacement tile follows a kong or a flores (F11, F23), and seat {winner} has"
            " neither."
        )


def _wrong_false_wins(result: Result) -> Iterator[str]:
    false_wins: Sequence[Seat] = result.get("false_wins", ())
    for seat in false_wins:
        if false_wins.count(seat) > 1:
            yield f"false_wins: Seat {seat} is named twice; it pays once in a hand (F35)."
        if seat == result.get("winner"):
            yield f"false_wins: Seat {seat} has won, which it cannot after a false win (F35)."


def _wrong_flores(house: Parameters, result: Result) -> Iterator[str]:
    start: Sequence[int | None] = result.get("flores_at_start", (0,) * SEATS)
    reached: Sequence[Seat] = result.get("flores_reached", ())
    for seat, number in enumerate(start):
        if number is None:
            yield (
                f"flores_at_start: Seat {seat} has no number; give that of every seat, because a"
                f" seat with up to {house.bonus_low} is paid (F18)."
            )
            return
    known = [number or 0 for number in start]
    if sum(known) > house.flores:
        yield (
            f"flores_at_start: The seats have {sum(known)} flores; the set has {house.flores} (F3)."
        )
    for seat in reached:
        if reached.count(seat) > 1:
            yield f"flores_reached: Seat {seat} is named twice; it is paid once in a hand (A12)."
        if known[seat] >= house.bonus_high:
            yield (
                f"flores_reached: Seat {seat} had {known[seat]} flores at the start and was paid"
                " for them then (A12)."
            )
    least = sum(
        max(number, house.bonus_high if seat in reached else 0) for seat, number in enumerate(known)
    )
    if least > house.flores:
        yield (
            f"flores_reached: The seats would have at least {least} flores; the set has"
            f" {house.flores} (F3)."
        )
    winner = result.get("winner")
    if winner is not None and result.get("no_flores") and (known[winner] or winner in reached):
        yield f"no_flores: Seat {winner} has laid out flores in this hand (F30)."


def _kongs(result: Result) -> list[int]:
    """The number of kongs of each seat."""
    return [each or 0 for each in result.get("kongs", (0,) * SEATS)]


def finish(match: FilipinoMatch, result: Result) -> FilipinoHand:
    """The finished hand of a checked result. Raises RulesError for tiles that do not win."""
    house, winner = match.parameters, result.get("winner")
    if "kongs" not in result:
        return FilipinoHand(_uncounted(result), counted=False, chips=match.chips)
    stakes = 1 + result.get("doubled", False)
    earlier = tuple(_paid_during_the_hand(house, result, stakes))
    if winner is not None:
        paid, chips = price_with_chips(_won(match, result), match.chips, house, stakes)
        return FilipinoHand(score.won_hand(winner, paid, earlier), chips=chips)
    if "false_win" in result:
        seat: Seat = result["false_win"]
        paid_out = (*earlier, *score.false_win(seat, house, stakes))
        return FilipinoHand(score.ended_by_false_win(seat, paid_out), chips=match.chips)
    return FilipinoHand(score.exhausted(earlier), chips=match.chips)


def _uncounted(result: Result) -> Settlement:
    winner = result.get("winner")
    if winner is not None:
        return not_counted("won", winner, f"Seat {winner} has won.")
    return not_counted("false win" if "false_win" in result else score.exhausted(()).name)


def _paid_during_the_hand(house: Parameters, result: Result, stakes: int) -> Iterator[Any]:
    """The payments for flores, kongs and false wins before the end of the hand."""
    if "flores_at_start" in result:
        yield from score.flores_at_the_start(tuple(result["flores_at_start"]), house, stakes)
    for seat in result.get("flores_reached", ()):
        yield from score.flores_in_play(seat, house.bonus_high, house, stakes)
    for seat, number in enumerate(_kongs(result)):
        for _ in range(number):
            yield from score.kong(seat, house, stakes)
    for seat in result.get("false_wins", ()):
        yield from score.false_win(seat, house, stakes)


def _won(match: FilipinoMatch, result: Result) -> Won:
    """The win by its entries, or as the judge reads its tiles. Raises RulesError."""
    hand = _shown_hand(match, result) if "hand" in result else _reported_hand(result)
    flores = 0 if result.get("no_flores") else 1
    return Won(result["winner"], hand, how(result["by"]), result.get("discarder"), flores)


def _reported_hand(result: Result) -> WinningHand:
    return WinningHand(
        "as it was reported",
        seven_first=result.get("seven_first", False),
        escalera=result.get("escalera", False),
        single_joker=result.get("single_joker", False),
        back_to_back=result.get("back_to_back", False),
        middle=result.get("middle", False),
    )


def _shown_hand(match: FilipinoMatch, result: Result) -> WinningHand:
    """The winning hand of the reported tiles, checked as a case of the judge. Raises RulesError."""
    winner: Seat = result["winner"]
    case = Case(
        joker=result["joker"],
        hand=tuple(result["hand"]),
        seat=winner,
        tile=result.get("tile"),
        by=result["by"],
        melds=tuple(map(tuple, result.get("melds", ()))),
        discarder=result.get("discarder"),
        parameters=match.parameters,
    )
    hand = claimed_hand(case, case.claimants[0])
    if isinstance(hand, str):
        raise RulesError(f"hand: {hand}")
    laid = sum(len(meld) == 4 for meld in case.melds)
    if laid != _kongs(result)[winner]:
        raise RulesError(
            f"kongs: The sets of seat {winner} show {laid} kongs, not"
            f" {_kongs(result)[winner]} (F23)."
        )
    for name in ("seven_first", "escalera", "single_joker", "back_to_back", "middle"):
        if name in result and result[name] != getattr(hand, name):
            is_so = str(getattr(hand, name)).lower()
            raise RulesError(
                f"{name}: By the tiles of seat {winner} this is {is_so}; leave it out."
            )
    return hand


def read(
    match: FilipinoMatch, acts: Sequence[RecordedAct], play: FilipinoPlay, depth: Depth
) -> Result:
    """The result of a followed hand. Raises RulesError for tiles that are not recorded."""
    return dict(_facts(acts, play, depth))


def _facts(
    acts: Sequence[RecordedAct], play: FilipinoPlay, depth: Depth
) -> Iterator[tuple[str, Any]]:
    settlement, table = finished(play), play.table
    house = table.house
    false_wins = [act.seat for _, act in acts if act.verb == "false win"]
    if settlement.winner is not None:
        yield from _win_of(acts, settlement.winner)
    elif house.after_false_win == "ends" and false_wins:
        yield "false_win", false_wins[0]
    if depth == "who":
        return
    if settlement.winner is not None and depth == "tiles":
        case = recorded_case(acts, play)
        yield from ((name, case[name]) for name in ("joker", "hand", "melds"))
        if "tile" in case:
            yield "tile", case["tile"]
        yield "no_flores", not case["flores"]
    elif settlement.winner is not None:
        yield from _entries_of(acts, settlement.winner)
    yield from _beside_of(acts, table)
    if _pays_false_wins(house):
        yield "false_wins", false_wins


def _win_of(acts: Sequence[RecordedAct], winner: Seat) -> Iterator[tuple[str, Any]]:
    table, _ = winning_acts(acts)
    yield "winner", winner
    yield "by", source_of(table.offer)
    if table.offer is not None:
        yield "discarder", table.offer.by


def _entries_of(acts: Sequence[RecordedAct], winner: Seat) -> Iterator[tuple[str, Any]]:
    table, wins = winning_acts(acts)
    hand = winning_hand(shown_tiles(table, wins[winner]), table.house)
    for each in _entries(table.house):
        if each.name != "no_flores":
            yield each.name, getattr(hand, each.name)
    yield "no_flores", not table.hands[winner].flores


def _beside_of(acts: Sequence[RecordedAct], table: FilipinoTable) -> Iterator[tuple[str, Any]]:
    """The flores at the start and those reached, the kongs, the stakes."""
    house = table.house
    begun: FilipinoTable = acts[0][0].table
    start, end = ([len(hand.flores) for hand in each.hands] for each in (begun, table))
    if house.flores_bonus:
        high = house.bonus_high
        yield "flores_at_start", start
        yield "flores_reached", [seat for seat in range(SEATS) if start[seat] < high <= end[seat]]
    yield "kongs", [sum(meld.name == "kong" for meld in hand.melds) for hand in table.hands]
    if house.pairs_double:
        yield "doubled", table.stakes > 1


RESULTS: Final = GameResults(form, finish, read, carried=("chips",))
"""The results of Filipino mahjong."""
