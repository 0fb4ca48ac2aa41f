"""Answers every error of an application with a problem document."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from controller.web.api.accounts.identity import AccountRefusedError
from controller.web.api.accounts.store import AccountsFileError
from controller.web.api.problems import ProblemError, of_status, of_validation
from controller.web.api.routes.login import account_problem
from controller.web.api.worker_thread import WorkerBusyError

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
        return account_problem(error).response()

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
