"""`try`: several models, or several system prompts, from the same turn; shows the candidates for the next one."""

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


def _number_of_calls(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or not int(text):
        raise argparse.ArgumentTypeError(f"not a number of calls: {text!r}")
    return int(text)


def add_arguments(parser: Parser) -> None:
    """Add the options of `try`."""
    parser.add_argument("-m", "--model", action="append", default=[], metavar="MODEL", help=f"{MODEL_HELP}; repeatable")
    parser.add_argument("--system", action="append", default=[], metavar="NAME|FILE", help=f"{SYSTEM_HELP}; repeatable")
    add_step_options(parser)
    parser.add_argument("--at-once", type=_number_of_calls, metavar="N", help="how many calls run at the same time (4)")


def run(args: Namespace, frontend: NotebookFrontend) -> Outcome:
    """Ask every model under every system prompt, and show the candidates."""
    from ..steps.comparison import AT_ONCE, Candidate, Comparison, run_all
    from ..steps.step import Step

    if not args.model:
        raise UsageError("no model: -m MODEL names one that llm knows, or a callable; give it once for each model")
    options = model_options(args)
    # A list, not a dict: the same model asked twice under the same prompt shows how much its answers vary.
    models = [frontend.find_model(word, options) for word in args.model]
    systems = [(word, frontend.text_of(word, "--system")) for word in args.system] or [("", "")]
    settings = step_settings(args, frontend)
    text = user_text(args, frontend)
    previous = frontend.store(args).read()
    pairs = [(model, label, system) for model in models for label, system in systems]
    comparison = Comparison(
        [
            Candidate(number, model, label, Step(text, previous, system=system, **settings))
            for number, (model, label, system) in enumerate(pairs, start=1)
        ],
        previous,
        show_thinking=frontend.shows_thinking(args),
        theme=frontend.theme(args),
    )
    run_all(comparison, Progress(len(comparison)), at_once=args.at_once or AT_ONCE)
    frontend.comparison = comparison
    if comparison.interrupted:
        display(comparison)
        raise KeyboardInterrupt  # like any interrupted cell: "Run all" stops here
    return Outcome(value=comparison)
