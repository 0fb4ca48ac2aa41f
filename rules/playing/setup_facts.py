"""Runs a set-up without a machine, and converts it to plain JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rules.dice import Dice
from rules.errors import IllegalSetupError, MissingThrowError
from rules.geometry import Break, CardPlace, WallPlace
from rules.setup import Setup
from rules.steps import Arrange, Choose, Facts, Packet, Replace, Throw, TurnUp, layout_facts

FIRST_REPLACEMENTS = 6


def settle(
    setup: Setup, throws: Iterable[Dice] = (), answers: Mapping[str, int | str] | None = None
) -> Setup:
    """Runs a set-up to its end with these throws, in order, and these answers by their question.

    A question without an answer gets its default. Tiles turned up or drawn as lots stay unknown.
    Raises MissingThrowError if there are too few throws, IllegalSetupError for a throw or an answer
    that the set-up does not ask for, and IllegalOutcomeError for an impossible one.
    """
    given = iter(throws)
    answers = answers or {}
    asked: set[str] = set()
    while (step := setup.pending) is not None:
        match step:
            case Throw():
                dice = next(given, None)
                if dice is None:
                    raise MissingThrowError(step.by, step.dice, step.times, step.why)
                setup = setup.apply(dice)
            case Choose():
                asked.add(step.what)
                setup = setup.apply(answers.get(step.what, step.default))
            case _:
                setup = setup.apply()
    if spare := list(given):
        count = len(setup.throws)
        raise IllegalSetupError(
            f"{setup.game.title} takes {count or 'no'} throw{'s' * (count != 1)}; leave out"
            f" {' and '.join(','.join(map(str, dice)) for dice in spare)}."
        )
    if unasked := sorted(answers.keys() - asked):
        raise IllegalSetupError(
            f"{setup.game.title} does not ask for {' or '.join(unasked)}; leave it out."
        )
    return setup


def facts(setup: Setup) -> Facts:
    """The results of the set-up so far, as the values that `wallwright plan` prints.

    Places are texts. A value that the game does not have, or that is not known yet, is null or
    empty.
    """
    ready = setup.ready
    return {
        "game": setup.game.name,
        "players": setup.seating.players,
        "dealer": setup.seating.dealer,
        "tiles": setup.layout.count,
        **layout_facts(setup.layout),
        "choices": [
            {"by": step.by, "what": step.what, "answer": answer}
            for step, answer in setup.done
            if isinstance(step, Choose)
        ],
        "throws": [
            {"by": step.by, "dice": list(dice), "sum": sum(dice), "why": step.why}
            for step, dice in setup.throws
        ],
        "break": break_facts(ready.opened) if ready and ready.opened else None,
        "setup_moves": [
            _without_step(step.facts())
            for step, _ in setup.done
            if isinstance(step, Arrange) and step.announces
        ],
        "deal": [
            _without_step(step.facts())
            for step, _ in setup.done
            if isinstance(step, Packet | Replace)
        ],
        "indicator": indicator_facts(setup),
        "first_draw": str(ready.draws[0]) if ready and ready.draws else None,
        "replacements": (
            [str(place) for place in ready.replacements[:FIRST_REPLACEMENTS]] if ready else []
        ),
        "left": setup.left,
    }


def break_facts(opened: Break) -> Facts:
    """Where the deal began: the wall and its last remaining column, or the last card that stays."""
    first = str(opened.first)
    match opened.after:
        case WallPlace(owner, column):
            return {"wall": owner, "column": column, "first": first}
        case CardPlace(number):
            return {"after": number, "first": first}
    return {"after": str(opened.after), "first": first}


def indicator_facts(setup: Setup) -> Facts | None:
    """The indicator: its place, the seat that turned it, its face if seen. None without one."""
    if setup.ready is None:
        return None
    for step, outcome in reversed(setup.done):
        if isinstance(step, TurnUp) and step.place == setup.ready.indicator:
            seen = {} if outcome is None else {"tile": outcome}
            return {"at": str(step.place), "turned_by": step.by, **seen}
    return None


def _without_step(step_facts: Facts) -> Facts:
    return {key: value for key, value in step_facts.items() if key != "step"}
