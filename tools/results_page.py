"""Writes docs/reference/RESULTS.md: of which fields the result of a hand consists, for every game.

The fields are those of the form that the game declares (`ResultForm.facts`), in the game's default
house. A field or a choice that only another house has is found by changing each parameter of the
house, and a second one in a house that has more fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field, fields, replace
from typing import Any, get_args, get_type_hints

from rules.errors import RulesError
from rules.games import GAMES, PLUGINS, find_game, results_of, rules_of

_INTRODUCTION = """\
# Results of hands

*Generated from the forms in `rules/games/GAME/results.py` by `make docs`; a test checks that it is
current.*

At a table where nobody enters the discards, people report how a hand ended: its result. A result
gives the payments and the next dealer by the same functions as a followed hand
([decision 75](../decisions/0075-a-result-is-a-value.md)). In a program it is a mapping of these
fields: [RULES_LIBRARY](RULES_LIBRARY.md#results).

A result has one of three depths. `who` gives the next dealer; its payments are not counted.
`amount` also gives the payments. With `tiles` the judge reads the tiles, and a hand that does not
win is refused. "Needed" names the shortest result that needs the field; a field without it can be
left out. People need not give what the table knows from its set-up, such as the tile turned up.

Tiles are written as in [cases for the judge](../operate/CASES.md). Seats count from 0. Rule numbers
such as (W31) are explained on the game's page in [rules/](../rules/).
"""
Form = dict[str, Any]
"""A form or one of its fields, as JSON values (`ResultForm.facts`)."""
_COLUMNS = ("field", "what it says", "value", "depth", "needed", "asked", "rule")
_KINDS = {
    "seat": "a seat",
    "seats": "a list of seats",
    "yes_no": "true or false",
    "tile": "a tile",
    "tiles": "a list of tiles",
    "sets": "a list of sets",
}
_IN_A_HOUSE = "in a house with "
_MOST_CHOICES = 8
"""A choice among more values than this is described by their number."""


def page() -> str:
    """The page as a whole."""
    titles: dict[str, list[str]] = {}
    for game in GAMES:
        if PLUGINS.is_own(game) and PLUGINS[game].results is not None:
            titles.setdefault("\n".join(_table(game)), []).append(find_game(game).title)
    parts = [f"## {', '.join(names)}\n\n{table}\n" for table, names in titles.items()]
    return "\n".join([_INTRODUCTION, *parts])


def _table(game: str) -> Iterator[str]:
    """The rows of a game's table, with the fields of other houses at the places that they have."""
    house = find_game(game).parameters()
    seats, usual = _fields(game, house)
    rows = {each["name"]: (each, "") for each in usual}
    more = _more_choices(game, house, usual)
    for changed, words in _houses_with_more(game, house, usual):
        _, found = _fields(game, changed)
        for at, each in enumerate(found):
            if each["name"] not in rows:
                names = list(rows)
                before = found[at - 1]["name"] if at else ""
                place = names.index(before) + 1 if before in names else len(names)
                names.insert(place, each["name"])
                rows[each["name"]] = (each, words)
                rows = {name: rows[name] for name in names}
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "|" + "---|" * len(_COLUMNS)
    for each, words in rows.values():
        cells = (
            f"`{each['name']}`",
            each["words"],
            "; ".join((_value(each), *more.get(each["name"], ()))),
            each["depth"],
            each.get("needed", ""),
            ", ".join(filter(None, (_condition(each, seats), words))),
            each.get("rule", ""),
        )
        yield f"| {' | '.join(cells)} |"


def _houses_with_more(game: str, house: Any, usual: list[Form]) -> Iterator[tuple[Any, str]]:
    """The houses with one other parameter, then those with a second one besides a new field."""
    names = {each["name"] for each in usual}
    others = list(_other_houses(house))
    yield from others
    for changed, words in others:
        if {each["name"] for each in _fields(game, changed)[1]} > names:
            for again, second in _other_houses(changed):
                yield again, f"{words} and {second.removeprefix(_IN_A_HOUSE)}"


def _more_choices(game: str, house: Any, usual: list[Form]) -> dict[str, list[str]]:
    """The choices that a field has in another house only, in words, by the field's name."""
    known = {each["name"]: set(each["choices"]) for each in usual if each["kind"] == "choice"}
    more: dict[str, list[str]] = {}
    for changed, words in _other_houses(house):
        for each in _fields(game, changed)[1]:
            for choice in each.get("choices", ()):
                if each["name"] in known and choice not in known[each["name"]]:
                    known[each["name"]].add(choice)
                    more.setdefault(each["name"], []).append(f"`{choice}` {words}")
    return more


def _fields(game: str, house: Any) -> tuple[int, list[Form]]:
    """The seats, and the fields of a hand in that house whose set-up the table did not see."""
    match = rules_of(game).match(house, find_game(game).players[0], 0)
    form: Form = results_of(game).form(match, None).facts()
    return form["seats"], form["fields"]


def _other_houses(house: Any) -> Iterator[tuple[Any, str]]:
    """Each house that differs from this one in one parameter, and that difference in words."""
    types = get_type_hints(type(house))
    for parameter in fields(house):
        for value in _other_values(
            parameter, types[parameter.name], getattr(house, parameter.name)
        ):
            try:
                changed = replace(house, **{parameter.name: value})
            except RulesError:
                continue  # the value is possible only together with another one
            yield changed, f"{_IN_A_HOUSE}{_in_words(parameter.name, value)}"


def _other_values(parameter: Field[Any], kind: Any, usual: Any) -> Iterator[Any]:
    if isinstance(usual, bool):
        yield not usual
    elif isinstance(usual, int) and usual == 0:
        yield 1
    elif isinstance(usual, str):
        yield from (value for value in get_args(kind) if value != usual)


def _in_words(name: str, value: Any) -> str:
    if value is True or value is False or isinstance(value, str):
        return f"`{name}: {_in_yaml(value)}`"
    return f"`{name}` of at least {value}"


def _in_yaml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(each: Form) -> str:
    match each["kind"]:
        case "choice" if len(each["choices"]) <= _MOST_CHOICES:
            words = ", ".join(f"`{choice}`" for choice in each["choices"])
        case "choice":
            words = f"one of {len(each['choices'])} values"
        case "number":
            words = f"{each['least']} to {each['most']}"
        case kind:
            words = _KINDS[kind]
    return f"{words}, for each seat" if each.get("per_seat") else words


def _condition(each: Form, seats: int) -> str:
    """The other fields with which this one is asked, in words."""
    asked = []
    for name, values in each.get("when", {}).items():
        if values == list(range(seats)):
            asked.append(f"with a `{name}`")
        elif values == [None]:
            asked.append(f"without a `{name}`")
        else:
            asked.append(f"if `{name}` is {' or '.join(f'`{_in_yaml(one)}`' for one in values)}")
    asked = [" and ".join(asked)] if asked else []
    if "unless" in each:
        asked.append(f"not needed with `{each['unless']}`")
    return ", ".join(asked)
