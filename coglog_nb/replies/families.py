"""The families of providers, in the order in which a reply is held against them: a new one is a file and a line."""

from __future__ import annotations

from .anthropic import Anthropic, AnthropicStream
from .bedrock import Bedrock, BedrockStream
from .gemini import Gemini, GeminiInteraction, GeminiInteractionStream, GeminiStream
from .langchain import LangChain, LangChainStream
from .llm_library import LLM, LLMStream
from .ollama import Ollama, OllamaStream
from .openai_chat import OpenAIChat, OpenAIChatStream
from .openai_responses import OpenAIResponses, OpenAIResponsesStream
from .raw import Raw

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from .family import Family, Stream

RAW = Raw()

FAMILIES: tuple[Family, ...] = (
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
