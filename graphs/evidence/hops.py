"""Several hops: a question about what another question finds, split where its form leaves no doubt.

A part waits for an earlier one where words of it stand for what that one finds: "the department that
approves travel" in "Who heads the department that approves travel?". Those words are its slot.
"""

import re
from dataclasses import dataclass

from graphs.evidence.hop_words import (
    AFTER_ROLE_ZH,
    FIRST_EN,
    GENERAL_EN,
    GENERAL_ZH,
    LAST_EN,
    NOT_ONE_EN,
    NOT_ONE_ZH,
    PERSON_EN,
    PERSON_ZH,
    ROLE_EN,
    ROLE_ZH,
    SPECIFIC_EN,
    SPECIFIC_ZH,
    VERB_ZH,
    kind_of,
)
from graphs.evidence.text import is_cjk, words
from graphs.evidence.values import values_in

_LONGEST = 300
_LEAD_ZH = re.compile(r"^(?:请问一?下?|请告诉我|告诉我|想知道|那么?)[，,]?")
_MARKS = " \t？?。.！!"


@dataclass(frozen=True, slots=True)
class Part:
    """One hop as a question. `slot`: the words of `text` that stand for what the part before finds."""

    text: str
    slot: str = ""


def chain(question: str) -> tuple[Part, ...]:
    """Return the hops of a question, each but the first with its slot; nothing for a single hop.

    No split is better than a wrong one: a role must be named (负责人, department, author), what it is
    the role of must be one thing, and more than the role itself must be asked for.
    """
    text = question.strip()
    if len(text) > _LONGEST:
        return ()
    return _chinese(text) if is_cjk(text) else _english(text)


_ROLE = re.compile(rf"(?P<de>的?)(?P<role>{ROLE_ZH})(?P<after>{AFTER_ROLE_ZH})")
_VERBAL = re.compile(rf"^(?:{VERB_ZH})")


def _chinese(question: str) -> tuple[Part, ...]:
    start = lead.end() if (lead := _LEAD_ZH.match(question)) else 0
    if re.search(r"[，,；;。：:\n]", question[start:].rstrip(_MARKS)):
        return ()
    ends: list[tuple[int, str]] = []
    for match in _ROLE.finditer(question, start):
        before = question[start : match.start()]
        if _stands(before, match["role"], bool(match["de"]), first=not ends):
            ends.append((match.end("role"), match["role"]))
    if not ends or GENERAL_ZH.search(question[ends[-1][0] :]):
        return ()
    parts: list[Part] = []
    slot = ""
    for number, (end, role) in enumerate(ends):
        named = question[start:end]
        text = _asked_zh(named, role) if number == 0 else f"{named}是{_which(role)}？"
        parts.append(Part(text, slot))
        slot = named
    return (*parts, Part(question[start:], slot))


def _stands(before: str, role: str, linked: bool, first: bool) -> bool:
    """Tell whether a role is that of one thing: of a named one, or of who does what is said."""
    if not first:
        return linked
    if len(before) < 2 or NOT_ONE_ZH.search(before):
        return False
    if linked and _VERBAL.match(before):
        return True
    return bool(re.fullmatch(SPECIFIC_ZH, role)) and not _VERBAL.match(before)


def _asked_zh(named: str, role: str) -> str:
    """Return the question for the first hop: 负责报销的部门 as 哪个部门负责报销？"""
    does = named.removesuffix(role).removesuffix("的")
    if _VERBAL.match(named) and named.endswith(f"的{role}"):
        return f"谁{does}？" if _which(role) == "谁" else f"哪个{role}{does}？"
    return f"{named}是{_which(role)}？"


def _which(role: str) -> str:
    if re.fullmatch(PERSON_ZH, role):
        return "谁"
    return f"哪部{role}" if kind_of(role) == "title" else f"哪个{role}"


_NAMED = rf"\bthe (?:(?!(?:of|for|in|on|by|who|that|which|whose|and|is|was|are|were|has|had)\b)[\w'-]+ ){{0,4}}?(?P<role>{ROLE_EN})"
_SLOT = rf"(?P<slot>{_NAMED},? (?P<link>of|for|who|that|which|whose) (?P<rest>.+?))"
_OPENS_EN = re.compile(rf"{_SLOT}(?={FIRST_EN}|{LAST_EN})", re.IGNORECASE)
_ENDS_EN = re.compile(rf"{_SLOT}(?={LAST_EN})", re.IGNORECASE)
_LINKS = re.compile(r"\b(?:who|that|which|whose|of|for|and|or)$", re.IGNORECASE)
_MOST_OBJECT = 8
"""Words of a clause whose subject is another thing: the magazine that someone writes for."""
_ASKS_EN = re.compile(r"\b(?:who|whom|what|which|where|when|how)\b", re.IGNORECASE)
_FINITE = re.compile(
    r"(?:is|was|are|were|has|had|have|did|does|do|can|may|must|will|would|should)\b|[a-z]+(?:s|ed)\b"
    r"|(?:won|wrote|made|led|sang|built|held|ran|began|became|sold|bought|gave|left|took|met|cut|beat)\b"
)
_ONLY_ASKS = re.compile(
    r"\b(?:who|whom|what|which|where|when|how|is|was|are|were|the|of|a|an|please|tell|me|do|does|did|in|at|by|to)\b",
    re.IGNORECASE,
)


