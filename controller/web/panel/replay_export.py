"""Exports a recorded hand as one HTML page that opens anywhere, without a request to any host.

The page contains the picture's modules, its style, the geometry and the events. Its content
security policy forbids every request, so that the browser blocks them too.

ES modules are joined into one script: each becomes a function that returns its exports, and imports
become constants. The modules have to be written in the style of the panel: static imports with
braces at the beginning of a line, and `export` before a function, a class or a constant.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources

from config.errors import ConfigErrors
from config.loader import load_game
from config.schema import Table
from controller.events import EventName
from controller.service.port import HandRecord
from controller.service.status import GameChoice
from controller.web.panel.geometry import geometry
from controller.web.panel.scene_geometry import TableGeometry
from rules.dice import Dice
from rules.errors import RulesError, WallwrightError

_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"([^"]+)";\s*$', re.MULTILINE)
_EXPORT = re.compile(r"^export\s+(?:async\s+)?(?:function|class|const|let)\s+(\w+)", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)

ReadModule = Callable[[str], str]
"""Returns the text of a module by its path, such as `replay/player.js`."""


class BundleError(WallwrightError, ValueError):
    """Raised for a module with an import or export that cannot be joined into one script."""


def bundle(entry: str, read: ReadModule) -> str:
    """Join a module and everything that it imports; the exports of `entry` are in `bundle`.

    Raises BundleError for an import or export in another form, and for a circle of imports.
    """
    ordered: dict[str, str] = {}
    _add(entry, read, ordered, ())
    numbers = {path: number for number, path in enumerate(ordered)}
    parts = [
        f"const m{numbers[path]} = (() => {{\n{code}\n}})();" for path, code in ordered.items()
    ]
    for path, number in numbers.items():
        parts = [part.replace(f"@module:{path}@", f"m{number}") for part in parts]
    return "\n".join((*parts, f"const bundle = m{numbers[entry]};"))


def _add(path: str, read: ReadModule, ordered: dict[str, str], within: tuple[str, ...]) -> None:
    if path in ordered:
        return
    if path in within:
        raise BundleError(
            f"{path} imports itself through {within[-1]}; move what both need to a third module."
        )
    source = read(path)
    folder = posixpath.dirname(path)

    def imported(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, found[2]))
        _add(target, read, ordered, (*within, path))
        return f"const {{{found[1].replace(' as ', ': ')}}} = @module:{target}@;"

    code = _IMPORT.sub(imported, source)
    names = _EXPORT.findall(code)
    code = _EXPORT.sub(lambda found: found[0].removeprefix("export").lstrip(), code)
    if left := _OTHER.search(code):
        raise BundleError(
            f"{path}: '{left[0]}' cannot be joined; write `import {{name}} from \"./file.js\";` or"
            " `export` before a function, a class or a constant."
        )
    ordered[path] = f"{code.strip()}\nreturn {{ {', '.join(names)} }};"


HIDDEN = (EventName.TILES_REVEALED,)
"""Events that are left out: they contain identities of tiles that players did not see."""

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
html {{ color-scheme: light dark; background: Canvas; color: CanvasText; }}
body {{ margin: 0; padding: 0.6rem; font-family: system-ui, sans-serif; }}
h1 {{ margin: 0 0 0.5rem; font-size: 1.1rem; text-align: center; }}
{style}
</style>
</head>
<body>
<h1>{title}</h1>
<main id="replay"></main>
<script type="application/json" id="record">{record}</script>
<script>
"use strict";
{script}
const record = JSON.parse(document.getElementById("record").textContent);
window.replay = bundle.mountReplay(
  document.getElementById("replay"), record.geometry, record.events, {{}});
</script>
</body>
</html>
"""


def export_replay(record: HandRecord, geometry: TableGeometry) -> str:
    """The page of one recorded hand, as HTML text."""
    title = f"Hand {record.number}: {geometry.game_title or 'table'}, {geometry.title}"
    return replay_page(title, record.events, geometry)


def recorded_geometry(record: HandRecord, table: Table, choice: GameChoice) -> TableGeometry:
    """The geometry of a recorded hand, with the slots that follow from its throws and choices.

    A record without all throws, such as that of an abandoned deal, has the slots of a forecast.
    Raises ConfigErrors and RulesError for a choice that does not fit the table.
    """
    config = load_game(choice.game)
    throws: list[Dice] = []
    answers: dict[str, int | str] = {}
    for event in record.events:
        match event:
            case {"event": EventName.DICE_THROWN, "dice": list(dice)}:
                throws.append(tuple(dice))
            case {
                "event": EventName.CHOICE_MADE,
                "what": str(what),
                "answer": int() | str() as answer,
            }:
                answers[what] = answer
            case {"event": EventName.READY, "dealer": int(dealer)}:
                choice = choice.model_copy(update={"dealer": dealer})
                break
    try:
        return geometry(table, config, choice, throws, answers)
    except (RulesError, ConfigErrors):
        return geometry(table, config, choice)


def replay_page(title: str, events: Sequence[Mapping[str, object]], geometry: TableGeometry) -> str:
    """A page that replays these events on this geometry."""
    shown = [event for event in events if event.get("event") not in HIDDEN]
    record = {"geometry": geometry.model_dump(mode="json"), "events": shown}
    return _PAGE.format(
        title=html.escape(title),
        style=_style(),
        script=_script(),
        record=_inline(json.dumps(record, separators=(",", ":"), ensure_ascii=False)),
    )


def _inline(text: str) -> str:
    """JSON that cannot end the script element in which it is."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def _style() -> str:
    return f"{_read('scene.css')}\n{_read('replay/replay.css')}"


@cache
def _script() -> str:
    return bundle("replay/player.js", _read)


def _read(path: str) -> str:
    return (resources.files("controller.web.panel") / "static/scene" / path).read_text("utf-8")
