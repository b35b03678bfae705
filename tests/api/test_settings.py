from pathlib import Path
from typing import Any

import pytest
from dotenv import dotenv_values
from pydantic import BaseModel, SecretStr, ValidationError

from app.settings import Settings, explain

EXAMPLE = Path(__file__).parents[2] / ".env.example"


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "YOUJU_LLM", "YOUJU_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)


def _variables(model: BaseModel, prefix: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        variable = field.validation_alias or f"{prefix}{name.upper()}"
        if isinstance(value, BaseModel):
            found |= _variables(value, f"{variable}__")
        else:
            found[str(variable)] = value
    return found


def test_example_file_names_every_setting_with_its_default() -> None:
    example = dotenv_values(EXAMPLE)
    defaults = _variables(Settings(_env_file=None), "YOUJU_")
    assert set(example) == set(defaults)
    assert Settings(_env_file=EXAMPLE) == Settings(_env_file=None)


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("YOUJU_PORT", "70000", "YOUJU_PORT"),
        ("YOUJU_LLM", "maybe", "'auto', 'off' or 'on'"),
        ("YOUJU_MAX_ROUNDS", "4", "YOUJU_MAX_ROUNDS"),
        ("YOUJU_NEAR_DUPLICATE", "0.9", "YOUJU_NEAR_DUPLICATE"),
        ("YOUJU_WEIGHTS__RELEVANCE", "0.9", "add up to 1"),
        ("YOUJU_PROFILES__BROADEN__TOP_N", "17", "YOUJU_PROFILES__BROADEN__TOP_N"),
        ("YOUJU_MIN_PASSAGE", "0.6", "YOUJU_ANSWER_PASSAGE"),
        ("YOUJU_LLM", "on", "YOUJU_LLM_MODEL"),
        ("OPENAI_BASE_URL", "localhost:8080", "OPENAI_BASE_URL"),
        ("YOUJU_DEFAULT_KB", "Not A Slug", "YOUJU_DEFAULT_KB"),
        ("YOUJU_EMBEDDER", "word2vec", "'use', 'openai' or 'bge-m3'"),
        ("YOUJU_EMBEDDER", "openai", "YOUJU_EMBEDDER_MODEL"),
        ("YOUJU_RERANKER", "best", "'lexical', 'bge', 'llm' or 'none'"),
        ("YOUJU_RERANK_STEP", "20", "YOUJU_RERANK_WINDOW"),
    ],
)
def test_bad_value_is_refused_with_a_way_to_mend_it(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, named: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValidationError) as refusal:
        Settings(_env_file=None)
    assert named in explain(refusal.value)


def test_explanation_never_shows_the_key() -> None:
    with pytest.raises(ValidationError) as refusal:
        Settings(_env_file=None, openai_api_key=["sk-secret"])
    assert "OPENAI_API_KEY" in explain(refusal.value)
    assert "sk-secret" not in explain(refusal.value)


def test_one_override_of_a_profile_keeps_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YOUJU_PROFILES__BROADEN__TOP_N", "12")
    broaden = Settings(_env_file=None).profiles.broaden
    assert (broaden.top_n, broaden.threshold, broaden.dense) == (12, 0.15, 0.7)


def test_model_runs_by_itself_only_with_a_name_and_a_way_to_reach_it() -> None:
    key = SecretStr("k")
    assert not Settings(_env_file=None).uses_llm
    assert not Settings(_env_file=None, llm_model="m").uses_llm
    assert not Settings(_env_file=None, openai_api_key=key).uses_llm
    assert Settings(_env_file=None, llm_model="m", openai_api_key=key).uses_llm
    assert Settings(_env_file=None, llm_model="m", openai_base_url="http://x").uses_llm
    assert not Settings(_env_file=None, llm="off", llm_model="m", openai_api_key=key).uses_llm


def test_embeddings_over_http_need_a_server_or_a_key() -> None:
    with pytest.raises(ValidationError, match="YOUJU_EMBEDDER_BASE_URL"):
        Settings(_env_file=None, embedder="openai", embedder_model="m")
    for more in ({"embedder_base_url": "http://e"}, {"openai_api_key": SecretStr("k")}):
        assert Settings(_env_file=None, embedder="openai", embedder_model="m", **more)


def test_embeddings_go_to_the_models_server_where_none_is_named() -> None:
    model = {"openai_base_url": "http://m", "openai_api_key": SecretStr("k")}
    assert Settings(_env_file=None, **model).embeddings_server == ("http://m", SecretStr("k"))
    own = Settings(_env_file=None, **model, embedder_api_key=SecretStr("e"))
    assert own.embeddings_server == ("http://m", SecretStr("e"))


def test_key_of_the_model_never_goes_to_another_host() -> None:
    given = Settings(
        _env_file=None,
        openai_base_url="http://m",
        openai_api_key=SecretStr("k"),
        embedder_base_url="http://e",
    )
    assert given.embeddings_server == ("http://e", None)


def test_explanation_never_shows_the_key_of_the_embedder() -> None:
    with pytest.raises(ValidationError) as refusal:
        Settings(_env_file=None, embedder_api_key=["sk-secret"])
    assert "YOUJU_EMBEDDER_API_KEY" in explain(refusal.value)
    assert "sk-secret" not in explain(refusal.value)
