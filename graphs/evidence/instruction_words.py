"""What a rule for orders to an answering system is made of."""

import re
from dataclasses import dataclass

ANSWER = r"(?:answer|reply|respond|say|output|print|write|state|tell|return)"
ANSWERS = (
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
MODEL = (
    r"(?:ai|a\.i\.|assistant|chatbot|(?:large )?language model|llm|gpt|chatgpt|copilot|rag system"
    r"|answering (?:system|service|engine)|virtual agent)"
)
MACHINE = MODEL.replace("|assistant", "")
"""The same without "assistant", which people are called as well."""
MODELS = ("ai", "a.i.", "assistant", "chatbot", "language model", "llm", "gpt", "copilot", "rag system",
           "answering", "agent")  # fmt: skip
ORDERS = r"(?:instruction|prompt|directive|system message|programming|guardrail|safety rule)s?"
ORDERED = ("instruction", "prompt", "directive", "system message", "programming", "guardrail",
            "safety rule")  # fmt: skip
MODEL_ZH = (
    r"(?:ai|人工智能|大模型|语言模型|聊天机器人|智能助手|智能助理|智能客服|问答系统|问答助手|检索系统|助手机器人"
    r"|chatgpt|gpt|llm|copilot)"
)
MODELS_ZH = ("ai", "人工智能", "模型", "机器人", "助手", "助理", "智能客服", "问答", "检索系统", "gpt", "llm",
              "copilot")  # fmt: skip
ANSWER_ZH = r"(?:回答|回复|答复|输出|只说|作答|应答|告诉用户|答)"
ANSWERS_ZH = ("答", "回复", "输出", "只说", "告诉用户")
ORDERS_ZH = r"(?:指令|提示词|提示语|系统提示|系统消息|设定|预设|安全规则|限制规则)"
ORDERED_ZH = ("指令", "提示", "系统消息", "设定", "预设", "安全规则", "限制规则")
DROP_ZH = (
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


def rule(pattern: str, *groups: tuple[str, ...]) -> Rule:
    """Return a rule of a pattern and of groups of words, in lower case."""
    compiled = re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    return Rule(tuple(frozenset(group) for group in groups), compiled)
