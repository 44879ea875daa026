"""More of the kind of `hostile_language.py`, tried by `pytest -m slow`."""

from hostile import BUILTINS, GOODSEND, OS, SYS, hostile
from hostile_language import NEVER_THE_SAME, NUMPY

MODULES = [
    hostile(
        "a descriptor that acts when it is named",
        "PD307",
        "PD410",
        body=f"T = {BUILTINS}['type']\nD = T('D', (), {{'__set_name__': lambda self, owner, name: {OS}.listdir('/')}})\nT('A', (), {{'d': D()}})",
    ),
    hostile(
        "a class that acts when it is indexed",
        "PD307",
        "PD410",
        body=f"A = {BUILTINS}['type']('A', (), {{'__class_getitem__': lambda c, path: {OS}.truncate(path, 0)}})\nA['CANARY/kept']",
    ),
    hostile(
        "a class that acts when it is inherited",
        "PD307",
        "PD410",
        body=f"T = {BUILTINS}['type']\nA = T('A', (), {{'__init_subclass__': {BUILTINS}['classmethod'](lambda c: {OS}.symlink('/etc/passwd', 'CANARY/gotcha'))}})\nT('C', (A,), {{}})",
    ),
    hostile(
        "an object that acts when it dies",
        "PD307",
        "PD503",
        body=f"A = {BUILTINS}['type']('A', (), {{'__del__': lambda self: {OS}._exit(0)}})\nA()",
    ),
    hostile(
        "a dict that acts when a key is missing",
        "PD307",
        "PD410",
        body=f"A = {BUILTINS}['type']('A', ({BUILTINS}['dict'],), {{'__missing__': lambda self, path: {OS}.remove(path)}})\nA()['CANARY/kept']",
    ),
    hostile(
        "an index that acts",
        "PD307",
        "PD410",
        body=f"A = {BUILTINS}['type']('A', (), {{'__index__': lambda self: {OS}.chmod('CANARY/kept', 0)}})\n[1][A()]",
    ),
    hostile(
        "an array by a method that acts",
        "PD307",
        "PD410",
        body=f"A = {BUILTINS}['type']('A', (), {{'__array__': lambda self, *a, **k: {OS}.mkfifo('CANARY/gotcha')}})\nx = x + np.asarray(A())",
    ),
    hostile(
        "a comparison that acts",
        "PD307",
        "PD410",
        body=f"A = {BUILTINS}['type']('A', (), {{'__eq__': lambda self, other: {OS}.link('CANARY/kept', 'CANARY/gotcha')}})\nA() == 1",
    ),
    hostile(
        "a result that acts when it is read",
        "PD402",
        "PD410",
        body=f"D = {BUILTINS}['type']('D', ({BUILTINS}['dict'],), {{'items': lambda self: {OS}.listdir('/')}})\nreturn D(x=x)",
    ),
    hostile(
        "a context that acts",
        "PD303",
        "PD410",
        body=f"A = {BUILTINS}['type']('A', (), {{'__enter__': lambda self: {OS}.rename('CANARY/kept', 'CANARY/gone'), '__exit__': None}})\nwith A(): pass",
    ),
    hostile(
        "a folder of modules",
        "PD307",
        "PD410",
        body=f"{SYS}.path.insert(0, 'CANARY')\n{BUILTINS}['__import__']('kept')",
    ),
    hostile(
        "the builtins of a frame", "PD307", "PD410", body=f"{SYS}._getframe(1).f_builtins['open']('CANARY/gotcha', 'w')"
    ),
    hostile(
        "an f-string that walks",
        "PD308",
        "PD410",
        body='y = f\'{own.__class__.__init__.__globals__["fnmatch"].os.listdir("/")}\'',
    ),
    hostile("an f-string with a format of its own", "PD318", "PD410", body="y = f'{own.n_agents:{own.n_agents}{own}}'"),
    hostile(
        "format_map reaches attributes", "PD308", "PD410", body="y = '{x.__class__.__missing}'.format_map({'x': x})"
    ),
    hostile(
        "a second send under a condition",
        "PD302",
        source=GOODSEND + "\nif True:\n    def send(own):\n        return {'x': own['own.health']}\n",
    ),
    hostile(
        "import from a submodule under a builtin's name",
        "PD301",
        "PD410",
        source="from numpy.ctypeslib import load_library as sum\n\ndef send(own):\n    return {'x': own['enemy_0.x'] + sum('libc.so.6', '/')}\n",
    ),
    hostile(
        "import the worker through the contract",
        "PD301",
        "PD410",
        source="from generated_protocols import worker\n" + GOODSEND,
    ),
    hostile(
        "import a submodule as np",
        "PD301",
        "PD410",
        source="import numpy.lib.npyio as np\n\ndef send(own):\n    np.DataSource('CANARY').open('/etc/hostname')\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "a lambda's globals in a default",
        "PD302",
        "PD410",
        source="def f(*, a=(lambda: 0).__globals__['__builtins__']['open']('x')):\n    return a\n\n" + GOODSEND,
    ),
    hostile(
        "an annotation of what is returned",
        "PD309",
        source=NUMPY
        + "def send(own) -> np.lib._npyio_impl.os.unlink('CANARY/kept'):\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "an annotation that is text that is code",
        "PD309",
        source="def send(own: \"__import__('os').system(\\\"true\\\")\"):\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile("an annotation of a local", "PD309", body="y: np.load('/etc/hostname') = 1"),
    hostile(
        "an attribute as the target of a comprehension",
        "PD303",
        "PD410",
        body="[0 for own._now in (x[:, None],)]\nx = own['own.health']",
    ),
    hostile(
        "a name from outside that changes",
        "PD303",
        *NEVER_THE_SAME,
        source="def make():\n    n = 0\n\n    def count():\n        nonlocal n\n        n += 1\n        return n\n\n    return count\n\n\nCOUNT = make()\n\n\ndef send(own):\n    return {'x': own['enemy_0.x'] + COUNT()}\n",
    ),
    hostile(
        "other builtins for the module",
        "PD306",
        "PD410",
        source="__builtins__ = {}\n\ndef send(own):\n    return {'x': own['enemy_0.x'] * len([])}\n",
    ),
    hostile(
        "a parameter with a builtin's name",
        "PD306",
        source="def scaled(x, abs):\n    return x * abs\n\n\ndef send(own):\n    return {'x': scaled(own['enemy_0.x'], 2)}\n",
    ),
    hostile("a function in a variable", "PD310", "PD410", body="f = np.load\nf('/etc/hostname')"),
    hostile("a function from a list", "PD310", "PD410", body="[np.load][0]('/etc/hostname')"),
    hostile(
        "a function by a condition", "PD310", "PD410", body="(np.load if own.n_agents else np.sum)('/etc/hostname')"
    ),
    hostile("a function as a key", "PD307", "PD410", body="sorted(('/etc/hostname',), key=np.load)"),
    hostile("a dict of dicts unpacked", "PD404", "PD453", body="return {'x': x, **{'../y': x}}"),
]
