"""The games that a table can be asked to choose, with the forms of their house rules."""

from __future__ import annotations

from config.loader import game_names, load_game
from config.validation.house_rules_form import house_rules_form
from controller.web.api.json_text import json_text
from controller.web.api.worker_thread import WorkerThread
from rules.games import find_game


class GameChoices:
    """Makes the list once, in a thread: all games are imported for it."""

    def __init__(self) -> None:
        self._worker = WorkerThread("games")
        self._text = ""

    async def text(self) -> str:
        """The list as a JSON text. Raises WorkerBusyError."""
        if not self._text:
            self._text = await self._worker.run(_games_text)
        return self._text

    def close(self) -> None:
        """End the thread."""
        self._worker.close()


def _games_text() -> str:
    games = [
        {
            "name": name,
            "title": find_game(name).title,
            "house_rules": house_rules_form(load_game(name)),
        }
        for name in game_names()
    ]
    return json_text({"games": games})
