"""The commands: what `coglog`, `coglog-viz` and `%coglog` do. A file a command, its arguments and what it does.

Each ``cmd_NAME`` module has ``add_arguments(parser)`` and ``run(args, frontend) -> Outcome``, and is imported when its
command is called: importing all of them would be most of the time that a `coglog read` takes.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from types import ModuleType

COMMANDS = {
    "read": "show the stored turn",
    "write": "store a turn in the place of the last one",
    "capture": "take a model's reply as a turn: what it holds of the seven fields, and what is missing",
    "clear": "forget the stored turn",
    "render": "write the viewer artifact of the stored turn (coglog-viz, %coglog)",
    "where": "say where the turn is kept, and why there",
    "sessions": "list the sessions",
    "export": "write the stored turn to a file: .json, .jsx, .html or .md",
    "import": "store the turn of an exported .json file, with its id and time",
    "watch": "show a card that follows the turn while something else writes it (%coglog)",
    "template": "give the instruction that makes a model end its answers with a coglog block",
    "context": "give what of the stored turn goes into the next prompt, with its size",
    "edit": "show a form in which a turn is written, with its card beside it (%coglog)",
    "guide": "explain the seven fields, or one of them, with examples",
    "exercise": "place statements on the axes, or fill in a blank turn; without a name, list the exercises",
    "turn": "take one step with a model: its reply to what the user says becomes the next turn",
    "try": "ask several models, or under several system prompts, and show the candidates (%coglog)",
    "keep": "make one of the candidates the next turn (%coglog)",
    "skill": "write CogLog as a skill folder that needs nothing installed",
    "schema": "give the JSON Schema of an entry, or of what write takes",
    "mcp": "serve the tools coglog_read, coglog_write and coglog_clear to an MCP client",
    "use": "keep to a session from here on (%coglog)",
}


def load(name: str) -> ModuleType:
    """Import the module of a command."""
    return import_module(f"{__name__}.cmd_{name}")
