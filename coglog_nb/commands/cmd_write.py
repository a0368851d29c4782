"""`write`: store a turn given as JSON, labelled sections, a mapping or expressions."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping

from ..entry import Entry
from ..errors import CogLogError, InputError, ValidationError
from ..fields import FIELDS, NAMES
from ..store import CogLog
from ..validation import flatten, missing_problem, refuse_placeholder, unknown_keys, validate
from .frontend import Frontend, Outcome
from .parser import Parser

TAKES_BODY = True


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "mapping",
        nargs="?",
        metavar="NAME",
        help="a Python expression giving the seven fields or a whole entry (%%coglog); on the command line the turn is"
        " JSON on stdin",
    )
    add_field_options(parser)
    parser.add_argument(
        "--replace",
        action="store_true",
        help="overwrite the stored turn under its own turn_id (to run a cell again)",
    )
    parser.add_argument("--diff", action="store_true", help="show the previous text of each axis that changed")
    parser.add_argument("--check", action="store_true", help="validate and store nothing")


def add_field_options(parser: Parser, in_a_shell: str = "") -> None:
    """Add an option for each field, whose value is an expression; `in_a_shell` says what it is there."""
    for field in FIELDS:
        spellings = dict.fromkeys((f"--{field.name.replace('_', '-')}", f"--{field.name}"))
        parser.add_argument(
            *spellings,
            dest=f"field_{field.name}",
            metavar="EXPR",
            help=f"a Python expression giving {field.name} as a str (%%coglog){in_a_shell}",
        )


def field_options(args: Namespace, frontend: Frontend) -> dict[str, str]:
    """Return the fields that those options give."""
    expressions = {field.name: getattr(args, f"field_{field.name}") for field in FIELDS}
    return {
        name: frontend.evaluate_text(expression, f"--{name}")
        for name, expression in expressions.items()
        if expression is not None
    }


def run(args: Namespace, frontend: Frontend) -> Outcome:
    fields, keys, problems = _fields(args, frontend)
    missing = [name for name in NAMES if missing_problem(name, fields)]
    told = [problem for problem in problems if set(problem.partition(":")[0].split(", ")) & set(missing)]
    if told:
        raise ValidationError(told)
    if missing:  # raises; the store doesn't know what else was given
        validate(fields, keys=keys, causes=frontend.causes_of_missing(missing))
    if args.check:
        validate(fields)
        return Outcome("coglog: valid, nothing stored")
    return store_turn(fields, args, frontend, diff=args.diff)


def _fields(args: Namespace, frontend: Frontend) -> tuple[dict[str, object], list[str], tuple[str, ...]]:
    """Combine the fields: an option wins over the body, the body over the mapping.

    Also return the unknown keys, and what a captured reply says about the fields that it doesn't have.
    """
    found: dict[str, object] = {}
    keys: list[str] = []
    problems: tuple[str, ...] = ()
    mapping = {} if args.mapping is None else frontend.evaluate(args.mapping, "NAME")
    # By its attributes: what reads replies isn't imported for this, and no skill has it.
    if isinstance(getattr(mapping, "fields", None), dict) and isinstance(getattr(mapping, "problems", None), tuple):
        mapping, problems = mapping.fields, mapping.problems  # type: ignore[attr-defined]  # as was just checked
    if not isinstance(mapping, Mapping):
        raise InputError(f"{args.mapping} is {type(mapping).__name__}, not a mapping of fields")
    for given in (mapping, frontend.read_fields()):
        refuse_placeholder(given)
        found.update(flatten(given))
        keys += unknown_keys(given)
    return {**found, **field_options(args, frontend)}, keys, problems


def store_turn(fields: Mapping[str, object], args: Namespace, frontend: Frontend, *, diff: bool = False) -> Outcome:
    """Store a turn, which the store checks, and write its viewer artifact where the frontend does so."""
    store = frontend.store(args)
    entry = store.write(**fields, replace=args.replace, diff=diff)  # type: ignore[arg-type]  # it checks them
    note = _about_difference(entry, replaced=args.replace) if diff else ""
    if diff and not frontend.in_notebook:  # in a notebook the card shows it
        from ..text_form import difference_text

        note = "\n".join(filter(None, (note, difference_text(entry.view()) if entry.before else "")))
    return stored_outcome(entry, store, args, frontend, note=note)


def stored_outcome(entry: Entry, store: CogLog, args: Namespace, frontend: Frontend, *, note: str = "") -> Outcome:
    """Report a turn that was just stored, and write its viewer artifact where the frontend does so."""
    frontend.apply_display_options(entry, args)
    lines = [f"coglog: turn {entry['turn_id']} written"]
    problems: tuple[str, ...] = ()
    if frontend.renders:
        from ..artifact import write_artifact  # `coglog write` doesn't need it

        try:
            directory = frontend.viewer_directory(args, store)[0]
            path, problems = write_artifact(entry, directory, keep=frontend.artifacts)
        except CogLogError as error:
            # The turn stays stored, and `render` can write the viewer later.
            problems = tuple(
                f"turn {entry['turn_id']} is stored, but its viewer is not: {line}" for line in error.problems
            )
        else:
            lines.append(f"coglog: viewer \u2192 {path}")
    return Outcome("\n".join(lines), entry, problems, note, done=True)


def _about_difference(entry: Entry, *, replaced: bool) -> str:
    """Print what the card can't show about a comparison: that there is none, or that it isn't with the turn before."""
    if entry.before is None:
        return "coglog: no turn was stored before: nothing to compare with"
    if not entry.before:
        return "coglog: no axis changed"
    return "coglog: compared with the turn that this one replaced" if replaced else ""
