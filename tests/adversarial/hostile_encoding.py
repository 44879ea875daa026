"""Encoding tricks: what is shown is not what runs."""

from hostile import GOODSEND, hostile


def told(field: str) -> str:
    """A part that sends a field."""
    return f"def send(own):\n    return {{'x': own['{field}']}}\n"


MODULES = [
    hostile(
        "a byte-order mark in the middle",
        "PD103",
        "PD410",
        source="def send(own):\n    x = own['enemy_0.x']\ufeff\n    return {'x': x}\n",
    ),
    hostile("UTF-16", "PD102", "PD410", source=GOODSEND.encode("utf-16")),
    hostile("UTF-16 without a mark", "PD103", "PD410", source=GOODSEND.encode("utf-16-le")),
    hostile("UTF-32", "PD102", "PD410", source=GOODSEND.encode("utf-32")),
    hostile("Latin-1", "PD102", source="# gr\xf6\xdfer\n".encode("latin-1") + GOODSEND.encode()),
    hostile("half a character", "PD102", source=GOODSEND.encode() + b"# \xe2\x82\n"),
    hostile("an overlong slash", "PD102", source=GOODSEND.encode() + b"# \xc0\xaf\n"),
    hostile("a surrogate", "PD102", source=GOODSEND.encode() + b"# \xed\xa0\x80\n"),
    hostile(
        "a coding cookie that hides code",
        "PD104",
        source=b"# -*- coding: utf-7 -*-\n#+AAo-import os\n" + GOODSEND.encode(),
    ),
    hostile(
        "a coding cookie on the second line",
        "PD104",
        source="#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n" + GOODSEND,
    ),
    hostile("a coding cookie that does nothing", "PD104", source="# coding: utf-8\n" + GOODSEND),
    hostile(
        "letters that look the same",
        "PD105",
        "PD410",
        source="def send(own):\n    \u0445 = own['enemy_0.x']\n    x = 2.0 * own['enemy_0.x']\n    return {'x': \u0445}\n",
    ),
    hostile(
        "full-width letters that are the same",
        "PD105",
        "PD410",
        source="def send(own):\n    x = own['enemy_0.x']\n    \uff45\uff56\uff41\uff4c('1')\n    return {'x': x}\n",
    ),
    hostile(
        "a full-width attribute",
        "PD105",
        "PD410",
        source="def send(own):\n    x = own['enemy_0.x']\n    x.\uff54\uff4f\uff46\uff49\uff4c\uff45('CANARY/gotcha')\n    return {'x': x}\n",
    ),
    hostile("a mathematical letter in an import", "PD105", "PD410", source="import \U0001d428\U0001d42c\n" + GOODSEND),
    hostile(
        "a ligature in a name",
        "PD105",
        "PD410",
        source="def send(own):\n    \ufb01eld = own['enemy_0.x']\n    return {'x': field}\n",
    ),
    hostile(
        "a name in another alphabet",
        "PD105",
        "PD410",
        source="def send(own):\n    größe = own['enemy_0.x']\n    return {'x': größe}\n",
    ),
    hostile(
        "text that runs from right to left",
        "PD103",
        source="def send(own):\n    x = own['enemy_0.x']  # \u202e x nruter \u2066\n    return {'x': x}\n",
    ),
    hostile(
        "a comment that shows as code",
        "PD103",
        source="def send(own):\n    '''\u2067''' ; x = own['enemy_0.x'] #\u2069 nothing\n    return {'x': x}\n",
    ),
    hostile(
        "a zero-width space in a name",
        "PD103",
        "PD410",
        source="def send(own):\n    x\u200b = own['enemy_0.x']\n    return {'x': x}\n",
    ),
    hostile(
        "a zero-width joiner in a field name",
        "PD103",
        "PD456",
        source="def send(own):\n    return {'x': own['enemy\u200d_0.x']}\n",
    ),
    hostile(
        "a soft hyphen in a component name",
        "PD103",
        "PD453",
        source="def send(own):\n    return {'x\u00ad': own['enemy_0.x']}\n",
    ),
    hostile(
        "a NUL that ends the text for C",
        "PD103",
        "PD410",
        source="def send(own):\n    return {'x': own['enemy_0.x']}\n\x00import os\n",
    ),
    hostile(
        "a form feed that hides an indent",
        "PD103",
        source="def send(own):\n    x = own['enemy_0.x']\n\x0c    return {'x': x}\n",
    ),
    hostile(
        "a vertical tab", "PD103", "PD410", source="def send(own):\n    x =\x0b own['enemy_0.x']\n    return {'x': x}\n"
    ),
    hostile("carriage returns alone", "PD103", source="def send(own):\r    return {'x': own['enemy_0.x']}\r"),
    hostile("a carriage return in a comment", "PD103", "PD450", source="# fine\rimport os\n" + GOODSEND),
    hostile("a line separator in a comment", "PD103", source="# fine\u2028import os\n" + GOODSEND),
    hostile("the next-line character", "PD103", source="# fine\x85import os\n" + GOODSEND),
    hostile("an escape sequence for the terminal", "PD103", source="# \x1b[2J\x1b]0;gotcha\x07\n" + GOODSEND),
    hostile("a backspace that erases what is shown", "PD103", source="# eval\x08\x08\x08\x08fine\n" + GOODSEND),
    hostile(
        "curly quotes",
        "PD201",
        "PD410",
        source="def send(own):\n    return {\u2018x\u2019: own[\u201cenemy_0.x\u201d]}\n",
    ),
    hostile(
        "no-break spaces",
        "PD201",
        "PD410",
        source="def send(own):\n\u00a0\u00a0\u00a0\u00a0return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "an en dash for a minus",
        "PD201",
        "PD410",
        source="def send(own):\n    return {'x': 1.0 \u2013 own['enemy_0.x']}\n",
    ),
    hostile(
        "tabs and spaces mixed",
        "PD201",
        "PD410",
        source="def send(own):\n    x = own['enemy_0.x']\n\treturn {'x': x}\n",
    ),
    hostile("a field with a letter that looks the same", "PD331", "PD456", source=told("\u0435nemy_0.x")),
    hostile("a field with half a pair written as an escape", "PD331", "PD456", source=told("\\ud800")),
    hostile("a field in UTF-7", "PD331", "PD456", source=told("+AGU-nemy_0.x")),
    hostile("two byte-order marks", "PD103", source=b"\xef\xbb\xbf\xef\xbb\xbf" + GOODSEND.encode()),
    hostile("compressed", "PD102", "PD410", source=b"\x1f\x8b\x08\x00\x00\x00\x00\x00"),
    hostile("byte code", "PD102", "PD410", source=b"\xa7\r\r\n" + b"\0" * 12 + b"\xe3"),
    hostile("an end of file in the middle", "PD103", "PD410", source=GOODSEND + "\x1aimport os\n"),
]
