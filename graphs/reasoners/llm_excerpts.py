"""What the model sees when it grades: of each passage the few characters that matter."""

from collections.abc import Mapping, Sequence

from graphs.evidence.passages import Evidence, Passage
from graphs.reasoners.chat import estimate_tokens
from graphs.reasoners.llm_text import Shown, fence

LONGEST = 160
"""Characters of one passage. Whether it states what is asked shows around its best sentence."""
MOST = 6
"""Passages, the best ones: the judgement of the others stays the embedded one."""
_CUT = "…"


def show_excerpts(
    evidence: Sequence[Evidence], spans: Mapping[str, tuple[int, int]], budget: int
) -> Shown:
    """Return at most `MOST` passages, each cut to the characters around its best sentence.

    `evidence` comes best first: what no longer fits `budget` tokens is left out. `spans` maps a
    passage's id to places in its canonical text, as `Reading.spans` holds them.
    """
    passages: list[Passage] = []
    blocks: list[str] = []
    for number, item in enumerate(evidence[:MOST], start=1):
        cut = excerpt(item.passage, spans.get(item.passage.id))
        block = fence(number, item.passage, cut, brief=True)
        if blocks and estimate_tokens("\n".join((*blocks, block))) > budget:
            break
        passages.append(item.passage)
        blocks.append(block)
    return Shown(tuple(passages), "\n".join(blocks))


def excerpt(passage: Passage, span: tuple[int, int] | None) -> str:
    """Return at most `LONGEST` characters around a span, the marks of what is left out aside."""
    text = passage.text
    if len(text) <= LONGEST:
        return text
    start, end = span or (passage.start, passage.start)
    before = max(0, LONGEST - (end - start)) // 2  # nothing where the sentence alone is too long
    begin = max(0, min(start - passage.start - before, len(text) - LONGEST))
    cut = text[begin : begin + LONGEST]
    return f"{_CUT if begin else ''}{cut}{_CUT if begin + LONGEST < len(text) else ''}"
