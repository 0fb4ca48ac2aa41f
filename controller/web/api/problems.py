"""Errors of the API as problem documents (RFC 9457): what is wrong, the rule, the next step."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from controller.web.api.json_text import json_text
from rules.errors import WallwrightError

PROBLEM_JSON = "application/problem+json"


class Problem(BaseModel):
    """A problem document. `code` names the problem for programs; it does not change."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str = Field(description="`urn:wallwright:problem:` and the code.")
    title: str = Field(description="The meaning of the HTTP status.")
    status: int = Field(ge=400, le=599)
    detail: str = Field(description="A sentence: what is wrong with this request.")
    code: str
    next_step: str = Field(description="A sentence: what the person or the program can do.")


class ProblemError(WallwrightError):
    """Ends a request with a problem document."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        next_step: str = "",
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(f"{detail} {next_step}".strip())
        self.status = status
        self.code = code
        self.detail = detail
        self.next_step = next_step
        self.headers = headers or {}

    def response(self) -> Response:
        """The problem document as a response."""
        document = Problem(
            type=f"urn:wallwright:problem:{self.code}",
            title=HTTPStatus(self.status).phrase,
            status=self.status,
            detail=self.detail,
            code=self.code,
            next_step=self.next_step,
        )
        return Response(
            json_text(document.model_dump()),
            self.status,
            {"Cache-Control": "no-store", **self.headers},
            PROBLEM_JSON,
        )


def unknown(what: str, name: str, next_step: str) -> ProblemError:
    """The problem of a path that names something that does not exist."""
    shown = name if len(name) <= 40 else name[:40] + "..."
    code = f"unknown_{what.replace(' ', '_')}"
    return ProblemError(404, code, f"There is no {what} '{shown}'.", next_step)


def of_validation(error: RequestValidationError) -> ProblemError:
    """The problem of a request whose body or parameters do not match their schema."""
    found: list[dict[str, Any]] = list(error.errors())
    sentences = [f"{_place(each['loc'])}: {each['msg']}" for each in found[:5]]
    if len(found) > len(sentences):
        sentences.append(f"and {len(found) - len(sentences)} more")
    return ProblemError(
        422,
        "invalid_request",
        f"The request does not match its schema: {'; '.join(sentences)}.",
        "Compare it with the schema of this endpoint in openapi.json.",
    )


def of_status(error: HTTPException) -> ProblemError:
    """The problem of an error that the web framework raised, such as an unknown path."""
    codes = {404: "unknown_path", 405: "method_not_allowed", 413: "too_large"}
    return ProblemError(
        error.status_code,
        codes.get(error.status_code, "refused_request"),
        f"{error.detail}.",
        "Compare the request with openapi.json.",
        dict(error.headers or {}),
    )


def _place(loc: tuple[str | int, ...]) -> str:
    return ".".join(str(step) for step in loc)[:80]
