"""The notebook's face: the only part that knows IPython and anywidget."""
