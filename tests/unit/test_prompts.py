from pathlib import Path

import pytest

import prompts
from graphs.reasoners.chat import estimate_tokens
from graphs.reasoners.llm_schemas import GradeOut
from prompts import (
    Prompt,
    PromptError,
    PromptNotFound,
    PromptVariableMissing,
    PromptVariableUnused,
    load,
    parse,
)

VARIABLES = {
    "analyze_query": {"knowledge_base", "turns", "question"},
    "grade_evidence": {"question", "facets", "passages"},
    "rewrite_precise": {"question", "covered", "missing", "searched", "passages"},
    "rewrite_broaden": {
        "question", "knowledge_base", "nearest", "vocabulary", "glossary", "unrelated", "searched",
    },
    "generate_answer": {"passages", "facets", "question", "language"},
    "generate_partial": {"passages", "supported", "unsupported", "question", "language"},
    "check_answer": {"question", "statements"},
    "rerank": {"question", "passages"},
}  # fmt: skip


def test_package_holds_one_file_for_each_call_of_a_model() -> None:
    shipped = {path.stem for path in Path(prompts.__file__).parent.glob("*.md")}
    assert shipped == set(VARIABLES)


@pytest.mark.parametrize("name", VARIABLES)
def test_prompt_has_two_parts_and_just_its_variables(name: str) -> None:
    prompt = load(name)
    assert prompt.variables == VARIABLES[name]
    messages = prompt.render(**{key: f"<<{key}>>" for key in VARIABLES[name]})
    assert [role for role, _ in messages] == ["system", "user"]
    text = "\n".join(part for _, part in messages)
    assert all(f"<<{key}>>" in text for key in VARIABLES[name])
    assert "---user---" not in text


@pytest.mark.parametrize("name", VARIABLES)
def test_missing_variable_fails_loudly(name: str) -> None:
    for absent in VARIABLES[name]:
        values = dict.fromkeys(VARIABLES[name] - {absent}, "x")
        with pytest.raises(PromptVariableMissing, match=absent):
            load(name).render(**values)


def test_unused_variable_fails_loudly() -> None:
    with pytest.raises(PromptVariableUnused, match="extra"):
        load("check_answer").render(question="q", statements="s", extra="x")


def test_values_with_dollars_and_braces_stay_as_they_are() -> None:
    prompt = Prompt("p", "Price: $$5", "Ask: $question")
    assert prompt.render(question="cost $question ${x} {y} $$") == [
        ("system", "Price: $5"),
        ("user", "Ask: cost $question ${x} {y} $$"),
    ]


def test_unknown_prompt_is_named() -> None:
    with pytest.raises(PromptNotFound, match=r"nowhere\.md"):
        load("nowhere")


@pytest.mark.parametrize("text", ["no divider", "a\n---user---\nb\n---user---\nc"])
def test_file_without_exactly_two_parts_is_refused(text: str) -> None:
    with pytest.raises(PromptNotFound, match="---user---"):
        parse("broken", text)


def test_lone_dollar_in_a_file_is_refused() -> None:
    with pytest.raises(PromptError, match=r"\$\$"):
        parse("broken", "costs $ 5\n---user---\n$question")


def test_windows_line_ends_are_read() -> None:
    assert parse("p", "a\r\n---user---\r\nb").user == "b"


def test_grader_carries_an_example_and_both_warnings() -> None:
    system = load("grade_evidence").system
    example = system[system.index("Example:") :]
    reply = GradeOut.model_validate_json(example[example.index("{") :])
    assert reply.verdict == "rewrite"
    assert "Much text" in system
    assert "clumsy wording is no reason not to" in system


def test_grader_is_short() -> None:
    assert estimate_tokens(load("grade_evidence").system) < 900
