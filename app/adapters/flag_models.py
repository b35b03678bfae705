"""What the models that FlagEmbedding loads have in common (extra `bge`)."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx

from graphs.errors import YoujuError


def local_folder(model: str, refused: Callable[[str], YoujuError]) -> Path | None:
    """Return the local folder that `model` means, or None for the name of a model."""
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    if path.is_absolute() or model.startswith(("./", "../", "~")):
        raise refused(f"there is no folder {model!r}")
    return None


def fingerprint(kind: str, name: str, folder: Path | None, config: Any) -> str:
    """Return what names a model: its revision, or the hash of a local folder."""
    if folder is not None:
        return f"{kind}:{_digest(folder)}"
    commit = getattr(config, "_commit_hash", None)
    return f"{kind}:{name}@{commit[:12]}" if commit else f"{kind}:{name}"


def load_failures() -> tuple[type[Exception], ...]:
    """Return what a load raises: no weights, damaged weights, no way to download them."""
    # comes with the extra
    from safetensors import SafetensorError  # noqa: PLC0415

    return (OSError, ValueError, RuntimeError, LookupError, SafetensorError, httpx.HTTPError)


def silence(module: ModuleType) -> None:
    """Replace the progress bars that `module` writes to stderr; it has no option for that."""
    # comes with the extra
    from transformers.utils import logging  # noqa: PLC0415

    logging.disable_progress_bar()
    module.tqdm = lambda steps, **_: steps  # type: ignore[attr-defined] # names it imported
    module.trange = lambda *bounds, **_: range(*bounds)  # type: ignore[attr-defined]


def _digest(folder: Path) -> str:
    """Return a hash of everything that decides a score: configuration, weights, tokenizer."""
    total = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in {".json", ".safetensors", ".bin", ".model"}:
            with path.open("rb") as file:
                total.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:16]
