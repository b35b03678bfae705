"""The embedded reasoner: extractive, deterministic, milliseconds; no model needed."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from graphs.ask.records import Facet, Statement, Turn
from graphs.evidence import broadening, facets, follow_up
from graphs.evidence.citations import unsupported
from graphs.evidence.extraction import Reads, answers_as_block, extract
from graphs.evidence.passages import Evidence
from graphs.evidence.text import codes, fold, language, spoken
from graphs.ports import Embedder, KnowledgeBase
from graphs.reasoners.base import Analysis, Case, Check, Meter, Reading
from graphs.reasoners.hops import hop_query, waits, without_answer
from graphs.reasoners.local_broadening import bindings, known_words
from graphs.reasoners.local_disputes import on_both_sides
from graphs.reasoners.local_quoting import quotes_for
from graphs.reasoners.local_reading import embed_facets, open_reader, read_case

_RECORDS = ("哪些", "哪几", "分别", "历史", "which", "list", "what are")
"""Words of a question that asks for several records rather than one passage."""


@dataclass(frozen=True, slots=True)
class LocalReasoner:
    """Runs every node without a language model."""

    embedder: Embedder

    @property
    def name(self) -> str:
        """The name in answers."""
        return "embedded"

    async def analyze(
        self, question: str, turns: Sequence[Turn], kb: KnowledgeBase, meter: Meter
    ) -> Analysis:
        """Resolve a follow-up and read the facets; the first query is what the user said."""
        tongue = language(question)
        if not any(char.isalnum() for char in question):
            return _direct(question, tongue, "unresolved_reference")
        if follow_up.is_courtesy(question):
            return _direct(question, tongue, "courtesy")
        if follow_up.is_about_service(question):
            return _direct(question, tongue, "service")
        resolved = follow_up.resolve(question, turns)
        if resolved is None:
            return _direct(question, tongue, "unresolved_reference")
        parsed = facets.parse(resolved)
        return Analysis(
            question_resolved=resolved,
            language="zh" if tongue == "zh" else "en",
            intent="retrieve",
            direct_reason="",
            first_query=resolved,
            facets=parsed.facets,
            sub_questions=parsed.sub_questions,
        )

    async def grade(self, case: Case, meter: Meter) -> Reading:
        """Match every facet against every passage."""
        bound = await bindings(self.embedder, case) if case.broadened else {}
        reader = await open_reader(self.embedder, case, bound)
        vocabulary = await case.kb.vocabulary()
        vectors = await embed_facets(self.embedder, case.facets, ("entity",))
        known = await known_words(case.kb, case.facets)
        bindable = bool(known) or broadening.bindable(list(vectors.values()), vocabulary)
        return await asyncio.to_thread(read_case, reader, bindable)

    async def review(self, case: Case, reading: Reading, meter: Meter) -> Reading:
        """Return the reading: it has looked at all there is."""
        return reading

    async def rewrite_precise(self, case: Case, meter: Meter) -> list[str]:
        """Ask for what is missing in the knowledge base's terms, each missing part by itself.

        A hop that was filled from what was found is asked as it then stands.
        """
        missing = [f for f in case.facets if f["required"] and not case.covered.get(f["id"])]
        missing = [facet for facet in missing if not waits(case, facet)] or missing
        hop = hop_query(case, missing[0]) if missing else ""
        feedback = [] if hop else await self._feedback(case, missing[:1])
        queries = [
            hop_query(case, f) or _without_repeats(_subject_of(f, case.facets), _asked(f))
            for f in missing[:3]
        ]
        if not queries:
            queries = [case.question]
        main = " ".join([queries[0], *feedback])
        return _distinct([main, *queries[1:]], case.searched)

    async def rewrite_broaden(self, case: Case, meter: Meter) -> list[str]:
        """Say the question in the knowledge base's own words, kept by co-occurrence."""
        bound = await bindings(self.embedder, case)
        known = spoken(case.question, await known_words(case.kb, case.facets))
        phrases = list(dict.fromkeys(p for found in bound.values() for p in found))
        info = await case.kb.info()
        for term, synonyms in (info.glossary or {}).items():
            if fold(term) in fold(case.question):
                phrases = [*synonyms, *phrases]
        main = " ".join([*phrases, *known])
        wanted = [_asked(facet) for facet in case.facets if facet["required"]]
        more = [" ".join([*phrases[:3], text]) for text in wanted[:1]] if phrases else []
        more += [" ".join(found) for found in list(bound.values())[:1]]
        return _distinct([main or case.question, *more], case.searched)

    async def generate(self, case: Case, partial: bool, meter: Meter) -> AsyncIterator[Statement]:
        """Yield exact sentences, rows and list items that answer the covered facets."""
        bound = await bindings(self.embedder, case) if case.broadened else {}
        reader = await open_reader(self.embedder, case, bound)
        required = [f for f in case.facets if f["required"] and not without_answer(case, f)]
        reads = await asyncio.to_thread(lambda: {f["id"]: reader.reads(f) for f in required})
        plural = any(word in case.question.lower() for word in _RECORDS) and _many_records(
            [read.evidence for found in reads.values() for read in found]
        )
        limit = 5 if plural else 2
        chosen = {facet: found[:limit] for facet, found in reads.items()}
        # what is covered is answered; where nothing is, the best clauses are all there is to say
        told = [facet for facet in required if reads[facet["id"]]] or required
        clauses = [facet for facet in told if _by_clause(case, facet, chosen, plural)]
        brief = 1 / max(1, len(required))
        quotes = await asyncio.to_thread(
            lambda: {
                facet["id"]: on_both_sides(
                    reader.query, case, facet, quotes_for(reader, facet, brief)
                )
                for facet in clauses
            }
        )
        for statement in extract(case.facets, chosen, quotes, case.language, plural):
            yield statement

    async def check(self, case: Case, statements: Sequence[Statement], meter: Meter) -> Check:
        """Keep what a program can vouch for; name the covered facets that lost their statements."""
        passages = {item.passage.id: item.passage for item in case.evidence}
        kept: list[Statement] = []
        dropped: list[str] = []
        for statement in statements:
            reason = unsupported(statement, passages, case.question)
            if reason is None:
                kept.append(statement)
            else:
                dropped.append(f"{statement['text'][:80]}: {reason}")
        return Check(kept, dropped, lost_facets(case, kept))

    async def _feedback(self, case: Case, missing: Sequence[Facet]) -> list[str]:
        """Return up to three phrases of the best passages that lie near what is missing."""
        if not missing or not case.evidence:
            return []
        vocabulary = await case.kb.vocabulary()
        text = fold(" ".join(item.passage.text for item in case.evidence[:4]))
        vectors = await embed_facets(self.embedder, missing, ("field",))
        near = {
            vocabulary.phrases[i]: cosine
            for vector in vectors.values()
            for i, cosine in broadening.nearest(vector, vocabulary, 20)
            if fold(vocabulary.phrases[i]) in text
        }
        return sorted(near, key=lambda phrase: -near[phrase])[:3]


