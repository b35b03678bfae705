"""Clauses of a question, before it is known what each asks."""

import re

_SENTENCE = re.compile(r"[。！!；;\n]+|(?<=[？?])|(?<=[a-z0-9])\.(?=\s|$)")
_CLAUSE = re.compile(
    r"，+|(?:(?<!\d)[,：:]|[,：:](?!\d))+|\b(?:and also|and then)\b|\band (?=(?:who|what|when|where|why|how|which|is|are|do|does|can|may|must|should)\b)|，?并(?=[请且找说列给判分])|以及(?=[如怎为什哪谁何])"
)
_NARRATOR = re.compile(r"^.{1,6}?(?:说|反映|报告|报|称|问|提到|发现)[：:，,\s]*")
_SPEECH = re.compile(r"[“”\"‘’「」『』]")


def clauses(question: str) -> list[str]:
    """Return the clauses of a question, in order, without empty ones."""
    found: list[str] = []
    spoken = _NARRATOR.sub("", question) if _SPEECH.search(question) else question
    for sentence in _SENTENCE.split(_SPEECH.sub(" ", spoken)):
        for clause in _CLAUSE.split(sentence or ""):
            if clause and clause.strip() not in found and clause.strip(" ，,。.?？!！"):
                found.append(clause.strip())
    return found
