"""`write`: a turn from JSON, labelled sections, a mapping or expressions, stored in the place of the last one."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping

from ..entry import Entry, flatten, refuse_placeholder, validate
from ..errors import CogLogError, InputError
from ..fields import FIELDS
from .frontend import Frontend, Outcome
from .parser import Parser

TAKES_BODY = True


def add_arguments(parser: Parser) -> None:
    """Add where the turn comes from and what to do with it."""
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
        help="overwrite the stored turn under its own turn_id (a cell run again)",
    )
    parser.add_argument("--diff", action="store_true", help="show what stood a turn ago in each axis that changed")
    parser.add_argument("--check", action="store_true", help="validate and store nothing")


def add_field_options(parser: Parser) -> None:
    """Add an option for each field, whose value is an expression."""
    for field in FIELDS:
        spellings = dict.fromkeys((f"--{field.name.replace('_', '-')}", f"--{field.name}"))
        parser.add_argument(
            *spellings,
            dest=f"field_{field.name}",
            metavar="EXPR",
            help=f"a Python expression giving {field.name} as a str (%%coglog)",
        )


def options_given(args: Namespace, frontend: Frontend) -> dict[str, object]:
    """Return the fields that those options give."""
    found: dict[str, object] = {}
    for field in FIELDS:
        expression = getattr(args, f"field_{field.name}")
        if expression is not None:
            found[field.name] = text_of(expression, f"--{field.name}", frontend)
    return found


def fields_given(args: Namespace, frontend: Frontend) -> dict[str, object]:
    """Put the fields together: an option wins over the body, the body over the mapping."""
    found: dict[str, object] = {}
    if args.mapping is not None:
        mapping = frontend.evaluate(args.mapping, "NAME")
        if not isinstance(mapping, Mapping):
            raise InputError(f"{args.mapping} is {type(mapping).__name__}, not a mapping of fields")
        refuse_placeholder(mapping)
        found.update(flatten(mapping))
    given = frontend.read_fields()
    refuse_placeholder(given)
    found.update(flatten(given))
    return {**found, **options_given(args, frontend)}


def text_of(expression: str, option: str, frontend: Frontend) -> str:
    """Return the text that an option's expression gives."""
    value = frontend.evaluate(expression, option)
    if not isinstance(value, str):
        raise InputError(f"{option}: {expression} is {type(value).__name__}, not str; nothing is converted")
    return value


def run(args: Namespace, frontend: Frontend) -> Outcome:
    """Put the turn together and store it."""
    values = validate(fields_given(args, frontend))
    if args.check:
        return Outcome("coglog: valid, nothing stored")
    return store_turn(values, args, frontend, replace=args.replace, diff=args.diff)


def store_turn(
    values: Mapping[str, str], args: Namespace, frontend: Frontend, *, replace: bool = False, diff: bool = False
) -> Outcome:
    """Store a turn that was checked and, where the frontend does so, write its viewer artifact."""
    store = frontend.store(args)
    frontend.theme(args)  # what is no theme is told before anything is stored
    entry = store.write(**values, replace=replace, diff=diff)
    note = _about_difference(entry, replaced=replace) if diff else ""
    if diff and not frontend.in_notebook:  # there the card shows it
        from ..viewer import difference_text

        note = "\n".join(filter(None, (note, difference_text(entry) if entry.before else "")))
    return stored_outcome(entry, args, frontend, note=note)


def stored_outcome(entry: Entry, args: Namespace, frontend: Frontend, *, note: str = "") -> Outcome:
    """Tell of a turn that was just stored and, where the frontend does so, write its viewer artifact."""
    frontend.apply_display_options(entry, args)
    lines = [f"coglog: turn {entry['turn_id']} written"]
    problems: tuple[str, ...] = ()
    if frontend.renders:
        from ..viewer import render  # `coglog write` has no use for it

        try:
            path = render(entry, frontend.viewer_directory(args, frontend.store(args))[0], theme=entry.theme)
        except CogLogError as error:
            # The turn is stored by now: that stands, and the viewer can be made again with `render`.
            problems = tuple(
                f"turn {entry['turn_id']} is stored, but its viewer is not: {line}" for line in error.problems
            )
        else:
            lines.append(f"coglog: viewer \u2192 {path}")
    return Outcome("\n".join(lines), entry, problems, note)


def _about_difference(entry: Entry, *, replaced: bool) -> str:
    """Say of a comparison what the card can't: that there is none, or that it isn't with the turn before."""
    if entry.before is None:
        return "coglog: no turn was stored before: nothing to compare with"
    if not entry.before:
        return "coglog: no axis changed"
    return "coglog: compared with the turn that this one replaced" if replaced else ""
