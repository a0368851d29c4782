"""Exercises in the four axes: JSON files, built-in ones or a facilitator's own, and the answers to them.

`catalog` finds an exercise, `format` checks its file, `text_form` shows it where no widget runs, and `results` keeps
the answers. The format is described in `docs/exercises.md`, and as a JSON Schema in `schema.json` beside this file.
"""
