"""Tools of a fused episode that has some: exact arithmetic, and an evaluator of base problems whose inputs the agent has to find."""

import json
from typing import Any

from envgen.core.outcome import ToolError, ToolResult
from envgen.core.types import JsonObject
from envgen.fused.arithmetic import Malformed, evaluate
from envgen.fused.library_index import problem, problem_names
from envgen.fused.problem import Problem
from envgen.fused.types import problem_of


def _tool(name: str, description: str, properties: JsonObject, required: list[str]) -> JsonObject:
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS: tuple[JsonObject, ...] = (
    _tool(
        "calculate",
        "Evaluate an expression of integers with + - * // % ** and brackets, exactly. // rounds down; % has the sign of the divisor.",
        {"expression": {"type": "string", "maxLength": 500}},
        ["expression"],
    ),
    _tool("list_problems", "List the named problems that `evaluate` knows, with the names of their inputs.", {}, []),
    _tool(
        "evaluate",
        "Solve one named problem for inputs that you give.",
        {"problem": {"type": "string", "maxLength": 60}, "inputs": {"type": "object"}},
        ["problem", "inputs"],
    ),
)
WORK = 20_000


def call_tool(name: str, arguments: Any) -> ToolResult:
    """Return the result of a call; what is wrong with it is a result as well."""
    if not isinstance(arguments, dict):
        return _refused("bad_arguments", "Arguments must be a JSON object.")
    if name == "calculate":
        try:
            return _shown({"value": evaluate(arguments.get("expression"))})
        except Malformed as error:
            return _refused("bad_expression", str(error))
    if name == "list_problems":
        return _shown([{"problem": each, "inputs": list(problem(each).ports)} for each in problem_names()])
    return _evaluate(arguments)


def _evaluate(arguments: JsonObject) -> ToolResult:
    name, inputs = arguments.get("problem"), arguments.get("inputs")
    if name not in problem_names():
        return _refused("unknown_problem", f"There is no problem {str(name)[:60]!r}; list_problems names them.")
    chosen: Problem = problem(str(name))
    if not isinstance(inputs, dict) or set(inputs) != set(chosen.ports):
        return _refused("bad_arguments", f"{chosen.name} takes {', '.join(chosen.ports)}.")
    if len(json.dumps(inputs)) > WORK:
        return _refused("too_large", "The inputs are too large.")
    for port, kind in chosen.ports.items():
        wrong = problem_of(kind, inputs[port])
        if wrong:
            return _refused("bad_arguments", f"{port}: {wrong}")
    try:
        return _shown({"value": chosen.solve(inputs)})
    except (ValueError, IndexError, KeyError, ZeroDivisionError, OverflowError) as error:
        return _refused("no_answer", f"These inputs have no answer: {error}")


def _shown(value: Any) -> ToolResult:
    return ToolResult(json.dumps(value), value=value)


def _refused(code: str, message: str) -> ToolResult:
    return ToolResult(json.dumps({"error": {"code": code, "message": message}}), ToolError(code, message))
