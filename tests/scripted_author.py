"""Plays a capable model that writes one environment, from the replies in a folder of `tests/scripted`. They were written for the tests.

    python tests/scripted_author.py night_pharmacy [--port 8399]        prints the URL to give to --base-url

A folder holds `brief.json schema.json tools.json rules.json examples.json content.json words.json acts.json`, each as the reply of that
stage (`envgen/database/model/wire.py`), with the mistakes that such models make; and `repairs.json`, what the author answers when told:

    {"tools": {NAME: [next version, the one after it, ...]}, "new_tools": [tools that are written when something is missing],
     "disputed": [{"tool", "given", "why"}], "rules": {guards, procedures, prohibitions},
     "examples": {TOOL: [...]}, "content": {...}, "words": {...}, "acts": {...}}

Which part is meant is read from the prompt alone, so that a run that was killed goes on against another server.
"""

import argparse
import json
import re
import threading
from pathlib import Path
from typing import Any

from scripted_server import ScriptedServer

FOLDER = Path(__file__).parent / "scripted"
STAGE = re.compile(r"\A# Task: (\w+)")


class ScriptedAuthor:
    """Answers Chat Completions bodies; give `reply` to a `ScriptedServer`."""

    def __init__(self, name: str) -> None:
        folder = FOLDER / name
        self.parts = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
        self.repairs = self.parts.get("repairs", {})

    def rules(self) -> list[dict[str, Any]]:
        """The script for a server."""
        return [{"replies": [self.reply]}]

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request body, with plausible usage numbers."""
        prompt = next(message["content"] for message in body["messages"] if message["role"] == "user")
        stage = STAGE.match(prompt)
        content = getattr(self, f"_{stage[1]}")(prompt) if stage else {}
        text = json.dumps(content, ensure_ascii=False)
        size = sum(len(message["content"]) for message in body["messages"])
        return {"content": text, "usage": {"prompt_tokens": size // 4, "completion_tokens": len(text) // 4}}

    def _brief(self, prompt: str) -> Any:
        return self.parts["brief"]

    def _schema(self, prompt: str) -> Any:
        return self.parts["schema"]

    def _tools(self, prompt: str) -> Any:
        so_far = prompt.partition("Tools so far")[2].partition("Write the next")[0]
        done = set(re.findall(r"^- (\w+)\(", so_far, re.MULTILINE))
        match = re.search(r"Write the next (\d+) tools", prompt)
        count = int(match[1]) if match else 12
        return {"tools": [tool for tool in self.parts["tools"]["tools"] if tool["name"] not in done][:count]}

    def _repair_tools(self, prompt: str) -> Any:
        blocks = dict(re.findall(r"^## (\w+)\n(.*?)\nWrong:", prompt, re.MULTILINE | re.DOTALL))
        disputed = [item for item in self.repairs.get("disputed", ()) if item["tool"] in blocks and item["given"] in prompt]
        unsaid = set(blocks) - {item["tool"] for item in disputed}
        tools = [self._next(name, source) for name, source in blocks.items() if name in unsaid and name in self.repairs.get("tools", {})]
        fresh = self.repairs.get("new_tools", []) if "\n## Missing" in prompt else []
        return {"tools": [tool for tool in tools if tool] + fresh, "disputed": disputed}

    def _next(self, name: str, source: str) -> Any:
        versions = self.repairs["tools"][name]
        try:
            steps = json.loads(source)["steps"]
        except (json.JSONDecodeError, KeyError):
            steps = None
        shown = next((number for number, version in enumerate(versions) if version["steps"] == steps), -1)
        return versions[min(shown + 1, len(versions) - 1)]

    def _rules(self, prompt: str) -> Any:
        return self.parts["rules"]

    def _repair_rules(self, prompt: str) -> Any:
        asked = set(re.findall(r"^## (\w+)", prompt, re.MULTILINE))
        given = self.repairs.get("rules", {})
        return {kind: [rule for rule in given.get(kind, []) if rule["id"] in asked] for kind in ("guards", "procedures", "prohibitions")}

    def _examples(self, prompt: str) -> Any:
        asked = prompt.partition("Write examples for these tools:")[2]
        names = set(re.findall(r"^- (\w+)\(", asked.partition("Asked for:")[0], re.MULTILINE))
        if "Asked for:" in prompt:
            return {"examples": [example for name in sorted(names) for example in self.repairs.get("examples", {}).get(name, [])]}
        return {"examples": [example for example in self.parts["examples"]["examples"] if example["tool"] in names]}

    def _content(self, prompt: str) -> Any:
        return self._version("content", prompt)

    def _words(self, prompt: str) -> Any:
        return self._version("words", prompt)

    def _acts(self, prompt: str) -> Any:
        names = set(re.findall(r"^- (\w+)\(", prompt, re.MULTILINE))
        reply = self._version("acts", prompt)
        return {**reply, "acts": [act for act in reply["acts"] if act["tool"] in names]}

    def _version(self, stage: str, prompt: str) -> Any:
        return self.repairs.get(stage, self.parts[stage]) if "Wrong in the last version" in prompt else self.parts[stage]


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a scripted author for --base-url.")
    parser.add_argument("name", choices=sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    with ScriptedServer(ScriptedAuthor(arguments.name).rules(), port=arguments.port) as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
