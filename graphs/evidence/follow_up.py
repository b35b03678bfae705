"""Follow-ups, courtesies and talk about the service: what needs no retrieval of its own."""

import re
from collections.abc import Sequence

from graphs.ask.state import Turn
from graphs.evidence.asks import strip_cues
from graphs.evidence.facets import clauses, noun_phrases
from graphs.evidence.text import is_cjk, words

_COURTESY = re.compile(
    r"^(?:(?:你好|您好|嗨|哈喽|大家好|早上好|上午好|下午好|晚上好|谢谢(?:你|您|了)?|多谢|感谢|辛苦了|再见|拜拜|好的|明白了|知道了|收到|在吗"
    r"|hi|hello|hey|good (?:morning|afternoon|evening|day)|thanks?(?: you)?(?: very much| a lot)?|bye|goodbye|ok(?:ay)?|great|see you)"
    r"(?:\s+(?:there|all|youju|team))?[啊呀呢哦吗]?[\s,，.。!！?？~～]*)+$",
    re.IGNORECASE,
)
_SERVICE = re.compile(
    r"^(?:请问)?(?:你|您)(?:是谁|叫什么|能做什么|会什么|能干什么|能回答(?:什么|哪些)|有什么功能|可以做什么|能帮我做什么|怎么用|是什么)"
    r"|^(?:who are you|what (?:kinds? of |sorts? of )?(?:questions? )?(?:can|do) you (?:do|answer|know)|what are you|how do (?:i|you) (?:use|work)|help)\b",
    re.IGNORECASE,
)
_OPENER = re.compile(r"^(?:那么?|还有|另外|此外|再问|然后|and|so|then|also|what about|how about)[\s,，]*", re.IGNORECASE)  # fmt: skip
_PRONOUN = re.compile(
    r"它们?的?|(?<![尤与极任])其(?![他中余它])|该(?:设备|系统|缺陷|记录|文件|制度|规定|情况|问题|项)|这(?:个|种|类|条|项|台)?(?:设备|系统|缺陷|记录|文件|制度|规定|情况|问题)?|上述(?:的)?(?:情况|问题|设备|缺陷)?|前者|后者"
    r"|\b(?:it|its|they|them|their|this|that|these|those|the former|the latter)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(r"(?:呢|吗)?\s*[？?。.!！]*$")


def is_courtesy(question: str) -> bool:
    """Tell whether the text is a greeting, thanks or a farewell and nothing else."""
    return bool(_COURTESY.match(question.strip()))


def is_about_service(question: str) -> bool:
    """Tell whether the question is about the service itself."""
    return len(question) <= 40 and bool(_SERVICE.match(question.strip()))


def resolve(question: str, turns: Sequence[Turn]) -> str | None:
    """Return the question made self-contained, or None where its reference can't be resolved.

    A pronoun is a reference only where no clause before it names something; an opener such as 那 or
    "what about" needs a topic too when the question has few words of its own.
    """
    reference = _reference(question)
    opener = _OPENER.match(question.strip())
    if reference is None and not (opener and turns):
        return question
    topic = _topic(turns)
    if not topic:
        return None if reference is not None else question
    rest = _OPENER.sub("", question.strip(), count=1)
    if reference is not None:
        possessive = reference.endswith("的") or reference.lower() in ("its", "their")
        chinese = is_cjk(question)
        name = topic + ("的" if possessive and chinese else "'s" if possessive else "")
        return rest.replace(reference, name, 1)
    if any(entity in question for entity in turns[-1]["entities"]):
        return question
    core = _TAIL.sub("", rest)
    return f"{topic}的{core}？" if is_cjk(question) else f"{core} ({topic})?"


def _reference(question: str) -> str | None:
    """Return the first pronoun that nothing in the question itself explains."""
    before = ""
    for clause in clauses(question):
        match = _PRONOUN.search(clause)
        if match:
            named = any(noun_phrases(before)) or any(noun_phrases(clause[: match.start()]))
            explained = named or _demonstrative(clause, match)
            return None if explained else match.group()
        before += " " + clause
    return None


def _demonstrative(clause: str, match: re.Match[str]) -> bool:
    """ "This policy covers …" and "that a flight …" name or link: they refer to nothing before."""
    after = clause[match.end() :]
    word = match.group().lower()
    if word in ("that", "this", "these", "those"):
        return bool(re.match(r"\s+[a-z]", after, re.IGNORECASE)) and len(words(clause)) >= 4
    return False


def _topic(turns: Sequence[Turn]) -> str:
    """Return what the last turn was about: its first entity, else its question's content."""
    for turn in reversed(turns):
        if turn["status"] == "direct":
            continue
        if turn["entities"]:
            return turn["entities"][0]
        phrases = list(noun_phrases(strip_cues(turn["question_resolved"])))
        if phrases:
            return "".join(phrases[:2]) if is_cjk(phrases[0]) else " ".join(phrases[:3])
    return ""
