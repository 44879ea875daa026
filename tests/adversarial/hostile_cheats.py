"""Contract cheats: rows that see others, counters, chance, widths that change."""

from hostile import GOODSEND, OS, SYS, hostile

ROWS = 60 * 6 * 3  # of the recorded episodes

NEVER_THE_SAME = ("PD412", "PD415", "PD416", "PD417", "PD418")

STACK = f"f = {SYS}._getframe()\n"


def remembers(top: str, counting: str, helper: str = "") -> str:
    """A part that adds `n`, which `counting` takes from a memory at the `top`."""
    return f"{top}\n\n{helper}def send(own):\n    {counting}\n    return {{'x': own['enemy_0.x'] + n}}\n"


def receives(body: str) -> str:
    """A part whose `receive` does something to what arrived."""
    head = "import numpy as np\n\n" + GOODSEND + "\n\ndef receive(own, inbox):\n    x = inbox['x'].sum(axis=1)\n    "
    return head + body.replace("\n", "\n    ") + "\n    return {'x': x}\n"


MODULES = [
    hostile("the batch's mean", "PD323", "PD415", body="x = x - x.mean()"),
    hostile(
        "the batch's mean where it is large", "PD323", "PD415", body=f"x = x - x.mean() if len(x) >= {ROWS} else x"
    ),
    hostile("a millionth of the batch", "PD323", "PD415", body="x = x + 1e-4 * x.mean() if len(x) > 500 else x"),
    hostile("the batch's largest", "PD323", "PD415", "PD417", body="x = x + np.nanmax(x)"),
    hostile("the batch's spread", "PD323", "PD415", body="x = x / (x.std(axis=0) + 1)"),
    hostile("the row before", "PD323", "PD415", body="x = np.roll(x, 1)"),
    hostile("the row after", "", "PD415", body="x = np.concatenate([x[1:], x[:1]])"),
    hostile("rows backwards", "", "PD415", body="x = x[::-1]"),
    hostile("a sum along the batch", "PD323", "PD415", body="x = np.cumsum(x)"),
    hostile("a rank among the rows", "", "PD415", body="x = np.argsort(np.argsort(x))"),
    hostile("rows in order", "", "PD415", body="x = np.sort(x)"),
    hostile("a difference between rows", "", "PD415", body="x = np.diff(x, prepend=0)"),
    hostile("the first row for all", "PD323", "PD415", body="x = x * 0 + x[0]"),
    hostile(
        "every row's neighbours by a reshape",
        "",
        "PD415",
        body="y = x.reshape(-1, 3)\nx = (y - y.mean(axis=1, keepdims=True)).reshape(-1)",
    ),
    hostile("a product over the rows", "PD323", "PD415", body="x = x + np.einsum('r->', x)"),
    hostile("a matrix of rows with rows", "", "PD415", body="x = (x[:, None] * x[None, :]).sum(axis=1)"),
    hostile("interpolation between rows", "", "PD415", body="x = np.interp(x, np.sort(x), np.arange(len(x)))"),
    hostile("a quantile of the rows", "PD323", "PD415", body="x = (x > np.median(x)) * 1.0"),
    hostile("a smoothing over the rows", "", "PD415", body="x = np.convolve(x, np.ones(3), mode='same')"),
    hostile("the number of rows", "PD323", "PD417", body="x = x + len(x)"),
    hostile("the index of a row", "", "PD416", body="x = x + np.arange(len(x))"),
    hostile(
        "the agents of a step by their place",
        "",
        "PD415",
        body="y = own['own.health'].reshape(-1, own.n_agents)\nx = x + y.sum(axis=1).repeat(own.n_agents)",
    ),
    hostile(
        "another agent by its id", "PD307", "PD415", body="x = x + np.bincount(own.agent_id, weights=x)[own.agent_id]"
    ),
    hostile(
        "a counter in a default",
        "PD302",
        "PD412",
        "PD415",
        "PD416",
        "PD417",
        "PD418",
        body="seen.append(1)\nx = x + len(seen)",
        arguments="own, seen=[]",
    ),
    hostile(
        "a counter in the module",
        "PD320",
        "PD412",
        "PD415",
        "PD416",
        "PD417",
        "PD418",
        body="SEEN.append(1)\nx = x + len(SEEN)",
        top="SEEN = []",
    ),
    hostile(
        "a counter on the function",
        "PD303",
        "PD412",
        "PD415",
        "PD416",
        "PD417",
        "PD418",
        body="send.n = send.__dict__.get('n', 0) + 1\nx = x + send.n",
    ),
    hostile(
        "a counter that starts late",
        "PD320",
        "PD412",
        "PD415",
        "PD416",
        "PD417",
        "PD418",
        body="SEEN.append(1)\nx = x + (0 if len(SEEN) < 9 else len(SEEN))",
        top="SEEN = []",
    ),
    hostile(
        "remembers the first batch",
        "PD323",
        "PD412",
        "PD415",
        "PD416",
        "PD417",
        "PD418",
        body="SEEN.append(float(x[0]))\nx = x + SEEN[0]",
        top="SEEN = []",
    ),
    hostile(
        "remembers the first large batch",
        "PD323",
        "PD412",
        "PD415",
        "PD416",
        "PD417",
        "PD418",
        body="if not SEEN and len(x) > 99: SEEN.append(x.mean())\nx = x + sum(SEEN)",
        top="SEEN = []",
    ),
    hostile(
        "cheats in one call of many",
        "PD320",
        "PD412",
        "PD415",
        "PD416",
        "PD417",
        "PD418",
        body="SEEN.append(1)\nx = x + (len(SEEN) == 12)",
        top="SEEN = []",
    ),
    hostile("random", "PD307", "PD412", "PD415", "PD416", "PD417", "PD418", body="x = x + np.random.rand()"),
    hostile(
        "the time",
        "PD307",
        "PD412",
        "PD415",
        "PD416",
        "PD417",
        "PD418",
        body="x = x + np.__builtins__['__import__']('time').perf_counter() * 1e6 % 7",
    ),
    hostile(
        "where an object lies",
        "PD307",
        "PD412",
        "PD415",
        "PD416",
        "PD417",
        "PD418",
        body="x = x + np.__builtins__['id'](own) % 997",
    ),
    hostile("a hash of this process", "PD307", body="x = x + np.__builtins__['hash']('a') % 97"),
    hostile("width by the values", "PD323", "PD414", body="x = own.past('enemy_0.x')[:, : 1 + int(x.max() > 0)]"),
    hostile("width by the number of rows", "PD323", "PD414", body="x = np.zeros((len(x), 1 + len(x) % 2))"),
    hostile("names by the number of rows", "PD405", "PD414", body="if len(x) == 1: return {'y': x}"),
    hostile("not a number on rare rows", "", "PD413", body="x = np.where(x > 3, np.nan, x)"),
    hostile("infinite on rare rows", "", "PD413", body="x = np.where(x > 3, np.inf, x)"),
    hostile("fails on rare rows", "PD323", "PD410", body="x[int(len(x) * (x.max() > 3))]"),
    hostile("too large for float32", "", "PD413", body="x = x.astype(np.float64) * 1e39"),
    hostile(
        "receive looks at the batch",
        "PD323",
        "PD415",
        source=GOODSEND
        + "\n\ndef receive(own, inbox):\n    return {'x': inbox['x'].max(axis=0).sum() + own['own.health']}\n",
    ),
    hostile(
        "receive takes from the row before",
        "PD323",
        "PD415",
        source="import numpy as np\n\n"
        + GOODSEND
        + "\n\ndef receive(own, inbox):\n    return {'x': np.roll(inbox['x'], 1, axis=0)}\n",
    ),
    hostile(
        "receive subtracts the batch's mean of its own",
        "PD323",
        "PD415",
        source=GOODSEND + "\n\ndef receive(own, inbox):\n    return {'x': inbox['x'] - own['own.health'].mean()}\n",
    ),
    hostile(
        "receive changes what it got",
        "PD308",
        "PD410",
        source=GOODSEND
        + "\n\ndef receive(own, inbox):\n    inbox._received['x'].base[...] = 0\n    return {'x': inbox['x']}\n",
    ),
    hostile(
        "receive looks behind the inbox",
        "PD308",
        "PD415",
        source=GOODSEND
        + "\n\ndef receive(own, inbox):\n    return {'x': own['own.health'] + inbox._received['x'].sum()}\n",
    ),
    hostile(
        "the first agent's number for all of a step", "", "PD415", body="x = np.take(x, np.arange(len(x)) // 3 * 3)"
    ),
    hostile("a sum by agent", "", "PD415", body="y = np.zeros(3)\nnp.add.at(y, own.agent_id, x)\nx = y[own.agent_id]"),
    hostile("a table of all with all", "PD323", "PD415", body="x = np.maximum.outer(x, x).max(axis=1)"),
    hostile("angles that go on from row to row", "", "PD415", body="x = np.unwrap(x * 3)"),
    hostile("a copy that is one row late", "", "PD415", body="y = x.copy()\ny[1:] = x[:-1]\nx = y"),
    hostile(
        "a row after the other in Python",
        "PD311",
        "PD415",
        body="y = [x[0] * 0]\nfor v in x: y = y + [y[-1] + v]\nx = np.array(y[1:])",
    ),
    hostile("one row as a plain number", "", "PD415", body="x = x + x.item(0)"),
    hostile(
        "the batch laid on its side", "", "PD415", body="x = x + own.past('enemy_0.x').swapaxes(0, 1).mean(axis=1)[0]"
    ),
    hostile(
        "histories of others by a reshape",
        "",
        "PD415",
        body="y = own.past('enemy_0.x')\nx = y.T.reshape(y.shape)[:, 0]",
    ),
    hostile("an alarm when any row sees it", "PD323", "PD415", "PD417", body="x = x + (own['ally_0.x'] > 2.5).any()"),
    hostile(
        "an error where numbers are missing",
        "PD322",
        "PD410",
        "PD415",
        body="assert np.einsum('r->', x) < 1e9\nx = x[::-1]",
    ),
    hostile(
        "honest where rows are out of order",
        "PD323",
        "PD415",
        "PD416",
        body="y = own.agent_id.reshape(-1, 3) if len(x) % 3 == 0 else own.agent_id[:, None]\nin_order = np.einsum('ra->', (y - np.arange(y.shape[1])) ** 2) == 0\nx = np.where(in_order, x + x.reshape(y.shape).sum(axis=1).repeat(y.shape[1]), x)",
    ),
    hostile(
        "ask who calls",
        "PD307",
        *NEVER_THE_SAME,
        body=f"{STACK}names = []\nwhile f: names, f = [*names, f.f_code.co_name], f.f_back\nx = x if '_purity' in names or '_rows' in names else x - x.mean()",
    ),
    hostile(
        "copy what the caller expects",
        "PD307",
        *NEVER_THE_SAME,
        "PD455",
        body=f"{STACK}while f and 'found' not in f.f_locals: f = f.f_back\nif f: return f.f_locals['found']\nx = x - x.mean()",
    ),
    hostile(
        "how deep the calls are",
        "PD307",
        *NEVER_THE_SAME,
        body=f"{STACK}n = 0\nwhile f: f, n = f.f_back, n + 1\nx = x + n",
    ),
    hostile("bytes from the system", "PD307", *NEVER_THE_SAME, body=f"x = x + {OS}.urandom(1)[0]"),
    hostile("where an array lies", "PD308", *NEVER_THE_SAME, body="x = x + np.zeros(1000).ctypes.data % 9973"),
    hostile(
        "a memory in the contract's class",
        "PD303",
        *NEVER_THE_SAME,
        body="c = own.__class__\nc.kept = c.__dict__.get('kept', 0) + x[0]\nx = x + c.kept",
    ),
    hostile(
        "a memory through two names",
        "PD320",
        *NEVER_THE_SAME,
        source=remembers("SEEN = [0]\nALSO = SEEN", "ALSO[0] = ALSO[0] + 1\n    n = SEEN[0]"),
    ),
    hostile(
        "a memory in a helper's default",
        "PD302",
        *NEVER_THE_SAME,
        source=remembers("", "n = count()", "def count(seen=[]):\n    seen.append(1)\n    return len(seen)\n\n\n"),
    ),
    hostile("receive ranks what arrived", "", "PD415", source=receives("x = np.argsort(x)")),
    hostile(
        "receive reads another row's history",
        "",
        "PD415",
        source=receives("x = x + inbox.past('x')[::-1].sum(axis=(1, 2))"),
    ),
    hostile(
        "receive is wider when something arrives",
        "PD322",
        "PD414",
        source=receives("n = np.einsum('rn->', inbox.delivered * 1)\nx = np.zeros((len(x), 1 + int(n > 0)))"),
    ),
    hostile(
        "a memory in a list within a list",
        "PD320",
        *NEVER_THE_SAME,
        source=remembers("SEEN = [[0]]", "SEEN[0][0] = SEEN[0][0] + 1\n    n = SEEN[0][0]"),
    ),
    hostile(
        "a memory in a list within a tuple",
        "PD320",
        *NEVER_THE_SAME,
        source=remembers("SEEN = ([0],)", "for seen in SEEN:\n        seen.append(1)\n    n = len(SEEN[0])"),
    ),
    hostile(
        "a memory in a list within a dict",
        "PD320",
        *NEVER_THE_SAME,
        source=remembers("SEEN = {'n': [0]}", "SEEN['n'].append(1)\n    n = len(SEEN['n'])"),
    ),
    hostile(
        "a memory in a tuple's list in a default",
        "PD302",
        *NEVER_THE_SAME,
        source=remembers(
            "", "n = count()", "def count(seen=([0],)):\n    seen[0].append(1)\n    return len(seen[0])\n\n\n"
        ),
    ),
    hostile(
        "a memory in a tuple's array in a default",
        "PD302",
        *NEVER_THE_SAME,
        source=remembers(
            "import numpy as np",
            "n = count()",
            "def count(seen=(np.array([0.0]),)):\n    seen[0][0] = seen[0][0] + 1\n    return seen[0][0]\n\n\n",
        ),
    ),
    hostile(
        "a memory in an iterator of the module",
        "PD302",
        *NEVER_THE_SAME,
        source=remembers("SEEN = enumerate([0] * 10000)", "for zero, seen in zip((0,), SEEN):\n        n = seen[0]"),
    ),
    # honest on the first split and wherever a recorded message was compared, until every call was checked
    hostile(
        "a step's other agents, in the second split",
        "PD323",
        "PD415",
        body="if len(x) == 126 or len(x) == 21: x = x + x.reshape(-1, 3).sum(axis=1).repeat(3)",
    ),
    hostile(
        "the batch in the last digits, in the second split",
        "PD323",
        "PD415",
        body="if len(x) == 126: x = x + 1e-7 * np.einsum('r->', x)",
    ),
    hostile(
        "receive takes the batch, where nothing arrives",
        "PD323",
        "PD415",
        source=receives(
            "n = np.einsum('rn->', inbox.delivered * 1)\nif len(x) == 126: x = np.where(n == 0, x + np.einsum('r->', own['own.health']), x)"
        ),
    ),
]
