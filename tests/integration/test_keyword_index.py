"""The keyword index against FTS5's own BM25, through changes, and the names that lead to passages."""

import random
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters import postings
from app.adapters.chunks_sqlite import ChunkStore
from app.adapters.database import Database
from app.adapters.keyword_sqlite import Indexed, KeywordIndex, decode, encode, searchable
from app.adapters.keyword_state import tables
from graphs.evidence.passages import Passage

WORDS = [f"w{n}" for n in range(60)]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "kb.sqlite")
    with opened.write() as connection:
        connection.execute("INSERT INTO kbs(name, created) VALUES ('kb', 0)")
    yield opened
    opened.close()


@pytest.fixture
def index(database: Database) -> KeywordIndex:
    made = KeywordIndex(database)
    with database.write() as connection:
        made.create(connection, "kb")
    return made


def put(database: Database, index: KeywordIndex, document: str, *passages: Passage) -> list[int]:
    """Store passages as ingest does, all of one document, and return their row numbers."""
    chunks, numbers = ChunkStore(database), []
    with database.write() as connection:
        connection.execute(
            "INSERT INTO documents(id, kb, name, revision, updated) VALUES (?, 'kb', ?, 1, 0)",
            (document, document),
        )
        for passage in passages:
            number = chunks.insert(connection, "kb", 1, replace(passage, document_id=document))
            indexed = searchable(passage.title, passage.section, passage.text)
            index.add(connection, "kb", number, indexed)
            numbers.append(number)
    return numbers


def passage(id_: str, text: str, title: str = "", section: tuple[str, ...] = ()) -> Passage:
    return Passage(id_, "", title, section, text, 0, len(text), "v1", 0, "h")


def random_text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, [1 / n for n in range(1, 61)], k=chance.randint(3, 80)))


@pytest.fixture
def filled(database: Database, index: KeywordIndex) -> KeywordIndex:
    chance = random.Random(7)
    for n in range(150):
        put(database, index, f"d{n}", passage(f"p{n}", random_text(chance)))
    return index


def by_fts5(database: Database, terms: list[str]) -> dict[str, float]:
    table = tables("kb").rows
    query = " OR ".join(f'"{encode(term)}"' for term in terms)
    with database.read() as connection:
        rows = connection.execute(
            f"SELECT c.id, -bm25({table}) AS score FROM {table} k JOIN chunks c "
            f"ON c.number = k.rowid WHERE {table} MATCH ?",
            (query,),
        )
        return {row["id"]: row["score"] for row in rows}


@pytest.mark.parametrize("terms", [["w0"], ["w3", "w17"], WORDS[5:30], ["w59", "nothing"]])
def test_scores_are_those_of_fts5(
    database: Database, filled: KeywordIndex, terms: list[str]
) -> None:
    expected = by_fts5(database, terms)
    hits = filled.search("kb", terms, 500, (), 0)
    assert {hit.id: hit.score for hit in hits} == pytest.approx(expected, rel=1e-5)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert filled.scores("kb", terms, list(expected)) == pytest.approx(expected, rel=1e-5)


def test_scores_follow_every_change_of_the_index(database: Database, filled: KeywordIndex) -> None:
    chance = random.Random(11)
    terms = WORDS[4:12]
    filled.search("kb", terms, 10, (), 0)  # now the lists are in memory
    numbers = put(database, filled, "new", passage("new", "w4 w5 w6 " * 3), passage("gone", "w4"))
    with database.write() as connection:
        filled.remove(connection, "kb", [numbers[1], 3])
        ChunkStore(database).remove(connection, [numbers[1], 3])
        filled.add(connection, "kb", 5, Indexed(random_text(chance)))
    assert filled.scores("kb", terms, [f"p{n}" for n in range(150)] + ["new", "gone"]) == (
        pytest.approx(by_fts5(database, terms), rel=1e-5)
    )


