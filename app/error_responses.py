"""The one place where errors become HTTP."""

import asyncio
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import (
    InvalidRequest,
    RequestInterrupted,
    ServiceError,
    TooLarge,
    UnsupportedContent,
)
from app.schemas import ErrorBody, ErrorOut
from app.store_troubles import trouble_of
from graphs.errors import ModelUnavailable, StoreUnavailable, UnknownKnowledgeBase, YoujuError

logger = logging.getLogger(__name__)

_FRAMEWORK = {
    400: ("invalid_request", "The request could not be read.", InvalidRequest.hint),
    404: ("not_found", "There is nothing at this address.", "GET /docs lists the routes."),
    405: ("method_not_allowed", "This address does not take this method.", "See /docs."),
    413: (TooLarge.code, "The body is above the limit.", TooLarge.hint),
}

_PROBLEMS = {
    "missing": "is required",
    "extra_forbidden": "is not a known field",
    "string_type": "must be a string",
    "string_unicode": "must be valid Unicode without lone surrogates",
    "string_too_short": "must have at least {min_length} character(s)",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match {pattern}",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "too_long": "must have at most {max_length} entries",
    "literal_error": "must be one of {expected}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "dict_type": "must be an object",
    "value_error": "{error}",
}
"""Own sentences for the validator's findings: its texts change between versions."""


def error_response(
    status: int, code: str, message: str, hint: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return an error in the contract's form."""
    body = ErrorOut(error=ErrorBody(code=code, message=message, hint=hint))
    return JSONResponse(body.model_dump(), status_code=status, headers=dict(headers or {}))


def of_service(error: ServiceError, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the response for one of the service's own errors."""
    return error_response(error.status, error.code, str(error), error.hint, headers)


def _sentence(problem: Mapping[str, Any]) -> str:
    kind, where = str(problem["type"]), problem["loc"]
    field = ".".join(str(part) for part in where[1:])
    if kind == "json_invalid":
        return f"The body is not valid JSON (near character {where[-1]})."
    if kind == "too_long" and isinstance(problem["input"], str):
        kind = "string_too_long"
    text = _PROBLEMS.get(kind, "is not valid").format_map(problem.get("ctx") or {})
    return f"{field or 'The body'} {text}."


def _is_not_json(request: Request, problems: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether validation failed because the body was sent as something else than JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = kind == "application/json" or (
        kind.startswith("application/") and kind.endswith("+json")
    )
    whole_body = any(tuple(problem["loc"]) == ("body",) for problem in problems)
    return whole_body and not is_json and any(p["type"] != "missing" for p in problems)


def _of_validation(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    problems = error.errors()
    if _is_not_json(request, problems):
        return error_response(
            415,
            UnsupportedContent.code,
            "The body must be JSON.",
            "Send it with Content-Type: application/json.",
        )
    sentences = dict.fromkeys(_sentence(problem) for problem in problems[:5])
    return error_response(400, InvalidRequest.code, " ".join(sentences), InvalidRequest.hint)


def _of_framework(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    status = error.status_code
    fallback = (f"http_{status}", f"{HTTPStatus(status).phrase}.", InvalidRequest.hint)
    return error_response(status, *_FRAMEWORK.get(status, fallback), headers=error.headers)


def _of_departure(_: Request, __: Exception) -> JSONResponse:
    """Close a request whose sender left before its body was whole: nobody reads this."""
    return error_response(400, *_FRAMEWORK[400])


def _of_product(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, ServiceError):
        return of_service(error)
    if isinstance(error, UnknownKnowledgeBase):
        hint = "GET /kb lists them; the first upload to POST /kb/{kb}/documents creates one."
        message = f"There is no knowledge base named {error.name}."
        return error_response(404, "unknown_kb", message, hint)
    logger.exception("a request failed", exc_info=error)
    if trouble := trouble_of(error):
        return error_response(trouble.status, trouble.code, trouble.message, trouble.hint)
    if isinstance(error, StoreUnavailable):
        message = "A store can't be reached at the moment."
        return error_response(503, "store_unavailable", message, "Try again in a moment.")
    if isinstance(error, ModelUnavailable):
        message = "The model can't be reached at the moment."
        return error_response(503, "model_unavailable", message, "Try again in a moment.")
    return _of_anything(_, error)


def _of_disk(_: Request, error: Exception) -> JSONResponse:
    """Name a disk that is full or read-only; what is none of these is an error like any other."""
    trouble = trouble_of(error)
    if trouble is None:
        raise error
    logger.exception("a request failed", exc_info=error)
    return error_response(trouble.status, trouble.code, trouble.message, trouble.hint)


def _of_anything(_: Request, __: Exception) -> JSONResponse:
    """Say nothing about the cause; the server raises it again and logs it with its trace."""
    message = "The service ran into an error."
    return error_response(
        500, ServiceError.code, message, "The log of the service holds the cause."
    )


class _Interruptions:
    """Answers a request that the server cancels when it stops; the server itself says a bare 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def passed(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, passed)
        except asyncio.CancelledError:
            if begun or scope["type"] != "http":
                raise
            error = RequestInterrupted("The service stopped before this request was finished.")
            await of_service(error)(scope, receive, send)


def install(
    app: FastAPI, adapters: Mapping[type[Exception], tuple[int, str, str]] | None = None
) -> None:
    """Bind every error to the contract's form.

    `adapters` gives status, code and hint of errors whose own text may be shown; they are named
    by the caller, so that this module loads no adapter.
    """

    def of_adapter(_: Request, error: Exception) -> JSONResponse:
        status, code, hint = known[type(error)]
        return error_response(status, code, f"{error}.", hint)

    known: dict[type[Exception], tuple[int, str, str]] = dict(adapters or {})
    for kind in known:
        app.add_exception_handler(kind, of_adapter)
    app.add_middleware(_Interruptions)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_framework)
    app.add_exception_handler(ClientDisconnect, _of_departure)
    app.add_exception_handler(YoujuError, _of_product)
    app.add_exception_handler(OSError, _of_disk)
    app.add_exception_handler(sqlite3.Error, _of_disk)
    app.add_exception_handler(Exception, _of_anything)
