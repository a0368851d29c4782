"""The skill folders, run as an agent runs them: by an interpreter that sees the standard library and nothing else."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import coglog_nb
from coglog_nb import CogLog, Entry, StoreError
from coglog_nb.artifact import artifact_source
from coglog_nb.entry import restore
from coglog_nb.fields import AXES, FIELDS, NAMES, schema
from coglog_nb.prompt import TEMPLATE
from coglog_nb.skill import contents, folders, write_skills
from coglog_nb.view import values_of

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
PACKAGE = Path(coglog_nb.__file__).parent
SKILLS = ("coglog", "coglog-viz")
SECONDS = 60  # for any one process; all of them end within one

posix_only = pytest.mark.skipif(os.name != "posix", reason="runs the commands in a POSIX shell")

# The commands and the snippet of the two texts that CogLog began with, as they stand there but for the paths.
WRITE_EXAMPLE = (
    """echo '{"user":"...","thinking":"...","assistant":"...","current_focus":"...","theory_of_mind":"...","""
    """"self_narrative":"...","annotation":"..."}' \\\n  | python3 SKILL/scripts/NAME.py write\n"""
)
SNIPPET = """\
import sys
sys.path.insert(0, 'SKILL/scripts')
from coglog import CogLog

cl = CogLog()  # writes to ~/.coglog/ by default

# Read previous turn
prev = cl.read()
if prev:
    print(f"Previous turn #{prev['turn_id']}:")
    print(f"  current_focus: {prev['current_focus']}")
    print(f"  theory_of_mind: {prev['theory_of_mind']}")
    print(f"  self_narrative: {prev['self_narrative']}")
    print(f"  annotation: {prev['annotation']}")

# After generating response, write current turn
cl.write(
    user="the user's message this turn",
    thinking="my internal reasoning this turn",
    assistant="my visible response this turn",
    current_focus="what I am working on right now",
    theory_of_mind="what I infer about the user",
    self_narrative="who I am after this exchange",
    annotation="what I want my next self to know",
)
"""
HOSTILE = {
    "user": "</script><script>globalThis.hacked = 1</script> ` ${1} \\u0041 \\",
    "thinking": '"); globalThis.hacked = 1; //',
    "assistant": "__proto__ \u2028\u2029 \ufeff \r\n \t \0 日本語 🙂 \\1 \\g<0>",
    "current_focus": "{x} {{ x }} %{text} $HOME `id` $(id)",
    "theory_of_mind": "",
    "self_narrative": "COGLOG\n'\"",
    "annotation": "*/ /* ```",
}


def interpreters() -> dict[str, str]:
    """Find the CPythons of this machine: on the PATH, where pyenv keeps them, and the one that runs this."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = [Path(sys.executable), *sorted(pyenv.glob("versions/3.*/bin/python3"))]
    found += [Path(which) for minor in range(6, 16) if (which := shutil.which(f"python3.{minor}"))]
    probe = "import sys; print('%d.%d' % sys.version_info[:2], sys.implementation.name)"
    versions: dict[str, str] = {}
    for path in found:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            asked = [str(path), "-I", "-S", "-c", probe]
            done = subprocess.run(asked, capture_output=True, text=True, timeout=SECONDS, check=True)
            version, implementation = done.stdout.split()
            if implementation == "cpython":
                versions.setdefault(version, str(path))
    return dict(sorted(versions.items(), key=lambda item: int(item[0].split(".")[1])))


PYTHONS = interpreters()
OLD = {version: path for version, path in PYTHONS.items() if int(version.split(".")[1]) < 9}
USABLE = {version: path for version, path in PYTHONS.items() if version not in OLD}


@pytest.fixture(scope="module")
def skills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both skills and their archives, as they were written. Not to be changed."""
    directory = tmp_path_factory.mktemp("skills")
    write_skills(directory, viz=True, archives=True)
    return directory


@pytest.fixture
def own_skills(tmp_path: Path) -> Path:
    """Both skills in a folder to change as a test likes."""
    directory = tmp_path / "skills"
    write_skills(directory, viz=True)
    return directory


class Agent:
    """Runs things as an agent in a sandbox does: an empty environment, a home of its own, an isolated interpreter."""

    def __init__(self, directory: Path, python: str) -> None:
        self.home = directory / "sandbox"
        self.home.mkdir()
        self.python = python
        self.env = {"HOME": str(self.home)}
        if os.name == "nt":
            self.env = {"USERPROFILE": str(self.home), "SYSTEMROOT": os.environ["SYSTEMROOT"]}

    def run(self, script: Path, *argv: str, stdin: str = "", **settings: Any) -> subprocess.CompletedProcess[str]:
        command = [self.python, "-I", "-S", str(script), *argv]
        return self.start(command, input=stdin, **settings)

    def start(self, command: list[str], **settings: Any) -> subprocess.CompletedProcess[str]:
        settings = {"env": self.env, "cwd": self.home, **settings}
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
            **settings,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def shell(self, code: str, **settings: Any) -> str:
        """Run shell code in which `python3` is the isolated interpreter; return what it printed."""
        folder = self.home / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "python3").write_text(f'#!/bin/sh\nexec "{self.python}" -I -S "$@"\n', encoding="utf-8")
        (folder / "python3").chmod(0o755)
        env = {**self.env, "PATH": f"{folder}:/usr/bin:/bin"}
        done = self.start(["/bin/sh", "-e", "-c", code], env=env, **settings)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path, sys.executable)


