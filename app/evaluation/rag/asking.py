"""Ask the compiled graph as the product does, and keep what a measurement needs of the run."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from app.evaluation.corpus import CorpusStore, Step
from app.evaluation.datasets import Question, QuestionSet
from app.evaluation.rag.forced import ForcedReasoner, open_gates
from app.evaluation.rag.views import Views
from app.runs import Graph
from app.wiring import Core
from graphs.ask.graph import build_graph

Gate = Literal["own", "open"]
"""`own`: the service as shipped. `open`: it answers whenever any statement stands."""
_KEPT = ("result", "evidence")
_JOIN = {"zh": "", "en": " "}


@dataclass(frozen=True, slots=True)
class Run:
    """What one question gave.

    `text` joins the texts of the statements, without warning lines, headings, markers and the
    missing section; `first` is the first statement alone. `evidence` holds one list of passage
    groups a round (a passage with its collapsed variants), best first, by document key;
    `assessment` is the last one with its features.
    """

    status: str
    confidence: float
    text: str
    first: str
    cited: list[str]
    citations: int
    valid_citations: int
    uncited: int
    warnings: list[str]
    path: list[str]
    retrieved_by: list[str]
    evidence: list[list[list[str]]]
    assessment: dict[str, Any]
    seconds: float
    calls: int
    tokens: int

    @property
    def refused(self) -> bool:
        """Whether it neither answered nor answered in part."""
        return self.status not in ("answered", "partial")

    def as_json(self) -> dict[str, Any]:
        """Return the run for comparisons."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class OpenSet:
    """A question set in its knowledge base; `ids` and `keys` map document keys and passage ids."""

    questions: QuestionSet
    language: str
    ids: Mapping[str, str]
    keys: Mapping[str, str]
    documents: Mapping[str, str]
    """Document key to document id, as `exclude_documents` takes it."""

    @property
    def name(self) -> str:
        """The name of the set and of its knowledge base."""
        return self.questions.name


class Asker:
    """Runs questions through the graph, one at a time; the same question is run once."""

    def __init__(self, core: Core) -> None:
        self._views = Views(core.library)
        self._search = core.collaborators.search
        bound = replace(core.collaborators, library=self._views)
        forced = replace(
            bound,
            reasoner=ForcedReasoner(bound.reasoner),
            policy=open_gates(bound.policy),
        )
        self._graphs: dict[Gate, Graph] = {
            "own": build_graph(bound).compile(name="ask"),
            "open": build_graph(forced).compile(name="ask"),
        }
        self._runs: dict[tuple[object, ...], Run] = {}

    async def open(
        self, corpora: CorpusStore, questions: QuestionSet, language: str, step: Step
    ) -> OpenSet:
        """Store the passages of a set where they are not stored yet."""
        kb, keys = await corpora.store(questions.name, questions.documents, step)
        passages = await kb.passages(list(keys))
        documents = {keys[passage.id]: passage.document_id for passage in passages}
        return OpenSet(questions, language, {k: id_ for id_, k in keys.items()}, keys, documents)

    async def ask(
        self,
        opened: OpenSet,
        question: Question,
        given: Sequence[str] | None = None,
        without: Sequence[str] = (),
        gate: Gate = "own",
    ) -> Run:
        """Ask of the given passages alone (keys, in their order), or of the whole base.

        `without` are excluded as a caller would exclude documents.
        """
        wanted = (
            opened.name,
            question.id,
            None if given is None else tuple(given),
            tuple(without),
            gate,
        )
        if wanted not in self._runs:
            kb = opened.name
            if given is not None:
                kb = f"{opened.name}-{hashlib.sha256(repr(wanted).encode()).hexdigest()[:12]}"
                await self._views.give(opened.name, [opened.ids[key] for key in given], kb)
            options = {"exclude_documents": [opened.documents[key] for key in without]}
            self._runs[wanted] = await self._run(opened, question.text, kb, options, gate)
            self._views.take_back(kb)
        return self._runs[wanted]

    async def best(
        self, opened: OpenSet, question: Question, without: Sequence[str], count: int
    ) -> list[str]:
        """Return the keys of the best `count` passages of a search without those of `without`."""
        kb = await self._views.open(opened.name)
        excluded = [opened.documents[key] for key in without]
        search = self._search
        found = await search.search(kb, question.text, search.policy.initial, 0, excluded)
        return [opened.keys[item.passage.id] for item in found.ranked[:count]]

    async def _run(
        self, opened: OpenSet, text: str, kb: str, options: dict[str, Any], gate: Gate
    ) -> Run:
        if gate == "open":
            # a second search finds nothing more among given passages, and everything is answered
            options = options | {"threshold": 0.0, "max_rounds": 0}
        began = time.perf_counter()
        state = await self._graphs[gate].ainvoke(
            {"question": text, "kb": kb, "options": options}, output_keys=list(_KEPT)
        )
        seconds = time.perf_counter() - began
        result = state["result"]
        valid = [await self._valid(kb, citation) for citation in result["citations"]]
        said = [statement["text"].strip() for statement in result["statements"]]
        by_document = {document: key for key, document in opened.documents.items()}
        assessment = dict(result["assessment"] or {})
        return Run(
            status=result["status"],
            confidence=float(assessment.get("confidence", 0.0)),
            text=_JOIN[opened.language].join(said),
            first=said[0] if said else "",
            cited=list(dict.fromkeys(by_document[c["document_id"]] for c in result["citations"])),
            citations=len(valid),
            valid_citations=sum(valid),
            uncited=sum(not statement["citations"] for statement in result["statements"]),
            warnings=[warning["code"] for warning in result["warnings"]],
            path=result["path"],
            retrieved_by=[each["node"] for each in result["retrievals"]],
            evidence=_rounds(state.get("evidence", []), opened.keys),
            assessment={k: v for k, v in assessment.items() if k not in ("covered", "gaps")},
            seconds=round(seconds, 5),
            calls=result["usage"]["llm_calls"],
            tokens=result["usage"]["input_tokens"] + result["usage"]["output_tokens"],
        )

    async def _valid(self, kb: str, citation: Mapping[str, Any]) -> bool:
        opened = await self._views.open(kb)
        text = await opened.canonical_text(citation["document_id"], citation["version"])
        place = slice(citation["start"], citation["end"])
        return text is not None and text[place] == citation["quote"] != ""


def _rounds(
    references: Sequence[Mapping[str, Any]], keys: Mapping[str, str]
) -> list[list[list[str]]]:
    found: list[list[list[str]]] = [
        [] for _ in range(1 + max((r["round"] for r in references), default=0))
    ]
    for reference in references:
        ids = (reference["id"], *reference["variants"])
        found[reference["round"]].append([keys[id_] for id_ in ids])
    return found
