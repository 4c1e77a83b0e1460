"""The README.md of a bundle, made from its manifest."""

from collections.abc import Sequence

from envgen.core.types import Manifest, Task

_FILES = """| file | holds |
|---|---|
| `bundle.json` | what this is, where it comes from, the digest of every part |
| `environment.json` | schema, tools and rules, as data |
| `world.sqlite` | the state in which every episode starts |
| `policy.md` | the rules as the agent reads them |
| `tasks.jsonl` | what an agent may be shown: instruction, clock, limits |
| `gold.jsonl` | reference solutions and what they must leave behind: **keep this from the agent** |
| `evidence.jsonl` | what each gate saw when it judged this bundle |
| `ledger.json` | how the bundle was made: stages, what was kept, what was rejected and why |
| `verify.py` | judges a finished episode with the Python standard library alone |
"""


def bundle_readme(manifest: Manifest, tasks: Sequence[Task]) -> str:
    """Return the text of README.md: what the bundle is, its counts, and how it is used."""
    counts = ", ".join(f"{number} {name}" for name, number in sorted(manifest.counts.items()))
    splits = ", ".join(f"{name} {number}" for name, number in manifest.splits.items()) or "none"
    return f"""# {manifest.title or manifest.name}

A training environment of the family `{manifest.family}` for language-model agents, made by envgen: {counts}.
Tasks by split: {splits}.
{_example(tasks)}
{_FILES}
## Use it

```
envgen show {manifest.name}                # schema, tools, rules, tasks
envgen validate {manifest.name}            # run every gate again
envgen rollout {manifest.name} --policy oracle
python {manifest.name}/verify.py --help    # needs nothing but Python
```

```python
import envgen

env = envgen.load("{manifest.name}")
session = env.start(env.tasks()[0])
```

Digest: `{manifest.digest}`
Canary: `{manifest.canary}`
{_licences(manifest)}"""


def _example(tasks: Sequence[Task]) -> str:
    if not tasks:
        return ""
    quoted = "\n".join(f"> {line}".rstrip() for line in tasks[0].instruction.splitlines())
    return f"\nA task reads:\n\n{quoted}\n"


def _licences(manifest: Manifest) -> str:
    return "".join(f"Licence of the {what}: {name}\n" for what, name in sorted(manifest.licences.items()))
