"""The guide of the service: opens a prompt for each step, choice, action and fault.

On a simulated table the simulated people do the work of hands: they move tiles and repair faults.
They also choose and act, unless a person has taken that over.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from config.layout.staging import Staging
from controller.faults.catalogue import CATALOGUE, Fault
from controller.operator.questions import answer, legal_action, question, take_back_request
from controller.service.prompts.open_prompts import AnswerRefusedError, OpenPrompts
from controller.service.status import OpenPrompt, PromptChoice, PromptKind
from controller.service.user_roles import UserRole, role_for
from firmware_bridge.guide import Ask, Guide, HandToPlay, TakeBack
from rules.play import Action, AnyRules, Reseated, Settlement
from rules.steps import Choose, DrawLot, Outcome, Packet, Replace, Step, Throw, TurnUp

LISTED = 200
"""Number of answers that a prompt lists; further ones are typed."""
THROW = "throw"
"""The answer that has the dice thrown."""
SIMULATED = "simulated player"
"""The answer that lets a simulated player act."""


class SimulatedHands(Guide, Protocol):
    """The people of a simulated table."""

    def decides(self, step: Step) -> bool:
        """Whether the tiles decide the answer to a step, so that only these people can give it."""

    def take_action(self, play: Any, action: Action) -> None:
        """Do what a person has entered for a player. Raises IllegalActionError."""

    def repair(self, ask: Ask) -> None:
        """Do the work that a prompt asks for, at once."""

    def let_people_end_rounds(self, *, alone: bool) -> None:
        """Set whether the simulated people end each round by themselves."""


@dataclass(frozen=True)
class _Act:
    """An action that a person has entered, or None to throw or to let a simulated player act."""

    action: Action | None
    simulated: bool = False


class ServiceGuide:
    """Asks people through the open prompts."""

    def __init__(self, prompts: OpenPrompts, *, automatic: bool = False) -> None:
        self._prompts = prompts
        self._hands: SimulatedHands | None = None
        self._rules: AnyRules | None = None
        self.automatic = automatic
        """Whether simulated people also choose, act and answer prompts."""

    def use(self, hands: SimulatedHands) -> None:
        """Use the people of a simulated table."""
        self._hands = hands
        hands.let_people_end_rounds(alone=self.automatic)

    def set_automatic(self, *, on: bool) -> None:
        """Let the simulated people choose and act, or leave that to people.

        Open prompts stay open. Raises AnswerRefusedError on a real table.
        """
        if self._hands is None:
            raise AnswerRefusedError("A real table has no simulated people; people act themselves.")
        self.automatic = on
        self._hands.let_people_end_rounds(alone=on)

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Have a step done; returns its outcome."""
        if self._hands is not None and (self.automatic or self._hands.decides(step)):
            return await self._hands.do(step, staging)

        def read(value: str) -> Outcome:
            return step.check(answer(step, value))

        return await self._prompts.ask(_step_prompt(step), read)

    async def ready(self) -> None:
        if self._hands is not None:
            await self._hands.ready()

    async def sit_down(self, dealt: HandToPlay) -> None:
        self._rules = dealt.rules
        if self._hands is not None:
            await self._hands.sit_down(dealt)

    async def act(self, play: Any) -> Action | None:
        """The next action; None to have the dice thrown."""
        rules, hands = self._rules, self._hands
        assert rules is not None
        if hands is not None and self.automatic:
            return await hands.act(play)
        throw = rules.throw(play)

        def read(value: str) -> _Act:
            if value == THROW and throw is not None:
                return _Act(None)
            if value == SIMULATED and hands is not None:
                return _Act(None, simulated=True)
            action = legal_action(play, rules, value)
            if hands is not None:
                hands.take_action(play, action)
            return _Act(action)

        prompt = _act_prompt(play, throws=throw is not None, simulated=hands is not None)
        act = await self._prompts.ask(prompt, read)
        if act.simulated and hands is not None:
            return await hands.act(play)
        return act.action

    async def settled(self, settlement: Settlement) -> None:
        if self._hands is not None:
            await self._hands.settled(settlement)

    async def move_seats(self, reseated: Reseated) -> None:
        """Ask the players to take their new seats."""
        if self._hands is not None:
            await self._hands.move_seats(reseated)
            return
        moves = "; ".join(
            f"seat {seat} moves to seat {to}" for seat, to in enumerate(reseated.moves)
        )
        prompt = OpenPrompt(
            id="",
            kind="seats",
            role=UserRole.PLAYER,
            text=f"New seats were drawn: {moves}. Confirm when every player has the new seat.",
            choices=(PromptChoice(value="done", label="done"),),
        )
        await self._prompts.ask(prompt, lambda value: None)

    async def take_back(self, taken: TakeBack) -> None:
        """Ask people to put the table back; the simulated people do it at once."""
        if self._hands is not None:
            await self._hands.take_back(taken)
            return
        prompt = OpenPrompt(
            id="",
            kind="step",
            role=UserRole.DEALER,
            text=take_back_request(taken),
            code="take back",
            choices=(PromptChoice(value="", label="done"),),
            seats=tuple(dict.fromkeys(seat for seat, _ in taken.drawn)),
            lit=tuple(str(place) for _, place in taken.drawn),
        )
        await self._prompts.ask(prompt, lambda value: None)

    async def help(self, ask: Ask) -> str:
        """Ask a person to remove a fault; returns the answer."""
        hands = self._hands
        if hands is not None and self.automatic:
            return await hands.help(ask)
        row = CATALOGUE[Fault[ask.code]]

        def read(value: str) -> str:
            if value not in ask.answers:
                offered = ", ".join(f"'{each}'" for each in ask.answers)
                raise AnswerRefusedError(f"'{value}' is no answer to this prompt; give {offered}.")
            return value

        prompt = OpenPrompt(
            id="",
            kind="fault",
            role=role_for(row.who),
            text=f"{ask.part}: {ask.seen}. {ask.please}",
            code=ask.code,
            part=ask.part,
            evidence=ask.seen,
            request=ask.please,
            choices=tuple(PromptChoice(value=each, label=each) for each in ask.answers),
            safety=ask.safety,
        )
        given = await self._prompts.ask(prompt, read)
        if hands is not None and given == ask.answers[0]:
            hands.repair(ask)
        return given


