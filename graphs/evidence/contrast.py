"""Words that make two sentences about one value say different things: which thing, which side of it.

They are read in the clause that holds the value. Names of classes never leave this module: two texts
contrast where both use words of a class and no meaning of it in common.
"""

import re
from collections.abc import Iterator

from graphs.evidence.numbers import claims

_NEGATED = r"(?P<no>不得|不应|不能|不可|不会|不|未|\bno\s|\bnot\s|\bnever\s|n['’]t\s)?"
_LIMIT = re.compile(
    _NEGATED
    + r"(?:be\s|to\s)?(?:(?P<up>大于|超过|超出|高于|多于|晚于|长于|exceed\w*|(?:more|greater|higher|longer|later|above)\s+than|above\b|over\b|beyond\b|[>＞])"
    r"|(?P<down>小于|少于|低于|早于|短于|不足|不到|(?:less|fewer|lower|shorter|earlier)\s+than|below\b|under\b|[<＜])"
    r"|(?P<least>至少|最少|以上|起码|\bat least\b|[≥⩾])"
    r"|(?P<most>至多|最多|以下|以内|之内|\bat most\b|\bup to\b|\bwithin\b|[≤⩽]))",
    re.IGNORECASE,
)
"""A bound, whose side a negation before it turns: 不低于 is 至少."""
_OPPOSITES = tuple(
    (re.compile(one, re.IGNORECASE), re.compile(other, re.IGNORECASE))
    for one, other in (
        (r"增加|增长|上升|升高|上涨|增大|\b(?:increas\w+|ris(?:e|es|en|ing)|rose|gr[eo]w\w*|gain\w*)\b",
         r"减少|下降|降低|下跌|减小|\b(?:decreas\w+|fall\w*|fell|drop\w*|declin\w+|reduc\w+|los[ts]\w*)\b"),
        (r"进口|入口|\b(?:inlet|intake)\b", r"出口|\b(?:outlet|exhaust)\b"),
        (r"上游|\bupstream\b", r"下游|\bdownstream\b"),
        (r"最大|最高|上限|\b(?:max|maximum|highest|largest)\b", r"最小|最低|下限|\b(?:min|minimum|lowest|smallest)\b"),
        (r"左(?!右)|\bleft\b", r"(?<!左)右|\bright\b"),
        (r"高压|\bhigh[- ](?:pressure|voltage)\b", r"低压|\blow[- ](?:pressure|voltage)\b"),
        (r"之前|以前|\bbefore\b", r"之后|以后|\bafter\b"),
        (r"净(?:值|额|重|利)|\bnet\b", r"毛(?:值|额|重|利)|\bgross\b"),
        (r"国内|境内|\bdomestic\b", r"国际|国外|境外|\b(?:international|foreign|abroad)\b"),
        (r"成功|\bsuccess\w*\b", r"失败|\bfail\w*\b"),
    )
)  # fmt: skip
_WORKING = re.compile(r"工作日|\b(?:working|business|work)[- ]days?\b", re.IGNORECASE)
_DAYS = re.compile(r"天|[日号]|\bdays?\b", re.IGNORECASE)
_NUMBERED = re.compile(
    r"(?P<cn>[一二三四五六七八九十]{1,3})(?=[号级段班区])|(?P<arabic>\d{1,4})\s?(?=[号级段班区])"
    r"|(?:[#＃]|\b(?i:no)\.?)\s?(?P<sign>\d{1,4})|(?P<stem>[甲乙丙丁])(?=[方侧泵班组级类区机线路])"
)
_LETTER = re.compile(r"(?<![A-Za-z0-9'’.&/-])[A-Z](?![A-Za-z0-9'’&/]|\.\w)")
_ARTICLE = re.compile(r"A\s+[a-z]|I\b")
_YEAR = re.compile(r"(?:19|20)\d\d")
_OPENING = ("", *'.!?;:"“(-')
_DIGITS = {numeral: str(value) for value, numeral in enumerate("零一二三四五六七八九十")}


def marks(text: str) -> set[str]:
    """Return what tells things of one kind apart in `text`: the 1 of 1号泵, the B of pump B, years."""
    found: set[str] = set()
    for match in _NUMBERED.finditer(text):
        value = next(group for group in match.groups() if group)
        found.add(_DIGITS.get(value, value))
    values = claims(text)
    for value in values:
        bare = value.kind == "number" and not value.unit and _YEAR.fullmatch(value.value)
        if value.kind == "date" or bare:
            found.add(value.value[:4])
    for match in _LETTER.finditer(text):
        place = match.start()
        opens = text[:place].rstrip()[-1:] in _OPENING
        article = opens and _ARTICLE.match(text, place)
        if not article and not any(value.start <= place < value.end for value in values):
            found.add(match.group())
    return found


def opposed(left: str, right: str) -> bool:
    """Tell whether two clauses about one value bound it from other sides, or say opposite things."""
    one, other = _bounds(left), _bounds(right)
    if one and other and not one & other:
        return True
    days = _DAYS.search(left) and _DAYS.search(right)
    if days and bool(_WORKING.search(left)) != bool(_WORKING.search(right)):
        return True
    return any(_turned(a, b, left, right) for a, b in _OPPOSITES)


def _turned(one: re.Pattern[str], other: re.Pattern[str], left: str, right: str) -> bool:
    mine = (bool(one.search(left)), bool(other.search(left)))
    theirs = (bool(one.search(right)), bool(other.search(right)))
    return any(mine) and any(theirs) and sum(mine) == sum(theirs) == 1 and mine != theirs


def _bounds(text: str) -> set[str]:
    return set(_sides(text))


def _sides(text: str) -> Iterator[str]:
    for match in _LIMIT.finditer(text):
        lower = bool(match["up"] or match["least"])
        yield "lower" if lower != bool(match["no"]) else "upper"
