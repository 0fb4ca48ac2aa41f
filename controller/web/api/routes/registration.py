"""Registers an endpoint's function under the path, the summary and the errors of its table row.

`add_problems` answers every error of an application with a problem document.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from controller.web.api.accounts.identity import AccountRefusedError
from controller.web.api.accounts.store import AccountsFileError
from controller.web.api.endpoints import BY_NAME, Endpoint, OpenAccess
from controller.web.api.json_text import json_text
from controller.web.api.problems import PROBLEM_JSON, ProblemError, of_status, of_validation
from controller.web.api.worker_thread import WorkerBusyError

JSON = "application/json"
_REASONS: Mapping[int, str] = {
    400: "The body is not JSON.",
    401: "The request needs a login.",
    403: "The role is too low, or the CSRF token is missing.",
    404: "The path names something that does not exist.",
    409: "The request contradicts the present state.",
    413: "The body is too large.",
    422: "The request does not match its schema.",
    429: "Too many attempts have failed, or too many commands were given.",
    501: "A package that this needs is not installed.",
    503: "Too many requests wait for the same work.",
}


def register(
    app: FastAPI,
    name: str,
    answer: Any,
    function: Callable[..., Awaitable[Response]],
    *errors: int,
    status: int = 200,
    more: Mapping[int, str] | None = None,
    media: str = JSON,
    examples: Mapping[str, Any] | None = None,
) -> None:
    """Add the endpoint `name` of the table: `answer` is the model of its response.

    `errors` are the HTTP statuses of its own problems; those of the request guard are added. `more`
    has further successful statuses with the same response. `examples` are bodies of requests.
    """
    endpoint = BY_NAME[name]
    responses: dict[int | str, dict[str, Any]] = {
        code: {
            "description": _REASONS[code],
            "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for code in sorted({*errors, *_of_the_guard(endpoint)})
    }
    for code, description in (more or {}).items():
        responses[code] = {"description": description, "model": answer}
    if media != JSON:
        responses[status] = {
            "description": "The text.",
            "content": {media: {"schema": {"type": "string"}}},
        }
    app.add_api_route(
        endpoint.full_path,
        function,
        methods=[endpoint.method],
        name=name,
        operation_id=name,
        summary=endpoint.summary,
        description=_description(endpoint),
        status_code=status,
        response_model=answer if media == JSON else None,
        # The functions return finished responses; the class is for the description.
        response_class=JSONResponse if answer is not None and media == JSON else Response,
        responses=responses,
        openapi_extra=_body_examples(examples) | _security(endpoint),
    )


def json_response(value: object, status: int = 200) -> Response:
    """A value as a JSON response that no cache keeps."""
    return text_response(json_text(value), status)


def text_response(text: str, status: int = 200) -> Response:
    """A JSON text as a response that no cache keeps."""
    return Response(text, status, {"Cache-Control": "no-store"}, JSON)


def _of_the_guard(endpoint: Endpoint) -> set[int]:
    codes = {422} if "{" in endpoint.path or endpoint.method != "GET" else set()
    if endpoint.method != "GET":
        codes |= {400, 403, 413}
    if endpoint.least is not OpenAccess.PUBLIC:
        codes.add(401)
    if not isinstance(endpoint.least, OpenAccess):
        codes.add(403)
    return codes


def _description(endpoint: Endpoint) -> str:
    if endpoint.least is OpenAccess.PUBLIC:
        return "Needs no login."
    if endpoint.least is OpenAccess.LOGGED_IN:
        return "For every role."
    auditor = ", or auditor" if endpoint.reads else ""
    return f"Least role: {endpoint.least.value}{auditor}."


def _security(endpoint: Endpoint) -> dict[str, Any]:
    if endpoint.least is OpenAccess.PUBLIC:
        return {"security": []}
    role = endpoint.least.value if not isinstance(endpoint.least, OpenAccess) else None
    return {"security": [{"cookie": []}, {"token": []}], "x-least-role": role}


def _body_examples(examples: Mapping[str, Any] | None) -> dict[str, Any]:
    if not examples:
        return {}
    shown = {name: {"value": value} for name, value in examples.items()}
    return {"requestBody": {"content": {JSON: {"examples": shown}}}}


_LOG = logging.getLogger(__name__)


def add_problems(app: FastAPI) -> None:
    """Answer every error with a problem document; a defect of the program is also logged."""

    async def problem(_: Request, error: Exception) -> Response:
        match error:
            case ProblemError():
                return error.response()
            case RequestValidationError():
                return of_validation(error).response()
            case HTTPException():
                return of_status(error).response()
        return _account_problem(error).response()

    async def defect(request: Request, error: Exception) -> Response:
        _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return ProblemError(
            500,
            "defect",
            "The API has failed because of a defect in the program.",
            "The log has the details. The table is not affected.",
        ).response()

    for kind in (
        ProblemError,
        RequestValidationError,
        HTTPException,
        AccountRefusedError,
        AccountsFileError,
        WorkerBusyError,
    ):
        app.add_exception_handler(kind, problem)
    app.add_exception_handler(Exception, defect)


def _account_problem(error: Exception) -> ProblemError:
    """The problem of a refused account request, of a busy worker or of a broken file."""
    if isinstance(error, AccountRefusedError):
        wait = {"Retry-After": str(round(error.wait + 1))} if error.wait else {}
        status = _STATUS.get(error.code, 409)
        return ProblemError(status, error.code, error.sentence, error.next_step, wait)
    if isinstance(error, AccountsFileError):
        return ProblemError(503, "accounts_not_available", str(error), "Ask a technician.")
    assert isinstance(error, WorkerBusyError)
    return ProblemError(503, "busy", str(error), "Try again in a few seconds.")


_STATUS = {
    "locked": 429,
    "wrong_password": 401,
    "wrong_code": 401,
    "link_not_valid": 403,
    "not_the_touchscreen": 403,
}
"""HTTP status by the code of a refused account request; any other is a conflict, 409."""
