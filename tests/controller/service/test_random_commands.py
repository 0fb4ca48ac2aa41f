"""Random commands, legal and refused ones, for minutes; then the table deals a round again."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from controller.service.commands import COMMANDS
from controller.service.port import Actor, CommandReply, CommandRequest
from controller.service.status import Status
from controller.service.user_roles import UserRole
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.quick import tries

DURATION = 60.0 * tries(20, quick=20, evidence=240)
"""Seconds of random commands."""
OFTEN = {"answer": 30, "start_session": 8, "correct": 6, "press_lid_key": 6}
OFTEN |= {"report_result": 6, "stop_service": 0}
NAMES = [kind.name for kind in COMMANDS]
WEIGHTS = [OFTEN.get(name, 2) for name in NAMES]


def arguments(name: str, status: Status, chance: Random) -> dict[str, object]:
    """Arguments for a command, most of them valid at this moment."""
    game = chance.choice(["wenzhou", "filipino", "block", "pai_gow"])
    follow = chance.choice(["none", "result", "play", "play"])
    choice = {"game": game, "follow": follow, "dealer": chance.randrange(4)}
    if name == "answer" and status.prompts:
        prompt = chance.choice(status.prompts)
        values = [each.value for each in prompt.choices] or ["3,4", "9,9"]
        act = prompt.kind == "act" and chance.random() < 0.6
        return {"prompt": prompt.id, "value": "simulated player" if act else chance.choice(values)}
    return {
        "start_session": {"choice": choice},
        "choose_next": {"choice": choice},
        "save_preset": {"choice": choice, "name": "a"},
        "delete_preset": {"name": chance.choice("ab")},
        "name_players": {"names": {str(chance.randrange(5)): "Bo"}},
        "answer": {"prompt": "p1-1", "value": "done"},
        "correct": {"acts": chance.randint(1, 6)},
        "report_result": {
            "result": {"winner": chance.randrange(5)},
            "hand": chance.choice([None, None, 1, 2]),
            "reason": chance.choice(["", "wrong seat"]),
        },
        "clear_fault": {"abandon": chance.random() < 0.4},
        "automatic": {"on": chance.random() < 0.6},
        "jog": {"channel": "lid", "direction": "forward", "speed": 500},
        "home": {"channel": chance.choice(["", "x"])},
        "run_test": {"station": chance.choice(["lid", "drum", "gantry"])},
        "calibrate": {"kind": "sensor", "target": "x"},
        "answer_service_question": {"question": "1", "value": "yes"},
        "confirm_change": {"change": "1"},
        "discard_change": {"change": "1"},
    }.get(name, {})


async def walk(guests: Guests, chance: Random) -> None:
    """Give random commands, several at a time; none may raise an error."""
    loop = asyncio.get_running_loop()
    end, given = loop.time() + DURATION, list[asyncio.Task[CommandReply]]()
    roles = [*UserRole, *[UserRole.TECHNICIAN] * 8]
    while loop.time() < end:
        name = chance.choices(NAMES, WEIGHTS)[0]
        values = arguments(name, guests.status, chance)
        request = CommandRequest(id=f"w{len(given)}", name=name, arguments=values)
        actor = Actor("Ann", chance.choice(roles), chance.choice(["phone", "tablet"]))
        given.append(loop.create_task(guests.port.submit(request, actor)))
        await asyncio.sleep(chance.choice([0, 0, 0.05, 0.5, 3, 20]))
        Status.model_validate(guests.service.feed.snapshot().status)
    waiting = [each for each in given if not each.done()]
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    replies = [each.result() for each in given if not each.cancelled()]
    assert {reply.state for reply in replies} == {"done", "refused"}
    assert all(reply.sentence for reply in replies)


async def recover(guests: Guests) -> None:
    """Bring the table from any state to a round that is dealt, with commands only."""
    begun = False
    for _ in range(3000):
        status = guests.status
        for command in ("leave_service_mode", "put_in_play", "resume", "take_lead"):
            await guests.give(command)
        await guests.give("clear_fault", abandon=True)
        await guests.give("automatic", on=True)
        for prompt in status.prompts:
            value = prompt.choices[0].value if prompt.choices else "3,3"
            value = "simulated player" if prompt.kind == "act" else value
            await guests.give("answer", prompt=prompt.id, value=value)
        if begun and status.machine.top == "playing":
            return
        if guests.service.book is None:
            begun = (await guests.give("start_session", choice={"game": "wenzhou"})).state == "done"
        elif not begun:
            await guests.give("end_session")
            if status.machine.top == "playing":
                await guests.give("press_lid_key")
        await asyncio.sleep(5)
    raise AssertionError(f"The table deals no round: {guests.status}")


@pytest.mark.slow
@pytest.mark.evidence
@pytest.mark.parametrize("seed", [1, 2])
def test_after_random_commands_the_table_deals_a_round(seed: int) -> None:
    chance = Random(seed)

    async def scenario(guests: Guests) -> None:
        await walk(guests, chance)
        await recover(guests)

    at_a_table(scenario, automatic=chance.random() < 0.5, seed=seed)
