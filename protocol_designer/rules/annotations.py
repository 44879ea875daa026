"""What may stand in annotations, and in type aliases."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from protocol_designer.rules.allowed import ANNOTATIONS, CONTRACT_IMPORTS, DTYPES

__all__ = ["first_wrong", "is_alias"]


def is_alias(node: cst.CSTNode, aliases: Collection[str]) -> bool:
    """Return whether a value is a type alias: tuple[Array, Array], Array | None, Array, or made of earlier aliases."""
    if isinstance(node, cst.Name):
        return node.value in CONTRACT_IMPORTS or node.value in aliases
    return isinstance(node, cst.Subscript | cst.BinaryOperation) and first_wrong(node, aliases) is None


def first_wrong(node: cst.CSTNode, aliases: Collection[str]) -> cst.CSTNode | None:
    """Return the first part of an annotation that is not allowed, or None."""
    if isinstance(node, cst.Name):
        return None if node.value in ANNOTATIONS or node.value in aliases else node
    if isinstance(node, cst.Attribute):
        is_np = isinstance(node.value, cst.Name) and node.value.value == "np"
        return None if is_np and node.attr.value in DTYPES | {"ndarray"} else node
    if isinstance(node, cst.SimpleString):
        text = node.evaluated_value
        return None if isinstance(text, str) and text.isascii() and len(text) < 100 and '"' not in text else node
    if isinstance(node, cst.Ellipsis):
        return None
    if isinstance(node, cst.Subscript):
        parts: list[cst.CSTNode] = [node.value]
        parts += [e.slice.value if isinstance(e.slice, cst.Index) else e for e in node.slice]
    elif isinstance(node, cst.Tuple | cst.List):
        parts = [element.value for element in node.elements]
    elif isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
        parts = [node.left, node.right]
    else:
        return node
    return next((wrong for part in parts if (wrong := first_wrong(part, aliases)) is not None), None)
