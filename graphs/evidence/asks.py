"""What kind of answer a question asks for: cue words of questions and of answers, zh and en.

A *field* is the requested kind of answer. `requested_fields` reads it from the question;
`answers_field` tells whether a sentence is of that kind.
"""

import re
from functools import lru_cache

from graphs.evidence.numbers import claims
from graphs.evidence.script import simplified
from graphs.evidence.text import STOP_WORDS, codes, is_cjk, tagged, words

_QUESTION_CUES: tuple[tuple[str, str], ...] = (
    ("effect", r"有什么影响|什么后果|会怎样|会怎么样|\bwhat happens\b|\bwhat (?:is|are) the (?:effects?|consequences?)\b"),
    ("cause", r"为什么|为何|怎么会|何以|什么原因|原因(?:是|有|何)|\bwhy\b|\bwhat (?:causes|caused)\b|\breasons? (?:for|why)\b"),
    ("time", r"什么时候|何时|哪一?[天年月]|哪个日期|几点|什么日期|\bwhen\b(?=\s+(?:is|was|were|did|does|do|must|should|will|can|has|are)\b)|(?:在|是)?什么时间|\bwhat (?:date|time|day)\b|\bby when\b|\bwhat are the .{0,20}\b(?:hours|times)\b"),
    ("frequency", r"多久.{0,4}[一1]次|几次|多长时间.{0,4}一次|频次|频率|\bhow (?:often|frequently)\b"),
    ("amount", r"多少|多大|多高|多长|多久|多低|多远|多快|几[个次天小时台人年月份级项条取]几?|\bhow (?:much|many|long|often|high|low|far|soon|fast|quickly|old|large)\b|\bwhat (?:percentage|percent|amount|rate|share|portion|part|limit|number|price|sum)\b|\bwhat (?:do|does|did|will|would|has|have)\b.{1,60}?\bcost\b"),
    ("person", r"谁|哪个(?:部门|岗位|人|单位)|哪位|什么人|\bwho(?:m|se)?\b|\bwhich (?:role|department|person|team|manager)\b"),
    ("place", r"哪里|何处(?!理)|在哪儿?|什么地方|什么位置|\bwhere\b"),
    ("procedure", r"怎么办|怎么(?!会)|咋|如何|怎样|哪些步骤|什么步骤|\bhow (?:do|does|should|can|to|is|are|must|would)\b|\bwhat (?:should|steps|must|do)\b|\bsteps\b|\bwhat (?:now|next)\b|干啥|做啥"),
    ("list", r"哪些|有什么|有哪几|哪几[个项种类]|列出|列举|包括什么|\bwhich\b|\bwhat (?:are|were)\b|\blist\b"),
    ("definition", r"什么是|是什么意思|指什么|是指|\bwhat (?:does .+ mean|is meant by)\b|\bdefin(?:e|ition)\b"),
    ("yes_no", r"是否|能否|可否|能不能|可不可以|要不要|需不需要|有没有|吗\s*[？?]?$|^(?:is|are|was|were|does|do|did|can|may|must|should|will|has|have|am)\b"),
    ("fact", r"是什么|是啥|什么(?!时候|意思|原因|地方|位置|人|步骤|日期)|哪个|\bwhat (?:is|was|are|were)\b|\bwhat\b"),
)  # fmt: skip
_CUES = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _QUESTION_CUES)
CUE_PHRASES = re.compile("|".join(pattern for _, pattern in _QUESTION_CUES), re.IGNORECASE)
"""Everything that only asks, to be cut from a question before its content words are read."""

_LABEL_HEADS = (
    "结果 措施 原因 步骤 流程 方法 标准 要求 条件 期限 地点 比例 金额 费用 限值 范围 定义 含义 后果 依据 结论 方向 顺序 周期 "
    "频率 现象 机理 办法 规定 职责 目的 内容 建议 方案 手段 定值 报警值 上限 下限 额度 价格 型号 厂家 电话 编号 日期 时间"
).split()
LABEL_HEAD = re.compile("(?:" + "|".join(_LABEL_HEADS) + ")$")
"""End of a Chinese noun phrase that names a requested field (现场检查结果, 处理措施)."""
_TELLING_HEADS = frozenset("费用 金额 价格 比例 定值 型号 额度 电话 厂家".split())
"""Heads that must stand by the answer themselves: another value of the subject is no answer."""
_HEAD_FIELDS = {
    "cause": "原因 机理", "procedure": "步骤 流程 方法 办法 顺序 方向", "time": "时间 日期 期限",
    "fact": "要求 标准 规定 内容 型号", "code": "编号",
    "frequency": "频次 频率 周期",
    "amount": "范围 限值 上限 下限 金额 比例 价格 额度 定值 报警值 费用", "place": "地点",
}  # fmt: skip
_FIELD_OF_HEAD = {head: field for field, heads in _HEAD_FIELDS.items() for head in heads.split()}


