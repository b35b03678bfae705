"""Listwise reranking by a chat model (RankGPT, Sun et al. 2023), with absolute grades.

The model sees a window of numbered passages and returns them best first, each with a relevance of 1
to 5. A ranking that is longer than the window is read from its end in overlapping windows, so that a
good passage climbs from one to the next.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from prompts import load

from graphs.errors import ModelOutputInvalid, ModelUnavailable, RerankerUnavailable
from graphs.evidence.calibration import calibrated
from graphs.evidence.instructions import without_orders
from graphs.evidence.passages import Evidence
from graphs.meter import Meter
from graphs.ports import Sigmoid
from graphs.reasoners.chat import BudgetExhausted, ChatModel, estimate_messages
from graphs.reasoners.llm_schemas import RerankOut
from graphs.reasoners.llm_text import fence, shorten, unfenced

GRADES = Sigmoid(midpoint=3.0, scale=2 / math.log(9))
"""Grades 1 to 5 become 0.1, 0.25, 0.5, 0.75, 0.9, about as where the model grades the evidence."""
_LOWEST = 1
_SPREAD = 0.5
"""What the last place costs against the first, so that places part equal grades, never unequal ones."""
_APART = 0.001
"""What is left between two scores, which are kept with three decimals."""
_REPLY, _ENTRY = 80, 26
"""Tokens of a reply: at least, and for each passage."""
_LONGEST_REPLY_SHARE = 3
_SPARE = 64
_MOST, _LEAST = 400, 24
"""Tokens of one passage with its headings: more are cut, with fewer a prompt is not worth sending."""
_TELLING = 4
"""Passages among which a model that finds them all alike has said nothing."""


@dataclass(frozen=True, slots=True)
class LLMReranker:
    """Implements ListwiseReranker.

    The best `depth` passages of a ranking are read, `window` at a time, `step` apart: one call where
    `depth` ≤ `window`. `context_tokens` is the model's context window.
    """

    chat: ChatModel
    context_tokens: int
    depth: int = 20
    window: int = 20
    step: int = 10

    @property
    def fingerprint(self) -> str:
        """Name of the model."""
        return f"llm:{self.chat.name}"

    async def rerank(
        self, question: str, ranked: Sequence[Evidence], meter: Meter
    ) -> list[Evidence]:
        """Return the passages in the model's order; the grades it gave, best first, score them.

        Passages behind `depth` follow in their old order, none above the last one that was read.
        Raises RerankerUnavailable where the model fails or its reply is of no use.
        """
        order = list(range(min(self.depth, len(ranked))))
        if len(order) < 2:
            return list(ranked)
        grades: dict[int, int] = {}
        try:
            for place in _windows(len(order), self.window, self.step):
                part = order[place]
                judged = await self._judge(question, [ranked[i] for i in part], meter)
                order[place] = [part[at] for at, _ in judged]
                grades |= {part[at]: grade for at, grade in judged}
        except (ModelUnavailable, ModelOutputInvalid) as error:
            raise RerankerUnavailable(f"the model gave no ranking: {error}") from error
        return scored(ranked, order, grades)

    async def _judge(
        self, question: str, shown: Sequence[Evidence], meter: Meter
    ) -> list[tuple[int, int]]:
        """Return (place in `shown`, grade), best first, for every passage of one window."""
        if not meter.may_call():
            raise BudgetExhausted("no model call is left for this question")
        most = self.context_tokens // _LONGEST_REPLY_SHARE
        limit = min(_REPLY + _ENTRY * len(shown), most)
        prompt, asked = load("rerank"), unfenced(question)
        bare = estimate_messages(prompt.render(question=asked, passages=""))
        room = (self.context_tokens - limit - bare - _SPARE) // len(shown)
        if room < _LEAST:
            raise ModelUnavailable(f"rerank does not fit into {self.context_tokens} tokens")
        passages = [
            _shown(number, item, min(room, _MOST)) for number, item in enumerate(shown, start=1)
        ]
        messages = prompt.render(question=asked, passages="\n".join(passages))
        return permutation(await self.chat.complete(messages, RerankOut, limit, meter), len(shown))


def permutation(reply: RerankOut, count: int) -> list[tuple[int, int]]:
    """Return (place, grade) for each of `count` passages, best first.

    Repeated passages count once, those left out follow in their old order with the lowest grade.
    Raises ModelOutputInvalid for a number that was not shown, where more than half are left out, and
    where every one of many passages is found equally good.
    """
    placed: dict[int, int] = {}
    for entry in reply.ranking:
        if not 1 <= entry.passage <= count:
            raise ModelOutputInvalid(f"there is no passage {entry.passage}")
        placed.setdefault(entry.passage - 1, entry.relevance)
    if 2 * len(placed) < count:
        raise ModelOutputInvalid(f"{len(placed)} of {count} passages are ranked")
    alike = len(placed) == count > _TELLING and len(set(placed.values())) == 1
    if alike and _LOWEST not in placed.values():
        raise ModelOutputInvalid(f"all {count} passages are found equally good")
    left_out = {at: _LOWEST for at in range(count) if at not in placed}
    return [*placed.items(), *left_out.items()]


def _windows(count: int, size: int, step: int) -> Iterator[slice]:
    """Yield the places of each window, from the end of the list to its start."""
    end = count
    while True:
        start = max(0, end - size)
        yield slice(start, end)
        if start == 0:
            return
        end = max(size, end - step)


def scored(
    ranked: Sequence[Evidence], order: Sequence[int], grades: dict[int, int]
) -> list[Evidence]:
    """Give the grades, highest first, to the passages in their new order.

    The order is what the model was asked for: where its grades contradict it, they move, not it.
    """
    falling = sorted(grades.values(), reverse=True)
    read = [
        (ranked[index], calibrated(grade - _SPREAD * place / len(order), GRADES))
        for place, (index, grade) in enumerate(zip(order, falling, strict=True))
    ]
    found: list[Evidence] = []
    for item, score in (*read, *((item, item.score) for item in ranked[len(order) :])):
        below = max(0.0, found[-1].score - _APART) if found else 1.0
        found.append(replace(item, score=round(min(score, below), 3)))
    return found


def _shown(number: int, item: Evidence, room: int) -> str:
    passage = without_orders(item.passage)
    return fence(number, passage, shorten(passage, room))
