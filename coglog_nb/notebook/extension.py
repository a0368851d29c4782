"""Load and unload: what `%load_ext coglog_nb` adds to a shell, and what `%unload_ext` takes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..entry import Entry
from .comparison_widget import register_comparison, unregister_comparison
from .completion import add_matcher, remove_matcher
from .display import register_live_card, unregister_live_card
from .magics import CogLogMagics
from .watch import stop_all

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

MAGIC = "coglog"


def load(ip: InteractiveShell) -> None:
    """Add the magic, its completions and the live card. Loading again replaces them."""
    unload(ip)
    ip.register_magics(CogLogMagics)
    add_matcher(ip)
    register_live_card(ip)
    register_comparison(ip)


def unload(ip: InteractiveShell) -> None:
    """Take all of it back; does nothing where it isn't loaded."""
    stop_all()
    remove_matcher(ip)
    unregister_live_card(ip)
    unregister_comparison(ip)
    manager = ip.magics_manager
    # IPython has no public way back from register_magics. By name, not by class: after `%reload_ext` the class that
    # was registered is another one than today's.
    ours = manager.registry.pop(CogLogMagics.__name__, None)
    if ours is not None:
        Entry.show_thinking, Entry.theme = True, "system"
        for kind in ("line", "cell"):
            manager.magics[kind].pop(MAGIC, None)
        # What stays in `configurables` is what `%config` would go on changing.
        ip.configurables[:] = [configurable for configurable in ip.configurables if configurable is not ours]
