"""What `%load_ext coglog_nb` adds to a shell, and `%unload_ext` removes."""

from __future__ import annotations

from IPython.core.interactiveshell import InteractiveShell

from ..entry import Entry
from .comparison_widget import register_comparison, unregister_comparison
from .completion import add_matcher, remove_matcher
from .display import register_live_card, unregister_live_card
from .magics import CogLogMagics
from .watch import stop_all

MAGIC = "coglog"


def load(ip: InteractiveShell) -> None:
    """Add the magic, its completion and the live cards; loading again replaces them."""
    unload(ip)
    ip.register_magics(CogLogMagics)
    add_matcher(ip)
    register_live_card(ip)
    register_comparison(ip)


def unload(ip: InteractiveShell) -> None:
    """Remove all of it; does nothing if it isn't loaded."""
    stop_all()
    remove_matcher(ip)
    unregister_live_card(ip)
    unregister_comparison(ip)
    manager = ip.magics_manager
    # IPython has no public way to undo register_magics. By name: after `%reload_ext`, the registered class is not the
    # same class any more.
    ours = manager.registry.pop(CogLogMagics.__name__, None)
    if ours is not None:
        Entry.show_thinking, Entry.theme = True, "system"
        for kind in ("line", "cell"):
            manager.magics[kind].pop(MAGIC, None)
        # `%config` would still change what stays in `configurables`.
        ip.configurables[:] = [configurable for configurable in ip.configurables if configurable is not ours]
