"""The main job: a domain phrase becomes a proven bundle. Every stage is recorded in the run ledger, so a killed run goes on."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import apsw

import envgen
from envgen.bundle.ledger import RunLedger, ledger_path, remove
from envgen.bundle.write import Content, check_target, write_bundle
from envgen.core.digest import derive_seed
from envgen.core.errors import UnsoundError
from envgen.core.events import Event, Events, silent
from envgen.core.types import Evidence, JsonObject, Manifest
from envgen.database.language import Proposal
from envgen.database.plan.planner import Options
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.world import WorldReport, build_world
from envgen.gates.registry import TITLES, bundle_task_gates, environment_gates
from envgen.gates.replay import replay_elsewhere
from envgen.gates.report import GateReport
from envgen.synthesis.options import SynthesisOptions, SynthesisReport
from envgen.synthesis.recipe import Recipe, check_specification
from envgen.synthesis.select import FEW_KINDS_SHARE, TEMPLATE_SHARE, Selection, unwitnessed
from envgen.synthesis.workers import Made, candidates

if TYPE_CHECKING:
    from envgen.database.spec import EnvironmentSpec
    from envgen.synthesis.proposer import Proposer

Accept = Callable[["EnvironmentSpec"], str]
SPARE = 4
WORLDS = 5
# E4 replays the golds as well, so it waits for the tasks.
WORLD_GATES = ("E1", "E2", "E3", "E5")


@dataclass
class _Run:
    """One run in the making."""

    options: SynthesisOptions
    events: Events
    ledger: RunLedger
    seconds: dict[str, float] = field(default_factory=dict)
    rejected: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def stage(self, name: str, message: str) -> Iterator[None]:
        """Announce a stage and time it."""
        self.events(Event("stage", name, message))
        started = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started


def synthesize(options: SynthesisOptions, events: Events = silent, *, accept: Accept | None = None) -> SynthesisReport:
    """Make the bundle that `options` ask for, and return what was kept and rejected.

    accept: says why a model's specification is not wanted ("" when it is), before tasks are made of it.

    Errors: UsageError for a folder that exists or a ledger of another run; SpecError for an unsound specification; UnsoundError when
    no task or no environment passes its gates; InfrastructureError for a full disk. What is done stays in the ledger beside `out`.
    """
    check_target(options.out, resume=options.resume, force=options.force)
    path = ledger_path(options.out)
    if not options.resume:
        remove(path)
    with RunLedger.open(path, command="synthesize", seed=options.seed, flags=options.identity()) as ledger:
        run = _Run(options, events, ledger)
        if options.proposer is None:
            report = _Pipeline(run).run()
        else:
            from envgen.synthesis.proposer import Proposer

            with Proposer(options, options.proposer, ledger, events, accept) as model:
                report = _Pipeline(run, model).run()
    remove(path)
    return report


Beginning = tuple[Proposal, apsw.Connection, WorldReport, list[Evidence]]


class _Pipeline:
    def __init__(self, run: _Run, model: "Proposer | None" = None) -> None:
        self.run_, self.options, self.events, self.model = run, run.options, run.events, model

    def run(self) -> SynthesisReport:
        """Go through the stages."""
        run = self.run_
        proposal, world, built, evidence = self._offline() if self.model is None else self._modelled(self.model)
        with run.stage("tasks", f"{self.options.tasks} tasks, each through its gates"):
            selection, found = self._tasks(Recipe.of(proposal, world, self.options.seed, self._planner_options()))
        if self.model is not None:
            with run.stage("texts", "requests said anew, and tried"):
                found = self.model.review(DatabaseEnvironment(proposal.spec, world), selection, found, run.rejected)
        with run.stage("gates", "the environment as a whole"):
            environment = DatabaseEnvironment(proposal.spec, world, tasks=selection.split(), gold=selection.gold)
            environment, evidence = self._whole(environment, evidence + found)
        with run.stage("bundle", f"writing {self.options.out}"):
            manifest = self._write(proposal, environment, built, evidence)
        for note in proposal.notes:
            self.events(Event("note", "specification", note))
        return SynthesisReport(
            path=self.options.out, manifest=manifest, asked=self.options.tasks, kept=len(environment.tasks()),
            rejected=dict(run.rejected.most_common()), notes=proposal.notes, seconds=run.seconds,
            dropped=tuple(self.model.dropped) if self.model else (), usage=self._usage(len(environment.tasks())),
        )  # fmt: skip

    def _offline(self) -> Beginning:
        from envgen.database.grammar import propose

        with self.run_.stage("specification", f"{self.options.domain}: schema, tools and rules"):
            proposal = propose(self.options.domain, seed=self.options.seed, size=self.options.size)
            check_specification(proposal.spec)
        with self.run_.stage("world", "rows, their history by the world's own tools, and its gates"):
            return proposal, *self._world(proposal)

    def _modelled(self, model: "Proposer") -> Beginning:
        with self.run_.stage("model", f"{self.options.domain}: written by {model.options.model}, analysed, run and repaired"):
            self.run_.ledger.begin("model", self.options.identity())
            built = model.build(self.run_.seconds)
            check_specification(built.proposal.spec)
            self.run_.ledger.finish("model", output=built.proposal.spec.name)
        return built.proposal, built.world, built.report, built.evidence

    def _usage(self, kept: int) -> JsonObject:
        return self.model.usage(kept) if self.model else {}

    def _world(self, proposal: Proposal) -> tuple[apsw.Connection, WorldReport, list[Evidence]]:
        """Build the start state and run the gates that need no task. A world in which some guard or rule can never be seen at
        work gives way to another one of the same specification; UnsoundError when WORLDS of them will not do."""
        first = ""
        for attempt in range(WORLDS):
            # The first world is the seed's own, so that most runs build just one.
            seed = derive_seed(self.options.seed, "world", attempt) if attempt else self.options.seed
            world, built = build_world(proposal, seed, self.options.size)
            environment = DatabaseEnvironment(proposal.spec, world)
            evidence = environment_gates(environment, gates=WORLD_GATES, seconds=self.run_.seconds)
            failed = [item for item in evidence if item.status == "fail"]
            if not failed:
                return world, built, evidence
            first = first or "; ".join(f"{item.gate}: {item.reason}" for item in failed)
            self.events(Event("note", "world", f"world {attempt + 1} will not do: {'; '.join(item.reason for item in failed)[:300]}"))
        raise UnsoundError(f"nothing was written: none of {WORLDS} worlds passes its gates. The first: {first}. Try another --seed")

    def _planner_options(self) -> Options:
        return Options(kinds=self.options.kinds or None, difficulty=self.options.difficulty)

    def _tasks(self, recipe: Recipe) -> tuple[Selection, list[Evidence]]:
        ledger, wanted = self.run_.ledger, self.options.tasks
        ledger.begin("tasks", [recipe.spec, recipe.language, recipe.seed])
        known = {item.index: item.payload for item in ledger.items("tasks")}
        if known:
            self.events(Event("note", "tasks", f"{len(known)} candidates of the stopped run are used again"))
        share = FEW_KINDS_SHARE if self.options.kinds else TEMPLATE_SHARE
        selection, evidence = Selection(wanted, template_share=share), []
        made_in_order = candidates(recipe, self._jobs(), known, wanted * SPARE + 20)
        try:
            for made in made_in_order:
                evidence += self._consider(made, selection)
                self.events(Event("progress", "tasks", done=len(selection.tasks), total=wanted))
                if selection.full:
                    break
        finally:
            made_in_order.close()
        if not selection.tasks:
            reasons = ", ".join(f"{number} {reason}" for reason, number in self.run_.rejected.most_common(5))
            raise UnsoundError(f"no task was kept: {reasons}. Try another --seed, a larger --size, or fewer --kinds and no --difficulty")
        ledger.finish("tasks")
        return selection, evidence

    def _consider(self, made: Made, selection: Selection) -> list[Evidence]:
        for name, spent in made.seconds.items():
            self.run_.seconds[name] = self.run_.seconds.get(name, 0.0) + spent
        reason = made.reason or selection.offer(list(zip(made.tasks, made.gold, strict=True)), made.evidence)
        payload = made.to_json()
        # The ledger keeps what the candidate is, not whether there was room for it: a resumed run asks again.
        self.run_.ledger.add("tasks", "candidate", made.index, "rejected" if made.reason else "kept", reason=made.reason, payload=payload)
        if reason:
            self.run_.rejected[reason] += 1
            return []
        return made.evidence

    def _jobs(self) -> int:
        jobs = self.options.jobs or os.cpu_count() or 1
        # Starting processes costs more than a handful of tasks.
        return 1 if self.options.tasks < 12 and not self.options.jobs else jobs

    def _whole(self, environment: DatabaseEnvironment, evidence: list[Evidence]) -> tuple[DatabaseEnvironment, list[Evidence]]:
        """Run what is about the set: E4, T8 and T9. Tasks that fail are left out; an unsound environment is an UnsoundError."""
        tasks = list(environment.tasks())
        gold = {task.id: environment.gold(task.id) for task in tasks}
        replay = replay_elsewhere(environment, tasks, gold)
        found = environment_gates(environment, gates=("E4",), replay=replay, seconds=self.run_.seconds)
        found += bundle_task_gates(environment, tasks, gold, gates=("T8", "T9"), replay=replay, seconds=self.run_.seconds)
        out = {item.subject: item.gate for item in found if item.status == "fail" and item.subject in gold}
        out |= {task.id: "twin" for task in tasks if task.twin in out and task.id not in out}
        left = [task for task in tasks if task.id not in out]
        out |= dict.fromkeys(unwitnessed(left, [*found, *evidence]), "no_witness")
        self.run_.rejected.update(out.values())
        kept = [task for task in tasks if task.id not in out]
        order = {name: number for number, name in enumerate(("environment", *(task.id for task in kept)))}
        evidence = sorted(
            (item for item in (*found, *evidence) if item.subject in order), key=lambda item: (order[item.subject], _gate(item))
        )
        report = GateReport(environment.spec.name, evidence, TITLES, {}, "", ())
        if not report.sound:
            raise UnsoundError(f"nothing was written: {'; '.join(report.problems()[:3])}. Try another --seed")
        return environment.with_tasks(kept, gold), evidence

    def _write(self, proposal: Proposal, environment: DatabaseEnvironment, built: WorldReport, evidence: list[Evidence]) -> Manifest:
        options = self.options
        spec = proposal.spec
        manifest = Manifest(
            name=spec.name, family="database", title=spec.title, provenance=self._provenance(proposal, built),
            cost={
                "seconds": {name: round(value, 3) for name, value in self.run_.seconds.items()},
                **({"model": usage} if (usage := self._usage(len(environment.tasks()))) else {}),
            },
        )  # fmt: skip
        ledger = self.run_.ledger.to_json()
        for reject in ledger["rejects"]:
            made = reject["payload"]
            reject["payload"] = {"detail": made["detail"], "template": (made["tasks"] or [{}])[0].get("template", "")}
        ledger["not_chosen"] = {reason: count for reason, count in self.run_.rejected.items() if reason not in ledger["rejected"]}
        content = Content(
            manifest=manifest, environment=spec.model_dump(mode="json", by_alias=True, exclude_defaults=True),
            world=environment.world.serialize("main"), policy=environment.policy, tasks=environment.tasks(),
            gold=[environment.gold(task.id) for task in environment.tasks()], evidence=evidence, ledger=ledger,
        )  # fmt: skip
        return write_bundle(options.out, content, force=options.force or options.resume)

    def _provenance(self, proposal: Proposal, built: WorldReport) -> JsonObject:
        return {
            "generator": f"envgen {envgen.__version__}", "proposer": "model" if self.model else "grammar", "seed": self.options.seed,
            **self.options.identity(), "features": proposal.features, "notes": list(proposal.notes),
            "history": {"asked": built.events, "made": built.made},
        }  # fmt: skip


def _gate(item: Evidence) -> tuple[str, int]:
    """T2 comes before T10."""
    return item.gate[0], int(item.gate[1:])
