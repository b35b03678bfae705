"""What a client has been sent of one answer, and what it must be sent next."""

from collections.abc import Mapping
from typing import Any

from app.run_records import Draft


class Transcript:
    """Keeps the invariant: the token texts after the last reset, joined, equal the answer.

    `produced` is what the graph has emitted of the answer, `sent` what the client holds. They
    differ only while a node that was interrupted repeats lines that were sent before.
    """

    def __init__(self) -> None:
        self.attempt = 1
        self.sent = ""
        self._seq = 0
        self._produced = ""
        self._mark = ""

    def mark(self) -> None:
        """Remember where the next node takes over."""
        self._mark = self._produced

    def rewind(self) -> None:
        """Go back to the last mark: the node starts over."""
        self._produced = self._mark

    def line(self, text: str) -> list[Draft]:
        """Return the events for one finished piece of answer text."""
        self._produced += text
        if self.sent.startswith(self._produced):
            return []
        return self._bring(self._produced)

    def settle(self, answer: str) -> list[Draft]:
        """Return the events that leave the client with exactly `answer`."""
        self._produced = answer
        return [] if self.sent == answer else self._bring(answer)

    def replay(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take in one event of the log."""
        if kind == "token":
            self.sent += data["text"]
            self._seq = data["seq"] + 1
        elif kind == "reset":
            self.attempt, self.sent, self._seq = data["attempt"], "", 0
        self._produced = self.sent

    def _bring(self, text: str) -> list[Draft]:
        drafts = []
        if not text.startswith(self.sent):
            self.attempt, self.sent, self._seq = self.attempt + 1, "", 0
            drafts.append(Draft("reset", {"attempt": self.attempt}))
        for piece in text[len(self.sent) :].splitlines(keepends=True):
            data = {"attempt": self.attempt, "seq": self._seq, "text": piece}
            drafts.append(Draft("token", data))
            self._seq += 1
        self.sent = text
        return drafts
