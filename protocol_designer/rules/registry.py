"""Every rule on the tree, in the order of its code. A new rule is added here, and nowhere else."""

from __future__ import annotations

from protocol_designer.rules.bounds import ArraySizes, BoundedLoops, Exponents, Integers, LoopSteps, Recursion
from protocol_designer.rules.contract import (
    ComponentNames,
    ComponentValues,
    EveryPathReturns,
    Returns,
    SameComponents,
    Signatures,
)
from protocol_designer.rules.dtypes import Dtypes, Outputs
from protocol_designer.rules.names import (
    Annotations,
    AsciiIdentifiers,
    Attributes,
    Calls,
    ModuleMembers,
    Names,
    Rebinding,
)
from protocol_designer.rules.rows import InputUnchanged, RowsApart, TruthOfRows
from protocol_designer.rules.rule import Rule
from protocol_designer.rules.statements import Expressions, Imports, ModuleLevel, Statements
from protocol_designer.rules.strings import ComponentReads, ContractAccess, FieldNames, FormattedStrings, Strings

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
    BoundedLoops,
    LoopSteps,
    Recursion,
    Integers,
    Exponents,
    ArraySizes,
    Strings,
    FormattedStrings,
    Dtypes,
    InputUnchanged,
    Outputs,
    TruthOfRows,
    RowsApart,
    ContractAccess,
    FieldNames,
    ComponentReads,
    Signatures,
    Returns,
    EveryPathReturns,
    ComponentNames,
    SameComponents,
    ComponentValues,
)