def label_field(label: str) -> tuple[str, str]:
    """Return (field, content) of a label: 报警值 asks for an amount, 处理措施 for that label itself.

    A label that only names a kind of answer (步骤) has no content of its own.
    """
    head = next((h for h in sorted(_FIELD_OF_HEAD, key=len, reverse=True) if label.endswith(h)), "")
    if not head:
        return "label", label
    rest = label.removesuffix(head)
    return _FIELD_OF_HEAD[head], label if _FIELD_OF_HEAD[head] == "amount" and rest else rest


_IMPERATIVE = re.compile(
    r"(?<![申邀聘恳宴延])请(?![假款示求柬愿])|说明|找出|列出|列举|判断|告诉|介绍|分析|给出|总结|概述|解释|描述"
    r"|\b(?:explain|describe|list|give|tell|name|summari[sz]e|find|state|show)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"部门|部长|人员|经理|主管|值长|班长|班组|负责人|责任人|专工|运行|检修|领导|总监|主任|单位|公司|审批|批准"
    r"|\b(?:managers?|directors?|officers?|departments?|teams?|heads?|supervisors?|approv\w+|employees?|hr|finance|traveller|owner)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"因为|由于|导致|造成|引起|原因|所致|使得|使.{0,12}(?:下降|升高|上升|降低|减少|恶化|变差)|从而|因此|于是|随之|以致|多由|影响|→"
    r"|\b(?:because|due to|caus\w+|leads? to|results? (?:in|from)|owing to|therefore|so that)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"在.{1,10}(?:[出入进]口|侧|处|楼|室|[上下旁内外前后中底顶]|部位?|位置|现场|门|窗口|系统)|位于|布置在|安装在|设在|处$|侧|楼|室|层|\b(?:at|in|located|located at|near|floor|room|city|site)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"如果|若|一旦|时[，,]|的[，,]|后[，,]|\b(?:if|when|once|unless|after)\b", re.IGNORECASE
)
_PERMISSION = re.compile(
    r"可以|可(?:由|在|按|用|不)|不得|不准|不能|不许|应|须|必须|禁止|严禁|允许|能|需|无须|无需|不需|没有|不|未"
    r"|\b(?:may|must|can|cannot|shall|should|not|no|only|forbidden|allowed|permitted|required|needs?|prohibited|paid|reimbursed)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?<!\d)\d{1,2}[:：]\d{2}(?!\d)|\d{1,2}\s*[点时]")
_PROCEDURE = re.compile(
    r"应|须|首先|然后|立即|检查|确认|投入|启动|停止|联系|提高|清理|调整|必须|不得"
    r"|\b(?:must|should|shall|first|then|submit|check|contact|book|ask|keep|apply|send|use)\b",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"是指|指的是|定义为|简称|即|\b(?:means?|refers? to|is defined)\b", re.IGNORECASE
)
_TIME = re.compile(
    r"日|天|周|月|年|小时|分钟|时限|立即|每班|每天|\b(?:days?|weeks?|months?|years?|hours?|minutes?|daily|annually|monthly)\b",
    re.IGNORECASE,
)
_FREQUENCY = re.compile(
    r"每(?:[一两三四五六七八九十\d]*\s*(?:个)?(?:天|日|周|星期|月|季度?|年|班|小时|分钟|次|半年))|(?:[一二两三四五六\d]+\s*次)|不少于|定期"
    r"|\b(?:every|daily|weekly|monthly|quarterly|annually|yearly|once|twice|(?:per|each) (?:day|week|month|quarter|year))\b",
    re.IGNORECASE,
)
_LIST = re.compile(r"、|；|;|^\s*(?:[-*+•]|\d+[.)、．])|\||,.+,|\band\b", re.IGNORECASE)


_OF_FIELD = {
    "person": _PERSON, "frequency": _FREQUENCY, "cause": _CAUSE, "yes_no": _PERMISSION, "place": _PLACE,
    "procedure": _PROCEDURE, "definition": _DEFINITION, "list": _LIST,
}  # fmt: skip
_BEFORE = re.compile(
    r"(?P<noun>[\u4e00-\u9fff]{1,6}?)(?:应该|应|需要|一般|大概|最高|最低|最多|最少|各|分别)*(?:是|为|有)?"
    r"(?:多少|多大|多高|多长|多低|(?<!为)什么|几[个次台条])"
)
_AFTER = re.compile(
    r"(?:多少|几|(?<!为)什么|哪[一家个种类份条项]?)(?:[个次台条级根支层种项份名片])?(?P<noun>[\u4e00-\u9fff]{2,4})"
)
_ENGLISH = re.compile(
    r"\bwhat(?: is| are| was| were|'s)? (?:the |a |an )?([a-z]+(?: [a-z]+)?)"
    r"|\b(?:how (?:much|many)|which) ([a-z]+(?: [a-z]+)?)",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"(?:的|^)(?P<first>[^的，,和与及]{2,10})[和与及](?P<second>[^的，,和与及]{2,10}?)(?:各自?|分别)(?:是|为|有)?(?:多少|什么|多大|几)"
)


