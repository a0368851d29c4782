"""The providers whose replies are read. A new one is a file in `providers`, and its import and its line here."""

from __future__ import annotations

from .providers.anthropic import Anthropic
from .providers.bedrock import Bedrock
from .providers.gemini import Gemini, GeminiInteractions
from .providers.langchain import LangChain
from .providers.llm_library import LLM
from .providers.ollama import Ollama
from .providers.openai_chat import OpenAIChat
from .providers.openai_responses import OpenAIResponses
from .providers.raw import Raw

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from .providers.base import Provider

RAW = Raw()

# In the order in which a reply, or a chunk of one, is compared with them: where two could fit, the first is right.
PROVIDERS: tuple[Provider, ...] = (
    LLM(),
    LangChain(),
    Bedrock(),
    OpenAIResponses(),
    GeminiInteractions(),
    Gemini(),
    Ollama(),
    Anthropic(),
    OpenAIChat(),
    RAW,
)
