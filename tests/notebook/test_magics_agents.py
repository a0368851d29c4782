"""What is for agents, called in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from coglog_nb import UsageError
from coglog_nb.json_schema import entry_schema

if TYPE_CHECKING:
    from tests.notebook.conftest import Shell


def test_mcp_says_where_it_belongs(shell: Shell) -> None:
    error, seen = shell.fail("%coglog mcp")
    assert isinstance(error, UsageError)
    assert "an MCP client starts `coglog mcp` by itself" in str(error)
    assert "Traceback" not in seen


def test_schema_is_a_dict_that_validates_what_read_returns(shell: Shell) -> None:
    shell.run(
        "%%coglog write\nuser: u\nthinking: t\nassistant: a\ncurrent_focus:\ntheory_of_mind:\n"
        "self_narrative:\nannotation:"
    )
    schema = shell.run("schema = %coglog schema\nschema").value
    assert schema == entry_schema()
    Draft202012Validator(schema).validate(dict(shell.run("prev = %coglog read\nprev").value))
    with pytest.raises(UsageError):
        shell.run("%coglog schema entry")
