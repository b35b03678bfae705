"""The prompts: one Markdown file per model-calling node, and their loader.

A file is the system part, then a line `---user---`, then the user part. `$name` is filled in;
`$$` is a dollar sign.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from string import Template
from typing import Literal

_DIVIDER = "\n---user---\n"


class PromptError(Exception):
    """A prompt and the code that fills it do not fit each other."""


class PromptNotFound(PromptError):
    """No prompt has this name, or its file has not exactly two parts."""


class PromptVariableMissing(PromptError):
    """The prompt holds a variable that was not given."""


class PromptVariableUnused(PromptError):
    """A variable was given that the prompt does not hold."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with its variables still open."""

    name: str
    system: str
    user: str

    @property
    def variables(self) -> frozenset[str]:
        """Names of the variables of both parts."""
        return frozenset(
            name for part in (self.system, self.user) for name in Template(part).get_identifiers()
        )

    def render(self, **values: str) -> list[tuple[Literal["system", "user"], str]]:
        """Fill in the variables; values are inserted as they are, never read as a template.

        Raises PromptVariableMissing or PromptVariableUnused.
        """
        if missing := self.variables - values.keys():
            raise PromptVariableMissing(f"{self.name}.md needs {', '.join(sorted(missing))}")
        if unused := values.keys() - self.variables:
            raise PromptVariableUnused(f"{self.name}.md does not use {', '.join(sorted(unused))}")
        return [
            ("system", Template(self.system).substitute(values)),
            ("user", Template(self.user).substitute(values)),
        ]


def parse(name: str, text: str) -> Prompt:
    """Read the two parts of a prompt file; raises PromptNotFound or PromptError."""
    parts = text.replace("\r\n", "\n").split(_DIVIDER)
    if len(parts) != 2:
        raise PromptNotFound(f"{name}.md must have one line ---user--- between its two parts")
    prompt = Prompt(name, parts[0].strip(), parts[1].strip())
    if not all(Template(part).is_valid() for part in parts):
        raise PromptError(f"{name}.md holds a $ that names no variable; write $$ for a dollar sign")
    return prompt


@lru_cache
def load(name: str) -> Prompt:
    """Return the prompt `name`.md of this package; raises PromptNotFound."""
    try:
        text = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise PromptNotFound(f"there is no prompt {name}.md") from error
    return parse(name, text)
