"""The notebook frontend: the only part that uses IPython and anywidget."""