def pair(clause: str) -> tuple[str, ...]:
    """Return the two attributes of a clause that asks for both (额定转速和额定扬程各是多少)."""
    match = _PAIR.search(simplified(clause))
    return (match["first"].strip(), match["second"].strip()) if match else ()


@lru_cache(maxsize=4096)
def attribute(clause: str) -> tuple[str, ...]:
    """Return the words of the attribute that a clause asks for: 直径 of "胶球直径多大", "penalty".

    Only nouns count: in 报销多少 the verb says what happens, not what is asked. Units of measure
    are no attributes either.
    """
    clause = simplified(clause)
    if english := _ENGLISH.search(clause):
        found = words(english[1] or english[2] or "")
        return tuple(word for word in found if word not in _UNIT_WORDS | _GENERIC | _WHO_EN)
    if head := LABEL_HEAD.search(clause):
        return (head.group(),) if head.group() in _TELLING_HEADS else ()
    if is_cjk(clause) and not CUE_PHRASES.search(clause):
        noun = _noun(clause, last=True)  # one of two attributes that were asked for together
        return (noun,) if noun else ()
    # 多少焦耳: what follows is a unit, the attribute stands before; 什么仪器: it follows.
    order = (_BEFORE, _AFTER) if "多少" in clause or "几" in clause else (_AFTER, _BEFORE)
    for pattern in order:
        match = pattern.search(clause)
        if match and (noun := _noun(match["noun"], last=pattern is _BEFORE)):
            return (noun,)
    return ()


def _noun(text: str, last: bool) -> str:
    """Return the last (or first) word of a phrase if it is a noun and no unit, else ""."""
    pairs = [(w, f) for w, f in tagged(text) if w.strip() and w not in STOP_WORDS]
    if not pairs:
        return ""
    word, flag = pairs[-1 if last else 0]
    unit = claims(f"1{word}")
    # What stands behind 的 is a noun whatever the dictionary says (泵的转速).
    noun = flag.startswith(("n", "vn", "j", "l")) or (last and "的" in text)
    if len(word) < 2 or not noun or word in _WHO_ZH or (unit and unit[0].unit):
        return ""
    return word


_GENERIC = frozenset(
    words(
        "document documents record policy rule handbook thing things hours time times happens happen now next"
    )
)
_WHO_ZH = frozenset("部门 单位 科室 班组 公司 岗位 机构 人员".split())
_WHO_EN = frozenset(words("department company team person role unit office agency"))
"""Which department asks for one by its name: the word itself need not stand by the answer."""
_UNIT_WORDS = frozenset(
    words(
        "days hours weeks months years minutes times kilometres euros eur people percent class kinds "
        "share portion part amount percentage number sum"
    )
)


_POINTER = re.compile(
    r"[这那此该]\s*(?:类|种|些|个|条|项|次|边)?(?:问题|情况|现象)?|(?<![\w])各(?=有|是|为|自)"
)


def is_ask(clause: str) -> bool:
    """Tell whether a clause asks for something rather than giving context."""
    clause = simplified(clause)
    return bool(CUE_PHRASES.search(clause) or _IMPERATIVE.search(clause)) or bool(
        re.search(r"[？?]\s*$", clause)
    )


def imperative(clause: str) -> bool:
    """Tell whether a clause demands (说明…, list …)."""
    return bool(_IMPERATIVE.search(simplified(clause)))


def strip_cues(clause: str) -> str:
    """Cut words that only ask or demand; what stays is content, in simplified characters."""
    return _IMPERATIVE.sub(" ", CUE_PHRASES.sub(" ", _POINTER.sub(" ", simplified(clause))))


@lru_cache(maxsize=256)
def asked_words(question: str) -> tuple[str, ...]:
    """Return the content words of a question without what only asks; all of them if that is all."""
    return tuple(words(strip_cues(question)) or words(question))


def requested_fields(clause: str) -> list[str]:
    """Return the fields that a clause asks for, in order of the table above, at most two."""
    clause = simplified(clause)
    return [name for name, pattern in _CUES if pattern.search(clause)][:2]


@lru_cache(maxsize=8192)
def answers_field(field: str, sentence: str, question: str) -> bool:
    """Tell whether `sentence` is of the kind that `field` asks for.

    For amounts and times the value must be new: one that the question itself states is no answer.
    """
    sentence = simplified(sentence)
    if field in ("amount", "time"):
        known = {(c.value, c.unit) for c in claims(question)}
        values = [
            c for c in claims(sentence) if c.kind != "code" and (c.value, c.unit) not in known
        ]
        if field == "amount":
            return bool(values)
        return any(c.kind == "date" for c in values) or bool(_CLOCK.search(sentence)) or bool(values and _TIME.search(sentence)) or (
            "立即" in sentence or "每班" in sentence
        )  # fmt: skip
    if field == "code":
        return bool(codes(sentence))
    if field == "effect":
        return bool(_CAUSE.search(sentence) or _CONDITION.search(sentence))
    pattern = _OF_FIELD.get(field)
    return bool(pattern.search(sentence)) if pattern else True
