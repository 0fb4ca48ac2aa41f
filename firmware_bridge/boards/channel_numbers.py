"""The channels of one board: their names in the configuration and their numbers on the wire."""

from __future__ import annotations

from collections.abc import Iterable

from firmware_bridge.wire.errors import BoardRefusedError


class ChannelNumbers:
    """Numbers the channels of a board in the order of its configuration."""

    def __init__(self, board: str, channels: Iterable[str]) -> None:
        self.names = tuple(channels)
        self._board = board
        self._numbers = {channel: number for number, channel in enumerate(self.names)}

    def number(self, channel: str) -> int:
        """The number of a channel. Raises BoardRefusedError if the board has no such channel."""
        number = self._numbers.get(channel)
        if number is None:
            raise BoardRefusedError(
                f"board {self._board} has no channel {channel}; it has {', '.join(self.names)}."
            )
        return number

    def name(self, number: int) -> str:
        """The name of a channel; "" for a number that no channel has."""
        return self.names[number] if number < len(self.names) else ""
