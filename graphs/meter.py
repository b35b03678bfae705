"""What is left of a question's budget, and what was spent."""

import time
from dataclasses import dataclass


@dataclass(slots=True)
class Meter:
    """What one node may still spend on a model, and what it spent. Filled by the model adapter.

    `deadline` is Unix seconds. `steps_left` counts the nodes that may still ask the model: a call that
    is tried again spends `calls_left` alone. `degraded` is set when the embedded reasoner had to step in,
    `reranker_fallback` when the default reranker did. `question` is what the user asked: whoever
    judges by a model judges by it, never by a query.
    """

    calls_left: int
    tokens_left: int
    deadline: float
    steps_left: int = 1_000
    owner: str = "local"
    """Whose question it is: what is kept of it is for nobody else."""
    kb: str = ""
    kb_version: int = 0
    """The knowledge base and its version when the turn began."""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    degraded: bool = False
    exhausted: bool = False
    reranker_fallback: bool = False
    question: str = ""
    cached: int = 0
    """Calls that were not made since their reply was kept."""

    @property
    def tokens(self) -> int:
        """Tokens spent, both ways."""
        return self.input_tokens + self.output_tokens

    def may_call(self) -> bool:
        """Tell whether another model call fits; remember a refusal in `exhausted`."""
        fits = self.calls_left > 0 and self.tokens_left > 0 and time.time() < self.deadline
        self.exhausted = self.exhausted or not fits
        return fits

    def may_step(self, reserved: int = 0) -> bool:
        """Tell whether this node may ask the model and leave `reserved` nodes that still must."""
        return self.steps_left > reserved

    def record(self, input_tokens: int, output_tokens: int) -> None:
        """Book one finished model call."""
        self.calls += 1
        self.calls_left -= 1
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        self.tokens_left -= input_tokens + output_tokens
