"""Which model is meant: a name that `llm` knows, one of its models, or a callable."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import InputError, UsageError
from .callable_model import CallableModel
from .llm_model import LlmModel, llm_model_named
from .model_base import Model


def find_model(model: object, *, options: Mapping[str, str] | None = None, name: str = "") -> Model:
    """Return the model that is meant.

    Parameters
    ----------
    model : str, callable, or model of llm
        A model's id or alias in `llm`, one of its models, or a callable ``messages -> reply``.
    options : mapping of str to str, optional
        The model's own options, for one of llm's.
    name : str, optional
        The name of a callable in outputs.

    Raises
    ------
    UsageError
        If there is no such model, `llm` isn't installed, or an option doesn't fit.
    InputError
        If `model` isn't one of these.
    """
    if isinstance(model, Model):
        return model
    if isinstance(model, str):
        return LlmModel(llm_model_named(model), options)
    if hasattr(model, "model_id") and hasattr(model, "prompt"):
        return LlmModel(model, options)
    if callable(model):
        if options:
            raise UsageError(f"options are for llm's models; {name or 'a callable'} sets its own")
        return CallableModel(model, name)
    raise InputError(
        f"{name or 'the model'} is {type(model).__name__}: a model is an id that llm knows, one of llm's models, or a"
        " callable that takes messages and returns a reply"
    )
