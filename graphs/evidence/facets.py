"""Facets of a question: what the evidence must hold, read from the user's own words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphs.ask.records import Facet, FacetKind, SubQuestion
from graphs.evidence import asks
from graphs.evidence.numbers import claims
from graphs.evidence.text import STOP_WORDS, codes, is_cjk, normalise, stem, tagged, words

_SENTENCE = re.compile(r"[。！!；;\n]+|(?<=[？?])|(?<=[a-z0-9])\.(?=\s|$)")
_CLAUSE = re.compile(
    r"，+|(?:(?<!\d)[,：:]|[,：:](?!\d))+|\b(?:and also|and then)\b|\band (?=(?:who|what|when|where|why|how|which|is|are|do|does|can|may|must|should)\b)|，?并(?=[请且找说列给判分])|以及(?=[如怎为什哪谁何])"
)
_AND = re.compile(r"和|与|及|、|以及|\band\b")
_CONTENT = ("n", "v", "a", "eng", "j", "l", "i", "b", "z", "s", "m")
MOST_PARTS = 8
"""Parts of one question that are judged; what a longer question asks beyond them is left out."""
MOST_FACETS = 32
MOST_WORDS = 24
_NUMBERED = re.compile(
    r"\b([a-z]{3,}) (\d{1,6}(?:\.\d+)?|[a-z])\b(?!\s*(?:%|percent))|(\d{1,4})\s*(?:号|#)\s*([\u4e00-\u9fff]{1,3})",
    re.IGNORECASE,
)
"""A name with its number: part 5, wing b, 3号机."""
_NAMING = ("n", "eng", "j", "l", "vn", "b", "s")
_NARRATOR = re.compile(r"^.{1,6}?(?:说|反映|报告|报|称|问|提到|发现)[：:，,\s]*")
_SPEECH = re.compile(r"[“”\"‘’「」『』]")
SOURCE_WORDS = frozenset(
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


def parse(question: str) -> Parsed:
    """Read the facets of `question`.

    Context clauses give shared entity facets (sub_question ""), asking clauses give sub-questions
    with their own entities and requested fields.
    """
    builder = _Builder(question)
    for clause in clauses(question):
        builder.add(clause)
    return builder.finish()


def clauses(question: str) -> list[str]:
    """Return the clauses of a question, in order, without empty ones."""
    found: list[str] = []
    spoken = _NARRATOR.sub("", question) if _SPEECH.search(question) else question
    for sentence in _SENTENCE.split(_SPEECH.sub(" ", spoken)):
        for clause in _CLAUSE.split(sentence or ""):
            if clause and clause.strip() not in found and clause.strip(" ，,。.?？!！"):
                found.append(clause.strip())
    return found


class _Builder:
    """Collects facets clause by clause."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._facets: list[Facet] = []
        self._subs: list[SubQuestion] = []

    def add(self, clause: str) -> None:
        """Add one clause: context, or a sub-question of its own."""
        if not asks.is_ask(clause):
            self._entities(clause, "")
            self._values(clause, "")
            return
        fields = asks.requested_fields(clause)
        both = asks.pair(clause)
        names = [] if both else self._label_phrases(clause)
        if not names and not fields and not asks.imperative(clause):
            self._entities(clause, "")
            self._values(clause, "")
            return
        if len(self._subs) >= MOST_PARTS:
            return
        sub = SubQuestion(id=f"q{len(self._subs) + 1}", text=clause, depends_on=[])
        self._subs.append(sub)
        for name in names:
            field, content = asks.label_field(name)
            self._facet("field", name, sub["id"], field=field, required=True, content=content)
        for name in both:
            self._facet("field", name, sub["id"], field=fields[0], required=True)
        if not names and not both:
            for field in fields[:1] or ["fact"]:
                self._facet("field", clause, sub["id"], field=field, required=True)
        self._entities(asks.strip_cues(clause), sub["id"], without=[*names, *both])
        self._values(clause, sub["id"])

    def finish(self) -> Parsed:
        """Return what was read; a question without an asking clause is one sub-question."""
        if not self._subs:
            text = self._question.strip()
            self._subs.append(SubQuestion(id="q1", text=text, depends_on=[]))
            self._facet("field", text, "q1", field="fact", required=True)
        self._one_for_each_code()
        return Parsed(self._facets, self._subs)

    def _one_for_each_code(self) -> None:
        """Ask a part that names several codes once for each of them."""
        for sub in list(self._subs):
            named = [
                facet
                for facet in self._facets
                if facet["kind"] == "code" and facet["sub_question"] in ("", sub["id"])
            ]
            if len(named) > 1:
                self._split(sub, named)
        for number, facet in enumerate(self._facets, start=1):
            facet["id"] = f"f{number}"

    def _split(self, sub: SubQuestion, named: list[Facet]) -> None:
        place = self._subs.index(sub)
        parts = [
            SubQuestion(id=f"{sub['id']}.{n}", text=f"{code['text']}: {sub['text']}", depends_on=[])
            for n, code in enumerate(named, start=1)
        ]
        self._subs[place : place + 1] = parts
        mine = [f for f in self._facets if f["sub_question"] == sub["id"] and f["kind"] != "code"]
        kept = [f for f in self._facets if f not in named and f not in mine]
        copies = [
            Facet(**{**facet, "sub_question": part["id"]})
            for part, code in zip(parts, named, strict=True)
            for facet in (code, *mine)
        ]
        # A code of the context still stands for the parts that come after.
        self._facets = [*kept, *copies]

    def _label_phrases(self, clause: str) -> list[str]:
        """Return the noun phrases of an asking clause that name a field (现场检查结果, 处理措施)."""
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
            if asks.LABEL_HEAD.search(text):
                found.append(text)
        return found

    def _entities(self, clause: str, sub: str, without: Sequence[str] = ()) -> None:
        for name in (*without, *codes(clause)):
            clause = re.sub(re.escape(name), " ", clause, flags=re.IGNORECASE)
        for phrase in noun_phrases(clause):
            self._facet("entity", phrase, sub, required=False)
        for name in numbered_names(clause):
            self._facet("entity", name, sub, required=False)

    def _values(self, clause: str, sub: str) -> None:
        """Add codes, dates and numbers of a clause as constraints."""
        for code in codes(clause):
            self._facet("code", code, sub, required=False)
        for claim in claims(clause):
            if claim.kind == "date":
                self._facet("time", claim.value, sub, required=False)
            elif (
                claim.kind in ("number", "percent") and claim.unit and clause[claim.start].isascii()
            ):
                self._facet("number", f"{claim.value} {claim.unit}", sub, required=False)

    def _facet(
        self,
        kind: FacetKind,
        text: str,
        sub: str,
        field: str = "",
        required: bool = False,
        content: str | None = None,
    ) -> None:
        """Add a facet once; `content` is what its words are read from where that is not `text`."""
        source = text if content is None else content
        if kind == "entity" and numbered_names(text) == [text.lower()]:
            self._keep(kind, text, sub, field, required, [text.lower()])
            return
        terms = words(asks.strip_cues(source) if kind == "field" else source)[:MOST_WORDS]
        if len(self._facets) >= MOST_FACETS and not required:
            return
        if kind == "entity" and not terms:
            return
        self._keep(kind, text, sub, field, required, terms)

    def _keep(
        self, kind: FacetKind, text: str, sub: str, field: str, required: bool, terms: list[str]
    ) -> None:
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


