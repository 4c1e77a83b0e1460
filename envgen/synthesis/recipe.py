"""What a run works on: a proposal and its world, and how a worker process gets hold of them."""

from dataclasses import dataclass

import apsw

from envgen.core.errors import SpecError
from envgen.database.analysis import analyse
from envgen.database.engine import native
from envgen.database.language import Language, Proposal
from envgen.database.plan.planner import Options, Planner
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.spec import EnvironmentSpec


@dataclass(frozen=True)
class Recipe:
    """Everything that a worker needs, as plain data: it travels to processes that share no memory with this one."""

    spec: str
    language: str
    world: bytes
    seed: int
    options: Options

    @classmethod
    def of(cls, proposal: Proposal, world: apsw.Connection, seed: int, options: Options) -> "Recipe":
        """Pack a proposal with its built world."""
        return cls(
            spec=proposal.spec.model_dump_json(by_alias=True, exclude_defaults=True),
            language=proposal.language.model_dump_json(by_alias=True, exclude_defaults=True),
            world=world.serialize("main"),
            seed=seed,
            options=options,
        )

    def environment(self) -> DatabaseEnvironment:
        """Return the environment, without tasks."""
        return DatabaseEnvironment(EnvironmentSpec.model_validate_json(self.spec), native(self.world))

    def planner(self, environment: DatabaseEnvironment) -> Planner:
        """Return a planner over `environment`."""
        return Planner(environment, Language.model_validate_json(self.language), self.seed, self.options)


def check_specification(spec: EnvironmentSpec) -> None:
    """SpecError with every static problem of `spec`; nothing when it is sound."""
    problems = analyse(spec)
    if problems:
        rest = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
        raise SpecError(f"specification of {spec.name}", "; ".join(str(problem) for problem in problems[:5]) + rest)
