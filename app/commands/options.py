"""Options that several commands take."""

from typing import Annotated

import typer

Kb = Annotated[str | None, typer.Option("--kb", metavar="NAME", help="The knowledge base.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