def _step_prompt(step: Step) -> OpenPrompt:
    kind: PromptKind = "step"
    seats: tuple[int, ...] = ()
    choices: tuple[PromptChoice, ...] = (PromptChoice(value="", label="done"),)
    code = default = ""
    more = False
    lit: tuple[str, ...] = ()
    text, dice = question(step), 0
    match step:
        case Choose():
            kind, code, default, seats = "choice", step.what, str(step.default), (step.by,)
            text = f"Seat {step.by} chooses: {step.what}."
            among = [str(each) for each in step.among]
            choices = tuple(PromptChoice(value=each, label=each) for each in among[:LISTED])
            more = len(among) > LISTED
        case Throw():
            kind, choices, seats = "dice", (), (step.by,)
            dice = step.dice * step.times
        case TurnUp() | DrawLot():
            kind, choices = "face", (PromptChoice(value="", label="unknown"),)
            lit = (str(step.place),)
        case Packet():
            seats, lit = (step.seat,), tuple(str(place) for place in step.places)
        case Replace():
            seats, lit = (step.seat,), (str(step.place),)
    return OpenPrompt(
        id="",
        kind=kind,
        role=UserRole.PLAYER,
        text=text,
        code=code,
        seats=seats,
        choices=choices,
        default=default,
        more=more,
        lit=lit,
        dice=dice,
    )


def _act_prompt(play: Any, *, throws: bool, simulated: bool) -> OpenPrompt:
    offered: list[PromptChoice] = []
    if throws:
        offered.append(PromptChoice(value=THROW, label="throw the dice"))
    if simulated:
        offered.append(PromptChoice(value=SIMULATED, label="let the simulated player act"))
    actions = list(islice(play.legal_actions, LISTED + 1))
    offered += [
        PromptChoice(value=f"{action.seat} {action}", label=str(action))
        for action in actions[:LISTED]
    ]
    seats = tuple(play.to_act)
    return OpenPrompt(
        id="",
        kind="act",
        role=UserRole.PLAYER,
        text=f"To act: seat {' or '.join(map(str, seats))}.",
        seats=seats,
        choices=tuple(offered),
        more=len(actions) > LISTED,
    )
