from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coglog_nb import CogLog, Entry
from coglog_nb.notebook import extension

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from tests.notebook.conftest import Shell


def counts(ip: InteractiveShell) -> tuple[int, ...]:
    """How many of each thing the extension adds are there."""
    return (
        sum(name == "coglog" for name in ip.magics_manager.magics["line"]),
        sum(name == "coglog" for name in ip.magics_manager.magics["cell"]),
        sum("CogLog" in name for name in ip.magics_manager.registry),
        sum("CogLog" in type(configurable).__name__ for configurable in ip.configurables),
        sum(getattr(matcher, "matcher_identifier", "") == "coglog" for matcher in ip.Completer.custom_matchers),
        int(any(kind is Entry for kind in ip.display_formatter.ipython_display_formatter.type_printers)),
    )


NONE, ONE = (0,) * 6, (1,) * 6


def test_load_reload_and_unload_leave_one_one_and_none(bare_ip: InteractiveShell) -> None:
    assert counts(bare_ip) == NONE
    bare_ip.run_line_magic("load_ext", "coglog_nb")
    assert counts(bare_ip) == ONE
    bare_ip.run_line_magic("reload_ext", "coglog_nb")
    assert counts(bare_ip) == ONE
    extension.load(bare_ip)
    assert counts(bare_ip) == ONE
    bare_ip.run_line_magic("unload_ext", "coglog_nb")
    assert counts(bare_ip) == NONE
    extension.unload(bare_ip)
    assert counts(bare_ip) == NONE
    bare_ip.run_line_magic("load_ext", "coglog_nb")
    assert counts(bare_ip) == ONE


def test_config_reads_the_instance_that_is_in_use_after_a_reload(shell: Shell) -> None:
    shell.run("%config CogLogMagics.session = 'before'")
    shell.ip.run_line_magic("reload_ext", "coglog_nb")
    shell.run("%config CogLogMagics.session = 'after'")
    assert "after" in shell.run("%coglog where").out


def test_unloading_takes_the_live_card_back(bare_shell: Shell, turn: dict[str, Any]) -> None:
    shell, bare_ip = bare_shell, bare_shell.ip
    entry = bare_ip.user_ns["entry"] = CogLog().write(**turn)

    def on_its_own() -> bool:
        data, _ = bare_ip.display_formatter.format(entry)
        return set(data) == {"text/html", "text/plain"} and not shell.run("entry").outputs

    assert on_its_own()
    bare_ip.run_line_magic("load_ext", "coglog_nb")
    live = shell.run("entry").outputs
    assert [set(output) for output in live] == [
        {"text/html", "text/plain"},
        {"application/vnd.jupyter.widget-view+json"},
    ]
    bare_ip.run_line_magic("unload_ext", "coglog_nb")
    assert on_its_own()


def test_the_settings_of_a_configuration_file_are_used(bare_shell: Shell) -> None:
    bare_ip = bare_shell.ip
    bare_ip.config.CogLogMagics.session = "from-config"
    try:
        bare_ip.run_line_magic("load_ext", "coglog_nb")
        assert "from-config" in bare_shell.run("%coglog where").out
    finally:
        del bare_ip.config["CogLogMagics"]
