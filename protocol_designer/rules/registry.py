"""Every rule on the tree, in the order of its code. A new rule is added here, and nowhere else."""

from __future__ import annotations

from protocol_designer.rules.contract import Signatures
from protocol_designer.rules.names import (
    Annotations,
    AsciiIdentifiers,
    Attributes,
    Calls,
    ModuleMembers,
    Names,
    Rebinding,
)
from protocol_designer.rules.rule import Rule
from protocol_designer.rules.statements import Expressions, Imports, ModuleLevel, Statements

__all__ = ["TREE_RULES"]

TREE_RULES: tuple[type[Rule], ...] = (
    AsciiIdentifiers,
    Imports,
    ModuleLevel,
    Statements,
    Expressions,
    Names,
    Rebinding,
    ModuleMembers,
    Attributes,
    Annotations,
    Calls,
    Signatures,
)
