"""The prompts that the service opens for the steps of a set-up."""

from __future__ import annotations

import asyncio

from config.layout.staging import Staging
from controller.service.prompts.open_prompts import OpenPrompts
from controller.service.prompts.service_guide import ServiceGuide
from rules.steps import Throw


def test_a_prompt_for_dice_says_how_many_faces_it_needs() -> None:
    async def ask() -> None:
        prompts = OpenPrompts("p", lambda: 0.0, lambda: None)
        guide = ServiceGuide(prompts)
        step = Throw(by=1, dice=2, why="throw for seats", times=3)
        # The step is not about tiles, so the guide does not look at their layout.
        staging = Staging.__new__(Staging)
        asked = asyncio.create_task(guide.do(step, staging))
        await asyncio.sleep(0)
        (prompt,) = prompts.open
        assert (prompt.kind, prompt.dice) == ("dice", 6)
        prompts.answer(prompt.id, "1,2,3,4,5,6")
        assert await asked == (1, 2, 3, 4, 5, 6)

    asyncio.run(ask())
