"""How a command reaches a data folder: through the server that holds it, or by opening it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from app.adapters.lock import Holder, read_holder
from app.commands.boundary import CommandFailed
from app.commands.client import Client
from app.settings import Settings

_CONNECT_SECONDS = 5.0


@asynccontextmanager
async def connect(settings: Settings, make: bool = False) -> AsyncIterator[Client]:
    """Yield a client for the data folder; raises CommandFailed where it can't be reached.

    A data folder is made only where `make` says so: who only asks is more likely in the wrong place.
    """
    holder = read_holder(settings.data_dir)
    if holder is None and not make and not settings.data_dir.exists():
        raise CommandFailed(
            f"There is no data folder {settings.data_dir.absolute()}.",
            "Change to the directory that holds it, set YOUJU_DATA_DIR, or ingest something first.",
        )
    if holder is None:
        # the service's libraries take seconds to load, and a running server makes them needless
        from app.commands import inside  # noqa: PLC0415

        async with inside.running(settings) as app:
            yield inside.client_of(app)
        return
    timeout = httpx.Timeout(None, connect=_CONNECT_SECONDS)
    # no proxy of the environment: the server is on this machine
    async with httpx.AsyncClient(
        base_url=address_of(settings, holder), timeout=timeout, trust_env=False
    ) as http:
        yield Client(http)


def address_of(settings: Settings, holder: Holder) -> str:
    """Return where the holder of a data folder serves, or raise CommandFailed."""
    if holder.address is None:
        who = f"process {holder.pid}" if holder.pid else "another process"
        raise CommandFailed(
            f"{settings.data_dir} is in use by {who}, which serves no address.",
            "It may be a server that is still starting or another command: wait for it or stop it.",
        )
    return holder.address
