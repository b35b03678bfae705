"""Brings the tables of `kb.sqlite` up to date."""

import sqlite3

from app.adapters.schema_steps import STEPS
from graphs.errors import StoreUnavailable


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date, all steps or none; raise StoreUnavailable for newer ones.

    A folder of version 0.1 says 0 like a new one: the first step makes only what is missing.
    """
    if _version(connection) == len(STEPS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        at = _version(connection)
        if at > len(STEPS):
            raise StoreUnavailable(
                "kb.sqlite was written by a newer version of Youju; install that one, "
                "or use another data folder"
            )
        for step in STEPS[at:]:
            for statement in step.split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(STEPS)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
