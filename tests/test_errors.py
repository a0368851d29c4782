"""Every error has one base, says all of its problems, and carries what its reader needs."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from coglog_nb import errors
from coglog_nb.errors import (
    CogLogError,
    DamagedLogError,
    RefusedError,
    StoreError,
    TurnError,
    UsageError,
    how_to_install,
)

CLASSES = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]


def test_all_have_one_base() -> None:
    assert {each.__name__ for each in CLASSES if not issubclass(each, CogLogError)} == {"CogLogWarning"}


@pytest.mark.parametrize("name", ["ValidationError", "InputError"])
def test_what_is_wrong_with_an_input_is_a_value_error(name: str) -> None:
    with pytest.raises(ValueError, match="wrong"):
        raise getattr(errors, name)("wrong")


def test_several_problems_are_lines() -> None:
    error = CogLogError(["the first", "the second"])
    assert error.problems == ("the first", "the second")
    assert str(error) == "the first\nthe second"
    assert CogLogError("one").problems == ("one",)


def test_a_refusal_of_the_system_names_the_path_once_and_the_reason() -> None:
    error = StoreError.from_os("write", "/somewhere/file", OSError(errno.ENOSPC, "No space left on device", "file"))
    assert str(error) == "cannot write /somewhere/file: No space left on device"
    assert error.path == "/somewhere/file"
    assert str(StoreError.from_os("read", "x", ValueError("embedded null byte"))) == "cannot read x: embedded null byte"


def test_damage_names_the_file_the_reason_and_what_to_do() -> None:
    error = DamagedLogError("/log/current.json", "it is empty")
    assert (error.path, error.reason) == ("/log/current.json", "it is empty")
    for word in ("damaged log /log/current.json: it is empty", "repair or remove", "`clear`"):
        assert word in str(error)


def test_a_failed_step_keeps_the_reply_and_misuse_the_usage() -> None:
    error = RefusedError("model refused", reply={"a": 1})
    assert isinstance(error, TurnError)
    assert (error.reply, error.captured) == ({"a": 1}, None)
    assert UsageError("unknown", "usage: coglog").usage == "usage: coglog"


def test_an_extra_is_installed_from_an_index_or_from_a_checkout() -> None:
    assert how_to_install("llm") == "pip install 'coglog-nb[llm]' (in the folder of a checkout: pip install '.[llm]')"


def test_no_message_names_an_extra_on_its_own() -> None:
    package = Path(errors.__file__).parent
    named = [path.name for path in package.rglob("*.py") if "pip install 'coglog-nb[" in path.read_text("utf-8")]
    assert sorted(named) == ["errors.py", "functions.py"], "the other is a docstring"
