import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.evidence.numbers import claims, supports
from graphs.evidence.numerals import chinese_number, decimal
from graphs.evidence.script import half_width

# text -> its claims as "value unit"; dates and codes have no unit
VALUES: dict[str, list[str]] = {
    # full and half width
    "１２３ kPa": ["123 kpa"],
    "压力为５ｋＰａ": ["5 kpa"],
    "１，２００．５ 元": ["1200.5 yuan"],
    "１５％": ["15 %"],
    # Chinese numerals
    "一百二十台": ["120 台"],
    "两千零五次": ["2005 次"],
    "三十分钟": ["30 min"],
    "十天": ["10 d"],
    "十五天": ["15 d"],
    "一亿二千万元": ["120000000 yuan"],
    "三万五元": ["35000 yuan"],
    # 万 and 亿
    "3万元": ["30000 yuan"],
    "三万元": ["30000 yuan"],
    "1.5亿元": ["150000000 yuan"],
    "约3.2万人": ["32000 人"],
    "5 万 元": ["50000 yuan"],
    "10万千瓦": ["100000 kw"],
    "5千米": ["5 km"],
    "3 million dollars": ["3000000 usd"],
    "3 billion USD": ["3000000000 usd"],
    # percent
    "15 %": ["15 %"],
    "15 percent": ["15 %"],
    "100 per cent": ["100 %"],
    "百分之二十": ["20 %"],
    "百分之12.5": ["12.5 %"],
    "百分之百": ["100 %"],
    "下降 -5%": ["-5 %"],
    "5‰": ["5 ‰"],
    "千分之五": ["5 ‰"],
    # separators
    "1,200.50 元": ["1200.5 yuan"],
    "12,345,678": ["12345678 "],
    "1,23": ["1 ", "23 "],
    # currency
    "USD 1,200": ["1200 usd"],
    "$1,200.5": ["1200.5 usd"],
    "€ 30": ["30 eur"],
    "¥300": ["300 yuan"],
    # units
    "20℃": ["20 ℃"],
    "20 °C": ["20 ℃"],
    "20摄氏度": ["20 ℃"],
    "24小时": ["24 h"],
    "24 hours": ["24 h"],
    "6个工作日": ["6 d"],
    "10 t/h": ["10 t/h"],
    "3000 r/min": ["3000 rpm"],
    "5kPa/min": ["5 kpa/min"],
    "5 Pa/min": ["5 pa/min"],
    "50Hz": ["50 hz"],
    "50 kHz": ["50 khz"],
    "8 Nm": ["8 "],
    "8Nm": ["8 nm"],
    "5 A": ["5 a"],
    "5 a day": ["5 "],
    "5 m": ["5 m"],
    "5 mm": ["5 mm"],
    "0.50": ["0.5 "],
    "the 2nd pump": ["2 "],
    # signs
    "−5 ℃": ["-5 ℃"],
    "温度-5℃": ["-5 ℃"],
    "1号-3号": ["1 ", "3 "],
    # ranges
    "-97.0～-93.0 kPa": ["-97 kpa", "-93 kpa"],
    "－97.0～－93.0kPa": ["-97 kpa", "-93 kpa"],
    "3-5 天": ["3 d", "5 d"],
    "5℃-8℃": ["5 ℃", "8 ℃"],
    "5 kPa 至 8 kPa": ["5 kpa", "8 kpa"],
    "30～50%": ["30 %", "50 %"],
    "10–15 mm": ["10 mm", "15 mm"],
    "10 to 15 days": ["10 d", "15 d"],
    # dates
    "2025年6月12日": ["2025-06-12"],
    "2025年06月": ["2025-06"],
    "2025年": ["2025"],
    "2025-06-12": ["2025-06-12"],
    "2025/6/12": ["2025-06-12"],
    "2025.06.12": ["2025-06-12"],
    "12 June 2025": ["2025-06-12"],
    "12th June, 2025": ["2025-06-12"],
    "June 12, 2025": ["2025-06-12"],
    "Sept. 3rd 2025": ["2025-09-03"],
    "Jun 2025": ["2025-06"],
    "二〇二五年六月十二日": ["2025-06-12"],
    "二零二五年十二月": ["2025-12"],
    # codes and versions
    "QX-2025-094 的压力": ["QX-2025-094"],
    "QX-2025-09 和 QX-2025-094": ["QX-2025-09", "QX-2025-094"],
    "ｑｘ－２０２５－０９４": ["QX-2025-094"],
    "v2.3.1": ["2.3.1"],
    "版本 2.10": ["2.10"],
    "2.10 节": ["2.10"],
    # no claims
    "1. 检查水位": [],
    "3、检查": [],
    "(2) 关闭阀门": [],
    "（3）关闭阀门": [],
    "1) one": [],
    "12. Step": [],
    "- 1. 检查": [],
    "## 3.2 标题": [],
    "3.2.1 检查步骤": [],
    "[1] 参见 [P2]": [],
    "第五百六十三条": [],
    "": [],
    "没有数字": [],
    # a mark stands at the start of a line only, and a decimal is no mark
    "1.5 MPa 时停机": ["1.5 mpa"],
    "2.5 小时": ["2.5 h"],
    "- 4 台泵": ["4 台"],
    "共 2) 项": ["2 "],
    "1. 压力 5 kPa\n2. 温度 8 ℃": ["5 kpa", "8 ℃"],
}


