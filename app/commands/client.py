"""The HTTP contract from the caller's side."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httpx

from app.commands.boundary import CommandFailed
from app.commands.files import Content
from app.commands.hints import hint_of

Reply = dict[str, Any]
_OF_THE_FILE = {"invalid_request", "too_large", "unsupported_content"}
"""Codes that refuse an upload because of what is in it."""


class RequestFailed(CommandFailed):
    """The service refused a request."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.code = code


class Client:
    """Speaks to a service, be it another process or this one."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def ask(self, body: Reply) -> Reply:
        """Ask a question and return the whole answer."""
        return await self._send("POST", "/ask", body)

    async def search(self, kb: str, body: Reply) -> Reply:
        """Return the hits of a search."""
        return await self._send("POST", f"{_kb(kb)}/search", body)

    async def why_not(self, kb: str, body: Reply) -> Reply:
        """Return where an expected document stood and what dropped it."""
        return await self._send("POST", f"{_kb(kb)}/why-not", body)

    async def calibration(self, kb: str) -> Reply:
        """Return by what the confidence of a knowledge base is judged."""
        return await self._send("GET", f"{_kb(kb)}/calibration")

    async def calibrate(self, kb: str, body: Reply) -> Reply:
        """Store a calibration."""
        return await self._send("PUT", f"{_kb(kb)}/calibration", body)

    async def forget_calibration(self, kb: str) -> Reply:
        """Go back to the shipped confidence."""
        return await self._send("DELETE", f"{_kb(kb)}/calibration")

    async def labels(self, kb: str) -> list[Reply]:
        """Return the labels that follow from the feedback on a knowledge base's answers."""
        response = await self._request("GET", "/feedback/labels", params={"kb": kb})
        if not response.is_success:
            _content(response)
        return [json.loads(line) for line in response.text.splitlines()]

    async def delete_thread(self, thread_id: str) -> None:
        """Delete a conversation with its runs."""
        await self._send("DELETE", f"/threads/{quote(thread_id, safe='')}")

    async def learn(self, kb: str, links: Sequence[Reply]) -> Reply:
        """Learn from confirmed links; returns when the trial is over."""
        return await self._send("POST", f"{_kb(kb)}/learn", {"links": list(links)})

    async def learned(self, kb: str) -> Reply:
        """Return what a knowledge base has learned and how far a running trial is."""
        return await self._send("GET", f"{_kb(kb)}/learn")

    async def undo_learning(self, kb: str) -> Reply:
        """Undo the newest learning and return what counts then."""
        return await self._send("DELETE", f"{_kb(kb)}/learn")

    async def ready(self) -> Reply:
        """Return which models and stores run."""
        return await self._send("GET", "/readyz")

    async def documents(self, kb: str) -> list[Reply]:
        """Return what is known of each document."""
        reply = await self._send("GET", f"{_kb(kb)}/documents")
        return list(reply["documents"])

    async def progress(self, kb: str, ingest: str) -> Reply | None:
        """Return how far the newest upload of this name is, None before it began."""
        try:
            return await self._send("GET", f"{_kb(kb)}/ingests/{ingest}")
        except RequestFailed:
            return None

    async def upload(
        self, kb: str, files: Sequence[Content], ingest: str, more: bool = False
    ) -> list[Reply]:
        """Send files in one request and return what became of each; all in memory at once.

        `ingest` is the name by which `progress` knows it, `more` announces another request. Raises
        RequestFailed where the reason is not in a file.
        """
        url = f"{_kb(kb)}/documents"
        params: dict[str, Any] = {"ingest": ingest, "more": more}
        try:
            if len(files) == 1:
                params["name"] = files[0].name
                reply = await self._send("POST", url, params=params, content=files[0].data)
            else:
                parts = [("files", (file.name, file.data)) for file in files]
                reply = await self._send("POST", url, params=params, files=parts)
        except RequestFailed as error:
            if error.code not in _OF_THE_FILE:
                raise
            if len(files) > 1:  # the reply names the reason of the first alone
                return [(await self.upload(kb, [file], ingest, more))[0] for file in files]
            return [_refused(files[0], error)]
        return list(reply["files"])

    async def _send(self, method: str, url: str, body: Reply | None = None, **more: Any) -> Reply:
        response = await self._request(method, url, body, **more)
        return {} if response.status_code == httpx.codes.NO_CONTENT else _content(response)

    async def _request(
        self, method: str, url: str, body: Reply | None = None, **more: Any
    ) -> httpx.Response:
        if body is not None:  # escaped, so that the service itself refuses what is no Unicode
            more = {"content": json.dumps(body), "headers": {"Content-Type": "application/json"}}
        try:
            return await self._http.request(method, url, **more)
        except httpx.TransportError as error:
            raise CommandFailed(
                f"The service at {self._http.base_url} does not answer ({type(error).__name__}).",
                "See whether it is still starting, or stop it and try again.",
            ) from error


def _kb(name: str) -> str:
    if not name or "/" in name:  # the only names that don't reach the service as one segment
        raise CommandFailed(f"{name!r} can't name a knowledge base.", "Use a name such as travel.")
    return f"/kb/{quote(name)}"


def _content(response: httpx.Response) -> Reply:
    try:
        content = response.json()
        error = None if response.is_success else content["error"]
    except (ValueError, KeyError, TypeError) as wrong:
        raise CommandFailed(
            f"{response.url} answered {response.status_code} in a form that is not Youju's.",
            "Another program may serve at this address.",
        ) from wrong
    if error is not None:
        hint = hint_of(error["code"], error["hint"])
        raise RequestFailed(error["code"], error["message"], hint)
    return dict(content)


def _refused(file: Content, error: RequestFailed) -> Reply:
    message = str(error).removeprefix(f"{file.name}: ")
    reason = {"code": error.code, "message": message, "hint": error.hint}
    return {
        "name": file.name,
        "outcome": "failed",
        "document_id": None,
        "passages": 0,
        "error": reason,
        "near_duplicate_of": None,
    }
