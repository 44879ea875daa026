"""Tables of sources that pass and of sources that are refused, with the code and the line of the refusal."""

from __future__ import annotations

import functools
from textwrap import indent

import pytest
from validation_corpus import GOOD, small_schema

from protocol_designer.rules.child import read_source
from protocol_designer.rules.finding import Finding
from protocol_designer.rules.registry import TREE_RULES
from protocol_designer.rules.text import check_text
from protocol_designer.validation import schema_names


@functools.cache
def findings(source: str | bytes, with_schema: bool = True) -> list[Finding]:
    """What `validate` finds, read in this process; nothing in these tables can crash a parser."""
    text, found = check_text(source)
    return found or read_source(text, "part0.py", schema_names(small_schema()) if with_schema else None)


def assert_accepts(source: str | bytes) -> None:
    for with_schema in (True, False):
        assert not findings(source, with_schema)


def assert_rejects(source: str | bytes, code: str, line: int | None = None) -> None:
    found = findings(source)
    assert code in {f.code for f in found}, found
    if line is not None:
        assert line in {f.line for f in found if f.code == code}, found


def body(statements: str, *, top: str = "import numpy as np\nimport math") -> str:
    """A part whose `send` holds these statements from line 6 on, between `x = …` and a return."""
    return f'{top}\n\ndef send(own):\n    x = own["own.x"]\n{indent(statements, "    ")}\n    return {{"x": x}}\n'


@pytest.mark.parametrize("name", GOOD)
def test_good_protocols_pass(name: str) -> None:
    assert_accepts(GOOD[name])