@pytest.mark.parametrize("text", VALUES)
def test_values_have_one_normal_form(text: str) -> None:
    found = [c.value if c.kind in ("date", "code") else f"{c.value} {c.unit}" for c in claims(text)]
    assert found == VALUES[text]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("2025年6月12日 QX-2025-094 降 5%，共 3 台", ["date", "code", "percent", "number"]),
        ("POL-2024-07 of July 2024: 100 % of 3 nights", ["code", "date", "percent", "number"]),
    ],
)
def test_kinds_are_told_apart(text: str, kinds: list[str]) -> None:
    assert [claim.kind for claim in claims(text)] == kinds


@pytest.mark.parametrize(
    ("quote", "statement", "carried"),
    [
        ("5 kPa", "５千帕", True),
        ("5 kPa", "5", True),
        ("5", "5 kPa", False),
        ("5 kPa", "5 MPa", False),
        ("5 kPa", "6 kPa", False),
        ("-5 ℃", "5 ℃", False),
        ("50 kW", "50Hz", False),
        ("3万元", "30,000 元", True),
        ("三万元", "3 万元", True),
        ("3 万元", "3 元", False),
        ("3 million USD", "3 billion USD", False),
        ("百分之二十", "20%", True),
        ("20%", "20‰", False),
        ("2025年6月12日", "2025-06", True),
        ("2025年6月12日", "2025年", True),
        ("2025年6月", "2025年6月12日", False),
        ("2025-06-12", "June 12, 2025", True),
        ("2025年6月12日", "6", True),
        ("QX-2025-094", "qx-2025-094", True),
        ("QX-2025-094", "QX-2025-095", False),
        ("版本 2.10", "版本 2.1", False),
        ("-97.0～-93.0 kPa", "-97 kPa", True),
        ("USD 1,200", "$1200", True),
        ("USD 1,200", "1,200 元", False),
    ],
)
def test_quote_carries_the_same_value_and_nothing_more_precise(
    quote: str, statement: str, carried: bool
) -> None:
    (wanted,) = claims(statement)
    assert any(supports(claim, wanted) for claim in claims(quote)) is carried


@given(st.integers(0, 10**12 - 1))
def test_chinese_numerals_are_read_as_they_are_written(number: int) -> None:
    assert chinese_number(_written(number)) == number


def _written(number: int) -> str:
    """Return a number as it is written in Chinese, zeros in the middle as one 零."""
    if number >= 10**8:
        rest = number % 10**8
        gap = "零" if 0 < rest < 10**7 else ""
        return _written(number // 10**8) + "亿" + (gap + _written(rest) if rest else "")
    if number >= 10**4:
        rest = number % 10**4
        gap = "零" if 0 < rest < 1000 else ""
        return _written(number // 10**4) + "万" + (gap + _written(rest) if rest else "")
    text = ""
    for scale, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // scale % 10
        if digit:
            text += "零一二三四五六七八九"[digit] + name
        elif text and number % scale and not text.endswith("零"):
            text += "零"
    return text or "零"


@pytest.mark.parametrize(
    ("text", "expected"), [("1,200.50", "1200.5"), ("007", "7"), ("0.0", "0"), ("100", "100")]
)
def test_decimals_are_as_short_as_can_be(text: str, expected: str) -> None:
    assert decimal(text) == expected


@given(st.text())
def test_half_width_copy_keeps_every_place(text: str) -> None:
    assert len(half_width(text)) == len(text)


@given(st.floats(0, 10**9).map(lambda x: round(x, 2)), st.sampled_from(["kPa", "元", "天", "%"]))
def test_value_is_the_same_with_and_without_separators(number: float, unit: str) -> None:
    (plain,), (grouped,) = claims(f"为 {number:.2f} {unit}。"), claims(f"为 {number:,.2f} {unit}。")
    assert plain.key == grouped.key
    assert float(plain.value) == number
