"""A gate report as text."""

from envgen.gates.report import GateReport

MOST_PROBLEMS = 20


def report_text(report: GateReport) -> str:
    """Return the table of a report: one row per gate, then every problem (at most 20), then the judgement."""
    rows = [(row.gate, row.passed, row.failed, row.not_applicable, f"{row.seconds:.2f}", row.title) for row in report.rows()]
    heads = ("gate", "passed", "failed", "n/a", "seconds", "what it says")
    widths = [max(len(str(row[column])) for row in [heads, *rows]) for column in range(len(heads) - 1)]
    lines = [_line(row, widths) for row in [heads, *rows]]
    problems = report.problems()
    lines += ["", *(f"{problem}" for problem in problems[:MOST_PROBLEMS])] if problems else []
    lines += [f"… and {len(problems) - MOST_PROBLEMS} more"] if len(problems) > MOST_PROBLEMS else []
    lines += [f"note: {note}" for note in report.notes]
    judgement = "sound" if report.sound else f"NOT SOUND: {', '.join(sorted(report.failing()))}"
    return "\n".join([*lines, "", f"{report.name}: {judgement}  (digest {report.digest[:12]})"])


def _line(row: tuple[object, ...], widths: list[int]) -> str:
    first, *numbers, last = row
    return "  ".join([str(first).ljust(widths[0]), *(str(n).rjust(w) for n, w in zip(numbers, widths[1:], strict=True)), str(last)])
