"""The hand at a board under test: a person who is prompted, or a relay that presses by itself.

A relay is described by a YAML file: its port, and the bytes that close and open each contact, as
text or in hexadecimal. Any USB relay card, and a second board in between, can be described so.

    port: /dev/ttyUSB0
    baud: 9600
    settle: 0.05          # seconds until the contact has its position
    actions:
      emergency: {press: "A0 01 01 A2", release: "A0 01 00 A1"}
      power: {press: "A0 02 01 A3", release: "A0 02 00 A2"}

The actions are `emergency`, `curtain`, `reset` (the board's reset button) and `power` (its supply).
`press` opens the safety contact, closes the reset button or cuts the supply; `release` ends it.
"""

from __future__ import annotations

import asyncio
import os
import select
import time
from typing import Protocol

import serial
from pydantic import ValidationError

from config.loader import read
from config.schema.part import Part, Seconds
from firmware_bridge.wire.transport import exclude_others

ACTIONS = ("emergency", "curtain", "reset", "power")
PERSON = "person"
TERMINAL = "/dev/tty"
LONGEST_ANSWER = 300.0
"""Seconds that a person has to do what is asked, and to answer."""

_TEXTS = {
    ("emergency", True): "Press the emergency stop.",
    ("emergency", False): "Release the emergency stop.",
    ("curtain", True): "Interrupt the light curtain (open pin 21), and leave it so.",
    ("curtain", False): "Free the light curtain (close pin 21).",
    ("reset", True): "Press the reset button of the board, and hold it.",
    ("reset", False): "Release the reset button.",
    ("power", True): "Pull the supply of the board. Leave the data line connected if you can.",
    ("power", False): "Connect the supply again.",
}


class Hand(Protocol):
    """Presses and releases a contact of the board under test."""

    @property
    def actions(self) -> frozenset[str]:
        """The contacts that it can press."""

    async def press(self, action: str, pressed: bool) -> None:
        """Press or release a contact; return when it has its position."""


class PersonHand:
    """Prompts a person at the terminal, who types the word when it is done.

    `press` raises TimeoutError without an answer in `LONGEST_ANSWER` seconds, and EOFError for a
    closed terminal.
    """

    actions = frozenset(ACTIONS)

    async def press(self, action: str, pressed: bool) -> None:
        text = _TEXTS[action, pressed]
        await asyncio.get_running_loop().run_in_executor(None, self._ask, text)

    def _ask(self, text: str) -> None:
        prompt = f"\n{text} Type 'done': "
        ends = time.monotonic() + LONGEST_ANSWER
        terminal = os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY)
        try:
            os.write(terminal, prompt.encode())
            while select.select([terminal], [], [], max(ends - time.monotonic(), 0.0))[0]:
                answer = os.read(terminal, 1024)
                if not answer:
                    raise EOFError(f"The terminal was closed at the question: {text}")
                if answer.decode(errors="replace").strip().lower() == "done":
                    return
                os.write(terminal, prompt.encode())
        finally:
            os.close(terminal)
        raise TimeoutError(f"Nobody answered in {LONGEST_ANSWER:g} s: {text}")


class Contact(Part):
    """The bytes that press and release one contact: hexadecimal, or text that ends with a line."""

    press: str
    release: str


class RelayConfig(Part):
    """A relay card on a serial port."""

    port: str
    baud: int = 9600
    settle: Seconds = 0.05
    text: bool = False
    """Whether the actions are lines of text instead of hexadecimal bytes."""
    actions: dict[str, Contact]


class RelayHand:
    """Presses the contacts by a relay card."""

    def __init__(self, config: RelayConfig) -> None:
        self._config = config
        self.actions = frozenset(config.actions)

    async def press(self, action: str, pressed: bool) -> None:
        contact = self._config.actions[action]
        written = contact.press if pressed else contact.release
        data = f"{written}\n".encode() if self._config.text else bytes.fromhex(written)
        with serial.Serial(self._config.port, self._config.baud, exclusive=True) as port:
            exclude_others(port.fileno(), self._config.port)
            os.write(port.fileno(), data)
            port.flush()
            await asyncio.sleep(self._config.settle)


def hand_named(name: str) -> Hand:
    """`person`, or the relay card of a YAML file.

    Raises ValueError for a file that is not one, and for a person without a terminal.
    """
    if name == PERSON:
        if not _has_terminal():
            raise ValueError("--hand person: there is no terminal to ask at; give a relay's file.")
        return PersonHand()
    try:
        config = RelayConfig.model_validate(read(name).value, strict=False)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise ValueError(f"{name}: {place}: {first['msg']}; see hil_tests/hands.py.") from None
    unknown = config.actions.keys() - set(ACTIONS)
    if unknown:
        raise ValueError(f"{name}: {min(unknown)} is no action; give one of {', '.join(ACTIONS)}.")
    return RelayHand(config)


def _has_terminal() -> bool:
    try:
        os.close(os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True
