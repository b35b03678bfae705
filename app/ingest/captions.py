"""Lines right above a table that belong to it: its number and title, the unit of its values."""

import re

_LONGEST = 120
_MOST = 4
"""Lines of one caption."""
_MARKS = " \t*_>（(【[〔<"
_SENTENCE_END = "。！？!?；;：:,，"
_UNIT = re.compile(
    r"(?:[\u4e00-\u9fff]{0,4}单位|币种)\s*(?:[:：为]|均为)|单位\s*[(（]"
    r"|units?(?: of measure(?:ment)?)?\s*[:：]|currency\s*[:：]"
    r"|(?:all |the )?(?:amounts?|figures?|values?|numbers?|data)(?: are| is)?(?: expressed| given| stated)? in\s"
    r"|(?:expressed |stated )?in (?:thousands|millions|billions|percent|%|[$€£¥]|usd|eur|gbp|rmb|cny)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:续|附|图)?表\s*(?:格\s*)?(?:[\dA-Z]|[一二三四五六七八九十])|(?:table|tab\.|exhibit|schedule)\s+[\dA-Z]",
    re.IGNORECASE,
)


def is_unit(line: str) -> bool:
    """Tell whether a line says in which unit the values of a table are (单位：万元, Unit: kPa)."""
    return len(line) <= _LONGEST and _UNIT.match(line.lstrip(_MARKS)) is not None


def is_numbered(line: str) -> bool:
    """Tell whether a line numbers a table (表 3 …, Table 3 …), and is no sentence about one."""
    body = line.strip()
    return (
        0 < len(body) <= _LONGEST
        and _NUMBERED.match(body.lstrip(_MARKS)) is not None
        and body[-1] not in "。！？!?；;"
        and not (body.endswith(".") and len(body.split()) > 2)
    )


def caption_lines(above: list[str]) -> int:
    """Return how many of the lines above a table are its caption; the last one stands right above.

    Lines of a unit and of a number count, and one short line over them that is no sentence: a
    title. A blank line may stand between them and is then counted as well.
    """
    taken = lines = 0
    for back, line in enumerate(reversed(above), 1):
        if not line.strip():
            continue
        known = is_unit(line) or is_numbered(line)
        title = not known and _is_title(above, len(above) - back)
        if lines == _MOST or not (known or title):
            break
        taken, lines = back, lines + 1
        if title:
            break
    return taken


def _is_title(above: list[str], at: int) -> bool:
    """Tell whether a line that stands by itself, or over the caption alone, is short and no sentence."""
    body = above[at].strip()
    alone = at == 0 or not above[at - 1].strip()
    return alone and len(body) <= _LONGEST // 2 and body[-1] not in f"{_SENTENCE_END}."