def lost_facets(case: Case, kept: Sequence[Statement]) -> list[str]:
    """Return required facets that the evidence covered but no kept statement addresses."""
    addressed = {facet for statement in kept for facet in statement["facets"]}
    return [
        facet["id"]
        for facet in case.facets
        if facet["required"] and case.covered.get(facet["id"]) and facet["id"] not in addressed
    ]


def _direct(question: str, tongue: str, reason: str) -> Analysis:
    return Analysis(
        question_resolved=question,
        language="zh" if tongue == "zh" else "en",
        intent="direct",
        direct_reason=reason,
        first_query="",
        facets=[],
        sub_questions=[],
    )


def _subject_of(facet: Facet, all_facets: Sequence[Facet]) -> str:
    """Return the names in a facet's own part of the question, else in all parts."""
    named = [f for f in all_facets if f["kind"] in ("entity", "code")]
    own = [f["text"] for f in named if f["sub_question"] in ("", facet["sub_question"])]
    return " ".join(dict.fromkeys((own or [f["text"] for f in named])[:6]))


def _without_repeats(subject: str, asked: str) -> str:
    """Join the subject and what is asked about it, each word once."""
    more = [word for word in asked.split() if fold(word) not in fold(subject)]
    return " ".join([subject, *more]).strip()


def _asked(facet: Facet) -> str:
    if facet["field"] == "label":
        return facet["text"]
    return " ".join(spoken(facet["text"], facet["terms"]))


def _distinct(queries: Sequence[str], searched: Sequence[str]) -> list[str]:
    """Return at most three new queries; the first stays even if it was searched before."""
    known = {fold(query) for query in searched}
    fresh: list[str] = []
    for query in queries:
        text = query.strip()[:300]
        if text and fold(text) not in known:
            known.add(fold(text))
            fresh.append(text)
    return fresh[:3] or [queries[0].strip()[:300]]


def _by_clause(
    case: Case, facet: Facet, reads: Mapping[str, Sequence[Reads]], plural: bool
) -> bool:
    """Tell whether a facet is answered by clauses: not by lists, nor across languages."""
    found = reads[facet["id"]]
    first = [read.evidence for read in found] or case.evidence
    if not first or first[0].passage.language != case.language:
        return False
    return not answers_as_block(facet, found, plural)


def _many_records(evidence: Sequence[Evidence]) -> bool:
    """Tell whether the evidence comes from several coded records."""
    coded = {code for item in evidence for code in codes(" ".join(item.passage.section))}
    return len(coded) > 1
