"""Registers an endpoint's function under the path, the summary and the errors of its table row."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import FastAPI
from starlette.responses import JSONResponse, Response

from controller.web.api.endpoints import BY_NAME, Endpoint, OpenAccess
from controller.web.api.json_text import json_text
from controller.web.api.problems import PROBLEM_JSON

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
