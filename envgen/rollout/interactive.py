"""A person plays an episode at a prompt: calls tools, undoes, submits, and has the verdict explained."""

import difflib
import json
import shlex
from collections.abc import Callable, Iterator
from typing import Any

from envgen.core.errors import UsageError
from envgen.core.outcome import ToolResult, Verdict
from envgen.core.protocols import Session
from envgen.core.types import JsonObject
from envgen.verify.changes import ChangeSet

HELP = """  NAME key=value ...     call a tool; values with spaces in quotes:  book_class class_id=3 note="by the window"
  NAME {"key": value}    the same with JSON
  tools                  list the tools          help NAME    show one tool's parameters
  task                   show the task again     undo         take the last call back
  changes                what the calls so far have changed
  submit [answer=...] [outcome=done|partial|refused] [reason=CODE]
  quit                   leave without a verdict"""
COMMANDS = ("tools", "help", "task", "undo", "changes", "submit", "quit")


class Game:
    """One episode played by a person. `read` returns the next line (EOFError at the end), `write` shows a text."""

    def __init__(self, session: Session, read: Callable[[str], str], write: Callable[[str], None]) -> None:
        self.session = session
        self.read = read
        self.write = write
        self.past: list[Session] = []
        self.schemas = {tool["function"]["name"]: tool["function"] for tool in session.tools}

    def play(self) -> Verdict | None:
        """Play until `submit` (returns the verdict) or `quit` or the end of input (returns None)."""
        self.write(self._task())
        self.write("\nType help for what you can do.\n")
        try:
            return self._rounds()
        finally:
            for session in [*self.past, self.session]:
                session.close()

    def _rounds(self) -> Verdict | None:
        while True:
            try:
                line = self.read("> ").strip()
            except EOFError:
                return None
            if line in ("quit", "exit"):
                return None
            try:
                verdict = self._line(line) if line else None
            except UsageError as problem:
                self.write(f"  {problem}")
                continue
            if verdict:
                return verdict

    def _line(self, line: str) -> Verdict | None:
        name, _, rest = line.partition(" ")
        if name == "submit":
            return self._submit(parse_arguments(rest, self.schemas["submit"]["parameters"]))
        if name in ("tools", "help", "task", "undo", "changes"):
            self.write(getattr(self, f"_{name}")(*([rest.strip()] if name == "help" else [])))
            return None
        if name not in self.schemas:
            near = difflib.get_close_matches(name, [*self.schemas, *COMMANDS], 1)
            raise UsageError(f"there is no tool {name!r}." + (f" Did you mean {near[0]}?" if near else " `tools` lists them."))
        self._call(name, parse_arguments(rest, self.schemas[name]["parameters"]))
        return None

    def _call(self, name: str, arguments: JsonObject) -> None:
        before = self.session.fork() if "fork" in self.session.capabilities else None
        result = self.session.call(name, arguments)
        if before is not None:
            self.past.append(before)
        self.write(show_result(result))

    def _submit(self, arguments: JsonObject) -> Verdict:
        unknown = sorted(set(arguments) - {"answer", "outcome", "reason"})
        if unknown:
            raise UsageError(f"submit takes answer, outcome and reason, not {', '.join(unknown)}")
        verdict = self.session.submit(arguments.get("answer"), outcome=arguments.get("outcome", "done"), reason=arguments.get("reason"))
        self.write("\n".join(explain(verdict)))
        return verdict

    def _undo(self) -> str:
        if not self.past:
            return "  There is no call to take back."
        self.session.close()
        self.session = self.past.pop()
        return "  The last call is taken back."

    def _tools(self) -> str:
        width = max(len(name) for name in self.schemas)
        return "\n".join(f"  {name:<{width}}  {_first_line(tool['description'])}" for name, tool in self.schemas.items())

    def _task(self) -> str:
        return "\n\n".join(message.content for message in self.session.messages if message.role == "user")

    def _changes(self) -> str:
        changes = getattr(self.session, "changes", None)  # families without rows have none
        if changes is None:
            return "  This family does not list its changes."
        return "\n".join(describe_changes(changes())) or "  Nothing has changed."

    def _help(self, name: str) -> str:
        if not name:
            return HELP
        if name not in self.schemas:
            raise UsageError(f"there is no tool {name!r}. `tools` lists them.")
        tool = self.schemas[name]
        required = tool["parameters"].get("required", [])
        lines = [f"  {tool['description']}"]
        for parameter, schema in tool["parameters"].get("properties", {}).items():
            lines.append(f"    {parameter}{'' if parameter in required else ' (optional)'}: {describe_schema(schema)}")
        return "\n".join(lines)


def parse_arguments(text: str, parameters: JsonObject) -> JsonObject:
    """Return the arguments written as a JSON object or as key=value pairs; a pair's value takes the type its schema asks for."""
    text = text.strip()
    if text.startswith("{"):
        try:
            value = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as problem:
            raise UsageError(f"that is not JSON: {problem}") from problem
        return dict(value)
    try:
        words = shlex.split(text)
    except ValueError as problem:
        raise UsageError(f"a quote is not closed: {text}") from problem
    pairs = [word.partition("=") for word in words]
    for key, equals, _ in pairs:
        if not equals:
            raise UsageError(f"{key!r} is not key=value")
    properties = parameters.get("properties", {})
    return {key: _typed(value, properties.get(key, {})) for key, _, value in pairs}


def _typed(text: str, schema: JsonObject) -> Any:
    if schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def show_result(result: ToolResult) -> str:
    """Return a result as a person reads it: indented JSON, or the refusal with its code."""
    if result.error:
        return f"  refused ({result.error.code}): {result.error.message}"
    if result.value is None:
        return f"  {result.content}"
    return "\n".join(f"  {line}" for line in json.dumps(result.value, indent=2, ensure_ascii=False).splitlines())


def explain(verdict: Verdict) -> Iterator[str]:
    """Yield the verdict in lines: the reward, then each check with what it saw."""
    if verdict.status != "valid":
        yield f"No reward: the episode is {verdict.status} ({verdict.failure_kind})."
        return
    yield f"Reward {verdict.reward:g}: {'solved' if verdict.solved else 'not solved'}."
    kept = [check for check in verdict.checks if check.passed and check.name.startswith("rule:")]
    for check in verdict.checks:
        if check not in kept:
            mark = "pass" if check.passed else "FAIL"
            yield f"  {mark}  {check.name}" + (f": {check.detail}" if check.detail else "")
    if kept:
        yield f"  pass  {len(kept)} rules of the policy"


def describe_changes(changes: ChangeSet) -> Iterator[str]:
    """Yield one line per inserted, updated and deleted row of a change set."""
    for table, rows in changes.insert.items():
        for row in rows:
            yield f"  + {table}: {_row(row)}"
    for table, key, columns in changes.update:
        yield f"  ~ {table} {_row(key)}: " + ", ".join(f"{name} {old!r} -> {new!r}" for name, (old, new) in columns.items())
    for table, key, _ in changes.delete:
        yield f"  - {table}: {_row(key)}"


def _row(row: JsonObject) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in row.items() if value is not None)


def describe_schema(schema: JsonObject) -> str:
    """Return a parameter's schema in a few words."""
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    kind = schema.get("type", "any value")
    words = [", ".join(kind) if isinstance(kind, list) else str(kind)]
    words += [f"{name} {schema[name]}" for name in ("format", "minimum", "maximum", "maxLength") if name in schema]
    return ", ".join(words) + (f": {schema['description']}" if schema.get("description") else "")


def _first_line(text: str) -> str:
    return text.strip().split("\n")[0]
