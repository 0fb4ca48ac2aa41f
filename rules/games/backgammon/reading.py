"""Interprets a move as a player wrote it: finds the legal option it means, or the objection to it.

A move can be written in several ways: in either order, as the whole way of one man (24/15), without
the star of a hit. `read` plays the move in every order of the dice in which each step is legal and
the men reach the points written. If exactly one of the resulting boards can be reached by a legal
option, the move is that option.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.dice import Dice
from rules.games.backgammon.actions import Move, in_order
from rules.games.backgammon.board import (
    BAR,
    OFF,
    POINTS,
    BackgammonBoard,
    Mask,
    held,
    made,
    mirrored,
    name_of,
)
from rules.games.backgammon.moves import HOME, SHIFTS, STEPS, Option, Step, played, sources
from rules.games.backgammon.setup import SEATS
from rules.geometry import Seat
from rules.judging import Objection
from rules.values import LazyTable

Ways = tuple[tuple[int, int], ...]
"""For each man in a written move, his current point and the point that he still has to reach."""
MOST_STEPS = 4
"""The largest number of steps of one throw, that of a doublet (B2)."""
DICE_RULES = "B1, B2"
"""The numbers of the rules about the dice of a throw."""
_HITTING: LazyTable[int, Step] = LazyTable(lambda number: STEPS[number]._replace(hits=True))


def move_of(board: BackgammonBoard, seat: Seat, option: Option) -> Move:
    """The action for an option, with a mark for each blot that is hit."""
    enemy = mirrored(board[1 - seat])
    (move,) = moves_of(seat, [option], held(enemy) & ~made(enemy) & POINTS)
    return move


def moves_of(seat: Seat, options: Sequence[Option], blots: Mask) -> tuple[Move, ...]:
    """Options as actions, in the same order; `blots` are those of the opponent."""
    most = len(options[0]) if options else 0
    if most == MOST_STEPS < len(options):
        return _doublet_moves(seat, options, blots)
    if most > 2:
        return tuple([Move(seat, _steps(option, blots)) for option in options])
    # There are few options of one or two steps and most of them recur, so their moves are cached.
    known = _MOVES[seat]
    moves = []
    for option in options:
        landing, move, hitting = known[option]
        hit = landing & blots
        moves.append(hitting[hit] if hit else move)
    return tuple(moves)


def _doublet_moves(seat: Seat, options: Sequence[Option], blots: Mask) -> tuple[Move, ...]:
    """Options of four steps of one die as actions. The steps are in the order of a move already.

    Of several men that leave the same point only the first one can hit. These moves are not
    cached, because there are too many of them.
    """
    die = options[0][0] >> 5
    later = {number: STEPS[number] for number in range(32 * die, 32 * die + BAR + 1)}
    first = {
        number: _HITTING[number] if blots >> 4 * step.target & 1 else step
        for number, step in later.items()
    }
    return tuple(
        [
            Move(
                seat,
                (
                    first[one],
                    later[two] if two == one else first[two],
                    later[three] if three == two else first[three],
                    later[four] if four == three else first[four],
                ),
            )
            for one, two, three, four in options
        ]
    )


def _move_table(seat: Seat) -> LazyTable[Option, tuple[Mask, Move, LazyTable[Mask, Move]]]:
    """For each option of a seat: the points where men land, the move without hits, those with."""

    def entry(option: Option) -> tuple[Mask, Move, LazyTable[Mask, Move]]:
        landing = sum({1 << 4 * STEPS[number].target for number in option}) & POINTS
        hitting: LazyTable[Mask, Move] = LazyTable(
            lambda blots: Move(seat, in_order(_steps(option, blots)))
        )
        return landing, Move(seat, in_order(_steps(option, 0))), hitting

    return LazyTable(entry)


def _steps(option: Option, blots: Mask) -> tuple[Step, ...]:
    """The steps of an option; the first man who lands on a blot hits it."""
    steps = []
    for number in option:
        step = STEPS[number]
        if blots and blots >> 4 * step.target & 1:
            blots ^= 1 << 4 * step.target
            step = _HITTING[number]
        steps.append(step)
    return tuple(steps)


_MOVES = tuple(map(_move_table, range(SEATS)))


def read(
    board: BackgammonBoard, dice: Dice, options: Sequence[Option], move: Move
) -> Option | Objection:
    """The legal option that a move means, or the objection to it."""
    seat = move.seat
    for step in move.steps:
        if not BAR >= step.source > step.target >= OFF:
            return Objection(
                f"No man can move from {step.source} to {step.target}; men move from {BAR}, the"
                f" bar, down to 1, and to {OFF}, off the board.",
                DICE_RULES,
            )
    if not 0 < len(move.steps) <= MOST_STEPS:
        return Objection(f"A move has 1 to {MOST_STEPS} steps, not {len(move.steps)}.", DICE_RULES)
    open_points = POINTS & ~made(mirrored(board[1 - seat]))
    ways = tuple((step.source, step.target) for step in move.steps)
    numbers = dice * 2 if dice[0] == dice[1] else dice
    readings = {
        played(board, seat, option): option
        for option in _played_out(board[seat], open_points, numbers, ways)
    }
    if not readings:
        return _objection(board, dice, open_points, move)
    stars = sorted(step.target for step in move.steps if step.hits)
    meant = {
        after: reading
        for after, reading in readings.items()
        if set(stars) <= set(_hits(board, seat, reading))
    }
    if not meant:
        return Objection(f"'{move}' hits no blot on {name_of(stars[0])}; leave the star out.", "B5")
    legal = {played(board, seat, option): option for option in options}
    allowed = [after for after in meant if after in legal]
    if not allowed:
        return _unfinished(dice, options, move)
    exact = [after for after in allowed if sorted(_hits(board, seat, meant[after])) == stars]
    if len(allowed) > 1 and len(exact) != 1:
        return Objection(
            f"'{move}' can be played with or without a hit on the way; name every point where the"
            " man stops.",
            DICE_RULES,
        )
    return legal[(exact or allowed)[0]]


def _played_out(own: int, open_points: int, dice: tuple[int, ...], ways: Ways) -> Iterator[Option]:
    """Every option, in every order of dice and men, that plays these ways by single legal steps."""
    if not ways:
        yield ()
        return
    for die in set(dice):
        left = list(dice)
        left.remove(die)
        for number in sources(own, open_points, die):
            step = STEPS[number]
            for at, (source, target) in enumerate(ways):
                if source != step.source or step.target < target or source == target:
                    continue
                further = () if step.target == target else ((step.target, target),)
                rest = ways[:at] + further + ways[at + 1 :]
                for after in _played_out(own + SHIFTS[number], open_points, tuple(left), rest):
                    yield (number, *after)
                break


def _hits(board: BackgammonBoard, seat: Seat, option: Option) -> list[int]:
    return [step.target for step in move_of(board, seat, option).steps if step.hits]


def _unfinished(dice: Dice, options: Sequence[Option], move: Move) -> Objection:
    """The objection to a possible move that leaves a die, or the larger die, unplayed (BG-08)."""
    most = len(options[0])
    if most > 1:
        count = f"{most} dice" if dice[0] != dice[1] else f"{most} steps"
        sentence = f"'{move}' leaves a die unplayed; {count} of {_shown(dice)} can be played."
    else:
        die, one = options[0][0] >> 5, f"only one die of {_shown(dice)} can be played"
        sentence = f"'{move}' plays the smaller die; {one}, which has to be the {die}."
    return Objection(sentence, "BG-08")


def _objection(board: BackgammonBoard, dice: Dice, open_points: int, move: Move) -> Objection:
    """The most important objection to a move that cannot be played at all."""
    seat = move.seat
    if board.men(seat, BAR) and not any(step.source == BAR for step in move.steps):
        return Objection(
            f"Seat {seat} has a man on the bar, who has to enter before another man moves.",
            "BG-07",
        )
    arrived: set[int] = set()
    for step in move.steps:
        if not board.men(seat, step.source) and step.source not in arrived:
            return Objection(f"Seat {seat} has no man on {name_of(step.source)}.", DICE_RULES)
        arrived.add(step.target)
        if step.target != OFF and not open_points >> 4 * step.target & 1:
            held = board.men(1 - seat, BAR - step.target)
            return Objection(
                f"Point {step.target} is made: {held} men of seat {1 - seat} are on it.", "B4"
            )
    for step in move.steps:
        objection = _step_objection(board, dice, step, seat)
        if objection:
            return objection
    return Objection(
        f"'{move}' cannot be played with {_shown(dice)}, in either order of the dice.", DICE_RULES
    )


def _step_objection(board: BackgammonBoard, dice: Dice, step: Step, seat: Seat) -> Objection | None:
    rearmost = max(board.where(seat))
    if step.target == OFF and rearmost > HOME and step.source <= HOME:
        return Objection(
            f"No man is borne off before all men are home; seat {seat} has a man on"
            f" {name_of(rearmost)}.",
            "BG-11",
        )
    reach = {dice[0], dice[1], sum(dice)}
    if dice[0] == dice[1]:
        reach |= {3 * dice[0], 4 * dice[0]}
    if step.target != OFF and step.source - step.target not in reach:
        way = f"from {name_of(step.source)} to {name_of(step.target)}"
        return Objection(f"{_shown(dice)} moves no man {way}.", DICE_RULES)
    if step.target == OFF and step.source < max(dice) and step.source < rearmost:
        return Objection(
            f"A die that is higher than the point bears off from the rearmost point, {rearmost},"
            f" not from {step.source}.",
            "BG-10",
        )
    return None


def _shown(dice: Dice) -> str:
    return "-".join(map(str, dice))
