"""The providers whose replies `capture` reads, a file each; `base` says what such a file holds."""
