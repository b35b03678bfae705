"""The README and the pages in docs/ checked against the code that they describe."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dotenv import dotenv_values
from pydantic import BaseModel
from typer.main import get_command

from app.cli import app as command_line
from app.settings import Settings
from graphs.evidence.messages import WARNINGS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
VARIABLE = re.compile(r"`((?:YOUJU|OPENAI)_[A-Z0-9_]+)`")
FILE = re.compile(
    r"`((?:app|docs|examples|graphs|prompts|tests|benchmarks)/[\w./-]*"
    r"|\.env\.example|docker-compose\.yml|langgraph\.json|constraints\.txt)`"
)
LINK = re.compile(r"\]\(([^)#][^)]*)\)")


def _section(heading: str) -> str:
    return README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def _rows(section: str) -> Iterator[list[str]]:
    for line in section.splitlines():
        if line.startswith("| ") and not line.startswith("|---"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def _stated() -> dict[str, str]:
    """Return variable to default as the table of settings has them."""
    found: dict[str, str] = {}
    for names, defaults, _ in list(_rows(_section("Settings")))[1:]:
        variables = VARIABLE.findall(names)
        values = [value.strip() for value in defaults.split(",")]
        found |= dict(zip(variables, values * (len(variables) // len(values)), strict=True))
    return found


def _variables(model: type[BaseModel], prefix: str = "YOUJU_") -> Iterator[str]:
    for name, field in model.model_fields.items():
        variable = str(field.validation_alias or f"{prefix}{name.upper()}")
        kind: Any = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _variables(kind, f"{variable}__")
        else:
            yield variable


def test_settings_table_names_what_the_code_and_the_example_file_name() -> None:
    assert set(_stated()) == set(_variables(Settings)) == set(dotenv_values(ROOT / ".env.example"))


def test_settings_table_states_the_defaults_of_the_example_file() -> None:
    assert _stated() == dotenv_values(ROOT / ".env.example")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_variable_that_is_named_exists(page: Path) -> None:
    assert set(VARIABLE.findall(page.read_text("utf-8"))) <= set(_variables(Settings))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_is_named_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    links = [link for link in LINK.findall(text) if "://" not in link]
    missing = [name for name in FILE.findall(text) if not (ROOT / name).exists()]
    missing += [link for link in links if not (page.parent / link.split("#")[0]).exists()]
    assert missing == []


def test_every_folder_of_the_map_exists() -> None:
    parents: list[str] = []
    for line in _section("Folders").splitlines():
        entry = re.match(r"( *)([a-z_]+)/ ", line)
        if entry:
            parents = [*parents[: len(entry[1]) // 2], entry[2]]
            assert ROOT.joinpath(*parents).is_dir(), parents


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_make_target_that_is_named_exists(page: Path) -> None:
    targets = re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    named = re.findall(r"(?:^|`)make ([a-z]+)", page.read_text("utf-8"), re.MULTILINE)
    assert set(named) <= set(targets)


def test_every_command_that_is_named_exists() -> None:
    commands = set(get_command(command_line).commands)  # type: ignore[attr-defined] # it is a group
    named = re.findall(r"(?:^(?:\$ )?|`|/|=\w+ )youju ([a-z-]+)", README, re.MULTILINE)
    assert named
    assert set(named) <= commands


def test_every_warning_of_the_list_exists() -> None:
    listed = re.search(r"^Warnings: (.*)$", README, re.MULTILINE)
    assert listed
    assert set(re.findall(r"`(\w+)`", listed[1])) <= set(WARNINGS)
