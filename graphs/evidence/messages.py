"""Every sentence that the program itself says, in Chinese and English."""

from graphs.ask.records import Language

WARNINGS: dict[str, tuple[str, str]] = {
    "low_confidence_generation": (
        "证据的把握低于所要求的门槛，请核对引用后再使用。",
        "Confidence in the evidence lies below the requested threshold; check the citations before use.",
    ),
    "potential_noise": (
        "所读段落中一半以上与问题关系不强，可能含有无关内容。",
        "More than half of the passages read are only loosely related to the question.",
    ),
    "outdated_info": (
        "引用了已被新版本取代的文件。",
        "A superseded version of a document is cited.",
    ),
    "conflicting_evidence": (
        "不同来源对同一事项的说法不一致，各方均已引用。",
        "Sources disagree about the same matter; each side is cited.",
    ),
    "web_pages": (
        "知识库中的文档不足以回答，已检索互联网；所引网页未经本单位审核，请打开链接核对。",
        "The documents of the knowledge base did not suffice, so the web was searched; pages that are "
        "cited are not reviewed by your organisation: open the links and check them.",
    ),
    "web_unavailable": (
        "已尝试检索互联网，但搜索服务没有响应；结果只依据知识库。",
        "The web was to be searched, but the search service did not answer; the result rests on the "
        "knowledge base alone.",
    ),
    "graded_locally": (
        "语言模型不可用，至少一个步骤由内置推理器完成。",
        "The language model was unavailable; the embedded reasoner did at least one step.",
    ),
    "budget_exhausted": (
        "本次提问的次数、用量或时间上限已用完。",
        "A limit of calls, tokens or seconds for this question was reached.",
    ),
    "source_language_differs": (
        "来源与问题的语言不同，引文保留原文。",
        "The source is in another language than the question; quotes are kept as they stand.",
    ),
    "unresolved_reference": (
        "无法确定问题所指的对象，请补充说明。",
        "It is not clear what the question refers to; please say it in full.",
    ),
    "evidence_changed": (
        "检索之后文档有变动，证据已重新评估。",
        "Documents changed after they were found; the evidence was judged again.",
    ),
    "dense_unavailable": (
        "向量索引不可用，仅使用了关键词检索。",
        "The vector index is unavailable; only keyword search was used.",
    ),
    "reranker_fallback": (
        "所配置的重排模型不可用，已改用默认重排。",
        "The configured reranker is unavailable; the default one was used.",
    ),
    "instructions_ignored": (
        "文档中含有对系统的指令，已忽略。",
        "A document contains instructions to the system; they were ignored.",
    ),
    "near_duplicate_documents": (
        "存在内容几乎相同的文档。",
        "There are documents with nearly the same content.",
    ),
}
"""Warning code to its (zh, en) sentence."""
RULES: dict[str, tuple[str, str]] = {
    "1: subject not held": (
        "没有段落涉及问题的主题",
        "no passage holds the subject of the question",
    ),
    "1: nothing near enough": (
        "最好的段落也与问题相差太远",
        "even the best passage lies too far from the question",
    ),
    "2: every required facet covered": (
        "所问的各项都有段落给出",
        "every part that is asked for is covered by a passage",
    ),
    "3: everything is covered, not surely enough, and a round is left": (
        "所问的各项都有段落给出，但把握不足，还可以再检索一次",
        "every part is covered, but not surely enough, and another retrieval is allowed",
    ),
    "3: something is missing and a round is left": (
        "尚有未覆盖之处，还可以再检索一次",
        "something is missing, and another retrieval is allowed",
    ),
    "4: a part is covered": ("只有一部分有依据", "only a part is covered"),
    "4: too little is covered": ("有依据的部分太少", "too little is covered"),
}
"""Rule of the decision table to the (zh, en) reason that a reader sees."""
OPENING = ("web_pages", "low_confidence_generation", "potential_noise", "outdated_info")
"""Warnings that also open the answer text, in this order."""

