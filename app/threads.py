"""How the threads of the process share the interpreter."""

import sys

_TURN = 0.0005
"""Seconds. A search reads the store and embeds in threads at once: with Python's 5 ms, one that has
read a row waits for the other's whole work, and the median search takes a tenth longer."""


def take_short_turns() -> None:
    """Let a thread that waits for the interpreter have it soon. Holds for the whole process."""
    sys.setswitchinterval(_TURN)