def script_of(directory: Path, name: str) -> Path:
    return directory / name / "scripts" / f"{name}.py"


def stored(home: Path) -> Entry:
    return restore(json.loads((home / ".coglog" / "current.json").read_text(encoding="utf-8")))


def tree(folder: Path) -> dict[str, bytes]:
    """Read every file under a folder, but for what an interpreter left there."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent.name != "__pycache__"
    }


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ---- what is in them


@pytest.mark.parametrize("name", SKILLS)
def test_a_skill_has_the_folders_it_should(skills: Path, name: str) -> None:
    files = set(tree(skills / name))
    assert {"SKILL.md", f"scripts/{name}.py", "references/DESIGN.md", "LICENSE", "MANIFEST.sha256"} <= files
    assert {file for file in files if not file.startswith("scripts/_")} == {
        "SKILL.md",
        f"scripts/{name}.py",
        "references/DESIGN.md",
        "LICENSE",
        "MANIFEST.sha256",
    }
    assert f"scripts/{contents.private_package(name)}/static/CogLogViewer.jsx" in files


def test_its_modules_are_checked_for_the_oldest_python() -> None:
    """The Makefile and the linter's settings name them by pattern: the core and the commands."""
    commands = {command for listed in contents.COMMANDS.values() for command in listed}
    shipped = {f"coglog_nb/{module}.py" for module in contents.MODULES}
    shipped |= {f"coglog_nb/commands/cmd_{command}.py" for command in commands}
    core = re.search(r"^CORE := \$\(wildcard (.*)\)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert core is not None
    assert shipped <= {path.relative_to(ROOT).as_posix() for pattern in core[1].split() for path in ROOT.glob(pattern)}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]
    oldest = [pattern for pattern, version in settings["per-file-target-version"].items() if version == "py39"]
    assert sorted(oldest) == sorted(core[1].replace("commands/*.py", "commands/**").split())


def test_the_documents_that_a_skill_brings_are_in_the_wheel() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    shipped = build["targets"]["wheel"]["force-include"]
    source = (PACKAGE / "skill" / "contents.py").read_text(encoding="utf-8")
    documents = re.findall(r'_document\("(.+)"\)', source)
    assert documents
    assert shipped == {path: f"coglog_nb/skill/{path.rpartition('/')[2]}" for path in documents}


@pytest.mark.parametrize("name", SKILLS)
def test_the_code_is_the_packages_byte_for_byte_but_for_the_list_of_commands(skills: Path, name: str) -> None:
    code = skills / name / "scripts" / contents.private_package(name)
    differing = {
        path
        for path, data in tree(code).items()
        if not (PACKAGE / path).exists() or data != (PACKAGE / path).read_bytes()
    }
    assert differing == {"__init__.py", "commands/registry.py"}
    listed = [
        tuple(ast.literal_eval(key) for key in node.value.keys if key is not None)
        for node in ast.parse((code / "commands" / "registry.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "COMMANDS"
        and isinstance(node.value, ast.Dict)
    ]
    assert listed == [contents.COMMANDS[name]]
    assert {path.stem.removeprefix("cmd_") for path in code.glob("commands/cmd_*.py")} == set(contents.COMMANDS[name])


# What a module imports inside a function that only commands call which a skill doesn't have.
UNREACHED = {"frontend.py": {"steps.models"}}


def test_what_no_skill_has_is_called_by_no_command_of_one() -> None:
    for command in {command for commands in contents.COMMANDS.values() for command in commands}:
        assert "find_model" not in (PACKAGE / "commands" / f"cmd_{command}.py").read_text(encoding="utf-8")


def imported_by(path: Path) -> set[str]:
    """Return what a module imports: names of the standard library, and paths of the package's own files."""
    tree_of_module = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree_of_module):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]  # never runs
    found = set()
    for node in ast.walk(tree_of_module):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module or "")
        elif isinstance(node, ast.ImportFrom) and node.module not in UNREACHED.get(path.name, ()):
            base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            found |= {str(base / alias.name) if base.is_dir() else str(base) for alias in node.names}
    return found


