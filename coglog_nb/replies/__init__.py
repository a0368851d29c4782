"""From a provider's reply to a turn: what was thought, what was answered, and the block at the answer's end.

`reading` tells thinking from answer in whatever a provider gives, a file for each family of providers; `block` finds
the coglog block; `captured` puts both together; `streams` does the same for a reply that comes in pieces. No provider's
library is imported: an object is known by its attributes, a dict or JSON text by its keys.
"""
