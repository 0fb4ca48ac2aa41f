"""Writes docs/operate/CASES.md: every key of every judge's case, with its type and its default.

Meanings are the docstrings under the fields of each game's `Case`, and types are their annotations.
The example of each game is the one that `wallwright judge GAME --example` prints.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, get_args, get_type_hints

from config.judge_cases import example_case
from rules.games import GAMES, PLUGINS, judging_of
from tools.configuration_page import field_meanings, type_in_words

_INTRODUCTION = """\
# Cases for the judge

*Generated from the cases in `rules/games/GAME/` by `make docs`; a test checks that it is current.*

`wallwright judge GAME CASE.yaml` reads a position on the table from a YAML file. It prints whether
the claim is valid, its class, and who pays whom. `wallwright judge GAME --example` prints a case to
start with. The same examples are in `examples/cases/` and below.

```console
$ wallwright judge wenzhou --example > case.yaml
$ wallwright judge wenzhou case.yaml
```

`wallwright replay evening.jsonl --case dispute.yaml --hand 3` makes a case of a recorded hand;
`--seat` names the player at pai gow. The case asks about the end of the hand: the win that was
claimed, with all seats that claimed it; the score of the dominoes, or the tile that won the game;
who went out first; the last move at backgammon; one player against the bank. A drawn hand, a
refused double and a hand with tiles that were not recorded have no case. The judge leaves out
payments that do not belong to the case, such as bonuses during the hand and other players' bets.

Tiles are written as `5m` (characters), `5p` (circles), `5s` (bamboo), `1z` to `7z` (E S W N, White,
Green, Red), `1f` to `8f` (flowers); `6-4` is a domino or a pai gow tile, `10s` or `Kd` a card.
Seats count from 0, counter-clockwise. A case can name its `game`. If the name differs from that of
the command, the case is refused, so a file of another game is never judged by mistake.

A case that cannot occur on a table is refused with the line, the value and the rule, before it is
judged: a claim on one's own discard, five tiles of a kind, a seat that does not exist. A key that
is not listed here is an error as well.

Rule numbers in a verdict, such as (W24), are explained on the game's page in [rules/](../rules/).
`parameters:` contains the house rules; their names and defaults are in
[CONFIGURATION.md](../build/CONFIGURATION.md#parameters-of-the-games).
"""


_QUESTIONS = """\
## Other questions

A case with the key `ask` is another question than the usual claim: a discard, a call of an auction,
the cube, a kong, the next dealer. It has the keys of its own table below. "The claim is valid" then
means yes. For example, who deals after a drawn hand of Wenzhou mahjong with a kong:

```yaml
ask: dealer
dealer: 2
streak: 4
kongs: 1
```

Not a question of the judge are the set-up and the deal, which `wallwright plan` prints (cases WZ-01
to WZ-04, WZ-07, FM-03 to FM-08), and the cards of a whole round of Da San. Dominoes have no other
questions: their case covers a lay, a draw, a pass and the points of a hand.
"""


def page() -> str:
    """Return the text of docs/operate/CASES.md."""
    lines = [_INTRODUCTION]
    shared: dict[type[Any], list[str]] = {}
    for name in GAMES:
        if PLUGINS.is_own(name) and PLUGINS[name].judging is not None:
            shared.setdefault(judging_of(name).case, []).append(name)
    lines += _QUESTIONS.split("\n")
    for case, names in shared.items():
        titles = ", ".join(GAMES[name].title for name in names)
        lines += [f"## {titles}", "", *_table(case), ""]
        for part in _parts(case):
            lines += [f"Each of the `{_list_of(case, part)}`:", "", *_table(part), ""]
        for name in names:
            lines += [f"`wallwright judge {name}`:", "", "```yaml"]
            lines += [*example_case(name).rstrip("\n").split("\n"), "```", ""]
        for ask, question in judging_of(names[0]).questions.items():
            about = " ".join((question.__doc__ or "").split())
            lines += [f"`ask: {ask}`: {about}", "", *_table(question), ""]
            for part in _parts(question):
                lines += [f"Each of the `{_list_of(question, part)}`:", "", *_table(part), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(case: type[Any]) -> Iterator[str]:
    """Yield the rows of a table of keys, one row for each field of the case."""
    meanings, hints = field_meanings(case), get_type_hints(case)
    yield "| key | value | default | meaning |"
    yield "|---|---|---|---|"
    for field in fields(case):
        kind = type_in_words(hints[field.name], [])
        if is_dataclass(hints[field.name]):
            kind = "a mapping of parameters"
        elif _part(hints[field.name]) is not None:
            kind = "list of mappings, below"
        meaning = meanings[field.name].replace("|", "\\|")
        yield f"| `{field.name}` | {kind} | {_default(field)} | {meaning} |"


def _default(field: Field[Any]) -> str:
    if field.name == "game":
        return "the command's"
    if field.default_factory is not MISSING:
        return "the game's own"
    if field.default is MISSING:
        return "required"
    return "none" if field.default in (None, ()) else f"`{json.dumps(field.default)}`"


def _parts(case: type[Any]) -> Iterator[type[Any]]:
    """Yield the dataclass of the items of each field that is a list of mappings."""
    for hint in get_type_hints(case).values():
        part = _part(hint)
        if part is not None:
            yield part


def _part(hint: Any) -> type[Any] | None:
    """Return the dataclass of a list's items, or None if the field is not a list of dataclasses."""
    for part in get_args(hint):
        if isinstance(part, type) and is_dataclass(part):
            return part
    return None


def _list_of(case: type[Any], part: type[Any]) -> str:
    return next(name for name, hint in get_type_hints(case).items() if _part(hint) is part)
