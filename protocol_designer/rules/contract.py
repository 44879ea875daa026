"""Rules on the two functions of the contract: that they exist, their parameters, and what they return."""

from __future__ import annotations

import libcst as cst

from protocol_designer.rules.rule import Rule

__all__ = ["Signatures"]

_PARAMETERS = {"send": ("own",), "receive": ("own", "inbox")}
_HELP = {"send": "def send(own): ...", "receive": "def receive(own, inbox): ..."}
_LIKE_SEND = ("communication", "make_messages", "encode", "message", "messages", "protocol", "communicate")


class Signatures(Rule):
    """A part defines `send(own)`, and may define `receive(own, inbox)`, each once, with exactly these parameters.

    Remedy: write the line as the hint shows it.
    """

    code = "PD401"
    title = "send or receive is missing or has other parameters"

    def finish(self) -> None:
        functions = self.reading.functions
        if "send" not in functions:
            similar = [name for name in functions if name.lower() in _LIKE_SEND]
            where = functions[similar[0]].name if similar else None
            instead = f" ('{similar[0]}' is not it)" if similar else ""
            self.report(where, f"the part defines no function 'send'{instead}", _HELP["send"])
        for again in self.reading.duplicate_functions:
            self.report(again.name, f"'{again.name.value}' is defined twice", "keep one of the two")
        for name, expected in _PARAMETERS.items():
            if name in functions:
                self._check(functions[name], expected)

    def _check(self, function: cst.FunctionDef, expected: tuple[str, ...]) -> None:
        name = function.name.value
        params = function.params
        plain = (*params.posonly_params, *params.params)
        stars = (params.star_arg, params.star_kwarg)
        found = tuple(param.name.value for param in plain)
        extra = params.kwonly_params or any(isinstance(star, cst.Param) for star in stars)
        if found != expected or extra or any(param.default is not None for param in plain):
            written = cst.Module([]).code_for_node(params)
            self.report(function.name, f"'{name}' has the parameters ({written})", _HELP[name])
