"""The wordings of orders to an answering system, Chinese and English."""

import re
from dataclasses import dataclass

_ANSWER = r"(?:answer|reply|respond|say|output|print|write|state|tell|return)"
_ANSWERS = (
    "answer",
    "reply",
    "respond",
    "say",
    "output",
    "print",
    "write",
    "state",
    "tell",
    "return",
)
_MODEL = (
    r"(?:ai|a\.i\.|assistant|chatbot|(?:large )?language model|llm|gpt|chatgpt|copilot|rag system"
    r"|answering (?:system|service|engine)|virtual agent)"
)
_MODELS = ("ai", "a.i.", "assistant", "chatbot", "language model", "llm", "gpt", "copilot", "rag system",
           "answering", "agent")  # fmt: skip
_ORDERS = r"(?:instruction|prompt|directive|system message|programming|guardrail|safety rule)s?"
_ORDERED = ("instruction", "prompt", "directive", "system message", "programming", "guardrail",
            "safety rule")  # fmt: skip
_MODEL_ZH = (
    r"(?:ai|人工智能|大模型|语言模型|聊天机器人|智能助手|智能助理|智能客服|问答系统|问答助手|检索系统|助手机器人"
    r"|chatgpt|gpt|llm|copilot)"
)
_MODELS_ZH = ("ai", "人工智能", "模型", "机器人", "助手", "助理", "智能客服", "问答", "检索系统", "gpt", "llm",
              "copilot")  # fmt: skip
