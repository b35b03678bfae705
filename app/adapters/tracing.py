"""Keeps LangChain's tracing service silent, whatever the environment says."""

import os

import langsmith

_REMOVED_SWITCHES = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")
"""Switches of a tracer that no longer exists; with one of them set, every run raises."""


def silence_tracing() -> None:
    """Switch tracing off for this process: nothing leaves the machine unless configured here."""
    for name in _REMOVED_SWITCHES:
        os.environ.pop(name, None)
    langsmith.configure(enabled=False)
