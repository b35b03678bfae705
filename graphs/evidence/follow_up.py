"""Follow-ups, courtesies and talk about the service: what needs no retrieval of its own."""

import re
from collections.abc import Sequence

from graphs.ask.records import Turn
from graphs.evidence.asks import LABEL_HEAD, strip_cues
from graphs.evidence.names import noun_phrases
from graphs.evidence.phrasing import clauses
from graphs.evidence.text import codes, is_cjk, words

_COURTESY = re.compile(
    r"^(?:(?:你好|您好|嗨|哈喽|大家好|早上好|上午好|下午好|晚上好|谢谢(?:你|您|了)?|多谢|感谢|辛苦了|再见|拜拜|好的|明白了|知道了|收到|在吗"
    r"|hi|hello|hey|good (?:morning|afternoon|evening|day)|thanks?(?: you)?(?: very much| a lot)?|bye|goodbye|ok(?:ay)?|great|see you)"
    r"(?:\s+(?:there|all|youju|team))?[啊呀呢哦吗]?[\s,，.。!！?？~～]*)+$",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"谢|感谢|辛苦|再见|拜拜|\b(?:thanks?|thank you|bye|goodbye|see you)\b", re.IGNORECASE
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
_MORE = re.compile(r"^(?:别的|其他|其它|更多|anything else|others?|more)", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:(?:for|the|a|an|in|at|with)\s+)+", re.IGNORECASE)
_TAIL = re.compile(r"(?:呢|吗)?\s*[？?。.!！]*$")


def is_courtesy(question: str) -> bool:
    """Tell whether the text is a greeting, thanks or a farewell and nothing else."""
    return bool(_COURTESY.match(question.strip()))


def is_thanks(question: str) -> bool:
    """Tell whether a courtesy is thanks or a farewell rather than a greeting."""
    return bool(_THANKS.search(question))


def is_about_service(question: str) -> bool:
    """Tell whether the question is about the service itself."""
    return len(question) <= 40 and bool(_SERVICE.match(question.strip()))


def resolve(question: str, turns: Sequence[Turn]) -> str | None:
    """Return the question made self-contained, or None where its reference can't be resolved.

    A pronoun is a reference only where no clause before it names something; it is replaced by the
    topic of the last turn. A question that only names another field (验证结果呢？) is asked about that
    topic; one that only names another thing (what about Berlin?) is put into the last question.
    """
    reference = _reference(question)
    spoken = [turn for turn in turns if turn["status"] != "direct"]
    if reference is None and not (spoken and _elliptic(question)):
        return question
    topic = _topic(spoken)
    if not topic:
        return None
    rest = _OPENER.sub("", question.strip(), count=1)
    if reference is not None:
        return rest.replace(reference, _named(topic, reference, question), 1)
    core = _ARTICLE.sub("", _TAIL.sub("", rest).strip())
    if not words(strip_cues(core)):
        return f"{topic}{core}？" if is_cjk(core) else f"{core} {topic}?"
    if _MORE.search(core):
        return spoken[-1]["question_resolved"]
    if is_cjk(core) and LABEL_HEAD.search(core):
        return f"{topic}的{core}是什么？"
    return _swapped(spoken[-1]["question_resolved"], core)


def _named(topic: str, reference: str, question: str) -> str:
    if reference.endswith("的"):
        return topic + "的"
    if reference.lower() in ("its", "their"):
        return topic + ("的" if is_cjk(question) else "'s")
    return topic


def _elliptic(question: str) -> bool:
    """Tell whether a question has too little of its own: an opener, a bare 呢, a bare label."""
    text = question.strip()
    core = _TAIL.sub("", _OPENER.sub("", text, count=1)).strip()
    if not core or codes(core) or len(words(core)) > 5:
        return False
    content = strip_cues(core).strip()
    if not words(content):
        return True  # only asks: 为什么？ how so?
    bare = content == core
    ends = bool(re.search(r"呢\s*[？?]?$", text))
    label = is_cjk(core) and bool(LABEL_HEAD.search(core)) and len(core) <= 8
    return bare and (bool(_OPENER.match(text)) or ends or label)


def _swapped(last: str, core: str) -> str:
    """Put another thing in the place of the one that the last question named.

    The place is the phrase with the same head (给水泵, 循环水泵), else the last phrase in English, the
    first one in Chinese.
    """
    phrases = [
        phrase
        for phrase in noun_phrases(strip_cues(last))
        if re.search(re.escape(phrase), last, re.IGNORECASE)
    ]
    if not phrases:
        return f"{core}: {last}"
    heads = [p[: p.rindex(core[-1]) + 1] for p in phrases if core[-1] in p and is_cjk(core)]
    alike = heads or [p for p in phrases if p.split()[-1] == core.lower().split()[-1]]
    place = alike[0] if alike else phrases[0] if is_cjk(core) else phrases[-1]
    return re.sub(re.escape(place), lambda _: core, last, count=1, flags=re.IGNORECASE)


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
        if turn["entities"]:
            return turn["entities"][0]
        phrases = list(noun_phrases(strip_cues(turn["question_resolved"])))
        if phrases:
            return "".join(phrases[:2]) if is_cjk(phrases[0]) else " ".join(phrases[:3])
    return ""
