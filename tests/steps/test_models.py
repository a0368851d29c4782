"""Which model is meant."""

from __future__ import annotations

from typing import Any

import pytest
from loopback import REPLY
from scripted import Scripted

from coglog_nb import CogLog, CogLogError, UsageError, turn


@pytest.mark.parametrize("model", [None, 3, object()])
def test_a_value_that_is_not_a_model_is_refused(store: CogLog, model: Any) -> None:
    with pytest.raises(CogLogError, match="is an id that llm knows, one of llm's models, or a callable"):
        turn("?", model, store=store)


def test_options_are_for_llm(store: CogLog) -> None:
    with pytest.raises(UsageError, match="options are for llm's models"):
        turn("?", Scripted(REPLY), store=store, options={"temperature": "1"})
