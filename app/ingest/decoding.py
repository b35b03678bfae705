"""Bytes to characters: which encoding a text was written in."""

import re

from app.ingest.converters.converted import FileRejected

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffd\ue000-\uf8ff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SAMPLE = 40_000
"""Bytes looked at to tell one encoding from another."""


def check_text(text: str) -> None:
    """Raise FileRejected where a decoded text is empty or mostly control characters."""
    if not text.strip():
        raise FileRejected("empty_file", "the file holds no text", "upload a file with content")
    if len(_CONTROL.findall(text)) * 10 > len(text):
        raise binary()


def lines_fed(text: str) -> str:
    r"""Return `text` with "\n" line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def binary() -> FileRejected:
    """Return the refusal of what is no text."""
    return FileRejected(
        "binary_file",
        "the content is not text",
        "upload the text itself as UTF-8, or check the file",
    )


def decode(data: bytes) -> str:
    """Return the characters of a text in any usual encoding; raise FileRejected for binary data."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _repaired(_by_bom(data[len(bom) :], encoding), encoding)
    if b"\x00" in data:
        raise binary()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _guess(data)


def _by_bom(data: bytes, encoding: str) -> str:
    text = _try(data, encoding, "surrogatepass")
    return data.decode(encoding, "replace") if text is None else text


def without_broken(text: str) -> str:
    """Return `text` with what no store takes, lone surrogates and NUL, replaced one by one."""
    return _SURROGATE.sub("\ufffd", text).replace("\x00", "\ufffd")


def _repaired(text: str, encoding: str) -> str:
    if "\x00" in text and encoding.startswith("utf-8"):
        raise binary()
    return without_broken(text)


def _guess(data: bytes) -> str:
    """Decode bytes that are not clean UTF-8: damaged UTF-8, GB18030, Big5 or Western."""
    damaged = _damaged_utf8(data)
    if damaged is not None:
        return damaged
    decoded = {name: text for name in ("gb18030", "big5") if (text := _try(data, name)) is not None}
    shares = {name: _common_share(text, name) for name, text in decoded.items()}
    best = max(shares, key=shares.__getitem__, default=None)
    high = sum(byte >= 0x80 for byte in data[:_SAMPLE])
    if (best is None or shares[best] < 0.5) and high * 5 < min(len(data), _SAMPLE):
        western = _try(data, "cp1252")
        if western is not None:
            return western
    if best is None:
        raise FileRejected(
            "undecodable", "the text is neither UTF-8, GB18030, Big5 nor UTF-16",
            "save the file as UTF-8",
        )  # fmt: skip
    if shares[best] < 0.2:
        raise binary()  # random bytes are often valid GB18030, but made of rare characters
    return decoded[best]


def _damaged_utf8(data: bytes) -> str | None:
    """Return UTF-8 with a few broken bytes replaced, or None if it is something else."""
    text = _SURROGATE.sub(
        "\ufffd", data.decode("utf-8", "surrogatepass" if _passes(data) else "replace")
    )
    broken = text.count("\ufffd")
    intact = sum(ord(ch) > 0x7F for ch in text) - broken
    return text if intact > 3 * broken and broken * 100 <= max(len(text), 300) else None


def _passes(data: bytes) -> bool:
    return _try(data, "utf-8", "surrogatepass") is not None


def _try(data: bytes, encoding: str, errors: str = "strict") -> str | None:
    try:
        return data.decode(encoding, errors)
    except UnicodeDecodeError:
        return None


def _common_share(text: str, encoding: str) -> float:
    """Return the share of frequent characters (level 1 of GB2312 or Big5) beyond ASCII."""
    wide = [ch for ch in text[:_SAMPLE] if ord(ch) > 0x7F]
    common = 0
    for ch in wide:
        raw = ch.encode(encoding)
        if encoding == "gb18030":
            level_one = len(raw) == 2 and (0xB0 <= raw[0] <= 0xD7 or 0xA1 <= raw[0] <= 0xA3)
            common += level_one and raw[1] >= 0xA1
        else:
            common += 0xA1 <= raw[0] <= 0xC6 and len(raw) == 2
    return common / len(wide) if wide else 0.0
