"""What a missed document's fate means, and what would help: sentences in Chinese and English."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.search_resources import Fate
from graphs.ask.records import Language
from graphs.policy import Policy

REASONS: dict[Fate, tuple[str, str]] = {
    "found": (
        "该文档已在证据中，排第 {position} 位。",
        "The document is among the evidence, at position {position}.",
    ),
    "excluded": (
        "请求把该文档排除在外（exclude_documents）。",
        "The request leaves this document out (exclude_documents).",
    ),
    "empty": (
        "该文档没有任何可检索的段落。",
        "The document holds no passage that could be found.",
    ),
    "not_candidate": (
        "该文档的段落没有进入候选：向量与关键词两路各取前 {candidates} 名（向量：{dense}；关键词：{keyword}）。",
        "No passage of the document became a candidate: each index gives its best {candidates} "
        "(dense: {dense}; keyword: {keyword}).",
    ),
    "threshold": (
        "重排后得分 {score:.3f} 低于门槛 {threshold:g}。",
        "After reranking its score {score:.3f} lies under the threshold of {threshold:g}.",
    ),
    "duplicate": (
        "它与排在前面的段落几乎相同，已并入《{leader}》的段落，作为其变体保留。",
        'It says nearly the same as a passage above it, and is kept as a variant of that one in "{leader}".',
    ),
    "noise": (
        "它重排后排第 {reranked} 位，但远不如前面的段落切题，或只是重复它们的内容，作为噪声去除。",
        "At position {reranked} after reranking, it is far weaker than the passages above it or repeats "
        "them, and was removed as noise.",
    ),
    "top_n": (
        "它过了门槛，重排后排第 {reranked} 位，但名单只收 {top_n} 段。",
        "It passes the threshold, at position {reranked} after reranking, but the list holds {top_n} passages.",
    ),
}
_ADVICE: dict[str, tuple[str, str]] = {
    "reads": (
        "回答至多读 {read} 段，且只引用覆盖问题要点的段落；评估与引用见回答的 decisions 与 citations。",
        "An answer reads at most {read} passages, and cites those that cover what is asked; "
        "see its decisions and citations.",
    ),
    "include": (
        "把它的编号从 exclude_documents 中去掉。",
        "Take its id out of exclude_documents.",
    ),
    "convert": (
        "检查原文件是否有文字（扫描件需要先做文字识别），然后重新上传。",
        "See whether the file holds text (a scan needs text recognition first), then upload it again.",
    ),
    "lacking": (
        "问题中的这些词该文档没有使用：{words}。",
        "Words of the question that this document does not use: {words}.",
    ),
    "glossary": (
        "如果它们与文档中的说法同义，在 kb.yaml 的 glossary 中加一条（问题的词: [文档的词]），放宽的再次检索会用文档的说法查找；或在提问时直接用文档的说法。",
        "If the document says the same in other words, add an entry to the glossary of kb.yaml (the question's "
        "word: [the document's words]): a broadened second search then uses them; or use them in the question.",
    ),
    "translated": (
        "词汇表（kb.yaml 的 glossary）已收录它们：首次检索只用问题的原话，放宽的再次检索才用同义词；请检查词条是否含有该文档的说法。",
        "The glossary of kb.yaml has them already: the first search takes the question as it is, and only a "
        "broadened second search uses synonyms; see whether the entry holds the document's words.",
    ),
    "language": (
        "问题与文档的语言不同，关键词无法匹配，只能靠向量；用文档的语言提问会更可靠。",
        "The question and the document are in different languages, so that only the vector index can match "
        "them; asking in the document's language is surer.",
    ),
    "common": (
        "问题的词该文档都有，但其他段落更贴近；在问题中加上更具体的词，例如标题或编号：{names}。",
        "The document uses every word of the question, but other passages are nearer to it; add something more "
        "specific, such as its title or code: {names}.",
    ),
    "scattered": (
        "这些词分散在该文档的不同段落；一次只问一件事，或把相关内容写在同一节。",
        "The words stand in different passages of the document; ask for one thing at a time, or keep what "
        "belongs together in one section.",
    ),
    "lower": (
        "若类似的段落确实有用，可降低 YOUJU_PROFILES__INITIAL__THRESHOLD；无关段落也会随之增多。",
        "If passages like this one do help, lower YOUJU_PROFILES__INITIAL__THRESHOLD; unrelated ones will come "
        "in with them.",
    ),
    "variant": (
        "没有内容丢失。若两段有重要差别，可提高 YOUJU_NEAR_DUPLICATE（现为 {duplicate:g}，至多 0.80）。",
        "Nothing is lost. If the two differ in what matters, raise YOUJU_NEAR_DUPLICATE (now {duplicate:g}, "
        "at most 0.80).",
    ),
    "own": (
        "若它有自己独有的内容，请直接问那一点，或在问题中写出它的标题或编号：{names}。",
        "If it holds something of its own, ask for that, or name its title or code in the question: {names}.",
    ),
    "more": (
        "把问题问得更具体，或提高 YOUJU_PROFILES__INITIAL__TOP_N（现为 {top_n}，至多 16）。",
        "Ask more narrowly, or raise YOUJU_PROFILES__INITIAL__TOP_N (now {top_n}, at most 16).",
    ),
    "superseded": (
        "该文档已被《{newer}》取代，回答以新版为准。",
        'A newer version replaces this document, "{newer}"; answers prefer it.',
    ),
    "no_dense": (
        "向量索引目前不可用，只做了关键词检索。",
        "The vector index can't be read at present; only keyword search was done.",
    ),
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What the sentences are made from. `dense` and `keyword` are positions, or None beyond `bound`.

    `lacking` are words that the document never uses; `scattered` tells that it uses all of them,
    but no passage does. `translated` are words that the glossary has synonyms for.
    """

    fate: Fate
    language: Language
    policy: Policy
    bound: int
    position: int | None = None
    reranked: int | None = None
    score: float = 0.0
    dense: int | None = None
    keyword: int | None = None
    matches: bool = True
    """A word of the question stands in one of the document's passages."""
    dense_available: bool = True
    leader: str = ""
    newer: str = ""
    lacking: Sequence[str] = ()
    translated: Sequence[str] = ()
    scattered: bool = False
    other_language: bool = False
    names: Sequence[str] = ()


