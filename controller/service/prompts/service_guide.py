"""The guide of the service: opens a prompt for each step, choice, action and fault.

On a simulated table the simulated people do the work of hands: they move tiles and repair faults.
They also choose, act and confirm their steps, unless a person has taken that over.

`step_prompt` has the prompts for steps of a set-up that people do by hand, in words for people at
the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from config.layout.staging import Staging
from controller.events.place_words import places_in_words
from controller.run.faults.catalogue import CATALOGUE, Fault
from controller.run.operator.questions import answer, legal_action, take_back_request
from controller.service.prompts.open_prompts import AnswerRefusedError, OpenPrompts
from controller.service.status import OpenPrompt, PromptChoice, PromptKind
from controller.service.status.players_view import TAKE_BACK
from controller.service.user_roles import UserRole, role_for
from firmware_bridge.guide import Ask, Guide, HandToPlay, HandToReport, TakeBack
from rules.play import Action, AnyRules, Reseated, Settlement
from rules.results import Result
from rules.steps import (
    Arrange,
    Build,
    Choose,
    DrawLot,
    Outcome,
    Packet,
    Replace,
    ReturnLots,
    Step,
    Throw,
    TurnUp,
)

THROW = "throw"
"""The answer that has the dice thrown."""
SIMULATED = "simulated player"
"""The answer that lets a simulated player act."""


class SimulatedHands(Guide, Protocol):
    """The people of a simulated table."""

    def decides(self, step: Step) -> bool:
        """Whether the tiles decide a choice, so that only these people can make it."""

    @property
    def is_pushing(self) -> bool:
        """Whether the lid has opened and these people have not pushed the tiles in yet."""

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

    @property
    def is_pushing(self) -> bool:
        """Whether simulated people are about to push the tiles in; False on a real table."""
        return self._hands is not None and self._hands.is_pushing

    def is_done_by_simulated_people(self, prompt: OpenPrompt, value: str) -> bool:
        """Whether an answer only begins what the simulated people then do; it is not an outcome."""
        by_hand = prompt.kind == "step" or (prompt.kind == "dice" and value == THROW)
        return self._hands is not None and (by_hand or value == SIMULATED)

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Have a step done; returns its outcome."""
        hands = self._hands
        if hands is not None and (self.automatic or hands.decides(step)):
            return await hands.do(step, staging)

        def read(value: str) -> Outcome:
            return step.check(answer(step, value))

        if hands is None or isinstance(step, Choose):
            return await self._prompts.ask(step_prompt(step), read)
        return await self._confirmed(step, staging, hands)

    async def _confirmed(self, step: Step, staging: Staging, hands: SimulatedHands) -> Outcome:
        """Have the simulated people move the tiles of a step that a person confirms."""
        prompt = step_prompt(step)
        if isinstance(step, TurnUp | DrawLot):
            face = await hands.do(step, staging)

            def read_face(value: str) -> Outcome:
                if value not in ("", face):
                    raise AnswerRefusedError(
                        f"The simulated tile shows {face}, not '{value[:20]}'; tap that tile, or"
                        " leave it unknown."
                    )
                return value or None

            shown = prompt.model_copy(update={"default": face})
            return await self._prompts.ask(shown, read_face)
        if isinstance(step, Throw):
            offered = (PromptChoice(value=THROW, label="throw the dice"),)

            def read_dice(value: str) -> Outcome:
                return THROW if value == THROW else step.check(answer(step, value))

            thrown = await self._prompts.ask(
                prompt.model_copy(update={"choices": offered}), read_dice
            )
            return await hands.do(step, staging) if thrown == THROW else thrown
        await self._prompts.ask(prompt, lambda value: None)
        return await hands.do(step, staging)

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
        prompt = prompt.model_copy(update={"declarations": rules.declarations})
        act = await self._prompts.ask(prompt, read)
        if act.simulated and hands is not None:
            return await hands.act(play)
        return act.action

    async def report(self, hand: HandToReport) -> Result | None:
        """Let automatic people report the result; others use the command `report_result`."""
        hands = self._hands
        if hands is not None and self.automatic:
            return await hands.report(hand)
        return None

    async def settled(self, settlement: Settlement) -> None:
        if self._hands is not None:
            await self._hands.settled(settlement)

    async def move_seats(self, reseated: Reseated) -> None:
        """Ask the players to take their new seats."""
        if self._hands is not None:
            await self._hands.move_seats(reseated)
            return
        moves = "; ".join(
            f"seat {seat} moves to the place of seat {to}" for seat, to in enumerate(reseated.moves)
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
            code=TAKE_BACK,
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
                raise AnswerRefusedError(
                    f"'{value}' is not an answer to this prompt; give {offered}."
                )
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


LISTED = 200
"""Number of answers that a prompt lists; further ones are typed."""


def step_prompt(step: Step) -> OpenPrompt:
    """The prompt for a step; it has no id yet. `lit` are the places of the tiles that it names."""
    kind: PromptKind = "step"
    seats: tuple[int, ...] = ()
    choices: tuple[PromptChoice, ...] = (PromptChoice(value="", label="done"),)
    code = default = ""
    more = False
    lit: tuple[str, ...] = ()
    dice = 0
    match step:
        case Choose():
            kind, code, default, seats = "choice", step.what, str(step.default), (step.by,)
            among = [str(each) for each in step.among]
            choices = tuple(PromptChoice(value=each, label=each) for each in among[:LISTED])
            more = len(among) > LISTED
        case Throw():
            kind, choices, seats = "dice", (), (step.by,)
            dice = step.dice * step.times
        case TurnUp() | DrawLot():
            kind, choices = "face", (PromptChoice(value="", label="unknown"),)
            lit = (str(step.place),)
            seats = (step.seat,) if isinstance(step, DrawLot) else ()
        case Packet():
            seats, lit = (step.seat,), tuple(str(place) for place in step.places)
        case Replace():
            seats, lit = (step.seat,), (str(step.place),)
    return OpenPrompt(
        id="",
        kind=kind,
        role=UserRole.PLAYER,
        text=step_request(step),
        code=code,
        seats=seats,
        choices=choices,
        default=default,
        more=more,
        lit=lit,
        dice=dice,
    )


def step_request(step: Step) -> str:
    """The request to people for a step. The panel puts names in the place of `seat 0`."""
    match step:
        case Choose():
            return f"Seat {step.by} chooses: {step.what}."
        case Throw():
            number = step.dice * step.times
            dice = "one die" if number == 1 else f"{number} dice"
            return f"Seat {step.by} throws {dice}: {step.why}. Enter what the dice show."
        case TurnUp():
            place = places_in_words((step.place,))
            return f"Seat {step.by} turns up a tile: {place}. Tap what it shows."
        case DrawLot():
            place = places_in_words((step.place,))
            return f"Seat {step.seat} draws a tile and shows it: {place}. Tap what it shows."
        case Build():
            return f"Build the layout by hand, from {step.layout.count} tiles that lie face down."
        case Arrange():
            return (
                f"Cut the pile: {step.verb} {places_in_words(step.tiles)} to {' '.join(step.to)}."
            )
        case Packet():
            number = len(step.places)
            tiles = "one tile" if number == 1 else f"{number} tiles"
            return f"Seat {step.seat} takes {tiles}: {places_in_words(step.places)}."
        case Replace():
            return f"Seat {step.seat} takes one tile in exchange: {places_in_words((step.place,))}."
        case ReturnLots():
            return (
                "Put the drawn tiles back face down, mix the whole boneyard face down, and lay it"
                " out again."
            )
