"""What a question of cost must be answered with."""

import pytest

from graphs.evidence.prices import lacks_price


@pytest.mark.parametrize(
    ("clause", "near", "lacks"),
    [
        ("what does a seal cost?", "The seal is replaced every 8000 hours.", True),
        ("what does a seal cost?", "A seal set is 320 EUR.", False),
        ("what does a seal cost?", "The seal comes free of charge.", False),
        ("密封件多少钱？", "密封件每 8000 小时更换一次。", True),
        ("密封件多少钱？", "密封件每套 320 元。", False),
        ("更换费用是多少？", "更换费由厂家承担。", False),
        ("更换费用是多少？", "更换按合同价的 5 % 收取。", False),
        ("how often is the seal replaced", "The seal is replaced every 8000 hours.", False),
        ("who pays the cost?", "The seal is replaced every 8000 hours.", False),
    ],
)
def test_price_is_told_from_other_values(clause: str, near: str, lacks: bool) -> None:
    assert lacks_price(clause, near) is lacks
