"""`try`: several models, or several system prompts, before the same turn."""

from __future__ import annotations

import argparse
import re
from argparse import Namespace

from IPython.display import display

from ..commands.cmd_turn import MODEL_HELP, SYSTEM_HELP, add_step_options, model_options, step_settings, user_text
from ..commands.frontend import Outcome
from ..commands.parser import Parser
from ..errors import UsageError
from .frontend import NotebookFrontend
from .streaming import Progress

TAKES_BODY = True


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or not int(text):
        raise argparse.ArgumentTypeError(f"not a number of calls: {text!r}")
    return int(text)


def add_arguments(parser: Parser) -> None:
    """Add the models, the system prompts, and what goes before them."""
    parser.add_argument("-m", "--model", action="append", default=[], metavar="MODEL", help=f"{MODEL_HELP}; repeatable")
    parser.add_argument("--system", action="append", default=[], metavar="NAME|FILE", help=f"{SYSTEM_HELP}; repeatable")
    add_step_options(parser)
    parser.add_argument("--at-once", type=_count, metavar="N", help="how many calls run at a time (4)")


def run(args: Namespace, frontend: NotebookFrontend) -> Outcome:
    """Ask for every combination, and show the candidates; `keep` stores one."""
    from ..steps.comparison import AT_ONCE, Candidate, Candidates, run_all
    from ..steps.step import Step

    if not args.model:
        raise UsageError("no model: -m MODEL names one that llm knows, or a callable, and may stand several times")
    frontend.theme(args)
    options = model_options(args)
    # A list and no dict: to ask the same model twice under the same prompt shows how much its answers vary.
    models = [frontend.find_model(word, options) for word in args.model]
    systems = [(word, frontend.text_of(word, "--system")) for word in args.system] or [("", "")]
    settings = step_settings(args, frontend)
    text = user_text(args, frontend)
    previous = frontend.store(args).read()
    pairs = [(model, label, system) for model in models for label, system in systems]
    found = Candidates(
        [
            Candidate(number, model, label, Step(text, previous, system=system, **settings))
            for number, (model, label, system) in enumerate(pairs, start=1)
        ],
        previous,
        show_thinking=frontend.shows_thinking(args),
        theme=frontend.theme(args),
    )
    run_all(found, Progress(len(found)), at_once=args.at_once or AT_ONCE)
    frontend.candidates = found
    if found.interrupted:
        display(found)
        raise KeyboardInterrupt  # as any cell's: what was to run after it doesn't
    return Outcome(value=found)
