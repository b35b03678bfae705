"""How far the ingests are that are running or were lately, by the names that their callers gave."""

from collections import OrderedDict
from collections.abc import Callable

from app.ingest.reports import Progress

_KEPT = 200


class ProgressBoard:
    """The last progress of each named ingest. For one event loop."""

    def __init__(self) -> None:
        self._last: OrderedDict[tuple[str, str], Progress] = OrderedDict()

    def writer(self, kb: str, name: str) -> Callable[[Progress], None]:
        """Return what takes the progress of an ingest."""

        def write(progress: Progress) -> None:
            self._last[kb, name] = progress
            self._last.move_to_end((kb, name))
            while len(self._last) > _KEPT:
                self._last.popitem(last=False)

        return write

    def read(self, kb: str, name: str) -> Progress | None:
        """Return the last progress, or None for an unknown ingest."""
        return self._last.get((kb, name))
