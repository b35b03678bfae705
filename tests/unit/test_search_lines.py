"""What the command line prints of a search."""

import pytest

from app.commands.searching import show


@pytest.mark.parametrize(
    "message", ["向量索引不可用，仅使用了关键词检索。", "Only keywords [were] used."]
)
def test_search_that_did_without_a_part_says_so(
    message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    warning = {"code": "dense_unavailable", "message": message}
    show({"query": "q", "hits": [], "warnings": [warning]})
    assert f"! {message}" in capsys.readouterr().out
