"""What an agent is shown at the start of an episode: the messages, and tool schemas in the OpenAI function format."""

from envgen.core.types import OUTCOMES, JsonObject, Message, Task
from envgen.database.arguments import closed_schema, shown_schema
from envgen.database.spec import EnvironmentSpec, Tool

RESERVED = frozenset("reset step state close verify seed_session submit mcp fork snapshot start call tools".split())
CONVENTIONS = """How to work
- Use the tools to look things up and to make changes. A refused call changes nothing; you may try again.
- Do exactly what is asked, nothing more, and follow the policy above.
- Enter texts (notes, reasons, what something is for) word for word as the request or the policy gives them, "a" and "the" included.
- Finish by calling `submit` once. `outcome` is "done" when everything asked was done, "partial" when a part could not be \
done, "refused" when nothing could be done. For "partial" and "refused" give the `reason` code. What was asked for only on a \
condition that does not hold could not be done, unless something else was asked for in that case.
- When something is asked, put it in `answer`: sums of money as whole cents, counts as integers, dates as YYYY-MM-DD, names and \
codes as the tools print them. Otherwise leave `answer` out."""


def function_schema(name: str, description: str, parameters: JsonObject) -> JsonObject:
    """Return an OpenAI function tool."""
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def tool_schema(tool: Tool) -> JsonObject:
    """Return what an agent sees of `tool`, with the limits that the compiler enforces."""
    return function_schema(tool.name, tool.description, shown_schema(closed_schema(tool.parameters)))


def reason_codes(spec: EnvironmentSpec) -> tuple[str, ...]:
    """Codes that `submit` accepts as a reason: every guard's code but look-up failures, and every agent rule's id."""
    codes = {rule.id for rule in spec.rules if rule.kind == "agent"}
    for tool in spec.tools:
        for step in tool.steps:
            otherwise = getattr(step, "otherwise", None)
            if otherwise and otherwise[0] != "not_found":
                codes.add(otherwise[0])
    return tuple(sorted(codes))


def submit_schema(spec: EnvironmentSpec) -> JsonObject:
    """Return the schema of `submit`, the one way to end an episode."""
    parameters: JsonObject = {
        "type": "object",
        "properties": {
            "answer": {"description": "What was asked for, in the form the system message describes; null when nothing was."},
            "outcome": {"type": "string", "enum": list(OUTCOMES)},
            "reason": {"type": ["string", "null"], "enum": [*reason_codes(spec), None]},
        },
        "required": ["outcome"],
        "additionalProperties": False,
    }
    return function_schema("submit", "End the task. Nothing can be called afterwards.", parameters)


def policy_text(spec: EnvironmentSpec) -> str:
    """Return policy.md: the rules in words. Agent rules come with the code to give as reason."""
    lines = [f"# {spec.title}: policy", ""]
    lines += [*spec.notes, ""] if spec.notes else []
    agent = [rule for rule in spec.rules if rule.kind == "agent"]
    guard = [rule for rule in spec.rules if rule.kind == "guard"]
    if agent:
        lines += ["Rules that you must follow (the system does not enforce them):", ""]
        lines += [f"- {rule.policy} (`{rule.id}`)" for rule in agent] + [""]
    if guard:
        lines += ["Rules that the system enforces:", ""]
        lines += [f"- {rule.policy}" for rule in guard] + [""]
    return "\n".join(lines).rstrip() + "\n"


def system_message(spec: EnvironmentSpec, policy: str) -> str:
    """Return the part of the system message that is the same for every task."""
    role = spec.role or f"You work for {spec.title} and handle requests with the tools of its system."
    return f"{role}\n\n{policy.strip()}\n\n{CONVENTIONS}"


def first_messages(system: str, task: Task) -> list[Message]:
    """Return the system and user message of `task`."""
    clock = f"It is {task.start.now} (UTC)."
    return [Message(role="system", content=f"{system}\n\n{clock}"), Message(role="user", content=task.instruction)]
