"""Rules on what a module may consist of: imports, module level, statements and expressions."""

from __future__ import annotations

import libcst as cst

from protocol_designer.rules.allowed import CONTRACT_IMPORTS, IMPORTS
from protocol_designer.rules.literals import is_literal, is_name_list
from protocol_designer.rules.reading import is_docstring, target_names
from protocol_designer.rules.rule import Rule, normal
from protocol_designer.rules.values import Value

__all__ = ["Expressions", "Imports", "ModuleLevel", "Statements"]

_ALLOWED_IMPORTS = "allowed: " + ", ".join(f"'{line}'" for line in IMPORTS)


class Imports(Rule):
    """A protocol imports NumPy as `np`, `math`, and for annotations the contract's three names; at the top, once.

    Remedy: remove the import and write what it was for with `np`.
    """

    code = "PD301"
    title = "an import that is not allowed"

    def visit_Import(self, node: cst.Import) -> None:
        for alias in node.names:
            module = normal(cst.Module([]).code_for_node(alias.name).replace(" ", ""))
            alias_name = alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else None
            if (module, alias_name) not in (("numpy", "np"), ("math", None), ("math", "math")):
                written = module if alias_name is None else f"{module} as {alias_name}"
                self.report(alias, f"import of '{written}'", _ALLOWED_IMPORTS)
        self._must_be_at_the_top(node)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        module = "." * len(node.relative)
        if node.module is not None:
            module += normal(cst.Module([]).code_for_node(node.module).replace(" ", ""))
        if isinstance(node.names, cst.ImportStar):
            self.report(node, f"import of everything from '{module}'", _ALLOWED_IMPORTS)
            return
        for alias in node.names:
            name = normal(alias.name.value) if isinstance(alias.name, cst.Name) else "?"
            renamed = alias.asname is not None
            contract = module == "generated_protocols" and name in CONTRACT_IMPORTS
            future = module == "__future__" and name == "annotations"
            if renamed or not (contract or future):
                as_text = " under another name" if renamed else ""
                self.report(alias, f"import of '{name}' from '{module}'{as_text}", _ALLOWED_IMPORTS)
        self._must_be_at_the_top(node)

    def _must_be_at_the_top(self, node: cst.Import | cst.ImportFrom) -> None:
        if self.reading.is_inside(node, cst.FunctionDef):
            self.report(node, "an import inside a function", "imports stand at the top of the module")


class ModuleLevel(Rule):
    """A module holds a docstring, imports, functions, and constants that are literals. It keeps nothing between calls.

    A literal is a number, a string, True, False, None, np.pi and its like, a dtype, an earlier constant; arithmetic,
    comparisons, indices and comprehensions of those; range, sum, a function of `math`, np.array, np.arange and their
    like of those; or a tuple, list or dict of those. Each name is assigned once. Arrays of the module are read-only.
    Type aliases and `__all__` are fine. Defaults of parameters are literals too, but not lists, dicts or arrays.
    Remedy: move the statement into the function that uses it.
    """

    code = "PD302"
    title = "a statement at module level that is not an import, a function or a literal constant"

    def visit_Module(self, node: cst.Module) -> None:
        known: set[str] = set()
        for statement in node.body:
            if isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    self._check(small, known)
            elif not isinstance(statement, cst.FunctionDef):
                hint = "move it into send() or receive()"
                self.report(statement, f"a {_kind(statement)} at module level", hint)

    def _check(self, small: cst.BaseSmallStatement, known: set[str]) -> None:
        if isinstance(small, cst.Import | cst.ImportFrom | cst.Pass) or is_docstring(small):
            return
        value = small.value if isinstance(small, cst.Assign | cst.AnnAssign) else None
        if value is None or not isinstance(small, cst.Assign | cst.AnnAssign):
            self.report(small, f"a {_kind(small)} at module level", "move it into send() or receive()")
            return
        targets = [small.target] if isinstance(small, cst.AnnAssign) else [t.target for t in small.targets]
        name = getattr(targets[0], "value", "?")
        if not all(isinstance(target, cst.Name) or _is_unpacking(target, value) for target in targets):
            self.report(small, "module-level assignment to something else than a name", "write NAME = literal")
        elif name in self.reading.aliases or (name == "__all__" and is_name_list(value)):
            pass
        elif not is_literal(value, known):
            hint = "constants are numbers, strings, or tuples of those; compute it inside the function that uses it"
            self.report(value, f"the module-level constant '{name}' is not a literal", hint)
        names = {part.value for target in targets for part in target_names(target)}
        for again in sorted(names & known):
            self.report(small, f"the constant '{again}' is assigned twice", "give each constant a name of its own")
        known |= names

    def visit_Param(self, node: cst.Param) -> None:
        if node.default is not None and (_is_mutable(node.default) or not is_literal(node.default, self._constants)):
            hint = "defaults are numbers, strings, None, or tuples of those"
            self.report(node.default, f"the default value of '{node.name.value}' is not a literal", hint)

    @property
    def _constants(self) -> set[str]:
        return set(self.reading.constants) - set(self.reading.aliases)


