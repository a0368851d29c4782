"""The providers, in the order in which a reply is compared with them: a new one is a file and a line."""

from __future__ import annotations

from .providers.anthropic import Anthropic, AnthropicStream
from .providers.bedrock import Bedrock, BedrockStream
from .providers.gemini import Gemini, GeminiInteraction, GeminiInteractionStream, GeminiStream
from .providers.langchain import LangChain, LangChainStream
from .providers.llm_library import LLM, LLMStream
from .providers.ollama import Ollama, OllamaStream
from .providers.openai_chat import OpenAIChat, OpenAIChatStream
from .providers.openai_responses import OpenAIResponses, OpenAIResponsesStream
from .providers.raw import Raw

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from .providers.base import Provider, Stream

RAW = Raw()

PROVIDERS: tuple[Provider, ...] = (
    LLM(),
    LangChain(),
    Bedrock(),
    OpenAIResponses(),
    GeminiInteraction(),
    Gemini(),
    Ollama(),
    Anthropic(),
    OpenAIChat(),
    RAW,
)

STREAMS: tuple[type[Stream], ...] = (
    LLMStream,
    LangChainStream,
    BedrockStream,
    OpenAIResponsesStream,
    GeminiInteractionStream,
    OllamaStream,
    OpenAIChatStream,
    GeminiStream,
    AnthropicStream,
)
