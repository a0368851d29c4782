"""What teaches the four axes: the guide, its one-page handout, the exercises, and their languages."""