_TEXTS: dict[str, tuple[str, str]] = {
    "note": ("注意：", "Note: "),
    "missing_heading": ("知识库中没有依据的部分：", "Not supported by the knowledge base:"),
    "refusal": (
        "知识库中的证据不足以回答这个问题。",
        "The knowledge base does not hold enough evidence to answer this question.",
    ),
    "searched": ("已检索：", "Searched for:"),
    "nearest": ("最接近的内容：", "Nearest passages:"),
    "missing": ("缺少：", "Missing:"),
    "suggest": ("可补充：", "What would help:"),
    "contact": ("可咨询：", "Whom to ask: "),
    "empty_kb": (
        "知识库“{kb}”还没有任何文档。请用 `youju ingest 文件或文件夹 --kb {kb}` 或 `POST /kb/{kb}/documents` 添加后再问。",
        "The knowledge base \"{kb}\" holds no documents yet. Add some with `youju ingest PATH --kb {kb}` or `POST /kb/{kb}/documents`, then ask again.",
    ),
    "greeting": (
        "你好！我只根据知识库“{kb}”中的文档回答问题，并为每一句给出出处。请直接提问。",
        "Hello! I answer questions from the documents of the knowledge base \"{kb}\" only, and cite a source for every statement. Please ask.",
    ),
    "thanks": (
        "不客气。还有问题请直接提问。",
        "You are welcome. Please ask if there is anything else.",
    ),
    "service": (
        "我根据知识库“{kb}”中的文档（共 {documents} 份）回答问题：先检索，再判断证据是否足够，不足时再检索一次；证据不够就说明缺什么，而不猜测。",
        "I answer from the {documents} documents of the knowledge base \"{kb}\": I search, judge whether the evidence is enough, search once more if it is not, and say what is missing instead of guessing.",
    ),
    "unresolved": (
        "这个问题里的指代不清楚：“{question}”。请写出具体的对象，例如设备、编号或文件名。",
        "It is not clear what \"{question}\" refers to. Please name it: the device, number or document you mean.",
    ),
    "unrecognized": (
        "评估步骤返回了无法识别的结论，因此没有生成回答。原始结论：{raw}",
        "The grading step returned a verdict that is not recognised, so no answer was written. Raw verdict: {raw}",
    ),
    "failed": (
        "处理过程中出错，没有生成回答。请稍后重试。",
        "Something went wrong while working on this question, so no answer was written. Please try again.",
    ),
    "why_subject": ("没有涉及问题的主题：{what}", "does not treat the subject: {what}"),
    "why_field": ("涉及主题，但没有给出：{what}", "treats the subject, but does not say: {what}"),
    "why_score": ("与问题的关系较弱", "only loosely related to the question"),
    "why_old": ("已被新版本取代", "replaced by a newer version"),
    "suggest_amount": ("写明“{what}”的标准、报价或合同", "a rate table, quote or contract that states \"{what}\""),
    "suggest_count": ("统计“{what}”的台账或报表", "a register or report that counts \"{what}\""),
    "suggest_person": ("写明“{what}”的职责分工、组织架构或通讯录", "a list of duties, chart or directory that names \"{what}\""),
    "suggest_cause": ("分析“{what}”的报告或缺陷记录", "a report or defect record that explains \"{what}\""),
    "suggest_effect": ("说明“{what}”的报告或风险分析", "a report or risk analysis that describes \"{what}\""),
    "suggest_procedure": ("规定“{what}”的规程、流程或操作手册", "a procedure, process or manual that lays down \"{what}\""),
    "suggest_time": ("写明“{what}”的计划、通知或记录", "a schedule, notice or record that dates \"{what}\""),
    "suggest_place": ("写明“{what}”的布置图、台账或地址表", "a plan, register or address list that locates \"{what}\""),
    "suggest_list": ("列出“{what}”的清单或目录", "a list or catalogue of \"{what}\""),
    "suggest_definition": ("定义“{what}”的标准或术语表", "a standard or glossary that defines \"{what}\""),
    "suggest_yes_no": ("对“{what}”有明确规定的制度或决定", "a rule or decision that settles \"{what}\""),
    "suggest_document": ("能说明“{what}”的文件或记录", "a document or record that covers \"{what}\""),
    "suggest_version": ("该时间范围内有效的版本", "the version that was in force at that time"),
    "suggest_conflict": ("能说明哪一方说法有效的文件", "a document that says which side is in force"),
    "sub_questions": ("各个子问题：", "Parts of the question:"),
    "became_answered": ("有相关段落，但把握不足", "there are passages, but they are not sure enough"),
    "became_partial": ("只有一部分有相关段落", "there are passages for a part only"),
    "became_missing": ("没有依据", "no evidence"),
    "round": ("第 {number} 次（{how}）：{queries}（新段落 {new} 个）", "{number}. {how}: {queries} (new passages: {new})"),
    "profile_initial": ("按原问题", "as asked"),
    "profile_precise": ("围绕缺口", "around what is missing"),
    "profile_broaden": ("放宽用词", "in wider terms"),
    "query_join": ("；", "; "),
    "colon": ("：", ": "),
    "comma": ("、", ", "),
    "row": ("；", "; "),
    "sub_question": ("问题", "Question"),
}  # fmt: skip


def say(key: str, language: Language, **values: object) -> str:
    """Return a sentence in the question's language; a missing value fails loudly."""
    text = _TEXTS[key][0 if language == "zh" else 1]
    return text.format(**values) if values else text


def known(key: str) -> bool:
    """Tell whether there is a sentence under this key."""
    return key in _TEXTS


def reason(rule: str, language: Language) -> str:
    """Return why a rule decided; what a reasoner added to the rule is kept as it stands."""
    known, mark, added = rule.partition("; ")
    texts = RULES.get(known)
    return (texts[0 if language == "zh" else 1] if texts else known) + mark + added


def warn(code: str, language: Language) -> str:
    """Return the sentence of a warning."""
    return WARNINGS[code][0 if language == "zh" else 1]
