"""The package's version, in a module of its own that imports nothing."""

__version__ = "0.9.1"
