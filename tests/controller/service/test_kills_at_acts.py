"""Two kills within a second around what people enter: nothing acknowledged is lost or repeated.

Each case is an evening of one table, in which people enter every kind of command that changes the
run, a session or the state of the table. `make evidence` kills at every moment beside an act and at
every moment of the resume; `make test` spreads a few kills over two evenings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from controller.service.status import Status
from firmware_bridge.sim.faults.injected_fault import parse
from tests.controller.service.kills_at_acts import Act, Facts, KillsAtActs
from tests.quick import sampled, tries

NEXT_RULES = {"game": "wenzhou", "house_rules": {"reserve": 20}}
NAMES = {0: "Mei", 2: "Bao"}


def is_asked(kind: str) -> Callable[[Status], bool]:
    """Whether a prompt of this kind is open."""
    return lambda status: any(prompt.kind == kind for prompt in status.prompts)


def is_playing(status: Status) -> bool:
    """Whether a hand is played."""
    return status.machine.top == "playing"


def act(
    name: str,
    can_act: Callable[[Status], bool],
    command: str,
    arguments: dict[str, object],
    takes: float = 5.0,
    **expected: object,
) -> Act:
    """An act whose arguments and effect do not depend on the table."""
    facts = {key.replace("_", " "): value for key, value in expected.items()}
    return Act(
        name, can_act, lambda people: (command, arguments), lambda before, given: facts, takes
    )


def start(game: str, **choice: object) -> Act:
    """Begin a session."""
    arguments: dict[str, object] = {"choice": {"game": game, **choice}}
    return act("start a session", lambda status: True, "start_session", arguments, sessions=1)


def answer(name: str, kind: str, expected: Callable[[Any, str], Facts], value: str = "") -> Act:
    """Answer a prompt: with `value`, the action that the player has chosen, or what it proposes."""

    def command(people: KillsAtActs) -> tuple[str, dict[str, object]]:
        prompt = people.prompt(kind)
        chosen = people.action() if kind == "act" else prompt.default or prompt.choices[0].value
        return "answer", {"prompt": prompt.id, "value": value or chosen}

    return Act(
        name, is_asked(kind), command, lambda before, given: expected(before, given["value"])
    )


def after_action(before: Any, value: str) -> Facts:
    """One action more in the hand and in the journal."""
    action = value.partition(" ")[2]
    return {"acts": before["acts"] + 1, "actions": (*before["actions"], action)}


ACTION = answer("enter an action", "act", after_action)
CHOICE = answer(
    "answer a choice", "choice", lambda before, value: {"answers": (*before["answers"], value)}
)
REPAIR = answer("answer a fault", "fault", lambda before, value: {"repairs": before["repairs"] + 1})
STEP = Act(
    "confirm a step",
    lambda status: bool(status.prompts),
    lambda people: ("answer", people.confirmation()),
)
STOP = answer(
    "stop at a fault", "fault", lambda before, value: {"repairs": before["repairs"] + 1}, "stop"
)
CORRECTION = Act(
    "take an action back",
    is_asked("act"),
    lambda people: ("correct", {"acts": 1, "reason": "a wrong tile"}),
    lambda before, given: {
        "acts": before["acts"] - 1,  # type: ignore[operator]
        "corrections": before["corrections"] + 1,  # type: ignore[operator]
    },
)
SHARE = act("add a share", is_asked("act"), "add_share", {"seat": 0, "share": "0011"}, shares=1)
PAUSE = act("pause", is_playing, "pause", {}, paused=True)
RESUME = act("resume", lambda status: bool(status.pause), "resume", {}, paused=False)
NAMING = act("name players", is_playing, "name_players", {"names": NAMES}, names=NAMES)
NEXT = act("choose the next game", is_playing, "choose_next", {"choice": NEXT_RULES}, next=20)
OUT = act(
    "take the table out of play",
    is_playing,
    "take_out_of_play",
    {},
    out_of_play=True,
    ending=True,
)
KEY = act("press the lid's key", is_playing, "press_lid_key", {})
ABANDON = act(
    "abandon the round",
    lambda status: status.service.state == "fault",
    "clear_fault",
    {"abandon": True},
    put_away=True,
    takes=120.0,
)


@dataclass(frozen=True)
class Evening:
    """One table with the acts of its people."""

    name: str
    table: str
    acts: tuple[Act, ...]
    faults: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name


JAM = "jam:head2#30~99"
EVENINGS = [
    Evening(
        "dominoes",
        "robotic",
        (
            *(start("block", follow_play=True), ACTION, ACTION, CORRECTION, SHARE, ACTION),
            *(PAUSE, RESUME, KEY),
        ),
    ),
    Evening(
        "a claimed discard",
        "robotic",
        (start("wenzhou", follow_play=True), *[ACTION] * 5, NAMING, NEXT, OUT),
    ),
    Evening(
        "a jam and a given-up round",
        "robotic",
        (start("wenzhou", follow_play=False), REPAIR, STOP, ABANDON),
        (JAM, "jam:head2#60~99"),
    ),
    Evening("choices", "robotic", (start("filipino", follow_play=True), CHOICE, ACTION)),
    Evening("a small table", "classic", (start("wenzhou", follow_play=True), *[STEP] * 6)),
]


@pytest.mark.evidence
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("evening", sampled(2, EVENINGS), ids=str)
def test_two_kills_within_a_second_around_what_people_enter_lose_and_repeat_nothing(
    evening: Evening, tmp_path: Path
) -> None:
    every = tries(23, quick=23, evidence=1)
    killed = KillsAtActs(
        evening.table,
        evening.acts,
        every=every,
        first=every // 2,
        second_every=tries(7, quick=7, evidence=1),
        injected_faults=tuple(map(parse, evening.faults)),
    )
    killed.play(tmp_path)
    assert killed.wrong == []
    assert killed.counts["second kills"] > killed.counts["first kills"] > 0
    print(killed.coverage)  # noqa: T201 a measurement
