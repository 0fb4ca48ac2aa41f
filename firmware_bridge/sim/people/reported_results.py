"""The results that simulated people report: random ones that the game's form accepts."""

from __future__ import annotations

from random import Random

from rules.errors import RulesError
from rules.results import DEPTHS, Depth, Result, ResultField, ResultForm, Value

_ATTEMPTS = 50
"""How often `random_result` draws; most forms accept the first or second result."""


def random_result(form: ResultForm, chance: Random) -> Result | None:
    """A random result without tiles that the form accepts; None if no draw was accepted."""
    for _ in range(_ATTEMPTS):
        depth: Depth = "amount" if chance.random() < 0.5 else "who"
        given: dict[str, Value] = {}
        for each in form.fields:
            value = each.known
            asked = all(given.get(name) in values for name, values in each.when)
            is_due = DEPTHS.index(each.depth) <= DEPTHS.index(depth)
            if (
                value is None
                and asked
                and is_due
                and (each.is_needed(depth) or chance.random() < 0.5)
            ):
                value = _random_value(form, each, given.get(each.except_seat), chance)
            if value is not None:
                given[each.name] = value
        try:
            return form.checked(given)
        except RulesError:
            continue
    return None


def _random_value(form: ResultForm, each: ResultField, left_out: Value, chance: Random) -> Value:
    if not each.per_seat:
        return _random_one(form, each, chance)
    return [
        None if seat == left_out else _random_one(form, each, chance) for seat in range(form.seats)
    ]


def _random_one(form: ResultForm, each: ResultField, chance: Random) -> Value:
    match each.kind:
        case "seat":
            return chance.choice(range(form.seats))
        case "choice":
            return chance.choice(each.choices)
        case "number":
            return chance.choice(range(each.least, min(each.most, each.least + 20) + 1))
        case "yes_no":
            return chance.random() < 0.5
    return None
