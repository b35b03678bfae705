"""Writing: statements to the answer's text, with [n] given in order of first use."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from graphs.ask.records import Citation, Language, Missing, Statement
from graphs.evidence.messages import OPENING, say, warn

_LIKE_A_MARKER = re.compile(r"\[(P?[0-9]+)\]")

Place = tuple[str, str, int, int]


@dataclass(slots=True)
class AnswerWriter:
    """Builds the answer's text piece by piece; the same pieces give the same text.

    `pieces()` of a streamed answer and of the final one are equal byte for byte as long as their
    statements are, so that what was sent early is a prefix of the final text.
    """

    language: Language
    text: str = ""
    statements: list[dict[str, object]] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    _numbers: dict[Place, int] = field(default_factory=dict)
    _heading: str = ""

    def open(self, codes: Sequence[str]) -> str:
        """Write the opening lines for those warnings that open an answer."""
        lines = [
            say("note", self.language) + warn(code, self.language) + "\n"
            for code in OPENING
            if code in codes
        ]
        return self._write("".join(lines))

    def statement(self, statement: Statement) -> str:
        """Write one statement with its markers, under its heading; return what was written."""
        piece = ""
        text = unmarked(statement["text"])
        if statement["heading"] and statement["heading"] != self._heading:
            piece = ("\n" if self.text else "") + f"**{unmarked(statement['heading'])}**\n"
            self._heading = statement["heading"]
        numbers = [self._number(citation) for citation in statement["citations"]]
        start = len(self.text) + len(piece)
        markers = "".join(f"[{n}]" for n in dict.fromkeys(numbers))
        self.statements.append(
            {
                "text": text,
                "start": start,
                "end": start + len(text),
                "citations": list(dict.fromkeys(numbers)),
                "modality": statement["modality"],
                "facet_ids": statement["facets"],
                "sub_question": statement["sub_question"],
            }
        )
        return self._write(f"{piece}{text} {markers}\n")

    def missing(self, missing: Sequence[Missing]) -> str:
        """Write the section of a partial answer that names what has no support."""
        if not missing:
            return ""
        lines = [("\n" if self.text else "") + say("missing_heading", self.language)]
        lines.extend(f"- {unmarked(entry['content'])}" for entry in missing)
        return self._write("\n".join(lines) + "\n")

    def message(self, text: str) -> str:
        """Write a text that holds no statement: a refusal, a courtesy."""
        return self._write(unmarked(text))

    def _number(self, citation: Citation) -> int:
        place = (citation["document_id"], citation["version"], citation["start"], citation["end"])
        if place not in self._numbers:
            self._numbers[place] = len(self._numbers) + 1
            self.citations.append(citation)
        return self._numbers[place]

    def _write(self, piece: str) -> str:
        self.text += piece
        return piece


def unmarked(text: str) -> str:
    """Return `text` with what only looks like a marker in other brackets, at the same places.

    A source's own footnote, or a number that a model made up, must not pass for a verified citation.
    """
    return _LIKE_A_MARKER.sub(r"［\1］", text)
