"""The two streams that commands write to."""

import json
import re
from typing import Any

from rich.console import Console
from rich.text import Text

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
err = Console(highlight=False, markup=False, emoji=False, soft_wrap=True, stderr=True)


def plain(text: str) -> str:
    """Return text from a document or a caller without what a terminal would obey."""
    return _CONTROL.sub("\ufffd", text)


def complain(message: str, hint: str = "") -> None:
    """Write an error and how to mend it to the error stream."""
    err.print(Text.assemble(("error: ", "bold red"), plain(message)))
    if hint:
        err.print(Text.assemble(("hint: ", "cyan"), plain(hint)))


def note(message: str) -> None:
    """Write something worth knowing to the error stream."""
    err.print(Text.assemble(("note: ", "yellow"), plain(message)))


def dump(content: Any) -> None:
    """Write JSON to standard output, as it is, for scripts."""
    out.out(json.dumps(content, ensure_ascii=False, indent=2), highlight=False)
