"""How the interpreter is set up for the whole process."""

import gc
import sys

_TURN = 0.0005
"""Seconds. A search reads the store and embeds in threads at once: with Python's 5 ms, one that has
read a row waits for the other's whole work, and the median search takes a tenth longer."""


def take_short_turns() -> None:
    """Let a thread that waits for the interpreter have it soon."""
    sys.setswitchinterval(_TURN)


def keep_what_is_loaded() -> None:
    """Take dictionaries and models out of garbage collection: they stay as long as the process.

    A full collection would visit them all again in the midst of a question.
    """
    gc.collect()
    gc.freeze()
