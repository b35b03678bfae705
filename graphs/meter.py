"""What is left of a question's budget, and what was spent."""

import time
from dataclasses import dataclass


@dataclass(slots=True)
class Meter:
    """What one node may still spend on a model, and what it spent. Filled by the model adapter.

    `deadline` is Unix seconds. `degraded` is set when the embedded reasoner had to step in,
    `reranker_fallback` when the default reranker did. `question` is what the user asked: whoever
    judges by a model judges by it, never by a query.
    """

    calls_left: int
    tokens_left: int
    deadline: float
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    degraded: bool = False
    exhausted: bool = False
    reranker_fallback: bool = False
    question: str = ""

    def may_call(self) -> bool:
        """Tell whether another model call fits; remember a refusal in `exhausted`."""
        fits = self.calls_left > 0 and self.tokens_left > 0 and time.time() < self.deadline
        self.exhausted = self.exhausted or not fits
        return fits

    def record(self, input_tokens: int, output_tokens: int) -> None:
        """Book one finished model call."""
        self.calls += 1
        self.calls_left -= 1
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        self.tokens_left -= input_tokens + output_tokens
