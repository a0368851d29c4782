"""An MCP client writes, the command line writes, a notebook reads: all at once, in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from coglog_nb import CogLog
from coglog_nb.fields import NAMES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

COUNT = 15  # of the command line; the MCP client writes for as long as that does
TIMEOUT = 120

# What each of the three begins with. It is set up, says so, and waits for the word: then all run at the same time.
HEAD = """
import itertools, json, os, subprocess, sys, time
directory, count, names = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",")
cli_done, mcp_done = directory + ".cli-done", directory + ".mcp-done"
def ready():
    print("ready", flush=True)
    sys.stdin.readline()
def turn(writer, number):
    return dict.fromkeys(names, f"{writer} {number} " + writer[0] * 20_000)
"""
MCP_CLIENT = """
import anyio
from mcp import Client, StdioServerParameters, stdio_client
async def main():
    server = StdioServerParameters(command=sys.executable, args=["-m", "coglog_nb", "mcp", "--coglog-dir", directory])
    with anyio.fail_after(100):
        async with Client(stdio_client(server)) as client:
            ready()
            for number in itertools.count():
                if os.path.exists(cli_done):
                    break
                result = await client.call_tool("coglog_write", turn("mcp", number))
                assert not result.is_error, result
                print(json.loads(result.content[0].text)["turn_id"], flush=True)
                await anyio.sleep(0.001)  # otherwise the others would rarely find the lock free
anyio.run(main)
open(mcp_done, "w").close()
"""
COMMAND_LINE = """
ready()
for number in range(count):
    done = subprocess.run(
        [sys.executable, "-m", "coglog_nb", "write", "--coglog-dir", directory],
        input=json.dumps(turn("cli", number)), capture_output=True, text=True, check=True, timeout=100,
    )
    print(done.stdout.split()[2], flush=True)
open(cli_done, "w").close()
"""
NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
ip = InteractiveShell.instance()
ip.history_manager.enabled = False
ip.run_line_magic("load_ext", "coglog_nb")
ip.run_cell(f"%config CogLogMagics.coglog_dir = {directory!r}").raise_error()
ready()
last, deadline = 0, time.monotonic() + 100
over = False
while not over:
    assert time.monotonic() < deadline, last
    over = os.path.exists(mcp_done)
    with capture_output():  # it says so while there is nothing
        result = ip.run_cell("entry = %coglog read")
    result.raise_error()
    entry = ip.user_ns["entry"]
    if entry is not None:
        assert entry["turn_id"] >= last
        texts = {*entry["layers"].values(), *(entry[name] for name in names if name not in entry["layers"])}
        assert len(entry["layers"]) == 3 and len(texts) == 1, texts  # of one writer and one turn, in all seven
        (text,) = texts
        assert len(text) > 20_000 and text.endswith(text[0] * 20_000)
        if entry["turn_id"] > last:
            print(json.dumps([entry["turn_id"], " ".join(text.split()[:2])]), flush=True)
        last = entry["turn_id"]
"""


def test_ids_rise_by_one_and_every_reader_sees_whole_turns(tmp_path: Path) -> None:
    with ExitStack() as stack:
        processes = []
        for code in (MCP_CLIENT, COMMAND_LINE, NOTEBOOK):
            process = subprocess.Popen(
                [sys.executable, "-c", HEAD + code, str(tmp_path / "log"), str(COUNT), ",".join(NAMES)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(process)
            stack.callback(process.kill)  # before the line above waits for it
            processes.append(process)
        for process in processes:
            assert process.stdout is not None
            said = process.stdout.readline()
            assert said == "ready\n", process.communicate(timeout=TIMEOUT)[1]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        outputs = []
        for process in processes:
            out, err = process.communicate(timeout=TIMEOUT)
            assert process.returncode == 0, err
            outputs.append([json.loads(line) for line in out.splitlines()])
    mcp, command_line, notebook = outputs
    total = len(mcp) + COUNT
    assert sorted(mcp + command_line) == list(range(1, total + 1))  # each turn once, and none lost
    assert any(command_line[0] < turn_id < command_line[-1] for turn_id in mcp)  # they did write at the same time
    assert mcp == sorted(mcp)
    assert command_line == sorted(command_line)
    seen = [turn_id for turn_id, _ in notebook]
    assert seen == sorted(set(seen))
    assert len(seen) > 1
    assert seen[-1] == total
    for turn_id, text in notebook:
        writer, number = text.split()[:2]
        assert turn_id == (mcp if writer == "mcp" else command_line)[int(number)]
    last = CogLog(tmp_path / "log").read()
    assert last is not None
    assert last["turn_id"] == total
