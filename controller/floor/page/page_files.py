"""The files of the floor's page: its own, and those of a table's panel that it shares.

A file of the floor replaces the panel's file of the same name. The message catalogues of both are
joined: a message that the floor does not have in a language is the panel's, or else English.
"""

from __future__ import annotations

import json
from importlib import resources

from controller.web.panel.pages import PanelApp, PanelFile, file_of, files_of

SHARED = (
    *("style/tokens.css", "style/controls.css", "style/frame.css", "style/views.css"),
    *("style/icon.svg", "vendor/htm_preact.js", "vendor/LICENSE-htm.txt"),
    *("vendor/LICENSE-preact.txt", "vendor/VENDORED.md", "data/messages.js", "data/settings.js"),
    *("frame/dialog.js", "frame/hooks.js", "frame/icons.js", "frame/kept_focus.js"),
    *("frame/notice.js", "frame/settings_dialog.js", "frame/save_file.js"),
    *("views/sign_in.js", "service/users.js", "service/devices.js", "session/schema_form.js"),
    "start.js",
)
"""The panel's files that the floor's page uses."""
_MESSAGES = "messages/"


def page_app() -> PanelApp:
    """The floor's page as an ASGI application. Raises OSError if a file cannot be read."""
    return PanelApp(page_files())


def page_files() -> dict[str, PanelFile]:
    """Every file of the page, by its path."""
    panel = dict(files_of(resources.files("controller.web.panel") / "static"))
    own = dict(files_of(resources.files("controller.floor.page") / "static"))
    chosen = {name: panel[name].read_bytes() for name in SHARED}
    chosen |= {name: file.read_bytes() for name, file in own.items()}
    english = json.loads(chosen[f"{_MESSAGES}en.json"])
    for name, file in panel.items():
        if name.startswith(_MESSAGES):
            floor = json.loads(chosen.get(name, b"{}"))
            joined = {**json.loads(file.read_bytes()), **english, **floor}
            chosen[name] = json.dumps(joined, ensure_ascii=False).encode()
    return {name: file_of(name, body) for name, body in chosen.items()}
