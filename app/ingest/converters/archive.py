"""What a file really is, before anything opens it: wrong endings, passwords, zip bombs."""

import io
import zipfile

from app.ingest.converters.converted import FileRejected

MAX_UNPACKED = 200 * 1024 * 1024
"""Bytes that an Office file may hold unpacked."""
_MAX_PARTS = 20_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_FOLDERS = {".docx": "word/", ".pptx": "ppt/", ".xlsx": "xl/", ".xlsm": "xl/"}
_PROGRAMS = {".docx": "Word", ".pptx": "PowerPoint", ".xlsx": "Excel", ".xlsm": "Excel"}
_PDF_HEAD = 1024
"""Readers look for "%PDF-" within so many bytes."""


def check_kind(suffix: str, data: bytes) -> None:
    """Raise FileRejected where the content is not what the ending says or can't be opened."""
    if not data.strip():
        raise FileRejected("empty_file", "the file is empty", "upload a file with content")
    if suffix == ".pdf" and b"%PDF-" not in data[:_PDF_HEAD]:
        raise _wrong(suffix, "export it as PDF again")
    if suffix in _FOLDERS:
        _check_office(suffix, data)


def _check_office(suffix: str, data: bytes) -> None:
    program = _PROGRAMS[suffix]
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise FileRejected(
                "encrypted", "the file is protected by a password",
                f"open it in {program}, remove the password and upload it again",
            )  # fmt: skip
        raise FileRejected(
            "old_format", f"the file is in {program}'s old binary format, whatever its ending says",
            f"open it in {program} and save it as {suffix}",
        )  # fmt: skip
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        if data.startswith(b"PK"):
            raise FileRejected(
                "corrupt", "the file is damaged or was not copied completely",
                f"copy it again, or open it in {program}, let it repair the file and save it",
            ) from error  # fmt: skip
        raise _wrong(suffix, f"open it in {program} and save it as {suffix}") from error
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MAX_UNPACKED or len(parts) > _MAX_PARTS:
        raise FileRejected(
            "too_large", f"the file unpacks to {unpacked:,} bytes in {len(parts):,} parts; "
            f"{MAX_UNPACKED:,} bytes and {_MAX_PARTS:,} parts are allowed",
            "split it into smaller files, or remove large pictures",
        )  # fmt: skip
    if not any(part.filename.startswith(_FOLDERS[suffix]) for part in parts):
        raise _wrong(suffix, f"open it in {program} and save it as {suffix}")


def _wrong(suffix: str, hint: str) -> FileRejected:
    return FileRejected("wrong_type", f"the content is not that of a {suffix} file", hint)
