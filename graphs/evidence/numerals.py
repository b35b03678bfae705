"""Written numbers and units: full width, separators, Chinese numerals, names of units."""

from decimal import Decimal, InvalidOperation

UNITS: dict[str, str] = {
    alias: unit
    for unit, aliases in {
        "kpa": "kpa 千帕", "mpa": "mpa 兆帕", "pa": "pa 帕", "℃": "℃ °c 摄氏度 度", "mm": "mm 毫米",
        "cm": "cm 厘米", "km": "km 公里 千米", "m": "m 米", "t/h": "t/h 吨/小时", "m3/h": "m3/h m³/h",
        "mw": "mw 兆瓦", "kw": "kw 千瓦", "kv": "kv 千伏", "rpm": "r/min rpm 转/分", "a": "a 安",
        "v": "v 伏", "h": "h 小时 个小时 hour hours hrs", "min": "min 分钟 minute minutes",
        "s": "s 秒 second seconds", "d": "d 天 日 个工作日 工作日 day days", "week": "周 星期 week weeks",
        "month": "个月 月 month months", "year": "年 year years", "yuan": "元 人民币 rmb cny yuan",
        "usd": "usd 美元 dollar dollars", "eur": "eur 欧元 euro euros", "kg": "kg 公斤 千克",
        "t": "t 吨", "ppm": "ppm", "mg/l": "mg/l", "次": "次 times", "台": "台", "人": "人 people persons",
        "kpa/min": "kpa/min", "pa/min": "pa/min", "mpa/min": "mpa/min", "℃/min": "℃/min °c/min",
        "℃/h": "℃/h °c/h", "hz": "hz 赫兹", "khz": "khz", "kwh": "kwh 千瓦时", "mwh": "mwh", "ma": "ma 毫安",
        "mv": "mv 毫伏", "ml": "ml 毫升", "l": "l 升", "mm/s": "mm/s", "m/s": "m/s 米/秒", "w": "w 瓦",
        "g": "g 克", "mg": "mg 毫克", "kva": "kva",
    }.items()
    for alias in aliases.split()
}  # fmt: skip
"""Every name of a unit, lower case, to its one form."""
SCALES = {
    "十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000,
    "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000,
}  # fmt: skip
CN_NUMERAL = "[零〇一二三四五六七八九十百千万亿两]+"
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}


def decimal(text: str, scale: int = 1) -> str:
    """Return the shortest decimal of a number written with separators ("1,200.50" → "1200.5")."""
    try:
        value = Decimal(text.replace(",", "")) * scale
    except InvalidOperation:
        return text
    return format(value.normalize(), "f")


def scale_of(text: str) -> int:
    """Return what 万, 百万 or "million" multiplies by."""
    if text.lower() in SCALES:
        return SCALES[text.lower()]
    product = 1
    for char in text:
        product *= SCALES[char]
    return product


def chinese_number(text: str) -> int:
    """Return the value of a Chinese numeral: 一百二十, 两千零五, 一亿二千万, 三万五, 二〇二五."""
    if len(text) > 1 and all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    hundred_millions = ten_thousands = section = digit = 0
    last = 1
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
            last = 1 if digit == 0 else last
            continue
        last = SCALES[char]
        if char == "亿":
            hundred_millions = (ten_thousands + section + digit or 1) * last
            ten_thousands = section = 0
        elif char == "万":
            ten_thousands = (section + digit or 1) * last
            section = 0
        else:
            section += (digit or 1) * last
        digit = 0
    # 三万五 is 35 000 and 一百二 is 120: a last digit counts in tenths of the scale before it.
    return hundred_millions + ten_thousands + section + digit * max(1, last // 10)
