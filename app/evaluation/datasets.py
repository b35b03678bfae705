"""Public question sets, as the evaluations read them from a folder of the caller's."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.evaluation import dataset_rows as rows
from app.evaluation.dataset_rows import FormatError


@dataclass(frozen=True, slots=True)
class Document:
    """One passage of the pooled corpus."""

    key: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Given:
    """The passages that come with a question, by document key, in the order of the publication.

    `positive` has one group per part of the answer where parts are told apart, else one a passage;
    `wrong` hold a wrong answer; `mixed` maps a share of noise to a ready selection.
    """

    positive: Sequence[Sequence[str]]
    negative: Sequence[str]
    wrong: Sequence[str] = ()
    mixed: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold passages: document key to gain, above 0.

    `parts` are given where several passages answer one part of it: one of each part is enough to
    have all gold. `answer` are the items of the short answer, all required, each with its aliases.
    """

    id: str
    text: str
    gains: Mapping[str, int]
    parts: Sequence[frozenset[str]] = ()
    answer: Sequence[Sequence[str]] = ()
    given: Given | None = None


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A corpus and the questions asked of it."""

    name: str
    documents: Sequence[Document]
    questions: Sequence[Question]


@dataclass(slots=True)
class _Pool:
    """Pools passages: equal texts under equal titles count once."""

    documents: dict[tuple[str, str], Document] = field(default_factory=dict)

    def add(self, title: str, text: str) -> str | None:
        """Take a passage in and return its key; a blank one is none."""
        clean = text.replace("\r\n", "\n").replace("\r", "\n").strip()
        if not clean:
            return None
        key = f"p{len(self.documents):05}"
        return self.documents.setdefault((title, clean), Document(key, title, clean)).key

    def gains(self, golds: Mapping[str | None, int]) -> dict[str, int]:
        """Return the gains of passages that exist and count."""
        return {key: gain for key, gain in golds.items() if key is not None and gain > 0}

    def close(self, name: str, questions: Sequence[Question]) -> QuestionSet:
        """Return the set without blank questions and without those that have no gold passage."""
        asked = [question for question in questions if question.gains and question.text.strip()]
        return QuestionSet(name, list(self.documents.values()), asked)


def _rgb(name: str, files: Sequence[Path]) -> QuestionSet:
    pool, questions = _Pool(), []
    for row in rows.lines(files[0], rows.Rgb):
        parts = [[pool.add("", text) for text in part] for part in row.parts]
        wrong = [pool.add("", text) for text in row.positive_wrong]
        negative = [pool.add("", text) for text in row.negative]
        sets = [frozenset(_known(part)) for part in parts if any(part)]
        gains = pool.gains({key: 1 for part in parts for key in part})
        given = Given(
            [found for part in parts if (found := _known(part))],
            _known(negative),
            _known(wrong),
            _mixed(files[0], row, [key for part in parts for key in part], negative),
        )
        questions.append(
            Question(str(row.id), row.query, gains, sets, answer=row.answers, given=given)
        )
    return pool.close(name, questions)


def _mixed(
    path: Path, row: rows.Rgb, positive: Sequence[str | None], negative: Sequence[str | None]
) -> dict[str, list[str]]:
    try:
        return {
            share: _known([(positive if good else negative)[at] for good, at in chosen])
            for share, chosen in row.mix.items()
        }
    except IndexError as error:
        raise FormatError(
            path, f"question {row.id}: mix names a passage that is not there"
        ) from error


def _known(keys: Sequence[str | None]) -> list[str]:
    return list(dict.fromkeys(key for key in keys if key is not None))


def _hotpotqa(name: str, files: Sequence[Path]) -> QuestionSet:
    pool, questions = _Pool(), []
    for row in rows.lines(files[0], rows.Hotpot):
        keys = {title: pool.add(title, "".join(parts)) for title, parts in row.context}
        golds = {keys.get(title): 1 for title, _ in row.supporting_facts}
        questions.append(
            Question(row.id, row.question, pool.gains(golds), answer=_any_of([row.answer]))
        )
    return pool.close(name, questions)


def _any_of(answers: Sequence[str]) -> list[list[str]]:
    """Return an answer of one item, any of whose texts is right."""
    return [list(answers)] if any(answers) else []


def _lecoqa(name: str, files: Sequence[Path]) -> QuestionSet:
    pool, questions = _Pool(), []
    statutes = {
        row.name: pool.add(row.name, row.text) for row in rows.lines(files[1], rows.Statute)
    }
    for row in rows.lines(files[0], rows.LeCoQa):
        unknown = [statute for statute in row.match_name if statute not in statutes]
        if unknown:
            raise FormatError(files[0], f"statute {unknown[0]!r} is not in {files[1].name}")
        golds = {statutes[statute]: 1 for statute in row.match_name}
        questions.append(Question(str(row.query_id), row.question, pool.gains(golds)))
    return pool.close(name, questions)


def _cmrc(name: str, files: Sequence[Path]) -> QuestionSet:
    pool, questions = _Pool(), []
    for article in rows.whole(files[0], rows.Squad).data:
        for paragraph in article.paragraphs:
            golds = {pool.add(article.title, paragraph.context): 1}
            questions += [
                Question(
                    q.id,
                    q.question,
                    pool.gains(golds),
                    answer=_any_of([answer.text for answer in q.answers]),
                )
                for q in paragraph.qas
            ]
    return pool.close(name, questions)


def _cranfield(name: str, files: Sequence[Path]) -> QuestionSet:
    pool = _Pool()
    keys = {
        fields["I"]: pool.add(fields["T"], fields["W"] or fields["T"])
        for fields in rows.smart(files[0])
    }
    gains: dict[int, dict[str | None, int]] = {}
    for query, document, gain in rows.judgements(files[2]):
        if document not in keys:
            raise FormatError(files[2], f"document {document} is not in {files[0].name}")
        known = gains.setdefault(query, {})
        known[keys[document]] = max(gain, known.get(keys[document], 0))
    asked = enumerate(rows.smart(files[1]), start=1)  # judged by position, not by number
    return pool.close(
        name,
        [Question(str(at), fields["W"], pool.gains(gains.get(at, {}))) for at, fields in asked],
    )


@dataclass(frozen=True, slots=True)
class Source:
    """The files of a set, below the folder that is given or right in it, and their reader."""

    files: Sequence[str]
    read: Callable[[str, Sequence[Path]], QuestionSet]
    language: str

    def found(self, folder: Path) -> list[Path] | None:
        """Return the files, or None where one is missing."""
        below = [folder / name for name in self.files]
        beside = [folder / Path(name).name for name in self.files]
        return next((f for f in (below, beside) if all(path.is_file() for path in f)), None)


SOURCES: dict[str, Source] = {
    "rgb-zh": Source(["rgb/zh_refine.dev.jsonl"], _rgb, "zh"),
    "rgb-en": Source(["rgb/en_rebuilt.dev.jsonl"], _rgb, "en"),
    "rgb-zh-int": Source(["rgb/zh_int.dev.jsonl"], _rgb, "zh"),
    "hotpotqa": Source(["hotpotqa/hotpot_200.jsonl"], _hotpotqa, "en"),
    "lecoqa": Source(["lecoqa/train.jsonl", "lecoqa/statutes.jsonl"], _lecoqa, "zh"),
    "cranfield": Source(
        ["cranfield/cran.all.1400", "cranfield/cran.qry", "cranfield/cranqrel"], _cranfield, "en"
    ),
    "cmrc2018": Source(["cmrc2018/cmrc2018_trial.json"], _cmrc, "zh"),
}
"""The sets that retrieval is measured on."""
CONFLICTING: dict[str, Source] = {
    "rgb-zh-fact": Source(["rgb/zh_fact.dev.jsonl"], _rgb, "zh"),
    "rgb-en-fact": Source(["rgb/en_fact.dev.jsonl"], _rgb, "en"),
}
"""Sets with passages that contradict each other."""
EVERY = SOURCES | CONFLICTING


def load(folder: Path, names: Sequence[str]) -> tuple[list[QuestionSet], list[str]]:
    """Return the sets that the folder holds and the names of those that it lacks.

    Raises FormatError where a file is not in its published format.
    """
    found, missing = [], []
    for name in names:
        source = EVERY[name]
        files = source.found(folder)
        if files is None:
            missing.append(name)
        else:
            found.append(source.read(name, files))
    return found, missing
