"""Names in a text: people, places, organisations, by dictionary, form and what stands beside them."""

import re
from collections.abc import Iterator
from typing import Literal

import jieba
import jieba.posseg

from graphs.evidence.script import half_width
from graphs.evidence.text import STOP_WORDS, is_cjk

NameKind = Literal["person", "place", "organisation", "name"]
Name = tuple[NameKind, int, int]

_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康葛章樊鲁倪申翟欧尤岳齐"
)
_SOUNDS = frozenset(
    "阿埃艾奥巴贝比博布查茨达戴丹德迪蒂杜多厄恩尔法费菲弗夫福盖戈格古哈海赫胡霍基吉加杰卡凯科克肯库拉莱兰朗劳勒雷里利丽莉林琳卢鲁伦罗洛马玛迈曼梅门蒙米莫姆穆纳娜奈内尼宁诺努欧帕佩皮珀普奇乔切琴萨塞沙莎施史斯丝思苏索塔泰坦汤特提廷图托瓦威韦维温沃乌西希谢辛休雅亚扬耶伊因尤约泽扎兹佐"
)
"""Characters that foreign names are written with."""
_PLACES = re.compile(
    r"(?:[省市县区州国镇乡村岛湖河江山路街港湾洲]|机场|体育[馆场]|球场|广场|大道)$"
)
_ORGANISATIONS = re.compile(
    r"(?:公司|集团|大学|学院|银行|俱乐部|协会|委员会|联盟|[^军部]队|研究[所院]|出版社|医院|中心|工作室|电视台|基金会|政府|法院|部门|(?<![东南西北中内外上下底顶全局])部|局|厂|党)$"
)
_PARTS = ("n", "j", "b", "eng", "a", "vn", "m", "f")
_KIND_OF_TAG: dict[str, NameKind] = {
    "nr": "person", "nrt": "person", "nrfg": "person", "ns": "place", "nt": "organisation",
    "nz": "name",
}  # fmt: skip

_CAPITAL = r"[A-Z][A-Za-z0-9À-ÿ'’&-]*(?:\.(?=[A-Z]))?"
_ENGLISH = re.compile(
    rf"\b{_CAPITAL}(?:(?:(?<=\b[A-Z])\.)?\s+(?:(?:of|de|van|von|der|la|du|al|bin|&|the|for)\s+){{0,2}}{_CAPITAL})*"
)
_OPENS = re.compile(r"(?:^|[.!?:;\n“\"(])\s*$")
_NOT_NAMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december".split()
)
_ENGLISH_PLACES = re.compile(
    r"\b(?:City|County|State|States|Island|Islands|Park|Stadium|Arena|Hall|Street|Avenue|Road|River|Lake|Valley|Beach|Village|Town|Bay|Center|Centre|Kingdom|Republic|Airport|Square|Hotel)\b"
)
_ENGLISH_ORGANISATIONS = re.compile(
    r"\b(?:Inc|Corp|Corporation|Company|Co|Ltd|LLC|Group|University|College|School|Institute|FC|Club|Association|Bank|Committee|Council|Party|Ministry|Department|Agency|Records|Studios?|Entertainment|Pictures|Press|League|Foundation|Band|Orchestra)\b"
)
_BEFORE_PLACE = re.compile(r"\b(?:in|at|near|from|to|around|outside|across)\s+(?:the\s+)?$")
_BEFORE_PERSON = re.compile(
    r"\b(?:by|Mr|Mrs|Ms|Dr|Sir|[Pp]resident|[Mm]inister|[Kk]ing|[Qq]ueen|[Pp]rince(?:ss)?|[Aa]ct(?:or|ress)|[Dd]irector|[Cc]oach|[Aa]uthor|[Ss]inger|CEO|[Ww]riter|[Pp]rofessor|[Ss]tar|[Cc]aptain|wife|husband|son|daughter|brother|sister)\.?\s+$"
)


