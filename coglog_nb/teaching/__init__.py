"""Teaching the four axes: the guide, its one-page handout, the exercises, and their texts in each language."""
