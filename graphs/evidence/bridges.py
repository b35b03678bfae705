"""What a hop found: the answer of one part that another part waits for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphs.evidence.asks import strip_cues
from graphs.evidence.blocks import cells
from graphs.evidence.candidates import Wanted, candidates_in
from graphs.evidence.hop_words import ROLE_EN, ROLE_ZH, VERB_ZH
from graphs.evidence.lines import Lexicon, Line, PassageText, presence, take_apart
from graphs.evidence.passages import Passage
from graphs.evidence.script import simplified
from graphs.evidence.text import fold, is_cjk, words
from graphs.evidence.values import values_in

_LONGEST = {True: 24, False: 60}
"""Characters of an answer that fills a slot, in Chinese and in other languages."""
_HELD = 0.5
"""Share of a part's words that the answer's sentence must hold, its headings included."""
_FITS = 0.35
"""A value whose kind fits less is no answer of a hop."""
_FITS_WELL = 0.6
_TOLD = 1.0
"""What an answer is worth whose sentence says it in so many words (由X负责, head: X)."""
_ABOUT = 0.6
"""What the title of a passage is worth that is about its title."""
_TITLED = ("title", "any", "organisation", "place", "person")
_LATER = 0.95
_OPENING = 120
_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_ROLE = re.compile(rf"{ROLE_ZH}|\b{ROLE_EN}s?\b", re.IGNORECASE)
_TOLD_ZH = (
    re.compile(
        rf"由(?P<x>[^，。；、：:的由\s]{{2,16}}?)(?:统一|具体|全权)?(?:进行)?(?:{VERB_ZH})(?![部处科室组局厂司])"
    ),
    re.compile(
        rf"(?:^|[，。；\n])(?P<x>[^，。；、：:的由\s]{{2,12}}?)(?:统一|具体|全权)?(?:{VERB_ZH})(?![部处科室组局厂司])"
    ),
)
_DOES = re.compile(rf"(?:谁|哪[个位家][^，。]{{0,4}}?)(?:{VERB_ZH})")
_NAME_EN = r"(?P<x>(?-i:[A-Z])[\w.'&-]*(?: (?:of |and |& )?(?-i:[A-Z])[\w.'&-]*){0,5})"
_NOT_A_NAME = re.compile(r"[谁何哪]|什么|必须|(?<![供响反对])应当?|不得|需要?|可以?|如果?|若|[0-9]")


@dataclass(frozen=True, slots=True)
class Answer:
    """What fills a slot, with the passage that says it."""

    text: str
    passage: str
    worth: float


def answer_of(
    part: str, passages: Sequence[Passage], lexicon: Lexicon, question: str, sure: bool = False
) -> Answer | None:
    """Return what a part asks for, as the passages say it; None where they name nothing of the kind.

    `passages` answer the part, best first. What `question` itself names is no answer. `sure` takes
    only what is of the very kind: a department may stand for who does something, not for a person.
    """
    asked = {word: lexicon.weight(word) for word in words(strip_cues(part))}
    known = fold(question)
    found: list[Answer] = []
    for rank, passage in enumerate(passages):
        text = take_apart(passage)
        for name, worth in _named(part, asked, passage, text, sure):
            clean = name.strip(' ，。,.;；:："“”')
            if clean and fold(_bare(clean)) not in known and len(clean) <= _LONGEST[is_cjk(clean)]:
                found.append(Answer(clean, passage.id, worth * _LATER**rank))
    return max(found, key=lambda answer: answer.worth, default=None)


def _named(
    part: str, asked: Mapping[str, float], passage: Passage, text: PassageText, sure: bool
) -> Iterator[tuple[str, float]]:
    """Yield what may fill a slot with its worth: how much of the part its sentence holds counts twice."""
    wanted = Wanted.of(part)
    for line in text.lines:
        held = _share(asked, line, text.heading)
        if line.kind in ("heading", "header") or held < _HELD:
            continue
        if line.kind == "row":
            yield from ((cell, held * (held + _TOLD)) for cell in _cells(part, line))
        yield from ((name, held * (held + _TOLD)) for name in _told(part, line.text))
        for value in candidates_in(line.text, wanted, asked):
            name = _with_article(line.text, value.value.start, value.value.end)
            fits = value.fit >= (_FITS_WELL if sure else _FITS)
            if value.new and fits and not _only_opens(name, value.value.start):
                yield name, held * (held + value.strength)
    if wanted.name in _TITLED and _is_about(passage):
        title = _ASIDE.sub("", passage.title)
        held = max((_share(asked, line, text.heading) for line in text.lines), default=0.0)
        fits = wanted.name == "title" or any(
            wanted.fit(value) >= _FITS_WELL for value in values_in(title)
        )
        if held >= _HELD and fits:
            yield title, held * (held + _ABOUT)


def _with_article(text: str, start: int, end: int) -> str:
    return f"the {text[start:end]}" if text[:start].lower().endswith("the ") else text[start:end]


def _bare(name: str) -> str:
    return re.sub(r"^the ", "", name, flags=re.IGNORECASE)


def _only_opens(name: str, start: int) -> bool:
    """Tell whether a word may have its capital only because it opens the sentence."""
    return start == 0 and name.isascii() and name.isalpha()


def _share(asked: Mapping[str, float], line: Line, heading: Line) -> float:
    """Return the rarity-weighted share of the words in a line; those in its headings count half."""
    total = sum(asked.values())
    held = sum(
        weight * max(presence(word, line), 0.5 * presence(word, heading))
        for word, weight in asked.items()
    )
    return held / total if total else 1.0


def _told(part: str, sentence: str) -> Iterator[str]:
    """Yield what a sentence gives in so many words as who or what fills the asked role."""
    plain = simplified(sentence)
    role = _asked_role(part)
    patterns: list[re.Pattern[str]] = []
    if is_cjk(part):
        patterns += _TOLD_ZH if _DOES.match(part) else ()
        if role:
            patterns.append(
                re.compile(rf"{role}\s*(?:是|为|由|：|:)\s*(?P<x>[^，。；、,;\s（(|]{{2,16}})")
            )
    elif role:
        patterns.append(re.compile(rf"\b{role}\b[^.:]{{0,30}}?(?:\bis\b|\bwas\b|:)\s+(?:the )?{_NAME_EN}", re.IGNORECASE))  # fmt: skip
    for pattern in patterns:
        for match in pattern.finditer(plain):
            if not _NOT_A_NAME.search(match["x"]) and match["x"] not in part:
                yield sentence[match.start("x") : match.end("x")]


def _asked_role(part: str) -> str:
    """Return the role that a part asks for: the last one named in Chinese, else the first."""
    roles = [match.group() for match in _ROLE.finditer(simplified(part))]
    return (roles[-1] if is_cjk(part) else roles[0]) if roles else ""


def _cells(part: str, row: Line) -> Iterator[str]:
    """Yield the cells of a row that stand under what a part asks for."""
    names, values = cells(row.above.rsplit("\n", 1)[-1]), cells(row.text)
    if len(names) != len(values):
        return
    role = _asked_role(part)
    for name, value in zip(names, values, strict=True):
        if role and role.lower() in simplified(name).lower():
            yield value


def _is_about(passage: Passage) -> bool:
    """Tell whether a passage is about what its title names: it opens with it."""
    title = fold(_ASIDE.sub("", passage.title))
    return len(title) > 2 and title in fold(passage.text[:_OPENING])
