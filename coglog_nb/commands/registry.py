"""The list of all commands: what each does, where it works, and what to use elsewhere.

To add a command: write its ``cmd_NAME`` module, add its line here, and write its test.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # see coglog_nb/__init__.py
if TYPE_CHECKING:
    from types import ModuleType

SHELL = ("coglog", "coglog-viz")
NOTEBOOK = ("%coglog",)
EVERYWHERE = (*SHELL, *NOTEBOOK)


class Command:
    """A command in the registry.

    Parameters
    ----------
    summary : str
        What it does, in one line.
    works_in : tuple of str, optional
        The programs that have it.
    elsewhere : str, optional
        The error in the other programs: why they don't have it, and what to use instead.
    """

    def __init__(self, summary: str, works_in: tuple[str, ...] = EVERYWHERE, elsewhere: str = "") -> None:
        self.summary = summary
        self.works_in = works_in
        self.elsewhere = elsewhere


COMMANDS = {
    "read": Command("show the stored turn"),
    "write": Command("store a turn; it replaces the previous one"),
    "capture": Command("read the seven fields out of a model's reply, and say which are missing"),
    "clear": Command("remove the stored turn"),
    "render": Command(
        "write the viewer artifact of the stored turn",
        ("coglog-viz", *NOTEBOOK),
        "unknown command render: coglog writes no artifacts; did you mean coglog-viz render?",
    ),
    "where": Command("show where the turn is kept, and why there"),
    "sessions": Command("list the sessions"),
    "export": Command("save the stored turn as a file: .json, .jsx, .html or .md"),
    "import": Command("store the turn of an exported .json file, with its id and time"),
    "watch": Command(
        "show a card that follows the stored turn while another program writes it",
        NOTEBOOK,
        "watch works only in a notebook, where a card can follow the turn; here, read shows the turn as it is now",
    ),
    "template": Command("print the instruction that asks a model to end its answers with a coglog block"),
    "context": Command("print the part of the stored turn that goes into the next prompt, with its size"),
    "edit": Command(
        "open a form to write a turn, with its card beside it",
        NOTEBOOK,
        "edit works only in a notebook, where it can show a form; here, write takes the turn as JSON on stdin",
    ),
    "guide": Command("explain the seven fields, or one of them, with examples"),
    "exercise": Command("place statements on the axes, or fill in a blank turn; without a name, list the exercises"),
    "turn": Command("take one step with a model: its reply to the user becomes the next turn"),
    "try": Command(
        "ask several models, or use several system prompts, and compare the candidates",
        NOTEBOOK,
        "try works only in a notebook, where it can show the candidates; here, turn takes one step with one model",
    ),
    "keep": Command(
        "store one of the candidates as the next turn",
        NOTEBOOK,
        "keep works only in a notebook, where try makes the candidates; here, turn stores the reply of one model",
    ),
    "skill": Command("write CogLog as a skill folder that needs no installation"),
    "schema": Command("print the JSON Schema of an entry, or of what write takes"),
    "mcp": Command(
        "start an MCP server with the tools coglog_read, coglog_write and coglog_clear",
        SHELL,
        "mcp works only in a shell: an MCP client starts `coglog mcp` by itself; docs/mcp.md shows its settings",
    ),
    "use": Command(
        "switch this notebook to a session",
        NOTEBOOK,
        "use works only in a notebook, where the choice lasts; here, give --session NAME or set COGLOG_SESSION",
    ),
}


def commands_of(program: str) -> list[str]:
    """List the names of the commands that work in a program."""
    return [name for name, command in COMMANDS.items() if program in command.works_in]


def module_of(name: str) -> str:
    """Return the name of a command's module within the package; one that needs a notebook is in `notebook`."""
    folder = "notebook" if COMMANDS[name].works_in == NOTEBOOK else "commands"
    return f"{folder}.cmd_{name}"


def load(name: str) -> ModuleType:
    """Import the module of a command that is in this folder."""
    return import_module(f"{__package__}.cmd_{name}")
