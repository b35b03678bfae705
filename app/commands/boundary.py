"""Where a command's work begins and ends: settings, errors, signals."""

import asyncio
import signal
import sqlite3
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

import typer
from pydantic import ValidationError
from pydantic_settings import SettingsError

from app.commands.hints import MAKE_KB
from app.commands.screen import complain
from app.settings import Settings, explain
from app.store_troubles import trouble_of
from graphs.errors import UnknownKnowledgeBase, YoujuError

T = TypeVar("T")
FAILED, MISUSED, STOPPED = 1, 2, 130
"""Exit codes: the work failed; a setting or an argument is wrong; stopped by a signal."""


class CommandFailed(YoujuError):
    """A command can't go on; the text is for the person who called it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def settings_of(**given: Any) -> Settings:
    """Return the settings from the environment with what the command line gives; exit 2 if bad."""
    try:
        return Settings(**given)
    except ValidationError as error:
        complain(explain(error))
    except SettingsError as error:
        complain(f"A setting can't be read: {error}.", "See .env.example.")
    raise typer.Exit(MISUSED)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's work to its end, inside the boundary."""
    with boundary():
        return asyncio.run(work)


@contextmanager
def boundary() -> Iterator[None]:
    """Tell a failure in a sentence and exit with 1; what is no known failure passes through."""
    try:
        yield
    except UnknownKnowledgeBase as error:
        _fail(f"There is no knowledge base named {error.name}.", MAKE_KB)
    except YoujuError as error:
        if trouble := trouble_of(error):
            _fail(trouble.message, trouble.hint)
        _fail(str(error), getattr(error, "hint", ""))
    except BrokenPipeError:
        raise  # the reader went away: the door of all commands ends quietly
    except OSError as error:
        trouble = trouble_of(error)
        hint = trouble.hint if trouble else ""
        _fail(f"{error.filename or 'The system'}: {error.strerror or error}.", hint)
    except sqlite3.Error as error:
        if (trouble := trouble_of(error)) is None:
            raise
        _fail(trouble.message, trouble.hint)
    except KeyboardInterrupt:
        raise typer.Exit(STOPPED) from None


def prepare_process() -> None:
    """Let SIGTERM stop like Ctrl-C, and print in any terminal encoding."""
    # a shell starts what runs in the background with SIGINT ignored: SIGTERM would be ignored too
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr] # both are text files here


def _fail(message: str, hint: str = "") -> NoReturn:
    complain(message, hint)
    raise typer.Exit(FAILED) from None
