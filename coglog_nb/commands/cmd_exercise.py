"""`exercise`: list the exercises, open one, or sum up the results."""

from __future__ import annotations

from argparse import Namespace

from ..errors import UsageError
from ..teaching.exercises import results
from ..teaching.exercises.catalog import built_in, find
from ..teaching.exercises.text_form import answers_text, list_text, plain_text, summary
from ..teaching.locales import texts_of
from .frontend import Frontend, Outcome
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    parser.add_text(
        "exercise", nargs="?", metavar="NAME", help="a built-in exercise, or the path of a .json file of your own"
    )
    parser.add_language()
    parser.add_argument("--answers", action="store_true", help="print the answers of NAME with their reasons")
    parser.add_argument("--summary", action="store_true", help="show the stored answers, for NAME or for all exercises")
    parser.add_argument("--clear", action="store_true", help="with --summary: remove all results")


def run(args: Namespace, frontend: Frontend) -> Outcome:
    lang = frontend.lang(args)
    if args.clear and not args.summary:
        raise UsageError("--clear goes with --summary: it removes the results of the exercises")
    if args.summary:
        if args.answers:
            raise UsageError("--summary and --answers exclude each other: give one of them")
        return _summary(args, frontend, lang)
    command = f"{frontend.program} exercise"
    if args.exercise is None:
        if args.answers:
            raise UsageError("--answers needs the NAME of an exercise")
        return Outcome(list_text(built_in(), lang, command))
    exercise = find(args.exercise)
    if args.answers:
        return Outcome(answers_text(exercise, lang))
    text = plain_text(exercise, lang, f"{command} {args.exercise}")
    return Outcome(text, value=frontend.open_exercise(exercise, args))


def _summary(args: Namespace, frontend: Frontend, lang: str) -> Outcome:
    data_dir = str(frontend.store(args).data_dir)
    if args.clear:
        if args.exercise is not None:
            raise UsageError(f"--clear removes all results: leave out {args.exercise}")
        texts = texts_of("exercises", lang)
        return Outcome(texts["summary.cleared" if results.clear(data_dir) else "summary.nothing"], done=True)
    runs = [run for run in results.all_runs(data_dir) if args.exercise in {None, run["exercise"]}]
    text = summary(runs, lang)
    return Outcome(text, value=text)
