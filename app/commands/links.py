"""Symbolic links below a folder that was given: which are followed, and why others are not."""

import os
from pathlib import Path

POINTS_NOWHERE = "is a link that points nowhere"


def why_not_followed(path: Path, root: Path) -> tuple[Path, str] | None:
    """Return the link on the way from `root` to `path` that is not followed, and why; None if none.

    A link to a file inside `root` is followed. One to a folder is not: what it points to is read at
    its own place where that is inside, and nobody gave it where it is outside.
    """
    for above in reversed(path.relative_to(root).parents[:-1]):
        if (link := root / above).is_symlink():
            return link, _why_not_folder(link, root)
    if not path.is_symlink() or not path.exists():
        return None
    if path.is_dir():
        return path, _why_not_folder(path, root)
    if not _is_inside(path, root):
        return path, "it is a link to a file outside the folder; name the file itself to take it"
    return None


def _why_not_folder(link: Path, root: Path) -> str:
    if _is_inside(link, root):
        return "it is a link to a folder that is read at its own place"
    return "it is a link to a folder outside; give that folder itself to take what it holds"


def _is_inside(path: Path, root: Path) -> bool:
    """Tell whether what a link points to lies below the folder that was given."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
