"""Facets of a question: what the evidence must hold, read from the user's own words."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from graphs.ask.state import Facet, FacetKind, SubQuestion
from graphs.evidence import asks
from graphs.evidence.numbers import claims
from graphs.evidence.text import STOP_WORDS, codes, is_cjk, normalise, stem, tagged, words

_SENTENCE = re.compile(r"[。！!；;\n]+|(?<=[？?])|(?<=[a-z0-9])\.(?=\s|$)")
_CLAUSE = re.compile(
    r"[，,：:]+|\b(?:and also|and then)\b|，?并(?=[请且找说列给判分])|以及(?=[如怎为什哪谁何])"
)
_AND = re.compile(r"和|与|及|、|以及|\band\b")
_CONTENT = ("n", "v", "a", "eng", "j", "l", "i", "b", "z", "s", "m")
_SPEECH = re.compile(r"[“”\"‘’「」『』]")
_SOURCE_WORDS = frozenset(
    "记录 规程 制度 文件 手册 规定 缺陷 历史 案例 policy document record manual rule".split()
)
"""Words that name a kind of source rather than the subject."""
_WEAK_WORDS = frozenset(
    "运行 人员 值班员 员工 系统 设备 公司 处理 影响 方面 部分 侧 类 说 对应 优先 优先级 出现 发生 存在 采取 期间 明显 一点 后 前 employee "
    "company staff use get make take need happen apply".split()
)
"""Content words that say little of what the question is about; they count a third."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """Facets and sub-questions of one question."""

    facets: list[Facet]
    sub_questions: list[SubQuestion]


def parse(question: str, labels: Collection[str] = ()) -> Parsed:
    """Read the facets of `question`.

    `labels` are headings and labels that the corpus uses (normalised); a phrase of an asking clause
    that is one of them is a requested field. Context clauses give shared entity facets
    (sub_question ""), asking clauses give sub-questions with their own entities and fields.
    """
    builder = _Builder(question, frozenset(labels))
    for clause in clauses(question):
        builder.add(clause)
    return builder.finish()


def clauses(question: str) -> list[str]:
    """Return the clauses of a question, in order, without empty ones."""
    found: list[str] = []
    for sentence in _SENTENCE.split(_SPEECH.sub(" ", question)):
        for clause in _CLAUSE.split(sentence or ""):
            if clause and clause.strip(" ，,。.?？!！"):
                found.append(clause.strip())
    return found


class _Builder:
    """Collects facets clause by clause."""

    def __init__(self, question: str, labels: frozenset[str]) -> None:
        self._question = question
        self._labels = labels
        self._facets: list[Facet] = []
        self._subs: list[SubQuestion] = []

    def add(self, clause: str) -> None:
        """Add one clause: context, or a sub-question of its own."""
        if not asks.is_ask(clause):
            self._entities(clause, "")
            return
        fields = asks.requested_fields(clause)
        names = self._label_phrases(clause)
        if not names and not fields and not asks.imperative(clause):
            self._entities(clause, "")
            return
        sub = SubQuestion(id=f"q{len(self._subs) + 1}", text=clause, depends_on=[])
        self._subs.append(sub)
        for name in names:
            self._facet("field", name, sub["id"], field="label", required=True)
        if not names:
            for field in fields[:1] or ["fact"]:
                self._facet("field", clause, sub["id"], field=field, required=True)
        self._entities(asks.strip_cues(clause), sub["id"], without=names)

    def finish(self) -> Parsed:
        """Return what was read; a question without an asking clause is one sub-question."""
        if not self._subs:
            text = self._question.strip()
            self._subs.append(SubQuestion(id="q1", text=text, depends_on=[]))
            self._facet("field", text, "q1", field="fact", required=True)
        self._values()
        return Parsed(self._facets, self._subs)

    def _label_phrases(self, clause: str) -> list[str]:
        """Return requested labels: corpus labels, and noun phrases that end as labels do."""
        if not is_cjk(clause):
            return []
        content = asks.strip_cues(clause)
        tail = re.split(r"的", content)[-1] if "的" in content else content
        found: list[str] = []
        for part in _AND.split(tail):
            text = re.sub(
                r"^.*\s|^(?:并|是|有|中|其|该|应|应该|需要)+|(?:是|有|呢|吗|为)+$",
                "",
                part.strip(" ？?。"),
            )
            if not 2 <= len(text) <= 12:
                continue
            if normalise(text) in self._labels or asks.LABEL_HEAD.search(text):
                found.append(text)
        return found

    def _entities(self, clause: str, sub: str, without: Sequence[str] = ()) -> None:
        for name in (*without, *codes(clause)):
            clause = re.sub(re.escape(name), " ", clause, flags=re.IGNORECASE)
        for phrase in noun_phrases(clause):
            self._facet("entity", phrase, sub, required=False)

    def _values(self) -> None:
        """Add codes, dates and numbers of the whole question as constraints."""
        for code in codes(self._question):
            self._facet("code", code, "", required=False)
        for claim in claims(self._question):
            if claim.kind == "date":
                self._facet("time", claim.value, "", required=False)
            elif claim.kind in ("number", "percent") and claim.unit:
                self._facet("number", f"{claim.value} {claim.unit}", "", required=False)

    def _facet(
        self, kind: FacetKind, text: str, sub: str, field: str = "", required: bool = False
    ) -> None:
        terms = words(asks.strip_cues(text) if kind == "field" else text)
        if kind == "entity" and not terms:
            return
        if any(
            f["kind"] == kind and f["text"] == text and f["sub_question"] == sub
            for f in self._facets
        ):
            return
        self._facets.append(
            Facet(
                id=f"f{len(self._facets) + 1}", kind=kind, text=text, terms=terms,
                required=required, sub_question=sub, field=field,
            )
        )  # fmt: skip


def noun_phrases(clause: str) -> Iterator[str]:
    """Yield runs of adjacent content words: 循环水旋转滤网压差升高, hotel cost, flight."""
    run: list[str] = []
    for word, flag in (*tagged(clause), ("", "x")):
        content = (
            bool(word.strip())
            and word not in STOP_WORDS
            and flag.startswith(_CONTENT)
            and not (flag == "m" and not word.isascii())
            and not word.isdigit()
        )
        if content:
            run.append(word)
        elif run and (word != " " or not run[-1].isascii()):
            yield _joined(run)
            run = []
        if content and flag == "eng" and len(run) > 3:
            yield _joined(run)
            run = []


def _joined(run: Sequence[str]) -> str:
    text = " ".join(run) if run[0].isascii() else "".join(run)
    return text[:-1] if len(text) > 2 and text[-1] in "时后前中" else text


def term_weight(term: str) -> float:
    """Return how much a word says of the subject, apart from its rarity: 1, or a third."""
    if term in _WEAK_WORDS or stem(term) in _WEAK_WORDS:
        return 0.33
    return 0.5 if term in _SOURCE_WORDS else 1.0