def is_there(imported: str) -> bool:
    path = Path(imported)
    if not path.is_absolute():
        return imported.split(".", maxsplit=1)[0] in sys.stdlib_module_names
    if path.with_suffix(".py").exists():
        return True
    own = path.with_name("__init__.py")  # a name that the package itself defines
    return own.exists() and bool(re.search(rf"^(def )?{path.name}\b", own.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("name", SKILLS)
def test_all_that_the_code_imports_is_in_the_skill_or_in_the_standard_library(skills: Path, name: str) -> None:
    code = skills / name / "scripts" / contents.private_package(name)
    lacking = {
        path.name: missing
        for path in code.rglob("*.py")
        if (missing := sorted(imported for imported in imported_by(path) if not is_there(imported)))
    }
    assert lacking == {}


@pytest.mark.parametrize("name", SKILLS)
def test_the_front_matter_is_what_a_skill_is_found_by(skills: Path, name: str) -> None:
    text = (skills / name / "SKILL.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    fields = yaml.safe_load(front)
    assert set(fields) == {"name", "description", "license", "metadata"}
    assert fields["name"] == name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert len(name) <= 64
    assert 0 < len(fields["description"]) <= 1024
    assert not set("<>") & set(front)
    assert not re.search("claude|anthropic", front, re.IGNORECASE)
    assert fields["metadata"] == {"version": coglog_nb.__version__}
    assert len(body.splitlines()) < 200, "an agent reads all of it in every conversation that uses it"
    for link in re.findall(r"\]\(([^)]+)\)", body):
        assert (skills / name / link).is_file(), link


@pytest.mark.parametrize("name", SKILLS)
def test_its_table_has_the_seven_fields_in_order_with_their_questions(skills: Path, name: str) -> None:
    text = (skills / name / "SKILL.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", text, re.MULTILINE)
    assert [row[0] for row in rows] == list(NAMES)
    for field, (_, kind, says) in zip(FIELDS, rows, strict=True):
        assert kind == (field.direction or "fact")
        assert not field.direction or says.startswith(field.question)
    assert TEMPLATE in text


def test_the_rationale_is_the_repositorys_and_reads_alone(skills: Path) -> None:
    for name in SKILLS:
        design = (skills / name / "references" / "DESIGN.md").read_text(encoding="utf-8")
        assert design == (ROOT / "docs" / "DESIGN.md").read_text(encoding="utf-8")
        assert "](" not in design, "a link would break where the page is read alone"


@pytest.mark.parametrize("name", SKILLS)
def test_the_manifest_lists_every_file_with_its_digest(skills: Path, name: str) -> None:
    files = tree(skills / name)
    lines = files.pop("MANIFEST.sha256").decode().splitlines()
    assert lines[0].startswith("# coglog skill, written by coglog-nb ")
    assert lines[1:] == [f"{hashlib.sha256(files[path]).hexdigest()}  {path}" for path in sorted(files)]


# ---- run as an agent runs them


@pytest.mark.slow
@posix_only
@pytest.mark.parametrize("version", USABLE)
def test_the_commands_of_the_first_texts_run_as_written(skills: Path, tmp_path: Path, version: str) -> None:
    for name in SKILLS:
        (tmp_path / name).mkdir()
        agent = Agent(tmp_path / name, USABLE[version])
        script = f"python3 {script_of(skills, name)}"
        assert agent.shell(f"{script} read") == "(no coglog found)\n"
        write = WRITE_EXAMPLE.replace("SKILL", str(skills / name)).replace("NAME", name)
        viewer = agent.home / ".coglog" / "outputs" / "coglog-turn-1.jsx"
        told = f"coglog: viewer → {viewer}\n" if name == "coglog-viz" else ""
        assert agent.shell(write) == f"coglog: turn 1 written\n{told}"
        assert viewer.exists() == bool(told)
        entry = stored(agent.home)
        assert values_of(entry) == dict.fromkeys(NAMES, "...")
        assert entry["_schema"] == schema()
        assert json.loads(agent.shell(f"{script} read")) == entry
        assert agent.shell(f"{script} clear") == "coglog: cleared\n"
        assert agent.shell(f"{script} clear") == "coglog: no existing coglog\n"


@pytest.mark.slow
@pytest.mark.parametrize("version", USABLE)
def test_the_snippet_of_the_first_text_runs_as_written(skills: Path, tmp_path: Path, version: str) -> None:
    agent = Agent(tmp_path, USABLE[version])
    program = agent.home / "turn.py"
    program.write_text(SNIPPET.replace("SKILL", (skills / "coglog").as_posix()), encoding="utf-8")
    assert agent.run(program).stdout == ""
    done = agent.run(program)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "Previous turn #1:\n"
        "  current_focus: what I am working on right now\n"
        "  theory_of_mind: what I infer about the user\n"
        "  self_narrative: who I am after this exchange\n"
        "  annotation: what I want my next self to know\n"
    )
    assert stored(agent.home)["turn_id"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("version", USABLE)
def test_every_command_runs_under_every_python(skills: Path, tmp_path: Path, version: str) -> None:
    agent = Agent(tmp_path, USABLE[version])
    script = script_of(skills, "coglog-viz")
    written = agent.run(script, "write", "--diff", "--session", "mira", stdin=json.dumps(HOSTILE))
    assert written.returncode == 0, written.stderr
    ran = {"write"}
    for argv in (
        ["read"],
        ["render"],
        ["where"],
        ["sessions"],
        ["template"],
        ["context", "--only", "axes"],
        ["context", "--format", "json"],
        ["schema"],
        ["export", "turn.json"],
        ["export", "turn.jsx"],
        ["export", "turn.html"],
        ["export", "turn.md"],
        ["import", "turn.json", "--replace"],
        ["clear", "--outputs"],
    ):
        done = agent.run(script, *argv, "--session", "mira")
        assert done.returncode == 0, (argv, done.stderr)
        assert done.stdout
        help_ = agent.run(script, argv[0], "--help")
        assert help_.stdout.startswith(f"usage: coglog-viz {argv[0]}")
        ran.add(argv[0])
    assert ran == set(contents.COMMANDS["coglog-viz"])
    assert values_of(restore(json.loads((agent.home / "turn.json").read_text(encoding="utf-8")))) == HOSTILE


@pytest.mark.skipif(not OLD, reason="no Python older than 3.9 is on this machine")
@pytest.mark.parametrize("version", OLD)
def test_an_older_python_gets_a_message_that_says_so(skills: Path, tmp_path: Path, version: str) -> None:
    agent = Agent(tmp_path, OLD[version])
    for name in SKILLS:
        done = agent.run(script_of(skills, name), "read")
        assert done.returncode == 1
        assert done.stderr.startswith(f"coglog error: {name} needs Python 3.9 or newer, and this is {version}")


@pytest.mark.slow
@posix_only
@pytest.mark.parametrize("name", SKILLS)
def test_every_command_that_its_text_gives_runs(
    own_skills: Path, agent: Agent, turn: dict[str, Any], name: str
) -> None:
    text = (own_skills / name / "SKILL.md").read_text(encoding="utf-8")
    folder = own_skills / name
    (folder / "turn.json").write_text(json.dumps(turn), encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert sum(block.count(f"python3 scripts/{name}.py") for block in blocks) >= 11
    said = [agent.shell(block, cwd=folder) for block in blocks]
    assert said[0] == "(no coglog found)\n"
    assert said[1].startswith("coglog: turn 1 written\n")
    # A command in the running text must print what that text says.
    for command in re.findall(rf"`(python3 scripts/{name}\.py [^`]+)`", text):
        out = agent.shell(command, cwd=folder)
        assert out.startswith(TEMPLATE if command.endswith("template") else "coglog: turn ")
    named = {word for block in blocks for word in re.findall(rf"scripts/{re.escape(name)}\.py (\w+)", block)}
    assert set(contents.COMMANDS[name]) - named == {"template"}


@posix_only
@pytest.mark.parametrize("name", SKILLS)
def test_the_python_that_its_text_gives_runs(own_skills: Path, agent: Agent, name: str) -> None:
    text = (own_skills / name / "SKILL.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    first, second = (
        agent.start([agent.python, "-I", "-S", "-c", code], cwd=own_skills / name, input="") for _ in range(2)
    )
    card = f"{agent.home / '.coglog' / 'outputs' / 'coglog-turn-'}%d.jsx\n" if name == "coglog-viz" else ""
    assert (first.returncode, first.stdout) == (0, card % 1 if card else ""), first.stderr
    assert second.stdout == "1 keep it short\n" + (card % 2 if card else "")


@pytest.mark.slow
@pytest.mark.parametrize("name", SKILLS)
def test_every_refusal_that_its_text_explains_is_worded_so(
    skills: Path, agent: Agent, turn: dict[str, Any], name: str
) -> None:
    text = (skills / name / "SKILL.md").read_text(encoding="utf-8")
    explained = re.findall(r"^\| (`.+`) \| .+ \|$", text.split("## When something is refused")[1], re.MULTILINE)
    script = script_of(skills, name)
    given = json.dumps(turn)
    blocked = agent.home / "a-file"
    blocked.write_text("", encoding="utf-8")
    (agent.home / "damaged").mkdir()
    (agent.home / "damaged" / "current.json").write_text("{", encoding="utf-8")
    store = CogLog(agent.home / "locked")
    store.write(**turn)
    refused = [
        agent.run(script, "write", stdin=json.dumps({**turn, "user": ""})),
        agent.run(script, "write", stdin=json.dumps({**turn, "annotation": None})),
        agent.run(script, "write", stdin=given[:-1]),
        agent.run(script, "write", stdin=given.replace("fixed points", "\\ud83d")),
        agent.run(script, "write", "--coglog-dir", "damaged", stdin=given),
        agent.run(script, "write", "--coglog-dir", str(blocked / "log"), stdin=given),
    ]
    if name == "coglog-viz":
        refused.append(agent.run(script, "write", "--viewer-dir", str(blocked), stdin=given))
    with holding(store):
        refused.append(agent.run(script, "write", "--coglog-dir", "locked", "--lock-timeout", "0.1", stdin=given))
    said = [line for done in refused for line in done.stderr.splitlines()]
    assert {done.returncode for done in refused} == {1}
    assert all(line.startswith("coglog error: ") for line in said)
    for phrase in re.findall(r"`([^`]+)`", " ".join(explained)):
        words = phrase.replace("10 s", "0.1 s").split("...")[0].strip()
        pattern = re.sub(r"\bNAME\b", r"\\w+", re.sub(r"\bPATH\b", r"\\S+", re.escape(words)))
        pattern = re.sub(r"\bN\b", r"[0-9]+", pattern).replace("REASON", "[^)]+")
        if words != "cannot write PATH:":  # the disk's own refusal: see the test with no permission
            assert any(re.search(pattern, line) for line in said), phrase


@contextlib.contextmanager
def holding(store: CogLog) -> Any:
    from coglog_nb.locks import hold_window

    with hold_window(str(store.current_file), 1):
        yield


# ---- where they lie, and what is beside them


@pytest.mark.slow
@posix_only
def test_it_runs_through_links_and_from_anywhere(skills: Path, agent: Agent, tmp_path: Path) -> None:
    (tmp_path / "to-script").symlink_to(script_of(skills, "coglog"))
    (tmp_path / "to-folder").symlink_to(skills / "coglog-viz")
    with_spaces = tmp_path / "ä folder, with 'marks' & spaces"
    shutil.copytree(skills / "coglog", with_spaces)
    for script in (
        tmp_path / "to-script",
        script_of(tmp_path, "to-folder").with_name("coglog-viz.py"),
        with_spaces / "scripts" / "coglog.py",
    ):
        for directory in (agent.home, Path("/")):
            done = agent.run(script, "read", cwd=directory)
            assert (done.returncode, done.stdout) == (0, "(no coglog found)\n"), done.stderr


def accessible_python() -> str | None:
    """Find an interpreter that another user may start."""
    found = (shutil.which(f"python3.{minor}", path="/usr/local/bin:/usr/bin") for minor in range(9, 16))
    return next(filter(None, found), None)


@posix_only
@pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0 and accessible_python() is None,
    reason="root may write anywhere, and no other user can start a Python here",
)
def test_a_skill_that_cannot_be_written_to_runs_and_a_log_that_cannot_be_is_reported(skills: Path) -> None:
    # Not under tmp_path: pytest lets nobody but its own user in there.
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        shutil.copytree(skills / "coglog-viz", directory / "coglog-viz", ignore=shutil.ignore_patterns("__pycache__"))
        (directory / "sandbox").mkdir()
        (directory / "log").mkdir()
        agent_home, log = directory / "sandbox", directory / "log"
        for path in (directory, *directory.rglob("*")):
            path.chmod(0o555)
        as_root = os.geteuid() == 0
        python = accessible_python() if as_root else sys.executable
        turn = json.dumps(dict.fromkeys(NAMES, "x"))

        def run(*argv: str, stdin: str = "") -> Any:
            user: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if as_root else {}
            return subprocess.run(
                [str(python), "-I", "-S", str(script_of(directory, "coglog-viz")), *argv],
                input=stdin,
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=SECONDS,
                check=False,
                cwd="/",
                env={"HOME": str(agent_home)},
                **user,
            )

        try:
            assert run("read").stdout == "(no coglog found)\n"
            for argv, doing in (([], f"create {agent_home}/.coglog"), (["--coglog-dir", str(log)], f"lock {log}/")):
                refused = run("write", *argv, stdin=turn)
                assert (refused.returncode, refused.stdout) == (1, "")
                assert refused.stderr.startswith(f"coglog error: cannot {doing}")
                assert refused.stderr.endswith(": Permission denied\n")
                assert refused.stderr.count("\n") == 1
            assert not list(directory.rglob("__pycache__"))
        finally:
            for path in (directory, *directory.rglob("*")):
                path.chmod(0o755)


def test_both_skills_and_the_package_share_a_process_and_a_log(
    skills: Path, agent: Agent, turn: dict[str, Any]
) -> None:
    code = f"""
import importlib, sys
before = list(sys.path)
sys.path.insert(0, {str(skills / "coglog-viz" / "scripts")!r})
sys.path.insert(0, {str(skills / "coglog" / "scripts")!r})
import coglog_nb
import coglog
from coglog import CogLog
viz = importlib.import_module("coglog-viz")
turn = {turn!r}
assert [CogLog, viz.CogLog] == [coglog.CogLog, viz.CogLog] and CogLog is not viz.CogLog
assert CogLog is not coglog_nb.CogLog
for number, log in enumerate((CogLog(), viz.CogLog(), coglog_nb.CogLog()), 1):
    assert log.write(**turn)["turn_id"] == number
assert CogLog().read() == viz.CogLog().read() == coglog_nb.CogLog().read()
assert sys.path == [{str(skills / "coglog" / "scripts")!r}, {str(skills / "coglog-viz" / "scripts")!r}, *before]
for module in (coglog, viz):
    for name in module.__all__:
        assert getattr(module, name).__module__.startswith("_coglog"), name
print("all three")
"""
    done = agent.start([agent.python, "-c", code], input="")
    assert (done.returncode, done.stdout) == (0, "all three\n"), done.stderr


@pytest.mark.parametrize("module", ["coglog", "coglog_cli", "coglog_mcp"])
def test_the_other_packages_read_its_file_and_it_reads_theirs(skills: Path, agent: Agent, module: str) -> None:
    script = script_of(skills, "coglog")
    assert agent.run(script, "write", stdin=json.dumps(HOSTILE)).stdout == "coglog: turn 1 written\n"
    peer = importlib.import_module(module).CogLog(data_dir=agent.home / ".coglog")
    assert peer.read() == stored(agent.home)
    assert peer.write(**HOSTILE)["turn_id"] == 2
    theirs = json.loads(agent.run(script, "read").stdout)
    assert theirs == peer.read()
    assert list(theirs) == list(peer.read())


# ---- what they write


def test_its_artifact_is_the_packages_and_text_stays_text(skills: Path, agent: Agent) -> None:
    # tests/test_artifact.py runs what `artifact_source` makes of such text under React; here it is the same file.
    done = agent.run(script_of(skills, "coglog-viz"), "write", stdin=json.dumps(HOSTILE))
    viewer = agent.home / ".coglog" / "outputs" / "coglog-turn-1.jsx"
    assert done.stdout == f"coglog: turn 1 written\ncoglog: viewer → {viewer}\n"
    entry = stored(agent.home)
    assert values_of(entry) == HOSTILE
    source = viewer.read_bytes()
    assert source == artifact_source(entry.view()).encode()
    assert b"</script>" not in source
    if os.name == "posix":
        assert stat.S_IMODE(viewer.stat().st_mode) == 0o600


def test_the_viewer_of_the_skill_is_the_built_one(skills: Path) -> None:
    for name in contents.STATIC:
        for skill in SKILLS:
            shipped = skills / skill / "scripts" / contents.private_package(skill) / "static" / name
            assert shipped.read_bytes() == (PACKAGE / "static" / name).read_bytes()


def test_eight_writers_at_once_rise_by_one_each(skills: Path, agent: Agent, turn: dict[str, Any]) -> None:
    writers, writes = 8, 5
    code = (
        f"import sys; sys.path.insert(0, {str(skills / 'coglog' / 'scripts')!r})\n"
        "from coglog import CogLog\n"
        f"for _ in range({writes}): print(CogLog().write(**{turn!r})['turn_id'])\n"
    )
    started = [
        subprocess.Popen(
            [agent.python, "-I", "-S", "-c", code], env=agent.env, cwd=agent.home, stdout=subprocess.PIPE, text=True
        )
        for _ in range(writers)
    ]
    try:
        ids = [[int(line) for line in process.communicate(timeout=SECONDS)[0].split()] for process in started]
    finally:
        for process in started:
            process.kill()
    assert sorted(number for own in ids for number in own) == list(range(1, writers * writes + 1))
    assert all(own == sorted(own) for own in ids)
    assert stored(agent.home)["turn_id"] == writers * writes


def test_damage_is_reported_and_never_overwritten(skills: Path, agent: Agent, turn: dict[str, Any]) -> None:
    script = script_of(skills, "coglog")
    file = agent.home / ".coglog" / "current.json"
    file.parent.mkdir()
    file.write_text('{"turn_id": 41, "lay', encoding="utf-8")
    for argv, stdin in ((["read"], ""), (["write"], json.dumps(turn))):
        done = agent.run(script, *argv, stdin=stdin)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"coglog error: damaged log {file}: is not JSON")
    assert file.read_text(encoding="utf-8") == '{"turn_id": 41, "lay'
    cleared = agent.run(script, "clear").stdout
    (kept,) = file.parent.glob("current.json.damaged-*")
    assert cleared == f"coglog: cleared (damaged file kept as {kept})\n"
    assert agent.run(script, "write", stdin=json.dumps(turn)).stdout == "coglog: turn 1 written\n"


def test_what_a_skill_does_not_have_is_an_unknown_command(skills: Path, agent: Agent) -> None:
    for name in SKILLS:
        usage = agent.run(script_of(skills, name), "--help").stdout
        for command in ("skill", "watch", "use"):
            assert f"\n  {command} " not in usage
            done = agent.run(script_of(skills, name), command)
            assert (done.returncode, done.stdout) == (2, "")
            assert f"unknown command {command}" in done.stderr
    done = agent.run(script_of(skills, "coglog"), "render")
    assert done.returncode == 2


# ---- writing them


def test_writing_twice_gives_the_same_bytes(skills: Path, tmp_path: Path) -> None:
    written = write_skills(tmp_path / "made" / "here", viz=True, archives=True)
    assert written == [
        str(tmp_path / "made" / "here" / name) for name in ("coglog", "coglog.zip", "coglog-viz", "coglog-viz.zip")
    ]
    assert tree(tmp_path / "made" / "here") == tree(skills)
    assert write_skills(tmp_path / "made" / "here", viz=True, archives=True) == written
    assert tree(tmp_path / "made" / "here") == tree(skills)
    assert names_in(tmp_path / "made" / "here") == sorted(Path(path).name for path in written)


def test_the_base_skill_alone_is_written_alone(tmp_path: Path) -> None:
    assert write_skills(tmp_path / "skills") == [str(tmp_path / "skills" / "coglog")]
    assert names_in(tmp_path / "skills") == ["coglog"]


@posix_only
def test_scripts_can_be_started_and_the_rest_is_as_the_system_has_it(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_skills(tmp_path / "skills")
    finally:
        os.umask(before)
    modes = {
        path.relative_to(tmp_path / "skills").as_posix(): stat.S_IMODE(path.stat().st_mode)
        for path in (tmp_path / "skills").rglob("*")
    }
    assert modes.pop("coglog/scripts/coglog.py") == 0o750
    assert {mode for name, mode in modes.items() if (tmp_path / "skills" / name).is_dir()} == {0o750}
    assert {mode for name, mode in modes.items() if (tmp_path / "skills" / name).is_file()} == {0o640}


def refused(directory: Path, says: str, **settings: bool) -> None:
    before = tree(directory)
    with pytest.raises(StoreError, match=says):
        write_skills(directory, viz=True, archives=True, **settings)
    assert tree(directory) == before, "a refusal writes nothing"


def test_a_foreign_folder_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "coglog-viz").mkdir()
    refused(tmp_path, "coglog-viz exists and was not written by", force=True)
    (tmp_path / "coglog-viz" / "SKILL.md").write_text("mine", encoding="utf-8")
    refused(tmp_path, "coglog-viz exists and was not written by", force=True)
    (tmp_path / "coglog-viz" / "MANIFEST.sha256").write_text("of another kind", encoding="utf-8")
    refused(tmp_path, "coglog-viz exists and was not written by", force=True)
    shutil.rmtree(tmp_path / "coglog-viz")
    (tmp_path / "coglog-viz").write_text("a file", encoding="utf-8")
    refused(tmp_path, "coglog-viz exists and was not written by", force=True)


def test_a_foreign_archive_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "coglog.zip").write_bytes(b"mine")
    refused(tmp_path, r"coglog\.zip exists and was not written by", force=True)
    with zipfile.ZipFile(tmp_path / "coglog.zip", "w") as archive:
        archive.writestr("coglog/SKILL.md", "mine")
    refused(tmp_path, r"coglog\.zip exists and was not written by", force=True)
    with zipfile.ZipFile(tmp_path / "coglog.zip", "w") as archive:
        archive.writestr("coglog/MANIFEST.sha256", "a secret")
    locked = bytearray((tmp_path / "coglog.zip").read_bytes())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(header) + flags] |= 1  # it says that it is encrypted
    (tmp_path / "coglog.zip").write_bytes(locked)
    refused(tmp_path, r"coglog\.zip exists and was not written by", force=True)
    (tmp_path / "coglog.zip").write_bytes(locked[: len(locked) // 2])
    refused(tmp_path, r"coglog\.zip exists and was not written by", force=True)


@posix_only
def test_a_pipe_is_not_waited_for(tmp_path: Path, own_skills: Path) -> None:
    (tmp_path / "piped" / "coglog").mkdir(parents=True)
    os.mkfifo(tmp_path / "piped" / "coglog" / "MANIFEST.sha256")
    with pytest.raises(StoreError, match="was not written by"):
        write_skills(tmp_path / "piped")
    (own_skills / "coglog" / "LICENSE").unlink()
    os.mkfifo(own_skills / "coglog" / "LICENSE")
    with pytest.raises(StoreError, match=r"modified since it was written \(LICENSE\)"):
        write_skills(own_skills)


@posix_only
@pytest.mark.parametrize("name", ["coglog", "coglog.zip"])
def test_a_link_is_never_followed(tmp_path: Path, name: str) -> None:
    write_skills(tmp_path / "elsewhere", viz=True, archives=True)
    before = tree(tmp_path / "elsewhere")
    (tmp_path / "skills").mkdir()
    link = tmp_path / "skills" / name
    link.symlink_to(tmp_path / "elsewhere" / name)
    refused(tmp_path / "skills", "is a link|was not written by", force=True)
    link.unlink()
    link.symlink_to(tmp_path / "nowhere")
    refused(tmp_path / "skills", "is a link|was not written by", force=True)
    assert tree(tmp_path / "elsewhere") == before
    assert not (tmp_path / "nowhere").exists()


@posix_only
def test_a_link_inside_is_a_change_and_what_it_leads_to_stays(own_skills: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "note.txt").write_text("mine", encoding="utf-8")
    (own_skills / "coglog" / "notes").symlink_to(precious)
    (own_skills / "coglog" / "SKILL.md").unlink()
    (own_skills / "coglog" / "SKILL.md").symlink_to(precious / "note.txt")
    refused(own_skills, r"modified since it was written \(SKILL\.md, notes\)")
    write_skills(own_skills, force=True)
    assert (precious / "note.txt").read_text(encoding="utf-8") == "mine"
    assert not (own_skills / "coglog" / "notes").exists()
    assert not (own_skills / "coglog" / "SKILL.md").is_symlink()


def test_what_was_changed_is_written_over_only_by_force(own_skills: Path, skills: Path) -> None:
    text = own_skills / "coglog" / "SKILL.md"
    text.write_text(text.read_text(encoding="utf-8") + "\nMy own rule.\n", encoding="utf-8")
    (own_skills / "coglog" / "scripts" / "extra.py").write_text("", encoding="utf-8")
    refused(own_skills, r"coglog was modified since it was written \(SKILL\.md, scripts/extra\.py\): --force")
    write_skills(own_skills, force=True)
    assert tree(own_skills / "coglog") == tree(skills / "coglog")


def test_what_only_a_former_version_had_goes_and_what_was_lost_comes_back(own_skills: Path, skills: Path) -> None:
    folder = own_skills / "coglog"
    stale = folder / "scripts" / "_coglog" / "old_module.py"
    stale.write_text("OLD = 1\n", encoding="utf-8")
    (folder / "SKILL.md").write_text("an older text\n", encoding="utf-8")
    listed = {path: data for path, data in tree(folder).items() if path != "MANIFEST.sha256"}
    lines = ["# coglog skill, written by coglog-nb 0.9.0"]
    lines += [f"{hashlib.sha256(data).hexdigest()}  {path}" for path, data in listed.items()]
    (folder / "MANIFEST.sha256").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "LICENSE").unlink()
    cache = folder / "scripts" / "_coglog" / "__pycache__"
    cache.mkdir()
    (cache / "store.cpython-39.pyc").write_bytes(b"of the old one")
    write_skills(own_skills)
    assert tree(folder) == tree(skills / "coglog")
    assert not cache.exists()


@pytest.mark.parametrize("fails_at", ["first", "late", "rename"])
def test_a_write_that_fails_leaves_the_former_skill_and_nothing_else(
    own_skills: Path, monkeypatch: pytest.MonkeyPatch, fails_at: str
) -> None:
    before = tree(own_skills)
    calls = 0

    def failing(real: Callable[..., None], after: int) -> Callable[..., None]:
        def call(*args: Any, **settings: Any) -> None:
            nonlocal calls
            calls += 1
            if calls > after:
                raise OSError(28, "No space left on device")
            real(*args, **settings)

        return call

    if fails_at == "rename":
        # The second of the two: the former one has been moved away by then.
        real = os.rename
        failed: list[str] = []

        def rename(source: str, target: str) -> None:
            if source.endswith(".new") and not failed:
                failed.append(source)
                raise OSError(28, "No space left on device")
            real(source, target)

        monkeypatch.setattr(os, "rename", rename)
    else:
        monkeypatch.setattr(folders, "_write", failing(folders._write, 0 if fails_at == "first" else 12))
    with pytest.raises(StoreError, match=r"cannot write .*coglog: No space left on device"):
        write_skills(own_skills)
    assert tree(own_skills) == before
    assert names_in(own_skills) == ["coglog", "coglog-viz"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills as POSIX does")
@pytest.mark.parametrize("at", ["SKILL.md", "moved"])
def test_a_run_that_is_killed_leaves_no_half_skill_and_the_next_one_clears_up(
    own_skills: Path, skills: Path, at: str
) -> None:
    code = f"""
import os, signal
from coglog_nb.skill import folders, write_skills
real_write, real_rename = folders._write, os.rename

def write(path, data, *, executable):
    if path.endswith({at!r}):
        os.kill(os.getpid(), signal.SIGKILL)
    real_write(path, data, executable=executable)

def rename(source, target):
    if {at!r} == "moved" and source.endswith(".new"):
        os.kill(os.getpid(), signal.SIGKILL)
    real_rename(source, target)

folders._write, folders.os.rename = write, rename
write_skills({str(own_skills)!r})
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=SECONDS, check=False)
    assert done.returncode == -signal.SIGKILL
    visible = {path.parent.name for path in own_skills.glob("[!.]*/SKILL.md")}
    assert visible == {"coglog-viz", "coglog"} if at == "SKILL.md" else {"coglog-viz"}
    left = [path for path in own_skills.iterdir() if path.name.startswith(".")]
    assert left
    if at == "SKILL.md":
        assert not any((path / "SKILL.md").exists() for path in left)
    write_skills(own_skills)
    assert tree(own_skills / "coglog") == tree(skills / "coglog")
    assert names_in(own_skills) == ["coglog", "coglog-viz"]


@pytest.mark.slow
def test_runs_at_the_same_time_leave_one_whole_skill(tmp_path: Path, skills: Path) -> None:
    code = f"""
from coglog_nb.skill import write_skills
for _ in range(8):
    write_skills({str(tmp_path / "skills")!r})
"""
    started = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    try:
        assert [process.wait(timeout=SECONDS) for process in started] == [0] * 4
    finally:
        for process in started:
            process.kill()
    assert names_in(tmp_path / "skills") == ["coglog"]
    assert tree(tmp_path / "skills" / "coglog") == tree(skills / "coglog")


def test_an_archive_is_ready_to_upload(skills: Path, agent: Agent, tmp_path: Path) -> None:
    for name in SKILLS:
        with zipfile.ZipFile(skills / f"{name}.zip") as archive:
            assert archive.testzip() is None
            members = archive.infolist()
            assert [member.filename for member in members] == sorted(f"{name}/{path}" for path in tree(skills / name))
            for member in members:
                assert member.date_time == (1980, 1, 1, 0, 0, 0)
                assert member.compress_type == zipfile.ZIP_STORED  # what zlib makes differs between its versions
                mode = 0o755 if member.filename == f"{name}/scripts/{name}.py" else 0o644
                assert (member.create_system, member.external_attr >> 16) == (3, stat.S_IFREG | mode)
            archive.extractall(tmp_path / "uploaded")
        assert tree(tmp_path / "uploaded" / name) == tree(skills / name)
        assert agent.run(script_of(tmp_path / "uploaded", name), "read").stdout == "(no coglog found)\n"
    # What was uploaded, or unpacked by hand, is known again.
    assert write_skills(tmp_path / "uploaded", viz=True)


def test_a_place_that_cannot_be_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match=r"cannot create .*file: it is not a directory"):
        write_skills(tmp_path / "file")
    with pytest.raises(StoreError, match="DIR is an empty string"):
        write_skills("")


def test_a_checkout_without_the_viewer_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = shutil.copytree(PACKAGE, tmp_path / "coglog_nb", ignore=shutil.ignore_patterns("static", "__pycache__"))
    monkeypatch.setattr(contents, "_PACKAGE", str(copy))
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy2(ROOT / "LICENSE", tmp_path / "LICENSE")
    with pytest.raises(StoreError, match=r"CogLogViewer\.jsx is missing: build the viewer first"):
        write_skills(tmp_path / "skills")
    assert not (tmp_path / "skills").exists()


def test_an_empty_axis_stays_empty_and_a_missing_one_is_refused(
    skills: Path, agent: Agent, turn: dict[str, Any]
) -> None:
    script = script_of(skills, "coglog")
    for axis in AXES:
        assert agent.run(script, "write", stdin=json.dumps({**turn, axis: ""})).returncode == 0
        assert stored(agent.home)[axis] == ""
        lacking = {name: text for name, text in turn.items() if name != axis}
        done = agent.run(script, "write", stdin=json.dumps(lacking))
        assert done.stderr == f"coglog error: missing required field: {axis} (empty string is acceptable) (not given)\n"