REFUSED_STATEMENTS = [
    # statement at line 6, code
    ("np.load('/etc/passwd')", "PD307"),
    ("np.loadtxt('x')", "PD307"),
    ("np.genfromtxt('x')", "PD307"),
    ("np.fromfile('x')", "PD307"),
    ("np.save('x', x)", "PD307"),
    ("np.memmap('x')", "PD307"),
    ("np.ctypeslib.load_library('libc', '.')", "PD307"),
    ("np.f2py.crackfortran.os.system('id')", "PD307"),
    ("np.lib.npyio.DataSource('x')", "PD307"),
    ("np.testing._private.utils.os", "PD307"),
    ("np.rec.fromfile('x')", "PD307"),
    ("np.__builtins__['open']('x')", "PD307"),
    ("np.random.rand(3)", "PD307"),
    ("np.ndarray(3)", "PD307"),
    ("np.empty(3)", "PD307"),
    ("np.vectorize(abs)", "PD307"),
    ("np.linalg.lapack_lite", "PD307"),
    ("np.linalg", "PD307"),
    ("np.add.__class__", "PD307"),
    ("math.__dict__", "PD307"),
    ("y = np", "PD307"),
    ("y = [np]", "PD307"),
    ("y = math", "PD307"),
    ("x.tofile('x')", "PD308"),
    ("x.dump('x')", "PD308"),
    ("x.ctypes.data", "PD308"),
    ("x.base", "PD308"),
    ("x.data", "PD308"),
    ("x.setflags(write=True)", "PD308"),
    ("x.view(np.int64)", "PD308"),
    ("x.__class__.__mro__", "PD308"),
    ("x.dtype.type", "PD308"),
    ("send.__globals__", "PD308"),
    ("send.__code__.co_consts", "PD308"),
    ("own._extended", "PD308"),
    ("own.schema", "PD330"),
    ("'{0.__class__}'.format(x)", "PD308"),
    ("(1).__class__", "PD308"),
    ("y = f'{x.__class__}'", "PD308"),
    ("open('x')", "PD305"),
    ("eval('1')", "PD305"),
    ("exec('1')", "PD305"),
    ("getattr(x, 'base')", "PD305"),
    ("compile('1', '', 'eval')", "PD305"),
    ("__import__('os')", "PD305"),
    ("print(x)", "PD305"),
    ("globals()", "PD305"),
    ("vars()", "PD305"),
    ("input()", "PD305"),
    ("type(x)", "PD305"),
    ("breakpoint()", "PD305"),
    ("y = undefined", "PD305"),
    ("y = os.environ", "PD305"),
    ("y = __builtins__", "PD305"),
    ("y = object()", "PD305"),
    ("y = set([1])", "PD305"),
    ("import os", "PD301"),
    ("from os import system", "PD301"),
    ("import numpy as np", "PD301"),
    ("while True: pass", "PD303"),
    ("class A: pass", "PD303"),
    ("try: pass\nexcept ValueError: pass", "PD303"),
    ("try: pass\nexcept* ValueError: pass", "PD303"),
    ("with x: pass", "PD303"),
    ("match x:\n    case np.ndarray(ctypes=c): pass", "PD303"),
    ("global y", "PD303"),
    ("del x", "PD303"),
    ("raise ValueError", "PD303"),
    ("def inner(): pass", "PD303"),
    ("x.shape = (1,)", "PD303"),
    ("np.mean = np.max", "PD303"),
    ("own.age = 3", "PD303"),
    ("for x.y in (1, 2): pass", "PD303"),
    ("y = lambda: 1", "PD304"),
    ("y = (z := 1)", "PD304"),
    ("y = yield", "PD304"),
    ("y = {1, 2}", "PD304"),
    ("y = {i for i in range(3)}", "PD304"),
    ("y = 3j", "PD304"),
    ("y = [*x]", "PD304"),
    ("y = {**x}", "PD304"),
    ("y = np.stack(*x)", "PD304"),
    ("y = dict(**x)", "PD304"),
    ("y = '%s' % x", "PD304"),
    ("np = 1", "PD306"),
    ("for len in (1, 2): pass", "PD306"),
    ("sum = x", "PD306"),
    ("y = [max for max in (1, 2)]", "PD306"),
    ("send = 1", "PD306"),
    ("__all__ = 1", "PD306"),
    ("y = np.sum\ny(x)", "PD310"),
    ("(x or x)(1)", "PD310"),
    ("[len][0](x)", "PD310"),
    ("x(1)", "PD310"),
    ("own.age()", "PD310"),
    ("x.shape()", "PD310"),
    ("y: torch.Tensor = x", "PD309"),
    ("y: np.random.Generator = x", "PD309"),
    ("y: 'a b c \"' = x", "PD309"),
    ("for y in x: pass", "PD311"),
    ("for i in range(len(x)): pass", "PD311"),
    ("for i in range(x.shape[0]): pass", "PD311"),
    ("y = [v for v in x]", "PD311"),
    ("for i in iter_this: pass", "PD311"),
    ("y = [1]\nfor i in y * len(x): pass", "PD311"),
    ("for i in range(20000): pass", "PD312"),
    ("for i in range(200):\n    for j in range(200): pass", "PD312"),
    ("y = [i + j for i in range(200) for j in range(200)]", "PD312"),
    ("y = [[j for j in range(200)] for i in range(200)]", "PD312"),
    ("y = 1000001", "PD314"),
    ("y = 10**8 * 10", "PD314"),
    ("y = 1000 * 1001", "PD314"),
    ("y = 9**9**9", "PD315"),
    ("y = 2 ** int(own.n_agents * 5)", "PD315"),
    ("y = 2\ny **= 100", "PD315"),
    ("y = 1 << 100", "PD315"),
    ("y = np.zeros((10000, 10000))", "PD316"),
    ("y = np.zeros(1000 * 1000 + 1)", "PD314"),
    ("y = np.arange(1e12)", "PD316"),
    ("y = np.eye(5000)", "PD316"),
    ("y = np.tile(x, (5000, 5000))", "PD316"),
    ("y = [0.0] * 1000000", "PD316"),
    ("y = [0.0] * len(x)", "PD316"),
    ("y = x.astype('float32')", "PD317"),
    ("y = np.zeros(3, dtype='O')", "PD317"),
    ("y = np.array([1], 'O')", "PD317"),
    ("kind = 'O'\ny = np.zeros(3, kind)", "PD317"),
    ("kind = ('O', 'f')[0]\ny = x.astype(kind)", "PD317"),
    ("y = np.zeros(3, dtype=[('a', 'O')])", "PD317"),
    ("y = b'abc'", "PD317"),
    ("y = 'a' + 'b'", "PD317"),
    ("y = own['enemy_' + '0.health']", "PD317"),
    ("y = own['enemy_{}.health'.format(0)]", "PD317"),
    ("y = 'a' * 1000000", "PD317"),
    ("for c in 'abc': pass", "PD317"),
    ("y = float('nan')", "PD317"),
    ("y = 'x'[0]", "PD317"),
    ("y = f'{x}'", "PD318"),
    ("y = f'{own.n_agents:>1000000}'", "PD318"),
    ("y = f'{own.n_agents!r}'", "PD318"),
    ("y = f'a' + f'b'", "PD318"),
    ("y = {f'a{i}': x for i in range(3)}", "PD318"),
    ("y = {}\nfor i in range(3): y[f'a{i}'] = x", "PD318"),
    ("x *= 2", "PD320"),
    ("x[x > 0] = 0", "PD320"),
    ("own['own.x'][:] = 0", "PD320"),
    ("own.past('own.x')[:, 0] = 0", "PD320"),
    ("y = x\ny += 1", "PD320"),
    ("y = x[:, None]\ny[:] = 0", "PD320"),
    ("y = x.reshape(-1, 1)\ny[0, 0] = 1", "PD320"),
    ("y = np.asarray(x)\ny *= 2", "PD320"),
    ("y = x.T\ny *= 2", "PD320"),
    ("a, y = 1, x\ny *= 2", "PD320"),
    ("y = [x, x]\ny[0] *= 2", "PD320"),
    ("y = [x]\nfor z in y: z *= 2", "PD320"),
    ("y = x if own.n_agents > 1 else x * 2\ny *= 2", "PD320"),
    ("np.add(x, 1, out=x)", "PD320"),
    ("np.add.at(x, 0, 1)", "PD320"),
    ("x.sort()", "PD320"),
    ("x.fill(0)", "PD320"),
    ("own['own.x'] = x", "PD320"),
    ("np.add(x, 1, x)", "PD320"),
    ("np.abs(x, x)", "PD320"),
    ("np.clip(x, 0, 1, x)", "PD320"),
    ("x.clip(0, 1, x)", "PD320"),
    ("np.nan_to_num(x, copy=False)", "PD320"),
    ("np.median(own.past('own.x'), axis=1, overwrite_input=True)", "PD320"),
    ("np.fill_diagonal(x, 0)", "PD320"),
    ("if x > 0: x = x * 2", "PD322"),
    ("y = 1 if x > 0 else 2", "PD322"),
    ("y = x > 0 and x < 1", "PD322"),
    ("y = x or 0", "PD322"),
    ("y = not x", "PD322"),
    ("y = 0 < x < 1", "PD322"),
    ("if own.is_role('overseer'): pass", "PD322"),
    ("if own.agent_id == 0: pass", "PD322"),
    ("y = max(x, 0)", "PD322"),
    ("y = max([x, x])", "PD322"),
    ("y = float(x)", "PD322"),
    ("y = sum(x)", "PD322"),
    ("y = math.sqrt(x)", "PD322"),
    ("assert x > 0", "PD322"),
    ("y = [1 for i in range(3) if x > 0]", "PD322"),
    ("y = x in (0, 1)", "PD322"),
    ("y = x - x.mean()", "PD323"),
    ("y = x.sum(axis=0)", "PD323"),
    ("y = np.mean(x)", "PD323"),
    ("y = np.max(x, axis=0)", "PD323"),
    ("y = np.cumsum(x)", "PD323"),
    ("y = np.linalg.norm(own.past('own.x'), 2, 0)", "PD323"),
    ("y = x / np.linalg.norm(x)", "PD323"),
    ("y = x[0]", "PD323"),
    ("y = own.past('own.x')[-1]", "PD323"),
    ("y = np.roll(x, 1)", "PD323"),
    ("y = np.eye(own.n_agents)[own.agent_id].sum(axis=0)", "PD323"),
    ("y = x[::-1] + np.flip(x)", "PD323"),
    ("y = np.maximum.accumulate(own.past('own.x'))", "PD323"),
    ("if (x > 0).any(): pass", "PD323"),
    ("y = own[0]", "PD330"),
    ("y = own[:, 3]", "PD330"),
    ("y = own[x > 0]", "PD330"),
    ("y = own.delivered", "PD330"),
    ("y = own.addressed('x')", "PD330"),
    ("y = own.past", "PD330"),
    ("y = 1 if 'own.x' in own else 0", "PD330"),
    ("y = own.past('own.x', 3)", "PD330"),
    ("y = own.sum(axis=1)", "PD330"),
    ("y = own['enemy_0.helth']", "PD331"),
    ("y = own['enemy_9.health']", "PD331"),
    ("y = own['enemy_*.health']", "PD331"),
    ("y = own.group('enemie_*.health')", "PD331"),
    ("y = own.past('foe_0.health')", "PD331"),
    ("y = own.allies('mana')", "PD331"),
    ("y = own.is_role('healer')", "PD331"),
    ("y = [own[name] for name in ('own.x', 'own.z')]", "PD331"),
    ("y = [own[f'foe_{i}.x'] for i in range(3)]", "PD331"),
]


