"""A loopback server with the providers' wire formats, and a directory of llm's own."""

from __future__ import annotations

import gc
import json
from typing import TYPE_CHECKING, Any

import pytest
from loopback import Loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as loopback:
        yield loopback


@pytest.fixture(autouse=True)
def llm_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Llm's directory: without the variable it would make one in the home directory."""
    directory = tmp_path / "llm"
    directory.mkdir()
    monkeypatch.setenv("LLM_USER_PATH", str(directory))
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_HOST", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return directory


@pytest.fixture
def llm_models(llm_dir: Path, server: Loopback) -> Callable[..., None]:
    """Register models of an OpenAI-compatible server the way llm's users do, in its own configuration file."""

    def register(*models: dict[str, Any], keys: dict[str, str] | None = None) -> None:
        entries = [{"model_name": model["model_id"], "api_base": f"{server.url}/v1", **model} for model in models]
        (llm_dir / "extra-openai-models.yaml").write_text(json.dumps(entries))  # JSON is YAML
        if keys is not None:
            (llm_dir / "keys.json").write_text(json.dumps(keys))

    return register


@pytest.fixture
def collected() -> Iterator[None]:
    """Let the collector close what a test left open before another test begins."""
    yield
    gc.collect()
