"""Every setting of the service, read from the environment and refused at start if it is wrong."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.settings_sections import PresetName, Presets, Profiles, Share, Weights


class Settings(BaseSettings):
    """All settings. Every name is prefixed with `YOUJU_` unless it names another vendor's variable."""

    model_config = SettingsConfigDict(
        env_prefix="YOUJU_",
        env_file=".env",
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        validate_default=True,
    )

    data_dir: Path = Path("data")
    default_kb: str = Field(default="default", pattern=r"^[a-z0-9-]{2,40}$")
    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=8000, ge=1, le=65535)

    llm: Literal["auto", "off", "on"] = "auto"
    llm_model: str = ""
    llm_context: int = Field(default=8192, ge=1024)
    """Tokens that fit into one call of the model, prompt and answer together."""
    llm_timeout_seconds: float = Field(default=30, gt=0, le=600)
    llm_retries: int = Field(default=2, ge=0, le=5)
    llm_concurrency: int = Field(default=4, ge=1, le=256)
    """Calls that are made at once."""
    llm_day_calls: int | None = Field(default=None, ge=0)
    """What all questions of a day (UTC) together may spend on the model; empty is no limit."""
    llm_day_tokens: int | None = Field(default=None, ge=0)
    llm_day_seconds: float | None = Field(default=None, ge=0)
    llm_cache: bool = True
    """Whether replies of the model, and a server's vectors of questions, are kept and used again."""
    llm_cache_days: float = Field(default=30, gt=0, le=3650)
    llm_cascade: bool = True
    """Whether the model judges only what the embedded reasoner leaves open; false asks it every time."""
    llm_price_input: float | None = Field(default=None, ge=0)
    """Price of a million input tokens; without both prices an answer names no cost."""
    llm_price_output: float | None = Field(default=None, ge=0)
    llm_currency: str = Field(default="USD", pattern=r"^[A-Z]{3}$")
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(
        default=None, validation_alias="OPENAI_BASE_URL", pattern=r"^https?://\S+$"
    )

    max_rounds: int = Field(default=1, ge=0, le=3)
    preset: PresetName = "general"
    presets: Presets = Presets()
    min_passage: Share = 0.35
    answer_passage: Share = 0.55
    min_confidence: Share = 0.5
    weights: Weights = Weights()
    profiles: Profiles = Profiles()
    near_duplicate: float = Field(default=0.75, ge=0.70, le=0.80)
    passages_read: int = Field(default=5, ge=1, le=16)

    embedder: Literal["use", "openai", "bge-m3"] = "use"
    embedder_model: str = ""
    """For `openai` the model's name; for `bge-m3` a name or a local folder, empty for BAAI/bge-m3."""
    embedder_base_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    embedder_api_key: SecretStr | None = None
    embedder_timeout_seconds: float = Field(default=30, gt=0, le=600)
    embedder_retries: int = Field(default=3, ge=0, le=10)
    embedder_batch: int = Field(default=32, ge=1, le=2048)
    """Texts in one request."""

    reranker: Literal["lexical", "bge", "llm", "none"] = "lexical"
    bge_model: str = Field(default="BAAI/bge-reranker-v2-m3", min_length=1)
    """Name of a model, or a local folder that holds one."""
    rerank_depth: int = Field(default=20, ge=2, le=40)
    """Passages that the language model puts in order; one call reads `rerank_window` of them."""
    rerank_window: int = Field(default=20, ge=2, le=40)
    rerank_step: int = Field(default=10, ge=1, le=40)

    web_provider: Literal["off", "tavily", "serper", "searxng"] = "off"
    """Who searches the web where the caller allows it and the documents do not suffice."""
    web_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    """For `searxng` the address of the instance; for the others an address in place of their own."""
    web_key: SecretStr | None = None
    web_results: int = Field(default=5, ge=1, le=10)
    web_timeout_seconds: float = Field(default=10, gt=0, le=60)

    question_seconds: float = Field(default=60, gt=0, le=3600)
    """Deadline of one question; at its end the answer is partial or insufficient."""
    model_calls: int = Field(default=16, ge=0, le=1000)
    model_tokens: int = Field(default=60_000, ge=0)
    model_steps: int = Field(default=4, ge=1, le=1000)
    """Nodes of one question that may ask the model, with the cascade on."""
    sure_below: Share = 0.3
    """A confidence below it is certain enough without the model: the evidence does not suffice."""
    sure_from: Share = 0.75
    """From this confidence on the evidence suffices without the model's second look."""

    max_upload_mb: int = Field(default=20, ge=1, le=1024)
    jobs: int = Field(default=0, ge=0, le=256)
    """Worker threads for CPU work; 0 stands for one per processor."""
    synchronous: Literal["NORMAL", "FULL"] = "NORMAL"
    """How SQLite writes checkpoints: NORMAL survives a killed process, FULL also a power cut."""
    checkpoint_days: float = Field(default=7, ge=0, le=3650)
    """How long the steps of a thread's questions are kept after the last one; answers stay."""
    checkpoint_questions: int = Field(default=20, ge=1, le=1000)
    """Questions of one thread whose steps are kept."""
    heartbeat_seconds: float = Field(default=15, gt=0, le=300)
    shutdown_seconds: float = Field(default=5, ge=0, le=300)
    """How long a stop waits for running questions before it leaves them to be resumed."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.llm == "on" and not self.llm_model:
            raise ValueError(
                "YOUJU_LLM=on needs YOUJU_LLM_MODEL; name a model or set YOUJU_LLM=off"
            )
        if self.llm == "on" and self.openai_api_key is None and self.openai_base_url is None:
            raise ValueError(
                "YOUJU_LLM=on needs OPENAI_API_KEY or OPENAI_BASE_URL; set one or YOUJU_LLM=off"
            )
        if self.embedder == "openai":
            self._embeddings_can_be_had()
        self._web_can_be_searched()
        if self.rerank_step >= self.rerank_window:
            raise ValueError(
                "YOUJU_RERANK_STEP is not below YOUJU_RERANK_WINDOW; lower it, or windows don't meet"
            )
        if self.sure_below > self.sure_from:
            raise ValueError(
                "YOUJU_SURE_BELOW is above YOUJU_SURE_FROM; lower it or raise the other"
            )
        if self.min_passage > self.answer_passage:
            raise ValueError(
                "YOUJU_MIN_PASSAGE is above YOUJU_ANSWER_PASSAGE; lower it or raise the other"
            )
        return self

    def _web_can_be_searched(self) -> None:
        if self.web_provider == "searxng" and self.web_url is None:
            raise ValueError(
                "YOUJU_WEB_PROVIDER=searxng needs YOUJU_WEB_URL, the address of an instance that "
                "answers in JSON; set it or YOUJU_WEB_PROVIDER=off"
            )
        if self.web_provider in ("tavily", "serper") and self.web_key is None:
            raise ValueError(
                f"YOUJU_WEB_PROVIDER={self.web_provider} needs YOUJU_WEB_KEY; set it or "
                "YOUJU_WEB_PROVIDER=off"
            )

    def _embeddings_can_be_had(self) -> None:
        if not self.embedder_model:
            raise ValueError(
                "YOUJU_EMBEDDER=openai needs YOUJU_EMBEDDER_MODEL, such as text-embedding-3-small; "
                "name a model or set YOUJU_EMBEDDER=use"
            )
        base_url, api_key = self.embeddings_server
        if base_url is None and api_key is None:
            raise ValueError(
                "YOUJU_EMBEDDER=openai needs YOUJU_EMBEDDER_BASE_URL or a key; set one of "
                "YOUJU_EMBEDDER_BASE_URL, YOUJU_EMBEDDER_API_KEY, OPENAI_BASE_URL, OPENAI_API_KEY"
            )

    @property
    def embeddings_server(self) -> tuple[str | None, SecretStr | None]:
        """Return base URL and key; a URL of its own gets no key that was meant for another host."""
        if self.embedder_base_url is not None:
            return self.embedder_base_url, self.embedder_api_key
        return self.openai_base_url, self.embedder_api_key or self.openai_api_key

    @property
    def uses_llm(self) -> bool:
        """Tell whether a language model is configured; `auto` wants a name and a way to reach it."""
        if self.llm == "auto":
            reachable = self.openai_api_key is not None or self.openai_base_url is not None
            return bool(self.llm_model) and reachable
        return self.llm == "on"

    @property
    def max_upload_bytes(self) -> int:
        """Size of the largest file that may be uploaded."""
        return self.max_upload_mb * 1024 * 1024

    def threshold_of(self, preset: PresetName) -> float:
        """Return the confidence that `preset` asks for."""
        return float(getattr(self.presets, preset))


def explain(error: ValidationError) -> str:
    """Return one sentence per bad setting that names the variable and how to mend it."""
    lines = []
    for problem in error.errors(include_url=False, include_context=False):
        where = [str(part) for part in problem["loc"]]
        message = problem["msg"].removeprefix("Value error, ")
        if not where:
            lines.append(f"{message}.")
            continue
        name = "__".join(where).upper()
        variable = name if name.startswith("OPENAI_") else f"YOUJU_{name}"
        secret = variable.endswith("_KEY")
        given = "its value" if secret else repr(problem["input"])
        lines.append(f"{variable}: {given} does not fit ({message}); see .env.example.")
    return "\n".join(lines)