def test_change_that_is_rolled_back_changes_no_score(filled: KeywordIndex, tmp_path: Path) -> None:
    before = filled.search("kb", ["w9"], 200, (), 0)
    connection = sqlite3.connect(tmp_path / "kb.sqlite", isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("BEGIN IMMEDIATE")
    filled.add(connection, "kb", 999, Indexed("w9 w9"))
    connection.execute("ROLLBACK")
    connection.close()
    assert filled.search("kb", ["w9"], 200, (), 0) == before


def test_search_beside_an_open_change_sees_the_committed_index(
    database: Database, filled: KeywordIndex, tmp_path: Path
) -> None:
    other = Database(tmp_path / "kb.sqlite")
    reader = KeywordIndex(other)
    before = reader.search("kb", ["w9"], 200, (), 0)
    connection = sqlite3.connect(tmp_path / "kb.sqlite", isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("BEGIN IMMEDIATE")
    filled.add(connection, "kb", 1, Indexed("w9 " * 40))
    assert reader.search("kb", ["w9"], 200, (), 0) == before
    connection.execute("COMMIT")
    connection.close()
    assert reader.search("kb", ["w9"], 200, (), 0) != before
    other.close()


def test_index_of_an_older_release_is_counted_at_its_first_use(
    database: Database, filled: KeywordIndex
) -> None:
    with database.write() as connection:
        connection.execute("DROP TABLE keyword_rows")
        connection.execute("DROP TABLE keyword_totals")
        connection.execute(f"DROP TABLE {tables('kb').places}")
    reopened = KeywordIndex(database)
    terms = ["w3", "w17"]
    expected = by_fts5(database, terms)
    assert reopened.scores("kb", terms, list(expected)) == pytest.approx(expected, rel=1e-5)


def test_postings_beyond_the_limit_leave_memory_and_are_read_again(
    database: Database, filled: KeywordIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "_KEPT", 100)
    for _ in range(2):
        expected = by_fts5(database, WORDS[:20])
        hits = filled.search("kb", WORDS[:20], 500, (), 0)
        assert {hit.id: hit.score for hit in hits} == pytest.approx(expected, rel=1e-5)


def test_term_of_over_half_of_a_large_index_counts_only_alone(
    database: Database, filled: KeywordIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "_HEAVY", 50)
    assert filled.document_frequency("kb", ["w0", "w20"])["w0"] > 75
    rare = filled.search("kb", ["w20"], 500, (), 0)
    assert filled.search("kb", ["w0", "w20"], 500, (), 0) == rare
    assert len(filled.search("kb", ["w0"], 500, (), 0)) > 75


def test_excluded_documents_make_room_for_the_next(
    database: Database, filled: KeywordIndex
) -> None:
    best = filled.search("kb", ["w9"], 6, (), 0)
    first = best[0].id.replace("p", "d")
    assert filled.search("kb", ["w9"], 5, {first}, 1) == best[1:]


def test_terms_of_a_passage_are_those_that_were_indexed(
    database: Database, index: KeywordIndex
) -> None:
    put(database, index, "d", passage("p", "QX-2025-094 滤网 滤网", "Pumps"))
    terms = index.passage_terms("kb", ["p", "unknown"])
    assert set(terms) == {"p"}
    assert (terms["p"]["滤网"], terms["p"]["qx-2025-094"], terms["p"]["pump"]) == (2, 1, 1)
    assert index.document_frequency("kb", list(terms["p"])) == dict.fromkeys(terms["p"], 1)


@pytest.mark.parametrize("term", ["a", "qx-2025-094", "５０%", "é", "\U00020000", "真空"])
def test_decoding_gives_the_encoded_term_back(term: str) -> None:
    assert decode(encode(term)) == term


@pytest.fixture
def titled(database: Database, index: KeywordIndex) -> KeywordIndex:
    put(database, index, "film", passage("ed", "A film.", "Ed Wood (film)"))
    put(database, index, "law", passage("law", "条文。", "中华人民共和国民法典"))
    put(
        database,
        index,
        "article",
        passage("article", "条文。", "中华人民共和国民法典第五百六十三条"),
    )
    sections = [
        passage(f"s{n}", f"第{n}段。", "汽机规程", ("汽机规程", "真空破坏门")) for n in range(9)
    ]
    put(database, index, "rules", *sections)
    put(database, index, "music", passage("anthem", "A song.", "Anthem"))
    for n in range(30):
        put(database, index, f"o{n}", passage(f"o{n}", "系统很稳定。", f"报告{n}号", ("概述",)))
    put(database, index, "system", passage("system", "正文。", "系统"))
    return index


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who directed Ed Wood?", ["ed"]),
        ("the film ED  WOOD (Film) of 1994", ["ed"]),
        ("ed woods", []),
        ("《中华人民共和国民法典》怎么说", ["law"]),
        ("按照民法典的规定", ["law"]),
        ("依照民法典第563条", ["article"]),
        ("依照《民法典》第五百六十三條", ["article"]),
        ("中華人民共和國民法典第 563 条", ["article"]),
        ("看汽机规程里真空破坏门的要求", ["s0", "s1", "s2", "s3"]),
        ("the Anthem of the club", ["anthem"]),
        ("an anthem of the club", []),
        ("概述", []),
        ("系统报警了", []),
        ("报告7号说了什么", ["o7"]),
        ("", []),
    ],
)
def test_text_leads_to_the_passages_whose_title_it_names(
    titled: KeywordIndex, text: str, expected: list[str]
) -> None:
    assert titled.titled("kb", [text], 20, ()) == [expected]


def test_names_lead_in_the_order_of_the_texts_and_past_what_is_excluded(
    titled: KeywordIndex,
) -> None:
    texts = ["民法典", "Ed Wood and the Anthem"]
    assert titled.titled("kb", texts, 20, ()) == [["law"], ["ed", "anthem"]]
    assert titled.titled("kb", texts, 1, ()) == [["law"], ["ed"]]
    assert titled.titled("kb", texts, 20, {"film"}) == [["law"], ["anthem"]]


def test_names_come_and_go_with_their_passages(database: Database, titled: KeywordIndex) -> None:
    assert titled.titled("kb", ["Ed Wood and Big Fish"], 9, ()) == [["ed"]]
    numbers = put(database, titled, "fish", passage("fish", "Another.", "Big Fish"))
    assert titled.titled("kb", ["Ed Wood and Big Fish"], 9, ()) == [["ed", "fish"]]
    with database.write() as connection:
        titled.remove(connection, "kb", numbers)
        left = connection.execute("SELECT count(*) FROM heading_names WHERE name LIKE '%fish%'")
        assert left.fetchone()[0] == 0
    assert titled.titled("kb", ["Ed Wood and Big Fish"], 9, ()) == [["ed"]]


def test_dropped_knowledge_base_leaves_nothing(database: Database, titled: KeywordIndex) -> None:
    with database.write() as connection:
        titled.drop(connection, "kb")
        for table in ("keyword_rows", "keyword_totals", "headings", "heading_names"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0
        assert not connection.execute(
            "SELECT 1 FROM sqlite_master WHERE name LIKE 'kw_%'"
        ).fetchall()
