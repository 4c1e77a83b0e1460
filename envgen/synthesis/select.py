"""Which sound candidates make a set: no two alike, no template too frequent, no answer that can be guessed from its template."""

import math
from collections import Counter
from collections.abc import Collection, Sequence

from envgen.core.digest import digest
from envgen.core.types import Evidence, Gold, Task

TEMPLATE_SHARE = 0.12
# With few kinds of goal there are few templates to share among.
FEW_KINDS_SHARE = 0.34
ANSWER_SHARE = 0.40
TEST_SHARE = 5
UNSEEN_SHARE = 0.10


class Selection:
    """Takes candidates in their order. `reason` is empty when one is taken, else a short code for the ledger."""

    def __init__(self, wanted: int, *, template_share: float = TEMPLATE_SHARE) -> None:
        self.wanted = wanted
        self._most = max(2, math.ceil(template_share * wanted))
        self.tasks: list[Task] = []
        self.gold: dict[str, Gold] = {}
        self._texts: set[tuple[str, str]] = set()
        self._templates: Counter[str] = Counter()
        self._answers: dict[str, Counter[str]] = {}
        self._unseen: Counter[str] = Counter()

    @property
    def full(self) -> bool:
        """True when as many tasks were taken as are wanted."""
        return len(self.tasks) >= self.wanted

    def offer(self, candidates: Sequence[tuple[Task, Gold]], evidence: Sequence[Evidence] = ()) -> str:
        """Take one candidate (or two twins), or return why not: no_room, duplicate, template_full, modal_answer or no_witness."""
        if len(self.tasks) + len(candidates) > self.wanted:
            return "no_room"
        texts = {(task.instruction, digest(task.start.model_dump())) for task, _ in candidates}
        if texts & self._texts or any(task.id in self.gold for task, _ in candidates):
            return "duplicate"
        template = candidates[0][0].template
        if self._templates[template] + len(candidates) > self._most:
            return "template_full"
        if any(self._modal(gold) for _, gold in candidates):
            return "modal_answer"
        unseen = Counter(item.gate for item in evidence if item.status == "not_applicable")
        if any(self._unseen[gate] + count > UNSEEN_SHARE * (len(self.tasks) + len(candidates)) for gate, count in unseen.items()):
            return "no_witness"
        self._unseen += unseen
        self._take(candidates, texts)
        return ""

    def _modal(self, gold: Gold) -> bool:
        """True when taking `gold` would let one answer pay too often for its template."""
        if gold.answer is None:
            return False
        counts = self._answers.get(_question(gold), Counter())
        same = counts[str(gold.answer.value)] + 1
        return same > max(1, math.floor(ANSWER_SHARE * (counts.total() + 1)))

    def _take(self, candidates: Sequence[tuple[Task, Gold]], texts: set[tuple[str, str]]) -> None:
        self._texts |= texts
        for task, gold in candidates:
            self.tasks.append(task)
            self.gold[task.id] = gold
            self._templates[task.template] += 1
            if gold.answer is not None:
                self._answers.setdefault(_question(gold), Counter())[str(gold.answer.value)] += 1

    def replace(self, names: Sequence[str], candidates: Sequence[tuple[Task, Gold]]) -> None:
        """Put tasks in the place of those called `names`, one for one; their templates and answers are the same."""
        places = {name: index for index, name in enumerate(task.id for task in self.tasks)}
        for name, (task, gold) in zip(names, candidates, strict=True):
            self.tasks[places[name]] = task
            del self.gold[name]
            self.gold[task.id] = gold

    def remove(self, names: Collection[str]) -> None:
        """Take tasks out again."""
        for task in [task for task in self.tasks if task.id in names]:
            self.tasks.remove(task)
            del self.gold[task.id]
            self._templates[task.template] -= 1
        self._templates += Counter()

    def split(self) -> list[Task]:
        """Return the tasks with their splits: whole templates go to test, about one in five; twins stay together by template."""
        order = sorted(self._templates, key=lambda name: digest(name))
        test: set[str] = set()
        for name in order:
            if sum(self._templates[item] for item in test) * TEST_SHARE >= len(self.tasks):
                break
            test.add(name)
        if len(order) < 2:
            test = set()
        return [task.model_copy(update={"split": "test" if task.template in test else "train"}) for task in self.tasks]


def _question(gold: Gold) -> str:
    """The template of the goal that asks."""
    return next((goal.template for goal in gold.goals if goal.kind in ("lookup", "aggregate", "quiz")), "")


def unwitnessed(tasks: Sequence[Task], evidence: Sequence[Evidence]) -> set[str]:
    """Return the tasks, twins together, to leave out so that few enough of the others lack a gate's witness."""
    out: set[str] = set()
    twins = {task.id: {task.id} | ({task.twin} if task.twin else set()) for task in tasks}
    for gate in sorted({item.gate for item in evidence}):
        unseen = [item.subject for item in evidence if item.gate == gate and item.status == "not_applicable" and item.subject in twins]
        while len([name for name in unseen if name not in out]) > UNSEEN_SHARE * len(twins.keys() - out):
            out |= twins[next(name for name in reversed(unseen) if name not in out)]
    return out
