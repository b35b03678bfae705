"""What is installed, and how: constraints, Makefile, container image and Compose file."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from app.settings import Settings

ROOT = Path(__file__).parents[2]
PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([0-9][A-Za-z0-9.]*)")
EXTRAS = ("dev", "studio", "bge")
INSTALLER = {"pip", "setuptools", "wheel"}
"""Part of every virtual environment; `pip freeze` leaves them out."""


@pytest.fixture(scope="module")
def pins() -> dict[str, Version]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    matches = [PIN.fullmatch(line) for line in lines]
    return {canonicalize_name(each[1]): Version(each[2]) for each in matches if each}


@pytest.fixture(scope="module")
def service() -> dict[str, Any]:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    assert list(compose["services"]) == ["youju"]
    return dict(compose["services"]["youju"])


def _declared() -> Iterator[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    for group in groups:
        yield from map(Requirement, group)


def _closure() -> set[str]:
    """Return the names of everything that the project and its extras need, installed here."""
    found: set[tuple[str, str]] = set()
    waiting = [("youju", extra) for extra in ("", *EXTRAS)]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in found:
            continue
        found.add((name, extra))
        for text in distribution(name).requires or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                waiting += [(canonicalize_name(needed.name), each) for each in ("", *needed.extras)]
    return {name for name, _ in found} - {"youju"} - INSTALLER


def test_constraints_hold_nothing_but_names_and_versions() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert lines
    assert [line for line in lines if not PIN.fullmatch(line)] == []


def test_every_declared_dependency_is_pinned_inside_its_range(pins: dict[str, Version]) -> None:
    declared = list(_declared())
    assert len(declared) > 20
    for needed in declared:
        name = canonicalize_name(needed.name)
        assert name in pins, f"{name}: run make constraints"
        assert needed.specifier.contains(pins[name]), f"{name}: run make constraints"


def test_everything_the_dependencies_need_is_pinned(pins: dict[str, Version]) -> None:
    assert _closure() - pins.keys() == set()


def test_project_itself_is_not_pinned(pins: dict[str, Version]) -> None:
    assert "youju" not in pins


def test_make_help_lists_every_target_that_a_person_may_call() -> None:
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony is not None
    listed = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert [line.split()[0] for line in listed.splitlines()] == phony[1].split()


def test_compose_service_is_reached_from_this_machine_only(service: dict[str, Any]) -> None:
    assert service["ports"] == ["127.0.0.1:8000:8000"]


def test_compose_service_writes_to_its_volume_only(service: dict[str, Any]) -> None:
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert service["volumes"] == ["data:/data"]


def test_compose_healthcheck_asks_the_service(service: dict[str, Any]) -> None:
    assert "/healthz" in service["healthcheck"]["test"][-1]


def test_compose_service_takes_every_setting_from_the_environment(service: dict[str, Any]) -> None:
    fixed_by_the_image = {"YOUJU_DATA_DIR", "YOUJU_HOST", "YOUJU_PORT"}
    names = {
        str(field.validation_alias or f"YOUJU_{name.upper()}")
        for name, field in Settings.model_fields.items()
    }
    assert set(service["environment"]) == names - fixed_by_the_image


def test_image_runs_as_its_own_user_and_keeps_data_in_the_volume() -> None:
    image = (ROOT / "Dockerfile").read_text()
    last_stage = image[image.rindex("\nFROM ") :]
    assert "\nUSER youju\n" in last_stage
    assert "\nVOLUME /data\n" in last_stage
    assert "YOUJU_DATA_DIR=/data" in last_stage
    assert "\nEXPOSE 8000\n" in last_stage
    assert "/healthz" in last_stage


def test_image_copies_only_what_its_context_holds() -> None:
    ignore = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignore
    context = {line[1:] for line in ignore if line.startswith("!")}
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text(), re.M)
    assert {name for line in copied for name in line.split()} == context
