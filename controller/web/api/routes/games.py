"""Endpoints of the rules: games with their house rules, the judge, the fault catalogue."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, Field
from starlette.responses import Response

from config.errors import ConfigErrors
from config.judge_cases import case_of, case_schema, example_case
from config.loader import game_names, load_game
from config.schema import Table
from config.validation.checks import fit
from config.validation.game_parameters import house_rules_form
from controller.run.faults.catalogue import CATALOGUE
from controller.service.user_roles import UserRole, role_for
from controller.web.api.json_text import json_text
from controller.web.api.problems import ProblemError, unknown
from controller.web.api.routes.registration import register, text_response
from controller.web.api.worker_thread import WorkerBusyError, WorkerThread
from rules.errors import RulesError
from rules.games import PLUGINS, find_game, judging_of


class GameDescription(BaseModel):
    """A game: its players, its house rules as a form, and whether this table can set it up."""

    name: str
    title: str
    players: list[int] = Field(description="Possible numbers of players.")
    usual_players: int = Field(description="The number of players if a choice names none.")
    tiles: int = Field(description="Tiles of the set; 0 for a game with dice only.")
    play: float = Field(description="Usual time of a hand, seconds.")
    followed: bool = Field(description="Whether the table can follow its hands by the rules.")
    judged: bool = Field(description="Whether the judge has rules for it.")
    fits: bool | None = Field(description="Whether this table can set it up; null: not known.")
    reasons: list[str] = Field(description="Why this table cannot set it up.")
    by_hand: list[str] = Field(description="Kinds of step that people do by hand on this table.")
    house_rules: dict[str, Any] = Field(description="JSON schema of the house rules.")


class GameList(BaseModel):
    """Every game."""

    games: list[GameDescription]


class JudgeForm(BaseModel):
    """The JSON schema of a game's case, and an example as YAML."""

    game: str
    case: dict[str, Any]
    example: str
    questions: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        description="Schemas of further questions, by the value of the key `ask` of their cases.",
    )


class PaymentAnswer(BaseModel):
    """One payment of a verdict; a payer or a payee is a seat or a name such as the bank."""

    payer: int | str | None = Field(alias="from")
    payee: int | str | None = Field(alias="to")
    amount: float
    why: str


class VerdictAnswer(BaseModel):
    """The judge's verdict on a case."""

    legal: bool
    win: bool
    name: str
    multiplier: int
    payments: list[PaymentAnswer]
    reasons: list[str]
    winner: int | None = Field(
        default=None, description="The seat that wins, which can be another one than the claimant."
    )


class FaultDescription(BaseModel):
    """One row of the fault catalogue."""

    code: str
    title: str
    meaning: str
    expected: str
    instead: str
    cause: str
    automatic: str
    request: str = Field(description="What a person is asked to do.")
    answers: list[str]
    role: UserRole = Field(description="The least role that may clear it.")


class FaultList(BaseModel):
    """The fault catalogue."""

    faults: list[FaultDescription]


class GameRoutes:
    """Describes games and faults, and judges cases, in a worker thread."""

    def __init__(self, worker: WorkerThread, table: Table | None) -> None:
        self._worker = worker
        self._table = table
        self._games = ""
        self._faults = json_text({"faults": [_fault(code) for code in CATALOGUE]})

    def add_to(self, app: FastAPI) -> None:
        """Register the endpoints."""
        register(app, "games", GameList, self.games, 503)
        register(app, "judge_form", JudgeForm, self.judge_form, 404, 503)
        register(app, "judge", VerdictAnswer, self.judge, 404, 503)
        register(app, "faults", FaultList, self.faults)

    async def games(self) -> Response:
        if not self._games:
            self._games = await self._run(_games_text, self._table)
        return text_response(self._games)

    async def judge_form(self, game: str) -> Response:
        return text_response(await self._run(_judge_form_text, game))

    async def judge(self, game: str, case: dict[str, Any]) -> Response:
        return text_response(await self._run(_verdict_text, game, case))

    async def faults(self) -> Response:
        return text_response(self._faults)

    async def _run(self, job: Any, *arguments: Any) -> str:
        try:
            return str(await self._worker.run(job, *arguments))
        except WorkerBusyError as error:
            raise ProblemError(503, "busy", str(error), "Try again in a few seconds.") from None


def _games_text(table: Table | None) -> str:
    return json_text({"games": [_game(name, table) for name in game_names()]})


def _game(name: str, table: Table | None) -> dict[str, object]:
    game, config, plugin = find_game(name), load_game(name), PLUGINS[name]
    here = fit(table, game, config) if table is not None else None
    return {
        "name": name,
        "title": game.title,
        "players": list(game.players),
        "usual_players": game.usual_players,
        "tiles": len(game.tiles),
        "play": config.play,
        "followed": plugin.rules is not None,
        "judged": plugin.judging is not None,
        "fits": here.fits if here is not None else None,
        "reasons": list(here.reasons) if here is not None else [],
        "by_hand": list(here.guided) if here is not None else [],
        "house_rules": house_rules_form(config),
    }


def _judge_form_text(game: str) -> str:
    _require_judge(game)
    questions = {ask: case_schema(game, ask) for ask in judging_of(game).questions}
    form = {"game": game, "case": case_schema(game), "example": example_case(game)}
    return json_text({**form, "questions": questions})


def _verdict_text(game: str, case: dict[str, Any]) -> str:
    """The verdict as JSON. Raises ProblemError for a case that the judge refuses."""
    _require_judge(game)
    try:
        return json_text(judging_of(game).decide(case_of(game, case, "case")).facts())
    except ConfigErrors as error:
        detail = " ".join(str(each) for each in error.errors[:5])
        raise ProblemError(
            422, "invalid_case", detail, f"See `GET /api/v1/judge/{game}` for the form of a case."
        ) from None
    except RulesError as error:
        raise ProblemError(
            422, "invalid_case", str(error), "Correct the case; it contradicts itself."
        ) from None


def _require_judge(game: str) -> None:
    plugin = PLUGINS.get(game)
    if plugin is None or plugin.judging is None:
        raise unknown("judge", game, "`GET /api/v1/games` lists the games that have a judge.")


def _fault(code: Any) -> dict[str, object]:
    row = CATALOGUE[code]
    return {
        "code": row.code,
        "title": row.title,
        "meaning": row.fault.value,
        "expected": row.expected,
        "instead": row.instead,
        "cause": row.cause,
        "automatic": row.automatic,
        "request": row.request(row.kind_of_part),
        "answers": list(row.answers),
        "role": role_for(row.who).value,
    }