def _is_mutable(node: cst.CSTNode) -> bool:
    """Return whether a default holds a list, a dict, or what a call or a comprehension made, at any depth."""
    kinds = cst.List | cst.Dict | cst.Call | cst.ListComp | cst.DictComp | cst.GeneratorExp
    return isinstance(node, kinds) or any(_is_mutable(child) for child in node.children)


def _is_unpacking(target: cst.CSTNode, value: cst.BaseExpression) -> bool:
    """Return whether a literal goes to several names, as in LOW, HIGH = 0.0, 1.0 and N, S, E, W = range(4)."""
    if not isinstance(target, cst.Tuple) or not all(isinstance(element.value, cst.Name) for element in target.elements):
        return False
    if any(isinstance(element, cst.StarredElement) for element in target.elements):
        return False
    return not isinstance(value, cst.Tuple) or len(target.elements) == len(value.elements)


def _kind(node: cst.CSTNode) -> str:
    names = {"Expr": "bare expression", "If": "'if'", "For": "'for' loop", "AugAssign": "changed constant"}
    return names.get(type(node).__name__, f"'{type(node).__name__.lower()}' statement")


class Statements(Rule):
    """Functions consist of assignments, `if`, `for` over something bounded, `assert`, `pass` and `return`.

    Remedy: `while` becomes `for step in range(n)`; what classes, `try` and `with` are for is not needed: a protocol
    holds no state, reads no files, and treats missing values with np.where.
    """

    code = "PD303"
    title = "a statement that protocols do not have"

    def visit_While(self, node: cst.While) -> None:
        self.report(node, "'while' loop", "use 'for step in range(n)' with a fixed n, or np.where on whole arrays")

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.report(node, "class definition", "write functions; a protocol keeps no state")

    def visit_Try(self, node: cst.Try) -> None:
        self.report(node, "'try' statement", "test with np.where or np.isfinite; errors of a protocol must be seen")

    def visit_TryStar(self, node: cst.TryStar) -> None:
        self.report(node, "'try' statement", "test with np.where or np.isfinite; errors of a protocol must be seen")

    def visit_With(self, node: cst.With) -> None:
        hint = "remove it; guard divisions with np.maximum(divisor, 1e-6) or np.where"
        self.report(node, "'with' statement", hint)

    def visit_Match(self, node: cst.Match) -> None:
        self.report(node, "'match' statement", "use np.where or np.select on whole arrays")

    def visit_Global(self, node: cst.Global) -> None:
        self.report(node, "'global' statement", "a protocol keeps no state: read the past with own.past(name)")

    def visit_Nonlocal(self, node: cst.Nonlocal) -> None:
        self.report(node, "'nonlocal' statement", "a protocol keeps no state: read the past with own.past(name)")

    def visit_Del(self, node: cst.Del) -> None:
        self.report(node, "'del' statement", "leave the name; it ends with the function")

    def visit_Raise(self, node: cst.Raise) -> None:
        self.report(node, "'raise' statement", "a protocol answers every input with finite numbers; use np.where")

    def visit_TypeAlias(self, node: cst.TypeAlias) -> None:
        self.report(node, "'type' statement", "write the annotation out")

    def visit_Decorator(self, node: cst.Decorator) -> None:
        self.report(node, "decorator", "plain functions only")

    def visit_Asynchronous(self, node: cst.Asynchronous) -> None:
        self.report(node, "'async'", "plain functions and loops only")

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        if self.reading.enclosing_function(node) is not node:
            self.report(node, f"function '{node.name.value}' inside a function", "move it to module level")
        if node.type_parameters is not None:
            self.report(node.type_parameters, "type parameters", "plain functions only")
        for star in (node.params.star_arg, node.params.star_kwarg):
            if isinstance(star, cst.Param):
                hint = "name the parameters, or pass a tuple"
                self.report(star, f"parameter '{star.star}{star.name.value}' of any number", hint)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._target(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._target(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._target(node.target)

    def visit_For(self, node: cst.For) -> None:
        self._target(node.target)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._target(node.target)

    def _target(self, target: cst.BaseExpression) -> None:
        if isinstance(target, cst.Attribute):
            self.report(target, f"assignment to the attribute '.{target.attr.value}'", "assign to a name or a slice")
        elif isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self._target(element.value)


class Expressions(Rule):
    """Expressions are arithmetic, comparisons, indexing, calls, displays and comprehensions of lists, tuples and dicts.

    `*` may stand before a list whose length can be seen, in a display or a target, and as arguments of a function of
    this module or of x.reshape.
    Remedy: write a module-level function for a `lambda`, an assignment of its own for `:=`, a tuple for a set.
    """

    code = "PD304"
    title = "an expression that protocols do not have"

    def visit_Lambda(self, node: cst.Lambda) -> None:
        self.report(node, "'lambda'", "write a function at module level")

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self.report(node, "':=' inside an expression", "assign on a line of its own")

    def visit_Yield(self, node: cst.Yield) -> None:
        self.report(node, "'yield'", "return a dict of components")

    def visit_Await(self, node: cst.Await) -> None:
        self.report(node, "'await'", "a protocol runs at once")

    def visit_Set(self, node: cst.Set) -> None:
        self.report(node, "set", "its order differs from run to run; use a tuple")

    def visit_SetComp(self, node: cst.SetComp) -> None:
        self.report(node, "set comprehension", "its order differs from run to run; use a list")

    def visit_Imaginary(self, node: cst.Imaginary) -> None:
        self.report(node, f"complex number {node.value}", "messages are real numbers")

    def visit_StarredElement(self, node: cst.StarredElement) -> None:
        if self._has_no_bound(node.value):
            hint = "write the elements out, or take a list whose length can be seen"
            self.report(node, "'*' of something whose length cannot be seen", hint)

    def visit_StarredDictElement(self, node: cst.StarredDictElement) -> None:
        value = self.reading.trace.value(node.value)
        if node.value in self.reading.trace.values and (not value.is_dict or value.entries is None):
            self.report(node, "'**' of something whose keys cannot be seen", "write the entries out")

    def visit_Index(self, node: cst.Index) -> None:
        if node.star:
            self.report(node, "'*' inside an index", "write the indices out")

    def visit_Call(self, node: cst.Call) -> None:
        for arg in node.args:
            value = self.reading.trace.value(arg.value)
            if arg.star == "**":
                self.report(arg, "'**' in a call", "write the arguments out")
            elif arg.star and arg.value in self.reading.trace.values and not self._may_be_spread(node, value):
                hint = "write the arguments out; '*' of a list that can be seen may go to functions of this module"
                self.report(arg, "'*' in a call", hint)

    def _may_be_spread(self, node: cst.Call, value: Value) -> bool:
        """Return whether every argument that `*` gives is known to the other rules, or is one of a shape."""
        if isinstance(node.func, cst.Attribute):
            of_module = isinstance(node.func.value, cst.Name) and node.func.value.value in ("np", "math")
            return value.is_list and not of_module and node.func.attr.value in ("reshape", "transpose")
        called = node.func.value if isinstance(node.func, cst.Name) else ""
        return value.items is not None and (called in self.reading.functions or called in ("zip", "min", "max"))

    def _has_no_bound(self, node: cst.BaseExpression) -> bool:
        """Return whether a value that was seen has no known number of elements; one never reached is never run."""
        return node in self.reading.trace.values and self.reading.trace.value(node).steps is None

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        if isinstance(node.operator, cst.Modulo) and isinstance(node.left, cst.SimpleString | cst.ConcatenatedString):
            self.report(node, "text formatting with '%'", "write own[f'enemy_{i}.health']")

    def visit_TemplatedString(self, node: cst.TemplatedString) -> None:
        self.report(node, "template string", "names are string literals")
