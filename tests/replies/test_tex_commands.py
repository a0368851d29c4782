"""The TeX commands: those that JSON's escapes can be mistaken for."""

from __future__ import annotations

import pytest

from coglog_nb.replies.tex_commands import COMMANDS


@pytest.mark.parametrize("name", ["nu", "neq", "nabla", "not", "rho", "rangle", "right", "tau", "times", "text", "to"])
def test_what_formulas_use_is_known(name: str) -> None:
    assert name in COMMANDS


@pytest.mark.parametrize("name", ["new", "tables", "temp", "run", "nNext", "host", "server"])
def test_the_words_of_paths_and_sentences_are_none(name: str) -> None:
    assert name not in COMMANDS
