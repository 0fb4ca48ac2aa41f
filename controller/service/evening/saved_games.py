"""The presets: games with house rules that people have saved by a name."""

from __future__ import annotations

from controller.service.evening.evening_store import EveningStore
from controller.service.evening.store_thread import StoreThread
from controller.service.status import GameChoice


class SavedGames:
    """The saved games of one table, which the store keeps."""

    def __init__(self, store: EveningStore, thread: StoreThread) -> None:
        self._thread = thread
        self._choices = {
            name: GameChoice.model_validate(choice) for name, choice in store.presets().items()
        }

    def all(self) -> dict[str, GameChoice]:
        """The saved games with house rules, by name."""
        return dict(self._choices)

    def save(self, name: str, choice: GameChoice) -> None:
        """Save a game with its house rules; a preset with this name is replaced."""
        self._choices[name] = choice
        facts = choice.model_dump(mode="json")
        self._thread.write(lambda store: store.put_preset(name, facts))

    def delete(self, name: str) -> None:
        """Delete a preset. Raises KeyError if there is none with this name."""
        del self._choices[name]
        self._thread.write(lambda store: store.put_preset(name, None))
