"""Steps that people do by hand are prompted in words, also on a simulated table."""

from __future__ import annotations

import pytest

from controller.events.place_words import places_in_words
from controller.service.prompts.service_guide import step_prompt
from controller.service.status import OpenPrompt
from rules.geometry import BoneyardPlace, PilePlace, Place, WallPlace
from rules.steps import DrawLot, Packet, Throw, TurnUp
from tests.controller.service.service_at_a_table import Guests, at_a_table


def answered(prompt: OpenPrompt) -> str:
    """What a person enters who does as the prompt says."""
    match prompt.kind:
        case "dice":
            return ",".join("3" * prompt.dice)
        case "face":
            return prompt.default
    return prompt.choices[0].value


async def give_answer(guests: Guests, prompt: OpenPrompt, value: str) -> None:
    """Answer a prompt, and wait until the status shows that it is closed."""
    reply = await guests.give("answer", prompt=prompt.id, value=value)
    assert reply.state == "done", reply
    await guests.until(lambda s: prompt.id not in [each.id for each in s.prompts])


def test_a_deal_by_hand_is_confirmed_packet_by_packet() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "wenzhou", "follow_play": False})
        seen: list[OpenPrompt] = []
        while guests.status.machine.top != "playing":
            await guests.until(lambda s: bool(s.prompts) or s.machine.top == "playing")
            for prompt in guests.status.prompts:
                seen.append(prompt)
                if prompt.kind == "face":
                    wrong = "1m" if prompt.default != "1m" else "2m"
                    reply = await guests.give("answer", prompt=prompt.id, value=wrong)
                    assert reply.state == "refused"
                    assert f"shows {prompt.default}" in reply.sentence
                await give_answer(guests, prompt, answered(prompt))
        packets = [prompt for prompt in seen if prompt.kind == "step"]
        assert sum(len(prompt.lit) for prompt in packets) == 4 * 16 + 1
        assert all(
            "press" not in prompt.text and prompt.lit[0] not in prompt.text for prompt in seen
        )
        (turned,) = (prompt for prompt in seen if prompt.kind == "face")
        shown = guests.status.round
        assert shown is not None
        assert shown.indicator_face == turned.default

    at_a_table(scenario, "classic", automatic=False)


def test_dice_by_hand_are_entered_or_thrown_by_the_simulated_player() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "wenzhou"})
        throws = []
        while guests.status.machine.top != "playing":
            await guests.until(lambda s: bool(s.prompts) or s.machine.top == "playing")
            for prompt in guests.status.prompts:
                value = answered(prompt)
                if prompt.kind == "dice":
                    value = "throw" if throws else value
                    throws.append(value)
                await give_answer(guests, prompt, value)
                if throws == ["3,3"] and prompt.kind == "dice":
                    await guests.until(lambda s: bool(s.round and s.round.throw))
                    round_ = guests.status.round
                    assert round_ is not None
                    assert round_.throw is not None
                    assert round_.throw.dice == (3, 3)
        assert throws == ["3,3", "throw"]

    at_a_table(scenario, "bench", automatic=False)


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (
            [WallPlace(1, 3, 0), WallPlace(1, 3, 1), WallPlace(1, 4, 0), WallPlace(1, 4, 1)],
            "wall of seat 1, stacks 3 and 4 from its right end",
        ),
        ([WallPlace(2, 7, 0)], "wall of seat 2, the upper tile of stack 7 from its right end"),
        (
            [WallPlace(0, 1, 0), WallPlace(0, 1, 1), WallPlace(0, 2, 0), WallPlace(3, 17, 1)],
            (
                "wall of seat 0, stack 1 and the upper tile of stack 2 from its right end; "
                "wall of seat 3, the lower tile of stack 17 from its right end"
            ),
        ),
        ([BoneyardPlace(4), BoneyardPlace(5)], "boneyard, tiles 4 and 5"),
        ([PilePlace(2, 1)], "pile, from its right end and its top: column 2 tile 1"),
    ],
)
def test_places_are_named_as_a_person_finds_them(places: list[Place], words: str) -> None:
    assert places_in_words(places) == words


def test_a_step_says_who_does_what_where() -> None:
    wall = WallPlace(2, 7, 0)
    texts = [
        step_prompt(step).text
        for step in (
            Throw(0, 2, "break", 2),
            TurnUp(wall, 3),
            DrawLot(1, BoneyardPlace(21)),
            Packet(1, (wall,)),
        )
    ]
    assert texts == [
        "Seat 0 throws 4 dice: break. Enter what the dice show.",
        (
            "Seat 3 turns up a tile: wall of seat 2, the upper tile of stack 7 from its right end."
            " Tap what it shows."
        ),
        "Seat 1 draws a tile and shows it: boneyard, tile 21. Tap what it shows.",
        "Seat 1 takes one tile: wall of seat 2, the upper tile of stack 7 from its right end.",
    ]
