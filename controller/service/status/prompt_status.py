"""The part of the status that describes the open prompts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from controller.service.status.choice import Value
from controller.service.user_roles import UserRole


class PromptChoice(Value):
    """One answer that a prompt offers."""

    value: str
    label: str


PromptKind = Literal["fault", "step", "choice", "dice", "face", "act", "seats"]


class OpenPrompt(Value):
    """A question to people that is still open.

    `fault` asks to remove a fault, `step` to do something by hand, `choice` for one of `choices`,
    `dice` for faces such as `3,5`, `face` for a tile, `act` for a player's action, `seats` to move.
    An answer names the prompt's id; the same answer twice counts once.
    """

    id: str
    kind: PromptKind
    role: UserRole
    text: str
    code: str = Field(default="", description="Fault code, or the question of a choice.")
    part: str = ""
    evidence: str = ""
    request: str = ""
    seats: tuple[int, ...] = Field(default=(), description="Seats that may answer.")
    choices: tuple[PromptChoice, ...] = ()
    more: bool = Field(default=False, description="Whether more answers exist than are listed.")
    declarations: tuple[str, ...] = Field(
        default=(),
        description="Actions that are not listed: `win` with the tiles it shows, `false win`.",
    )
    default: str = ""
    safety: bool = Field(default=False, description="Whether the table is paused until the answer.")
    lit: tuple[str, ...] = Field(default=(), description="Places that the step names.")
    dice: int = Field(default=0, description="Faces that a prompt of the kind `dice` asks for.")
    since: float = 0.0