@pytest.mark.parametrize(("statements", "code"), REFUSED_STATEMENTS)
def test_statements_that_are_refused(statements: str, code: str) -> None:
    first = 6
    last = first + statements.count("\n")
    found = findings(body(statements))
    assert [f for f in found if f.code == code and first <= f.line <= last], found


REFUSED_MODULES = [
    ("", "PD401", 0),
    ("def communication(o):\n    return o\n", "PD401", 1),
    ("def send(obs):\n    return {'x': obs['own.x']}\n", "PD401", 1),
    ("def send():\n    return {}\n", "PD401", 1),
    ("def send(own, inbox):\n    return {'x': own['own.x']}\n", "PD401", 1),
    ("def send(own=None):\n    return {'x': own['own.x']}\n", "PD401", 1),
    ("def send(*own):\n    return {'x': own['own.x']}\n", "PD401", 1),
    ("async def send(own):\n    return {'x': own['own.x']}\n", "PD303", 1),
    ("send = None\n", "PD401", 0),
    ("def send(own):\n    return {'x': own['own.x']}\n\ndef receive(inbox):\n    return {'x': 1}\n", "PD401", 4),
    ("def send(own):\n    return {'x': own['own.x']}\n\ndef send(own):\n    return {'x': own['own.x']}\n", "PD401", 4),
    ("def send(own):\n    return own['own.x']\n", "PD402", 2),
    ("def send(own):\n    return\n", "PD402", 2),
    ("def send(own):\n    return {}\n", "PD402", 2),
    ("def send(own):\n    return [own['own.x']]\n", "PD402", 2),
    ("def send(own):\n    return {f'e{i}': own['own.x'] for i in range(3)}\n", "PD402", 2),
    (
        "def send(own):\n    out = {}\n    for i in range(3):\n        out[i] = own['own.x']\n    return out\n",
        "PD402",
        5,
    ),
    ("def send(own):\n    x = own['own.x']\n", "PD403", 1),
    ("def send(own):\n    if own.n_agents > 1:\n        return {'x': own['own.x']}\n", "PD403", 1),
    ("def send(own):\n    return {'x': own['own.x'], 'n': own.n_agents}\n", "PD406", 2),
    ("def send(own):\n    out = {'x': 1.0}\n    return out\n", "PD406", 3),
    ("def send(own):\n    return {'x': 'north'}\n", "PD406", 2),
    ("def send(own):\n    return {'x': {'y': own['own.x']}}\n", "PD406", 2),
    ("def send(own):\n    return {'own.x': own['own.x']}\n", "PD404", 2),
    ("def send(own):\n    return {'x': own['own.x'], 'x': own['own.y']}\n", "PD404", 2),
    (f"def send(own):\n    return {{'{'x' * 65}': own['own.x']}}\n", "PD404", 2),
    ("def send(own):\n    out = {'a b': own['own.x']}\n    return out\n", "PD404", 3),
    (
        "def send(own):\n    x = own['own.x']\n    if own.n_agents:\n        return {'x': x}\n    return {'y': x}\n",
        "PD405",
        5,
    ),
    (
        "def send(own):\n    return {'x': own['own.x']}\n\ndef receive(own, inbox):\n    return {'y': inbox['y']}\n",
        "PD332",
        5,
    ),
    (
        "def send(own):\n    return {'x': own['own.x']}\ndef receive(own, inbox):\n    return {'y': inbox.past('z')}\n",
        "PD332",
        4,
    ),
    (
        "def send(own):\n    return {'x': own['own.x']}\n\ndef receive(own, inbox):\n    x = inbox['x']\n    x *= 2\n"
        "    return {'x': x}\n",
        "PD320",
        6,
    ),
    ("def send(own):\n    return send(own)\n", "PD313", 1),
    (
        "def f(x):\n    return g(x)\n\ndef g(x):\n    return f(x)\n\ndef send(own):\n    return {'x': f(own['x'])}\n",
        "PD313",
        4,
    ),
    ("def f(x):\n    return sorted(x, key=f)\n\ndef send(own):\n    return {'x': own['own.x']}\n", "PD313", 1),
    ("def scale(x):\n    x *= 2\n    return x\n\ndef send(own):\n    return {'x': scale(own['own.x'])}\n", "PD320", 2),
    (
        "def f(n):\n    return [i for i in range(n)]\n\ndef send(own):\n    return {'x': f(len(own['own.x']))}\n",
        "PD311",
        2,
    ),
    ("LOG = []\n\ndef send(own):\n    LOG.append(1)\n    return {'x': own['own.x']}\n", "PD320", 4),
    ("TABLE = [0]\n\ndef send(own):\n    TABLE[0] += 1\n    return {'x': own['own.x']}\n", "PD320", 4),
    ("TABLE = {'a': 0}\n\ndef send(own):\n    t = TABLE\n    t['a'] = 1\n    return {'x': own['own.x']}\n", "PD320", 5),
    ("import numpy as np\nX = np.ones((100000, 100000))\n", "PD302", 2),
    ("X = 'a'\nY = X * 1000000\n", "PD317", 2),
    ("X = 'own.'\n\ndef send(own):\n    return {'x': own[X + 'x']}\n", "PD317", 4),
    ("X = [0] * 1000000\n", "PD316", 1),
    ("import numpy as np\nX = np.array([[0] * 9000] * 9000)\n", "PD316", 2),
    ("X = 2\nY = X ** 100000\n", "PD315", 2),
    ("X = 1000\nY = X * X * X\n", "PD314", 2),
    ("import numpy as np\nX = np.array(Y)\nY = 1\n", "PD302", 2),
    ("import numpy as np\nX = np.array([1], dtype=np.load)\n", "PD307", 2),
    ("import numpy as np\nX = np.array([1], dtype='O')\n", "PD302", 2),
    ("import math\nX = math.factorial(9)\n", "PD302", 2),
    ("import numpy as np\ndef f(x=np.array([1.0])):\n    return x\n", "PD302", 2),
    (
        "import numpy as np\nW = np.array([1.0])\n\ndef send(own):\n    W[0] = 3\n    return {'x': own['own.x']}\n",
        "PD320",
        5,
    ),
    (
        "import numpy as np\nW = np.array([1.0])\n\n"
        "def send(own):\n    w = W.reshape(1, 1)\n    w *= 3\n    return {'x': own['own.x']}\n",
        "PD320",
        6,
    ),
    ("import numpy as np\nnp.seterr(all='raise')\n", "PD302", 2),
    ("for i in range(3): pass\n", "PD302", 1),
    ("if True:\n    import os\n", "PD302", 1),
    ("X = 1\nX += 1\n", "PD302", 2),
    ("X = [i for i in range(3)]\n", "PD302", 1),
    (
        "def rank(n):\n    return len([i for i in range(n)])\n\n"
        "def send(own):\n    order = sorted([3, 1], key=rank)\n    return {'x': own['own.x'] * order[0]}\n",
        "PD311",
        2,
    ),
    (
        "def f0(x):\n    return x\n"
        + "".join(f"def f{i}(x):\n    return f{i - 1}(x)\n" for i in range(1, 25))
        + "def send(own):\n    return {'x': f24(own['own.x'])}\n",
        "PD312",
        0,
    ),
    ("def f(x=[]):\n    return x\n", "PD302", 1),
    ("def f(x=open('a')):\n    return x\n", "PD302", 1),
    ("def f(*names):\n    return names\n", "PD303", 1),
    ("@staticmethod\ndef send(own):\n    return {'x': own['own.x']}\n", "PD303", 1),
    ("import os\n", "PD301", 1),
    ("import numpy\n", "PD301", 1),
    ("import numpy.f2py as np\n", "PD301", 1),
    ("import math as np\n", "PD301", 1),
    ("import numpy as np, os\n", "PD301", 1),
    ("from numpy import load\n", "PD301", 1),
    ("from math import *\n", "PD301", 1),
    ("from generated_protocols import (Array as\n    send)\n", "PD301", 1),
    ("from generated_protocols import worker\n", "PD301", 1),
    ("from . import part1\n", "PD301", 1),
    ("from __future__ import braces\n", "PD201", 1),
    ("from __future__ import division\n", "PD301", 1),
    ("def send(own)\n    return {}\n", "PD201", 1),
    ("def send(own):\nreturn {}\n", "PD201", 2),
    ("def send(own):\n    return {'x': own['own.x'}\n", "PD201", 2),
    ("return 3\n", "PD201", 1),
    ("```python\ndef send(own):\n    return {}\n```\n", "PD201", 1),
    ("def send(own):\n    x = own['own.x']\n\treturn {'x': x}\n", "PD201", 3),
    ('"""\\gamma"""\ndef send(own):\n    return {"x": own["own.x"]}\n', "PD202", 1),
    ("def send(own):\n    if own.n_agents is 3:\n        pass\n    return {'x': own['own.x']}\n", "PD202", 2),
    ("x = " + "-" * 150 + "1\n", "PD203", 1),
    ("x = " + "[" * 150 + "]" * 150 + "\n", "PD203", 1),
    ("x = " + "(" * 150 + "1" + ")" * 150 + "\n", "PD203", 1),
    ("x = " + "+".join(["1"] * 300) + "\n", "PD203", 1),
    ("x" + ".a" * 300 + "\n", "PD203", 1),
    ("#" + "x" * 17_000 + "\n", "PD101", 0),
    (b"x = '\xe9'\n", "PD102", 1),
    ("x = 1\n\ud800\n", "PD102", 2),
    ("x = 1\n# \ufeff\n", "PD103", 2),
    ("x = 1\n# \x00\n", "PD103", 2),
    ("x = 1  # \u202e\n", "PD103", 1),
    ("x = '\u2066'\n", "PD103", 1),
    ("# a\rimport os\n", "PD103", 1),
    ("# a\x0cimport os\n", "PD103", 1),
    ("# a\u2028import os\n", "PD103", 1),
    ("# -*- coding: utf-7 -*-\n#+AAo-import os\n", "PD104", 1),
    ("#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n", "PD104", 2),
    ("\uff45\uff56\uff41\uff4c('1')\n", "PD105", 1),
    ("import \uff4f\uff53\n", "PD301", 1),
    ("def send(own):\n    x = own['own.x']\n    x.\uff44ump('f')\n    return {'x': x}\n", "PD308", 3),
    ("def send(own):\n    größe = own['own.x']\n    return {'x': größe}\n", "PD105", 2),
]


@pytest.mark.parametrize(("source", "code", "line"), REFUSED_MODULES)
def test_modules_that_are_refused(source: str | bytes, code: str, line: int) -> None:
    assert_rejects(source, code, line)


def test_every_rule_on_the_tree_refuses_something_here() -> None:
    shown = {code for _, code in REFUSED_STATEMENTS} | {code for _, code, _ in REFUSED_MODULES}
    assert shown >= {rule.code for rule in TREE_RULES}


def test_findings_come_in_the_order_of_the_lines() -> None:
    found = findings(body("y = open\nx *= 2\nz = eval"))
    assert [(f.line, f.code) for f in found] == [(6, "PD305"), (7, "PD320"), (8, "PD305")]