def names_in(text: str) -> Iterator[Name]:
    """Yield (kind, start, end) of the names in a text, in order."""
    if is_cjk(text):
        yield from _chinese(half_width(text))
    yield from _english(text)


def _chinese(text: str) -> Iterator[Name]:
    tags = jieba.posseg.dt.word_tag_tab
    place = 0
    run: list[tuple[str, str, int, int]] = []
    for word in (*jieba.cut(text), ""):
        tag = tags.get(word) or _tag(word)
        joins = bool(word) and (
            tag.startswith(("nr", "ns", "nt", "nz", "x")) or word == "·" or (run and _ends(word))
        )
        if run and not (joins and _alike(run, word, tag)):
            yield from _closed(run)
            run = []
        if joins and (word != "·" or run):
            run.append((word, tag, place, place + len(word)))
        elif word and tag.startswith(_PARTS) and _ORGANISATIONS.search(word) and len(word) > 2:
            yield "organisation", place, place + len(word)
        place += len(word)


def _tag(word: str) -> str:
    """Return the likely tag of a word that the dictionary does not know; "" for no name."""
    if len(word) < 2 or not is_cjk(word):
        return ""
    if sum(ch in _SOUNDS for ch in word) >= len(word) - (len(word) > 3):
        return "nrt"
    return "nr" if word[0] in _SURNAMES and len(word) <= 4 else "x"


def _ends(word: str) -> bool:
    return bool(_PLACES.search(word) or _ORGANISATIONS.search(word))


def _alike(run: list[tuple[str, str, int, int]], word: str, tag: str) -> bool:
    """Tell whether a word goes on with a name: parts of a foreign name, places in places."""
    last, last_tag = run[-1][0], run[-1][1]
    if "·" in (word, last):
        return True
    if _ends(word):
        return last_tag.startswith(("ns", "nt", "nz", "x", "nr"))
    return (last_tag[:2] == tag[:2] and tag[:2] in ("ns", "nt")) or (last_tag == tag == "nrt")


def _closed(run: list[tuple[str, str, int, int]]) -> Iterator[Name]:
    text = "".join(word for word, *_ in run)
    start, end = run[0][2], run[-1][3]
    if len(text) < 2:
        return
    kind = _KIND_OF_TAG.get(run[0][1], "name")
    if len(run) > 1 and _ORGANISATIONS.search(text):
        kind = "organisation"
    elif len(run) > 1 and _PLACES.search(text):
        kind = "place"
    yield kind, start, end


def _english(text: str) -> Iterator[Name]:
    for match in _ENGLISH.finditer(text):
        start, end = match.span()
        name = match.group()
        first = re.match(r"\S+", name)
        opening = bool(_OPENS.search(text[:start]))
        if first and opening and first.group().lower() in STOP_WORDS | _COMMON:
            rest = re.search(r"\s+", name)  # "The Crown": what the sentence opens with is no name
            if rest is None:
                continue
            start += rest.end()
            name = text[start:end]
            if not name[:1].isupper():
                continue
        if name.lower() in _NOT_NAMES or name.lower() in STOP_WORDS or len(name) < 2:
            continue
        yield _english_kind(text, name, start), start, end


_COMMON = frozenset(
    "it he she they we i you this that these those there when while after before as if but and or so in on at for "
    "from with by to of his her its their our my your however although since during according also both here new "
    "what who where which how why one all some many most other another each more yes no not".split()
)


def _english_kind(text: str, name: str, start: int) -> NameKind:
    before = text[max(0, start - 24) : start]
    if _ENGLISH_ORGANISATIONS.search(name):
        return "organisation"
    if _ENGLISH_PLACES.search(name):
        return "place"
    if _BEFORE_PERSON.search(before):
        return "person"
    if _BEFORE_PLACE.search(before):
        return "place"
    parts = name.split()
    if 2 <= len(parts) <= 3 and all(part[:1].isupper() and part[1:2].islower() for part in parts):
        return "person"
    return "name"
