"""Plays an evening at a table over its API: two games, every prompt answered, until all go home.

python examples/play_an_evening.py http://127.0.0.1:8080 TOKEN

TOKEN is an API token with the role attendant or higher. The program needs httpx and websockets.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

GAMES = ("wenzhou", "pai_gow")
"""One round of each."""


def patched(status: Any, patch: Any) -> Any:
    """Apply a JSON merge patch (RFC 7386)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(status) if isinstance(status, dict) else {}
    result |= {key: patched(result.get(key), value) for key, value in patch.items()}
    return {key: value for key, value in result.items() if patch.get(key, value) is not None}


async def changes(url: str, token: str) -> AsyncIterator[Any]:
    """Every status of the table. After a lost connection it resumes from the last change."""
    status, run, sequence = None, "", 0
    address = f"{url.replace('http', 'ws', 1)}/api/v1/stream"
    headers = {"Authorization": f"Bearer {token}"}
    while True:
        query = f"?client=evening&run={run}&since={sequence}"
        try:
            async with connect(address + query, additional_headers=headers, proxy=None) as stream:
                async for text in stream:
                    message = json.loads(text)
                    if message["type"] == "snapshot":
                        status, run = message["status"], message["run"]
                    elif message["type"] == "delta":
                        status = patched(status, message["patch"])
                    else:
                        continue
                    sequence = message["sequence"]
                    yield status
        except (OSError, ConnectionClosed):
            await asyncio.sleep(1)


def answer_to(prompt: Any) -> str:
    """The usual answer to a prompt, or a random throw of its dice."""
    if prompt["kind"] == "dice":
        return ",".join(str(random.randint(1, 6)) for _ in range(prompt["dice"]))
    return str(prompt["default"] or prompt["choices"][0]["value"])


async def main(url: str, token: str) -> None:
    """Play a round of each game, then end the session and print the results."""
    url = url.rstrip("/")
    evening = f"evening-{random.randrange(10**9)}"
    headers = {"Authorization": f"Bearer {token}", "X-Client-Id": "evening"}
    async with httpx.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=60) as table:

        async def give(step: str, name: str, **arguments: Any) -> None:
            # The same id is executed once, so a repeated step does no harm.
            command = {"id": f"{evening}-{step}", "name": name, "arguments": arguments}
            reply = (await table.post("/commands", json=command)).json()
            if "detail" in reply:
                print(f"{name}: {reply['detail']} {reply['next_step']}")

        names = dict(enumerate(("Ana", "Ben", "Chi", "Dov")))
        await give("start", "start_session", choice={"game": GAMES[0]}, names=names)
        async for status in changes(url, token):
            session = status.get("session")
            if session is None:
                continue  # The status follows the command a moment later.
            if session["rounds"] == len(GAMES):
                break
            for prompt in status["prompts"]:
                await give(prompt["id"], "answer", prompt=prompt["id"], value=answer_to(prompt))
            rounds, machine = session["rounds"], status["machine"]
            if (machine["top"], machine["under"]) == ("playing", "staged"):
                if rounds + 1 < len(GAMES):
                    choice = {"game": GAMES[rounds + 1]}
                    await give(f"next-{rounds}", "choose_next", choice=choice)
                await give(f"collect-{rounds}", "press_lid_key")
        await give("end", "end_session")
        (last,) = (await table.get("/sessions", params={"limit": 1})).json()["sessions"]
        print(f"{last['title']}: {last['rounds']} rounds, {', '.join(filter(None, last['names']))}")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
