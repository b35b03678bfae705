"""The LLM reasoner: each method is one prompt, and a program checks what comes back."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from prompts import load

from graphs.ask.records import Statement, Turn
from graphs.errors import ModelOutputInvalid
from graphs.ports import KnowledgeBase
from graphs.reasoners import llm_analysis, llm_check, llm_grading
from graphs.reasoners.base import Analysis, Case, Check, Meter, Reading, Reasoner
from graphs.reasoners.chat import (
    ChatModel,
)
from graphs.reasoners.llm_asking import Asking
from graphs.reasoners.llm_draft import Draft, covering
from graphs.reasoners.llm_excerpts import show_excerpts
from graphs.reasoners.llm_queries import fresh, inside, known
from graphs.reasoners.llm_schemas import AnalysisOut, CheckOut, GradeOut, QueriesOut
from graphs.reasoners.llm_text import (
    NOTHING,
    about,
    facet_lines,
    facet_parts,
    language_name,
    listing,
    show,
    turn_lines,
    unfenced,
)

_PHRASES = 60


@dataclass(frozen=True)
class LLMReasoner:
    """A chat model behind the reasoner port.

    `local` gives what needs no language: claims, bindable terms, the program's own check.
    `context_tokens` is the model's context window; passages that don't fit leave the prompt.
    Raises ModelUnavailable (BudgetExhausted where no call was made) and ModelOutputInvalid.
    """

    chat: ChatModel
    local: Reasoner
    context_tokens: int

    @property
    def name(self) -> str:
        """The model's name."""
        return self.chat.name

    @property
    def _asking(self) -> Asking:
        return Asking(self.chat, self.context_tokens)

    async def analyze(
        self, question: str, turns: Sequence[Turn], kb: KnowledgeBase, meter: Meter
    ) -> Analysis:
        """Read the question; what goes beyond the user's words is not taken over."""
        messages = load("analyze_query").render(
            knowledge_base=about(await kb.info()),
            turns=turn_lines(turns),
            question=unfenced(question),
        )
        reply = await self._asking.ask("analyze_query", messages, AnalysisOut, meter)
        read = llm_analysis.analysis(question, turns, reply)
        if read.intent == "direct" and not (turns and llm_analysis.asks_back(read)):
            # a model may not send a question away from the documents by itself
            return await self.local.analyze(question, turns, kb, meter)
        if read.intent == "retrieve" and not any(f["required"] for f in read.facets):
            local = await self.local.analyze(read.question_resolved, turns, kb, meter)
            return llm_analysis.with_facets(read, local)
        return read

    async def grade(self, case: Case, meter: Meter) -> Reading:
        """Match by program: the model looks only where `review` is asked for."""
        return await self.local.grade(case, meter)

    async def review(self, case: Case, reading: Reading, meter: Meter) -> Reading:
        """Let the model say which passage covers which facet; nothing to read costs no call."""
        if not case.evidence:
            return reading
        shown, reply = await self._asking.ask_over(
            "grade_evidence",
            GradeOut,
            meter,
            lambda room: show_excerpts(case.evidence, reading.spans, room),
            question=unfenced(case.question),
            facets=facet_lines(case.facets),
        )
        return llm_grading.reading(reply, case, shown, reading)

    async def rewrite_precise(self, case: Case, meter: Meter) -> list[str]:
        """Ask for queries around what is missing."""
        covered = [f for f in case.facets if case.covered.get(f["id"])]
        missing = [f["text"] for f in case.facets if not case.covered.get(f["id"])]
        _, reply = await self._asking.ask_over(
            "rewrite_precise",
            QueriesOut,
            meter,
            lambda room: show(case.evidence, case.notes, room),
            question=unfenced(case.question),
            covered=listing(facet["text"] for facet in covered),
            missing=listing(
                [*missing, *(gap["suggestion"] or gap["content"] for gap in case.gaps)]
            ),
            searched=listing(case.searched),
        )
        return await known(fresh(reply, case), case)

    async def rewrite_broaden(self, case: Case, meter: Meter) -> list[str]:
        """Ask for the question in the knowledge base's own words; keep what the corpus knows."""
        info = await case.kb.info()
        vocabulary = await case.kb.vocabulary()
        messages = load("rewrite_broaden").render(
            question=unfenced(case.question),
            knowledge_base=about(info),
            nearest=listing(await self.local.rewrite_broaden(case, meter)),
            vocabulary=unfenced("; ".join(vocabulary.phrases[:_PHRASES])) or NOTHING,
            glossary=listing(f"{k}: {', '.join(v)}" for k, v in (info.glossary or {}).items()),
            unrelated=listing(", ".join(group) for group in info.unrelated),
            searched=listing(case.searched),
        )
        reply = await self._asking.ask("rewrite_broaden", messages, QueriesOut, meter)
        return await inside(fresh(reply, case), case, info)

    async def generate(self, case: Case, partial: bool, meter: Meter) -> AsyncIterator[Statement]:
        """Stream the draft and yield each line that cites a passage.

        A line is read when it is finished; a cut reply loses its last line and raises.
        """
        name = "generate_partial" if partial else "generate_answer"
        streamed = self._asking.stream_over(
            name,
            meter,
            lambda room: show(covering(case), case.notes, room),
            question=unfenced(case.question),
            language=language_name(case.language),
            **facet_parts(case, partial),
        )
        draft = Draft(case, ())
        waiting, found = "", False
        async with aclosing(streamed) as pieces:
            async for draft.shown, piece in pieces:
                *lines, waiting = (waiting + piece).split("\n")
                for line in lines:
                    if statement := draft.read(line):
                        found = True
                        yield statement
        if statement := draft.read(waiting):
            found = True
            yield statement
        if not found:
            raise ModelOutputInvalid("no line of the draft cites a passage")

    async def check(self, case: Case, statements: Sequence[Statement], meter: Meter) -> Check:
        """Run the program's check, then ask about what words alone don't carry.

        Those are statements that share few words with their quotes, and all that are in another
        language than their quotes: of these a program can only verify the values.
        """
        foreign = llm_check.foreign(case, statements)
        ours = {id(statement) for statement in foreign}
        local = await self.local.check(case, [s for s in statements if id(s) not in ours], meter)
        reasons = {
            id(s): "a value stands in no quote"
            for s in foreign
            if not llm_check.values_stand(case, s)
        }
        open_ = [s for s in foreign if id(s) not in reasons]
        open_ += llm_check.unsure(case, local.kept)
        if open_:
            messages = load("check_answer").render(
                question=unfenced(case.question),
                statements=llm_check.statement_lines(case, open_),
            )
            reply = await self._asking.ask("check_answer", messages, CheckOut, meter)
            fallen = llm_check.judged(open_, reply)
            reasons |= fallen
            standing = round(1 - len(fallen) / len(open_), 3)
            local = replace(local, supported=standing, useful=reply.useful)
        kept = ours | {id(statement) for statement in local.kept}
        return llm_check.merge(case, statements, local, reasons, kept)
