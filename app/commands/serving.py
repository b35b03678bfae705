"""Serve over HTTP: take the data folder, bind the address, tell where and what runs."""

import ipaddress
import json
import logging
import math
import shlex
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import uvicorn
from rich.text import Text

from app.adapters.lock import DataLock
from app.commands import inside, samples
from app.commands.boundary import CommandFailed
from app.commands.ingesting import summary
from app.commands.screen import note, out
from app.routes.health import VERSION
from app.settings import Settings
from app.wiring import open_services


class _Server(uvicorn.Server):
    """Tells when it accepts connections."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept, then tell."""
        await super().startup(sockets)
        if self.started:
            self._ready()


async def serve(settings: Settings, with_samples: bool) -> None:
    """Serve until a signal stops it; raises DataFolderBusy, CommandFailed."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    lock = DataLock(settings.data_dir)
    lock.acquire()
    try:
        with _bind(settings.host, settings.port) as bound:
            await _serve(settings, lock, bound, with_samples)
    finally:
        lock.release()


async def _serve(
    settings: Settings, lock: DataLock, bound: socket.socket, with_samples: bool
) -> None:
    address = _address(settings.host, bound.getsockname()[1])
    async with inside.running(settings, partial(open_services, lock=lock)) as app:
        if with_samples:
            for outcome in await samples.load(inside.client_of(app), settings.max_upload_bytes):
                out.print(summary(outcome))

        def ready() -> None:
            lock.announce(address)
            _tell(settings, address, app.state.services.models["reasoner"], with_samples)

        config = uvicorn.Config(
            app,
            lifespan="off",  # it runs already: the samples are loaded through it
            log_config=None,
            access_log=False,
            ws="none",
            timeout_graceful_shutdown=max(1, math.ceil(settings.shutdown_seconds)),
        )
        with _no_second_stop():
            await _Server(config, ready).serve(sockets=[bound])
    note("stopped")


@contextmanager
def _no_second_stop() -> Iterator[None]:
    """Ignore the signal that the server raises anew once it has stopped for it.

    It would cancel the closing of the stores; while it serves, the server's own handlers stand.
    """
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [(number, signal.signal(number, lambda *_: None)) for number in signals]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _bind(host: str, port: int) -> socket.socket:
    """Return a bound socket that does not listen yet; port 0 takes a free one."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(where)
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise CommandFailed(
            f"{host}:{port} can't be served at: {error.strerror}.",
            "Choose another with --host and --port; --port 0 takes a free one.",
        ) from error
    return bound


def _address(host: str, port: int) -> str:
    """Return the address at which this machine reaches the service."""
    try:
        given = ipaddress.ip_address(host)
    except ValueError:
        return f"http://{host}:{port}"
    if given.is_unspecified:
        host = "127.0.0.1" if given.version == 4 else "::1"
    return f"http://[{host}]:{port}" if given.version == 6 else f"http://{host}:{port}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _tell(settings: Settings, address: str, brain: str, with_samples: bool) -> None:
    out.print(Text.assemble(("有据 Youju ", "bold"), VERSION, " serves ", (address, "bold green")))
    out.print(f"brain: {brain}; data: {settings.data_dir}; documentation: {address}/docs")
    if not _is_loopback(settings.host):
        note(
            f"{settings.host} can be reached from other machines, and the service asks for no key: "
            "put a proxy with a login before it."
        )
    if with_samples:
        out.print("Try it:")
        for line in curl_lines(address):
            out.print(line)


def curl_lines(address: str) -> list[str]:
    """Return three commands for a shell: the knowledge bases, an answer as JSON, one as events."""
    first: dict[str, str] = {}
    for sample in samples.questions():
        first.setdefault(sample.kb, sample.question)
    bodies = [
        json.dumps({"kb": kb, "question": text}, ensure_ascii=False) for kb, text in first.items()
    ]
    as_json, as_events = (shlex.quote(body) for body in bodies)
    typed = "-H 'Content-Type: application/json'"
    return [
        f"curl -s {address}/kb",
        f"curl -s {address}/ask {typed} -d {as_json}",
        f"curl -sN {address}/ask {typed} -H 'Accept: text/event-stream' -d {as_events}",
    ]
