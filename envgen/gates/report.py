"""What a validation found: rows for a table, JSON, and JUnit XML for CI."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from envgen.core.types import Evidence, JsonObject

MOST_NOT_APPLICABLE = 0.10


@dataclass(frozen=True)
class Row:
    """One gate over all its subjects. `problem` is the first failure, or why too few subjects had a witness."""

    gate: str
    title: str
    passed: int
    failed: int
    not_applicable: int
    seconds: float
    problem: str


@dataclass(frozen=True)
class GateReport:
    """The evidence of a validation. titles: what each gate says. seconds: CPU time per gate."""

    name: str
    evidence: Sequence[Evidence]
    titles: Mapping[str, str]
    seconds: Mapping[str, float] = field(default_factory=dict)
    digest: str = ""
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """True when no gate failed, each had enough witnesses, and at least one was run."""
        return bool(self.evidence) and not self.problems()

    def problems(self) -> list[str]:
        """Return every reason why the bundle is not sound, in the order of the evidence."""
        found = [f"{item.gate} {item.subject}: {item.reason}" for item in self.evidence if item.status == "fail"]
        return found + [text for text in (self._too_few(gate) for gate in self.gates()) if text]

    def failing(self) -> set[str]:
        """Return the ids of the gates that reject the bundle."""
        return {item.gate for item in self.evidence if item.status == "fail"} | {gate for gate in self.gates() if self._too_few(gate)}

    def gates(self) -> list[str]:
        """Return the gates that were run, in the order of their ids."""
        run = {item.gate for item in self.evidence}
        return [gate for gate in self.titles if gate in run]

    def _too_few(self, gate: str) -> str:
        items = [item for item in self.evidence if item.gate == gate]
        without = [item for item in items if item.status == "not_applicable"]
        if len(without) <= MOST_NOT_APPLICABLE * len(items):
            return ""
        example = f"{without[0].subject}: {without[0].reason}"
        return f"{gate}: no witness for {len(without)} of {len(items)} (at most 10 % may lack one), such as {example}"

    def rows(self) -> list[Row]:
        """Return one row per gate, for a table."""
        return [self._row(gate) for gate in self.gates()]

    def _row(self, gate: str) -> Row:
        items = [item for item in self.evidence if item.gate == gate]
        failures = [item for item in items if item.status == "fail"]
        problem = f"{failures[0].subject}: {failures[0].reason}" if failures else self._too_few(gate)
        count = {status: sum(item.status == status for item in items) for status in ("pass", "not_applicable")}
        return Row(gate, self.titles[gate], count["pass"], len(failures), count["not_applicable"], self.seconds.get(gate, 0.0), problem)

    def to_json(self) -> JsonObject:
        """Return the report as JSON data."""
        return {
            "name": self.name,
            "digest": self.digest,
            "sound": self.sound,
            "problems": self.problems(),
            "notes": list(self.notes),
            "gates": [
                {"gate": row.gate, "title": row.title, "passed": row.passed, "failed": row.failed}
                | {"not_applicable": row.not_applicable, "seconds": round(row.seconds, 3)}
                for row in self.rows()
            ],
            "evidence": [item.model_dump(mode="json") for item in self.evidence],
        }

    def to_junit(self) -> str:
        """Return the report as JUnit XML: one suite per gate, one case per subject; not applicable is skipped."""
        rows = self.rows()
        root = ElementTree.Element("testsuites", name=f"envgen validate {self.name}", tests=str(len(self.evidence)))
        root.set("failures", str(sum(row.failed for row in rows) + sum(bool(self._too_few(row.gate)) for row in rows)))
        for row in rows:
            root.append(self._suite(row))
        ElementTree.indent(root)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"

    def _suite(self, row: Row) -> ElementTree.Element:
        items = [item for item in self.evidence if item.gate == row.gate]
        too_few = self._too_few(row.gate)
        suite = ElementTree.Element("testsuite", name=f"{row.gate} {row.title}", tests=str(len(items) + bool(too_few)))
        suite.set("failures", str(row.failed + bool(too_few)))
        suite.set("skipped", str(row.not_applicable))
        suite.set("time", f"{row.seconds:.3f}")
        for item in items:
            case = ElementTree.SubElement(suite, "testcase", classname=row.gate, name=item.subject)
            if item.status != "pass":
                tag = "failure" if item.status == "fail" else "skipped"
                ElementTree.SubElement(case, tag, message=_xml(item.reason))
        if too_few:
            case = ElementTree.SubElement(suite, "testcase", classname=row.gate, name="witnesses")
            ElementTree.SubElement(case, "failure", message=_xml(too_few))
        return suite


def _xml(text: str) -> str:
    """Return `text` without the characters that XML 1.0 cannot hold."""
    return "".join(char if char in "\t\n\r" or 0x20 <= ord(char) < 0xD800 or 0xE000 <= ord(char) < 0xFFFE else "?" for char in text)