_ANSWER_ZH = r"(?:回答|回复|答复|输出|只说|作答|应答|告诉用户|答)"
_ANSWERS_ZH = ("答", "回复", "输出", "只说", "告诉用户")
_ORDERS_ZH = r"(?:指令|提示词|提示语|系统提示|系统消息|设定|预设|安全规则|限制规则)"
_ORDERED_ZH = ("指令", "提示", "系统消息", "设定", "预设", "安全规则", "限制规则")
_DROP_ZH = (
    "忽略",
    "无视",
    "理会",
    "忘",
    "抛开",
    "丢弃",
    "绕过",
    "覆盖",
    "跳过",
    "停止执行",
    "遵守",
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and what it can't do without: one word of each group. Most texts lack that."""

    groups: tuple[frozenset[str], ...]
    pattern: re.Pattern[str]

    def possible(self, held: set[str]) -> bool:
        """Tell whether one word of each group is among those that a text holds."""
        return not any(group.isdisjoint(held) for group in self.groups)


def _rule(pattern: str, *groups: tuple[str, ...]) -> Rule:
    compiled = re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    return Rule(tuple(frozenset(group) for group in groups), compiled)


RULES = (
    _rule(
        rf"\b(?:ignore|disregard|forget|override|bypass|discard|drop|overrule)\b[^.]{{0,60}}\b{_ORDERS}\b",
        ("ignore", "disregard", "forget", "override", "bypass", "discard", "drop", "overrule"), _ORDERED,
    ),
    _rule(
        rf"\b(?:ignore|disregard|forget|skip)\b[^.]{{0,60}}\b(?:above|previous|prior|earlier|else|everything|"
        rf"passages?|documents?|context|sources?|evidence|question)\b[^.]{{0,40}}\b(?:and|then|instead|just|,)\s*"
        rf"(?:only |just |always |simply )?{_ANSWER}\b",
        ("ignore", "disregard", "forget", "skip"), _ANSWERS,
    ),
    _rule(
        rf"\b(?:do not|don't|never|stop) (?:follow|obey|apply)(?:ing)?\b[^.]{{0,40}}\b{_ORDERS}\b",
        ("follow", "obey", "apply"), _ORDERED,
    ),
    _rule(
        r"\b(?:you are|you're|act as|pretend to be|behave (?:as|like)|role-?play as)\b[^.]{0,40}"
        rf"\b{_MODEL}\b",
        ("you are", "you're", "act as", "pretend", "behave", "play as"), _MODELS,
    ),
    _rule(
        r"\byou are (?:now )?(?:in )?(?:dan|developer mode|god mode|debug mode|jailbroken|unrestricted)\b",
        ("you are",), ("dan", "mode", "jailbroken", "unrestricted"),
    ),
    _rule(
        r"\b(?:developer|debug|admin|god|dan) mode\b[^.]{0,20}\b(?:on|enabled|activated|unlocked)\b",
        (" mode",),
    ),
    _rule(
        r"\b(?:note|message|memo|instructions?|attention|notice|important)[,:]? (?:to|for) "
        rf"(?:the |any |all |every )?(?:{_MODEL}|model)s?\b",
        ("note", "message", "memo", "instruction", "attention", "notice", "important"),
        (*_MODELS, "model"),
    ),
    _rule(
        rf"^\W*(?:dear |hey |hello |attention,? )?(?:the )?{_MODEL}s?\s*[:,]\s*\w+",
        _MODELS, (":", ",", "："),
    ),
    _rule(
        rf"\b(?:any|every|all|an?|the) {_MODEL}s? (?:that |who |which )?"
        r"(?:read|process|summari[sz]|see|quot|answer)\w*\b"
        r"[^.]{0,40}\b(?:must|should|shall|has to|have to|will)\b",
        _MODELS, ("must", "should", "shall", "has to", "have to", "will"),
    ),
    _rule(
        r"\b(?:reveal|print|repeat|output|show|leak|disclose|display|recite)\b[^.]{0,40}\b(?:system prompt|"
        r"(?:your|the|its) (?:hidden |initial |original |secret )?(?:prompt|instructions)|hidden instructions)\b",
        ("reveal", "print", "repeat", "output", "show", "leak", "disclose", "display", "recite"),
        ("prompt", "instructions"),
    ),
    _rule(
        r"^\W*(?:system|developer|assistant|admin)(?: message| prompt| note| override)?\s*\]?\s*[:>]"
        rf"[^.]{{0,80}}\b(?:you|your|ignore|disregard|obey|from now on|{_ANSWER})\b",
        ("system", "developer", "assistant", "admin"), (":", ">", "："),
    ),
    _rule(r"\b(?:system|developer) (?:message|prompt|override)\b\W{0,3}:", ("message", "prompt", "override")),
    _rule(rf"\bfrom now on\b[^.]{{0,60}}\b{_ANSWER}\b", ("from now on",)),
    _rule(
        r"\b(?:whatever|no matter what|regardless of what|whenever)\b[^.]{0,40}"
        rf"\b(?:is asked|ask|asks|asked|question)\b[^.]{{0,40}}\b{_ANSWER}\b",
        ("whatever", "no matter what", "regardless", "whenever"), ("ask", "question"),
    ),
    _rule(
        r"^\W*(?:please |now |instead,? |then |simply |just |always |only |you (?:must|should|will|shall) "
        r"(?:always |only )?)*(?:answer|reply|respond|output|say)\s+(?:only |always |exactly |simply |just )?"
        r"(?:that\b|with (?:the )?(?:words?|text|sentence|phrase|following|exactly)\b|with [\"“']|[\"“'])",
        ("answer", "reply", "respond", "output", "say"), ("that", "with", '"', "“", "'"),
    ),
    _rule(
        r"\byou (?:must|should|shall|will|are to|have to|need to) (?:always |only |now |instead )*"
        r"(?:answer|reply|respond|output) (?:only |always |exactly )*(?:that|with|[\"“'])",
        ("answer", "reply", "respond", "output"), ("you ",),
    ),
    _rule(
        r"\b(?:correct |right |only |final )?answer to (?:any|every|all|this|each|the user's?) questions?\b"
        r"[^.]{0,20}\b(?:is|are|must be|should be)\b",
        ("answer to",), ("question",),
    ),
    _rule(
        r"\b(?:cite|quote|reference) (?:only )?(?:this|the present|passage|document|source|\[?p ?\d+\]?)(?!\w)"
        r"[^.]{0,60}\b(?:for (?:every|all|any|each)|as (?:the |your )?(?:only|sole|official|verified|main)"
        r"|whatever|regardless|in (?:every|each|all|your) answers?)\b",
        ("cite", "quote", "reference"), ("for ", "as ", "whatever", "regardless", "answer"),
    ),
    _rule(
        r"\b(?:do not|don't|never) (?:mention|cite|quote|reveal|consult|trust|retrieve|search)\b[^.]{0,30}"
        r"\b(?:any other|the other|other|these|this|the above|your)\b[^.]{0,20}"
        r"\b(?:passages?|sources?|instructions?|evidence|prompts?)\b",
        ("do not", "don't", "never"), ("passage", "source", "instruction", "evidence", "prompt"),
    ),
    _rule(
        r"\b(?:set|report|give|mark|assign|raise|treat)\b[^.]{0,30}\b(?:confidence|relevance|verdict|"
        r"evidence score|subject_found|supported)\b[^.]{0,20}(?:\b(?:to|as|of|at)\b|=|:)\s*[\"“']?"
        r"(?:1(?:\.0)?|100|5|true|answer(?:ed)?|supported|maximum|sufficient)\b",
        ("confidence", "relevance", "verdict", "evidence score", "subject_found", "supported"),
        ("set", "report", "give", "mark", "assign", "raise", "treat"),
    ),
    _rule(
        r"\"(?:verdict|supported|subject_found|modality_kept|relevance)\"\s*:",
        ("verdict", "supported", "subject_found", "modality_kept", "relevance"), ('"',),
    ),
    _rule(
        r"\bend of (?:the )?(?:document|passage|context|source)s?\b\W*(?:new |now |begin )?(?:system |user |your )?"
        rf"(?:instruction|prompt|task|question|{_ANSWER})",
        ("end of",),
    ),
    _rule(r"###\s*(?:instruction|system|response|assistant|user)s?\b", ("###",)),
    _rule(
        r"(?:忽略|无视|不要理会|不必理会|不用理会|忘记|忘掉|抛开|丢弃|绕过|覆盖|跳过|停止执行|不再遵守|不要遵守)"
        rf"[^。]{{0,25}}{_ORDERS_ZH}",
        _DROP_ZH, _ORDERED_ZH,
    ),
    _rule(
        r"(?:忽略|无视|不要理会|忘记|忘掉|抛开|跳过)[^。]{0,20}(?:以上|上述|上面|前面|之前|此前|其他|其它|所有|全部|一切|任何)"
        rf"[^。]{{0,20}}(?:并|，|,|然后|直接|只|改为|转而|而是)\s*(?:请|只|直接|一律|统一)*{_ANSWER_ZH}",
        _DROP_ZH, _ANSWERS_ZH,
    ),
    _rule(
        rf"(?:你|您)(?:现在|从现在起|将)?(?:是|扮演|充当|作为|变成|成为)(?:一个|一名|一位)?[^。，,]{{0,12}}{_MODEL_ZH}",
        ("你", "您"), _MODELS_ZH,
    ),
    _rule(
        rf"(?:致|给|告|请|各位|所有|任何)(?:阅读|处理|读到|看到)?(?:本文|此文|本段)?的?{_MODEL_ZH}(?:助手|系统|模型)?"
        r"\s*(?:[:，,]|必须|应当|应该|请|注意|一律)",
        ("致", "给", "告", "请", "各位", "所有", "任何"), _MODELS_ZH,
    ),
    _rule(rf"^\W*(?:亲爱的)?{_MODEL_ZH}(?:助手|系统|模型)?\s*[:，,]\s*(?:请|你|必须|务必|忽略|直接)", _MODELS_ZH),
    _rule(
        rf"{_MODEL_ZH}(?:助手|系统|模型)?(?:必须|应当|应该|务必|一律|需要|只能)[^。]{{0,25}}{_ANSWER_ZH}",
        _MODELS_ZH, _ANSWERS_ZH,
    ),
    _rule(
        r"(?:系统|开发者|管理员)(?:消息|提示|指令|提示词|命令|覆盖)\s*[:>】\]]",
        ("系统", "开发者", "管理员"), ("消息", "提示", "指令", "命令", "覆盖"),
    ),
    _rule(
        r"(?:输出|泄露|透露|打印|重复|展示|显示|公开|复述)[^。]{0,12}"
        r"(?:系统提示|提示词|系统指令|隐藏指令|初始指令|你的指令)",
        ("输出", "泄露", "透露", "打印", "重复", "展示", "显示", "公开", "复述"), ("提示", "指令"),
    ),
    _rule(
        r"(?:从现在起|从现在开始|自此以后|接下来|今后|以后)[^。]{0,20}(?:都|只|一律|统一|必须|请)[^。]{0,6}"
        r"(?:回答|回复|输出|作答)",
        ("从现在", "自此以后", "接下来", "今后", "以后"), _ANSWERS_ZH,
    ),
    _rule(
        rf"(?:无论|不管|不论|凡是)[^。]{{0,20}}(?:问|提问|问题|询问)[^。]{{0,20}}{_ANSWER_ZH}",
        ("无论", "不管", "不论", "凡是"), ("问",),
    ),
    _rule(
        r"(?:^|[。!；;，,:\s])(?:请|务必|必须|你必须|你要|你应|你只能|一律|统一|只需|改为)"
        r"(?:直接|只|仅|一律|统一|始终|务必|立即)*(?:回答|回复|输出|答复|作答)\s*(?:说|为|成|以下|如下|[:“\"「『'])",
        ("请", "务必", "必须", "你", "一律", "统一", "只需", "改为"), _ANSWERS_ZH,
    ),
    _rule(
        r"(?:任何|所有|每个|一切|用户的?)问题的?(?:正确|唯一|标准|最终)?答案(?:都|均|必须|应|只能)?(?:是|为)",
        ("答案",), ("问题",),
    ),
    _rule(
        r"(?:不要|不得|禁止|切勿|别)(?:引用|使用|参考|提及|透露|检索|相信)[^。]{0,6}(?:其他|其它|别的|任何其他|上述|这条|本条|你的)"
        r"[^。]{0,6}(?:段落|来源|指令|证据|提示)",
        ("引用", "使用", "参考", "提及", "透露", "检索", "相信"), ("段落", "来源", "指令", "证据", "提示"),
    ),
    _rule(
        r"(?:引用|标注|注明)(?:本段|本文|此段|该段|本文件|\[?p ?\d+\]?)[^。]{0,10}(?:作为|为)(?:唯一|权威|全部|所有)[^。]{0,6}"
        r"(?:来源|依据|引用|出处)",
        ("引用", "标注", "注明"), ("来源", "依据", "引用", "出处"),
    ),
    _rule(
        r"(?:置信度|相关性|相关度|判定|证据分)[^。]{0,8}(?:设为|设置为|设成|改为|标为|记为|打)\s*[\"“]?"
        r"(?:1|5|100|最高|满分|充分|answer)",
        ("置信度", "相关性", "相关度", "判定", "证据分"), ("设", "改为", "标为", "记为", "打"),
    ),
    _rule(r"(?:开发者|调试|管理员|越狱|无限制)模式(?:已)?(?:开启|启用|激活|打开)", ("模式",)),
    _rule(r"(?:文档|段落|资料|正文)(?:到此)?结束[^。]{0,6}(?:新的?)?(?:指令|任务|问题|系统)", ("结束",)),
)  # fmt: skip
"""Each is an order that only makes sense for a program; what people are told is none of them."""
WORDS = tuple({word for rule in RULES for group in rule.groups for word in group})
"""Every word that a rule looks for first, in lower case."""
