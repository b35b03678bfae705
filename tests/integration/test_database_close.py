"""Closing `kb.sqlite` while a worker still works with it."""

import threading
from pathlib import Path

import pytest

from app.adapters.database import Database
from graphs.errors import StoreUnavailable


def test_connection_in_use_is_closed_only_after_it_is_given_back(tmp_path: Path) -> None:
    database = Database(tmp_path / "kb.sqlite")
    reading, read_on, closed = threading.Event(), threading.Event(), threading.Event()
    counted: list[int] = []

    def worker() -> None:
        with database.read() as connection:
            rows = connection.execute("SELECT 1 UNION ALL SELECT 2")
            counted.append(rows.fetchone()[0])
            reading.set()
            read_on.wait(10)
            counted.append(rows.fetchone()[0])

    def stop() -> None:
        database.close()
        closed.set()

    threads = [threading.Thread(target=worker)]
    threads[0].start()
    assert reading.wait(10)
    threads.append(threading.Thread(target=stop))
    threads[1].start()
    assert not closed.wait(0.2)
    read_on.set()
    for thread in threads:
        thread.join(10)

    assert closed.is_set()
    assert counted == [1, 2]


def test_closed_database_refuses_work_instead_of_opening_again(tmp_path: Path) -> None:
    database = Database(tmp_path / "kb.sqlite")
    database.close()

    with pytest.raises(StoreUnavailable, match="closed"), database.read():
        pass

    with pytest.raises(StoreUnavailable, match="closed"), database.write():
        pass
