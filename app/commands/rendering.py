"""How answers, hits and runs look in a terminal."""

from collections.abc import Iterator, Sequence

from rich.rule import Rule
from rich.text import Text

from app.commands.client import Reply
from app.commands.screen import out, plain

_STATUS = {
    "answered": ("已回答", "answered", "bold green"),
    "partial": ("部分回答", "partial", "bold yellow"),
    "insufficient": ("证据不足", "insufficient", "bold red"),
    "direct": ("直接回应", "direct", "bold cyan"),
    "error": ("出错", "error", "bold red"),
}
_LABELS = {
    "sources": ("出处", "Sources"),
    "superseded": ("已被取代", "superseded"),
    "confidence": ("把握", "confidence"),
    "question": ("问题", "question"),
    "resolved": ("理解为", "understood as"),
    "first": ("首次检索", "first query"),
    "second": ("再次检索", "second query"),
    "gap": ("补充检索", "gap query"),
    "hits": ("命中", "hits"),
    "new": ("新增", "new"),
    "decision": ("判断", "decision"),
    "path": ("路径", "path"),
    "answer": ("回答", "answer"),
    "thread": ("会话", "thread"),
    "nothing": ("没有找到任何段落。", "Nothing was found."),
}


def _is_chinese(text: str) -> bool:
    # graphs.evidence.text knows more, but loads the tokenizer: too slow for a label
    return any("\u4e00" <= character <= "\u9fff" for character in text)


class Labels:
    """The labels in the language of a question."""

    def __init__(self, question: str) -> None:
        self.column = 0 if _is_chinese(question) else 1

    def __getitem__(self, key: str) -> str:
        return _LABELS[key][self.column]

    def status(self, status: str) -> Text:
        """Return the name of an answer's status."""
        names = _STATUS.get(status, (status, status, "bold"))
        return Text(names[self.column], names[2])


def show_answer(answer: Reply) -> None:
    """Print an answer, its sources, and how it came about in one line."""
    labels = Labels(answer["question"])
    _show_text(answer, labels)
    foot = Text.assemble(labels.status(answer["status"]), style="dim")
    if answer["assessment"] is not None and answer["status"] in ("answered", "partial"):
        foot.append(f" · {labels['confidence']} {answer['assessment']['confidence']:.2f}")
    foot.append(
        f" · {answer['usage']['elapsed_ms']:.0f} ms · {labels['thread']} {answer['thread_id']}"
    )
    out.print(foot)


def show_run(number: str, kb: str, answer: Reply) -> None:
    """Print how a question went: queries, hits, decisions, path, answer, citations."""
    labels = Labels(answer["question"])
    out.print(Rule(Text(f"{number} · {kb}", "bold"), align="left", style="dim"))
    _show_row(labels["question"], plain(answer["question"]), "bold")
    if answer["question_resolved"] != answer["question"]:
        _show_row(labels["resolved"], plain(answer["question_resolved"]))
    for name, value in _steps(answer, labels):
        _show_row(name, value)
    _show_row(labels["path"], " → ".join(answer["path"]), "dim")
    out.print(Text.assemble((labels["answer"], "cyan"), "  ", labels.status(answer["status"])))
    _show_text(answer, labels)


def _steps(answer: Reply, labels: Labels) -> Iterator[tuple[str, str]]:
    """Yield the retrievals, each followed by the grading that read it."""
    decisions: Sequence[Reply] = answer["decisions"]
    for number, retrieval in enumerate(answer["retrievals"]):
        main, *gaps = map(plain, retrieval["queries"])
        yield labels["second" if number else "first"], main
        for query in gaps:
            yield labels["gap"], query
        hits = f"{retrieval['hits']}"
        if number:
            hits += f", {labels['new']} {retrieval['new']}"
        yield labels["hits"], hits + (f" ({plain(retrieval['note'])})" if retrieval["note"] else "")
        if number < len(decisions):
            made = decisions[number]
            yield labels["decision"], f"{made['decision']}: {plain(made['reason'])}"


def _show_row(name: str, value: str, style: str = "") -> None:
    out.print(Text.assemble((name, "cyan"), "  ", (value, style)))


def _show_text(answer: Reply, labels: Labels) -> None:
    out.print(plain(answer["answer"]).rstrip("\n"))
    if answer["citations"]:
        out.print(Text(labels["sources"], "bold"))
    for citation in answer["citations"]:
        line = Text.assemble((f"[{citation['n']}] ", "cyan"), place_of(citation))
        if citation["superseded"]:
            line.append(f" ({labels['superseded']})", "yellow")
        out.print(line.append(f": {plain(' '.join(citation['quote'].split()))}", "dim"))
    for warning in answer["warnings"]:
        if warning["message"] in answer["answer"]:
            continue  # one of those that open the text
        out.print(Text.assemble(("! ", "bold yellow"), plain(warning["message"])))


def place_of(found: Reply) -> Text:
    """Return the title and the headings that a passage stands under."""
    title, *section = dict.fromkeys([found["title"], *found["section"]])
    return Text(plain(" › ".join([title, *section])), "bold")