def _english(question: str) -> tuple[Part, ...]:
    if re.search(r"[.;\n]\s", question) or len(re.findall(r"\?", question)) > 1:
        return ()
    for place in (m.start() for m in re.finditer(r"\bthe\b", question, re.IGNORECASE)):
        match = (_OPENS_EN if place == 0 else _ENDS_EN).match(question, place)
        inner = _asked_en(match) if match else ""
        if match and inner:
            around = f"{question[:place]} {question[match.end('slot') :]}"
            asks = _ASKS_EN.search(around) and not GENERAL_EN.search(around)
            if asks and _asks_more(around):
                return (*_inner(inner), Part(question, match["slot"].strip()))
    return ()


def _inner(text: str) -> tuple[Part, ...]:
    """Return the hops of a first hop: it may itself be about what another one finds."""
    return _english(text) or (Part(text),)


def _asks_more(around: str) -> bool:
    """Tell whether more is asked than who or what fills the slot."""
    return bool(words(_ONLY_ASKS.sub(" ", around)))


def _asked_en(match: re.Match[str]) -> str:
    """Return the question for what stands in a slot; "" where it is no single thing."""
    role, link, rest = match["role"], match["link"].lower(), match["rest"].strip(" ,?")
    person = bool(re.fullmatch(PERSON_EN, role, re.IGNORECASE))
    if NOT_ONE_EN.match(rest) or _LINKS.search(rest) or not words(rest):
        return ""
    if link in ("of", "for"):
        if not re.fullmatch(SPECIFIC_EN, role, re.IGNORECASE):
            return ""
        return f"{'Who' if person else 'What'} is {match['slot'].strip()}?"
    if link == "whose":
        return f"Which {role}'s {rest}?" if any(map(_FINITE.match, rest.split()[1:])) else ""
    if _FINITE.match(rest):
        return f"Who {rest}?" if person else f"Which {role} {rest}?"
    other = rest[:1].isupper() and len(rest.split()) <= _MOST_OBJECT
    return f"Which {role} is it that {rest}?" if other else ""


_HE_ZH, _IT_ZH = (
    re.compile(r"[他她](?!们|人)"),
    re.compile(r"(?:该|这个?)(?:部门|单位|公司|机构|供应商|厂家)|它(?!们)|其(?![他中余它])"),
)
_HE_EN = re.compile(r"\b(?:he|she|his|her|him)\b", re.IGNORECASE)
_IT_EN = re.compile(r"\b(?:its?|their|they)\b", re.IGNORECASE)
_WHO = re.compile(r"谁|哪位|^(?:and |so )?who\b", re.IGNORECASE)
_WHICH = re.compile(
    r"哪个?(?:部门|单位|公司|机构|家)|什么部门|\b(?:which|what) (?:company|department|team|supplier|vendor|agency|office|unit)\b",
    re.IGNORECASE,
)


def pronoun(text: str, before: str) -> str:
    """Return the pronoun of a part that stands for who or what the part before asks for, else "".

    "Who manages the site and what is his number?" waits; "Who replaced Ann Lee and what is her
    number?" names someone whom it may mean as well.
    """
    chinese = is_cjk(text)
    if _WHO.search(before):
        if any(value.kind == "person" for value in values_in(before)):
            return ""
        found = (_HE_ZH if chinese else _HE_EN).search(text)
    elif _WHICH.search(before):
        found = (_IT_ZH if chinese else _IT_EN).search(text)
    else:
        return ""
    return found.group() if found else ""


def stands_by_itself(slot: str) -> bool:
    """Tell whether a slot is a pronoun: what it stands for is asked elsewhere in the question."""
    return any(p.fullmatch(slot) for p in (_HE_ZH, _IT_ZH, _HE_EN, _IT_EN))


def filled(text: str, slot: str, answer: str) -> str:
    """Return a part with the answer in the place of its slot."""
    owner = not is_cjk(text) and slot.lower() in ("his", "her", "its", "their")
    return text.replace(slot, f"{answer}'s" if owner else answer, 1)
