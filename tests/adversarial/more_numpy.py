"""More of the kind of `hostile_numpy.py`, tried by `pytest -m slow`."""

from hostile import BUILTINS, OS, hostile
from hostile_numpy import NEVER_THE_SAME

MODULES = [
    hostile(
        "a memory map in NumPy's own format",
        "PD307",
        "PD410",
        body="np.lib.format.open_memmap('CANARY/gotcha', 'w+', np.float32, (9,))",
    ),
    hostile("an archive to write", "PD307", "PD410", body="np.lib._npyio_impl.zipfile_factory('CANARY/gotcha', 'w')"),
    hostile("open by the data source's opener", "PD307", "PD410", body="np.lib._datasource.open('CANARY/kept', 'w')"),
    hostile(
        "a converter that acts",
        "PD307",
        "PD410",
        body=f"np.loadtxt(['CANARY/kept'], dtype=object, converters={OS}.remove, encoding='utf-8')",
    ),
    hostile(
        "fill by a function that acts",
        "PD307",
        "PD410",
        body=f"np.fromfunction(lambda i: {OS}.truncate('CANARY/kept', 0), (1,))",
    ),
    hostile(
        "a where that is a file",
        "PD307",
        "PD410",
        body=f"np.piecewise(x, [x > -9], [lambda y: {BUILTINS}['open']('CANARY/gotcha', 'x')])",
    ),
    hostile("time a text that is code", "PD307", "PD410", body="np.testing.measure(\"open('CANARY/gotcha', 'w')\")"),
    hostile("NumPy's loader reads a file", "PD308", "PD410", body="np.__loader__.get_data('/etc/hostname')"),
    hostile(
        "NumPy's loader runs a file",
        "PD308",
        "PD410",
        body="np.__spec__.loader.__class__('kept', 'CANARY/kept').load_module('kept')",
    ),
    hostile("strides that lead out", "PD303", "PD410", body="y = x.copy()\ny.strides = (4096 * 4096,)\nx = y"),
    hostile(
        "the address of an array",
        "PD307",
        *NEVER_THE_SAME,
        body="x = x + np.lib.array_utils.byte_bounds(np.zeros(1000))[0] % 9973",
    ),
    hostile("a huge buffer for all", "PD307", "PD410", body="np.setbufsize(10**9)"),
    hostile("dates", "PD307", "PD454", body="x = x.astype(np.datetime64)"),
    hostile("complex numbers", "PD304", "PD454", body="x = x * 1j"),
    hostile("a matrix", "PD307", "PD455", body="x = np.matrix(x)"),
    hostile(
        "a structure by a dict",
        "PD319",
        "PD454",
        body="x = np.zeros(len(x), dtype={'names': ['a'], 'formats': [np.float32]})",
    ),
    hostile("objects by the type of a list", "PD319", "PD454", body="x = x.astype(list)"),
    hostile("add to what is read only", "PD320", "PD411", body="np.add.at(x, 0, 1)"),
    hostile("einsum into the input", "PD320", "PD410", body="np.einsum('r->r', x * 2, out=x)"),
    hostile(
        "a constant array through add.at",
        "PD320",
        "PD412",
        top="SEEN = np.array([0.0])",
        body="np.add.at(SEEN, 0, 1)\nx = x + SEEN[0]",
    ),
]
