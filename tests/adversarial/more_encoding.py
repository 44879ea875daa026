"""More of the kind of `hostile_encoding.py`, tried by `pytest -m slow`."""

from hostile import GOODSEND, hostile
from hostile_encoding import told

MODULES = [
    hostile(
        "the past in full-width letters",
        "PD105",
        "PD410",
        "PD418",
        source="def send(own):\n    return {'x': own.\uff50ast('enemy_0.x').mean(axis=1)}\n",
    ),
    hostile(
        "a second send that looks the same",
        "PD105",
        "PD410",
        source=GOODSEND + "\n\ndef s\u0435nd(own):\n    return {'x': own['own.health']}\n",
    ),
    hostile(
        "a letter that shows as nothing",
        "PD103",
        "PD410",
        source="def send(own):\n    \u3164 = own['enemy_0.x']\n    return {'x': \u3164}\n",
    ),
    hostile(
        "a letter with a mark of its own",
        "PD105",
        "PD410",
        source="def send(own):\n    x\u0301 = own['enemy_0.x']\n    x = 2.0 * x\u0301\n    return {'x': x}\n",
    ),
    hostile(
        "a letter with a selector of variants",
        "PD103",
        "PD410",
        source="def send(own):\n    x\ufe0f = own['enemy_0.x']\n    return {'x': x\ufe0f}\n",
    ),
    hostile(
        "a full-width underscore",
        "PD201",
        "PD410",
        source="def send(own):\n    own.\uff3f\uff3fclass\uff3f\uff3f\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "a superscript digit", "PD201", "PD410", source="def send(own):\n    return {'x': own['enemy_0.x'] * 1\u00b2}\n"
    ),
    hostile(
        "digits of another script",
        "PD201",
        "PD410",
        source="def send(own):\n    return {'x': own['enemy_0.x'] * \u0661}\n",
    ),
    hostile(
        "full-width brackets",
        "PD201",
        "PD410",
        source="def send(own):\n    return {'x': own.past\uff08'enemy_0.x'\uff09}\n",
    ),
    hostile(
        "a Greek question mark for a semicolon",
        "PD201",
        "PD410",
        source="def send(own):\n    x = own['enemy_0.x']\u037e return {'x': x}\n",
    ),
    hostile(
        "a space as wide as a letter",
        "PD201",
        "PD410",
        source="def send(own):\n\u3000\u3000return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "a mathematical minus", "PD201", "PD410", source="def send(own):\n    return {'x': \u2212own['enemy_0.x']}\n"
    ),
    hostile(
        "a code point that means nothing",
        "PD103",
        "PD410",
        source="def send(own):\n    \u0378 = 1\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile("a field with invisible tags", "PD103", "PD456", source=told("enemy_0.x\U000e0041")),
    hostile("a field with a direction written as an escape", "PD331", "PD456", source=told("\\u202eenemy_0.x")),
    hostile("a field with a NUL written as an escape", "PD331", "PD456", source=told("enemy_0.x\\0")),
    hostile(
        "a component with a line end written as an escape",
        "PD404",
        "PD453",
        source="def send(own):\n    return {'x\\nPD000 fine': own['enemy_0.x']}\n",
    ),
    hostile(
        "a component with half a pair written as an escape",
        "PD404",
        "PD453",
        source="def send(own):\n    return {'\\udcff': own['enemy_0.x']}\n",
    ),
    hostile(
        "a component by the name of a character",
        "PD404",
        "PD410",
        "PD453",
        source="def send(own):\n    return {'\\N{ZERO WIDTH SPACE}x': own['enemy_0.x']}\n",
    ),
    hostile(
        "a component with a letter that looks the same",
        "PD404",
        "PD453",
        source="def send(own):\n    return {'\u0445': own['enemy_0.x']}\n",
    ),
    hostile(
        "a byte-order mark before a coding cookie",
        "PD104",
        source=b"\xef\xbb\xbf# coding: latin-1\n" + GOODSEND.encode(),
    ),
    hostile("a coding cookie under an empty line", "PD104", source="\n  # encoding=utf_16\n" + GOODSEND),
    hostile("a character of five bytes", "PD102", source=GOODSEND.encode() + b"# \xf8\x88\x80\x80\x80\n"),
    hostile("a character beyond the last", "PD102", source=GOODSEND.encode() + b"# \xf4\x90\x80\x80\n"),
    hostile("EBCDIC", "PD102", "PD410", source=GOODSEND.encode("cp500")),
    hostile("a deleted character", "PD103", "PD410", source="def send(own):\n    return {'x': own['enemy_0.x']\x7f}\n"),
    hostile("a terminal's sequence in one character", "PD103", source="# \x9b31m\n" + GOODSEND),
    hostile(
        "line ends of two kinds in one",
        "PD103",
        source="def send(own):\r\n    x = own['enemy_0.x']\r\r\n    return {'x': x}\r\n",
    ),
]
