"""Checks on the bytes and characters of a source, before any parser sees it."""

from __future__ import annotations

import re
import unicodedata

from protocol_designer.rules.finding import Finding
from protocol_designer.rules.limits import MAX_BYTES

__all__ = [
    "TEXT_RULES",
    "UNREADABLE",
    "CodingCookie",
    "HiddenCharacters",
    "NotUtf8",
    "TextRule",
    "TooLong",
    "check_text",
]

# PEP 263: in a comment on line 1 or 2. Newer interpreters read it only there; it is refused on any line that starts so.
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_TWO_LINES = 2
# control, format (bidirectional, zero-width), surrogates, private use, unassigned, line and paragraph ends
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# letters, marks and symbols that show nothing: joiners, fillers, variation selectors (a text can be hidden in those)
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef\U0001d173-\U0001d17a]"
)
_EMOJI_STYLE = "\ufe0f"


class TextRule:
    """A rule on the text; `code`, `title` and the docstring make its entry in the guide."""

    code: str
    title: str

    @classmethod
    def at(cls, text: str, index: int, message: str, hint: str) -> Finding:
        """Return a finding at the character `index` of `text`."""
        line = text.count("\n", 0, index) + 1
        column = index - (text.rfind("\n", 0, index) + 1) + 1
        return Finding(line, column, cls.code, message, hint)


class TooLong(TextRule):
    """A part holds at most 16 KiB of source, so that a person can review it.

    Remedy: split it into parts, or loop over a tuple of names instead of writing each line out.
    """

    code = "PD101"
    title = "the source is too long"

    @classmethod
    def check(cls, raw: bytes) -> Finding | None:
        """Return the finding for a source of more than `MAX_BYTES` bytes."""
        if len(raw) <= MAX_BYTES:
            return None
        hint = "split it into parts, or loop over a tuple of names"
        return Finding(0, 0, cls.code, f"the source has {len(raw):,} bytes, at most {MAX_BYTES:,} are allowed", hint)


class NotUtf8(TextRule):
    """A source is UTF-8 text.

    Remedy: save the file as UTF-8 in the editor.
    """

    code = "PD102"
    title = "the source is not UTF-8"

    @classmethod
    def check(cls, raw: bytes) -> Finding | None:
        """Return the finding for bytes that are not UTF-8, at the first one."""
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            start = raw.rfind(b"\n", 0, error.start) + 1
            column = len(raw[start : error.start].decode("utf-8")) + 1
            message = f"byte 0x{raw[error.start]:02x} is not UTF-8"
            return Finding(line, column, cls.code, message, "save the file as UTF-8")
        return None


class HiddenCharacters(TextRule):
    """Control characters, bidirectional marks, rare line ends, and what shows nothing, hide how a text runs.

    Tabs, line ends (LF, or CR LF) and a byte-order mark at the start are fine. Comments may use any letters that show.
    Remedy: delete the character at the place shown; retype the line when nothing is visible there.
    """

    code = "PD103"
    title = "a hidden or control character"

    @classmethod
    def check(cls, text: str) -> Finding | None:
        """Return the finding for the first hidden character of `text` (line ends already LF)."""
        for index, character in enumerate(text):
            if character in "\n\t" or (character.isascii() and character.isprintable()):
                continue
            if character == _EMOJI_STYLE and index and unicodedata.category(text[index - 1]) == "So":
                # one after a symbol that shows is how editors write its picture
                continue
            if unicodedata.category(character) in _HIDDEN or _INVISIBLE.match(character):
                name = unicodedata.name(character, "control character")
                message = f"hidden character U+{ord(character):04X} ({name.lower()})"
                return cls.at(text, index, message, "delete it; retype the line when nothing is visible there")
        return None


class CodingCookie(TextRule):
    """A source names no encoding: a file that does is read otherwise by Python than by the validator.

    Remedy: delete the `coding` comment; the source is UTF-8.
    """

    code = "PD104"
    title = "the source names an encoding"

    @classmethod
    def check(cls, text: str) -> Finding | None:
        """Return the finding for a coding comment on the first two lines."""
        for number, line in enumerate(text.split("\n")[:_TWO_LINES], start=1):
            match = _COOKIE.match(line)
            if match:
                message = f"the source names an encoding ({match[1]!r})"
                return Finding(number, match.start(1) + 1, cls.code, message, "delete this comment: sources are UTF-8")
        return None


TEXT_RULES: tuple[type[TextRule], ...] = (TooLong, NotUtf8, HiddenCharacters, CodingCookie)


UNREADABLE = frozenset({TooLong.code, NotUtf8.code, HiddenCharacters.code})
"""Codes after which the text is not read any further."""


def check_text(source: str | bytes) -> tuple[str, list[Finding]]:
    """Return the text with LF line ends, and what is wrong with it; the text is empty when it cannot be read.

    Lone carriage returns are control characters here: Python ends a line at one, most editors do not.
    """
    raw = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
    unreadable = TooLong.check(raw) or NotUtf8.check(raw)
    if unreadable:
        return "", [unreadable]
    # The loader, too, drops a byte-order mark and reads CR LF as a line end; some editors write them.
    text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    found = (HiddenCharacters.check(text), CodingCookie.check(text))
    return text, [finding for finding in found if finding is not None]
