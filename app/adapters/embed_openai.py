"""Any server with an OpenAI-compatible `/v1/embeddings` as an embedder."""

import copy
import logging
import time
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import openai

from app.adapters.llm_retries import NOT_A_COMPLETION, patience_for, worth_retrying
from app.adapters.vectors import clean, unit_rows
from graphs.errors import EmbedderUnavailable
from graphs.ports import Matrix

_log = logging.getLogger(__name__)

OFFICIAL = "https://api.openai.com/v1"
MAX_CHARACTERS = 2000
"""Of one text. Chunks and sentences are shorter; it keeps one odd line from filling the context."""
_CONNECT_SECONDS = 5.0
_SHORTEST = 32
"""Characters below which a refused text is not cut any further."""
_REFUSED = (400, 413, 422)
"""What servers answer to a text beyond the context or to a batch that is too large."""
_ADVICE = {
    401: "refuses the key; check YOUJU_EMBEDDER_API_KEY (or OPENAI_API_KEY)",
    403: "refuses the key; check YOUJU_EMBEDDER_API_KEY (or OPENAI_API_KEY)",
    404: "does not know the model; check YOUJU_EMBEDDER_MODEL and YOUJU_EMBEDDER_BASE_URL",
}


class OpenAIEmbedder:
    """Embeds over HTTP; texts go as they are, so no tokenizer is downloaded.

    Construction embeds one text to find the dimension. `timeout`: seconds of one request; `patience`:
    of one batch with its `retries` after 429, 5xx, connect and read timeouts.
    Raises EmbedderUnavailable.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 30.0,
        retries: int = 3,
        batch: int = 32,
        patience: float = 120.0,
    ) -> None:
        self._model = model
        self._timeout = timeout
        self._retries = retries
        self._batch = batch
        self._patience = patience
        self._format: dict[str, Any] = {}  # the client asks for base64 and reads both
        self._client = openai.OpenAI(
            # explicit values, or the environment would choose the host and the key
            base_url=base_url or OFFICIAL,
            api_key=api_key or "none",
            max_retries=0,
        )
        self._dimension = int(
            unit_rows(self._rows(["有据"], time.monotonic() + patience), 1).shape[1]
        )

    @property
    def fingerprint(self) -> str:
        """Name of the model and length of its vectors; the server may move without a reindex."""
        return f"openai:{self._model}-{self._dimension}-cap{MAX_CHARACTERS}"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def hurried(self, patience: float) -> Self:
        """Return the same embedder for work that can't wait longer than `patience` seconds."""
        other = copy.copy(self)
        other._patience = patience
        return other

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one unit row per text. Raises EmbedderUnavailable."""
        given = clean(texts, MAX_CHARACTERS)
        parts = [np.zeros((0, self._dimension), dtype=np.float32)]
        for begin in range(0, len(given), self._batch):
            batch = given[begin : begin + self._batch]
            rows = unit_rows(self._rows(batch, time.monotonic() + self._patience), len(batch))
            if rows.shape[1] != self._dimension:
                raise EmbedderUnavailable(
                    f"the embedding server changed from {self._dimension} to {rows.shape[1]} "
                    "dimensions; restart, then reindex every knowledge base"
                )
            parts.append(rows)
        return np.concatenate(parts)

    def _rows(self, texts: list[str], until: float) -> list[list[float]]:
        """Return the vectors; what the server finds too much is halved and sent again."""
        try:
            return self._persist(texts, until)
        except openai.APIStatusError as error:
            if "encoding_format" in error.message and not self._format:
                self._format = {"encoding_format": "float"}
                return self._rows(texts, until)
            if len(texts) > 1:
                middle = len(texts) // 2
                return self._rows(texts[:middle], until) + self._rows(texts[middle:], until)
            if len(texts[0]) <= _SHORTEST:
                raise self._failed(error) from error
            return self._rows([texts[0][: len(texts[0]) // 2]], until)

    def _persist(self, texts: list[str], until: float) -> list[list[float]]:
        """Send until it works; raises APIStatusError for what is too much at once."""
        failures = 0
        while True:
            left = max(0.1, until - time.monotonic())
            try:
                return self._request(texts, min(self._timeout, left))
            except openai.OpenAIError as error:
                if isinstance(error, openai.APIStatusError) and _too_much(error):
                    raise
                failures += 1
                wait = patience_for(error, failures)
                late = failures > self._retries or time.monotonic() + wait >= until
                if late or not worth_retrying(error):
                    raise self._failed(error) from error
                _log.info("embedding failed (%s), next try in %.1f s", type(error).__name__, wait)
                time.sleep(wait)  # in a worker thread, never in the event loop
            except NOT_A_COMPLETION as error:
                raise self._failed(error) from error

    def _request(self, texts: list[str], timeout: float) -> list[list[float]]:
        reply = self._client.embeddings.create(
            model=self._model,
            input=texts,
            timeout=openai.Timeout(timeout, connect=min(_CONNECT_SECONDS, timeout)),
            **self._format,
        )
        found = {entry.index: entry.embedding for entry in reply.data}
        return [found[place] for place in range(len(texts))]

    def _failed(self, error: Exception) -> EmbedderUnavailable:
        if isinstance(error, openai.APIStatusError):
            fallback = f"answers with status {error.status_code}"
            why = _ADVICE.get(error.status_code, fallback)
        elif isinstance(error, openai.APITimeoutError):
            why = "takes too long; see YOUJU_EMBEDDER_TIMEOUT_SECONDS"
        elif isinstance(error, openai.APIConnectionError):
            why = "can't be reached; check YOUJU_EMBEDDER_BASE_URL (or OPENAI_BASE_URL)"
        else:
            why = "sends something else than embeddings; check YOUJU_EMBEDDER_BASE_URL"
        return EmbedderUnavailable(f"the embedding server of {self._model} {why}")


def _too_much(error: openai.APIStatusError) -> bool:
    if error.status_code in _REFUSED:
        return True
    # llama.cpp answers 500 to a text beyond its batch
    return error.status_code == 500 and "too large" in error.message
