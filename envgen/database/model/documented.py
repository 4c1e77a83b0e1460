"""Documents as a model reads them: the operations with their parameters, one line each."""

from envgen.database.documents import DocumentedTool, Documents


def operations_text(documents: Documents) -> str:
    """Return the documented operations, or "" when there are none."""
    return "\n".join(_line(tool) for tool in documents.tools)


def _line(tool: DocumentedTool) -> str:
    shown = [
        f"{item.name}{'' if item.required else '?'}: {'|'.join(item.enum) or item.type}{f' ({item.format})' if item.format else ''}"
        for item in tool.parameters
    ]
    kind = {True: "writes", False: "reads", None: "reads or writes"}[tool.writes]
    about = " ".join(tool.description.split())[:200]
    return f"- {tool.name}({', '.join(shown)}), {kind}: {about}"
