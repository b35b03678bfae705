"""A converter's child process in which files do what broken files do to libraries."""

import os
import signal
import time

from app.ingest.converters import child
from app.ingest.converters.converted import Converted


def misbehave(suffix: str, data: bytes) -> Converted:
    match data:
        case b"hang":
            time.sleep(600)
        case b"crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case b"eat":
            return Converted("x" * (child.MEMORY + 1), markdown=False)
        case b"nest":
            return misbehave(suffix, data)
        case b"leave":
            child._IDLE_SECONDS = 0
        case b"grow":
            child._GROWN = 0
        case b"raise":
            raise KeyError("a library's own error")
        case b"print":
            print("between the replies", flush=True)
    return Converted(
        f"{suffix}: {data.decode()}", markdown=True, pages=(0, 3), title="t", date=None
    )


if __name__ == "__main__":
    child.convert_here = misbehave
    child.main()
