"""What the rules read: the tree with positions and parents, and the module's functions, constants and names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, ParentNodeProvider, PositionProvider

from protocol_designer.rules.annotations import is_alias
from protocol_designer.rules.trace import Trace

__all__ = ["Reading", "SchemaNames", "bound_names", "is_docstring", "target_names"]


@dataclass(frozen=True)
class SchemaNames:
    """The names of a task schema that a protocol may write, as plain values that cross a process border."""

    fields: tuple[str, ...]
    roles: tuple[str, ...]
    roles_vary: bool = False

    @property
    def n_agents(self) -> int:
        """N, the number of agents."""
        return len(self.roles)

    @property
    def ally_quantities(self) -> tuple[str, ...]:
        """What `own.allies` may be asked for: the quantities of the `ally_<slot>` entities."""
        pairs = (name.rpartition(".") for name in self.fields)
        return tuple(dict.fromkeys(quantity for entity, _, quantity in pairs if entity.startswith("ally_")))


def target_names(target: cst.CSTNode) -> Iterator[cst.Name]:
    """Yield the names that an assignment target binds; `x[0]` and `x.y` bind none."""
    if isinstance(target, cst.Name):
        yield target
    elif isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from target_names(element.value)


class _Names(cst.CSTVisitor):
    """Sorts every `Name` node: what is bound, what is only a label, and the rest, which refers to something."""

    def __init__(self) -> None:
        self.stores: list[cst.Name] = []
        self.labels: set[cst.Name] = set()
        self.annotations: list[cst.BaseExpression] = []
        self.references: list[cst.Name] = []

    def _bind(self, target: cst.CSTNode) -> None:
        self.stores += target_names(target)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._bind(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._bind(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._bind(node.target)

    def visit_For(self, node: cst.For) -> None:
        self._bind(node.target)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._bind(node.target)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._bind(node.target)

    def visit_Param(self, node: cst.Param) -> None:
        self.stores.append(node.name)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self.labels.add(node.attr)

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self.labels.add(node.keyword)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.labels.add(node.name)

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        self.annotations.append(node.annotation)
        return False

    def visit_Name(self, node: cst.Name) -> None:
        self.references.append(node)


def bound_names(function: cst.FunctionDef) -> frozenset[str]:
    """Return the names that a function binds: parameters, assignments, loop and comprehension variables."""
    names = _Names()
    function.visit(names)
    return frozenset(name.value for name in names.stores)


def is_docstring(statement: cst.CSTNode) -> bool:
    """Return whether a statement is a bare string."""
    return isinstance(statement, cst.Expr) and isinstance(statement.value, cst.SimpleString | cst.ConcatenatedString)


@dataclass
class Reading:
    """A parsed part, with what several rules ask of it. `schema` is None where no task is known."""

    module: cst.Module
    schema: SchemaNames | None
    positions: Mapping[cst.CSTNode, CodeRange]
    parents: Mapping[cst.CSTNode, cst.CSTNode]
    functions: dict[str, cst.FunctionDef] = field(default_factory=dict)
    duplicate_functions: list[cst.FunctionDef] = field(default_factory=list)
    constants: dict[str, cst.BaseExpression] = field(default_factory=dict)
    unpacked: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Constant → its place in the value that is unpacked, and how many names take a part of it."""
    aliases: dict[str, cst.BaseExpression] = field(default_factory=dict)
    """Type alias → what it stands for; aliases are constants, too."""
    stores: tuple[cst.Name, ...] = ()
    references: tuple[cst.Name, ...] = ()
    annotations: tuple[cst.BaseExpression, ...] = ()
    trace: Trace = field(default_factory=Trace)

    @classmethod
    def of(cls, text: str, schema: SchemaNames | None) -> Reading:
        """Parse `text`; raises `cst.ParserSyntaxError` for what LibCST cannot read."""
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        names = _Names()
        wrapper.module.visit(names)
        bound = set(names.stores)
        reading = cls(
            module=wrapper.module,
            schema=schema,
            positions=wrapper.resolve(PositionProvider),
            parents=wrapper.resolve(ParentNodeProvider),
            stores=tuple(names.stores),
            references=tuple(n for n in names.references if n not in bound and n not in names.labels),
            annotations=tuple(names.annotations),
        )
        reading._collect_module_level()
        return reading

    def _collect_module_level(self) -> None:
        for statement in self.module.body:
            if isinstance(statement, cst.FunctionDef):
                if statement.name.value in self.functions:
                    self.duplicate_functions.append(statement)
                self.functions[statement.name.value] = statement
            elif isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    if isinstance(small, cst.Assign):
                        for target in small.targets:
                            self._collect_constants(target.target, small.value)
                    elif isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name) and small.value:
                        self._collect_constants(small.target, small.value)

    def _collect_constants(self, target: cst.CSTNode, value: cst.BaseExpression) -> None:
        names = list(target_names(target))
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple) and len(names) == len(value.elements):
            self.constants |= {name.value: e.value for name, e in zip(names, value.elements, strict=True)}
            return
        self.constants |= {name.value: value for name in names}
        if isinstance(target, cst.Tuple | cst.List):
            self.unpacked |= {name.value: (place, len(names)) for place, name in enumerate(names)}
        elif is_alias(value, self.aliases):
            self.aliases |= {name.value: value for name in names}

    def enclosing_function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """Return the outermost function that `node` stands in, or None at module level."""
        found = None
        current: cst.CSTNode | None = node
        while current is not None:
            if isinstance(current, cst.FunctionDef):
                found = current
            current = self.parents.get(current)
        return found

    def raised(self) -> list[CodeRange]:
        """Return where `raise` statements stand."""
        return [place for node, place in self.positions.items() if isinstance(node, cst.Raise)]

    def comprehension_names(self, node: cst.CSTNode) -> frozenset[str]:
        """Return the names that the comprehensions around `node` bind."""
        found: set[str] = set()
        current = self.parents.get(node)
        while current is not None:
            clause = getattr(current, "for_in", None)
            while isinstance(clause, cst.CompFor):
                found |= {name.value for name in target_names(clause.target)}
                clause = clause.inner_for_in
            current = self.parents.get(current)
        return frozenset(found)

    def in_alias(self, node: cst.CSTNode) -> bool:
        """Return whether `node` stands in what a type alias stands for."""
        values = set(self.aliases.values())
        current: cst.CSTNode | None = node
        while current is not None and current not in values:
            current = self.parents.get(current)
        return current is not None

    def is_inside(self, node: cst.CSTNode, kind: type[cst.CSTNode]) -> bool:
        """Return whether `node` stands inside a node of `kind`."""
        current = self.parents.get(node)
        while current is not None and not isinstance(current, kind):
            current = self.parents.get(current)
        return current is not None

    def place(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return the line and column of `node`, both from 1."""
        start = self.positions[node].start
        return start.line, start.column + 1
