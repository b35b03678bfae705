"""Blocks to a tree of sections."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.ingest.blocks import Block

Span = tuple[int, int]


@dataclass(slots=True)
class Section:
    """A heading with its own blocks and its sub-sections; level 0 is the whole text."""

    level: int
    path: tuple[str, ...]
    start: int
    blocks: list[Block] = field(default_factory=list)
    children: list["Section"] = field(default_factory=list)
    scopes: tuple[Span, ...] = ()
    """Own text of this section and of those around it from level 2 on, deepest first."""

    def everything(self) -> Iterator[Block]:
        """Yield the blocks of the section and of all below it, in order."""
        yield from self.blocks
        for child in self.children:
            yield from child.everything()

    @property
    def own_end(self) -> int:
        """Where the section's own text ends and its first sub-section may begin."""
        return self.blocks[-1].end if self.blocks else self.start


def read_sections(found: Sequence[Block]) -> Section:
    """Return the root of the sections that the headings make."""
    root = Section(0, (), 0)
    stack = [root]
    for block in found:
        if block.kind == "heading":
            while stack[-1].level >= block.level:
                stack.pop()
            path = (*stack[-1].path, block.heading) if block.heading else stack[-1].path
            section = Section(block.level, path, block.start)
            stack[-1].children.append(section)
            stack.append(section)
        stack[-1].blocks.append(block)
    _set_scopes(root, ())
    return root


def _set_scopes(section: Section, above: tuple[Span, ...]) -> None:
    own = (section.start, section.own_end)
    section.scopes = (own, *above) if section.level >= 2 else ()
    for child in section.children:
        _set_scopes(child, section.scopes)
