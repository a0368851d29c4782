"""The commands: what `coglog`, `coglog-viz` and `%coglog` do.

`registry` lists them all. Each has a module of its own, ``cmd_NAME``, with

- ``run(args, frontend) -> Outcome``: does it,
- ``add_arguments(parser)``: adds its own arguments; left out where a command has none,
- ``TAKES_BODY = True``: where a cell's body means something to it.

The module is imported when its command is called: importing all of them would be most of the time that a `coglog read`
takes. A command that needs a notebook lies in `coglog_nb.notebook`.
"""
