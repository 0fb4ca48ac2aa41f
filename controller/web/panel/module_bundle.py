"""Joins ES modules of the panel into one script, for pages that load nothing.

Each module becomes a function that returns its exports; imports become constants. The modules have
to be written in the style of the panel: static imports with braces at the beginning of a line, and
`export` before a function, a class or a constant.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from rules.errors import WallwrightError

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
