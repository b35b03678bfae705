"""What routes ask for. Everything lives on the application's state; the lifespan owns it."""

from typing import Annotated

from fastapi import Depends, Header, Request

from app.errors import InvalidRequest
from app.pulse import Pulse
from app.runs import RunManager
from app.services import Services
from app.settings import Settings
from app.text_keeper import TextKeeper

_MAX_KEY = 200


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


def _runs(request: Request) -> RunManager:
    runs: RunManager = request.app.state.runs
    return runs


def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


def _pulse(request: Request) -> Pulse:
    pulse: Pulse = request.app.state.pulse
    return pulse


def _keeper(request: Request) -> TextKeeper:
    keeper: TextKeeper = request.app.state.keeper
    return keeper


def _last_event_id(last_event_id: Annotated[str | None, Header()] = None) -> int:
    if not last_event_id:
        return 0
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 16):
        raise InvalidRequest("Last-Event-ID must be the id of an event that was received.")
    return int(last_event_id)


def _idempotency_key(idempotency_key: Annotated[str | None, Header()] = None) -> str | None:
    if idempotency_key is None:
        return None
    if not 1 <= len(idempotency_key.strip()) <= _MAX_KEY:
        raise InvalidRequest(f"Idempotency-Key must have 1 to {_MAX_KEY} characters.")
    return idempotency_key.strip()


def _wants_stream(accept: Annotated[str, Header()] = "") -> bool:
    return "text/event-stream" in accept.lower()


def _wants_async(prefer: Annotated[str, Header()] = "") -> bool:
    return "respond-async" in [part.partition(";")[0].strip() for part in prefer.lower().split(",")]


ServicesDep = Annotated[Services, Depends(_services)]
RunsDep = Annotated[RunManager, Depends(_runs)]
SettingsDep = Annotated[Settings, Depends(_settings)]
PulseDep = Annotated[Pulse, Depends(_pulse)]
KeeperDep = Annotated[TextKeeper, Depends(_keeper)]
LastEventId = Annotated[int, Depends(_last_event_id)]
IdempotencyKey = Annotated[str | None, Depends(_idempotency_key)]
WantsStream = Annotated[bool, Depends(_wants_stream)]
WantsAsync = Annotated[bool, Depends(_wants_async)]