def numbered_names(clause: str) -> list[str]:
    """Return names with their number, as they must stand in a passage: "part 5", "3号机"."""
    found: list[str] = []
    for match in _NUMBERED.finditer(clause):
        if (
            match[1]
            and normalise(match[1]) not in STOP_WORDS
            and not (match[2].isalpha() and match[2].islower() and match[2] in "ai")
        ):
            end = match.end(2)
            unit = claims(clause[match.start(2) : end + 12]) if match[2][0].isdigit() else []
            if not (unit and unit[0].unit):
                found.append(f"{match[1]} {match[2]}".lower())
        elif match[3]:
            found.append(f"{match[3]}号{match[4][:1]}")
    return found


def noun_phrases(clause: str) -> Iterator[str]:
    """Yield runs of adjacent content words that name something: 循环水旋转滤网压差升高, hotel cost."""
    run: list[str] = []
    named = False
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
            named = named or (flag.startswith(_NAMING) and word not in _WEAK_WORDS)
        elif run and (word != " " or not run[-1].isascii()):
            if named:
                yield _joined(run)
            run, named = [], False


def _joined(run: Sequence[str]) -> str:
    text = " ".join(run) if run[0].isascii() else "".join(run)
    return text[:-1] if len(text) > 2 and text[-1] in "时后前中" else text


def term_weight(term: str) -> float:
    """Return how much a word says of the subject, apart from its rarity: 1, or a third."""
    if term in _WEAK_WORDS or stem(term) in _WEAK_WORDS:
        return 0.33
    if len(term) == 1 and not term.isascii():
        return 0.33
    return 0.5 if term in SOURCE_WORDS else 1.0
