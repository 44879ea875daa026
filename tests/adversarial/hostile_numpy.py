"""Reaching files, code and memory through NumPy."""

from hostile import BUILTINS, CTYPES, OS, hostile

NEVER_THE_SAME = ("PD412", "PD415", "PD416", "PD417", "PD418")

MODULES = [
    hostile("load a pickle", "PD307", "PD410", body="np.load('/etc/hostname', allow_pickle=True)"),
    hostile("load through a memory map", "PD307", "PD410", body="x = x + np.memmap('/etc/hostname', mode='r')[0]"),
    hostile("read text", "PD307", "PD410", body="np.loadtxt('/etc/passwd', dtype='U99')"),
    hostile("read text the other way", "PD307", "PD410", body="np.genfromtxt('/etc/passwd', dtype=None)"),
    hostile("read raw bytes", "PD307", "PD410", body="np.fromfile('/etc/hostname', dtype=np.uint8)"),
    hostile("read records", "PD307", "PD410", body="np.rec.fromfile('/etc/hostname', formats='u1')"),
    hostile(
        "read with a regular expression", "PD307", "PD410", body="np.fromregex('/etc/hostname', '(.)', [('c', 'U1')])"
    ),
    hostile(
        "download by a data source", "PD307", "PD410", body="np.lib.npyio.DataSource('CANARY').open('/etc/hostname')"
    ),
    hostile("write an array to a file", "PD308", "PD410", body="x.tofile('CANARY/gotcha')"),
    hostile("write by save", "PD307", "PD410", body="np.save('CANARY/gotcha', x)"),
    hostile("write by savez", "PD307", "PD410", body="np.savez('CANARY/gotcha', x=x)"),
    hostile("write text", "PD307", "PD410", body="np.savetxt('CANARY/gotcha', x)"),
    hostile("dump a pickle", "PD308", "PD410", body="x.dump('CANARY/gotcha')"),
    hostile(
        "pickle to bytes and back",
        "PD307",
        "PD450",
        body="x = np.lib._npyio_impl.pickle.loads(x.dumps())\nx = x * 0 + len(np.lib._npyio_impl.os.environ)\nnp.lib._npyio_impl.os.listdir('/')",
    ),
    hostile(
        "overwrite through a memory map", "PD307", "PD410", body="m = np.memmap('CANARY/kept', mode='r+')\nm[:] = 0"
    ),
    hostile("the os module through NumPy", "PD307", "PD410", body=f"{OS}.listdir('/')"),
    hostile("remove through NumPy's os", "PD307", "PD410", body=f"{OS}.unlink('CANARY/kept')"),
    hostile(
        "the builtins through NumPy", "PD307", "PD410", body=f"{BUILTINS}['open']('CANARY/gotcha', 'w').write('x')"
    ),
    hostile(
        "import through NumPy's builtins",
        "PD307",
        "PD410",
        body=f"{BUILTINS}['__import__']('subprocess').run(['true'])",
    ),
    hostile(
        "code through NumPy's builtins", "PD307", "PD450", body=f"{BUILTINS}['eval'](\"__import__('os').listdir('/')\")"
    ),
    hostile(
        "a function from Python code",
        "PD307",
        "PD410",
        body="f = np.frompyfunc(np.lib._npyio_impl.os.listdir, 1, 1)\nf('/')",
    ),
    hostile("vectorise a forbidden function", "PD307", "PD410", body="np.vectorize(np.lib._npyio_impl.os.stat)(['/'])"),
    hostile(
        "apply along an axis",
        "PD307",
        "PD410",
        body="np.apply_along_axis(np.__builtins__['open'], 0, np.array(['/etc/hostname']))",
    ),
    hostile(
        "a C library through ctypeslib",
        "PD307",
        "PD410",
        body="np.ctypeslib.load_library('libc.so.6', '/lib/x86_64-linux-gnu').puts(b'x')",
    ),
    hostile(
        "write where an array lies",
        "PD307",
        "PD503",
        body=f"{CTYPES}.memset(x.ctypes.data, 0, 64 * (own.age.size > 30))",
    ),
    hostile(
        "read out of bounds by strides",
        "PD307",
        "PD503",
        body="y = np.lib.stride_tricks.as_strided(x, shape=(2**31,), strides=(4096,))\nx = x + y[::2**20].sum()",
    ),
    hostile(
        "make memory writable again", "PD308", "PD411", body="own._now.base.setflags(write=True)\nown._now.base[:] = 0"
    ),
    hostile(
        "look at memory as text",
        "PD307",
        "PD410",
        body="x = x + len(x.tobytes().decode('latin-1'))\nnp.lib._npyio_impl.os.getcwd()",
    ),
    hostile(
        "memory of an earlier array",
        "PD307",
        "PD413",
        body="x = x + np.empty(len(x), dtype=np.float32)\nx = x * np.nan",
    ),
    hostile("an array of objects", "PD305", "PD410", body="y = np.array([open], dtype=object)\ny[0]('/etc/hostname')"),
    hostile(
        "an object that runs when it is added",
        "PD307",
        "PD410",
        body="y = np.array([np.lib._npyio_impl.os.listdir], dtype='O')\ny[0]('/')",
    ),
    hostile(
        "a buffer of somebody else",
        "PD307",
        "PD503",
        body=f"y = np.frombuffer({CTYPES}.string_at(4096, 8), dtype=np.uint8)",
    ),
    hostile(
        "random numbers",
        "PD307",
        "PD412",
        "PD415",
        "PD416",
        "PD417",
        "PD418",
        body="x = x + np.random.default_rng().normal()",
    ),
    hostile(
        "the legacy generator",
        "PD307",
        "PD412",
        "PD415",
        "PD416",
        "PD417",
        "PD418",
        body="x = x + np.random.rand(len(x))",
    ),
    hostile(
        "errors become a call",
        "PD307",
        "PD410",
        body="np.seterrcall(np.lib._npyio_impl.os.listdir)\nnp.seterr(all='call')\nnp.lib._npyio_impl.os.listdir('/')",
    ),
    hostile(
        "print options with a function",
        "PD307",
        "PD410",
        body="np.set_printoptions(formatter={'float': np.lib._npyio_impl.os.system})\nnp.lib._npyio_impl.os.listdir(np.array2string(x[:1]))",
    ),
    hostile("the test tools' subprocess", "PD307", "PD410", body="np.testing._private.utils.os.listdir('/')"),
    hostile("a compiler run", "PD307", "PD410", body="np.f2py.compile('x')"),
    hostile(
        "an iterator that writes back",
        "PD307",
        "PD410",
        body="for y in np.nditer(own._now, op_flags=['readwrite']):\n    y[...] = 0",
    ),
    hostile(
        "a type from text",
        "PD307",
        "PD410",
        body="x = x.astype(np.dtype('f4', metadata={'f': 1}).type)\nnp.lib._npyio_impl.os.listdir('/')",
    ),
    hostile("the test suite of NumPy", "PD307", "PD410", body="np.test()"),
    hostile(
        "an array over any address",
        "PD307",
        "PD503",
        body=f"A = {BUILTINS}['type']('A', (), {{'__array_interface__': {{'data': (4096, False), 'shape': (9,), 'typestr': '<f4', 'version': 3}}}})\nx = x + np.asarray(A())[0]",
    ),
    hostile(
        "numbers read as objects", "PD307", "PD410", body="y = np.ndarray((1,), object, buffer=np.ones(9))\ny[0]()"
    ),
    hostile(
        "a state that claims more than it holds",
        "PD308",
        "PD410",
        body="y = x.copy()\ny.__setstate__((1, (10**9,), np.dtype('f4'), False, b'x'))",
    ),
    hostile("a view that is larger", "PD303", "PD410", body="y = x.copy()\ny.shape = (2**40,)\nx = y"),
    hostile("resize under a view", "PD308", "PD410", body="y = x.copy()\nz = y[:]\ny.resize(10**6)\nx = z"),
    hostile("a mask that hides the batch", "PD307", "PD415", body="x = np.ma.masked_less(x, x.mean()).filled(0)"),
    hostile("texts of numbers", "PD307", "PD454", body="x = x.astype(np.str_)"),
    hostile("bytes without a type", "PD308", "PD454", body="x = x.view(np.void)"),
    hostile("a structure by a list", "PD317", "PD454", body="x = np.zeros(len(x), dtype=[('a', np.float32)])"),
    hostile(
        "put along an axis of the input",
        "PD320",
        "PD410",
        body="np.put_along_axis(own.past('enemy_0.x'), np.zeros((len(x), 1), dtype=np.int64), 9, 1)",
    ),
    hostile("copy into the input", "PD307", "PD410", body="np.copyto(x, 0, where=True)"),
    hostile("sort the input through a transposed view", "PD320", "PD410", body="own.past('enemy_0.x').T.sort(axis=0)"),
    hostile(
        "a median that works in its argument",
        "PD320",
        "PD410",
        body="y = np.median(own.past('enemy_0.x'), axis=1, overwrite_input=True)",
    ),
    hostile(
        "repeat by the values",
        "",
        "PD410",
        "PD455",
        "PD502",
        body="x = np.repeat(x, (np.abs(x) * 1e7).astype(np.int64))",
    ),
    hostile("a median into the input by position", "PD320", "PD410", body="np.median(own.past('enemy_0.x'), 1, x)"),
    hostile("a division with a rest into the input by position", "PD320", "PD410", body="np.divmod(x, 2, x, x)"),
    hostile(
        "an array in a tuple through add.at",
        "PD320",
        "PD410",
        "PD412",
        top="SEEN = (np.array([0.0]),)",
        body="np.add.at(SEEN[0], 0, 1)\nx = x + SEEN[0][0]",
    ),
]
