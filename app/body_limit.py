"""Refuse a body that is too large while it comes in, before it fills the memory."""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimit:
    """ASGI middleware. Starlette's own would answer in plain text instead of the contract's form."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with a `receive` that raises 413 above the limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "")
        too_large = declared.isdigit() and int(declared) > self._limit
        received = 0

        async def limited() -> Message:
            nonlocal received
            if too_large:
                raise HTTPException(413)
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._limit:
                raise HTTPException(413)
            return message

        await self._app(scope, limited, send)
