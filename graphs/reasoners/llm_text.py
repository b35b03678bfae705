"""What is written into prompts: fenced passages within the context window, and listings."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphs.ask.records import Facet, Note, Turn
from graphs.evidence.instructions import instructions
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import sentences
from graphs.ports import KnowledgeBaseInfo
from graphs.reasoners.base import Case
from graphs.reasoners.chat import estimate_tokens

_FENCE = re.compile(
    r"[<＜﹤]\s*[/／]?\s*passage\b[^>＞﹥]*[>＞﹥]?"  # our own fence
    r"|<\|[^|<>\n]{1,40}\|>"  # chat-template tokens that some servers parse in any text
    r"|</?(?:think|system|assistant|user)>|\[/?INST\]",
    re.IGNORECASE,
)
_MARKER = re.compile(r"[\[【［]\s*(P\s*\d{1,2})\s*[\]】］]", re.IGNORECASE)
"""A marker in a document is no citation: a draft that copies it would cite what it did not read."""
_NO_ATTRIBUTE = str.maketrans({'"': "'", "<": "‹", ">": "›"})
ADDRESS = re.compile(r"https?://|www\.|[\w.-]+@[\w.-]+|\b[\w-]+\.[a-z]{2,}\b", re.IGNORECASE)
"""An address of the web or of mail: a model has none to give."""
NOTHING = "(none)"
_LEAST_TEXT = 8
_NAMES = {"zh": "Chinese", "en": "English"}


@dataclass(frozen=True, slots=True)
class Shown:
    """The passages that a prompt shows. `passages[n - 1]` is number n in the prompt."""

    passages: tuple[Passage, ...]
    text: str

    def number(self, passage_id: str) -> int | None:
        """Return the number of a passage, or None where it is not shown."""
        for index, passage in enumerate(self.passages, start=1):
            if passage.id == passage_id:
                return index
        return None


def unfenced(text: str) -> str:
    """Return `text` without anything that could close or open a fence, however it is nested."""
    while True:
        stripped = _FENCE.sub("", text)
        if stripped == text:
            return text
        text = stripped


def fence(number: int, passage: Passage, text: str, brief: bool = False) -> str:
    """Return one passage as data, with the attributes that tell versions and places apart.

    `brief` names the innermost section alone, and none that is called like the document.
    """
    sections = [name for name in passage.section[-1:] if name != passage.title]
    section = " / ".join(sections if brief else passage.section)
    attributes = {"title": passage.title, "section": section}
    if brief and not section:
        del attributes["section"]
    if passage.date:
        attributes["date"] = passage.date
    if passage.superseded_by:
        attributes["status"] = "replaced by a newer version"
    if passage.lead:  # no part of the text: what is quoted must stand in that
        attributes["columns"] = passage.heading_row
    shown = " ".join(f'{key}="{_attribute(value)}"' for key, value in attributes.items())
    data = _MARKER.sub(r"(\1)", unfenced(text))
    return f"<passage n={number} {shown}>\n{data}\n</passage>"


def _attribute(value: str) -> str:
    if instructions(value):  # a title can give orders too
        return ""
    return " ".join(unfenced(value).translate(_NO_ATTRIBUTE).split())


def show(evidence: Sequence[Evidence], notes: Sequence[Note], budget: int) -> Shown:
    """Return the passages that fit `budget` tokens, in the order given; the lightest leave first.

    The weight is that of the passage's heaviest note, else its score. The heaviest passage always
    stays, cut behind a sentence where it is too long.
    """
    weights = {item.passage.id: item.score for item in evidence}
    for note in notes:
        if note["id"] in weights:
            weights[note["id"]] = max(weights[note["id"]], note["weight"])
    keep = [item.passage for item in evidence]
    costs = {p.id: estimate_tokens(fence(len(keep), p, p.text)) + 1 for p in keep}
    while len(keep) > 1 and sum(costs[p.id] for p in keep) > budget:
        lightest = min(range(len(keep)), key=lambda i: (weights[keep[i].id], -i))
        del keep[lightest]
    texts = [p.text for p in keep]
    if len(keep) == 1:
        head = estimate_tokens(fence(1, keep[0], ""))
        texts = [_cut(keep[0].text, budget - head)]
    blocks = [fence(n, p, t) for n, (p, t) in enumerate(zip(keep, texts, strict=True), start=1)]
    return Shown(tuple(keep), "\n".join(blocks) or NOTHING)


def shorten(passage: Passage, room: int) -> str:
    """Return the start of a passage's text so that it fits `room` tokens with its fence."""
    head = estimate_tokens(fence(99, passage, ""))
    return _cut(passage.text, max(_LEAST_TEXT, room - head))


def _cut(text: str, budget: int) -> str:
    if estimate_tokens(text) <= budget:
        return text
    end = 0
    for start, stop in sentences(text):
        if estimate_tokens(text[:stop]) > budget:
            end = end or min(stop, start + max(budget, 1))
            break
        end = stop
    return text[:end]


def facet_lines(facets: Iterable[Facet]) -> str:
    """Return one line per facet: id, what kind, text; constraints are told from what is asked."""
    return _lines(f'- {f["id"]}: {_role(f)} "{unfenced(f["text"])}"' for f in facets)


def facet_parts(case: Case, partial: bool) -> dict[str, str]:
    """Return the facets for a draft: all of them, or apart by whether the evidence covers them."""
    if not partial:
        return {"facets": facet_lines(case.facets)}
    supported = [facet for facet in case.facets if case.covered.get(facet["id"])]
    return {
        "supported": facet_lines(supported),
        "unsupported": facet_lines(f for f in case.facets if f not in supported),
    }


def _role(facet: Facet) -> str:
    if facet["kind"] != "field":
        return f"constraint ({facet['kind']})"
    return f"{'required' if facet['required'] else 'optional'} field ({facet['field']})"


def turn_lines(turns: Sequence[Turn]) -> str:
    """Return the earlier turns, oldest first, with what a follow-up may point to."""
    return _lines(
        f"- {unfenced(turn['question_resolved'] or turn['question'])}"
        + (
            f" | mentioned: {', '.join(map(unfenced, turn['entities']))}"
            if turn["entities"]
            else ""
        )
        + (
            f" | documents: {', '.join(map(unfenced, turn['documents']))}"
            if turn["documents"]
            else ""
        )
        for turn in turns
    )


def listing(items: Iterable[str]) -> str:
    """Return one line per item, or a word for an empty list."""
    return _lines(f"- {unfenced(item)}" for item in items)


def about(info: KnowledgeBaseInfo) -> str:
    """Return the name and the description of a knowledge base."""
    return unfenced(f"{info.name}. {info.description}" if info.description else info.name)


def language_name(code: str) -> str:
    """Return the English name of a language code."""
    return _NAMES[code]


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines) or NOTHING
