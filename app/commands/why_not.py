"""Why a document that was expected was not found, as the terminal shows it."""

from rich.text import Text

from app.commands.client import Reply
from app.commands.door import connect
from app.commands.rendering import Labels
from app.commands.screen import err, out, plain
from app.commands.searching import joined, positions, show_text
from app.settings import Settings

_LABELS = {
    "document": ("文档", "document"),
    "words": ("问题的词", "words of the question"),
    "absent": ("该文档没有", "not in this document"),
    "holds": ("含", "holds"),
    "lacks": ("缺", "lacks"),
    "advice": ("建议", "what would help"),
    "passages": ("个段落", "passages"),
}


async def why_not(settings: Settings, question: str, kb: str, document: str) -> Reply:
    """Return where the document stood and what dropped it; raises CommandFailed."""
    with err.status("…"):
        async with connect(settings) as client:
            return await client.why_not(kb, {"question": question, "document": document})


def show(found: Reply) -> None:
    """Print the verdict, the words, the document's best passages, and what would help."""
    column = Labels(found["question"]).column
    names = {key: pair[column] for key, pair in _LABELS.items()}
    document = found["document"]
    head = Text.assemble((names["document"], "cyan"), "  ", (plain(document["title"]), "bold"))
    head.append(f" ({plain(document['name'])}, {document['passages']} {names['passages']})", "dim")
    out.print(head)
    style = "green" if found["fate"] == "found" else "yellow"
    out.print(Text(plain(found["reason"]), style))
    _show_words(found, names, column)
    for passage in found["passages"]:
        out.print(Text(" › ".join(map(plain, passage["section"])) or "—", "bold"))
        out.print(Text("   ").append_text(positions(passage["stages"], column)))
        for key in ("holds", "lacks"):
            if passage[key]:
                out.print(Text(f"   {names[key]}: {joined(passage[key], column)}", "dim"))
        show_text(passage["text"])
    for sentence in found["advice"]:
        out.print(Text.assemble((f"{names['advice']}  ", "cyan"), plain(sentence)))


def _show_words(found: Reply, names: Reply, column: int) -> None:
    absent = [word["word"] for word in found["words"] if not word["in_document"]]
    counted = [f"{word['word']} ({word['passages']})" for word in found["words"]]
    if counted:
        line = Text.assemble((names["words"], "cyan"), "  ", joined(counted, column))
        if absent:
            line.append(f" · {names['absent']}: {joined(absent, column)}", "yellow")
        out.print(line)