def sentences_for(facts: Facts) -> tuple[str, list[str]]:
    """Return why the document was missed, and what would help."""
    column = 0 if facts.language == "zh" else 1
    policy = facts.policy
    values = {
        "position": facts.position,
        "reranked": facts.reranked,
        "score": facts.score,
        "threshold": policy.initial.threshold,
        "top_n": policy.initial.top_n,
        "candidates": policy.candidates,
        "read": policy.passages_read,
        "duplicate": policy.near_duplicate,
        "dense": _rank(facts.dense, facts.bound, column),
        "keyword": _rank(facts.keyword, facts.bound, column, facts.matches),
        "leader": facts.leader,
        "newer": facts.newer,
        "words": ("、" if column == 0 else ", ").join(facts.lacking),
        "names": ("、" if column == 0 else ", ").join(facts.names),
    }
    advice = [_ADVICE[key][column].format_map(values) for key in _advice(facts)]
    return REASONS[facts.fate][column].format_map(values), advice


def _advice(facts: Facts) -> list[str]:
    keys = {
        "found": ["reads"],
        "excluded": ["include"],
        "empty": ["convert"],
        "not_candidate": _wording(facts),
        "threshold": [*_wording(facts), "lower"],
        "duplicate": ["variant"],
        "noise": ["own"],
        "top_n": ["more"],
    }[facts.fate]
    if facts.newer:
        keys.append("superseded")
    if not facts.dense_available:
        keys.append("no_dense")
    return keys


def _wording(facts: Facts) -> list[str]:
    """Return what to do about words that do not meet."""
    if facts.other_language:
        return ["language"]
    if facts.lacking:
        unknown = set(facts.lacking) - set(facts.translated)
        return ["lacking", "glossary" if unknown else "translated"]
    return ["scattered"] if facts.scattered else ["common"]


def _rank(position: int | None, bound: int, column: int, matches: bool = True) -> str:
    if position is not None:
        return str(position)
    if not matches:
        return ("没有共同的词", "no word in common")[column]
    return (f"{bound:,} 名之外", f"beyond {bound:,}")[column]
